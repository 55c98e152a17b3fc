//! The world boxes of a slice, to be read.

use crate::store::SliceBoxes;
use crate::{Aabb, query::Boxes};

/// World boxes as of the last update: see [`SliceBoxes`] for how they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxView<'s> {
    boxes: &'s SliceBoxes,
}

impl<'s> BoxView<'s> {
    #[inline]
    pub(super) fn new(boxes: &'s SliceBoxes) -> Self {
        Self { boxes }
    }

    /// Of shapes, by slot.
    #[inline]
    pub(crate) fn shapes(&self) -> &'s Boxes {
        &self.boxes.shapes
    }

    /// The handles of the shapes' nodes as bits; whatever where the box is not present.
    #[inline]
    pub(crate) fn nodes(&self) -> &'s [u64] {
        &self.boxes.nodes
    }

    /// A bit for each box that is right and not empty, a word for each block.
    #[inline]
    pub(crate) fn present(&self) -> &'s [u64] {
        &self.boxes.present
    }

    /// The slots whose boxes are not right, a word for each block.
    #[inline]
    pub(crate) fn stale_words(&self) -> &'s [u64] {
        self.boxes.stale_words()
    }

    /// Of blocks.
    #[inline]
    pub(crate) fn blocks(&self) -> &'s Boxes {
        &self.boxes.blocks
    }

    /// About all blocks.
    #[inline]
    pub(crate) fn own(&self) -> &'s Aabb {
        &self.boxes.own
    }

    /// About all that hangs below each child slice, in the order of [`SliceView::children`](super::SliceView::children).
    #[inline]
    pub(crate) fn children(&self) -> &'s Boxes {
        &self.boxes.children
    }
}
