//! Matrices relative to a camera, from world transforms in double precision, for large worlds.

use crate::Mat34;
use crate::fallible;
use crate::pass::cull::Sieve;
use crate::pass::detail::Filling;
use crate::pass::draw::Listing;
use crate::pass::draw::wide::{WideSlice, WideWorlds};
use crate::store::{MatrixSlot, SliceId, Store};
use core::ops::Range;
use glam::DVec3;
use hedgerow_math::Frustum;
use std::collections::TryReserveError;

/// Matrices by index of the draw list, and the data that they are computed from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relative {
    matrices: Vec<Mat34>,
    /// The camera of the last fill.
    camera: DVec3,
    /// The world translation of each drawable, 24 bytes. If only the camera moved, nothing else is read.
    places: Vec<DVec3>,
    worlds: WideWorlds,
}

impl Relative {
    pub(crate) const EMPTY: Self =
        Self { matrices: Vec::new(), camera: DVec3::ZERO, places: Vec::new(), worlds: WideWorlds::EMPTY };

    pub(crate) fn matrices(&self) -> &[Mat34] {
        &self.matrices
    }

    pub(crate) fn forget(&mut self) {
        self.matrices.clear();
        self.places.clear();
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.matrices.shrink_to_fit();
        *self = Self { matrices: core::mem::take(&mut self.matrices), ..Self::EMPTY };
    }

    /// Computes the matrices of a list that was filled from this scene. `segments` has the list's slices, each with the
    /// range of its drawables. `listed`: some segment changed its place or contents since the last call.
    ///
    /// Fills in a slice of which a slot was recomposed, or a command changed. In all others, only translations can have
    /// changed, and only if the camera moved.
    pub(crate) fn fill(
        &mut self,
        store: &Store,
        camera: DVec3,
        listing: &Listing,
        segments: impl Iterator<Item = (SliceId, Range<usize>)>,
        listed: bool,
    ) {
        let any = fallible::or_abort(self.worlds.refresh(store, false));
        let Self { matrices, places, worlds, .. } = self;
        let (anew, stays) = (places.is_empty(), self.camera == camera);
        self.camera = camera;
        matrices.resize(listing.len(), Mat34::IDENTITY);
        places.resize(listing.len(), DVec3::ZERO);
        // Neither the camera nor the scene moved.
        if stays && !(anew || any || listed) {
            return;
        }
        for (number, range) in segments {
            let Some(slice) = worlds.slice(number) else { continue };
            let (matrices, places) = (&mut matrices[range.clone()], &mut places[range.clone()]);
            if anew || slice.changed() || listed && listing.is_changed(range.clone()) {
                fill(matrices, places, &listing.slots[range], slice, camera);
            // Only the camera moved: rotations and scales stay, and translations are known.
            } else if !stays {
                move_all(matrices, places, camera);
            }
        }
    }

    /// Takes out the world transforms and boxes so that several lists can share them, and updates them.
    pub(crate) fn take_worlds(&mut self, store: &Store) -> Result<WideWorlds, TryReserveError> {
        let mut worlds = core::mem::take(&mut self.worlds);
        if worlds.refresh(store, true)? {
            // The next `fill` cannot tell what changed before this refresh.
            self.places.clear();
        }
        Ok(worlds)
    }

    /// Keeps the world transforms that [`Self::take_worlds`] returned.
    pub(crate) fn keep_worlds(&mut self, worlds: WideWorlds) {
        self.worlds = worlds;
    }

    /// Lists the drawables that touch a frustum around the camera and that the sieve admits, with their matrices. The
    /// world transforms must match the scene.
    pub(crate) fn find(
        &mut self,
        (store, worlds): (&Store, &WideWorlds),
        (camera, frustum): (DVec3, &Frustum),
        sieve: Sieve,
        filling: &mut Filling<'_>,
    ) {
        self.forget();
        let matrices = &mut self.matrices;
        worlds.find(store, (camera, frustum), sieve, |(slice, wide), drawable, record| {
            if filling.push((store, slice), record, |eye| wide.distance(drawable, eye)) {
                matrices.push(wide.relative_to(camera, record.slot.into()));
            }
        });
    }
}

fn fill(matrices: &mut [Mat34], places: &mut [DVec3], slots: &[MatrixSlot], slice: &WideSlice, camera: DVec3) {
    for ((matrix, place), at) in matrices.iter_mut().zip(places).zip(slots) {
        *matrix = slice.relative_to(camera, at.slot);
        *place = slice.translation(at.slot);
    }
}

/// Sets the translations of matrices whose drawables did not move in the world.
fn move_all(matrices: &mut [Mat34], places: &[DVec3], camera: DVec3) {
    for (Mat34 { rows }, place) in matrices.iter_mut().zip(places) {
        // Both numbers are large and their difference is small, so subtract before rounding.
        let [x, y, z] = (*place - camera).as_vec3().to_array();
        (rows[0][3], rows[1][3], rows[2][3]) = (x, y, z);
    }
}
