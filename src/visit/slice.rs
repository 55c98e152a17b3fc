//! The visitors of whole slices: columns instead of nodes.

use crate::visit::{Flow, SliceView, SliceViewMut};

/// A visitor of whole slices, such as [`RenderPass`](crate::draw::RenderPass). Each slice is visited after the slices
/// that it imports from.
///
/// Slices do not nest, so [`Flow::Prune`] means [`Flow::Continue`].
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

/// A visitor of whole slices that may set local transforms, such as [`TransformPass`](crate::visit::TransformPass).
/// Each slice is visited after the slices that it imports from.
///
/// Slices do not nest, so [`Flow::Prune`] means [`Flow::Continue`]. Slices are in the state of the last update. If a visit
/// ends early, even by a panic, the transforms that it set stay set.
pub trait SliceVisitorMut {
    /// Called for each slice.
    fn slice_mut(&mut self, slice: SliceViewMut<'_>) -> Flow;
}

/// A closure is a visitor: `scene.visit_slices_mut(&mut |slice: SliceViewMut<'_>| ...)`.
impl<F: FnMut(SliceViewMut<'_>) -> Flow> SliceVisitorMut for F {
    fn slice_mut(&mut self, slice: SliceViewMut<'_>) -> Flow {
        self(slice)
    }
}
