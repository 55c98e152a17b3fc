//! World transforms as of now, computed by walking up.

use crate::Mat34;
use crate::store::Store;
use crate::store::columns::At;
use crate::store::space::Space;
use crate::{Error, Local, NodeHandle, Transform};
use glam::{DAffine3, DVec3};
use hedgerow_math::internal::invert_wide;
use smallvec::SmallVec;

/// Slices and transform slots from a node up to the root.
pub(in crate::store) type Chain = SmallVec<[(u32, u32); 32]>;

impl Store {
    /// The transforms that make up the world transform of a node, from its own to the topmost.
    fn transform_chain(&self, at: At) -> Chain {
        self.transform_chain_from(at.slice, self.row(at).transform.index())
    }

    /// The transforms from a slot of a slice to the topmost.
    pub(in crate::store) fn transform_chain_from(&self, mut number: u32, mut slot: u32) -> Chain {
        let mut chain = Chain::new();
        loop {
            let slice = self.slice(number);
            while slot != 0 {
                chain.push((number, slot));
                slot = slice.transforms.parents[slot as usize];
            }
            if slice.portal == At::NONE {
                return chain;
            }
            number = slice.portal.slice;
            slot = self.row(slice.portal).transform.index();
        }
    }

    /// The world transform of a node as of now, in double precision, computed by one walk up.
    pub(crate) fn wide_world(&self, at: At) -> WideWorld<'_> {
        let chain = self.transform_chain(at);
        let locals = chain.iter().rev().map(|&(slice, slot)| self.slice(slice).transforms.wide_local(slot));
        let world = locals.fold(DAffine3::IDENTITY, |world, local| world * local);
        WideWorld { store: self, chain, world }
    }

    /// The world matrix of a node as of now. Runs in O(ancestors with a transform).
    pub(crate) fn fresh_world_at(&self, at: At) -> Mat34 {
        let chain = self.transform_chain(at);
        let locals = chain.iter().rev().map(|&link| self.local_of(link).to_matrix());
        locals.fold(Mat34::IDENTITY, |world, local| world * local)
    }

    /// The local transform that keeps a node where it is when it is moved below another parent; `None` if it need not
    /// change.
    pub(crate) fn local_below(&self, at: At, parent: At) -> Result<Option<Local>, Error> {
        let above = self.parent(at).map(|parent| self.wide_world(parent).world);
        let (from, to) = (above.unwrap_or(DAffine3::IDENTITY), self.wide_world(parent));
        if from == to.world {
            return Ok(None);
        }
        let world = self.wide_own(at).map_or(from, |local| from * local);
        to.local_at(&world, || self.handle(parent)).map(Some)
    }

    /// The local transform that keeps a node where it is when it is detached; `None` if it need not change.
    pub(crate) fn local_alone(&self, at: At) -> Result<Option<Local>, Error> {
        let above = self.parent(at).map_or(DAffine3::IDENTITY, |parent| self.wide_world(parent).world);
        if above == DAffine3::IDENTITY {
            return Ok(None);
        }
        let world = self.wide_own(at).map_or(above, |local| above * local);
        Local::from_wide(&world).map(Some)
    }

    /// A node's own local transform, with what single precision loses of its translation.
    fn wide_own(&self, at: At) -> Option<DAffine3> {
        let slice = self.slice(at.slice);
        Some(slice.transforms.wide_local(slice.row(at.row).transform.as_own()?))
    }

    /// The local transform that places a node at `world`, below its present parent.
    pub(crate) fn local_for(&self, at: At, world: Local) -> Result<Local, Error> {
        let Some(parent) = self.parent(at) else { return Local::from_wide(&world.to_wide()) };
        let chain = self.transform_chain(parent);
        let space = chain.iter().rev().fold(Space::WORLD, |space, &link| space.below(self.local_of(link)));
        space.local_at(world).map_err(|fault| fault.below(self.handle(parent)))
    }

    /// The translation of a node's local transform in double precision, if it has one.
    pub(crate) fn wide_translation_at(&self, at: At) -> Option<DVec3> {
        let slice = self.slice(at.slice);
        Some(slice.transforms.wide_local(slice.row(at.row).transform.as_own()?).translation)
    }

    /// Sets the translation of a node's local transform in double precision; the rest stays. Returns whether it has
    /// one.
    pub(crate) fn set_wide_translation(&mut self, at: At, translation: DVec3) -> bool {
        let Some(slot) = self.row(at).transform.as_own() else { return false };
        let rounded = translation.as_vec3();
        let transforms = &mut self.slice_mut(at.slice).transforms;
        let local = match transforms.local(slot) {
            Local::Transform(transform) => Local::Transform(Transform { translation: rounded, ..transform }),
            Local::Matrix(mut matrix) => {
                for (row, part) in matrix.rows.iter_mut().zip(rounded.to_array()) {
                    row[3] = part;
                }
                Local::Matrix(matrix)
            }
        };
        transforms.set_wide_local(slot, local, (translation - rounded.as_dvec3()).as_vec3());
        self.tell_moved(at.slice);
        true
    }

    pub(in crate::store) fn local_of(&self, (slice, slot): (u32, u32)) -> Local {
        self.slice(slice).transforms.local(slot)
    }
}

/// The inverse of a product of transforms. `None` if one of them has none, which rounding would hide in the product, or
/// if the product exceeds double precision.
fn inverse_of(world: &DAffine3, mut transforms: impl Iterator<Item = DAffine3>) -> Option<DAffine3> {
    let within = world.matrix3.determinant().is_normal();
    let regular = within && transforms.all(|transform| invert_wide(&transform).is_some());
    regular.then(|| world.inverse()).filter(|inverse| inverse.is_finite())
}

/// A world transform in double precision, and what it was composed of.
pub(crate) struct WideWorld<'s> {
    store: &'s Store,
    chain: Chain,
    pub(crate) world: DAffine3,
}

impl WideWorld<'_> {
    /// The inverse, if there is one.
    pub(crate) fn inverse(&self) -> Option<DAffine3> {
        inverse_of(&self.world, self.chain.iter().map(|&link| self.store.local_of(link).to_wide()))
    }

    /// The local transform that places a child of this node at `world`; `parent` returns the handle of this node.
    fn local_at(&self, world: &DAffine3, parent: impl Fn() -> NodeHandle) -> Result<Local, Error> {
        let wide = self.inverse().ok_or_else(|| Error::Singular(parent()))? * *world;
        let local = Local::from_wide(&wide)?;
        if local.keeps(&wide, &self.world, world) { Ok(local) } else { Err(Error::Underflow(parent())) }
    }

    /// The matrix from the space of this node to that of another. `None` if the other's transform has no inverse, or if
    /// numbers of the matrix are too large or too small.
    #[cfg(feature = "anim")]
    pub(crate) fn matrix_to(&self, other: &Self) -> Option<Mat34> {
        let wide = other.inverse()? * self.world;
        let matrix = Mat34::from_wide(&wide);
        let keeps = Local::Matrix(matrix).keeps(&wide, &other.world, &self.world);
        (keeps && matrix.is_finite()).then_some(matrix)
    }
}
