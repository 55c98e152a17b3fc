//! Columns in depth-first order, rearranged as a whole after an edit of the tree.
//!
//! This layout is nearly optimal as long as nodes only move. The cost of inserts and removals is part of the next
//! update.

use super::links::{Key, Linked, Links, append, following, remove_all_below, unlink};
use super::{columns, matrix};
use crate::peer::Peer;
use crate::shapes::Shape;
use hedgerow::{Mat34, Transform};
use slotmap::SlotMap;

struct Node {
    links: Links,
    /// The index in the columns.
    place: u32,
}

impl Linked for Node {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

/// Columns with a row for every node, the root first.
#[derive(Default)]
struct Columns {
    locals: Vec<Transform>,
    worlds: Vec<Mat34>,
    /// The index of the parent, which is smaller than the node's own; the root is its own parent.
    parents: Vec<u32>,
    moved: Vec<bool>,
}

pub(crate) struct Flattened {
    nodes: SlotMap<Key, Node>,
    /// The keys by node number; the first is the root.
    keys: Vec<Key>,
    listed: Vec<(Key, Transform)>,
    columns: Columns,
    /// Whether the tree changed since the columns were arranged.
    stale: bool,
    any_moved: bool,
}

/// Returns an index into the columns.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).expect("trees have less than 2^32 nodes")
}

impl Flattened {
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut nodes = SlotMap::with_key();
        let mut keys = Vec::with_capacity(shape.len());
        let mut columns = Columns::default();
        for (id, &local) in shape.locals.iter().enumerate() {
            let key = nodes.insert(Node { links: Links::default(), place: narrow(id) });
            if id > 0 {
                append(&mut nodes, key, keys[shape.parents[id] as usize]);
            }
            columns.locals.push(local);
            columns.worlds.push(Mat34::IDENTITY);
            columns.parents.push(0);
            columns.moved.push(true);
            keys.push(key);
        }
        Self { nodes, keys, listed: Vec::new(), columns, stale: true, any_moved: true }
    }

    /// Rearranges all columns in the order of the tree.
    fn arrange(&mut self) {
        let old = core::mem::take(&mut self.columns);
        let len = self.nodes.len();
        self.columns = Columns {
            locals: Vec::with_capacity(len),
            worlds: Vec::with_capacity(len),
            parents: Vec::with_capacity(len),
            moved: Vec::with_capacity(len),
        };
        let root = self.keys[0];
        let mut at = Some(root);
        while let Some(key) = at {
            let above = self.nodes[key].links.parent.map_or(0, |parent| self.nodes[parent].place);
            let from = core::mem::replace(&mut self.nodes[key].place, narrow(self.columns.locals.len())) as usize;
            self.columns.locals.push(old.locals[from]);
            self.columns.worlds.push(old.worlds[from]);
            self.columns.parents.push(above);
            self.columns.moved.push(old.moved[from]);
            at = following(&self.nodes, key, root, |node| &node.links);
        }
    }

    fn place(&self, node: u32) -> usize {
        self.place_of(self.keys[node as usize])
    }

    fn place_of(&self, key: Key) -> usize {
        self.nodes[key].place as usize
    }
}

impl Peer for Flattened {
    fn list(&mut self, moved: &[(u32, Transform)]) {
        self.listed.clear();
        self.listed.extend(moved.iter().map(|&(node, local)| (self.keys[node as usize], local)));
    }

    fn set(&mut self) {
        for &(key, local) in &self.listed {
            let place = self.place_of(key);
            self.columns.locals[place] = local;
            self.columns.moved[place] = true;
        }
        self.any_moved |= !self.listed.is_empty();
    }

    fn update(&mut self) {
        if core::mem::take(&mut self.stale) {
            self.arrange();
        }
        if !core::mem::take(&mut self.any_moved) {
            return;
        }
        let Columns { locals, worlds, parents, moved } = &mut self.columns;
        worlds[0] = matrix(&locals[0]);
        for place in 1..locals.len() {
            let above = parents[place] as usize;
            if moved[above] || moved[place] {
                moved[place] = true;
                worlds[place] = worlds[above] * matrix(&locals[place]);
            }
        }
        moved.fill(false);
    }

    fn world(&self, node: u32) -> [f32; 12] {
        columns(&self.columns.worlds[self.place(node)])
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        for &(node, parent) in moves {
            let place = self.place(node);
            self.columns.moved[place] = true;
            let (node, parent) = (self.keys[node as usize], self.keys[parent as usize]);
            unlink(&mut self.nodes, node);
            append(&mut self.nodes, node, parent);
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
