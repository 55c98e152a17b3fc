//! The naive graph as a side.

use super::{Checksum, Side, split};
use crate::baselines::{Draws, Graph, NodePtr};
use crate::workloads::{Edits, Kind, Recipe};
use hedgerow::Transform;

/// The naive graph.
#[derive(Debug)]
pub struct Boxed {
    graph: Graph,
    nodes: Vec<NodePtr>,
    draws: Draws,
}

impl Boxed {
    /// The graph.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph, and its pointers by recipe id, for what is done otherwise than by [`Side`].
    pub const fn parts_mut(&mut self) -> (&mut Graph, &[NodePtr]) {
        (&mut self.graph, self.nodes.as_slice())
    }
}

impl Side for Boxed {
    const NAME: &'static str = "naive";

    fn build(recipe: &Recipe) -> Self {
        let (root, rest) = split(recipe);
        let mut graph = Graph::new(root);
        let mut nodes = Vec::with_capacity(recipe.nodes().len());
        nodes.push(graph.root());
        for node in rest {
            // SAFETY: the array holds nodes of this graph, and none was removed.
            nodes.push(unsafe { graph.insert(nodes[node.parent as usize], node.content) });
        }
        Self { graph, nodes, draws: Draws::default() }
    }

    fn pack(&mut self) {}

    fn edit(&mut self, edits: &Edits) {
        for &id in &edits.removed {
            // SAFETY: the array holds live nodes of this graph; a frame removes leaves, each once, and every removed
            // one's place is written below before it is read again.
            unsafe { self.graph.remove(self.nodes[id as usize]) };
        }
        for (id, node) in &edits.inserted {
            // SAFETY: a frame extends nodes that it does not remove.
            let child = unsafe { self.graph.insert(self.nodes[node.parent as usize], node.content) };
            self.nodes[*id as usize] = child;
        }
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        for &(id, local) in locals {
            // SAFETY: the array holds live nodes of this graph, of which the caller names transform nodes.
            unsafe { self.graph.set_local(self.nodes[id as usize], local) };
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

    fn worlds(&self, kinds: &[Kind]) -> Checksum {
        let mut sum = Checksum::default();
        for (id, (&node, _)) in self.nodes.iter().zip(kinds).enumerate() {
            // SAFETY: the array holds live nodes of this graph.
            if let Some(world) = unsafe { self.graph.world(node) } {
                sum.add_world(id, world);
            }
        }
        sum
    }

    fn bytes(&self) -> usize {
        self.graph.heap_bytes()
    }
}
