//! Records what changed in a scene from one read to the next, as patches.

use crate::changes::{ChangeKinds, ChangeReader};
use crate::data::NodeMap;
use crate::patch::{Entry, Instance, Patch, PatchError, Spot, Value, between::push_components, instance::Area};
use crate::{Error, Node, NodeHandle, NodeRef, Scene, Tree};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Makes patches of what changed in an instance since the last read: steps to undo, or packets for a replica.
///
/// A recorder stores the state of each node at the last read: about 120 bytes, and 80 for each component. The scene
/// must track [changes](crate::SceneConfig::changes).
///
/// ```
/// use hedgerow::patch::{Instance, Recorder};
/// use hedgerow::{Node, Scene, SceneConfig};
///
/// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
/// let lamp = scene.insert(scene.root(), Node::material(1))?;
/// scene.update();
/// let mut recorder = Recorder::new(&scene, Instance::of(&scene, scene.root())?)?;
///
/// scene.edit(lamp)?.set_material(2); // any edits
/// scene.update();
/// let step = recorder.read(&scene)?;
/// assert_eq!((step.entries().len(), recorder.tree().len()), (1, 1));
///
/// recorder.apply(&mut scene, &step.inverse())?; // undo
/// scene.insert(lamp, Node::group())?;
/// recorder.revert(&mut scene)?; // an action that failed half-way
/// assert_eq!((scene.get(lamp).unwrap().own_material(), scene.len()), (Some(1), 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recorder {
    instance: Instance,
    reader: ChangeReader,
    known: NodeMap<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    id: u64,
    spot: Spot,
    next: Option<u64>,
    /// The components that differ from those of a group.
    values: Box<[Value]>,
}

/// The states of a node before and after a read.
#[derive(Default)]
struct Found {
    before: Option<Known>,
    now: Option<Known>,
    /// Whether the node may have been moved, inserted or removed.
    placed: bool,
}

impl Recorder {
    /// Creates a recorder that has read an instance. Call this after [`Scene::update`], even if the scene is new. Runs
    /// in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read).
    pub fn new(scene: &Scene, instance: Instance) -> Result<Self, Error> {
        let reader = ChangeReader::new().with_kinds(ChangeKinds::EDITS);
        let mut recorder = Self { instance, reader, known: NodeMap::new() };
        recorder.read(scene)?;
        Ok(recorder)
    }

    /// Returns the instance. Nodes that are new since the last read have no ids.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Returns the tree at the last read, with its ids, for a client that joins or for a file. Runs in **O(nodes)**.
    #[must_use]
    pub fn tree(&self) -> Tree {
        let nodes: HashMap<Spot, &Known> = self.known.values().map(|known| (known.spot, known)).collect();
        let mut tree = Tree::with_capacity(nodes.len());
        let mut ahead = vec![(Spot { parent: None, after: None }, None)];
        while let Some((spot, parent)) = ahead.pop() {
            if let Some(known) = nodes.get(&spot) {
                let number = tree.push_with_id(parent, known.node(), known.id);
                ahead.push((Spot { after: Some(known.id), ..spot }, parent));
                ahead.push((Spot { parent: Some(known.id), after: None }, Some(number)));
            }
        }
        tree.begin_ids_at(self.instance.ids().next_id());
        tree
    }

    /// Returns the changes of the instance's tree since the last read. Call it after [`Scene::update`].
    ///
    /// New nodes get the next ids. A node that leaves before a read and returns after it counts as new. A detached
    /// instance counts as empty. Reverted edits have no entries; reordered siblings may have needless ones.
    ///
    /// Runs in **O(changes log nodes)**, plus the time of [`Scene::changes`]. If the instance is not the whole scene,
    /// each inserted or moved node takes O(depth) more. A node that enters or leaves the instance also takes O(nodes
    /// below). If the [history](crate::SceneConfig::change_history) does not reach back to the last read, all nodes are
    /// compared, which takes **O(nodes log nodes)**. Then siblings after a moved node have entries, too.
    ///
    /// # Errors
    /// [`Error::NoChanges`] if the scene does not track changes; [`Error::NotUpdated`] if the scene has edits since its
    /// last update, or was never updated; [`Error::StaleHandle`] if the root was removed; [`Error::NoIds`] if there are
    /// fewer ids left than nodes in the scene. After an error nothing counts as read.
    pub fn read(&mut self, scene: &Scene) -> Result<Patch, Error> {
        self.check(scene, scene.len(), self.instance.ids().next_id())?;
        if !scene.store.is_settled() {
            return Err(Error::NotUpdated);
        }
        let mut area = Area::in_tree(scene, self.instance.root());
        let touched = self.touched(scene, &mut area)?;
        let mut found = self.find(scene, &mut area, touched);
        drop_unmoved(&mut found);
        let mut entries = Vec::new();
        for (&id, Found { before, now, placed }) in &found {
            if *placed {
                let [before, after] = [before, now].map(|known| Value::Place(known.as_ref().map(|known| known.spot)));
                entries.push(Entry { id, before, after });
            }
            let [before, now] = [before, now].map(|known| known.as_ref().map_or(Node::group(), Known::node));
            push_components(&mut entries, id, &before, &now);
        }
        self.keep(scene, found);
        Ok(Patch { entries })
    }

    /// Applies a patch, [updates](Scene::update) the scene, and reads the changes, so an undo does not count as a step.
    /// If it fails, nothing changes. Returns the read patch, which includes earlier edits. Read such edits first, or
    /// nodes without ids will be removed along with a parent that the patch removes. Takes as long as the three calls.
    ///
    /// # Errors
    /// The errors of [`Patch::apply`]; [`PatchError::Read`] for the errors of [`read`](Self::read).
    pub fn apply(&mut self, scene: &mut Scene, patch: &Patch) -> Result<Patch, PatchError> {
        let next = patch.entries.last().map_or(0, |last| last.id.saturating_add(1));
        let next = self.instance.ids().next_id().max(next);
        self.check(scene, scene.len().saturating_add(patch.entries.len()), next).map_err(PatchError::Read)?;
        patch.apply(scene, &mut self.instance)?;
        scene.update();
        self.read(scene).map_err(PatchError::Read)
    }

    /// Reverts all edits below the root since the last read, or none if there is an error. Use it after a command that
    /// failed half-way. Updates the scene. Nodes that were inserted or moved in are removed. Nodes that were removed,
    /// moved out or detached are inserted again, with new handles and their old ids. The originals of nodes that were
    /// moved out or detached stay where they are. The root must not be detached. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// The errors of [`apply`](Self::apply).
    pub fn revert(&mut self, scene: &mut Scene) -> Result<(), PatchError> {
        scene.update();
        // A copy does the work, so that an error leaves the recorder as it was.
        let mut reverted = self.clone();
        let edits = reverted.read(scene).map_err(PatchError::Read)?;
        reverted.apply(scene, &edits.inverse())?;
        *self = reverted;
        Ok(())
    }

    /// Checks that the scene can be read, and that the ids from `next` on suffice for this many new nodes.
    fn check(&self, scene: &Scene, nodes: usize, next: u64) -> Result<(), Error> {
        let root = self.instance.root();
        if !scene.config().changes {
            return Err(Error::NoChanges);
        }
        if !scene.contains(root) {
            return Err(Error::StaleHandle(root));
        }
        if nodes as u64 > u64::MAX - next { Err(Error::NoIds { next }) } else { Ok(()) }
    }

    /// Returns candidate nodes; the flag is set if the node may also have moved, entered or left.
    fn touched(&mut self, scene: &Scene, area: &mut Area<'_>) -> Result<BTreeMap<NodeHandle, bool>, Error> {
        let mut touched = BTreeMap::new();
        let mut moved = Vec::new();
        let changed = scene.changes(&mut self.reader)?;
        touched.extend(changed.locals().iter().map(|&node| (node, false)));
        for &(node, kinds) in changed.edited() {
            touched.insert(node, kinds.intersects(ChangeKinds::PARENT | ChangeKinds::ORDER));
            // It crossed the border of the instance, in one direction or the other.
            if kinds.contains(ChangeKinds::PARENT) && self.known.contains_key(node) != area.contains(node) {
                moved.push(node);
            }
        }
        // Changes were lost, so every node is compared.
        if changed.is_whole() {
            let below = scene.get(area.root).into_iter().flat_map(NodeRef::descendants).map(NodeRef::handle);
            touched.extend(self.known.keys().chain(below).map(|node| (node, true)));
        } else {
            touched.extend(changed.left().iter().chain(changed.entered()).map(|&node| (node, true)));
        }
        // If a node moves in or out, the nodes below it are not reported.
        let mut seen = HashSet::new();
        while let Some(node) = moved.pop() {
            for child in scene.children(node).filter(|&child| seen.insert(child)) {
                touched.insert(child, true);
                moved.push(child);
            }
        }
        Ok(touched)
    }

    /// Removes the known states of touched nodes, gives ids to new nodes, and reads the present states.
    fn find(
        &mut self,
        scene: &Scene,
        area: &mut Area<'_>,
        touched: BTreeMap<NodeHandle, bool>,
    ) -> BTreeMap<u64, Found> {
        let (mut found, mut inside) = (BTreeMap::<u64, Found>::new(), Vec::new());
        let ids = &mut self.instance.ids;
        for (node, placed) in touched {
            let before = self.known.remove(node);
            let stays = if placed { area.contains(node) } else { before.is_some() };
            if let Some(before) = before {
                found.insert(before.id, Found { before: Some(before), now: None, placed });
            }
            match (stays, ids.id(node)) {
                (true, id) => inside.push((node, placed, id)),
                (false, Some(id)) => ids.forget(id),
                (false, None) => {}
            }
        }
        // In the order of handles, and before any state is read: states name neighbours by id.
        for &(node, ..) in inside.iter().filter(|(.., id)| id.is_none()) {
            ids.set(node, ids.next_id());
        }
        for (node, placed, _) in inside {
            if let Some(now) = scene.get(node).and_then(|node| Known::of(&self.instance, node)) {
                let found = found.entry(now.id).or_default();
                found.placed |= placed;
                found.now = Some(now);
            }
        }
        found
    }

    /// Stores the states of these nodes, and of their old and new neighbours.
    fn keep(&mut self, scene: &Scene, found: BTreeMap<u64, Found>) {
        let mut beside = Vec::new();
        for (id, Found { before, now, placed }) in found {
            if placed {
                // A neighbour's spot changes although the neighbour was not edited.
                beside.extend([&before, &now].into_iter().flatten().flat_map(|known| [known.spot.after, known.next]));
            }
            if let (Some(node), Some(now)) = (self.instance.node(id), now) {
                _ = self.known.replace(node, now);
            }
        }
        for node in beside.into_iter().flatten().filter_map(|id| self.instance.node(id)) {
            if let (Some(known), Some(node)) = (self.known.get_mut(node), scene.get(node)) {
                (known.spot, known.next) = links(&self.instance, node);
            }
        }
    }
}

impl Known {
    fn of(instance: &Instance, node: NodeRef<'_>) -> Option<Self> {
        let (spot, next) = links(instance, node);
        let described = node.node();
        let values = Value::components(&described).filter(|value| !value.is_default()).collect();
        Some(Self { id: instance.id(node.handle())?, spot, next, values })
    }

    fn node(&self) -> Node<'_> {
        let mut node = Node::group();
        self.values.iter().for_each(|value| value.put(&mut node));
        node
    }
}

/// Returns a node's spot and its next sibling. All nodes of the instance must have ids.
fn links(instance: &Instance, node: NodeRef<'_>) -> (Spot, Option<u64>) {
    let id = |node: Option<NodeRef<'_>>| instance.id(node?.handle());
    (Spot { parent: id(node.parent()), after: id(node.previous_sibling()) }, id(node.next_sibling()))
}

/// Drops the moves of nodes whose previous sibling is the same as before and does not move.
fn drop_unmoved(found: &mut BTreeMap<u64, Found>) {
    let mut ahead: Vec<u64> = found.keys().copied().collect();
    while let Some(id) = ahead.pop() {
        if let Some(Found { before: Some(before), now: Some(now), placed: true }) = found.get(&id)
            && before.spot == now.spot
            && now.spot.after.is_none_or(|after| found.get(&after).is_none_or(|after| !after.placed))
        {
            // The next sibling may have counted as moved only because of this one.
            ahead.extend(now.next);
            found.entry(id).and_modify(|found| found.placed = false);
        }
    }
}
