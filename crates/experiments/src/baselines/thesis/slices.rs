//! The thesis's dynamic structure (section 4.4): node objects in slices, one slice for each child of the root.

use super::node::{self, Base, Rows, size_of_kind};
use crate::baselines::Draws;
use crate::workloads::{Content, Kind};
use hedgerow::{Mat34, Transform};

/// Table 5.4.
const EXPANSION: f32 = 1.5;
const STORAGE: usize = 1024;
const MAX_NODES: usize = 12;
const NONE: u32 = u32::MAX;
/// The words of an entry of a slice's list: offset, size, next free one.
const META: usize = 3;

/// A slice and an internal index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceHandle([u32; 2]);

/// A slice (listing 4): node storage, filled from its beginning, and behind it an entry for each node.
#[derive(Debug, Default)]
struct Slice {
    /// In words of four bytes, nodes and entries in one allocation. Nodes are used through pointers alone.
    data: Vec<u32>,
    /// Words of node storage.
    storage: usize,
    /// Where the next node is placed, in words.
    next: usize,
    /// The first entry that is free.
    first_free: u32,
    /// The node below which all others of the slice are.
    top: u32,
    nodes: usize,
}

impl Slice {
    fn new(bytes: usize, max_nodes: usize) -> Self {
        let storage = bytes.div_ceil(4);
        let mut slice = Self { data: vec![0; storage + META * max_nodes], storage, ..Self::default() };
        slice.first_free = NONE;
        slice.free_entries(0);
        slice
    }

    fn max_nodes(&self) -> usize {
        (self.data.len() - self.storage) / META
    }

    /// Puts all entries from this one on before the free ones.
    #[expect(clippy::cast_possible_truncation, reason = "entries are counted in 32 bits")]
    fn free_entries(&mut self, from: usize) {
        let end = self.max_nodes();
        for entry in from..end {
            let next = if entry + 1 < end { entry as u32 + 1 } else { self.first_free };
            self.entry(entry as u32)[2] = next;
        }
        if from < end {
            self.first_free = from as u32;
        }
    }

    fn entry(&mut self, index: u32) -> &mut [u32] {
        let place = self.storage + META * index as usize;
        &mut self.data[place..place + META]
    }

    /// Where a node lies.
    fn node(&self, index: u32) -> *mut Base {
        let offset = self.data[self.storage + META * index as usize];
        self.data.as_ptr().cast_mut().wrapping_add(offset as usize).cast()
    }

    /// Takes an entry and room behind the last node; `None` where either is missing.
    #[expect(clippy::cast_possible_truncation, reason = "a slice has fewer than 2^32 words")]
    fn take(&mut self, kind: Kind) -> Option<u32> {
        let words = size_of_kind(kind) / 4;
        let index = self.first_free;
        if index == NONE || self.next + words > self.storage {
            return None;
        }
        let next = self.next;
        let entry = self.entry(index);
        let free = entry[2];
        entry.copy_from_slice(&[next as u32, words as u32, NONE]);
        (self.first_free, self.next) = (free, next + words);
        self.nodes += 1;
        Some(index)
    }

    /// Gives an entry back, and the room of the node if it is the last one.
    fn give_back(&mut self, index: u32) {
        let free = self.first_free;
        let entry = self.entry(index);
        let (offset, words) = (entry[0] as usize, entry[1] as usize);
        entry[2] = free;
        self.first_free = index;
        self.nodes -= 1;
        if offset + words == self.next {
            self.next = offset;
        }
    }
}

/// A tree in slices.
#[derive(Debug)]
pub struct SliceGraph {
    /// The root has one of its own, the first.
    slices: Vec<Slice>,
    /// Slices without a node.
    free: Vec<u32>,
}

impl SliceGraph {
    /// A tree of a root that has this local transform.
    #[must_use]
    pub fn new(root: Transform) -> Self {
        let mut graph = Self { slices: vec![Slice::new(size_of_kind(Kind::Transform), 1)], free: Vec::new() };
        let index = graph.slices[0].take(Kind::Transform).expect("room for the root");
        // SAFETY: the slice has just given the room.
        unsafe {
            node::write(graph.slices[0].node(index), Content::Transform(root), core::ptr::null_mut(), [0, index]);
        };
        graph
    }

    /// The root.
    #[must_use]
    pub const fn root(&self) -> SliceHandle {
        SliceHandle([0, 0])
    }

    fn node(&self, SliceHandle([slice, index]): SliceHandle) -> *mut Base {
        self.slices[slice as usize].node(index)
    }

    /// Adds a node behind the last child of `parent`, which must be in the tree.
    ///
    /// # Panics
    /// Where there are 2³² slices.
    pub fn insert(&mut self, parent: SliceHandle, content: Content) -> SliceHandle {
        let kind = content.kind();
        let (slice, index) = if parent == self.root() {
            let slice = self.free.pop().unwrap_or_else(|| {
                self.slices.push(Slice::default());
                u32::try_from(self.slices.len() - 1).expect("fewer than 2^32 slices")
            });
            self.slices[slice as usize] = Slice::new(STORAGE, MAX_NODES);
            let index = self.slices[slice as usize].take(kind).expect("a new slice has room");
            self.slices[slice as usize].top = index;
            (slice, index)
        } else {
            let slice = parent.0[0];
            let index = loop {
                match self.slices[slice as usize].take(kind) {
                    Some(index) => break index,
                    None => self.reconstitute(slice),
                }
            };
            (slice, index)
        };
        let (above, node) = (self.node(parent), self.node(SliceHandle([slice, index])));
        // SAFETY: the slice has just given the room; the parent is in the tree.
        unsafe {
            node::write(node, content, above, [slice, index]);
            node::push(above, node);
        }
        SliceHandle([slice, index])
    }

    /// Removes a node, which must be in the tree and not its root, with all below it.
    pub fn remove(&mut self, node: SliceHandle) {
        let top = self.node(node);
        // SAFETY: the node and its parent are in the tree.
        unsafe { node::remove((*top).parent, top) };
        let mut waiting = vec![top];
        while let Some(gone) = waiting.pop() {
            // SAFETY: the subtree has been cut off, and each of its nodes is met once.
            let [slice, index] = unsafe {
                waiting.extend((0..node::count(gone)).map(|at| node::child(gone, at)));
                node::free_list(gone);
                (*gone).handle
            };
            self.slices[slice as usize].give_back(index);
            if self.slices[slice as usize].nodes == 0 {
                // Its memory goes once no node of it waits any more: this was the last.
                self.slices[slice as usize] = Slice::default();
                self.free.push(slice);
            }
        }
    }

    /// Moves the nodes of a slice to larger storage, depth first and without gaps (section 4.4.6).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sizes are whole numbers far below 2^32"
    )]
    fn reconstitute(&mut self, slice: u32) {
        let old = &mut self.slices[slice as usize];
        let larger = |size: usize| ((size as f32 * EXPANSION).ceil() as usize).max(size + 1);
        let (storage, old_max) = (larger(old.storage * 4).div_ceil(4), old.max_nodes());
        let mut data = vec![0_u32; storage + META * larger(old_max)];
        data[storage..storage + META * old_max].copy_from_slice(&old.data[old.storage..]);
        let old = core::mem::replace(
            old,
            Slice { data, storage, next: 0, first_free: old.first_free, top: old.top, nodes: old.nodes },
        );
        let new = &mut self.slices[slice as usize];
        new.free_entries(old_max);

        let mut order = Vec::with_capacity(old.nodes);
        let mut waiting = vec![old.node(old.top)];
        while let Some(node) = waiting.pop() {
            order.push(node);
            // SAFETY: all of these are nodes of the tree, where they still lie.
            unsafe {
                let children = (0..node::count(node)).rev().map(|at| node::child(node, at));
                waiting.extend(children.filter(|&child| (*child).handle[0] == slice));
            }
        }
        for from in order {
            // SAFETY: the node still lies in the old storage, and the new one has room for all. What lies above has
            // moved before; what lies below has not.
            unsafe {
                let [_, index] = (*from).handle;
                let place = new.next as u32;
                let entry = new.entry(index);
                let words = entry[1] as usize;
                entry[0] = place;
                new.next += words;
                let to = new.node(index);
                core::ptr::copy_nonoverlapping(from.cast::<u32>(), to.cast::<u32>(), words);
                if !(*to).parent.is_null() {
                    node::replace((*to).parent, from, to);
                }
                for at in 0..node::count(to) {
                    (*node::child(to, at)).parent = to;
                }
            }
        }
    }

    /// Sets the local transform of a transform node of the tree.
    pub fn set_local(&mut self, node: SliceHandle, local: &Transform) {
        // SAFETY: the node is in the tree, and the caller names a transform node: `kind` is compared.
        unsafe {
            let node = self.node(node);
            assert!((*node).kind == Kind::Transform, "only transform nodes have a local transform");
            node::set_local(node, local);
        }
    }

    /// Recomputes every world matrix.
    #[inline(never)]
    pub fn transform(&mut self) {
        let identity: *const Rows = &raw const node::IDENTITY;
        // SAFETY: all nodes that the root leads to are in the tree, and used by nobody else.
        unsafe { node::transform(self.node(self.root()), identity) };
    }

    /// Lists every draw.
    #[inline(never)]
    pub fn render(&mut self, draws: &mut Draws) {
        draws.commands.clear();
        draws.matrices.clear();
        // SAFETY: all nodes that the root leads to are in the tree, and used by nobody else.
        unsafe { node::render(self.node(self.root()), None, draws) };
    }

    /// The world matrix of a transform or shape node of the tree.
    #[must_use]
    pub fn world(&self, node: SliceHandle) -> Option<Mat34> {
        // SAFETY: the node is in the tree.
        unsafe { node::world(self.node(node)) }
    }

    /// The bytes of all slices.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.slices.iter().map(|slice| size_of::<Slice>() + size_of_val(&*slice.data)).sum()
    }
}

impl Drop for SliceGraph {
    fn drop(&mut self) {
        let mut waiting = vec![self.node(self.root())];
        while let Some(node) = waiting.pop() {
            // SAFETY: all nodes that the root leads to are in the tree; each is met once, and not used again.
            unsafe {
                waiting.extend((0..node::count(node)).map(|at| node::child(node, at)));
                node::free_list(node);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_lead_to_their_nodes_however_often_slices_are_rebuilt() {
        let transform = |x: usize| Transform::from_xyz(x as f32, 0.0, 0.0);
        let mut graph = SliceGraph::new(Transform::IDENTITY);
        let root = graph.root();
        let top = graph.insert(root, Content::Transform(transform(1)));
        let mut nodes = vec![(top, 1)];
        for step in 0..3000 {
            let (parent, x) = nodes[step * 7 % nodes.len()];
            let content = if step % 3 == 0 { Content::Shape(5) } else { Content::Transform(transform(step)) };
            let node = graph.insert(parent, content);
            nodes.push((node, if step % 3 == 0 { x } else { x + step }));
        }
        for _ in 0..20 {
            let other = graph.insert(root, Content::Material(3));
            graph.insert(other, Content::Shape(1));
            graph.remove(other);
        }
        assert_eq!(graph.slices.len(), 3, "an empty slice is used again");
        graph.transform();
        for &(node, x) in &nodes {
            let found = graph.world(node).expect("a transform or a shape").translation().x;
            assert_eq!(found, x as f32);
        }
        let mut draws = Draws::default();
        graph.render(&mut draws);
        assert_eq!(draws.commands.len(), 1000);
        let before = graph.bytes();
        graph.remove(top);
        assert!(graph.bytes() < before / 100);
    }
}
