//! The world boxes of a slice, read-only.

use crate::Aabb;
use crate::store::SliceBoxes;
use hedgerow_math::Boxes;

/// World boxes as of the last update: see [`SliceBoxes`] for their layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxView<'s> {
    boxes: &'s SliceBoxes,
}

impl<'s> BoxView<'s> {
    #[inline]
    pub(super) fn new(boxes: &'s SliceBoxes) -> Self {
        Self { boxes }
    }

    /// The boxes of shapes, by slot.
    #[inline]
    pub(crate) fn shapes(&self) -> &'s Boxes {
        &self.boxes.shapes
    }

    /// The handles of the shapes' nodes as bits; undefined where the box is not present.
    #[inline]
    pub(crate) fn nodes(&self) -> &'s [u64] {
        &self.boxes.nodes
    }

    /// One bit for each box that is current and not empty, one word for each block.
    #[inline]
    pub(crate) fn present(&self) -> &'s [u64] {
        &self.boxes.present
    }

    /// The slots whose boxes are stale, one word for each block.
    #[inline]
    pub(crate) fn stale_words(&self) -> &'s [u64] {
        self.boxes.stale_words()
    }

    /// The boxes of blocks.
    #[inline]
    pub(crate) fn blocks(&self) -> &'s Boxes {
        &self.boxes.blocks
    }

    /// The box around all blocks.
    #[inline]
    pub(crate) fn own(&self) -> &'s Aabb {
        &self.boxes.own
    }

    /// The boxes around everything below each child slice, in the order of
    /// [`SliceView::children`](super::SliceView::children).
    #[inline]
    pub(crate) fn children(&self) -> &'s Boxes {
        &self.boxes.children
    }
}
