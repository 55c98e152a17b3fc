//! The visitors of whole slices: columns instead of nodes.

use crate::visit::{Flow, SliceView, SliceViewMut};

/// Visits whole slices in order: each comes after those that it imports from.
///
/// [`RenderPass`](crate::draw::RenderPass) is one. Slices do not nest, so [`Flow::Prune`] means [`Flow::Continue`].
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

/// Visits whole slices in order and may set local transforms.
///
/// [`TransformPass`](crate::visit::TransformPass) is one. Slices do not nest, so [`Flow::Prune`] means
/// [`Flow::Continue`]. If a visit ends early, even by a panic, the next update computes the rest and reports all
/// changes. The boxes of slices that a visit changed stay the same until the next update.
pub trait SliceVisitorMut {
    /// Called for each slice. Its imports have been updated from earlier slices.
    fn slice_mut(&mut self, slice: SliceViewMut<'_>) -> Flow;
}

/// A closure is a visitor: `scene.visit_slices_mut(&mut |slice: SliceViewMut<'_>| ...)`.
impl<F: FnMut(SliceViewMut<'_>) -> Flow> SliceVisitorMut for F {
    fn slice_mut(&mut self, slice: SliceViewMut<'_>) -> Flow {
        self(slice)
    }
}
