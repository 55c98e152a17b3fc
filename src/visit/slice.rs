//! The visitors of whole slices: columns instead of nodes.

use crate::visit::{Flow, SliceView, SliceViewMut};

/// Sees whole slices in tree order: each before the slices that hang below it.
///
/// [`RenderPass`](crate::draw::RenderPass) is one. At [`Flow::Prune`] the slices below are passed over.
pub trait SliceVisitor {
    /// A slice is come to.
    fn slice(&mut self, slice: SliceView<'_>) -> Flow;
}

/// Sees whole slices in tree order and may set local transforms.
///
/// [`TransformPass`](crate::visit::TransformPass) is one. At [`Flow::Prune`] the slices below are passed over. However a visit ends, by a
/// panic too, queries find shapes where their matrices are then, and the next update computes the rest and tells of all of it.
pub trait SliceVisitorMut {
    /// A slice is come to. What it inherits has been brought in line with the slice above.
    fn slice_mut(&mut self, slice: SliceViewMut<'_>) -> Flow;
}
