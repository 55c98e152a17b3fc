//! What may be read of a slice from outside the storage: whole columns, and what passes need of the slice itself.
//!
//! A view borrows the slice and changes nothing. [`SliceViewMut`] can set local transforms. Methods that are not public
//! are for the passes: they return the arrays unchanged.

mod boxes;
mod columns;
mod shown;
mod slot;

pub(crate) use boxes::BoxView;
pub use columns::{ListedShape, MaterialView, RowView, ShapeView, Slots, TransformView, VisibilityView};
pub use shown::SliceViewMut;
pub use slot::MatrixSlot;

use crate::store::columns::At;
use crate::store::words::Words;
use crate::store::{LinearAllocator, Slice, Store};
use crate::{Aabb, NodeHandle};

/// A slice as columns. Slots of each column are `0..len`; those without a node are holes.
#[derive(Clone, Copy, Debug)]
pub struct SliceView<'s> {
    slice: &'s Slice,
    number: u32,
    words: &'s Words,
}

impl<'s> SliceView<'s> {
    #[inline]
    pub(in crate::store) fn new(number: u32, slice: &'s Slice, words: &'s Words) -> Self {
        Self { slice, number, words }
    }

    /// The number of the slice, by which a [`MatrixSlot`] names it. It is small, belongs to the slice while the slice
    /// exists, and may be reused later.
    #[must_use]
    #[inline]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// How many nodes are in the slice.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> usize {
        self.slice.nodes()
    }

    /// The number of the slice that has the portal behind which this one stands; `None` for that of the root, and for
    /// the topmost of a detached subtree.
    #[must_use]
    pub fn parent(&self) -> Option<u32> {
        (self.slice.portal != At::NONE).then_some(self.slice.portal.slice)
    }

    /// The box around all shapes of the slice as of the last update, without those of slices below; `None` unless the
    /// scene keeps [world boxes](crate::SceneConfig::bounds). Empty if there is no shape that has one.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        self.boxes().map(|boxes| *boxes.own())
    }

    /// The box around the shapes of each block of 64 slots, in the order of the slots, as of the last update; none
    /// unless the scene keeps [world boxes](crate::SceneConfig::bounds). Empty for blocks without shapes that have one.
    pub fn block_bounds(&self) -> impl Iterator<Item = Aabb> + use<'s> {
        let blocks = self.boxes().map(|boxes| boxes.blocks());
        blocks.into_iter().flat_map(|blocks| (0..blocks.len()).filter_map(|block| blocks.get(block)))
    }

    /// The topology.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> RowView<'s> {
        RowView::new(self.slice)
    }

    /// The transforms.
    #[must_use]
    #[inline]
    pub fn transforms(&self) -> TransformView<'s> {
        TransformView::new(&self.slice.transforms)
    }

    /// The visibility masks.
    #[must_use]
    #[inline]
    pub fn visibilities(&self) -> VisibilityView<'s> {
        VisibilityView::new(self.slice)
    }

    /// The materials.
    #[must_use]
    #[inline]
    pub fn materials(&self) -> MaterialView<'s> {
        MaterialView::new(self.slice)
    }

    /// The shapes.
    #[must_use]
    #[inline]
    pub fn shapes(&self) -> ShapeView<'s> {
        ShapeView::new(self.slice)
    }
}

/// What passes read of a slice.
impl<'s> SliceView<'s> {
    /// The number of the user's own that the draws of a node carry.
    #[inline]
    pub(crate) fn word(&self, node: NodeHandle) -> u32 {
        self.words.get(node)
    }

    /// The node whose own transform is in a slot; none has the base.
    pub(crate) fn transform_owner(&self, slot: u32) -> Option<NodeHandle> {
        let transforms = &self.slice.transforms;
        let slot = occupied(&transforms.slots, slot as usize).filter(|&slot| slot != 0)?;
        match &transforms.trace {
            Some(trace) => self.slice.rows.get(*trace.owners.get(slot as usize)? as usize)?.occupant.as_node(),
            // A row that was freed keeps its slots.
            None => self
                .slice
                .rows
                .iter()
                .find_map(|row| row.occupant.as_node().filter(|_| row.transform.as_own() == Some(slot))),
        }
    }

    /// Whether something in or below the slice waits for the update.
    #[inline]
    pub(crate) fn is_marked(&self) -> bool {
        self.slice.marked
    }

    /// The slices behind the slice's portals.
    #[inline]
    pub(crate) fn children(&self) -> &'s [u32] {
        &self.slice.children
    }

    /// The portal row of the slice, or [`At::NONE`].
    #[inline]
    pub(crate) fn portal(&self) -> At {
        self.slice.portal
    }

    /// Changes with everything in the slice except transforms; no two slices ever have the same version.
    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.slice.version
    }

    /// The store's count of edits of bounds at the last one here.
    pub(crate) fn bounds_set(&self) -> u64 {
        self.slice.bounds_set
    }

    /// The number of the update that last computed transforms here.
    #[inline]
    pub(crate) fn swept_in(&self) -> u64 {
        self.slice.swept_in
    }

    /// Changes when transform slots move.
    pub(crate) fn layout(&self) -> u64 {
        self.slice.layout
    }

    /// World boxes, if the scene keeps any.
    #[inline]
    pub(crate) fn boxes(&self) -> Option<BoxView<'s>> {
        self.slice.boxes.as_deref().map(BoxView::new)
    }
}

impl Store {
    /// A slice in use.
    #[inline]
    pub(crate) fn view(&self, slice: u32) -> SliceView<'_> {
        SliceView::new(slice, self.slice(slice), &self.words)
    }

    /// The slice with this number, if it is in use and does not wait to be freed.
    pub(crate) fn get_view(&self, slice: usize) -> Option<SliceView<'_>> {
        let number = u32::try_from(slice).ok()?;
        let slice = self.slices.get(slice).filter(|slice| slice.is_in_use())?;
        Some(SliceView::new(number, slice, &self.words))
    }
}

/// A slot number, if the slot is in use.
#[inline]
fn occupied(slots: &LinearAllocator, slot: usize) -> Option<u32> {
    u32::try_from(slot).ok().filter(|&slot| slots.is_live(slot))
}
