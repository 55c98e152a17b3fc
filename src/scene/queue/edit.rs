//! One edit as a value, and how a queue applies it.

use super::{Outcome, QueuedPlace, Round, Target};
use crate::handle::Queued;
use crate::node::OwnedNode;
use crate::scene::Change;
use crate::{Error, IntoLocal, Keep, Node, NodeHandle, Place, Scene, Tree};

/// An edit as a value, to apply later: see [`EditQueue::push`](super::EditQueue::push).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// Inserts a node: [`Scene::insert`]. [`EditQueue::insert`](super::EditQueue::insert) also returns a ticket.
    Insert(QueuedPlace, OwnedNode),
    /// Inserts a tree: [`Scene::insert_tree`]. [`EditQueue::insert_tree`](super::EditQueue::insert_tree) also returns a
    /// ticket.
    InsertTree(QueuedPlace, Box<Tree>),
    /// Removes the node and everything below it: [`Scene::remove`].
    Remove(Target),
    /// Moves the node and everything below it: [`Scene::reparent`].
    Reparent {
        /// The node to move.
        node: Target,
        /// The new place.
        place: QueuedPlace,
        /// The transform that stays the same.
        keep: Keep,
    },
    /// Changes the node's components: [`NodeMut::change`](crate::NodeMut::change).
    Change(Target, Change),
}

impl Edit {
    /// Creates an [`Edit::Insert`]. The name is copied.
    #[must_use]
    pub fn insert(place: impl Into<QueuedPlace>, node: Node<'_>) -> Self {
        Self::Insert(place.into(), node.into())
    }

    /// Creates an [`Edit::Remove`].
    #[must_use]
    pub fn remove(node: impl Into<Target>) -> Self {
        Self::Remove(node.into())
    }

    /// Creates an [`Edit::Reparent`].
    #[must_use]
    pub fn reparent(node: impl Into<Target>, place: impl Into<QueuedPlace>, keep: Keep) -> Self {
        Self::Reparent { node: node.into(), place: place.into(), keep }
    }

    /// Creates an [`Edit::Change`] of the local transform, or of its removal by `None`.
    #[must_use]
    pub fn set_local(node: impl Into<Target>, local: impl IntoLocal) -> Self {
        Self::Change(node.into(), Change::Local(local.into_local()))
    }

    /// Creates an [`Edit::Change`] from a [`Change`] or a [`Node`].
    #[must_use]
    pub fn change(node: impl Into<Target>, change: impl Into<Change>) -> Self {
        Self::Change(node.into(), change.into())
    }

    /// Returns the edited node, and the node that the new place refers to.
    pub(super) fn targets(&self) -> [Option<Target>; 2] {
        match *self {
            Self::Remove(node) | Self::Change(node, _) => [Some(node), None],
            Self::Reparent { node, place, .. } => [Some(node), place.anchor()],
            Self::Insert(place, _) | Self::InsertTree(place, _) => [None, place.anchor()],
        }
    }

    /// Returns the first target if it is a handle.
    pub(super) fn handle(&self) -> Option<NodeHandle> {
        let [node, place] = self.targets();
        match node.or(place)? {
            Target::Handle(node) => Some(node),
            Target::Queued(_) => None,
        }
    }

    /// Applies the edit, whose result is the next of `applied`.
    pub(super) fn apply(&self, scene: &mut Scene, applied: &mut Applied) -> Result<Outcome, Error> {
        match *self {
            Self::Insert(place, ref node) => scene.insert(applied.place(place)?, node.as_node()).map(Outcome::Inserted),
            Self::InsertTree(place, ref tree) => {
                let nodes = scene.insert_tree(applied.place(place)?, tree)?;
                let first = nodes.first().copied();
                applied.trees.push((applied.results.len(), nodes));
                Ok(Outcome::InsertedTree(first))
            }
            Self::Remove(node) => scene.remove(applied.node(node)?).map(Outcome::Removed),
            Self::Reparent { node, place, keep } => {
                scene.reparent(applied.node(node)?, applied.place(place)?, keep).map(Outcome::Moved)
            }
            Self::Change(node, Change::Local(Some(local))) => {
                scene.set_local(applied.node(node)?, local).map(|()| Outcome::Changed)
            }
            Self::Change(node, ref change) => scene.edit(applied.node(node)?)?.make(change).map(|_| Outcome::Changed),
        }
    }
}

/// The results of the edits that were applied, and the tickets that refer to them.
#[derive(Debug, Default)]
pub(super) struct Applied {
    /// Sorted by id.
    pub(super) rounds: Vec<Round>,
    pub(super) results: Vec<Result<Outcome, Error>>,
    /// The nodes of each inserted tree, with the index of the edit, in ascending order.
    pub(super) trees: Vec<(usize, Vec<NodeHandle>)>,
}

impl Applied {
    pub(super) fn clear(&mut self) {
        self.rounds.clear();
        self.clear_results();
    }

    pub(super) fn clear_results(&mut self) {
        self.results.clear();
        self.trees.clear();
    }

    pub(super) fn node(&self, target: Target) -> Result<NodeHandle, Error> {
        let ticket = match target {
            Target::Handle(handle) => return Ok(handle),
            Target::Queued(ticket) => ticket,
        };
        match self.edit(ticket).and_then(|edit| self.results.get(edit)) {
            Some(Ok(Outcome::Inserted(handle) | Outcome::InsertedTree(Some(handle)))) => Ok(*handle),
            Some(Err(error)) => Err(*error),
            _ => Err(Error::UnknownTicket(ticket)),
        }
    }

    /// Returns the nodes of the tree that a ticket's edit inserted.
    pub(super) fn tree(&self, ticket: Queued) -> Option<&[NodeHandle]> {
        let edit = self.edit(ticket)?;
        let index = self.trees.binary_search_by_key(&edit, |&(edit, _)| edit).ok()?;
        Some(&self.trees[index].1)
    }

    /// Returns the index of a ticket's edit.
    fn edit(&self, ticket: Queued) -> Option<usize> {
        let round = self.rounds.binary_search_by_key(&ticket.round, |round| round.id).ok()?;
        Some(self.rounds[round].first_edit + ticket.edit)
    }

    fn place(&self, place: QueuedPlace) -> Result<Place, Error> {
        match place.anchor() {
            Some(node) => self.node(node).map(|node| place.map(|_| node)),
            None => Ok(Place::Detached),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_edit_takes_at_most_ninety_six_bytes() {
        assert!(size_of::<Edit>() <= 96);
    }
}
