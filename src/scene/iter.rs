//! Iterators over the nodes of a scene. Each iterator is returned by the method of [`NodeRef`] with the same name. An
//! iterator borrows the scene, allocates nothing, and takes amortised **O(1)** for each step. Iterators that go down
//! from a node ([`Descendants`], [`PostOrder`], [`Edges`], [`Leaves`]) include the node itself.
//!
//! ```
//! use hedgerow::{Node, NodeRef, Scene, iter::Edge};
//!
//! let mut scene = Scene::new();
//! let car = scene.insert(scene.root(), Node::group())?;
//! let wheel = scene.insert(car, Node::group())?;
//! let node = scene.get(car).unwrap();
//! assert!(node.post_order().map(NodeRef::handle).eq([wheel, car]));
//! assert!(node.edges().filter(|edge| matches!(edge, Edge::Leave(_))).eq(node.post_order().map(Edge::Leave)));
//! # Ok::<(), hedgerow::Error>(())
//! ```

use crate::NodeHandle;
use crate::scene::NodeRef;
use core::iter::FusedIterator;

/// One step of a walk around a tree; see [`NodeRef::edges`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge<'s> {
    /// The walk enters a node, before its children.
    Enter(NodeRef<'s>),
    /// The walk leaves a node, after its children.
    Leave(NodeRef<'s>),
}

/// The children of a node, or the roots of detached subtrees; see [`NodeRef::children`] and
/// [`Scene::detached`](crate::Scene::detached).
#[derive(Clone, Debug)]
pub struct Children<'s> {
    /// The first and the last child not yet returned.
    ends: Option<(NodeRef<'s>, NodeRef<'s>)>,
}

impl<'s> Children<'s> {
    #[inline]
    pub(super) fn new(parent: Option<NodeRef<'s>>) -> Self {
        Self { ends: parent.and_then(|parent| parent.first_child().zip(parent.last_child())) }
    }
}

impl<'s> Iterator for Children<'s> {
    type Item = NodeRef<'s>;

    #[inline]
    fn next(&mut self) -> Option<NodeRef<'s>> {
        let (first, last) = self.ends?;
        self.ends = if first.id() == last.id() { None } else { first.next_in_chain().map(|next| (next, last)) };
        Some(first)
    }
}

impl DoubleEndedIterator for Children<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let (first, last) = self.ends?;
        self.ends =
            if first.id() == last.id() { None } else { last.previous_in_chain().map(|previous| (first, previous)) };
        Some(last)
    }
}

impl FusedIterator for Children<'_> {}

/// The handles of the children of a node; see [`Scene::children`](crate::Scene::children).
#[derive(Clone, Debug)]
pub struct ChildHandles<'s>(pub(super) Children<'s>);

impl Iterator for ChildHandles<'_> {
    type Item = NodeHandle;

    #[inline]
    fn next(&mut self) -> Option<NodeHandle> {
        self.0.next().map(NodeRef::handle)
    }
}

impl DoubleEndedIterator for ChildHandles<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<NodeHandle> {
        self.0.next_back().map(NodeRef::handle)
    }
}

impl FusedIterator for ChildHandles<'_> {}

/// The siblings of a node; see [`NodeRef::siblings`].
#[derive(Clone, Debug)]
pub struct Siblings<'s> {
    children: Children<'s>,
    but: NodeRef<'s>,
}

impl<'s> Siblings<'s> {
    pub(super) fn new(node: NodeRef<'s>) -> Self {
        Self { children: Children::new(node.parent()), but: node }
    }
}

impl<'s> Iterator for Siblings<'s> {
    type Item = NodeRef<'s>;

    fn next(&mut self) -> Option<NodeRef<'s>> {
        self.children.find(|node| node.id() != self.but.id())
    }
}

impl DoubleEndedIterator for Siblings<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.children.rfind(|node| node.id() != self.but.id())
    }
}

impl FusedIterator for Siblings<'_> {}

/// The ancestors of a node; see [`NodeRef::ancestors`].
#[derive(Clone, Debug)]
pub struct Ancestors<'s> {
    next: Option<NodeRef<'s>>,
}

impl<'s> Ancestors<'s> {
    pub(super) fn new(node: NodeRef<'s>) -> Self {
        Self { next: node.parent() }
    }
}

impl<'s> Iterator for Ancestors<'s> {
    type Item = NodeRef<'s>;

    fn next(&mut self) -> Option<NodeRef<'s>> {
        let node = self.next?;
        self.next = node.parent();
        Some(node)
    }
}

impl FusedIterator for Ancestors<'_> {}

/// A node and all nodes below it in pre-order; see [`NodeRef::descendants`].
#[derive(Clone, Debug)]
pub struct Descendants<'s> {
    top: NodeRef<'s>,
    next: Option<NodeRef<'s>>,
}

impl<'s> Descendants<'s> {
    pub(super) fn new(top: NodeRef<'s>) -> Self {
        Self { top, next: Some(top) }
    }
}

impl<'s> Iterator for Descendants<'s> {
    type Item = NodeRef<'s>;

    fn next(&mut self) -> Option<NodeRef<'s>> {
        let node = self.next?;
        self.next = node.next_in_subtree(self.top, true);
        Some(node)
    }
}

impl FusedIterator for Descendants<'_> {}

/// A node and all nodes below it in post-order; see [`NodeRef::post_order`].
#[derive(Clone, Debug)]
pub struct PostOrder<'s> {
    top: NodeRef<'s>,
    next: Option<NodeRef<'s>>,
}

impl<'s> PostOrder<'s> {
    pub(super) fn new(top: NodeRef<'s>) -> Self {
        Self { top, next: Some(first_leaf(top)) }
    }
}

/// Returns the node where a post-order walk of `top` begins.
fn first_leaf(top: NodeRef<'_>) -> NodeRef<'_> {
    core::iter::successors(Some(top), |node| node.first_child()).last().unwrap_or(top)
}

impl<'s> Iterator for PostOrder<'s> {
    type Item = NodeRef<'s>;

    fn next(&mut self) -> Option<NodeRef<'s>> {
        let node = self.next?;
        self.next = if node.id() == self.top.id() {
            None
        } else {
            node.next_sibling().map(first_leaf).or_else(|| node.parent())
        };
        Some(node)
    }
}

impl FusedIterator for PostOrder<'_> {}

/// The nodes without children at or below a node; see [`NodeRef::leaves`].
#[derive(Clone, Debug)]
pub struct Leaves<'s> {
    top: NodeRef<'s>,
    next: Option<NodeRef<'s>>,
}

impl<'s> Leaves<'s> {
    pub(super) fn new(top: NodeRef<'s>) -> Self {
        Self { top, next: Some(first_leaf(top)) }
    }
}

impl<'s> Iterator for Leaves<'s> {
    type Item = NodeRef<'s>;

    fn next(&mut self) -> Option<NodeRef<'s>> {
        let node = self.next?;
        self.next = node.next_in_subtree(self.top, false).map(first_leaf);
        Some(node)
    }
}

impl FusedIterator for Leaves<'_> {}

/// A walk around a node and all nodes below it; see [`NodeRef::edges`].
#[derive(Clone, Debug)]
pub struct Edges<'s> {
    top: NodeRef<'s>,
    next: Option<Edge<'s>>,
}

impl<'s> Edges<'s> {
    pub(super) fn new(top: NodeRef<'s>) -> Self {
        Self { top, next: Some(Edge::Enter(top)) }
    }
}

impl<'s> Iterator for Edges<'s> {
    type Item = Edge<'s>;

    fn next(&mut self) -> Option<Edge<'s>> {
        let edge = self.next?;
        self.next = match edge {
            Edge::Enter(node) => Some(node.first_child().map_or(Edge::Leave(node), Edge::Enter)),
            Edge::Leave(node) if node.id() == self.top.id() => None,
            Edge::Leave(node) => node.next_sibling().map(Edge::Enter).or_else(|| node.parent().map(Edge::Leave)),
        };
        Some(edge)
    }
}

impl FusedIterator for Edges<'_> {}
