//! Visitors of two kinds: of nodes in strict depth-first order, and of whole slices as columns.

mod node;
mod slice;

pub use node::{NodeRef, Visitor};
pub use slice::{SliceVisitor, SliceVisitorMut};

pub use crate::pass::TransformPass;
pub use crate::store::{
    ListedShape, MaterialView, RowView, ShapeView, SliceView, SliceViewMut, Slots, TransformView, VisibilityView,
};

/// The result of a visitor: how the walk continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// Continue with the nodes below.
    Continue,
    /// Skip the nodes below.
    Prune,
    /// Stop the walk.
    Break,
}

impl Flow {
    /// The stronger of two results: `Break`, then `Prune`, then `Continue`.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Break, _) | (_, Self::Break) => Self::Break,
            (Self::Prune, _) | (_, Self::Prune) => Self::Prune,
            (Self::Continue, Self::Continue) => Self::Continue,
        }
    }
}
