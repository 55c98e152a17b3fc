//! Subtrees that are detached or removed.

use super::Check;
use super::dump::same_slice;
use super::oracle::{Oracle, Refusals};
use super::tree::Tree;
use hedgerow::{Error, Keep, NodeHandle, Place};

impl Oracle {
    /// Returns the model's node of a handle to move or remove. Adds a refusal for a stale handle and for the root.
    pub fn movable(&self, handle: NodeHandle, refusals: &mut Refusals) -> Option<usize> {
        let index = self.live(handle, refusals);
        if index == Some(Tree::ROOT) {
            refusals.errors.push(Error::RootIsFixed);
        }
        index
    }

    /// Detaches a subtree. A detached one is unchanged.
    pub fn detach_subtree(&mut self, handle: NodeHandle) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        let index = self.movable(handle, &mut refusals);
        let done = self.attempt(refusals, |scene| scene.reparent(handle, Place::Detached, Keep::Local))?;
        let (Some(_), Some(index)) = (done, index) else {
            return Ok(None);
        };
        if self.tree.is_detached_root(index) {
            return Ok(Some(false));
        }
        self.counts.subtrees += 1;
        self.tree.detach(index);
        Ok(Some(true))
    }

    pub fn remove(&mut self, handle: NodeHandle) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        let index = self.movable(handle, &mut refusals);
        let below = index.map(|index| self.tree.pre_order(index)).unwrap_or_default();
        let gone: Vec<_> = below.iter().map(|&node| self.tree.handle(node)).collect();
        let crossed = index.is_some_and(|index| self.is_apart(index, handle))
            || gone.iter().any(|&node| !same_slice(&self.scene, handle, node));
        let Some(removed) = self.attempt(refusals, |scene| scene.remove(handle))? else {
            return Ok(None);
        };
        let expected = self.tree.remove(below[0]);
        ensure!(removed == expected, "removed {removed} nodes, not {expected}");
        for node in gone {
            ensure!(!self.scene.contains(node), "{node:?} was removed with {handle:?} and is contained");
        }
        Ok(Some(crossed))
    }

    /// Removes everything, including detached subtrees.
    pub fn clear(&mut self) -> Check<Option<bool>> {
        self.scene.clear();
        let tops = [self.tree.at(Tree::ROOT).children.as_slice(), self.tree.detached()].concat();
        for top in tops {
            self.tree.remove(top);
        }
        Ok(Some(false))
    }
}
