//! The naive scene graph.

pub(super) mod node;
pub(super) mod visit;

pub use self::visit::{DrawCommand, Draws};

use self::node::NodeBase;
use crate::workloads::Content;
use core::ptr::NonNull;
use hedgerow::{Mat34, Transform};

/// A pointer to one node of one [`Graph`]: what an application keeps where it would keep a handle.
///
/// Nothing checks it, so the functions that follow it are unsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePtr(pub(crate) NonNull<NodeBase>);

/// A tree of node objects.
///
/// Nodes that are passed to it must be of this tree, and not removed: nothing checks that.
pub trait NodeGraph {
    /// What the graph is called in results.
    const NAME: &'static str;

    /// What an application keeps of a node.
    type Node: Copy;

    /// A tree of a root that has this local transform.
    fn new(root: Transform) -> Self;

    /// The root.
    fn root(&self) -> Self::Node;

    /// Adds a node behind the last child of `parent`.
    ///
    /// # Safety
    /// `parent` must be in the tree.
    unsafe fn insert(&mut self, parent: Self::Node, content: Content) -> Self::Node;

    /// Removes a node with all below it.
    ///
    /// # Safety
    /// `node` must be in the tree, and not its root. It and those below it must not be used again.
    unsafe fn remove(&mut self, node: Self::Node);

    /// Makes a node with all below it the last child of another one.
    ///
    /// # Safety
    /// Both must be in the tree, the second not at or below the first.
    unsafe fn reparent(&mut self, node: Self::Node, parent: Self::Node);

    /// Sets the local transform of a transform node. Its world matrix follows at the next
    /// [`transform`](Self::transform).
    ///
    /// # Safety
    /// `node` must be in the tree.
    unsafe fn set_local(&mut self, node: Self::Node, local: Transform);

    /// Recomputes every world matrix, and writes it to the shapes.
    fn transform(&mut self);

    /// Lists every draw, as of the last [`transform`](Self::transform).
    fn render(&mut self, draws: &mut Draws);

    /// The world matrix of a transform or shape node, as of the last [`transform`](Self::transform).
    ///
    /// # Safety
    /// `node` must be in the tree.
    unsafe fn world(&self, node: Self::Node) -> Option<Mat34>;
}

/// A tree of nodes allocated one by one.
///
/// All nodes reachable from the root, and no others, belong to the graph. References to them exist only within its
/// methods, so a traversal may take a mutable one to each node in turn.
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
        // SAFETY: the caller vouches for the parent, and no other reference to a node exists.
        unsafe { node::hang(child, parent.0) };
        NodePtr(child)
    }

    unsafe fn remove(&mut self, node: NodePtr) {
        // SAFETY: the caller vouches for the node, and the subtree has just been cut off.
        unsafe {
            node::cut_off(node.0);
            free_subtree(node.0);
        }
    }

    unsafe fn reparent(&mut self, node: NodePtr, parent: NodePtr) {
        // SAFETY: the caller vouches for both, and no other reference to a node exists.
        unsafe {
            node::cut_off(node.0);
            node::hang(node.0, parent.0);
        }
    }

    unsafe fn set_local(&mut self, node: NodePtr, local: Transform) {
        // SAFETY: the caller vouches for the node, and no other reference to one exists.
        unsafe { node::set_local(node.0, local) };
    }

    #[inline(never)]
    fn transform(&mut self) {
        // SAFETY: the root and all below it are alive, and no reference to a node exists.
        unsafe { visit::transform(self.root, &Mat34::IDENTITY) };
    }

    #[inline(never)]
    fn render(&mut self, draws: &mut Draws) {
        draws.clear();
        // SAFETY: the root and all below it are alive, and no reference to a node exists.
        unsafe { visit::render(self.root, None, draws) };
    }

    unsafe fn world(&self, node: NodePtr) -> Option<Mat34> {
        // SAFETY: the caller vouches for the node.
        unsafe { node::world(node.0) }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: nothing uses the nodes after this.
        unsafe { free_subtree(self.root) };
    }
}

/// Frees a node and all below it, without recursion.
///
/// # Safety
/// `top` and all below it must be alive, and not be used again.
unsafe fn free_subtree(top: NonNull<NodeBase>) {
    let mut node = top;
    loop {
        // SAFETY: the loop stands on nodes of the subtree that it has not yet freed: it goes down to a child that it
        // takes from the list, and up from a node that it frees.
        let base = unsafe { node.as_mut() };
        if let Some(child) = base.children.pop() {
            node = child;
            continue;
        }
        let parent = base.parent;
        // SAFETY: as above; the node is in no list any more.
        unsafe { node::free(node) };
        match parent {
            Some(parent) if node != top => node = parent,
            _ => return,
        }
    }
}
