//! Groups nodes that move together.

use crate::node::graph::Forest;

pub(crate) struct Group {
    /// In depth-first order: parents come before children.
    pub(crate) nodes: Vec<usize>,
    /// Whether several nodes have no parent in the group.
    pub(crate) several_roots: bool,
}

/// Disjoint sets of marked nodes.
pub(crate) struct Grouping {
    /// Another node of the same set, or the node itself; `NONE` for unmarked nodes.
    links: Vec<usize>,
}

const NONE: usize = usize::MAX;

/// The path of a set through a node, up to the lowest common ancestor of the set.
#[derive(Clone, Copy)]
struct Path {
    /// A node of the set, or `NONE` for a missing path.
    set: usize,
    /// How many marked nodes of the set are at or below the node.
    met: usize,
}

impl Grouping {
    pub(crate) fn new(nodes: usize) -> Self {
        Self { links: vec![NONE; nodes] }
    }

    pub(crate) fn is_marked(&self, node: usize) -> bool {
        self.links[node] != NONE
    }

    pub(crate) fn mark(&mut self, node: usize) {
        if !self.is_marked(node) {
            self.links[node] = node;
        }
    }

    /// Returns the representative of a marked node's set.
    fn find(&mut self, mut node: usize) -> usize {
        while self.links[node] != node {
            // Path halving: later climbs are half as long.
            self.links[node] = self.links[self.links[node]];
            node = self.links[node];
        }
        node
    }

    /// Unites the sets of two marked nodes, and returns the representative of the result.
    pub(crate) fn unite(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.find(a), self.find(b));
        self.links[b] = a;
        a
    }

    /// Completes the sets: unites sets that must move together, and adds the nodes on the paths of each set.
    ///
    /// A marked node and all marked nodes below it are in the same set. Each set has the paths from its nodes to their
    /// lowest common ancestor. If paths meet, their sets are united. Runs in **O(nodes · log nodes)**.
    pub(crate) fn groups(mut self, forest: &Forest) -> Vec<Group> {
        let nodes = self.links.len();
        // Top down: the nearest marked node at or above each node, and the tree of each node.
        let [mut marked_above, mut tree] = [NONE; 2].map(|none| vec![none; nodes]);
        for &node in &forest.order {
            let (above, of_tree) = forest.parents[node].map_or((NONE, node), |it| (marked_above[it], tree[it]));
            tree[node] = of_tree;
            marked_above[node] = if self.is_marked(node) { node } else { above };
            if self.is_marked(node) && above != NONE {
                self.unite(above, node);
            }
        }
        // For each set: the number of marked nodes, and the tree (`NONE` if the set spans several trees).
        let [mut marks, mut home] = [0, NONE].map(|first| vec![first; nodes]);
        for &node in &forest.order {
            if self.is_marked(node) {
                let set = self.find(node);
                // A set of several trees has no lowest common node, and takes in its roots.
                home[set] = if marks[set] == 0 || home[set] == tree[node] { tree[node] } else { NONE };
                marks[set] += 1;
            }
        }
        // Bottom up: for each node, the set whose path passes through it; paths end when all marked nodes are met.
        let mut paths = vec![Path { set: NONE, met: 0 }; nodes];
        for &node in forest.order.iter().rev() {
            if self.is_marked(node) {
                let own = Path { set: self.find(node), met: 1 };
                self.meet(&mut paths[node], own, &mut marks, &mut home);
            }
            let (path, Some(parent)) = (paths[node], forest.parents[node]) else { continue };
            if path.set != NONE {
                let path = Path { set: self.find(path.set), ..path };
                // Marked nodes are elsewhere, so the path climbs on.
                if path.met < marks[path.set] || home[path.set] == NONE {
                    self.meet(&mut paths[parent], path, &mut marks, &mut home);
                }
            }
        }
        self.collect(forest, &paths)
    }

    /// Adds a path through a node. If another path already passes there, unites the sets of both paths.
    fn meet(&mut self, there: &mut Path, path: Path, marks: &mut [usize], home: &mut [usize]) {
        if there.set == NONE {
            *there = path;
            return;
        }
        let (other, set) = (self.find(there.set), path.set);
        there.met += path.met;
        if other != set {
            let one = self.unite(other, set);
            marks[one] = marks[other] + marks[set];
            // If two sets meet, they are in the same tree, unless one of them spans several trees.
            home[one] = if home[other] == NONE { NONE } else { home[set] };
        }
    }

    /// Returns the nodes of each set, ordered by first node.
    fn collect(mut self, forest: &Forest, paths: &[Path]) -> Vec<Group> {
        let (mut groups, mut number): (Vec<Group>, Vec<usize>) = (Vec::new(), vec![NONE; paths.len()]);
        for &node in &forest.order {
            if paths[node].set == NONE {
                continue;
            }
            let set = self.find(paths[node].set);
            if number[set] == NONE {
                number[set] = groups.len();
                groups.push(Group { nodes: Vec::new(), several_roots: false });
            }
            let group = &mut groups[number[set]];
            let parent = forest.parents[node].map(|parent| paths[parent].set).filter(|&parent| parent != NONE);
            let is_root = parent.is_none_or(|parent| self.find(parent) != set);
            group.several_roots |= is_root && !group.nodes.is_empty();
            group.nodes.push(node);
        }
        groups
    }
}
