//! Queries of the tree and its nodes. For a stale handle they return nothing.

use crate::scene::Scene;
use crate::scene::iter::{Ancestors, Children, Descendants, Edges, Leaves, PostOrder, Siblings};
use crate::store::RecordId;
use crate::{Node, NodeHandle, Shape, Visibility};

impl Scene {
    /// The parent of a node; `None` for the root. Runs in **O(1)**.
    #[inline]
    #[must_use]
    pub fn parent(&self, node: NodeHandle) -> Option<NodeHandle> {
        self.step(node, |scene, at| scene.store.parent(at))
    }

    /// The first child of a node. Runs in **O(1)**.
    #[must_use]
    pub fn first_child(&self, node: NodeHandle) -> Option<NodeHandle> {
        self.step(node, |scene, at| scene.store.first_child(at))
    }

    /// The last child of a node. Runs in **O(1)**.
    #[must_use]
    pub fn last_child(&self, node: NodeHandle) -> Option<NodeHandle> {
        self.step(node, |scene, at| scene.store.last_child(at))
    }

    /// The sibling after a node. Runs in **O(1)**.
    #[must_use]
    pub fn next_sibling(&self, node: NodeHandle) -> Option<NodeHandle> {
        self.step(node, |scene, at| scene.store.next_sibling(at))
    }

    /// The sibling before a node. Runs in **O(1)**.
    #[must_use]
    pub fn previous_sibling(&self, node: NodeHandle) -> Option<NodeHandle> {
        self.step(node, |scene, at| scene.store.previous_sibling(at))
    }

    /// The children of a node, in order from either end.
    #[must_use]
    pub fn children(&self, node: NodeHandle) -> Children<'_> {
        Children::new(&self.store, self.store.resolve(node))
    }

    /// How many children a node has; 0 for a stale handle. Runs in **O(children)**.
    #[must_use]
    pub fn child_count(&self, node: NodeHandle) -> usize {
        self.children(node).count()
    }

    /// The other children of the node's parent, in order from either end.
    #[must_use]
    pub fn siblings(&self, node: NodeHandle) -> Siblings<'_> {
        Siblings::new(&self.store, self.store.resolve(node))
    }

    /// The ancestors of a node, from its parent to the root.
    #[must_use]
    pub fn ancestors(&self, node: NodeHandle) -> Ancestors<'_> {
        Ancestors::new(&self.store, self.store.resolve(node))
    }

    /// A node and all nodes below it in pre-order: each before the nodes below it, so the node itself comes first.
    ///
    /// All walks down from a node include it: this one, [`post_order`](Self::post_order), [`edges`](Self::edges) and
    /// [`leaves`](Self::leaves).
    #[must_use]
    pub fn descendants(&self, node: NodeHandle) -> Descendants<'_> {
        Descendants::new(&self.store, self.store.resolve(node))
    }

    /// A node and all nodes below it in post-order: each after the nodes below it, so the node itself comes last.
    #[must_use]
    pub fn post_order(&self, node: NodeHandle) -> PostOrder<'_> {
        PostOrder::new(&self.store, self.store.resolve(node))
    }

    /// The nodes without children at or below a node, in order.
    #[must_use]
    pub fn leaves(&self, node: NodeHandle) -> Leaves<'_> {
        Leaves::new(&self.store, self.store.resolve(node))
    }

    /// A walk around a node and all nodes below it: each is entered, and left after everything below it.
    #[must_use]
    pub fn edges(&self, node: NodeHandle) -> Edges<'_> {
        Edges::new(&self.store, self.store.resolve(node))
    }

    /// How many ancestors a node has; 0 for the root. Runs in **O(ancestors)**.
    #[must_use]
    pub fn depth(&self, node: NodeHandle) -> Option<usize> {
        self.contains(node).then(|| self.ancestors(node).count())
    }

    /// Whether `node` is below `ancestor`; a node is not its own ancestor.
    ///
    /// Runs in **O(min(depth of the node, size of the ancestor's subtree))**.
    #[must_use]
    pub fn is_ancestor(&self, ancestor: NodeHandle, node: NodeHandle) -> bool {
        match (self.store.resolve(ancestor), self.store.resolve(node)) {
            (Some(above), Some(below)) => above != below && self.store.is_in_subtree(below, above),
            _ => false,
        }
    }

    /// The description of a node as the scene stores it.
    #[must_use]
    pub fn node(&self, node: NodeHandle) -> Option<Node<'_>> {
        self.store.resolve(node).map(|at| self.store.node(at))
    }

    /// The shape of a node. Runs in **O(1)**.
    #[must_use]
    pub fn shape(&self, node: NodeHandle) -> Option<Shape> {
        self.store.shape(self.store.resolve(node)?)
    }

    /// A node's own material. Runs in **O(1)**.
    #[must_use]
    pub fn own_material(&self, node: NodeHandle) -> Option<u32> {
        self.store.own_material(self.store.resolve(node)?)
    }

    /// The effective material of a node: its own or that of the nearest ancestor with one, as of now.
    ///
    /// Runs in **O(ancestors up to that one)**.
    #[must_use]
    pub fn material(&self, node: NodeHandle) -> Option<u32> {
        self.store.material(self.store.resolve(node)?)
    }

    /// A node's own visibility. Runs in **O(1)**.
    #[must_use]
    pub fn own_visibility(&self, node: NodeHandle) -> Option<Visibility> {
        self.store.own_visibility(self.store.resolve(node)?)
    }

    /// The effective visibility of a node: the intersection of its own and all its ancestors', as of now.
    ///
    /// Runs in **O(ancestors)**.
    #[must_use]
    pub fn visibility(&self, node: NodeHandle) -> Option<Visibility> {
        self.store.resolve(node).map(|at| self.store.visibility(at))
    }

    fn step(&self, node: NodeHandle, step: impl FnOnce(&Self, RecordId) -> Option<RecordId>) -> Option<NodeHandle> {
        let at = step(self, self.store.resolve(node)?)?;
        Some(self.store.handle(at))
    }
}
