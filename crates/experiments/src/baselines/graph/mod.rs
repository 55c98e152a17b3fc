//! The naive scene graph.

mod node;
mod visit;

pub use self::visit::{DrawCommand, Draws};

use self::node::{NodeBase, ShapeNode, TransformNode};
use self::visit::{RenderSimVisitor, TransformVisitor};
use crate::workloads::{Content, Kind};
use core::ptr::NonNull;
use hedgerow::{Mat34, Transform};

/// A pointer to one node of one [`Graph`]: what an application keeps where it would keep a handle.
///
/// Nothing checks it, so the functions that follow it are unsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePtr(pub(crate) NonNull<NodeBase>);

/// A tree of nodes allocated one by one.
///
/// All nodes reachable from the root, and no others, belong to the graph. References to them exist only within its
/// methods, so a traversal may take a mutable one to each node in turn.
#[derive(Debug)]
pub struct Graph {
    root: NonNull<NodeBase>,
    len: usize,
}

impl Graph {
    /// A graph of a root that has this local transform.
    #[must_use]
    pub fn new(root: Transform) -> Self {
        Self { root: node::allocate(Content::Transform(root), None), len: 1 }
    }

    /// The root.
    #[must_use]
    pub const fn root(&self) -> NodePtr {
        NodePtr(self.root)
    }

    /// How many nodes there are, the root included.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "the root is always there")]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Adds a node behind the last child of `parent`.
    ///
    /// # Safety
    /// `parent` must be a node of this graph that has not been removed.
    pub unsafe fn insert(&mut self, mut parent: NodePtr, content: Content) -> NodePtr {
        let child = node::allocate(content, Some(parent.0));
        // SAFETY: the caller vouches for the parent, and no other reference to a node exists.
        unsafe { parent.0.as_mut() }.children.push(child);
        self.len += 1;
        NodePtr(child)
    }

    /// Removes a node with all below it, and returns how many nodes that were.
    ///
    /// # Safety
    /// `node` must be a node of this graph that has not been removed. It and those below it must not be used again.
    ///
    /// # Panics
    /// If `node` is the root.
    pub unsafe fn remove(&mut self, node: NodePtr) -> usize {
        // SAFETY: the caller vouches for the node.
        let parent = unsafe { node.0.as_ref() }.parent;
        let mut parent = parent.expect("the root is not to be removed");
        // SAFETY: the parent of a live node is alive, and no other reference to a node exists.
        let siblings = &mut unsafe { parent.as_mut() }.children;
        let place = siblings.iter().position(|&sibling| sibling == node.0);
        siblings.remove(place.expect("a node is among its parent's children"));
        // SAFETY: the subtree has just been cut off from the graph.
        let removed = unsafe { free_subtree(node.0) };
        self.len -= removed;
        removed
    }

    /// Sets the local transform of a transform node. Its world matrix follows at the next
    /// [`transform`](Self::transform).
    ///
    /// # Safety
    /// `node` must be a node of this graph that has not been removed.
    ///
    /// # Panics
    /// If `node` is of another kind.
    pub unsafe fn set_local(&mut self, node: NodePtr, local: Transform) {
        // SAFETY: the caller vouches for the node, and no other reference to one exists.
        let kind = unsafe { node.0.as_ref() }.kind;
        assert_eq!(kind, Kind::Transform, "only transform nodes have a local transform");
        // SAFETY: the caller vouches for the node, and its kind was just seen.
        unsafe { self.write_local(node, local) };
    }

    /// [`set_local`](Self::set_local) where the caller knows the node's kind: a write, and nothing before it.
    ///
    /// # Safety
    /// `node` must be a transform node of this graph that has not been removed.
    #[inline]
    pub unsafe fn write_local(&mut self, node: NodePtr, local: Transform) {
        // SAFETY: the caller vouches for the node and its kind, and no other reference to one exists.
        unsafe { node.0.cast::<TransformNode>().as_mut() }.local = local.into();
    }

    /// Recomputes every world matrix, and writes it to the shapes: `TransformVisitor` (the thesis, listing 2).
    pub fn transform(&mut self) {
        // SAFETY: the root and all below it are alive, and no reference to a node exists.
        unsafe { visit::visit(self.root, &mut TransformVisitor::new()) };
    }

    /// Lists every draw, as of the last [`transform`](Self::transform): `RenderSimVisitor` (the thesis, listing 3).
    pub fn render(&mut self, draws: &mut Draws) {
        // SAFETY: the root and all below it are alive, and no reference to a node exists.
        unsafe { visit::visit(self.root, &mut RenderSimVisitor::new(draws)) };
    }

    /// The world matrix of a transform or shape node, as of the last [`transform`](Self::transform).
    ///
    /// # Safety
    /// `node` must be a node of this graph that has not been removed.
    #[must_use]
    pub unsafe fn world(&self, node: NodePtr) -> Option<&Mat34> {
        // SAFETY: the caller vouches for the node, whose kind names its type; the graph is borrowed by the result.
        unsafe {
            match node.0.as_ref().kind {
                Kind::Transform => Some(&node.0.cast::<TransformNode>().as_ref().world),
                Kind::Material => None,
                Kind::Shape => Some(&node.0.cast::<ShapeNode>().as_ref().matrix),
            }
        }
    }

    /// The bytes that all nodes take from the heap, the allocator's own overhead included (glibc's rule: a header of
    /// 8 bytes, and blocks that are multiples of 16).
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let mut waiting = vec![self.root];
        let mut bytes = 0;
        while let Some(node) = waiting.pop() {
            // SAFETY: all nodes that the root leads to are alive, and no mutable reference to one exists.
            let node = unsafe { node.as_ref() };
            bytes += node::heap_bytes(node);
            waiting.extend_from_slice(&node.children);
        }
        bytes
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: nothing uses the nodes after this.
        unsafe { free_subtree(self.root) };
    }
}

/// Frees a node and all below it, without recursion, and returns how many nodes that were.
///
/// # Safety
/// `top` and all below it must be alive, and not be used again.
unsafe fn free_subtree(top: NonNull<NodeBase>) -> usize {
    let mut freed = 0;
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
        freed += 1;
        match parent {
            Some(parent) if node != top => node = parent,
            _ => return freed,
        }
    }
}
