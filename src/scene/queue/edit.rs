//! One queued edit, and how it is applied.

use super::{Outcome, QueuedPlace, Round, Target};
use crate::handle::Queued;
use crate::{Error, Keep, Mat34, Node, NodeHandle, Place, Scene, Shape, Transform, Visibility};
use glam::{DVec3, Vec3};

/// One edit: at most 80 bytes. The descriptions of inserted nodes, and names, are stored separately.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edit {
    Insert(QueuedPlace),
    Remove(Target),
    Reparent(Target, QueuedPlace, Keep),
    SetLocal(Target, Transform),
    SetLocalMatrix(Target, Mat34),
    SetWorld(Target, Transform),
    SetWorldMatrix(Target, Mat34),
    LookAt {
        node: Target,
        target: Vec3,
        up: Vec3,
    },
    RemoveTransform(Target),
    SetMaterial(Target, u32),
    RemoveMaterial(Target),
    SetShape(Target, Shape),
    RemoveShape(Target),
    SetVisibility(Target, Visibility),
    RemoveVisibility(Target),
    /// With the name's length.
    SetName(Target, Option<usize>),
    SetNode(Target),
    SetUserData(Target, u32),
    SetTranslation(Target, DVec3),
    InsertTree(QueuedPlace),
}

/// What an insert inserts, or what a node becomes: a description without its name, and the length of the name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insert {
    pub(super) node: Node<'static>,
    pub(super) name: Option<usize>,
}

/// The names that the edits not yet applied will take, in order.
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

    /// The number of a ticket's edit.
    pub(super) fn edit(self, ticket: Queued) -> Option<usize> {
        let round = self.rounds.binary_search_by_key(&ticket.round, |round| round.id).ok()?;
        Some(self.rounds[round].first_edit + ticket.edit)
    }

    pub(super) fn place(self, place: QueuedPlace) -> Result<Place, Error> {
        Ok(match place {
            QueuedPlace::FirstChildOf(node) => Place::FirstChildOf(self.node(node)?),
            QueuedPlace::LastChildOf(node) => Place::LastChildOf(self.node(node)?),
            QueuedPlace::Before(node) => Place::Before(self.node(node)?),
            QueuedPlace::After(node) => Place::After(self.node(node)?),
            QueuedPlace::Child(node, index) => Place::Child(self.node(node)?, index),
            QueuedPlace::Detached => Place::Detached,
        })
    }
}

/// The outcome of an edit that returns nothing of use.
fn set<T>(_: T) -> Outcome {
    Outcome::Set
}

impl Edit {
    /// The node that the edit is about, or at which it puts one, if that is known by its handle.
    pub(super) fn handle(&self) -> Option<NodeHandle> {
        let (Self::Insert(place) | Self::InsertTree(place)) = self else { return self.target()?.handle() };
        match place {
            QueuedPlace::FirstChildOf(node)
            | QueuedPlace::LastChildOf(node)
            | QueuedPlace::Before(node)
            | QueuedPlace::After(node)
            | QueuedPlace::Child(node, _) => node.handle(),
            QueuedPlace::Detached => None,
        }
    }

    fn target(&self) -> Option<&Target> {
        match self {
            Self::Insert(_) | Self::InsertTree(_) => None,
            Self::Remove(node)
            | Self::Reparent(node, ..)
            | Self::SetLocal(node, _)
            | Self::SetLocalMatrix(node, _)
            | Self::SetWorld(node, _)
            | Self::SetWorldMatrix(node, _)
            | Self::LookAt { node, .. }
            | Self::RemoveTransform(node)
            | Self::SetMaterial(node, _)
            | Self::RemoveMaterial(node)
            | Self::SetShape(node, _)
            | Self::RemoveShape(node)
            | Self::SetVisibility(node, _)
            | Self::RemoveVisibility(node)
            | Self::SetName(node, _)
            | Self::SetNode(node)
            | Self::SetUserData(node, _)
            | Self::SetTranslation(node, _) => Some(node),
        }
    }

    /// Applies the edit, unless it inserts a tree. Every edit takes its description and name from the queue, even if
    /// it fails.
    pub(super) fn apply(
        self,
        scene: &mut Scene,
        tickets: Tickets<'_>,
        inserts: &mut impl Iterator<Item = Insert>,
        names: &mut Names<'_>,
    ) -> Result<Outcome, Error> {
        let node = |target| tickets.node(target);
        match self {
            Self::Insert(place) => {
                let Insert { node, name } = inserts.next().expect("every queued insert has a description");
                let node = Node { name: names.next(name), ..node };
                scene.insert(tickets.place(place)?, node).map(Outcome::Inserted)
            }
            Self::Remove(target) => scene.remove(node(target)?).map(Outcome::Removed),
            Self::Reparent(target, place, keep) => {
                scene.reparent(node(target)?, tickets.place(place)?, keep).map(Outcome::Moved)
            }
            Self::SetLocal(target, local) => scene.set_local(node(target)?, local).map(set),
            Self::SetLocalMatrix(target, local) => scene.set_local(node(target)?, local).map(set),
            Self::SetWorld(target, world) => scene.set_world(node(target)?, world).map(Outcome::SetAs),
            Self::SetWorldMatrix(target, world) => scene.set_world(node(target)?, world).map(Outcome::SetAs),
            Self::LookAt { node: target, target: at, up } => scene.edit(node(target)?)?.look_at(at, up).map(set),
            Self::RemoveTransform(target) => {
                let mut node = scene.edit(node(target)?)?;
                let before = node.as_ref().local();
                node.set_local(None).map(|_| Outcome::RemovedLocal(before))
            }
            Self::SetMaterial(target, material) => Ok(set(scene.edit(node(target)?)?.set_material(material))),
            Self::RemoveMaterial(target) => {
                let mut node = scene.edit(node(target)?)?;
                let before = node.as_ref().own_material();
                node.set_material(None);
                Ok(Outcome::RemovedMaterial(before))
            }
            Self::SetShape(target, shape) => scene.edit(node(target)?)?.set_shape(shape).map(set),
            Self::RemoveShape(target) => {
                let mut node = scene.edit(node(target)?)?;
                let before = node.as_ref().shape();
                node.set_shape(None).map(|_| Outcome::RemovedShape(before))
            }
            Self::SetVisibility(target, visibility) => Ok(set(scene.edit(node(target)?)?.set_visibility(visibility))),
            Self::RemoveVisibility(target) => {
                let mut node = scene.edit(node(target)?)?;
                let before = node.as_ref().own_visibility();
                node.set_visibility(None);
                Ok(Outcome::RemovedVisibility(before))
            }
            Self::SetName(target, name) => {
                let name = names.next(name);
                Ok(set(scene.edit(node(target)?)?.set_name(name)))
            }
            Self::SetNode(target) => {
                let Insert { node: description, name } = inserts.next().expect("every queued description is there");
                let description = Node { name: names.next(name), ..description };
                scene.edit(node(target)?)?.set_node(description).map(set)
            }
            Self::SetUserData(target, number) => {
                let mut node = scene.edit(node(target)?)?;
                let before = node.as_ref().user_data();
                node.set_user_data(number);
                Ok(Outcome::SetUserData(before))
            }
            Self::SetTranslation(target, translation) => {
                scene.edit(node(target)?)?.set_translation_f64(translation).map(set)
            }
            Self::InsertTree(_) => unreachable!("the queue inserts trees itself"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_takes_at_most_eighty_bytes() {
        assert!(size_of::<Edit>() <= 80);
    }
}
