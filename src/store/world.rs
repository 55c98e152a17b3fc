//! World transforms as of now, computed by walking up.

use crate::Mat34;
use crate::store::Store;
use crate::store::columns::At;
use crate::{Error, Local, NodeHandle, Transform};
use glam::{DAffine3, DVec3};
use hedgerow_math::internal::invert_wide;
use smallvec::SmallVec;

/// Slices and transform slots from a node up to the root.
type Chain = SmallVec<[(u32, u32); 32]>;

impl Store {
    /// The transforms that make up the world transform of a node, from its own to the topmost.
    fn transform_chain(&self, mut at: At) -> Chain {
        let mut chain = Chain::new();
        loop {
            let slice = self.slice(at.slice);
            let mut slot = slice.row(at.row).transform.index();
            while slot != 0 {
                chain.push((at.slice, slot));
                slot = slice.transforms.parents[slot as usize];
            }
            at = slice.portal;
            if at == At::NONE {
                return chain;
            }
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
        let own = self.local_at(at);
        let world = own.map_or(from, |local| from * local.to_wide());
        to.local_at(&world, || self.handle(parent)).map(Some)
    }

    /// The local transform that keeps a node where it is when it is detached; `None` if it need not change.
    pub(crate) fn local_alone(&self, at: At) -> Result<Option<Local>, Error> {
        let above = self.parent(at).map_or(DAffine3::IDENTITY, |parent| self.wide_world(parent).world);
        if above == DAffine3::IDENTITY {
            return Ok(None);
        }
        let world = self.local_at(at).map_or(above, |local| above * local.to_wide());
        Local::from_wide(&world).map(Some)
    }

    /// The local transform that places a node at `world`, below its present parent.
    pub(crate) fn local_for(&self, at: At, world: &DAffine3) -> Result<Local, Error> {
        match self.parent(at) {
            Some(parent) => self.wide_world(parent).local_at(world, || self.handle(parent)),
            None => Local::from_wide(world),
        }
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
        transforms.set_local(slot, local);
        transforms.set_remainder(slot, (translation - rounded.as_dvec3()).as_vec3());
        self.tell_moved(at.slice);
        true
    }

    fn local_of(&self, (slice, slot): (u32, u32)) -> Local {
        self.slice(slice).transforms.local(slot)
    }
}

/// A world transform in double precision, and what it was composed of.
pub(crate) struct WideWorld<'s> {
    store: &'s Store,
    chain: Chain,
    pub(crate) world: DAffine3,
}

impl WideWorld<'_> {
    /// The inverse. `None` if some transform on the way up has none, which rounding would hide in the product, or if
    /// the product exceeds double precision.
    pub(crate) fn inverse(&self) -> Option<DAffine3> {
        let regular = |&link| invert_wide(&self.store.local_of(link).to_wide()).is_some();
        let within = self.world.matrix3.determinant().is_normal();
        let inverse = || self.world.inverse();
        (within && self.chain.iter().all(regular)).then(inverse).filter(|inverse| inverse.is_finite())
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
