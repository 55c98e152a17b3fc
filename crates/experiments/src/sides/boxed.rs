//! Sides that are graphs of node objects.

use super::{Checksum, Side, put, reserve};
use crate::baselines::{Draws, Graph, NodeGraph, SliceGraph};
use crate::workloads::RecipeNode;
use hedgerow::{Mat34, Transform};

/// A graph of node objects.
#[derive(Debug)]
pub struct Objects<G: NodeGraph> {
    graph: G,
    nodes: Vec<G::Node>,
    draws: Draws,
    steps: u32,
}

/// The naive graph.
pub type Boxed = Objects<Graph>;

/// The thesis's dynamic structure: one slice for each child of the root. Reparents only within a slice.
pub type Sliced = Objects<SliceGraph>;

impl<G: NodeGraph> Side for Objects<G> {
    const NAME: &'static str = G::NAME;

    fn new() -> Self {
        let graph = G::new(Transform::IDENTITY);
        Self { nodes: vec![graph.root()], graph, draws: Draws::default(), steps: 0 }
    }

    fn reserve(&mut self, ids: usize) {
        reserve(&mut self.nodes, ids);
    }

    #[inline]
    fn insert_one(&mut self, id: u32, node: &RecipeNode) {
        // SAFETY: the array holds nodes of this graph, and no caller passes a parent that was removed.
        let child = unsafe { self.graph.insert(self.nodes[node.parent as usize], node.content) };
        put(&mut self.nodes, id, child);
    }

    fn remove(&mut self, ids: &[u32]) {
        for &id in ids {
            // SAFETY: as above; after a node is removed, its id is only used again once another node has it.
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

    fn world(&self, id: usize) -> Option<Mat34> {
        // SAFETY: the array holds live nodes of this graph.
        unsafe { self.graph.world(self.nodes[id]) }
    }
}
