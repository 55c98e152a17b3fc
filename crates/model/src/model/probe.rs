//! Iterators, paths and the visitor, compared at one node.

use super::Check;
use super::oracle::Oracle;
use super::tree::Tree;
use hedgerow::{
    NodeHandle, NodeRef, Place, iter,
    visit::{Flow, SliceView, SliceVisitor, Visitor},
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Edge {
    Enter(NodeHandle),
    Leave(NodeHandle),
}

impl Edge {
    fn of(edge: iter::Edge<'_>) -> Self {
        match edge {
            iter::Edge::Enter(node) => Self::Enter(node.handle()),
            iter::Edge::Leave(node) => Self::Leave(node.handle()),
        }
    }
}

impl Oracle {
    /// Compares every iterator that starts at the node chosen by this number.
    pub fn probe(&self, probe: u16, updated: bool) -> Check {
        let live = self.tree.live();
        let other = live[usize::from(probe / 3) % live.len()];
        let top = if probe.is_multiple_of(16) { Tree::ROOT } else { live[usize::from(probe) % live.len()] };
        self.probe_siblings(top)?;
        self.probe_ancestors(top, other)?;
        self.probe_subtree(top)?;
        self.probe_path(top)?;
        if probe.is_multiple_of(4) {
            self.probe_visit(top, u64::from(probe / 4))?;
            self.probe_slices(updated)?;
        }
        Ok(())
    }

    fn handles(&self, indices: impl IntoIterator<Item = usize>) -> Vec<NodeHandle> {
        indices.into_iter().map(|index| self.tree.handle(index)).collect()
    }

    fn probe_siblings(&self, top: usize) -> Check {
        let handle = self.tree.handle(top);
        let mut children = self.handles(self.tree.at(top).children.iter().copied());
        let answer: Vec<_> = self.scene.children(handle).collect();
        ensure!(answer == children, "the children of {handle:?} are {answer:?}, not {children:?}");
        // Takes from both ends in turn until they meet.
        let mut ends = self.scene.children(handle);
        let mut rest = children.as_slice();
        while let [first, more @ ..] = rest {
            ensure!(ends.next() == Some(*first), "{first:?} is not next among {children:?}");
            rest = more;
            if let [more @ .., last] = rest {
                ensure!(ends.next_back() == Some(*last), "{last:?} is not next from behind among {children:?}");
                rest = more;
            }
        }
        let over = ends.next().is_none() && ends.next_back().is_none();
        ensure!(over, "the children of {handle:?} do not end where both ends meet");
        children.clear();
        if let Some(parent) = self.tree.at(top).parent {
            let all = &self.tree.at(parent).children;
            children = self.handles(all.iter().copied().filter(|&sibling| sibling != top));
        }
        let parent = self.tree.at(top).parent;
        let expected = match parent {
            Some(parent) => Some(Place::Child(self.tree.handle(parent), self.tree.rank(top))),
            None => (top != Tree::ROOT).then_some(Place::Detached),
        };
        let place = self.scene.get(handle).and_then(|node| node.place());
        ensure!(place == expected, "the place of {handle:?} is {place:?}, not {expected:?}");
        let count = self.scene.children(handle).count();
        ensure!(count == self.tree.at(top).children.len(), "{handle:?} has {count} children");
        let answer: Vec<_> = self.scene.get(handle).unwrap().siblings().map(|node| node.handle()).collect();
        ensure!(answer == children, "the siblings of {handle:?} are {answer:?}, not {children:?}");
        Ok(())
    }

    fn probe_ancestors(&self, top: usize, other: usize) -> Check {
        let handle = self.tree.handle(top);
        let ancestors = self.handles(self.tree.up(top).skip(1));
        let answer: Vec<_> = self.scene.get(handle).unwrap().ancestors().map(|node| node.handle()).collect();
        ensure!(answer == ancestors, "the ancestors of {handle:?} are {answer:?}, not {ancestors:?}");
        for (a, b) in [(top, other), (other, top), (Tree::ROOT, top), (top, top)] {
            let expected = a != b && self.tree.is_within(b, a);
            let answer = self.scene.get(self.tree.handle(b)).is_some_and(|node| node.is_below(self.tree.handle(a)));
            let (a, b) = (self.tree.handle(a), self.tree.handle(b));
            ensure!(answer == expected, "{a:?} above {b:?}: {answer}, not {expected}");
        }
        Ok(())
    }

    fn probe_subtree(&self, top: usize) -> Check {
        let handle = self.tree.handle(top);
        let all = self.tree.pre_order(top);
        let expected = self.handles(all.iter().copied());
        let answer: Vec<_> = self.scene.get(handle).unwrap().descendants().map(|node| node.handle()).collect();
        ensure!(answer == expected, "the descendants of {handle:?} are {answer:?}, not {expected:?}");
        let leaves = all.iter().copied().filter(|&node| self.tree.at(node).children.is_empty());
        let expected = self.handles(leaves);
        let answer: Vec<_> = self.scene.get(handle).unwrap().leaves().map(|node| node.handle()).collect();
        ensure!(answer == expected, "the leaves of {handle:?} are {answer:?}, not {expected:?}");
        let mut edges = Vec::with_capacity(all.len() * 2);
        self.edges(top, &mut edges);
        let answer: Vec<_> = self.scene.get(handle).unwrap().edges().map(Edge::of).collect();
        ensure!(answer == edges, "the edges of {handle:?} are {answer:?}, not {edges:?}");
        let answer: Vec<_> = self.scene.get(handle).unwrap().post_order().map(|node| node.handle()).collect();
        let mut leaves = edges.iter().filter_map(|edge| match edge {
            Edge::Leave(node) => Some(*node),
            Edge::Enter(_) => None,
        });
        let same = answer.iter().all(|&node| leaves.next() == Some(node)) && leaves.next().is_none();
        ensure!(same, "the post-order of {handle:?} is {answer:?}, but its edges are {edges:?}");
        Ok(())
    }

    fn edges(&self, top: usize, edges: &mut Vec<Edge>) {
        // The rank on the stack is the number of children that are done.
        let mut stack = vec![(top, 0)];
        edges.push(Edge::Enter(self.tree.handle(top)));
        while let Some((node, rank)) = stack.last_mut() {
            let entry = self.tree.at(*node);
            if let Some(&child) = entry.children.get(*rank) {
                *rank += 1;
                stack.push((child, 0));
                edges.push(Edge::Enter(self.tree.handle(child)));
            } else {
                edges.push(Edge::Leave(entry.handle));
                stack.pop();
            }
        }
    }

    /// Finds the first node by the path of names down to `top`, if all its nodes have names.
    fn probe_path(&self, top: usize) -> Check {
        let mut way: Vec<usize> = self.tree.up(top).collect();
        let Some(root) = way.pop() else { return Ok(()) };
        way.reverse();
        let names: Option<Vec<&str>> = way.iter().map(|&node| self.tree.at(node).name).collect();
        let Some(names) = names else { return Ok(()) };
        let mut found = Some(root);
        for name in &names {
            let children = found.map(|node| &self.tree.at(node).children);
            found = children
                .and_then(|children| children.iter().copied().find(|&child| self.tree.at(child).name == Some(name)));
        }
        let expected = found.map(|node| self.tree.handle(node));
        let root = self.tree.handle(root);
        if !names.is_empty() && names.iter().all(|name| !name.is_empty() && !name.contains('/')) {
            let path = names.join("/");
            let answer = self.scene.get(root).and_then(|node| node.find(&path)).map(|node| node.handle());
            ensure!(answer == expected, "{path:?} leads to {answer:?}, not {expected:?}");
        }
        Ok(())
    }

    /// Visits with some nodes pruned, and possibly one that stops the walk.
    fn probe_visit(&self, top: usize, seed: u64) -> Check {
        let handle = self.tree.handle(top);
        let above = self.tree.up(top).count() - 1;
        let mut recorder = Recorder { seed, above, depth: 0, edges: Vec::new(), wrong: None };
        let flow = self.scene.visit(handle, &mut recorder);
        if let Some(wrong) = recorder.wrong {
            return Err(super::Mismatch(wrong));
        }
        let mut expected = Vec::new();
        let ended = self.expected_visit(top, seed, &mut expected);
        ensure!(flow == ended, "the visit of {handle:?} ended with {flow:?}, not {ended:?}");
        let edges = recorder.edges;
        ensure!(edges == expected, "the visit of {handle:?} was {edges:?}, not {expected:?}");
        Ok(())
    }

    fn expected_visit(&self, top: usize, seed: u64, edges: &mut Vec<Edge>) -> Flow {
        let mut stack = vec![(top, usize::MAX)];
        while let Some((node, rank)) = stack.last_mut() {
            let entry = self.tree.at(*node);
            if *rank == usize::MAX {
                edges.push(Edge::Enter(entry.handle));
                *rank = match decision(seed, entry.handle) {
                    Flow::Break => return Flow::Break,
                    Flow::Prune => entry.children.len(),
                    Flow::Continue => 0,
                };
            }
            if let Some(&child) = entry.children.get(*rank) {
                *rank += 1;
                stack.push((child, usize::MAX));
            } else {
                edges.push(Edge::Leave(entry.handle));
                stack.pop();
            }
        }
        Flow::Continue
    }

    fn probe_slices(&self, updated: bool) -> Check {
        let mut counter = Counter::default();
        let flow = self.scene.visit_slices(&mut counter);
        ensure!(flow == Flow::Continue, "the visit of slices ended with {flow:?}");
        // Slices of detached subtrees are not in the tree. Nodes inserted since the update are in no slice.
        let (slices, all) = (counter.slices, self.scene.stats().slices);
        ensure!(slices < all, "{slices} slices of {all} were visited, and there is one of detached nodes");
        let (nodes, most) = (counter.nodes, self.tree.len());
        ensure!(nodes <= most && (!updated || nodes == self.attached), "{nodes} nodes in slices of {}", self.attached);
        Ok(())
    }
}

/// Returns the visitor's result for entering a node.
fn decision(seed: u64, node: NodeHandle) -> Flow {
    let mixed = (node.to_bits() ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    match mixed % 97 {
        0 => Flow::Break,
        1..=20 => Flow::Prune,
        _ => Flow::Continue,
    }
}

struct Recorder {
    seed: u64,
    above: usize,
    /// The depth below the start of the node that is entered next.
    depth: usize,
    edges: Vec<Edge>,
    wrong: Option<String>,
}

impl Visitor for Recorder {
    fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
        let handle = node.handle();
        let scene = node.scene();
        let depth = self.above + self.depth;
        let same =
            scene.get(handle) == Some(*node) && node.depth() == depth && Some(node.world()) == scene.world(handle);
        if !same {
            self.wrong = Some(format!("the visitor sees {:?} otherwise than the scene", node.handle()));
        }
        self.edges.push(Edge::Enter(handle));
        self.depth += 1;
        decision(self.seed, handle)
    }

    fn leave(&mut self, node: &NodeRef<'_>) {
        self.depth -= 1;
        self.edges.push(Edge::Leave(node.handle()));
    }
}

#[derive(Default)]
struct Counter {
    slices: usize,
    nodes: usize,
}

impl SliceVisitor for Counter {
    fn slice(&mut self, slice: SliceView<'_>) -> Flow {
        self.slices += 1;
        self.nodes += slice.nodes();
        Flow::Continue
    }
}
