//! The naive graph as a side.

use super::{Checksum, Side, put};
use crate::baselines::{Draws, Graph, NodePtr};
use crate::workloads::{Kind, RecipeNode};
use hedgerow::Transform;

/// The naive graph.
#[derive(Debug)]
pub struct Boxed {
    graph: Graph,
    nodes: Vec<NodePtr>,
    draws: Draws,
    steps: u32,
}

impl Side for Boxed {
    const NAME: &'static str = "naive";

    fn new(root: Transform) -> Self {
        let graph = Graph::new(root);
        Self { nodes: vec![graph.root()], graph, draws: Draws::default(), steps: 0 }
    }

    fn insert(&mut self, nodes: &[(u32, RecipeNode)]) {
        for (id, node) in nodes {
            // SAFETY: the array holds nodes of this graph, and nobody names a parent that was removed.
            let child = unsafe { self.graph.insert(self.nodes[node.parent as usize], node.content) };
            put(&mut self.nodes, *id, child);
        }
    }

    fn remove(&mut self, ids: &[u32]) {
        for &id in ids {
            // SAFETY: as above; what is removed is not named again before its id is taken over.
            unsafe { self.graph.remove(self.nodes[id as usize]) };
        }
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        for &(id, local) in locals {
            // SAFETY: as above.
            unsafe { self.graph.set_local(self.nodes[id as usize], local) };
        }
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        for &(id, parent) in moves {
            // SAFETY: as above; the caller closes no cycle.
            unsafe { self.graph.reparent(self.nodes[id as usize], self.nodes[parent as usize]) };
        }
    }

    fn steps(&mut self) -> &mut u32 {
        &mut self.steps
    }

    fn update(&mut self) {
        self.graph.transform();
    }

    fn render(&mut self) {
        self.graph.render(&mut self.draws);
    }

    fn draws(&self) -> Checksum {
        Checksum::of_draws(&self.draws)
    }

    fn worlds(&self, kinds: &[Kind]) -> Checksum {
        let mut sum = Checksum::default();
        for (id, (&node, _)) in self.nodes.iter().zip(kinds).enumerate() {
            // SAFETY: the array holds live nodes of this graph.
            if let Some(world) = unsafe { self.graph.world(node) } {
                sum.add_world(id, &world);
            }
        }
        sum
    }
}
