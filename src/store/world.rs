//! World transforms as of now, by a walk up.

use crate::math::{Mat34, invert_wide};
use crate::store::Store;
use crate::store::columns::At;
use crate::{Error, Local};
use glam::DAffine3;
use smallvec::SmallVec;

/// Slices and transform slots from a node up to the root.
type Chain = SmallVec<[(u32, u32); 32]>;

impl Store {
    /// The transforms that make up the world transform of a node, its own first and the topmost last.
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

    /// The world transform of a node as of now, in double precision, by one walk up.
    pub(crate) fn wide_world(&self, at: At) -> WideWorld<'_> {
        let chain = self.transform_chain(at);
        let locals = chain.iter().rev().map(|&link| self.local_of(link).to_wide());
        let world = locals.fold(DAffine3::IDENTITY, |world, local| world * local);
        WideWorld { store: self, chain, world }
    }

    /// The world matrix of a node as of now. O(ancestors with a transform).
    pub(crate) fn fresh_world_at(&self, at: At) -> Mat34 {
        let chain = self.transform_chain(at);
        let locals = chain.iter().rev().map(|&link| self.local_of(link).to_matrix());
        locals.fold(Mat34::IDENTITY, |world, local| world * local)
    }

    /// The local transform that keeps a node where it is when it hangs below another parent; `None` where it need not
    /// change.
    pub(crate) fn local_below(&self, at: At, parent: At) -> Result<Option<Local>, Error> {
        let above = self.parent(at).map(|parent| self.wide_world(parent).world);
        let (from, to) = (above.unwrap_or(DAffine3::IDENTITY), self.wide_world(parent));
        if from == to.world {
            return Ok(None);
        }
        let own = self.local_at(at);
        let world = own.map_or(from, |local| from * local.to_wide());
        let local = to.inverse().ok_or_else(|| Error::Singular(self.handle(parent)))? * world;
        Local::from_wide(&local).map(Some)
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
    /// The inverse; `None` where some transform on the way up has none, which rounding would hide in their product.
    pub(crate) fn inverse(&self) -> Option<DAffine3> {
        let regular = |&link| invert_wide(&self.store.local_of(link).to_wide()).is_some();
        let inverse = || self.world.inverse();
        self.chain.iter().all(regular).then(inverse).filter(|inverse| inverse.is_finite())
    }
}
