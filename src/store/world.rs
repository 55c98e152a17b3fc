//! Present world transforms in double precision, from one walk up, and local transforms that place a node in the world.

use crate::store::nodes::Nodes;
use crate::store::record::{Has, RecordId};
use crate::store::space::Space;
use crate::{Error, Local, Mat34, NodeHandle, Transform, wide};
use glam::{DAffine3, DVec3, Vec3};
use hedgerow_math::internal::invert_wide;
use smallvec::SmallVec;

/// The nodes that have a transform, from a node up to its topmost ancestor.
pub(crate) type Chain = SmallVec<[RecordId; 32]>;

/// A local transform with the rounding error of its translation in single precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideLocal {
    pub(crate) local: Local,
    pub(crate) remainder: Vec3,
}

impl WideLocal {
    /// Returns the nearest local transform in single precision, with the translation's rounding error if `precise`.
    fn from_wide(wide: &DAffine3, precise: bool) -> Option<Self> {
        let local = Local::from_wide(wide)?;
        if !precise {
            return Some(Self { local, remainder: Vec3::ZERO });
        }
        let (rounded, remainder) = wide::split(wide.translation);
        rounded.is_finite().then(|| Self { local: local.with_translation(rounded), remainder })
    }

    /// Returns the local transform in double precision.
    pub(crate) fn to_wide(self) -> DAffine3 {
        let mut wide = self.local.to_wide();
        wide.translation += self.remainder.as_dvec3();
        wide
    }
}

/// Returns whether the world matrix, as the update computes it in single precision, is finite.
fn stays_finite(above: &Mat34, local: Local) -> bool {
    (*above * local.to_matrix()).is_finite()
}

/// The world transform that the children of a node inherit, in both precisions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Above {
    space: Space,
    world: Mat34,
}

impl Above {
    /// The transform that the topmost nodes inherit.
    pub(crate) const WORLD: Self = Self { space: Space::WORLD, world: Mat34::IDENTITY };

    /// Returns what a child with this local transform hands down to its own children.
    pub(crate) fn below(&self, local: Local) -> Self {
        Self { space: self.space.below(local), world: self.world * local.to_matrix() }
    }

    /// Returns the local transform that places a child at the checked `world`, or an error with the handle of `parent`.
    pub(crate) fn local_at(&self, world: Local, parent: impl FnOnce() -> NodeHandle) -> Result<Local, Error> {
        let local = self.space.local_at(world);
        // The update multiplies in single precision, which may overflow where double precision does not.
        let local = local.and_then(|local| stays_finite(&self.world, local).then_some(local).ok_or(Error::Overflow));
        local.map_err(|fault| fault(parent()))
    }
}

impl Nodes {
    /// Returns a node's local transform with the rounding error of its translation.
    pub(crate) fn wide_local(&self, id: RecordId) -> Option<WideLocal> {
        Some(WideLocal { local: self.local(id)?, remainder: self.remainder(id) })
    }

    /// Returns the nodes whose local transforms make up a node's world transform, up to the top or to an anchored node.
    pub(crate) fn transform_chain(&self, id: RecordId) -> Chain {
        let chain = core::iter::successors(Some(id), |&id| self.local_parent(id));
        chain.filter(|&id| self.has_transform(id)).collect()
    }

    pub(crate) fn chain_local(&self, id: RecordId) -> Local {
        self.local(id).unwrap_or(Local::Matrix(Mat34::IDENTITY))
    }

    fn chain_wide(&self, id: RecordId) -> DAffine3 {
        self.wide_local(id).map_or(DAffine3::IDENTITY, WideLocal::to_wide)
    }

    /// Returns the present world transform of a node in double precision.
    pub(crate) fn wide_world(&self, id: RecordId) -> WideWorld<'_> {
        let chain = self.transform_chain(id);
        let world = chain.iter().rev().fold(DAffine3::IDENTITY, |world, &id| world * self.chain_wide(id));
        WideWorld { nodes: self, chain, world }
    }

    /// Returns the world transform that is inherited from `parent`, or from the world if there is no parent.
    fn wide_above(&self, parent: Option<RecordId>) -> WideWorld<'_> {
        let world = || WideWorld { nodes: self, chain: Chain::new(), world: DAffine3::IDENTITY };
        parent.map_or_else(world, |parent| self.wide_world(parent))
    }

    /// Returns the present world matrix of a node, with the bits that the next update computes. Runs in O(ancestors).
    pub(crate) fn fresh_world(&self, id: RecordId) -> Mat34 {
        let chain = self.transform_chain(id);
        chain.iter().rev().fold(Mat34::IDENTITY, |world, &id| world * self.chain_local(id).to_matrix())
    }

    /// Returns the local transform that keeps a node where it is when it moves below another parent, or out of the
    /// tree; `None` if it need not change.
    pub(crate) fn local_below(&self, id: RecordId, parent: Option<RecordId>) -> Result<Option<WideLocal>, Error> {
        if self.is_anchored(id) || self.parent(id) == parent { Ok(None) } else { self.local_in(id, parent) }
    }

    /// Returns the local transform that keeps a node where it is when it becomes relative to another node, or to the
    /// world; `None` if it need not change.
    pub(crate) fn local_in(&self, id: RecordId, parent: Option<RecordId>) -> Result<Option<WideLocal>, Error> {
        let from = self.local_parent(id);
        let (above, to) = (self.wide_above(from).world, self.wide_above(parent));
        // The same place in the world already: the local transform keeps all bits.
        if above == to.world {
            return Ok(None);
        }
        let world = self.wide_local(id).map_or(above, |local| above * local.to_wide());
        if !world.is_finite() {
            return Err(Error::Overflow(self.handle(from.unwrap_or(id))));
        }
        // Keeping the rounding error of a translation in single precision would slow down later edits.
        let precise = self.is_precise(id) || parent.is_some_and(|parent| self.is_precise(parent));
        self.local_at((parent, parent.or(from).unwrap_or(id)), &to, &world, precise).map(Some)
    }

    /// Returns the local transform that places a node at `world` in double precision.
    pub(crate) fn wide_local_for(&self, id: RecordId, world: &DAffine3) -> Result<WideLocal, Error> {
        let parent = self.local_parent(id);
        self.local_at((parent, parent.unwrap_or(id)), &self.wide_above(parent), world, true)
    }

    /// Returns new local transforms of the anchored nodes below `top`, so that they move along when `top` gets `local`.
    /// Runs in O(subtree + ancestors).
    pub(crate) fn carried(&self, top: RecordId, local: Local) -> Result<Vec<(RecordId, WideLocal)>, Error> {
        let before = self.wide_world(top).inverse().ok_or_else(|| Error::Singular(self.handle(top)))?;
        // By how much the move takes what hangs on the node through the world.
        let by = self.wide_above(self.local_parent(top)).world * local.to_wide() * before;
        let precise = self.is_precise(top);
        let anchored = self.pages.subtree(top).skip(1).filter(|&id| self.is_anchored(id));
        let carried = anchored.map(|id| {
            let precise = precise || self.pages.record(id).has.has(Has::REMAINDER);
            Ok((id, self.local_at((None, id), &self.wide_above(None), &(by * self.chain_wide(id)), precise)?))
        });
        carried.collect()
    }

    /// Returns the local transform that places a node at `world` relative to `parent`, whose world transform is `to`.
    /// Errors contain the handle of `fault`.
    fn local_at(
        &self,
        (parent, fault): (Option<RecordId>, RecordId),
        to: &WideWorld<'_>,
        world: &DAffine3,
        precise: bool,
    ) -> Result<WideLocal, Error> {
        let local = to.local_at(world, precise, || self.handle(fault))?;
        let above = parent.map_or(Mat34::IDENTITY, |parent| self.fresh_world(parent));
        if stays_finite(&above, local.local) { Ok(local) } else { Err(Error::Overflow(self.handle(fault))) }
    }

    /// Returns whether a node, or one above it, has a translation in double precision.
    fn is_precise(&self, id: RecordId) -> bool {
        self.transform_chain(id).iter().any(|&id| self.pages.record(id).has.has(Has::REMAINDER))
    }

    /// Returns the local transform that places a node at `world`.
    pub(crate) fn local_for(&self, id: RecordId, world: Local) -> Result<Local, Error> {
        let Some(parent) = self.local_parent(id) else { return Above::WORLD.local_at(world, || self.handle(id)) };
        let chain = self.transform_chain(parent);
        let above = chain.iter().rev().fold(Above::WORLD, |above, &id| above.below(self.chain_local(id)));
        above.local_at(world, || self.handle(parent))
    }

    /// Returns the translation, in double precision, of a node's local transform, if there is one.
    pub(crate) fn wide_translation(&self, id: RecordId) -> Option<DVec3> {
        self.wide_local(id).map(|wide| wide::join(wide.local.translation(), wide.remainder))
    }

    /// Sets the two parts of the translation of a node's local transform, which is the identity if there is none.
    pub(crate) fn set_wide_translation(&mut self, id: RecordId, (rounded, remainder): (Vec3, Vec3)) {
        let local = self.local(id).unwrap_or(Transform::IDENTITY.into());
        self.set_wide_local(id, WideLocal { local: local.with_translation(rounded), remainder });
    }
}

/// A world transform in double precision, and the nodes that it was composed of.
pub(crate) struct WideWorld<'s> {
    nodes: &'s Nodes,
    chain: Chain,
    pub(crate) world: DAffine3,
}

impl WideWorld<'_> {
    /// Returns the inverse. `None` if one of the transforms has no inverse, even if rounding hides this in the product,
    /// or if the product exceeds double precision.
    pub(crate) fn inverse(&self) -> Option<DAffine3> {
        let within = self.world.matrix3.determinant().is_normal();
        let mut transforms = self.chain.iter().map(|&id| self.nodes.chain_local(id).to_wide());
        // Rounding may hide in the product that one of its factors is flat.
        let regular = within && transforms.all(|transform| invert_wide(&transform).is_some());
        regular.then(|| self.world.inverse()).filter(DAffine3::is_finite)
    }

    /// Returns the local transform that places a child at `world`. `parent` returns the handle that errors contain.
    fn local_at(&self, world: &DAffine3, precise: bool, parent: impl Fn() -> NodeHandle) -> Result<WideLocal, Error> {
        let wide = self.inverse().ok_or_else(|| Error::Singular(parent()))? * *world;
        let local = WideLocal::from_wide(&wide, precise).ok_or_else(|| Error::Overflow(parent()))?;
        if local.local.keeps(&wide, &self.world, world) { Ok(local) } else { Err(Error::Underflow(parent())) }
    }
}
