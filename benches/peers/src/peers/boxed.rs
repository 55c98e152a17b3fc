//! A heap block for each node, with a pointer to the parent and a list of pointers to the children.

use super::{columns, matrix};
use crate::peer::Peer;
use crate::shapes::Shape;
use core::ptr::NonNull;
use hedgerow::{Mat34, Transform};
use smallvec::SmallVec;

type Link = NonNull<Node>;

struct Node {
    /// The children in order; up to eight are stored inline.
    children: SmallVec<[Link; 8]>,
    parent: Option<Link>,
    local: Transform,
    world: Mat34,
    /// Whether the local transform changed since the last update.
    moved: bool,
    /// Whether a node below this one has moved.
    moved_below: bool,
}

/// The tree. Without `FLAGS` an update computes all nodes. With `FLAGS`, a moved node marks its ancestors up to the
/// first that is already marked, and an update visits marked nodes and computes the subtrees of moved nodes.
pub(crate) struct Boxed<const FLAGS: bool> {
    /// The nodes by number; the first is the root. Pointers of removed nodes stay in the list, unused.
    nodes: Vec<Link>,
    listed: Vec<(Link, Transform)>,
}

impl<const FLAGS: bool> Boxed<FLAGS> {
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut nodes: Vec<Link> = Vec::with_capacity(shape.len());
        for (id, local) in shape.locals.iter().enumerate() {
            let parent = (id > 0).then(|| nodes[shape.parents[id] as usize]);
            let node = Node {
                children: SmallVec::new(),
                parent,
                local: *local,
                world: Mat34::IDENTITY,
                moved: true,
                moved_below: true,
            };
            let node = NonNull::from(Box::leak(Box::new(node)));
            if let Some(mut parent) = parent {
                // SAFETY: all nodes of the list are alive, and no reference to any of them exists.
                unsafe { parent.as_mut() }.children.push(node);
            }
            nodes.push(node);
        }
        Self { nodes, listed: Vec::new() }
    }

    fn unlink(&mut self, node: u32) -> Link {
        let link = self.nodes[node as usize];
        // SAFETY: the caller passes a live node that is not the root; its parent is alive, too.
        unsafe {
            let mut parent = link.as_ref().parent.expect("the root stays where it is");
            let siblings = &mut parent.as_mut().children;
            let place = siblings.iter().position(|&sibling| sibling == link);
            siblings.remove(place.expect("a node is among its parent's children"));
        }
        link
    }
}

/// Computes a node and its descendants.
///
/// # Safety
/// The nodes must be alive, and no reference to one may exist.
unsafe fn compute(mut node: Link, above: &Mat34) {
    // SAFETY: as the caller guarantees. The reference ends before the references to the children begin.
    let world = unsafe {
        let node = node.as_mut();
        node.world = *above * matrix(&node.local);
        (node.moved, node.moved_below) = (false, false);
        node.world
    };
    let mut place = 0;
    // SAFETY: as the caller guarantees. The list of children is read between the calls, which do not change it.
    while let Some(&child) = unsafe { node.as_ref() }.children.get(place) {
        // SAFETY: a child of a live node is alive.
        unsafe { compute(child, &world) };
        place += 1;
    }
}

/// Computes moved nodes and their subtrees, within the subtree of `node`.
///
/// # Safety
/// As [`compute`].
unsafe fn compute_moved(mut node: Link, above: &Mat34) {
    // SAFETY: as the caller guarantees.
    unsafe {
        if node.as_ref().moved {
            return compute(node, above);
        }
        if !node.as_ref().moved_below {
            return;
        }
        node.as_mut().moved_below = false;
        let world = node.as_ref().world;
        let mut place = 0;
        while let Some(&child) = node.as_ref().children.get(place) {
            compute_moved(child, &world);
            place += 1;
        }
    }
}

/// Marks a node and its ancestors, up to the first marked one.
///
/// # Safety
/// The nodes must be alive, and no reference to one may exist.
unsafe fn mark(mut node: Link) {
    // SAFETY: one reference exists at a time.
    unsafe {
        node.as_mut().moved = true;
        let mut above = node.as_ref().parent;
        while let Some(mut link) = above {
            let ancestor = link.as_mut();
            if ancestor.moved_below {
                break;
            }
            ancestor.moved_below = true;
            above = ancestor.parent;
        }
    }
}

/// Frees a node and its descendants.
///
/// # Safety
/// The nodes must be alive, and must not be used after this call.
unsafe fn free(node: Link) {
    // SAFETY: each node is a box that was leaked.
    let node = unsafe { Box::from_raw(node.as_ptr()) };
    for &child in &node.children {
        // SAFETY: a child of a live node is alive, and only its parent points to it.
        unsafe { free(child) };
    }
}

impl<const FLAGS: bool> Peer for Boxed<FLAGS> {
    fn list(&mut self, moved: &[(u32, Transform)]) {
        self.listed.clear();
        self.listed.extend(moved.iter().map(|&(node, local)| (self.nodes[node as usize], local)));
    }

    fn set(&mut self) {
        for &(mut node, local) in &self.listed {
            // SAFETY: the caller passes live nodes, and no reference to any of them exists.
            unsafe { node.as_mut() }.local = local;
            if FLAGS {
                // SAFETY: as above.
                unsafe { mark(node) };
            }
        }
    }

    fn update(&mut self) {
        // SAFETY: the root and its descendants are alive, and no reference to a node exists.
        unsafe {
            if FLAGS {
                compute_moved(self.nodes[0], &Mat34::IDENTITY);
            } else {
                compute(self.nodes[0], &Mat34::IDENTITY);
            }
        }
    }

    fn world(&self, node: u32) -> [f32; 12] {
        // SAFETY: the caller passes a live node.
        columns(&unsafe { self.nodes[node as usize].as_ref() }.world)
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        for &(node, parent) in moves {
            let mut link = self.unlink(node);
            let mut above = self.nodes[parent as usize];
            // SAFETY: the caller passes live nodes, and one reference exists at a time.
            unsafe {
                above.as_mut().children.push(link);
                link.as_mut().parent = Some(above);
            }
            if FLAGS {
                // SAFETY: as above.
                unsafe { mark(link) };
            }
        }
    }

    fn remove(&mut self, tops: &[u32]) {
        for &top in tops {
            let top = self.unlink(top);
            // SAFETY: no live node points to the subtree any more, and the caller does not use its nodes again.
            unsafe { free(top) };
        }
    }
}

impl<const FLAGS: bool> Drop for Boxed<FLAGS> {
    fn drop(&mut self) {
        // SAFETY: the root and its descendants are alive, and nothing uses the list after this.
        unsafe { free(self.nodes[0]) };
    }
}
