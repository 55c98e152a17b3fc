//! Edits of a scene as statements of the open definition.

use crate::document::{Document, beside, holds, unread};
use crate::error::Error;
use crate::expand::Expansion;
use crate::library::Library;
use crate::operations::Draft;
use crate::order::{Order, Rank, arranged};
use crate::patch::{Entry, Key, Moved, Patch};
use crate::path::{Path, joined};
use crate::places::NONE;
use crate::resolve::Scope;
use crate::value::{Field, Spot, Value, same};
use hedgerow::changes::ChangeKinds;
use hedgerow::internal::{last_tag, record, set_tag};
use hedgerow::{NodeHandle, Scene};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

/// What changed in a scene since the last step.
#[derive(Default)]
struct Edits {
    /// The outermost places of nodes that are no longer below the root.
    gone: BTreeSet<u32>,
    /// Nodes below the root that are new, or were moved or reordered.
    placed: HashSet<NodeHandle>,
    /// Nodes below the root whose components may differ.
    edited: BTreeSet<NodeHandle>,
}

/// A step that is recorded: the library has its statements already.
struct Recording<'d> {
    document: &'d mut Document,
    /// What was stated before.
    before: BTreeMap<(Path, Field), Option<Value>>,
    edits: Edits,
    /// Nodes with a new id in the open definition.
    renamed: HashSet<NodeHandle>,
    /// The next new id.
    next: u64,
    moved: Vec<Moved>,
}

impl Document {
    /// Records all edits since the last step in the library, without its ids, and returns them as a patch.
    pub(crate) fn record(&mut self, scene: &mut Scene) -> Result<Patch, Error> {
        self.check_scene(scene)?;
        scene.update();
        if scene.get(self.root).is_none_or(|root| root.is_detached()) {
            return Err(Error::NoRoot);
        }
        let edits = self.edits(scene)?;
        if edits.gone.is_empty() && edits.placed.is_empty() && edits.edited.is_empty() {
            return Ok(Patch::new());
        }
        self.library.at_mut(self.definition).release();
        let (before, renamed, moved) = Default::default();
        // Only nodes that were placed get new ids.
        let next = if edits.placed.is_empty() { 0 } else { self.library.next_id(&self.name) };
        let mut recording = Recording { document: self, before, edits, renamed, next, moved };
        recording.take_in(scene);
        recording.take_out(scene);
        recording.order(scene);
        recording.components(scene);
        recording.correct(scene);
        Ok(recording.finish())
    }

    /// Reads the changes of the scene. If they cannot be stated, the next step looks at the whole scene.
    fn edits(&mut self, scene: &mut Scene) -> Result<Edits, Error> {
        let (mut left, mut placed, mut edited): (Vec<_>, Vec<_>, Vec<_>) = Default::default();
        let whole = {
            let changes = scene.changes(&mut self.reader)?;
            left.extend(changes.left().iter().chain(changes.removed()));
            let moved = |kinds: ChangeKinds| kinds.intersects(ChangeKinds::PARENT | ChangeKinds::ORDER);
            placed.extend(changes.entered());
            placed.extend(changes.edited().iter().filter(|(_, kinds)| moved(*kinds)).map(|(node, _)| *node));
            edited.extend(changes.edited().iter().map(|(node, _)| *node).chain(changes.locals().iter().copied()));
            edited.extend(changes.entered());
            changes.is_whole()
        };
        let mut edits = Edits::default();
        let Self { library, places, .. } = self;
        let mut lost: BTreeSet<u32> = if whole {
            places.held().map(|(place, _)| places.outermost(library, place)).collect()
        } else {
            let tagged = |node: &NodeHandle| {
                let record = record(*node);
                places.of_record(library, record, last_tag(scene, record)?)
            };
            left.iter().filter_map(tagged).collect()
        };
        // A node that a checkpoint brought back lost its mark, but not its place.
        for &node in placed.iter().filter(|_| !whole) {
            let number = record(node);
            if let Some(last) = last_tag(scene, number)
                && let Some(place) = places.of_record(library, number, last)
                && !lost.contains(&place)
            {
                set_tag(scene, node, Some(last));
            }
        }
        for &node in placed.iter().chain(&left) {
            // Moved out of the document, with all below.
            let below = scene
                .get(node)
                .filter(|_| !holds(scene, self.root, node))
                .into_iter()
                .flat_map(|top| top.descendants());
            lost.extend(below.filter_map(|node| self.places.of_node(&self.library, scene, node.handle())));
        }
        let mut out = Vec::new();
        for place in lost {
            let node = self.places.node(&self.library, scene, place);
            if node.is_none_or(|node| !holds(scene, self.root, node)) {
                out.extend(node);
                edits.gone.insert(place);
            }
        }
        for node in placed {
            if node == self.root || !holds(scene, self.root, node) {
                continue;
            }
            edits.placed.insert(node);
            if self.places.of_node(&self.library, scene, node).is_none() {
                // It came from outside of the document, and its nodes with it.
                let below = scene.get(node).into_iter().flat_map(|node| node.descendants()).map(|node| node.handle());
                edits.placed.extend(below.filter(|&node| self.places.of_node(&self.library, scene, node).is_none()));
            }
        }
        edited.retain(|&node| holds(scene, self.root, node));
        edits.edited.extend(edited);
        if !edits.placed.is_empty() && !self.library.has_ids(&self.name) {
            self.reader = unread();
            return Err(Error::NoIds);
        }
        out.into_iter().for_each(|node| set_tag(scene, node, None));
        Ok(edits)
    }
}

impl Recording<'_> {
    /// States or unstates a field of the open definition.
    fn state(&mut self, path: &Path, field: Field, value: Option<Value>) {
        let Self { document, before, .. } = self;
        let stated = document.library.at_mut(document.definition).state(path, field, value);
        before.entry((path.clone(), field)).or_insert(stated);
    }

    fn unstate_all(&mut self, path: &Path) {
        let library = &self.document.library;
        let stated = library.at(self.document.definition).stated_from(path);
        let keys: Vec<(Path, Field)> = stated.map(|(path, value)| (path, value.field())).collect();
        keys.into_iter().for_each(|(path, field)| self.state(&path, field, None));
    }

    fn place_of(&self, scene: &Scene, node: NodeHandle) -> Option<u32> {
        let Document { library, places, .. } = &*self.document;
        places.of_node(library, scene, node)
    }

    fn path(&self, place: u32) -> Path {
        self.document.places.path(&self.document.library, place)
    }

    fn parent(scene: &Scene, node: NodeHandle) -> NodeHandle {
        scene.parent(node).expect("a node below the root has a parent")
    }

    /// Gives new ids to new nodes and to those that left their instances, parents first.
    fn take_in(&mut self, scene: &mut Scene) {
        let depth = |node: NodeHandle| scene.get(node).map_or(0, |node| node.depth());
        // Nodes of instances that may have left theirs, with their depths.
        let mut check: BTreeSet<(usize, NodeHandle)> =
            self.edits.placed.iter().map(|&node| (depth(node), node)).collect();
        while let Some((depth, node)) = check.pop_first() {
            let parent = Self::parent(scene, node);
            let Some(place) = self.place_of(scene, node) else {
                let place = self.rename(scene, node, parent);
                self.document.places.put(&self.document.library, scene, place, node);
                continue;
            };
            if self.is_in_instance(scene, place, parent) {
                continue;
            }
            self.convert(scene, place, node, parent);
            // Nodes of the instance below it can only stay if it did, and own nodes name it by its new id; both may
            // hang on nodes of what it uses.
            let used = self.place_of(scene, node).is_some_and(|place| self.document.places.inner(place).is_some());
            let below: Vec<(usize, NodeHandle)> = if used {
                let all = scene.get(node).into_iter().flat_map(|node| node.descendants()).skip(1);
                all.map(|node| (node.depth(), node.handle())).collect()
            } else {
                scene.children(node).map(|node| (depth + 1, node)).collect()
            };
            self.edits.placed.extend(below.iter().map(|(_, node)| node));
            check.extend(below);
        }
    }

    /// Returns whether a node is its instance's, given its parent: an own node, or below a node of the instance.
    fn is_in_instance(&self, scene: &Scene, place: u32, parent: NodeHandle) -> bool {
        let Document { library, places, .. } = &*self.document;
        let instance = places.instance_at(place);
        let Some(use_place) = places.use_place(instance) else { return true };
        let Some(at) = places.of_node(library, scene, parent) else { return false };
        let root = places.outermost(library, use_place);
        if self.edits.gone.contains(&root) {
            return false;
        }
        if at == root {
            return true;
        }
        // The instances of the parent, from its own outwards.
        let mut around = core::iter::successors(Some(places.instance_at(at)), |&at| {
            Some(places.instance(at).outer).filter(|&outer| outer != NONE)
        });
        around.any(|around| around == instance)
    }

    /// Gives a node the next id, and returns its place in the open definition.
    fn rename(&mut self, scene: &mut Scene, node: NodeHandle, parent: NodeHandle) -> u32 {
        let Document { library, places, definition, .. } = &mut *self.document;
        let (definition, path) = (*definition, Path::from(self.next));
        self.next += 1;
        if library.at(definition).slot_of(path.last()).is_none() {
            places.make_room(library, scene, &BTreeMap::from([(definition, 1)]), &mut self.edits.gone);
        }
        self.renamed.insert(node);
        let parent = self.place_of(scene, parent).expect("parents come first");
        let spot = Spot { parent: Some(self.path(parent)), order: Order::ZERO };
        self.state(&path, Field::Place, Some(Value::Place(Some(spot))));
        let slot = self.document.library.at(definition).slot_of(path.last()).expect("it was stated");
        self.document.places.place(0, slot)
    }

    /// Makes a node that left its instance an own node: all that any level states of it is then stated here.
    fn convert(&mut self, scene: &mut Scene, place: u32, node: NodeHandle, parent: NodeHandle) {
        let (leaves, stated) = self.leaves(scene, place);
        let Document { library, places, name, .. } = &mut *self.document;
        let (path, new) = (places.path(library, place), Path::from(self.next));
        self.moved.push((Arc::clone(name), path.clone(), new.clone()));
        let mut expansion = Expansion::new(library, places);
        let (scope, id) = expansion.node(place);
        let flat = library.flattened(scope, id, &new);
        self.unstate_all(&path);
        if leaves || stated {
            self.state(&path, Field::Place, Some(Value::Place(None)));
        }
        // Room for the new place may move the old one.
        let own = self.rename(scene, node, parent);
        let place = self.place_of(scene, node).expect("it had a place before");
        for ((path, field), value) in flat {
            self.state(&path, field, Some(value));
        }
        let Document { library, places, .. } = &mut *self.document;
        places.shift(library, scene, place, own);
    }

    /// Returns whether a node of an instance that stays is the topmost that leaves it, so that its removal must be
    /// stated; and whether the open definition states its place.
    fn leaves(&mut self, scene: &Scene, place: u32) -> (bool, bool) {
        let Document { library, places, definition, .. } = &mut *self.document;
        let use_place = places.use_place(places.instance_at(place));
        let Some(root) = use_place.map(|place| places.outermost(library, place)) else { return (false, false) };
        if self.edits.gone.contains(&root) || places.node(library, scene, root).is_none() {
            return (false, false);
        }
        let stated = library.at(*definition).get(&places.path(library, place), Field::Place);
        let stated = matches!(stated, Some(Value::Place(Some(_))));
        let parent = Expansion::new(library, places).spot(place).map(|(parent, _)| parent);
        let stays = |parent: u32| {
            parent == root || !self.edits.gone.contains(&parent) && places.node(library, scene, parent).is_some()
        };
        (parent.is_some_and(stays), stated)
    }

    /// Takes nodes that are gone out of the library.
    fn take_out(&mut self, scene: &Scene) {
        let gone: Vec<u32> = self.edits.gone.iter().copied().collect();
        for &place in &gone {
            let Document { library, places, .. } = &*self.document;
            let own = places.use_place(places.instance_at(place)).is_none();
            if own {
                self.unstate_all(&Path::from(places.id(library, place)));
            } else if self.leaves(scene, place).0 {
                self.state(&self.path(place), Field::Place, Some(Value::Place(None)));
            }
        }
        gone.into_iter().for_each(|place| self.document.places.clear(place));
    }

    /// States the parents and orders of nodes that were placed, and of as few other children as have no room.
    fn order(&mut self, scene: &Scene) {
        let mut placed = core::mem::take(&mut self.edits.placed);
        let mut list: Vec<NodeHandle> = placed.iter().copied().collect();
        list.sort_unstable();
        let mut done = HashSet::new();
        for node in list {
            if done.contains(&node) {
                continue;
            }
            let mut run = VecDeque::from([node]);
            let mut spare = 0;
            loop {
                // All neighbours that were placed, and a few others if there was no room between those.
                for next in [false, true] {
                    let mut others = spare;
                    let end = |run: &VecDeque<NodeHandle>| if next { run.back() } else { run.front() }.copied();
                    while let Some(other) = end(&run).and_then(|node| beside(scene, node, next)) {
                        if !placed.contains(&other) {
                            if others == 0 {
                                break;
                            }
                            others -= 1;
                        }
                        if next { run.push_back(other) } else { run.push_front(other) }
                    }
                }
                let ends = [beside(scene, run[0], false), beside(scene, run[run.len() - 1], true)];
                if self.order_run(scene, run.make_contiguous(), ends, spare > 0) {
                    break;
                }
                spare = 1.max(2 * spare);
                placed.extend(&run);
            }
            done.extend(run);
        }
    }

    /// Gives the nodes of a run orders between those of the siblings at its ends. Nodes whose keys ascend already keep
    /// theirs, unless all are to be spread. Returns false if there is no room.
    fn order_run(&mut self, scene: &Scene, run: &[NodeHandle], ends: [Option<NodeHandle>; 2], spread: bool) -> bool {
        let parent = self.place_of(scene, Self::parent(scene, run[0])).expect("the parent has a place");
        let Self { document, renamed, .. } = &mut *self;
        let mut expansion = Expansion::new(&document.library, &mut document.places);
        let mut rank = |node: NodeHandle| {
            let (above, sibling) = expansion.of_node(scene, node).and_then(|place| expansion.spot(place))?;
            (above == parent).then_some(sibling.rank)
        };
        let [low, high] = ends.map(|end| end.and_then(&mut rank));
        let fits = |rank: &Rank| low.is_none_or(|low| low < *rank) && high.is_none_or(|high| *rank < high);
        let kept = |&node: &NodeHandle| if spread || renamed.contains(&node) { None } else { rank(node).filter(fits) };
        let ranks: Vec<Option<Rank>> = run.iter().map(kept).collect();
        let ends = [low, high].map(|end| end.map(|(order, ..)| order));
        let Some(orders) = arranged(&ranks, ends) else { return false };
        for (number, order) in orders {
            let place = self.place_of(scene, run[number]).expect("it was placed");
            self.state_place(place, parent, order);
        }
        true
    }

    /// States where a node is.
    fn state_place(&mut self, place: u32, parent: u32, order: Order) {
        let Document { library, places, .. } = &*self.document;
        let path = places.path(library, place);
        let use_place = places.use_place(places.instance_at(place));
        // The root of an instance is named by the instance's path.
        let is_use = use_place.is_some_and(|place| places.outermost(library, place) == parent);
        let parent = if is_use { Path::of(path.instance()) } else { Some(self.path(parent)) };
        self.state(&path, Field::Place, Some(Value::Place(Some(Spot { parent, order }))));
    }

    /// States the components of nodes that differ from what the library resolves.
    fn components(&mut self, scene: &Scene) {
        let Document { library, places, .. } = &mut *self.document;
        let mut expansion = Expansion::new(library, places);
        let mut differ = Vec::new();
        let nodes: BTreeSet<NodeHandle> =
            self.edits.edited.union(&self.renamed.iter().copied().collect()).copied().collect();
        for node in nodes {
            let place = expansion.places.of_node(library, scene, node);
            let (Some(place), Some(found)) = (place, scene.get(node)) else { continue };
            let (described, resolved) = (found.to_node(), expansion.describe(place));
            if !same(&described, &resolved) {
                let path = expansion.places.path(library, place);
                let differs = |field| {
                    Value::of(&described, field).filter(|value| Some(value) != Value::of(&resolved, field).as_ref())
                };
                differ.extend(Field::COMPONENTS.into_iter().filter_map(differs).map(|value| (path.clone(), value)));
            }
        }
        differ.into_iter().for_each(|(path, value)| self.state(&path, value.field(), Some(value)));
    }

    /// States places again that do not show what the scene does, as those of circles and of missing parents.
    fn correct(&mut self, scene: &Scene) {
        for _ in 0..4 {
            let Document { library, places, root, .. } = &mut *self.document;
            let mut expansion = Expansion::new(library, places);
            let mut removed = Vec::new();
            for (path, _) in self.before.keys().filter(|(_, field)| *field == Field::Place) {
                let Some(place) = expansion.places.find(library, 0, path.ids()) else { continue };
                let parent = expansion.spot(place).map(|(parent, _)| parent);
                let node = expansion.places.node(library, scene, place).filter(|node| node != root);
                if let Some(node) = node {
                    if parent.is_none() || parent != expansion.of_node(scene, Self::parent(scene, node)) {
                        self.edits.placed.insert(node);
                    }
                } else if expansion.leads_to_node(scene, parent) {
                    removed.push(expansion.places.path(library, place));
                }
            }
            removed.retain(|path| path.own().is_none());
            if self.edits.placed.is_empty() && removed.is_empty() {
                break;
            }
            removed.iter().for_each(|path| self.state(path, Field::Place, Some(Value::Place(None))));
            self.order(scene);
        }
    }

    /// Returns all that was stated as a patch.
    fn finish(self) -> Patch {
        let Self { document, before, moved, .. } = self;
        let definition = document.library.at(document.definition);
        let entries = before.into_iter().map(|((path, field), before)| {
            let after = definition.get(&path, field).cloned();
            (Key { definition: document.name.clone(), path, field }, (before, after))
        });
        Patch { moved, ..Patch::of_map(entries.collect()) }
    }
}

impl Document {
    /// Makes the edits since the last step one step, like [`commit`](Self::commit), but those inside a use are stated
    /// by the definition that it uses: edits a prefab in place, and all its instances follow.
    ///
    /// What the definition cannot state stays stated by the open one: the placement of a node whose parent it does not
    /// have, and fields of the use itself. New nodes inside the use become the definition's, with new ids and handles.
    /// They get the orders that they have here: a last child comes after all that the open definition has added to this
    /// instance.
    ///
    /// Copies the library, and takes what [`commit`](Self::commit) and [`apply`](Self::apply) of the used definition's
    /// changes take.
    ///
    /// # Errors
    /// Those of [`commit`](Self::commit). [`Error::Invalid`] if the path leads to no use; then no edit is committed.
    /// [`Error::Scene`] if the scene has no room for what other instances get; then the edits are a step of the open
    /// definition alone, as after a commit.
    pub fn commit_in(&mut self, scene: &mut Scene, use_: &Path) -> Result<Patch, Error> {
        let library = &self.library;
        let used =
            library.locate(self.definition, use_.ids()).and_then(|route| library.enter(route.scope(), route.id()));
        let used = used.map(|used| library.at(used).name.clone()).ok_or_else(|| {
            let (key, why) = (Key::new(self.name.clone(), use_.clone(), Field::Use), "there is no use; name one");
            Error::Invalid { key, why }
        })?;
        let stated = self.record(scene)?;
        let made = self.library.pushed_in(&self.name, use_, &used, &stated).and_then(|(pushed, ids)| {
            // Nodes that left their instances get ids of the used definition, in place of those of the open one.
            let inner = stated.moved.iter().filter_map(|(of, _, own)| {
                Some((of.clone(), own.clone(), joined(use_.ids(), &[*ids.get(&own.own()?)?])))
            });
            let moved = stated.moved.iter().cloned().chain(inner).collect();
            let step = Patch { moved, ..stated.then(&pushed)? };
            self.make(scene, &pushed)?;
            Ok(step)
        });
        let step = made.as_ref().unwrap_or(&stated);
        self.library.keep_ids(step);
        self.history.push(step.clone());
        made
    }
}

impl Library {
    /// Returns the patch that moves what a definition has just stated inside a use to the used definition, and the new
    /// ids there of own nodes.
    fn pushed_in(
        &self,
        name: &Arc<str>,
        use_: &Path,
        used: &Arc<str>,
        stated: &Patch,
    ) -> Result<(Patch, BTreeMap<u64, u64>), Error> {
        let (number, level) = (self.defined(name)?, use_.ids().len());
        let mut moved = self.clone();
        let mut patches = Vec::new();
        // What the definition cannot state stays stated here: a parent that it does not have, a use that contains it.
        let mut push = |library: &mut Self, patch: Result<Patch, Error>| {
            let patch = patch.ok().filter(|patch| library.apply(patch).is_ok());
            let pushed = patch.is_some();
            patches.extend(patch);
            pushed
        };
        // New own nodes below the use, parents first: their ids ascend.
        let (mut ids, mut new): (BTreeMap<u64, u64>, _) = (BTreeMap::new(), self.next_id(used));
        for Entry { key, before, after } in stated.entries() {
            let (Some(id), None, Some(Value::Place(Some(Spot { parent: Some(parent), order })))) =
                (key.path.own(), before, after)
            else {
                continue;
            };
            let inner = match ids.get(&parent.ids()[0]) {
                Some(&own) => Some(joined(&[own], &parent.ids()[1..])),
                None if parent == use_ => self.defined(used).ok().and_then(|used| self.at(used).root()).map(Path::from),
                None if parent.starts_with(use_) => Path::of(&parent.ids()[level..]),
                None => None,
            };
            if let Some(parent) = inner {
                let spot = Value::Place(Some(Spot { parent: Some(parent), order: *order }));
                let mut draft = Draft::new(&moved);
                draft.remove(number, [id]);
                draft.state_new(used, new.into(), spot);
                for ((path, _), value) in moved.flattened(&Scope::top(number), id, &new.into()) {
                    draft.state_new(used, path, value);
                }
                let patch = draft.finish();
                if push(&mut moved, Ok(patch)) {
                    ids.insert(id, new);
                    new += 1;
                }
            }
        }
        for Entry { key, .. } in stated.entries() {
            if key.path != *use_ && key.path.starts_with(use_) && self.get(key).is_some() {
                let patch = moved.push(name, &key.path, &[key.field], level);
                push(&mut moved, patch);
            }
        }
        Ok((Patch::join(&patches)?, ids))
    }
}
