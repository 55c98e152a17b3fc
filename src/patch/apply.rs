//! Applies patches, all or nothing.

use crate::edit::{BatchError, Change, Edit, EditQueue, QueuedPlace, Target};
use crate::handle::Queued;
use crate::patch::{Entry, Instance, Patch, PatchError, Spot, Value, moves::Moves};
use crate::{Error, Keep, Node, Scene, Tree};
use std::collections::{BTreeMap, BTreeSet};

impl Tree {
    /// The tree as it is after a patch, in depth-first order, with its ids. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// Those of [`Patch::apply`]; [`PatchError::Tree`] for a tree that a scene would refuse.
    pub fn patched(&self, patch: &Patch) -> Result<Self, PatchError> {
        let mut scene = Scene::new();
        let root = scene.root();
        let mut instance = Instance::insert(&mut scene, root, self).map_err(PatchError::Tree)?;
        patch.apply(&mut scene, &mut instance)?;
        instance.tree(&scene).map_err(|error| PatchError::Tree(error.into()))
    }
}

impl Patch {
    /// Makes all changes, or none: if one is refused, the scene and the instance are as before.
    ///
    /// Each field must have the value that the entry has as `before`, to the bit, so a patch is not applied twice or to
    /// another state by mistake. Components that the patch does not mention are not looked at. Nodes without an id,
    /// which a program put below the instance, count as no siblings, and are removed with the node that they are below.
    /// A node that was removed and comes back has another handle and the same id.
    ///
    /// Runs in **O(entries log nodes)**, and in O(children) for each node that is removed. Readers of changes, and
    /// handles, see what [`EditQueue::apply_all`] says.
    ///
    /// # Errors
    /// [`PatchError`] names the node.
    ///
    /// ```
    /// use hedgerow::patch::{Field, Instance, Patch, PatchError};
    /// use hedgerow::{Node, Scene, Tree};
    ///
    /// let (mut old, mut new) = (Tree::new(), Tree::new());
    /// old.push(None, Node::material(1));
    /// new.push(None, Node::material(2));
    /// let patch = Patch::between(&old, &new)?;
    ///
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// let mut instance = Instance::insert(&mut scene, root, &old)?;
    /// patch.apply(&mut scene, &mut instance)?;
    /// assert_eq!(instance.tree(&scene)?, new);
    /// let twice = patch.apply(&mut scene, &mut instance);
    /// assert_eq!(twice, Err(PatchError::State { id: 0, field: Field::Material }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&self, scene: &mut Scene, instance: &mut Instance) -> Result<(), PatchError> {
        let moves = Moves::of(self);
        self.check(scene, instance, &moves)?;
        let mut plan =
            Plan { instance, moves: &moves, queue: EditQueue::new(), edited: Vec::new(), made: BTreeMap::new() };
        plan.detach_moved();
        plan.place(self)?;
        plan.set_values(self, scene);
        plan.remove();
        let Plan { mut queue, edited, made, .. } = plan;
        queue.apply_all(scene).map_err(|BatchError { item, error }| {
            let id = item.map_or(u64::MAX, |item| edited[item]);
            if matches!(error, Error::WouldCycle { .. }) {
                PatchError::Cycle { id }
            } else {
                PatchError::Scene { id, error }
            }
        })?;
        for (&id, _) in moves.places.iter().filter(|(_, [_, after])| after.is_none()) {
            instance.forget(id);
        }
        for (id, ticket) in made {
            instance.set(id, queue.inserted(ticket).expect("all edits were made"));
        }
        Ok(())
    }

    /// Checks that the scene has what the patch starts from, and that nodes go where others are.
    fn check(&self, scene: &Scene, instance: &Instance, moves: &Moves) -> Result<(), PatchError> {
        for entry in &self.entries {
            let id = entry.id;
            let same = match &entry.before {
                Value::Place(None) => instance.node(id).is_none_or(|node| !scene.contains(node)),
                Value::Place(before) => instance.spot(scene, id) == *before,
                value => match instance.value(scene, value, id) {
                    Some(now) => now.same(value),
                    None => matches!(moves.places.get(&id), Some([None, _])),
                },
            };
            if !same {
                return Err(PatchError::State { id, field: entry.field() });
            }
        }
        for (&id, &[_, after]) in &moves.places {
            if let Some(spot) = after {
                // Whether what is moved stands where it should, `Moves` knows.
                let there = |other: &u64| moves.places.contains_key(other) || instance.spot(scene, *other).is_some();
                let beside = |other: &u64| {
                    moves.places.contains_key(other)
                        || instance.spot(scene, *other).is_some_and(|other| other.parent == spot.parent)
                };
                if let Some(missing) =
                    spot.parent.filter(|at| !there(at)).or_else(|| spot.after.filter(|at| !beside(at)))
                {
                    return Err(PatchError::Missing { id, missing });
                }
            } else if let Some(node) = instance.node(id) {
                let children = scene.children(node).filter_map(|child| instance.id(child));
                if let Some(child) = children.into_iter().find(|child| !moves.places.contains_key(child)) {
                    return Err(PatchError::NotEmpty { id, child });
                }
            }
        }
        Ok(())
    }
}

/// The edits that a patch is in a scene.
struct Plan<'p> {
    instance: &'p Instance,
    moves: &'p Moves,
    queue: EditQueue,
    /// The id of each edit's node.
    edited: Vec<u64>,
    made: BTreeMap<u64, Queued>,
}

impl Plan<'_> {
    fn push(&mut self, id: u64, edit: Edit) {
        self.queue.push(edit);
        self.edited.push(id);
    }

    fn target(&self, id: Option<u64>) -> Target {
        let Some(id) = id else { return self.instance.root.into() };
        match self.made.get(&id) {
            Some(&ticket) => ticket.into(),
            None => self.instance.node(id).expect("checked before").into(),
        }
    }

    /// Takes all that moves out of the tree, so that no order of moves makes a cycle that the last one ends.
    fn detach_moved(&mut self) {
        for (&id, place) in &self.moves.places {
            if let [Some(_), Some(_)] = place {
                self.push(id, Edit::reparent(self.target(Some(id)), QueuedPlace::Detached, Keep::Local));
            }
        }
    }

    /// Puts each node that moves or is inserted at its spot, after those that it needs there.
    fn place(&mut self, patch: &Patch) -> Result<(), PatchError> {
        let (moves, mut placed, mut open) = (self.moves, BTreeSet::new(), BTreeSet::new());
        let spot_of = |id: u64| moves.places.get(&id).and_then(|&[_, after]| after);
        let is_new = |id: &u64| matches!(moves.places.get(id), Some([None, _]));
        for (&first, _) in &moves.places {
            let mut path = vec![first];
            while let Some(&id) = path.last() {
                let Some(spot) = spot_of(id).filter(|_| !placed.contains(&id)) else {
                    path.pop();
                    continue;
                };
                let needed = spot.after.into_iter().chain(spot.parent.filter(is_new));
                let next = needed.into_iter().find(|&other| spot_of(other).is_some() && !placed.contains(&other));
                match next {
                    Some(_) if !open.insert((id, next)) => return Err(PatchError::Cycle { id }),
                    Some(next) => path.push(next),
                    None => {
                        self.place_one(patch, id, spot);
                        placed.insert(id);
                    }
                }
            }
        }
        Ok(())
    }

    fn place_one(&mut self, patch: &Patch, id: u64, spot: Spot) {
        let place = match spot.after {
            Some(sibling) => QueuedPlace::After(self.target(Some(sibling))),
            None => QueuedPlace::FirstChildOf(self.target(spot.parent)),
        };
        if let Some([Some(_), _]) = self.moves.places.get(&id) {
            return self.push(id, Edit::reparent(self.target(Some(id)), place, Keep::Local));
        }
        let mut node = Node::group();
        patch.entries_of(id).iter().for_each(|entry| entry.after.put(&mut node));
        self.made.insert(id, self.queue.insert(place, node));
        self.edited.push(id);
    }

    /// Sets the components of nodes that are there before and after.
    fn set_values(&mut self, patch: &Patch, scene: &Scene) {
        for entries in patch.entries.chunk_by(|a, b| a.id == b.id) {
            let id = entries[0].id;
            if matches!(self.moves.places.get(&id), Some([None, _] | [_, None])) {
                continue;
            }
            let node = self.target(Some(id));
            if entries.iter().any(|entry| matches!(entry.after, Value::Local { translation_f64: Some(_), .. })) {
                let mut whole = self.instance.node(id).and_then(|node| scene.get(node)).expect("checked before").node();
                entries.iter().for_each(|entry| entry.after.put(&mut whole));
                self.push(id, Edit::change(node, whole));
                continue;
            }
            for entry in entries {
                let change = match entry.after.clone() {
                    Value::Place(_) => continue,
                    Value::Local { local, .. } => Change::Local(local),
                    Value::Material(material) => Change::Material(material),
                    Value::Drawable(drawable) => Change::Drawable(drawable),
                    Value::Visibility(visibility) => Change::Visibility(visibility),
                    Value::Layers(layers) => Change::Layers(layers),
                    Value::UserData(user_data) => Change::UserData(user_data),
                    Value::Name(name) => Change::Name(name),
                };
                self.push(id, Edit::change(node, change));
            }
        }
    }

    /// Removes each node whose parent is not removed as well.
    fn remove(&mut self) {
        for (&id, place) in &self.moves.places {
            if let [Some(before), None] = place
                && before.parent.is_none_or(|parent| !self.moves.removes(parent))
            {
                self.push(id, Edit::remove(self.target(Some(id))));
            }
        }
    }
}

impl Patch {
    /// The entries of a node.
    fn entries_of(&self, id: u64) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.id < id);
        let end = start + self.entries[start..].partition_point(|entry| entry.id == id);
        &self.entries[start..end]
    }
}
