//! One queued edit, and how it is applied.

use super::{Outcome, QueuedPlace, Round, Target};
use crate::{Aabb, Error, Keep, Mat34, Node, NodeHandle, Place, Scene, Shape, Transform, Visibility};
use glam::Vec3;

/// One edit: at most 80 bytes. The descriptions of inserted nodes, and names, are stored separately.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edit {
    Insert(QueuedPlace),
    Remove(Target),
    RemoveLater(Target),
    Reparent(Target, QueuedPlace, Keep),
    Detach(Target),
    Attach(Target, QueuedPlace, Keep),
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
    SetMesh(Target, u32),
    SetBounds(Target, Aabb),
    RemoveShape(Target),
    SetVisibility(Target, Visibility),
    RemoveVisibility(Target),
    /// With the name's length.
    SetName(Target, Option<usize>),
}

/// What an insert inserts: a description without its name, and the length of the name.
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
        let round = self.rounds.binary_search_by_key(&ticket.round, |round| round.id);
        let result = round.ok().and_then(|round| self.results.get(self.rounds[round].first_edit + ticket.edit));
        match result {
            Some(Ok(Outcome::Inserted(handle))) => Ok(*handle),
            Some(Err(error)) => Err(*error),
            _ => Err(Error::UnknownTicket(ticket)),
        }
    }

    fn place(self, place: QueuedPlace) -> Result<Place, Error> {
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

impl Edit {
    /// Applies the edit. Every edit takes its description and name from the queue, even if it fails.
    pub(super) fn apply(
        self,
        scene: &mut Scene,
        tickets: Tickets<'_>,
        inserts: &mut impl Iterator<Item = Insert>,
        names: &mut Names<'_>,
    ) -> Result<Outcome, Error> {
        let node = |target| tickets.node(target);
        let set = |()| Outcome::Set;
        match self {
            Self::Insert(place) => {
                let Insert { node, name } = inserts.next().expect("every queued insert has a description");
                let node = Node { name: names.next(name), ..node };
                scene.insert(tickets.place(place)?, node).map(Outcome::Inserted)
            }
            Self::Remove(target) => scene.remove(node(target)?).map(Outcome::Removed),
            Self::RemoveLater(target) => scene.remove_later(node(target)?).map(Outcome::Removed),
            Self::Detach(target) => scene.detach(node(target)?).map(set),
            Self::Attach(target, place, keep) => {
                scene.attach(node(target)?, tickets.place(place)?, keep).map(Outcome::Moved)
            }
            Self::Reparent(target, place, keep) => {
                scene.reparent(node(target)?, tickets.place(place)?, keep).map(Outcome::Moved)
            }
            Self::SetLocal(target, local) => scene.set_local(node(target)?, local).map(set),
            Self::SetLocalMatrix(target, local) => scene.set_local(node(target)?, local).map(set),
            Self::SetWorld(target, world) => scene.set_world(node(target)?, world).map(Outcome::SetAs),
            Self::SetWorldMatrix(target, world) => scene.set_world(node(target)?, world).map(Outcome::SetAs),
            Self::LookAt { node: target, target: at, up } => scene.look_at(node(target)?, at, up).map(set),
            Self::RemoveTransform(target) => scene.remove_local(node(target)?).map(Outcome::RemovedLocal),
            Self::SetMaterial(target, material) => scene.set_material(node(target)?, material).map(set),
            Self::RemoveMaterial(target) => scene.remove_material(node(target)?).map(Outcome::RemovedMaterial),
            Self::SetShape(target, shape) => scene.set_shape(node(target)?, shape).map(set),
            Self::SetMesh(target, mesh) => scene.set_mesh(node(target)?, mesh).map(set),
            Self::SetBounds(target, bounds) => scene.set_bounds(node(target)?, bounds).map(set),
            Self::RemoveShape(target) => scene.remove_shape(node(target)?).map(Outcome::RemovedShape),
            Self::SetVisibility(target, visibility) => scene.set_visibility(node(target)?, visibility).map(set),
            Self::RemoveVisibility(target) => scene.remove_visibility(node(target)?).map(Outcome::RemovedVisibility),
            Self::SetName(target, name) => {
                let name = names.next(name);
                scene.set_name(node(target)?, name).map(set)
            }
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
