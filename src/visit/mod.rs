//! Visitors, in two grains: nodes in strict depth-first order, and whole slices as columns.

mod node;
mod slice;

pub use node::{NodeRef, Visitor};
pub use slice::{SliceVisitor, SliceVisitorMut};

pub use crate::pass::TransformPass;
pub use crate::store::{
    ListedShape, MaterialView, RowView, ShapeView, SliceView, SliceViewMut, TransformView, VisibilityView,
};

/// What a visitor answers: how the walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// On to what hangs below.
    Continue,
    /// Past what hangs below.
    Prune,
    /// No further.
    Break,
}

impl Flow {
    /// The answer that goes less far.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Break, _) | (_, Self::Break) => Self::Break,
            (Self::Prune, _) | (_, Self::Prune) => Self::Prune,
            (Self::Continue, Self::Continue) => Self::Continue,
        }
    }
}
