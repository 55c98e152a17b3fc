//! World transforms as of now, by a walk up.

use crate::Local;
use crate::math::{Mat34, invert_wide};
use crate::store::Store;
use crate::store::columns::At;
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
