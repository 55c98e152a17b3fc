//! A static tree's nodes in one block of memory, in each order of section 4.1.

use super::Line;
use crate::baselines::Draws;
use crate::baselines::graph::node::{self, NodeBase, size_of_kind};
use crate::baselines::graph::visit;
use crate::sides::{Checksum, stepped};
use crate::workloads::Recipe;
use core::ptr::NonNull;
use hedgerow::Mat34;
use std::collections::VecDeque;

/// The order of nodes in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As a depth-first search visits them.
    DepthFirst,
    /// As a breadth-first search visits them.
    BreadthFirst,
    /// The upper half of the levels in this order, then each subtree below that half (H. Prokop 1999).
    VanEmdeBoas,
    /// The order of creation: each node below a random earlier one.
    Made,
}

impl Order {
    /// Returns the recipe ids of all nodes in this order.
    pub fn of(self, recipe: &Recipe) -> Vec<u32> {
        let mut lists = vec![Vec::new(); recipe.nodes().len()];
        for (id, node) in (1..).zip(&recipe.nodes()[1..]) {
            lists[node.parent as usize].push(id);
        }
        let (mut order, mut waiting) = (Vec::with_capacity(lists.len()), VecDeque::from([0]));
        match self {
            Self::DepthFirst => {
                while let Some(id) = waiting.pop_back() {
                    order.push(id);
                    waiting.extend(lists[id as usize].iter().rev());
                }
            }
            Self::BreadthFirst => {
                while let Some(id) = waiting.pop_front() {
                    order.push(id);
                    waiting.extend(&lists[id as usize]);
                }
            }
            Self::VanEmdeBoas => return Children { lists }.van_emde_boas(),
            Self::Made => order.extend((0..).take(lists.len())),
        }
        order
    }
}

/// The recipe ids of each node's children.
struct Children {
    lists: Vec<Vec<u32>>,
}

impl Children {
    fn van_emde_boas(&self) -> Vec<u32> {
        // Children come after their parents in a recipe.
        let mut heights = vec![1_u32; self.lists.len()];
        for id in (0..self.lists.len()).rev() {
            let below = self.lists[id].iter().map(|&child| heights[child as usize]).max();
            heights[id] += below.unwrap_or(0);
        }
        let mut order = Vec::with_capacity(self.lists.len());
        self.lay_out(0, heights[0], &heights, &mut order);
        order
    }

    /// Lays out `levels` levels of the tree below a node.
    fn lay_out(&self, top: u32, levels: u32, heights: &[u32], order: &mut Vec<u32>) {
        let levels = levels.min(heights[top as usize]);
        if levels == 1 {
            order.push(top);
            return;
        }
        let upper = levels / 2;
        self.lay_out(top, upper, heights, order);
        for bottom in self.at_depth(top, upper) {
            self.lay_out(bottom, levels - upper, heights, order);
        }
    }

    /// Returns the nodes `depth` levels below `top`, from left to right.
    fn at_depth(&self, top: u32, depth: u32) -> Vec<u32> {
        let (mut found, mut waiting) = (Vec::new(), vec![(top, 0)]);
        while let Some((id, level)) = waiting.pop() {
            if level == depth {
                found.push(id);
            } else {
                waiting.extend(self.lists[id as usize].iter().rev().map(|&child| (child, level + 1)));
            }
        }
        found
    }
}

/// The nodes of a static tree.
#[derive(Debug)]
pub struct Nodes {
    /// Accessed only through the pointers.
    _memory: Vec<Line>,
    /// By recipe id.
    nodes: Vec<NonNull<NodeBase>>,
    draws: Draws,
    steps: u32,
}

impl Nodes {
    /// Writes the nodes of a recipe in this order, end to end. With `blocks`, each node has a block of its own. Its
    /// size is that of glibc on a fresh heap: 8 extra bytes, rounded up to a multiple of 16.
    pub fn new(recipe: &Recipe, order: Order, blocks: bool) -> Self {
        let (mut end, mut places) = (0, vec![0; recipe.nodes().len()]);
        for id in order.of(recipe) {
            let size = size_of_kind(recipe.nodes()[id as usize].content.kind());
            places[id as usize] = end;
            end += if blocks { size + 16 } else { size } / size_of::<Line>();
        }
        let mut memory = vec![Line::default(); end];
        let first = NonNull::new(memory.as_mut_ptr()).expect("a vector's pointer");
        // SAFETY: all places are in the memory.
        let nodes: Vec<NonNull<NodeBase>> = places.iter().map(|&place| unsafe { first.add(place) }.cast()).collect();
        for (id, made) in recipe.nodes().iter().enumerate() {
            let parent = (id > 0).then(|| nodes[made.parent as usize]);
            // SAFETY: each node has memory of its own, and a parent is written before its children.
            unsafe {
                node::write(nodes[id], made.content, parent);
                if let Some(parent) = parent {
                    node::hang(nodes[id], parent);
                }
            }
        }
        Self { _memory: memory, nodes, draws: Draws::default(), steps: 0 }
    }

    /// Moves the root and recomputes every world matrix.
    #[inline(never)]
    pub fn transform(&mut self) {
        // SAFETY: all nodes are alive, and accessed only through these pointers.
        unsafe {
            node::set_local(self.nodes[0], stepped(&mut self.steps));
            visit::transform(self.nodes[0], &Mat34::IDENTITY);
        }
    }

    /// Lists every draw.
    #[inline(never)]
    pub fn render(&mut self) {
        self.draws.clear();
        // SAFETY: all nodes are alive, and accessed only through these pointers.
        unsafe { visit::render(self.nodes[0], None, &mut self.draws) };
    }

    /// Returns a checksum of the last listed draws.
    pub fn draws(&self) -> Checksum {
        Checksum::of_draws(&self.draws)
    }

    /// Returns a checksum of all world matrices, by recipe id.
    pub fn worlds(&self) -> Checksum {
        // SAFETY: all nodes are alive.
        let world = |(id, &node)| Some((id, unsafe { node::world(node) }?));
        Checksum::of_worlds(self.nodes.iter().enumerate().filter_map(world))
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for &node in &self.nodes {
            // SAFETY: all nodes are alive, and none is used after this.
            unsafe { node.drop_in_place() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::{Content, RecipeNode};
    use hedgerow::Transform;

    /// Checks the binary tree of figure 3.1, with four levels.
    #[test]
    fn a_binary_tree_lies_as_the_thesis_draws_it() {
        let content = Content::Transform(Transform::IDENTITY);
        let tree = Recipe::of(15, |id| RecipeNode { parent: (id - 1) / 2, content });
        assert_eq!(Order::BreadthFirst.of(&tree), (0..15).collect::<Vec<_>>());
        assert_eq!(Order::DepthFirst.of(&tree), [0, 1, 3, 7, 8, 4, 9, 10, 2, 5, 11, 12, 6, 13, 14]);
        assert_eq!(Order::VanEmdeBoas.of(&tree), [0, 1, 2, 3, 7, 8, 4, 9, 10, 5, 11, 12, 6, 13, 14]);
    }
}
