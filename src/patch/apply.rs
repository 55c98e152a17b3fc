//! Applies patches, all or nothing.

use crate::edit::{BatchError, Edit, EditQueue, QueuedPlace, Target};
use crate::handle::Queued;
use crate::patch::{Entry, Field, Instance, Patch, PatchError, Spot, Value, instance::Area, moves::Moves};
use crate::{Error, Keep, Node, Scene, Tree};
use std::collections::BTreeMap;

impl Tree {
    /// Returns the tree after a patch, in depth-first order, with its ids. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// The errors of [`Patch::apply`]; [`PatchError::Tree`] for a tree that a scene would refuse.
    pub fn patched(&self, patch: &Patch) -> Result<Self, PatchError> {
        let mut scene = Scene::new();
        let root = scene.root();
        let mut instance = Instance::insert(&mut scene, root, self).map_err(PatchError::Tree)?;
        patch.apply(&mut scene, &mut instance)?;
        instance.tree(&scene).map_err(|error| PatchError::Tree(error.into()))
    }
}

impl Patch {
    /// Makes all changes, or none: if any change is refused, the scene and the instance stay as they were.
    ///
    /// Each field must have the value `before` of its entry, to the bit, so a patch cannot be applied twice or to
    /// another state by mistake. A component that the patch does not mention is only checked if its node is removed.
    /// Nodes without an id, which a program put below the instance, do not count as siblings, and are removed with
    /// their parents. A node that was removed or detached and is inserted again gets a new handle and keeps its id.
    ///
    /// Runs in **O(entries log nodes)**, plus O(children) for each removed node and O(nodes below) for each moved node.
    /// If the instance is not a whole scene, each node of the patch adds O(ancestors). [`EditQueue::apply_all`] says
    /// what handles and readers of changes see.
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
        let mut plan = Plan { instance, queue: EditQueue::new(), edited: Vec::new(), made: BTreeMap::new() };
        // All nodes that move are taken out first, so that no order of moves makes a temporary cycle.
        plan.take_out(self, &moves);
        plan.place(&moves);
        plan.set_components(self, &moves, scene);
        plan.remove(&moves);
        let Plan { mut queue, edited, made, .. } = plan;
        queue.apply_all(scene).map_err(|BatchError { item, error }| {
            let id = edited[item.expect("a queue says which edit is refused")];
            if matches!(error, Error::WouldCycle { .. }) {
                PatchError::Cycle { id }
            } else {
                PatchError::Scene { id, error }
            }
        })?;
        for (&id, _) in moves.places.iter().filter(|(_, [_, after])| after.is_none()) {
            instance.ids.forget(id);
        }
        for (id, ticket) in made {
            instance.ids.set(queue.inserted(ticket).expect("all edits were made"), id);
        }
        Ok(())
    }

    /// Checks that the scene has the value `before` of each entry, and that the new parents and siblings exist.
    fn check(&self, scene: &Scene, instance: &Instance, moves: &Moves) -> Result<(), PatchError> {
        let mut area = Area::new(scene, instance.root());
        for entry in &self.entries {
            let id = entry.id;
            let there = instance.node(id).is_some_and(|node| area.contains(node));
            let same = match &entry.before {
                Value::Place(None) if there => return Err(PatchError::IdInUse { id }),
                Value::Place(before) => instance.spot(&mut area, id) == *before,
                // An inserted node has no values yet; `from_entries` has checked that each `before` is a group's.
                _ if matches!(moves.places.get(&id), Some([None, _])) => true,
                value => there && instance.value(scene, value, id).is_some_and(|now| now.same(value)),
            };
            if !same {
                let state = PatchError::State { id, field: entry.field() };
                return Err(if there { state } else { PatchError::Gone { id } });
            }
        }
        // `from_entries` has checked siblings that move, so only siblings that stay are checked here.
        let mut at = |id: u64| if moves.places.contains_key(&id) { None } else { Some(instance.spot(&mut area, id)) };
        for (&id, &[_, after]) in &moves.places {
            if let Some(Spot { parent, after }) = after {
                let no_parent = parent.filter(|&id| at(id) == Some(None));
                let astray = |id: &u64| at(*id).is_some_and(|at| at.is_none_or(|at| at.parent != parent));
                if let Some(missing) = no_parent.or_else(|| after.filter(astray)) {
                    return Err(PatchError::Missing { id, missing });
                }
            } else if let Some(node) = instance.node(id) {
                // Each component of a removed node must have an entry, so that the inverse can restore the component.
                let lost = |value: &Value| !value.is_default() && self.get(id, value.field()).is_none();
                let described = scene.get(node).map_or(Node::group(), |node| node.node());
                let mut values = Field::ALL.into_iter().map(|field| Value::of(&described, field));
                if let Some(value) = values.find(lost) {
                    return Err(PatchError::State { id, field: value.field() });
                }
                let mut children = scene.children(node).filter_map(|child| instance.id(child));
                if let Some(child) = children.find(|child| !moves.places.contains_key(child)) {
                    return Err(PatchError::NotEmpty { id, child });
                }
            }
        }
        Ok(())
    }
}

struct Plan<'p> {
    instance: &'p Instance,
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

    fn target(&self, id: u64) -> Target {
        let node = || self.instance.node(id).expect("checked before").into();
        self.made.get(&id).map_or_else(node, |&ticket| ticket.into())
    }

    /// Detaches the nodes that move, so that no intermediate state has a cycle, and inserts new, detached nodes.
    fn take_out(&mut self, patch: &Patch, moves: &Moves) {
        for entries in patch.entries.chunk_by(|a, b| a.id == b.id) {
            let id = entries[0].id;
            match moves.places.get(&id) {
                Some([None, _]) => {
                    let mut node = Node::group();
                    entries.iter().for_each(|entry| entry.after.put(&mut node));
                    self.made.insert(id, self.queue.insert(QueuedPlace::Detached, node));
                    self.edited.push(id);
                }
                Some([_, Some(_)]) => {
                    self.push(id, Edit::reparent(self.target(id), QueuedPlace::Detached, Keep::Local));
                }
                _ => {}
            }
        }
    }

    /// Moves nodes to their spots, each node after its previous sibling.
    fn place(&mut self, moves: &Moves) {
        for &[_, after] in moves.places.values() {
            let Some(mut spot) = after.filter(|spot| spot.after.is_none_or(|id| !moves.places.contains_key(&id)))
            else {
                continue;
            };
            while let Some(&id) = moves.followers.get(&spot) {
                let place = match (spot.after, spot.parent) {
                    (Some(sibling), _) => QueuedPlace::After(self.target(sibling)),
                    (None, Some(parent)) => QueuedPlace::FirstChildOf(self.target(parent)),
                    (None, None) => QueuedPlace::FirstChildOf(self.instance.root().into()),
                };
                self.push(id, Edit::reparent(self.target(id), place, Keep::Local));
                spot.after = Some(id);
            }
        }
    }

    /// Sets the components of nodes that are neither inserted nor removed.
    fn set_components(&mut self, patch: &Patch, moves: &Moves, scene: &Scene) {
        for entries in patch.entries.chunk_by(|a, b| a.id == b.id) {
            let id = entries[0].id;
            if matches!(moves.places.get(&id), Some([None, _] | [_, None])) {
                continue;
            }
            // Both parts of such a translation can only be set with the whole description.
            let wide = |entry: &Entry| matches!(entry.after, Value::Local { remainder: Some(_), .. });
            if entries.iter().any(wide) {
                let mut node = self.instance.node(id).and_then(|node| scene.get(node)).expect("checked before").node();
                entries.iter().for_each(|entry| entry.after.put(&mut node));
                self.push(id, Edit::change(self.target(id), node));
                continue;
            }
            for change in entries.iter().filter_map(|entry| entry.after.change()) {
                self.push(id, Edit::change(self.target(id), change));
            }
        }
    }

    /// Removes the topmost of the nodes to remove; all nodes below them are removed, too.
    fn remove(&mut self, moves: &Moves) {
        for (&id, place) in &moves.places {
            // A removal takes the nodes below along, so only the topmost are removed.
            if let [Some(before), None] = place
                && before.parent.is_none_or(|parent| !moves.removes(parent))
            {
                self.push(id, Edit::remove(self.target(id)));
            }
        }
    }
}
