//! Matrices relative to a camera, from world transforms in double precision, for worlds larger than single precision can
//! resolve.

use crate::Mat34;
use crate::pass::draw::Listing;
use crate::pass::draw::wide::WideWorlds;
use crate::store::{At, Store};
use glam::DVec3;
use hedgerow_math::Frustum;

/// Matrices by index of the draw list, and what they are computed from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relative {
    pub(crate) matrices: Vec<Mat34>,
    worlds: WideWorlds,
    /// The shapes found in a slice. Kept to save allocations.
    found: Vec<u32>,
}

impl Relative {
    pub(crate) const EMPTY: Self = Self { matrices: Vec::new(), worlds: WideWorlds::EMPTY, found: Vec::new() };

    /// Computes the matrices of a list that was filled from this scene.
    pub(crate) fn fill(&mut self, store: &Store, camera: DVec3, listing: &Listing) {
        self.worlds.refresh(store, false);
        self.matrices.clear();
        self.matrices.reserve(listing.len());
        for run in listing.slots.chunk_by(|a, b| a.slice == b.slice) {
            let Some(slice) = run.first().and_then(|first| self.worlds.slice(first.slice)) else { return };
            self.matrices.extend(run.iter().map(|at| slice.relative_to(camera, at.slot)));
        }
    }

    /// Lists the shapes that touch a frustum around the camera and are visible on one of these layers, with their
    /// matrices.
    pub(crate) fn find(
        &mut self,
        store: &Store,
        (camera, frustum): (DVec3, &Frustum),
        layers: u32,
        listing: &mut Listing,
    ) {
        let Self { matrices, worlds, found } = self;
        worlds.refresh(store, true);
        matrices.clear();
        listing.clear();
        let mut next = Some(At::ROOT.slice);
        while let Some(number) = next {
            next = store.slice_after(number, true);
            let Some(wide) = worlds.slice(number) else { continue };
            found.clear();
            wide.cull(camera, frustum, found);
            let slice = store.view(number);
            let (masks, records) = (slice.visibilities().masks(), slice.shapes().records());
            for &shape in &*found {
                let record = &records[shape as usize];
                if masks[record.visibility as usize] & layers != 0 {
                    listing.push(slice, record);
                    matrices.push(wide.relative_to(camera, record.transform));
                }
            }
        }
    }
}
