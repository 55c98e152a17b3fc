//! Batches of edits: the model makes the same edits one by one.

use super::op::Target;
use super::oracle::{Oracle, Refusals};
use super::tree::Tree;
use super::{Check, components};
use hedgerow::edit::BatchError;
use hedgerow::{Error, Local, Node, NodeHandle, Place, Transform};

impl Oracle {
    /// The node of the target, and others chosen by the seed, some of them repeatedly.
    pub(super) fn pick_many(&self, target: Target, more: u8, seed: u8) -> Vec<NodeHandle> {
        let others = (1..=u16::from(more)).map(|turn| Target::Live((u16::from(seed) + turn % 7).wrapping_mul(40_503)));
        let mut picked: Vec<_> = others.chain([target]).map(|target| self.tree.pick(target)).collect();
        let middle = picked.len() / 2;
        picked[middle..].rotate_right(1);
        picked
    }

    /// The first item with any fault, and its faults, as the refusals expected of the scene.
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

    pub(super) fn insert_many(
        &mut self,
        target: Target,
        node: Node<'static>,
        more: u8,
        seed: u8,
    ) -> Check<Option<bool>> {
        let parents = self.pick_many(target, more, seed);
        let bare = |turn: usize| Node { local: node.local.filter(|_| turn % 3 != 1), ..node };
        let items: Vec<_> = parents.iter().enumerate().map(|(turn, &parent)| (parent, bare(turn))).collect();
        let refusals = Self::batch_refusals(&items, |(parent, node), refusals| {
            self.live(*parent, refusals);
            components::faults(node, &mut refusals.errors);
        });
        let mut handles = vec![self.tree.handle(Tree::ROOT)];
        let done = self.attempt(refusals, |scene| scene.insert_many(&items, &mut handles))?;
        if done.is_none() {
            ensure!(handles.len() == 1, "a refused batch answers {} handles", handles.len() - 1);
            return Ok(None);
        }
        self.counts.batches += 1;
        let handles = &handles[1..];
        ensure!(handles.len() == items.len(), "{} handles of {} items", handles.len(), items.len());
        for (&handle, (parent, node)) in handles.iter().zip(&items) {
            ensure!(!self.tree.was_issued(handle), "{handle:?} was given to an earlier node");
            let index = self.tree.add(handle, Place::LastChildOf(*parent), &components::as_kept(*node));
            if let Some(given) = node.local {
                self.adopt(index, &given)?;
            }
        }
        Ok(Some(handles.iter().zip(&parents).any(|(&a, &b)| !self.scene.same_slice(a, b))))
    }

    pub(super) fn remove_many(&mut self, target: Target, more: u8, seed: u8) -> Check<Option<bool>> {
        let nodes = self.pick_many(target.leafward(), more, seed);
        let root = self.tree.handle(Tree::ROOT);
        // Removing many would leave small trees, so a branch is replaced by one of its leaves.
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
        let crossed = nodes.windows(2).any(|pair| !self.scene.same_slice(pair[0], pair[1]));
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

    pub(super) fn set_transforms(&mut self, target: Target, transform: Transform, more: u8, seed: u8) -> Check {
        let nodes = self.pick_many(target, more, seed);
        let has_local =
            |node: &NodeHandle| self.tree.find(*node).is_none_or(|index| self.tree.at(index).local.is_some());
        let varied = |turn: usize| Transform { translation: transform.translation + turn as f32, ..transform };
        let nodes = nodes.into_iter().enumerate().filter(|(turn, node)| *turn == 0 || has_local(node));
        let items: Vec<_> = nodes.map(|(turn, node)| (node, varied(turn))).collect();
        let refusals = Self::batch_refusals(&items, |&(node, transform), refusals| {
            let index = self.live(node, refusals);
            if index.is_some_and(|index| self.tree.at(index).local.is_none()) {
                refusals.errors.push(Error::NoTransform(node));
            }
            components::local_faults(&Local::Transform(transform), &mut refusals.errors);
        });
        if self.attempt(refusals, |scene| scene.set_transforms(&items))?.is_none() {
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
}
