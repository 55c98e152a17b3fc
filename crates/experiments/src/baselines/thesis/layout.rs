//! Nodes of a tree that does not change, in one block of memory: each of the orders of section 4.1.

use super::node::{self, Base, Rows, size_of_kind};
use crate::baselines::Draws;
use crate::sides::Checksum;
use crate::workloads::Recipe;

/// The order in which nodes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As a depth-first search visits them.
    DepthFirst,
    /// As a breadth-first search visits them.
    BreadthFirst,
    /// The upper half of the levels, laid out in this order, then each tree below that half (H. Prokop 1999).
    VanEmdeBoas,
    /// As they were made: each below an earlier one chosen at random.
    Made,
}

/// How nodes are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Which comes first.
    pub order: Order,
    /// Whether each has a block of its own, as glibc cuts them on a fresh heap: 8 bytes of its own before each, and a
    /// multiple of 16 for both. Otherwise nodes lie end to end.
    pub blocks: bool,
}

/// In which order nodes are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traversal {
    /// Recursively, as the thesis does.
    DepthFirst,
    /// Level by level (its section 7.4.1), with the matrix and material above each node kept beside it.
    BreadthFirst,
}

impl Order {
    /// The recipe ids of all nodes of a tree in this order.
    #[must_use]
    pub fn of(self, recipe: &Recipe) -> Vec<u32> {
        let tree = Children::of(recipe);
        match self {
            Self::DepthFirst => tree.depth_first(),
            Self::BreadthFirst => tree.breadth_first(),
            Self::VanEmdeBoas => tree.van_emde_boas(),
            Self::Made => (0..).take(recipe.nodes().len()).collect(),
        }
    }
}

/// The children of each node, by recipe id.
struct Children {
    lists: Vec<Vec<u32>>,
}

impl Children {
    fn of(recipe: &Recipe) -> Self {
        let mut lists = vec![Vec::new(); recipe.nodes().len()];
        for (id, node) in (1..).zip(&recipe.nodes()[1..]) {
            lists[node.parent as usize].push(id);
        }
        Self { lists }
    }

    fn depth_first(&self) -> Vec<u32> {
        let (mut order, mut waiting) = (Vec::with_capacity(self.lists.len()), vec![0]);
        while let Some(id) = waiting.pop() {
            order.push(id);
            waiting.extend(self.lists[id as usize].iter().rev());
        }
        order
    }

    fn breadth_first(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.lists.len());
        order.push(0);
        let mut seen = 0;
        while let Some(&id) = order.get(seen) {
            seen += 1;
            order.extend(&self.lists[id as usize]);
        }
        order
    }

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

    /// Lays out so many levels of the tree below a node.
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

    /// The nodes so many levels below one, from left to right.
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

/// A node of the level that is visited, with what it inherits.
type Visited = (*mut Base, *const Rows, Option<u32>);

/// The nodes of a tree that does not change.
#[derive(Debug)]
pub struct Nodes {
    /// In words of four bytes. Used through the pointers alone.
    _memory: Vec<u32>,
    /// By recipe id.
    nodes: Vec<*mut Base>,
    traversal: Traversal,
    level: Vec<Visited>,
    next: Vec<Visited>,
    draws: Draws,
}

impl Nodes {
    /// The nodes of a recipe, in this layout, to be visited in this order.
    #[must_use]
    pub fn new(recipe: &Recipe, layout: Layout, traversal: Traversal) -> Self {
        let kinds = |id: u32| recipe.nodes()[id as usize].content.kind();
        let mut end = 0;
        let mut places = vec![0; recipe.nodes().len()];
        for id in layout.order.of(recipe) {
            let size = size_of_kind(kinds(id));
            places[id as usize] = if layout.blocks { end + 8 } else { end };
            end += if layout.blocks { (size + 8).next_multiple_of(16) } else { size };
        }
        let mut memory = vec![0_u32; end / 4];
        let first = memory.as_mut_ptr();
        let nodes: Vec<*mut Base> = places.iter().map(|&place| first.wrapping_add(place / 4).cast()).collect();
        for (id, made) in recipe.nodes().iter().enumerate() {
            let parent = if id == 0 { core::ptr::null_mut() } else { nodes[made.parent as usize] };
            // SAFETY: each node has room of its own in the memory, and a parent is written before its children.
            unsafe {
                node::write(nodes[id], made.content, parent, [0, 0]);
                if id > 0 {
                    node::push(parent, nodes[id]);
                }
            }
        }
        Self { _memory: memory, nodes, traversal, level: Vec::new(), next: Vec::new(), draws: Draws::default() }
    }

    /// Recomputes every world matrix.
    #[inline(never)]
    pub fn transform(&mut self) {
        let identity: *const Rows = &raw const node::IDENTITY;
        match self.traversal {
            // SAFETY: all nodes are alive, and used through these pointers alone.
            Traversal::DepthFirst => unsafe { node::transform(self.nodes[0], identity) },
            Traversal::BreadthFirst => self.levels(|node, above, _, _| {
                // SAFETY: as above; the matrix above is the node's own or that of a live one.
                (unsafe { node::transform_one(node, above) }, None)
            }),
        }
    }

    /// Lists every draw.
    #[inline(never)]
    pub fn render(&mut self) {
        self.draws.commands.clear();
        self.draws.matrices.clear();
        match self.traversal {
            // SAFETY: all nodes are alive, and used through these pointers alone.
            Traversal::DepthFirst => unsafe { node::render(self.nodes[0], None, &mut self.draws) },
            Traversal::BreadthFirst => self.levels(|node, above, material, draws| {
                // SAFETY: as above.
                (above, unsafe { node::render_one(node, material, draws) })
            }),
        }
    }

    /// Visits all nodes level by level.
    fn levels(
        &mut self,
        visit: impl Fn(*mut Base, *const Rows, Option<u32>, &mut Draws) -> (*const Rows, Option<u32>),
    ) {
        let Self { nodes, level, next, draws, .. } = self;
        level.clear();
        level.push((nodes[0], &raw const node::IDENTITY, None));
        while !level.is_empty() {
            for &(node, above, material) in &*level {
                let (above, material) = visit(node, above, material, draws);
                // SAFETY: all nodes are alive, and a node has as many children as it says.
                unsafe {
                    next.extend((0..node::count(node)).map(|at| (node::child(node, at), above, material)));
                }
            }
            core::mem::swap(level, next);
            next.clear();
        }
    }

    /// A sum over the draws listed last.
    #[must_use]
    pub fn draws(&self) -> Checksum {
        Checksum::of_draws(&self.draws)
    }

    /// A sum over all world matrices, by recipe id.
    #[must_use]
    pub fn worlds(&self) -> Checksum {
        let mut sum = Checksum::default();
        for (id, &node) in self.nodes.iter().enumerate() {
            // SAFETY: all nodes are alive.
            if let Some(world) = unsafe { node::world(node) } {
                sum.add_world(id, &world);
            }
        }
        sum
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for &node in &self.nodes {
            // SAFETY: all nodes are alive, and none is used after this.
            unsafe { node::free_list(node) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::{Content, RecipeNode, Topology};
    use hedgerow::Transform;

    /// The binary tree of figure 3.1: four levels.
    fn binary() -> Recipe {
        let node =
            |id: u32| RecipeNode { parent: id.saturating_sub(1) / 2, content: Content::Transform(Transform::IDENTITY) };
        Recipe::from_nodes((0..15).map(node).collect())
    }

    #[test]
    fn a_binary_tree_lies_as_the_thesis_draws_it() {
        let tree = binary();
        assert_eq!(Order::BreadthFirst.of(&tree), (0..15).collect::<Vec<_>>());
        assert_eq!(Order::DepthFirst.of(&tree), [0, 1, 3, 7, 8, 4, 9, 10, 2, 5, 11, 12, 6, 13, 14]);
        assert_eq!(Order::VanEmdeBoas.of(&tree), [0, 1, 2, 3, 7, 8, 4, 9, 10, 5, 11, 12, 6, 13, 14]);
    }

    #[test]
    fn every_order_has_each_node_once_and_parents_first() {
        let shapes = [Topology::Random, Topology::EightAry, Topology::Flat, Topology::Chain];
        for recipe in shapes.map(|shape| Recipe::transforms(shape, 700, 3)).into_iter().chain([Recipe::random(700, 4)])
        {
            for order in [Order::DepthFirst, Order::BreadthFirst, Order::VanEmdeBoas, Order::Made] {
                let ids = order.of(&recipe);
                let mut places = vec![usize::MAX; 700];
                for (place, &id) in ids.iter().enumerate() {
                    assert_eq!(core::mem::replace(&mut places[id as usize], place), usize::MAX);
                }
                assert_eq!(ids.len(), 700);
                let first = |id: usize| places[recipe.nodes()[id].parent as usize] < places[id];
                assert!((1..700).all(first), "{order:?}");
            }
        }
    }

    #[test]
    fn siblings_stay_in_their_order() {
        let recipe = Recipe::random(500, 9);
        for order in [Order::DepthFirst, Order::BreadthFirst, Order::VanEmdeBoas] {
            let ids = order.of(&recipe);
            let place = |id: u32| ids.iter().position(|&other| other == id);
            for list in Children::of(&recipe).lists {
                assert!(list.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{order:?}");
            }
        }
    }
}
