//! hedgerow, with single calls or calls that take lists. With the feature `threads`, the program's thread belongs to a
//! pool of two threads that share large updates.

use super::columns;
use crate::peer::Peer;
use crate::shapes::Shape;
use hedgerow::{Keep, Node, NodeHandle, Scene, Transform};

/// The kind of calls for edits. Building always uses single inserts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    /// One call for each edit, as with all other peers.
    Single,
    /// One call for all edits of a kind. Lists are made within the measured time.
    Lists,
}

/// The tree; its root is the scene's root.
pub(crate) struct Hedgerow {
    scene: Scene,
    /// The handles by node number; the first is the root.
    nodes: Vec<NodeHandle>,
    listed: Vec<(NodeHandle, Transform)>,
    calls: Calls,
}

impl Hedgerow {
    pub(crate) fn new(shape: &Shape, calls: Calls) -> Self {
        let mut scene = Scene::new();
        scene.set_local(scene.root(), shape.locals[0]).expect("the root takes a finite transform");
        let mut nodes = Vec::with_capacity(shape.len());
        nodes.push(scene.root());
        for (&parent, &local) in shape.parents.iter().zip(&shape.locals).skip(1) {
            let node = scene.insert(nodes[parent as usize], Node::transform(local));
            nodes.push(node.expect("a live parent takes a finite transform"));
        }
        Self { scene, nodes, listed: Vec::new(), calls }
    }

    fn handle(&self, node: u32) -> NodeHandle {
        self.nodes[node as usize]
    }
}

impl Peer for Hedgerow {
    fn list(&mut self, moved: &[(u32, Transform)]) {
        self.listed.clear();
        self.listed.extend(moved.iter().map(|&(node, local)| (self.nodes[node as usize], local)));
    }

    fn set(&mut self) {
        match self.calls {
            Calls::Single => {
                for &(node, local) in &self.listed {
                    self.scene.set_local(node, local).expect("a live node takes a finite transform");
                }
            }
            Calls::Lists => {
                let items = self.listed.iter().map(|(node, local)| (*node, local));
                self.scene.set_locals(items).expect("live nodes take finite transforms");
            }
        }
    }

    fn update(&mut self) {
        self.scene.update();
    }

    fn world(&self, node: u32) -> [f32; 12] {
        columns(self.scene.world(self.handle(node)).expect("a live node has a world matrix"))
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        match self.calls {
            Calls::Single => {
                for &(node, parent) in moves {
                    let (node, parent) = (self.handle(node), self.handle(parent));
                    self.scene.reparent(node, parent, Keep::Local).expect("a node goes below another");
                }
            }
            Calls::Lists => {
                let items: Vec<_> =
                    moves.iter().map(|&(node, parent)| (self.handle(node), self.handle(parent))).collect();
                self.scene.reparent_many(&items, Keep::Local).expect("nodes go below others");
            }
        }
    }

    fn remove(&mut self, tops: &[u32]) {
        match self.calls {
            Calls::Single => {
                for &top in tops {
                    self.scene.remove(self.handle(top)).expect("a live node goes");
                }
            }
            Calls::Lists => {
                let items: Vec<_> = tops.iter().map(|&top| self.handle(top)).collect();
                self.scene.remove_many(&items).expect("live nodes go");
            }
        }
    }
}
