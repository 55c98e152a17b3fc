//! The thesis's dynamic structure as a side.

use super::{Checksum, Side, split};
use crate::baselines::{Draws, SliceGraph, SliceHandle};
use crate::workloads::{Edits, Kind, Recipe};
use hedgerow::Transform;

/// Node objects in slices that grow without a bound, one for each child of the root.
#[derive(Debug)]
pub struct Sliced {
    graph: SliceGraph,
    nodes: Vec<SliceHandle>,
    draws: Draws,
}

impl Side for Sliced {
    const NAME: &'static str = "the thesis's slices";

    fn build(recipe: &Recipe) -> Self {
        let (root, rest) = split(recipe);
        let mut graph = SliceGraph::new(root);
        let mut nodes = Vec::with_capacity(recipe.nodes().len());
        nodes.push(graph.root());
        for node in rest {
            nodes.push(graph.insert(nodes[node.parent as usize], node.content));
        }
        Self { graph, nodes, draws: Draws::default() }
    }

    fn pack(&mut self) {}

    fn edit(&mut self, edits: &Edits) {
        for &id in &edits.removed {
            self.graph.remove(self.nodes[id as usize]);
        }
        for (id, node) in &edits.inserted {
            self.nodes[*id as usize] = self.graph.insert(self.nodes[node.parent as usize], node.content);
        }
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        for (id, local) in locals {
            self.graph.set_local(self.nodes[*id as usize], local);
        }
    }

    fn transform(&mut self) {
        self.graph.transform();
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

    fn bytes(&self) -> usize {
        self.graph.bytes()
    }
}
