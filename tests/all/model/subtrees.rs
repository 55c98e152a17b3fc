//! Subtrees that leave the tree, for a while or for good.

use super::Check;
use super::dump::same_slice;
use super::oracle::{Oracle, Refusals};
use super::tree::Tree;
use hedgerow::{Error, NodeHandle, Scene};

impl Oracle {
    /// The model's node of a handle that is to be moved or removed; adds a refusal for a stale handle and for the root.
    pub(crate) fn movable(&self, handle: NodeHandle, refusals: &mut Refusals) -> Option<usize> {
        let index = self.live(handle, refusals);
        if index == Some(Tree::ROOT) {
            refusals.errors.push(Error::RootIsFixed);
        }
        index
    }

    /// Detaches a subtree; one that is detached already stays the same.
    pub(crate) fn detach_subtree(&mut self, handle: NodeHandle) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        let index = self.movable(handle, &mut refusals);
        let done = self.attempt(refusals, |scene| scene.detach(handle))?;
        let (Some(()), Some(index)) = (done, index) else {
            return Ok(None);
        };
        if self.tree.is_detached_root(index) {
            return Ok(Some(false));
        }
        self.counts.subtrees += 1;
        let parent = self.tree.at(index).parent.map(|parent| self.tree.handle(parent));
        self.tree.detach(index);
        ensure!(parent.is_none_or(|parent| !same_slice(&self.scene, handle, parent)), "{handle:?} left no slice");
        Ok(Some(true))
    }

    /// Removes a subtree.
    pub(crate) fn remove(&mut self, handle: NodeHandle) -> Check<Option<bool>> {
        Ok(self.remove_by(handle, Scene::remove)?.map(|(_, crossed)| crossed))
    }

    /// Removes a subtree, most of which is freed later: all its handles are stale at once.
    pub(crate) fn remove_later(&mut self, handle: NodeHandle) -> Check<Option<bool>> {
        let before = self.scene.stats().pending_free;
        let Some((gone, crossed)) = self.remove_by(handle, Scene::remove_later)? else {
            return Ok(None);
        };
        self.counts.subtrees += 1;
        for &node in &gone {
            ensure!(!self.scene.contains(node), "{node:?} was removed with {handle:?} and is contained");
        }
        let pending_free = self.scene.stats().pending_free;
        let (fewest, most) = (before, before + gone.len());
        ensure!(
            (fewest..=most).contains(&pending_free),
            "{pending_free} nodes wait to be freed, not {fewest} to {most}"
        );
        Ok(Some(crossed))
    }

    /// Removes a subtree by an edit that returns the number of nodes removed. Returns their handles, and whether they
    /// were in several slices.
    fn remove_by(
        &mut self,
        handle: NodeHandle,
        edit: impl FnOnce(&mut Scene, NodeHandle) -> Result<usize, Error>,
    ) -> Check<Option<(Vec<NodeHandle>, bool)>> {
        let mut refusals = Refusals::default();
        let index = self.movable(handle, &mut refusals);
        let below = index.map(|index| self.tree.pre_order(index)).unwrap_or_default();
        let gone: Vec<_> = below.iter().map(|&node| self.tree.handle(node)).collect();
        let crossed = index.is_some_and(|index| self.is_apart(index, handle))
            || gone.iter().any(|&node| !same_slice(&self.scene, handle, node));
        let Some(removed) = self.attempt(refusals, |scene| edit(scene, handle))? else {
            return Ok(None);
        };
        let expected = self.tree.remove(below[0]);
        ensure!(removed == expected, "removed {removed} nodes, not {expected}");
        Ok(Some((gone, crossed)))
    }

    /// Removes everything, including detached subtrees.
    pub(crate) fn clear(&mut self) -> Check<Option<bool>> {
        self.scene.clear();
        let tops = [self.tree.at(Tree::ROOT).children.as_slice(), self.tree.detached()].concat();
        for top in tops {
            self.tree.remove(top);
        }
        Ok(Some(false))
    }
}
