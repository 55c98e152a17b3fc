//! Visitors of two kinds: of nodes in strict depth-first order, and of whole slices as columns.
//!
//! A [slice](crate::guide::glossary) holds some thousand nodes in depth-first order, in arrays of its own, in the state
//! of the last update. A pass over all transforms, drawables or materials reads only these arrays. A visitor of nodes
//! follows links, and sees the tree as it is now.
//!
//! | walk | takes | for |
//! |---|---|---|
//! | [`Scene::visit`](crate::Scene::visit) | a [`Visitor`], or a closure that takes a `&`[`NodeRef`](crate::NodeRef) | node by node in depth-first order, with calls before and after a node's children; can prune and stop |
//! | [`Scene::slices`](crate::Scene::slices) | nothing: an iterator of [`SliceView`]s | passes over columns |
//! | [`Scene::visit_slices`](crate::Scene::visit_slices) | a [`SliceVisitor`], or a closure that takes a [`SliceView`] | the same, with a visitor |
//! | [`Scene::visit_slices_mut`](crate::Scene::visit_slices_mut) | a [`SliceVisitorMut`] | setting local transforms; [`TransformPass`] also computes world matrices |
//!
//! ```
//! use hedgerow::visit::Flow;
//! use hedgerow::{Node, NodeRef, Scene, Transform};
//!
//! let mut scene = Scene::new();
//! let house = scene.insert(scene.root(), Node::group().with_name("house"))?;
//! scene.insert(house, Node::transform(Transform::IDENTITY).with_name("door"))?;
//! scene.update();
//!
//! let mut outline = String::new();
//! scene.visit(scene.root(), &mut |node: &NodeRef<'_>| {
//!     outline += node.name().unwrap_or("scene");
//!     outline += " ";
//!     Flow::Continue
//! });
//! assert_eq!(outline, "scene house door ");
//!
//! // The same scene as columns: one transform after the imports.
//! let transforms: usize = scene.slices().map(|slice| slice.transforms().len() - slice.imports()).sum();
//! assert_eq!(transforms, 1);
//! # Ok::<(), hedgerow::Error>(())
//! ```

mod node;
mod slice;

pub use node::Visitor;
pub use slice::{SliceVisitor, SliceVisitorMut};

pub use crate::pass::TransformPass;
pub use crate::store::{DrawableView, ListedDrawable, ListedRange, RowView, SliceView, SliceViewMut, TransformView};

/// The return value of a visitor: how the walk continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// Continue with the nodes below.
    Continue,
    /// Skip the nodes below. In a visit of slices, which do not nest, `Prune` is the same as `Continue`.
    Prune,
    /// Stop the walk.
    Break,
}

impl Flow {
    /// Returns the stronger of two results, in the order `Break`, `Prune`, `Continue`.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Break, _) | (_, Self::Break) => Self::Break,
            (Self::Prune, _) | (_, Self::Prune) => Self::Prune,
            (Self::Continue, Self::Continue) => Self::Continue,
        }
    }
}
