//! One edit as a value, and how a queue applies it.

use super::{Outcome, QueuedPlace, Round, Target};
use crate::handle::Queued;
use crate::scene::Change;
use crate::{Error, IntoLocal, Keep, Node, NodeHandle, Place, Scene, Tree};
use core::borrow::Borrow;

/// An edit of one node, to apply later: see [`EditQueue::push`](super::EditQueue::push).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
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

    fn apply(self, scene: &mut Scene, tickets: Tickets<'_>) -> Result<Outcome, Error> {
        match self {
            Self::Remove(node) => scene.remove(tickets.node(node)?).map(Outcome::Removed),
            Self::Reparent { node, place, keep } => {
                scene.reparent(tickets.node(node)?, tickets.place(place)?, keep).map(Outcome::Moved)
            }
            Self::Change(node, Change::Local(Some(local))) => {
                scene.set_local(tickets.node(node)?, local).map(|()| Outcome::Changed)
            }
            Self::Change(node, change) => scene.edit(tickets.node(node)?)?.change(change).map(|_| Outcome::Changed),
        }
    }
}

/// A recorded edit. The descriptions of inserted nodes, their names, and trees are stored separately.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Insert(QueuedPlace),
    InsertTree(QueuedPlace),
    Edit(Edit),
}

/// The data of an insert: a description without its name, and the length of the name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insert {
    pub(super) node: Node<'static>,
    pub(super) name: Option<usize>,
}

/// The names of the inserts that are not yet applied, in order.
pub(super) struct Names<'q>(pub(super) &'q str);

impl<'q> Names<'q> {
    fn next(&mut self, length: Option<usize>) -> Option<&'q str> {
        let (name, rest) = self.0.split_at(length?);
        self.0 = rest;
        Some(name)
    }
}

/// The results of the edits applied so far, for edits that refer to an earlier insert.
#[derive(Clone, Copy)]
pub(super) struct Tickets<'q> {
    /// Sorted by id.
    pub(super) rounds: &'q [Round],
    pub(super) results: &'q [Result<Outcome, Error>],
}

impl Tickets<'_> {
    pub(super) fn node(self, target: Target) -> Result<NodeHandle, Error> {
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

    /// Returns the index of a ticket's edit.
    pub(super) fn edit(self, ticket: Queued) -> Option<usize> {
        let round = self.rounds.binary_search_by_key(&ticket.round, |round| round.id).ok()?;
        Some(self.rounds[round].first_edit + ticket.edit)
    }

    fn place(self, place: QueuedPlace) -> Result<Place, Error> {
        match place.anchor() {
            Some(node) => self.node(node).map(|node| place.map(|_| node)),
            None => Ok(Place::Detached),
        }
    }
}

impl Step {
    /// Returns the edited node, and the node that the new place refers to.
    pub(super) fn targets(&self) -> [Option<Target>; 2] {
        match *self {
            Self::Edit(Edit::Remove(node) | Edit::Change(node, _)) => [Some(node), None],
            Self::Edit(Edit::Reparent { node, place, .. }) => [Some(node), place.anchor()],
            Self::Insert(place) | Self::InsertTree(place) => [None, place.anchor()],
        }
    }

    /// Returns the first target if it is a handle.
    pub(super) fn handle(&self) -> Option<NodeHandle> {
        self.targets().into_iter().flatten().next().and_then(|target| target.handle())
    }

    /// Applies the edit. Even a failed insert takes its data from the queue. Nodes of a tree are added to `made`.
    pub(super) fn apply(
        self,
        scene: &mut Scene,
        tickets: Tickets<'_>,
        inserts: &mut impl Iterator<Item = Insert>,
        names: &mut Names<'_>,
        trees: &mut impl Iterator<Item: Borrow<Tree>>,
        made: &mut Vec<(usize, Vec<NodeHandle>)>,
    ) -> Result<Outcome, Error> {
        match self {
            Self::Insert(place) => {
                let Insert { node, name } = inserts.next().expect("every queued insert has a description");
                let node = Node { name: names.next(name), ..node };
                scene.insert(tickets.place(place)?, node).map(Outcome::Inserted)
            }
            Self::InsertTree(place) => {
                let tree = trees.next().expect("every queued tree is there");
                let nodes = scene.insert_tree(tickets.place(place)?, tree.borrow())?;
                let first = nodes.first().copied();
                made.push((tickets.results.len(), nodes));
                Ok(Outcome::InsertedTree(first))
            }
            Self::Edit(edit) => edit.apply(scene, tickets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_edit_takes_at_most_ninety_six_bytes() {
        assert!(size_of::<Edit>() <= 96 && size_of::<Step>() <= 96);
    }
}
