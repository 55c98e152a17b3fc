//! Nodes in a slot map, and a list of them in depth-first order, which is rebuilt after an edit of the tree.

use super::links::{Key, Linked, Links, append, following, remove_all_below, unlink};
use super::{columns, matrix};
use crate::peer::Peer;
use crate::shapes::Shape;
use hedgerow::{Mat34, Transform};
use slotmap::SlotMap;

struct Node {
    links: Links,
    local: Transform,
    world: Mat34,
    /// The number of the update that will compute the node, or that computed it last.
    update: u32,
}

impl Linked for Node {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

pub(crate) struct Slots {
    nodes: SlotMap<Key, Node>,
    /// The keys by node number; the first is the root.
    keys: Vec<Key>,
    listed: Vec<(Key, Transform)>,
    /// All nodes except the root with their parents, in depth-first order.
    order: Vec<(Key, Key)>,
    /// Whether the tree changed since `order` was built.
    stale: bool,
    /// The number of the next update.
    update: u32,
    /// Whether any node must be computed.
    any_moved: bool,
}

impl Slots {
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut nodes = SlotMap::with_key();
        let mut keys = Vec::with_capacity(shape.len());
        for (id, &local) in shape.locals.iter().enumerate() {
            let key = nodes.insert(Node { links: Links::default(), local, world: Mat34::IDENTITY, update: 1 });
            if id > 0 {
                append(&mut nodes, key, keys[shape.parents[id] as usize]);
            }
            keys.push(key);
        }
        Self { nodes, keys, listed: Vec::new(), order: Vec::new(), stale: true, update: 1, any_moved: true }
    }

    fn reorder(&mut self) {
        self.order.clear();
        let mut at = self.keys[0];
        while let Some(next) = following(&self.nodes, at, self.keys[0], |node| &node.links) {
            let parent = self.nodes[next].links.parent.expect("only the root has none");
            self.order.push((next, parent));
            at = next;
        }
    }
}

impl Peer for Slots {
    fn list(&mut self, moved: &[(u32, Transform)]) {
        self.listed.clear();
        self.listed.extend(moved.iter().map(|&(node, local)| (self.keys[node as usize], local)));
    }

    fn set(&mut self) {
        for &(key, local) in &self.listed {
            let node = &mut self.nodes[key];
            (node.local, node.update) = (local, self.update);
        }
        self.any_moved |= !self.listed.is_empty();
    }

    fn update(&mut self) {
        if core::mem::take(&mut self.stale) {
            self.reorder();
        }
        if !core::mem::take(&mut self.any_moved) {
            return;
        }
        let root = &mut self.nodes[self.keys[0]];
        root.world = matrix(&root.local);
        for &(node, parent) in &self.order {
            let Node { world: above, update, .. } = self.nodes[parent];
            let node = &mut self.nodes[node];
            if update == self.update || node.update == self.update {
                node.world = above * matrix(&node.local);
                node.update = self.update;
            }
        }
        self.update += 1;
    }

    fn world(&self, node: u32) -> [f32; 12] {
        columns(&self.nodes[self.keys[node as usize]].world)
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        for &(node, parent) in moves {
            let (node, parent) = (self.keys[node as usize], self.keys[parent as usize]);
            unlink(&mut self.nodes, node);
            append(&mut self.nodes, node, parent);
            self.nodes[node].update = self.update;
        }
        (self.stale, self.any_moved) = (true, true);
    }

    fn remove(&mut self, tops: &[u32]) {
        let mut below = Vec::new();
        for &top in tops {
            remove_all_below(&mut self.nodes, self.keys[top as usize], &mut below);
        }
        self.stale = true;
    }
}
