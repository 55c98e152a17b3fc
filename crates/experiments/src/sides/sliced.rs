//! The thesis's dynamic structure as a side.

use super::{Checksum, Side, put};
use crate::baselines::{Draws, SliceGraph, SliceHandle};
use crate::workloads::{Kind, RecipeNode};
use hedgerow::Transform;

/// Node objects in slices that grow without a bound, one for each child of the root.
#[derive(Debug)]
pub struct Sliced {
    graph: SliceGraph,
    nodes: Vec<SliceHandle>,
    draws: Draws,
    steps: u32,
}

impl Side for Sliced {
    const NAME: &'static str = "the thesis's slices";

    fn new(root: Transform) -> Self {
        let graph = SliceGraph::new(root);
        Self { nodes: vec![graph.root()], graph, draws: Draws::default(), steps: 0 }
    }

    fn insert(&mut self, nodes: &[(u32, RecipeNode)]) {
        for (id, node) in nodes {
            let child = self.graph.insert(self.nodes[node.parent as usize], node.content);
            put(&mut self.nodes, *id, child);
        }
    }

    fn remove(&mut self, ids: &[u32]) {
        ids.iter().for_each(|&id| self.graph.remove(self.nodes[id as usize]));
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        for &(id, local) in locals {
            self.graph.set_local(self.nodes[id as usize], local);
        }
    }

    /// Only within a slice: others stay where they are.
    fn reparent(&mut self, moves: &[(u32, u32)]) {
        for &(id, parent) in moves {
            self.graph.reparent(self.nodes[id as usize], self.nodes[parent as usize]);
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

    fn worlds(&self, _: &[Kind]) -> Checksum {
        let mut sum = Checksum::default();
        for (id, &node) in self.nodes.iter().enumerate() {
            if let Some(world) = self.graph.world(node) {
                sum.add_world(id, &world);
            }
        }
        sum
    }
}
