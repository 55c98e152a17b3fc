//! Batches of edits. The model makes the same edits one by one.

use super::dump::same_slice;
use super::moves::form_of;
use super::op::Target;
use super::oracle::{Oracle, Refusals};
use super::tree::Tree;
use super::{Check, Mismatch, components};
use hedgerow::edit::BatchError;
use hedgerow::{Error, Keep, Local, NodeHandle, NodeRef, Place, Scene, Transform};
use std::collections::HashMap;

impl Oracle {
    /// Returns the node of the target and others chosen by the seed, some of them repeatedly.
    pub(super) fn pick_many(&self, target: Target, more: u8, seed: u8) -> Vec<NodeHandle> {
        let others = (1..=u16::from(more)).map(|turn| Target::Live((u16::from(seed) + turn % 7).wrapping_mul(40_503)));
        let mut picked: Vec<_> = others.chain([target]).map(|target| self.tree.pick(target)).collect();
        let middle = picked.len() / 2;
        picked[middle..].rotate_right(1);
        picked
    }

    /// Returns the faults of the first faulty item as the expected refusals.
    pub(super) fn batch_refusals<I>(items: &[I], mut faults: impl FnMut(&I, &mut Refusals)) -> Refusals {
        for (index, item) in items.iter().enumerate() {
            let mut refusals = Refusals::default();
            faults(item, &mut refusals);
            if !refusals.errors.is_empty() {
                let items = refusals.errors.drain(..).map(|error| BatchError { item: Some(index), error }).collect();
                return Refusals { items, ..refusals };
            }
        }
        Refusals::default()
    }

    pub(super) fn remove_many(&mut self, target: Target, more: u8, seed: u8) -> Check<Option<bool>> {
        let nodes = self.pick_many(target.leafward(), more, seed);
        let root = self.tree.handle(Tree::ROOT);
        // Removing many branches would leave small trees, so most are replaced by one of their leaves.
        let leaf = |&node: &NodeHandle| {
            let top = self.tree.find(node).filter(|_| node != root);
            top.map_or(node, |top| self.tree.handle(*self.tree.pre_order(top).last().unwrap_or(&top)))
        };
        let nodes: Vec<_> =
            nodes.iter().enumerate().map(|(turn, node)| if turn == 1 { *node } else { leaf(node) }).collect();
        let refusals = Self::batch_refusals(&nodes, |&node, refusals| {
            if self.live(node, refusals) == Some(Tree::ROOT) {
                refusals.errors.push(Error::RootIsFixed);
            }
        });
        let crossed = nodes.windows(2).any(|pair| !same_slice(&self.scene, pair[0], pair[1]));
        let Some(removed) = self.attempt(refusals, |scene| scene.remove_many(&nodes))? else {
            return Ok(None);
        };
        self.counts.batches += 1;
        let mut expected = 0;
        for &node in &nodes {
            expected += self.tree.find(node).map_or(0, |index| self.tree.remove(index));
        }
        ensure!(removed == expected, "removed {removed} nodes, not {expected}");
        Ok(Some(crossed))
    }

    pub(super) fn set_locals(&mut self, target: Target, transform: Transform, more: u8, seed: u8) -> Check {
        let nodes = self.pick_many(target, more, seed);
        // Another operation covers nodes that get their first transform.
        let has_local =
            |node: &NodeHandle| self.tree.find(*node).is_none_or(|index| self.tree.at(index).local.is_some());
        let varied = |turn: usize| Transform { translation: transform.translation + turn as f32, ..transform };
        let nodes = nodes.into_iter().enumerate().filter(|(_, node)| has_local(node));
        let items: Vec<_> = nodes.map(|(turn, node)| (node, varied(turn))).collect();
        let refusals = Self::batch_refusals(&items, |&(node, transform), refusals| {
            self.live(node, refusals);
            components::local_faults(&Local::Transform(transform), &mut refusals.errors);
        });
        // Items before a refused one are set. This is checked in a copy, against single edits.
        let is_refused = !refusals.is_empty();
        let (mut stops_there, mut taken) = (true, 0);
        let set = |scene: &mut Scene| {
            if !is_refused {
                return scene.set_locals(items.iter().copied());
            }
            let [mut copy, mut single] = [scene.clone(), scene.clone()];
            let result = copy.set_locals(items.iter().copied().inspect(|_| taken += 1));
            let before = result.as_ref().map_or_else(|error| error.item.unwrap_or(0), |()| items.len());
            let set = items[..before].iter().all(|&(node, transform)| single.set_local(node, transform).is_ok());
            stops_there = set && copy.to_bytes() == single.to_bytes() && taken == before + 1;
            result
        };
        let done = self.attempt(refusals, set)?;
        ensure!(stops_there, "a refused list has set or taken other items than those before the refused one");
        if done.is_none() {
            return Ok(());
        }
        self.counts.batches += 1;
        for (turn, (node, given)) in items.iter().enumerate() {
            let is_last = items[turn + 1..].iter().all(|(later, _)| later != node);
            if is_last && let Some(index) = self.tree.find(*node) {
                self.adopt(index, &Local::Transform(*given))?;
            }
        }
        Ok(())
    }

    pub fn twin(&self) -> Check<Scene> {
        let loaded = Scene::from_bytes(&self.scene.to_bytes());
        loaded.map_err(|error| Mismatch(format!("what was saved is refused: {error}")))
    }

    pub fn topmost(&mut self, target: Target, more: u8, seed: u8) -> Check {
        let nodes = self.pick_many(target, more, seed);
        let refusals = Self::batch_refusals(&nodes, |&node, refusals| {
            self.live(node, refusals);
        });
        let Some(found) = self.attempt(refusals, |scene| scene.topmost(&nodes))? else { return Ok(()) };
        let listed = |index: usize| nodes.contains(&self.tree.handle(index));
        let below = |index: usize| self.tree.up(index).skip(1).any(listed);
        let tops = self.scene.get(self.scene.root()).into_iter().chain(self.scene.detached());
        let listed = tops.flat_map(NodeRef::descendants).map(NodeRef::handle).filter(|node| nodes.contains(node));
        let expected: Vec<_> = listed.filter(|&node| !self.tree.find(node).is_some_and(below)).collect();
        ensure!(found == expected, "the topmost of {nodes:?} are {found:?}, not {expected:?}");
        Ok(())
    }

    pub fn reparent_many(&mut self, target: Target, to: Target, keep: Keep, more: u8, seed: u8) -> Check<Option<bool>> {
        let nodes = self.pick_many(target, more, seed);
        let parents = self.pick_many(to, more, seed.wrapping_mul(31).wrapping_add(5));
        // Half of the nodes get the same parent, like a selection that is grouped.
        let parent = |turn: usize| if turn.is_multiple_of(2) { parents[0] } else { parents[turn] };
        let items: Vec<_> = nodes.iter().enumerate().map(|(turn, &node)| (node, parent(turn))).collect();
        let mut refusals = Self::batch_refusals(&items, |&(node, parent), refusals| {
            if self.live(node, refusals) == Some(Tree::ROOT) {
                refusals.errors.push(Error::RootIsFixed);
            }
            self.live(parent, refusals);
        });
        let last: HashMap<NodeHandle, NodeHandle> = items.iter().copied().collect();
        let above = |node: NodeHandle| {
            let parent = self.tree.find(node).and_then(|index| self.tree.at(index).parent);
            last.get(&node).copied().or(parent.map(|parent| self.tree.handle(parent)))
        };
        if refusals.is_empty() {
            let own_ancestor = |node: NodeHandle| {
                let way = core::iter::successors(above(node), |&next| above(next)).take(self.tree.len() + 1);
                way.into_iter().any(|next| next == node)
            };
            for (item, &(node, _)) in items.iter().enumerate() {
                if own_ancestor(node) {
                    let error = Error::WouldCycle { node, parent: last[&node] };
                    refusals.items.push(BatchError { item: Some(item), error });
                }
            }
        }
        let mut worlds = Vec::new();
        if keep == Keep::World && refusals.is_empty() {
            for (item, &(node, parent)) in items.iter().enumerate() {
                let (Some(index), Some(parent)) = (self.tree.find(node), self.tree.find(parent)) else { continue };
                let mut single = Refusals::default();
                worlds.push((index, self.judge(index, parent, keep, &mut single)));
                let of_item = |error| BatchError { item: Some(item), error };
                refusals.items.extend(single.errors.into_iter().map(of_item));
                // Whether a parent's inverse is needed depends on the other items.
                refusals.unsure = !refusals.items.is_empty();
            }
        }
        if self.attempt(refusals, |scene| scene.reparent_many(&items, keep))?.is_none() {
            return Ok(None);
        }
        self.counts.batches += 1;
        for (turn, &(node, parent)) in items.iter().enumerate() {
            let is_last = items[turn + 1..].iter().all(|&(later, _)| later != node);
            if let Some(index) = self.tree.find(node).filter(|_| is_last) {
                self.tree.shift(index, Place::LastChildOf(parent));
            }
        }
        worlds.sort_by_key(|&(index, _)| self.tree.up(index).count());
        for &(index, wanted) in &worlds {
            let handle = self.tree.handle(index);
            if let Some(wanted) = wanted {
                let form = self.scene.local(handle).map(|local| form_of(&local));
                self.take_local(index, &self.above(index), &wanted, form)?;
            } else {
                self.keep_moved(index, self.scene.local(handle));
            }
        }
        // Taming comes last: descendants were computed with the transforms above them.
        worlds.into_iter().try_for_each(|(index, _)| self.tame(index))?;
        Ok(Some(nodes.windows(2).any(|pair| !same_slice(&self.scene, pair[0], pair[1]))))
    }
}
