//! Edits of a tree, and a simple reference tree that gets the same edits.

use crate::shapes::Shape;
use fastrand::Rng;
use hedgerow::Transform;
use hedgerow::glam::DAffine3;

/// The reference tree as lists; it receives all edits that the peers receive.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    parents: Vec<u32>,
    children: Vec<Vec<u32>>,
    locals: Vec<Transform>,
    alive: Vec<bool>,
    /// All nodes except the root in random order, including removed ones.
    order: Vec<u32>,
    /// Random transforms to set.
    spare: Vec<Transform>,
    rng: Rng,
}

impl Account {
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut rng = Rng::with_seed(23);
        let mut children = vec![Vec::new(); shape.len()];
        for (id, &parent) in (0..).zip(&shape.parents).skip(1) {
            children[parent as usize].push(id);
        }
        let mut order: Vec<u32> = (0..).zip(&shape.parents).skip(1).map(|(id, _)| id).collect();
        rng.shuffle(&mut order);
        let mut spare = shape.locals.clone();
        rng.shuffle(&mut spare);
        Self {
            parents: shape.parents.clone(),
            children,
            locals: shape.locals.clone(),
            alive: vec![true; shape.len()],
            order,
            spare,
            rng,
        }
    }

    /// Returns the number of nodes that can move: all except the root.
    pub(crate) fn movable(&self) -> usize {
        self.order.len()
    }

    /// Moves `count` different random nodes, in random order. Must not be called after removals.
    pub(crate) fn frame(&mut self, count: usize) -> Vec<(u32, Transform)> {
        let (all, start) = (self.order.len(), self.rng.usize(..self.order.len()));
        let shift = self.rng.usize(..all);
        let moved: Vec<_> = (start..start + count.min(all))
            .map(|place| (self.order[place % all], self.spare[(place + shift) % all]))
            .collect();
        for &(node, local) in &moved {
            self.locals[node as usize] = local;
        }
        moved
    }

    /// Moves `count` leaves below other nodes, as last children, and returns `(node, parent)`.
    pub(crate) fn moves(&mut self, count: usize) -> Vec<(u32, u32)> {
        (0..count).map(|_| self.one_move()).collect()
    }

    fn one_move(&mut self) -> (u32, u32) {
        let mut leaf = self.any();
        while let Some(&child) = self.children[leaf as usize].last() {
            leaf = child;
        }
        let mut parent = self.any();
        while parent == leaf {
            parent = self.any();
        }
        self.unlink(leaf);
        self.parents[leaf as usize] = parent;
        self.children[parent as usize].push(leaf);
        (leaf, parent)
    }

    /// Removes `count` subtrees of at most `largest` nodes each. Returns their tops and the number of removed nodes.
    pub(crate) fn removals(&mut self, count: usize, largest: usize) -> (Vec<u32>, usize) {
        let (mut tops, mut removed) = (Vec::new(), 0);
        for _ in 0..count {
            let mut top = self.any();
            let mut below = self.subtree(top, largest);
            while below.len() > largest {
                let children = &self.children[top as usize];
                top = children[self.rng.usize(..children.len())];
                below = self.subtree(top, largest);
            }
            self.unlink(top);
            removed += below.len();
            below.iter().for_each(|&node| self.alive[node as usize] = false);
            tops.push(top);
        }
        (tops, removed)
    }

    /// Returns a random existing node other than the root.
    fn any(&mut self) -> u32 {
        loop {
            let node = self.order[self.rng.usize(..self.order.len())];
            if self.alive[node as usize] {
                return node;
            }
        }
    }

    fn unlink(&mut self, node: u32) {
        let siblings = &mut self.children[self.parents[node as usize] as usize];
        let place = siblings.iter().position(|&sibling| sibling == node);
        // World matrices do not depend on the order of siblings.
        siblings.swap_remove(place.expect("a node is among its parent's children"));
    }

    /// Returns the nodes of a subtree; stops once there are more than `most`.
    fn subtree(&self, top: u32, most: usize) -> Vec<u32> {
        let mut nodes = vec![top];
        let mut next = 0;
        while next < nodes.len() && nodes.len() <= most {
            nodes.extend_from_slice(&self.children[nodes[next] as usize]);
            next += 1;
        }
        nodes
    }

    /// Returns the world matrix of every existing node, in double precision.
    pub(crate) fn worlds(&self) -> Vec<(u32, DAffine3)> {
        let local = |node: u32| {
            let local = &self.locals[node as usize];
            let [scale, translation] = [local.scale, local.translation].map(|vector| vector.as_dvec3());
            DAffine3::from_scale_rotation_translation(scale, local.rotation.as_dquat(), translation)
        };
        let mut worlds = vec![(0, local(0))];
        let mut next = 0;
        while next < worlds.len() {
            let (node, world) = worlds[next];
            let children = &self.children[node as usize];
            worlds.extend(children.iter().map(|&child| (child, world * local(child))));
            next += 1;
        }
        worlds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::shape;
    use std::collections::HashSet;

    #[test]
    fn frames_move_each_node_once_and_others_each_time() {
        let mut account = Account::new(&shape("random", 1000, None).unwrap().unwrap());
        let mut frame = |count| account.frame(count).iter().map(|&(node, _)| node).collect::<HashSet<_>>();
        let (first, second) = (frame(100), frame(100));
        assert_eq!((first.len(), second.len(), frame(5000).len()), (100, 100, 999));
        assert!(first != second && !first.contains(&0));
    }

    #[test]
    fn edits_leave_a_tree() {
        for name in ["random", "flat", "chain", "rigs"] {
            let mut account = Account::new(&shape(name, 1000, None).unwrap().unwrap());
            let before = account.worlds().len();
            assert!(account.moves(200).iter().all(|(node, parent)| node != parent));
            assert_eq!(account.worlds().len(), before, "{name}");
            let (tops, removed) = account.removals(20, 10);
            assert!(tops.len() == 20 && (20..=200).contains(&removed));
            assert_eq!(account.worlds().len(), before - removed, "{name}");
        }
    }

    #[test]
    fn world_matrices_are_products_along_the_way_from_the_root() {
        let shape = shape("chain", 3, None).unwrap().unwrap();
        let matrix = |at: usize| {
            let local = shape.locals[at];
            hedgerow::glam::Mat4::from_scale_rotation_translation(local.scale, local.rotation, local.translation)
                .as_dmat4()
        };
        let expected = matrix(0) * matrix(1) * matrix(2);
        let worlds = Account::new(&shape).worlds();
        let world = hedgerow::glam::DMat4::from(worlds[2].1);
        assert!(world.abs_diff_eq(expected, 1e-4), "{world} {expected}");
    }
}
