//! The visitors of whole slices: columns instead of nodes.

use crate::visit::{Flow, SliceView, SliceViewMut};

/// Visits whole slices in tree order: each before the slices below it.
///
/// [`RenderPass`](crate::draw::RenderPass) is one. At [`Flow::Prune`] the slices below are skipped.
pub trait SliceVisitor {
    /// Called for each slice.
    fn slice(&mut self, slice: SliceView<'_>) -> Flow;
}

/// A closure is a visitor: `scene.visit_slices(&mut |slice: SliceView<'_>| ...)`.
impl<F: FnMut(SliceView<'_>) -> Flow> SliceVisitor for F {
    fn slice(&mut self, slice: SliceView<'_>) -> Flow {
        self(slice)
    }
}

/// Visits whole slices in tree order and may set local transforms.
///
/// [`TransformPass`](crate::visit::TransformPass) is one. At [`Flow::Prune`] the slices below are skipped. However a
/// visit ends, even by a panic, queries find shapes by their matrices at that time, and the next update computes the
/// rest and reports all changes.
pub trait SliceVisitorMut {
    /// Called for each slice. What the slice inherits was updated from the slice above.
    fn slice_mut(&mut self, slice: SliceViewMut<'_>) -> Flow;
}

/// A closure is a visitor: `scene.visit_slices_mut(&mut |slice: SliceViewMut<'_>| ...)`.
impl<F: FnMut(SliceViewMut<'_>) -> Flow> SliceVisitorMut for F {
    fn slice_mut(&mut self, slice: SliceViewMut<'_>) -> Flow {
        self(slice)
    }
}
