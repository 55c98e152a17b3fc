//! The thesis's dynamic structure: node objects in slices, one slice for each child of the root. It uses the nodes of
//! the [naive graph](super::Graph), in memory aligned to 16 bytes.
//!
//! Source: M. Åkerstedt Bergsten, *Scene Graph Memory Management*, Chalmers 2019, section 4.4.

use crate::baselines::graph::node::{self, NodeBase, size_of_kind};
use crate::baselines::graph::visit;
use crate::baselines::{Draws, NodeGraph};
use crate::workloads::{Content, Kind};
use core::ptr::NonNull;
use hedgerow::{Mat34, Transform};

/// Table 5.4: the growth factor of a slice, and the lines and entries of a new slice.
const EXPANSION: f32 = 1.5;
const STORAGE: usize = 1024 / size_of::<Line>();
const MAX_NODES: usize = 12;
const NONE: u32 = u32::MAX;

/// 16 bytes of node memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
struct Line([u64; 2]);

/// A slice and the index of an entry in it. The line before each node stores this handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceHandle([u32; 2]);

/// The place and the length of a node, in lines; for a free entry, the next free entry.
#[derive(Clone, Copy, Debug)]
struct Entry {
    place: u32,
    lines: u32,
    next: u32,
}

/// A slice (listing 4): node storage, filled from the start, and an entry for each node.
#[derive(Debug, Default)]
struct Slice {
    /// Accessed only through pointers.
    storage: Vec<Line>,
    /// The line of the next node.
    end: usize,
    entries: Vec<Entry>,
    /// The first free entry.
    first_free: u32,
    /// The topmost node; all other nodes of the slice are below it.
    top: u32,
    nodes: usize,
}

impl Slice {
    fn new(lines: usize, max_nodes: usize) -> Self {
        let mut slice = Self { storage: vec![Line::default(); lines], first_free: NONE, ..Self::default() };
        slice.extend(max_nodes);
        slice
    }

    /// Adds free entries.
    #[expect(clippy::cast_possible_truncation, reason = "entries are counted in 32 bits")]
    fn extend(&mut self, max_nodes: usize) {
        for entry in self.entries.len()..max_nodes {
            self.entries.push(Entry { place: 0, lines: 0, next: self.first_free });
            self.first_free = entry as u32;
        }
    }

    /// Returns the address of a node, which follows its handle.
    fn node(&self, index: u32) -> NonNull<NodeBase> {
        let place = self.entries[index as usize].place as usize + 1;
        NonNull::new(self.storage.as_ptr().cast_mut().wrapping_add(place)).expect("a place in a vector").cast()
    }

    /// Takes an entry and storage after the last node. Returns `None` if either is missing.
    #[expect(clippy::cast_possible_truncation, reason = "a slice has fewer than 2^32 lines")]
    fn take(&mut self, kind: Kind) -> Option<u32> {
        let (lines, index) = (1 + size_of_kind(kind) / size_of::<Line>(), self.first_free);
        if index == NONE || self.end + lines > self.storage.len() {
            return None;
        }
        let entry = &mut self.entries[index as usize];
        self.first_free = entry.next;
        *entry = Entry { place: self.end as u32, lines: lines as u32, next: NONE };
        self.end += lines;
        self.nodes += 1;
        Some(index)
    }

    /// Frees an entry, and the storage of its node if it is the last one.
    fn give_back(&mut self, index: u32) {
        let Entry { place, lines, next } = &mut self.entries[index as usize];
        *next = core::mem::replace(&mut self.first_free, index);
        self.nodes -= 1;
        if (*place + *lines) as usize == self.end {
            self.end = *place as usize;
        }
    }
}

/// Reads the handle stored before a node.
///
/// # Safety
/// `node` must be a live node of a slice.
unsafe fn handle(node: NonNull<NodeBase>) -> SliceHandle {
    // SAFETY: the caller passes a live node.
    unsafe { node.cast::<Line>().sub(1).cast::<SliceHandle>().read() }
}

/// A tree in slices.
#[derive(Debug)]
pub struct SliceGraph {
    /// The first slice holds only the root.
    slices: Vec<Slice>,
    /// The slices without a node.
    free: Vec<u32>,
}

impl SliceGraph {
    fn node(&self, SliceHandle([slice, index]): SliceHandle) -> NonNull<NodeBase> {
        self.slices[slice as usize].node(index)
    }

    /// Writes a new node to a slice, and enlarges the slice if necessary.
    fn place(&mut self, slice: u32, content: Content, parent: Option<SliceHandle>) -> SliceHandle {
        let index = loop {
            match self.slices[slice as usize].take(content.kind()) {
                Some(index) => break index,
                None => self.reconstitute(slice),
            }
        };
        let (handle, parent) = (SliceHandle([slice, index]), parent.map(|parent| self.node(parent)));
        let node = self.node(handle);
        // SAFETY: the slice has just provided the storage; the parent is in the tree.
        unsafe {
            node.cast::<Line>().sub(1).cast().write(handle);
            node::write(node, content, parent);
            if let Some(parent) = parent {
                node::hang(node, parent);
            }
        }
        handle
    }

    /// Moves the nodes of a slice to larger storage, depth first and without gaps (section 4.4.6).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes are far below 2^32")]
    fn reconstitute(&mut self, slice: u32) {
        let new = &mut self.slices[slice as usize];
        let larger = |size: usize| ((size as f32 * EXPANSION).ceil() as usize).max(size + 1);
        let top = new.node(new.top);
        new.extend(larger(new.entries.len()));
        let lines = larger(new.storage.len());
        let _old = core::mem::replace(&mut new.storage, vec![Line::default(); lines]);
        new.end = 0;
        let (mut order, mut waiting) = (Vec::with_capacity(new.nodes), vec![top]);
        while let Some(node) = waiting.pop() {
            order.push(node);
            // SAFETY: all of these are nodes of the tree, still in their old storage.
            waiting.extend(unsafe { node.as_ref() }.children.iter().rev());
        }
        for from in order {
            // SAFETY: the node is still in the old storage, and the new one has room. Only its ancestors have moved.
            unsafe {
                let [_, index] = handle(from).0;
                let entry = &mut new.entries[index as usize];
                entry.place = new.end as u32;
                let lines = entry.lines as usize;
                new.end += lines;
                let to = new.node(index);
                to.cast::<Line>().sub(1).copy_from_nonoverlapping(from.cast::<Line>().sub(1), lines);
                if let Some(mut parent) = to.as_ref().parent {
                    // The list is scanned, as in the source.
                    let children = &mut parent.as_mut().children;
                    let at = children.iter().position(|&child| child == from);
                    children[at.expect("a node is among its parent's children")] = to;
                }
                for child in &to.as_ref().children {
                    (*child.as_ptr()).parent = Some(to);
                }
            }
        }
    }
}

impl NodeGraph for SliceGraph {
    const NAME: &'static str = "the thesis's slices";

    type Node = SliceHandle;

    fn new(root: Transform) -> Self {
        let mut graph = Self { slices: vec![Slice::new(STORAGE, 1)], free: Vec::new() };
        graph.place(0, Content::Transform(root), None);
        graph
    }

    fn root(&self) -> SliceHandle {
        SliceHandle([0, 0])
    }

    unsafe fn insert(&mut self, parent: SliceHandle, content: Content) -> SliceHandle {
        if parent != self.root() {
            return self.place(parent.0[0], content, Some(parent));
        }
        let slice = self.free.pop().unwrap_or_else(|| {
            self.slices.push(Slice::default());
            u32::try_from(self.slices.len() - 1).expect("fewer than 2^32 slices")
        });
        self.slices[slice as usize] = Slice::new(STORAGE, MAX_NODES);
        let top = self.place(slice, content, Some(parent));
        self.slices[slice as usize].top = top.0[1];
        top
    }

    unsafe fn remove(&mut self, node: SliceHandle) {
        let top = self.node(node);
        // SAFETY: the node and its parent are in the tree.
        unsafe { node::cut_off(top) };
        let mut waiting = vec![top];
        while let Some(gone) = waiting.pop() {
            // SAFETY: the subtree has been cut off, and each of its nodes is visited once.
            let [slice, index] = unsafe {
                waiting.extend_from_slice(&gone.as_ref().children);
                gone.drop_in_place();
                handle(gone).0
            };
            self.slices[slice as usize].give_back(index);
            if self.slices[slice as usize].nodes == 0 {
                // The slice has no nodes left, so no node in `waiting` uses the slice's memory.
                self.slices[slice as usize] = Slice::default();
                self.free.push(slice);
            }
        }
    }

    /// Reparents only within a slice; does nothing otherwise.
    unsafe fn reparent(&mut self, node: SliceHandle, parent: SliceHandle) {
        if node.0[0] == parent.0[0] {
            // SAFETY: both are nodes of the tree.
            unsafe {
                node::cut_off(self.node(node));
                node::hang(self.node(node), self.node(parent));
            }
        }
    }

    unsafe fn set_local(&mut self, node: SliceHandle, local: Transform) {
        // SAFETY: the node is in the tree.
        unsafe { node::set_local(self.node(node), local) };
    }

    #[inline(never)]
    fn transform(&mut self) {
        // SAFETY: all nodes reachable from the root are in the tree, and nobody else uses them.
        unsafe { visit::transform(self.node(self.root()), &Mat34::IDENTITY) };
    }

    #[inline(never)]
    fn render(&mut self, draws: &mut Draws) {
        draws.clear();
        // SAFETY: all nodes reachable from the root are in the tree, and nobody else uses them.
        unsafe { visit::render(self.node(self.root()), None, draws) };
    }

    unsafe fn world(&self, node: SliceHandle) -> Option<Mat34> {
        // SAFETY: the node is in the tree.
        unsafe { node::world(self.node(node)) }
    }
}

impl Drop for SliceGraph {
    fn drop(&mut self) {
        let mut waiting = vec![self.node(self.root())];
        while let Some(node) = waiting.pop() {
            // SAFETY: all nodes reachable from the root are in the tree; each is visited once and not used again.
            unsafe {
                waiting.extend_from_slice(&node.as_ref().children);
                node.drop_in_place();
            }
        }
    }
}
