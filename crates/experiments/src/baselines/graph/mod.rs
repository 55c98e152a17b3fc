//! The naive scene graph.

pub(super) mod node;
pub(super) mod visit;

pub use self::visit::{DrawCommand, Draws};

use self::node::NodeBase;
use crate::workloads::Content;
use core::ptr::NonNull;
use hedgerow::{Mat34, Transform};

/// A pointer to a node of a [`Graph`], used like a handle.
///
/// The pointer is never checked, so functions that take it are unsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePtr(pub(crate) NonNull<NodeBase>);

/// A tree of node objects.
///
/// Every node passed to a method must be in this tree. This is not checked.
pub trait NodeGraph {
    /// The name of the graph in results.
    const NAME: &'static str;

    /// The pointer or handle by which an application refers to a node.
    type Node: Copy;

    /// Returns a tree of one root with this local transform.
    fn new(root: Transform) -> Self;

    /// Returns the root.
    fn root(&self) -> Self::Node;

    /// Adds a node after the last child of `parent`.
    ///
    /// # Safety
    /// `parent` must be in the tree.
    unsafe fn insert(&mut self, parent: Self::Node, content: Content) -> Self::Node;

    /// Removes a node and its descendants.
    ///
    /// # Safety
    /// `node` must be in the tree and must not be the root. The removed nodes must not be used again.
    unsafe fn remove(&mut self, node: Self::Node);

    /// Makes `node`, with its subtree, the last child of `parent`.
    ///
    /// # Safety
    /// Both must be in the tree, and `parent` must not be `node` or one of its descendants.
    unsafe fn reparent(&mut self, node: Self::Node, parent: Self::Node);

    /// Sets the local transform of a transform node. The next [`transform`](Self::transform) updates its world matrix.
    ///
    /// # Safety
    /// `node` must be in the tree.
    unsafe fn set_local(&mut self, node: Self::Node, local: Transform);

    /// Recomputes every world matrix and copies it to the shapes.
    fn transform(&mut self);

    /// Lists every draw, with the matrices of the last [`transform`](Self::transform).
    fn render(&mut self, draws: &mut Draws);

    /// Returns the world matrix that the last [`transform`](Self::transform) computed for a transform or shape node.
    ///
    /// # Safety
    /// `node` must be in the tree.
    unsafe fn world(&self, node: Self::Node) -> Option<Mat34>;
}

/// A tree in which each node is allocated separately.
///
/// The graph owns all nodes reachable from the root, and no others. References to nodes exist only inside its methods,
/// so a traversal may take a mutable reference to each node in turn.
#[derive(Debug)]
pub struct Graph {
    root: NonNull<NodeBase>,
}

impl NodeGraph for Graph {
    const NAME: &'static str = "naive";

    type Node = NodePtr;

    fn new(root: Transform) -> Self {
        Self { root: node::allocate(Content::Transform(root), None) }
    }

    fn root(&self) -> NodePtr {
        NodePtr(self.root)
    }

    unsafe fn insert(&mut self, parent: NodePtr, content: Content) -> NodePtr {
        let child = node::allocate(content, Some(parent.0));
        // SAFETY: the caller passes a live parent, and no other reference to a node exists.
        unsafe { node::hang(child, parent.0) };
        NodePtr(child)
    }

    unsafe fn remove(&mut self, node: NodePtr) {
        // SAFETY: the caller passes a live node, and the subtree has just been cut off.
        unsafe {
            node::cut_off(node.0);
            free_subtree(node.0);
        }
    }

    unsafe fn reparent(&mut self, node: NodePtr, parent: NodePtr) {
        // SAFETY: the caller passes live nodes, and no other reference to a node exists.
        unsafe {
            node::cut_off(node.0);
            node::hang(node.0, parent.0);
        }
    }

    unsafe fn set_local(&mut self, node: NodePtr, local: Transform) {
        // SAFETY: the caller passes a live node, and no other reference to a node exists.
        unsafe { node::set_local(node.0, local) };
    }

    #[inline(never)]
    fn transform(&mut self) {
        // SAFETY: the root and its descendants are alive, and no reference to a node exists.
        unsafe { visit::transform(self.root, &Mat34::IDENTITY) };
    }

    #[inline(never)]
    fn render(&mut self, draws: &mut Draws) {
        draws.clear();
        // SAFETY: the root and its descendants are alive, and no reference to a node exists.
        unsafe { visit::render(self.root, None, draws) };
    }

    unsafe fn world(&self, node: NodePtr) -> Option<Mat34> {
        // SAFETY: the caller passes a live node.
        unsafe { node::world(node.0) }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: nothing uses the nodes after this.
        unsafe { free_subtree(self.root) };
    }
}

/// Frees a node and its descendants without recursion.
///
/// # Safety
/// `top` and its descendants must be alive and must not be used again.
unsafe fn free_subtree(top: NonNull<NodeBase>) {
    let mut node = top;
    loop {
        // SAFETY: `node` is not freed yet; it is a child just taken from a list, or the parent of the node just freed.
        let base = unsafe { node.as_mut() };
        if let Some(child) = base.children.pop() {
            node = child;
            continue;
        }
        let parent = base.parent;
        // SAFETY: as above; no list contains the node any more.
        unsafe { node::free(node) };
        match parent {
            Some(parent) if node != top => node = parent,
            _ => return,
        }
    }
}
