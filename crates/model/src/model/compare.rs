//! The full comparison of a scene with its model.

use super::Check;
use super::dump::{dump, same_slice};
use super::oracle::Oracle;
use super::tree::{Mask, Met};
use super::world::World;
use hedgerow::edit::BatchError;
use hedgerow::{Error, Layers, Mat34, NodeHandle};

/// The inherited values, as the model computes them on the way down.
#[derive(Clone, Copy)]
struct Inherited {
    mask: Mask,
    material: Option<u32>,
}

impl Oracle {
    /// Compares every query of each node, and validates the scene. After an update, also compares its results.
    pub fn compare(&mut self, updated: bool) -> Check {
        if let Err(violation) = self.scene.validate() {
            ensure!(false, "the scene does not validate: {violation}\n{}", dump(&self.scene));
        }
        let mut met = core::mem::take(&mut self.met);
        self.attached = self.tree.walk(&mut met);
        self.compare_sides()?;
        self.worlds.clear();
        self.fresh.clear();
        let mut inherited: Vec<Inherited> = Vec::with_capacity(met.len());
        for (number, next) in met.iter().enumerate() {
            let own = self.inherit(next.index, inherited.get(next.parent).copied());
            inherited.push(own);
            self.compare_links(next, number < self.attached)?;
            self.compare_node(next)?;
            self.compose(next)?;
            if self.is_sample(number, met.len()) {
                self.compare_from_above(next, own)?;
            }
            if updated {
                self.compare_updated(next)?;
            } else if self.scene.get(self.tree.handle(next.index)).is_some_and(|node| node.matrix_slot().is_none()) {
                // It was inserted since the update, so no pass finds it: see `compare_spatial`.
                let world = self.scene.world(self.tree.handle(next.index));
                ensure!(world == Some(&Mat34::IDENTITY), "a node that waits for the update is at {world:?}");
            } else if let Some(seen) = self.tree.at(next.index).seen {
                let world = self.scene.world(self.tree.handle(next.index)).copied();
                let same = world.is_some_and(|world| same_bits(&world, &seen));
                ensure!(same, "the world as of the last update was {seen:?} and is {world:?} before the next");
            }
        }
        let nodes: Vec<NodeHandle> = met.iter().map(|next| self.tree.handle(next.index)).collect();
        let mut worlds = vec![Mat34::IDENTITY; nodes.len()];
        let done = self.scene.worlds_of(&nodes, &mut worlds);
        ensure!(done.is_ok(), "the worlds of all are refused: {done:?}");
        let same = nodes
            .iter()
            .zip(&worlds)
            .all(|(&node, world)| self.scene.world(node).is_some_and(|single| same_bits(single, world)));
        ensure!(same, "the worlds of all are not those of each");
        self.met = met;
        self.compare_stale()
    }

    /// Compares the nodes of the tree, and the detached nodes.
    fn compare_sides(&self) -> Check {
        let (len, detached) = (self.scene.len(), self.scene.stats().detached);
        let expected = (self.attached, self.tree.len() - self.attached);
        ensure!((len, detached) == expected, "{len} nodes and {detached} detached ones, not {expected:?}");
        let mut roots: Vec<NodeHandle> = self.scene.detached().map(|node| node.handle()).collect();
        let mut expected: Vec<NodeHandle> = self.tree.detached().iter().map(|&root| self.tree.handle(root)).collect();
        roots.sort_unstable();
        expected.sort_unstable();
        ensure!(roots == expected, "{roots:?} are detached, not {expected:?}");
        Ok(())
    }

    fn inherit(&self, index: usize, above: Option<Inherited>) -> Inherited {
        let entry = self.tree.at(index);
        let above = above.unwrap_or(Inherited { mask: Mask::ALL, material: None });
        Inherited { mask: above.mask.below(entry), material: entry.material.or(above.material) }
    }

    fn compare_links(&self, next: &Met, is_attached: bool) -> Check {
        let (scene, tree) = (&self.scene, &self.tree);
        let entry = tree.at(next.index);
        let handle = entry.handle;
        ensure!(scene.contains(handle), "{handle:?} is live and not contained");
        let named = |index: Option<usize>| index.map(|index| tree.handle(index));
        let links: [(&str, Option<NodeHandle>, Option<NodeHandle>); 5] = [
            ("parent", scene.parent(handle), named(entry.parent)),
            (
                "first child",
                scene.get(handle).and_then(|node| node.first_child()).map(|node| node.handle()),
                named(entry.children.first().copied()),
            ),
            (
                "last child",
                scene.get(handle).and_then(|node| node.last_child()).map(|node| node.handle()),
                named(entry.children.last().copied()),
            ),
            (
                "next sibling",
                scene.get(handle).and_then(|node| node.next_sibling()).map(|node| node.handle()),
                named(next.after),
            ),
            (
                "previous sibling",
                scene.get(handle).and_then(|node| node.previous_sibling()).map(|node| node.handle()),
                named(next.before),
            ),
        ];
        for (what, answer, expected) in links {
            ensure!(answer == expected, "the {what} of {handle:?} is {answer:?}, not {expected:?}");
        }
        let children = || entry.children.iter().map(|&child| tree.handle(child));
        let same = scene.children(handle).eq(children()) && scene.children(handle).rev().eq(children().rev());
        ensure!(same, "{handle:?} has other children");
        let (detached, expected) = (scene.get(handle).is_some_and(|node| node.is_detached()), !is_attached);
        ensure!(detached == expected, "{handle:?} is detached: {detached}, not {expected}");
        Ok(())
    }

    fn compare_node(&self, next: &Met) -> Check {
        let handle = self.tree.handle(next.index);
        let (node, expected) = (self.scene.get(handle).map(|node| node.to_node()), self.described(next.index));
        ensure!(node == Some(expected), "{handle:?} reads {node:?}, not {expected:?}");
        let entry = self.tree.at(next.index);
        let found = self.scene.get(handle).and_then(|node| node.translation_f64());
        let expected = entry.kept().map(|kept| kept.wide.translation);
        ensure!(found == expected, "the translation of {handle:?} is {found:?}, not {expected:?}");
        let (found, expected) = (self.scene.get(handle).map(|node| node.user_data()), self.renderer.user_data(handle));
        ensure!(found == Some(expected), "the user data of {handle:?} is {found:?}, not {expected}");
        Ok(())
    }

    /// Composes the world transform in both precisions.
    fn compose(&mut self, next: &Met) -> Check {
        let entry = self.tree.at(next.index);
        let parent = Some(next.parent).filter(|&parent| parent < self.worlds.len() && !entry.anchored);
        let (world, fresh) =
            parent.map_or((World::IDENTITY, Mat34::IDENTITY), |parent| (self.worlds[parent], self.fresh[parent]));
        let (world, fresh) =
            entry.kept().map_or((world, fresh), |kept| (world.below(&kept), fresh * kept.local.to_matrix()));
        ensure!(world.agrees(&fresh), "the world of {:?} is {fresh:?}, not {world:?}", entry.handle);
        self.worlds.push(world);
        self.fresh.push(fresh);
        Ok(())
    }

    /// Compares what a read finds by walking up the tree.
    fn compare_from_above(&self, next: &Met, inherited: Inherited) -> Check {
        let handle = self.tree.handle(next.index);
        let Some(node) = self.scene.get(handle) else { return Ok(()) };
        let depth = node.depth();
        ensure!(depth == next.depth, "{handle:?} is {depth} deep, not {}", next.depth);
        let (found, expected) = (node.fresh_world(), self.fresh[self.fresh.len() - 1]);
        ensure!(same_bits(&found, &expected), "the fresh world of {handle:?} is {found:?}, not {expected:?}");
        let (found, expected) = (node.world_f64(), self.worlds[self.worlds.len() - 1].matrix);
        let same = found == expected || !expected.is_finite();
        ensure!(same, "in double precision, the world of {handle:?} is {found:?}, not {expected:?}");
        let mask = self.scene.get(handle).map(|node| node.layers()).map(Layers::mask);
        let expected = inherited.mask.layers();
        ensure!(mask == Some(expected), "{handle:?} shows on {mask:?}, not {expected:#x}");
        let material = self.scene.get(handle).and_then(|node| node.material());
        let expected = inherited.material;
        ensure!(material == expected, "the material of {handle:?} is {material:?}, not {expected:?}");
        Ok(())
    }

    /// Checks that an update gives the same bits as the fresh world matrices.
    fn compare_updated(&mut self, next: &Met) -> Check {
        let handle = self.tree.handle(next.index);
        let fresh = self.fresh[self.fresh.len() - 1];
        let Some(world) = self.scene.world(handle).copied() else {
            return Err(super::Mismatch(format!("{handle:?} has no world")));
        };
        ensure!(same_bits(&world, &fresh), "{handle:?} was updated to {world:?}, not to {fresh:?}");
        let bounds = self.scene.get(handle).and_then(|node| node.bounds());
        let expected = self.tree.at(next.index).drawable.map(|drawable| drawable.bounds.transformed(&world));
        ensure!(bounds == expected, "the world bounds of {handle:?} are {bounds:?}, not {expected:?}");
        let entry = self.tree.at_mut(next.index);
        entry.seen = entry.local.map(|_| world);
        Ok(())
    }

    /// Queries a few of the removed nodes, different ones at each step.
    fn compare_stale(&self) -> Check {
        let removed = self.tree.removed();
        let (scene, steps) = (&self.scene, self.counts.steps);
        for turn in 0..removed.len().min(4) {
            let handle = removed[(steps * 7 + turn * 13) % removed.len()];
            let silent = !scene.contains(handle)
                && scene.get(handle).is_none()
                && scene.parent(handle).is_none()
                && scene.world(handle).is_none()
                && scene.local(handle).is_none()
                && scene.children(handle).next().is_none()
                && !same_slice(scene, handle, handle);
            ensure!(silent, "{handle:?} was removed and still answers");
            let refused = scene.worlds_of(&[scene.root(), handle], &mut [Mat34::IDENTITY; 2]);
            let expected = BatchError { item: Some(1), error: Error::StaleHandle(handle) };
            ensure!(refused == Err(expected), "the world of {handle:?}, which was removed, gives {refused:?}");
        }
        Ok(())
    }
}

pub fn same_bits(a: &Mat34, b: &Mat34) -> bool {
    a.rows.iter().flatten().zip(b.rows.iter().flatten()).all(|(x, y)| x.to_bits() == y.to_bits())
}
