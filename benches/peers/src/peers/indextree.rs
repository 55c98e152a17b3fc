//! `indextree`: local transforms in the nodes' data, world matrices in a separate column.

use super::{columns, matrix};
use crate::peer::Peer;
use crate::shapes::Shape;
use hedgerow::{Mat34, Transform};
use indextree::{Arena, NodeId};

pub(crate) struct IndexTree {
    arena: Arena<Transform>,
    /// The ids by node number; the first is the root.
    nodes: Vec<NodeId>,
    listed: Vec<(NodeId, Transform)>,
    /// The world matrices, by index in the arena.
    worlds: Vec<Mat34>,
    /// Whether the node or an ancestor has moved, by index in the arena.
    moved: Vec<bool>,
    any_moved: bool,
}

/// Returns the index of a node in the arena; ids count from 1.
fn place(node: NodeId) -> usize {
    usize::from(node) - 1
}

impl IndexTree {
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut arena = Arena::new();
        let mut nodes: Vec<NodeId> = Vec::with_capacity(shape.len());
        let (mut worlds, mut moved) = (Vec::new(), Vec::new());
        for (id, &local) in shape.locals.iter().enumerate() {
            nodes.push(match id {
                0 => arena.new_node(local),
                _ => nodes[shape.parents[id] as usize].append_value(local, &mut arena),
            });
            worlds.push(Mat34::IDENTITY);
            moved.push(true);
        }
        Self { arena, nodes, listed: Vec::new(), worlds, moved, any_moved: true }
    }

    fn mark(&mut self, node: NodeId) {
        self.moved[place(node)] = true;
        self.any_moved = true;
    }
}

impl Peer for IndexTree {
    fn list(&mut self, moved: &[(u32, Transform)]) {
        self.listed.clear();
        self.listed.extend(moved.iter().map(|&(node, local)| (self.nodes[node as usize], local)));
    }

    fn set(&mut self) {
        for &(node, local) in &self.listed {
            *self.arena[node].get_mut() = local;
            self.moved[place(node)] = true;
        }
        self.any_moved |= !self.listed.is_empty();
    }

    fn update(&mut self) {
        if !core::mem::take(&mut self.any_moved) {
            return;
        }
        for node in self.nodes[0].descendants(&self.arena) {
            let (at, node) = (place(node), &self.arena[node]);
            match node.parent().map(place) {
                None if self.moved[at] => self.worlds[at] = matrix(node.get()),
                Some(above) if self.moved[above] || self.moved[at] => {
                    self.moved[at] = true;
                    self.worlds[at] = self.worlds[above] * matrix(node.get());
                }
                _ => {}
            }
        }
        self.moved.fill(false);
    }

    fn world(&self, node: u32) -> [f32; 12] {
        columns(&self.worlds[place(self.nodes[node as usize])])
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        for &(node, parent) in moves {
            let (node, parent) = (self.nodes[node as usize], self.nodes[parent as usize]);
            node.detach(&mut self.arena);
            parent.append(node, &mut self.arena);
            self.mark(node);
        }
    }

    fn remove(&mut self, tops: &[u32]) {
        for &top in tops {
            self.nodes[top as usize].remove_subtree(&mut self.arena);
        }
    }
}
