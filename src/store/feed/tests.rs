//! What readers see after random edits, compared with what changed from update to update.

use super::{ChangeLists, MOST_KEPT, ReadScratch};
use crate::store::kinds::ChangeKinds;
use crate::store::record::RecordId;
use crate::store::{Position, Store};
use crate::{Aabb, Drawable, Layers, Local, Node, NodeHandle, SceneConfig, Transform, Visibility};
use core::ops::ControlFlow;
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What an update left of a node of the tree: matrix, layers and material.
type State = ([[u32; 4]; 3], u32, Option<u32>);
type Tree = BTreeMap<NodeHandle, State>;

/// A reader, and what it is to be told when it reads.
#[derive(Default)]
struct Reader {
    frame: u64,
    lists: ChangeLists,
    scratch: ReadScratch,
    /// The tree at the last read.
    known: Tree,
    /// Changes of nodes that were in the tree before and after an update.
    changes: BTreeMap<NodeHandle, ChangeKinds>,
    /// Nodes that were out of the tree after an update.
    away: BTreeSet<NodeHandle>,
    removed: BTreeSet<NodeHandle>,
}

impl Reader {
    /// Reads, and compares. Returns whether anything was known.
    fn read(&mut self, store: &Store, now: &Tree) -> bool {
        let read = store.read_changes(self.frame, ChangeKinds::ALL, &mut self.lists, &mut self.scratch);
        if read.is_some() {
            self.compare(store, now);
        }
        self.frame = store.updates();
        self.known = now.clone();
        self.changes.clear();
        self.away.clear();
        self.removed.clear();
        read.is_some()
    }

    fn compare(&self, store: &Store, now: &Tree) {
        let ChangeLists { moved, visibility, locals, entered, left, removed, edited } = &self.lists;
        let sorted = |nodes: &[NodeHandle]| {
            let set: BTreeSet<NodeHandle> = nodes.iter().copied().collect();
            assert_eq!(set.len(), nodes.len(), "a node is listed once");
            set
        };
        let differ = |a: &Tree, b: &Tree| a.keys().filter(|node| !b.contains_key(node)).copied().collect();
        assert_eq!(sorted(entered), differ(now, &self.known));
        assert_eq!(sorted(left), differ(&self.known, now));
        assert_eq!(sorted(removed), self.removed);
        let mut told: BTreeMap<NodeHandle, ChangeKinds> = edited.iter().copied().collect();
        assert_eq!(told.len(), edited.len(), "a node is listed once");
        let lists = [(moved, ChangeKinds::WORLD), (visibility, ChangeKinds::VISIBILITY), (locals, ChangeKinds::LOCAL)];
        for (list, kind) in lists {
            sorted(list).into_iter().for_each(|node| *told.entry(node).or_default() |= kind);
        }
        // What was removed since the update may be missing.
        told.retain(|&node, _| store.resolve(node).is_some());
        let mut expected = self.changes.clone();
        self.away.iter().for_each(|&node| _ = expected.insert(node, ChangeKinds::ALL));
        expected.retain(|node, kinds| {
            let stays = self.known.contains_key(node) && now.contains_key(node);
            stays && store.resolve(*node).is_some() && !kinds.is_empty()
        });
        assert_eq!(told, expected);
    }
}

/// A store that is edited at random, and what happened to it.
struct Told {
    store: Store,
    dice: Rng,
    nodes: Vec<NodeHandle>,
    last: Tree,
    /// Edits since the last update of nodes that were in the tree then.
    edits: BTreeMap<NodeHandle, ChangeKinds>,
    removed: BTreeSet<NodeHandle>,
    /// What each node's previous matrix is to be.
    previous: BTreeMap<NodeHandle, [[u32; 4]; 3]>,
    readers: [Reader; 3],
}

impl Told {
    fn new(max_nodes: u32, seed: u64, change_history: u32) -> Self {
        let store = Store::new(SceneConfig { max_nodes, changes: true, change_history, ..SceneConfig::DEFAULT });
        let nodes = vec![store.root()];
        Self {
            store,
            dice: Rng::with_seed(seed),
            nodes,
            last: Tree::new(),
            edits: BTreeMap::new(),
            removed: BTreeSet::new(),
            previous: BTreeMap::new(),
            readers: Default::default(),
        }
    }

    fn any(&mut self) -> RecordId {
        loop {
            let at = self.dice.usize(0..self.nodes.len());
            match self.store.resolve(self.nodes[at]) {
                Some(id) => return id,
                None => _ = self.nodes.swap_remove(at),
            }
        }
    }

    /// Few places, so that nodes often come to where they were.
    fn local(&mut self) -> Local {
        let transform = Transform::from_xyz(self.dice.u8(0..3).into(), 0.0, 0.0);
        if self.dice.u8(0..30) > 0 {
            return Local::Transform(transform);
        }
        let mut matrix = transform.to_matrix();
        matrix.rows[0][1] += 3.0;
        Local::Matrix(matrix)
    }

    fn position(&mut self) -> Position {
        let id = self.any();
        match self.store.parent(id) {
            Some(parent) if self.dice.bool() => Position { parent, next: id },
            _ => Position::last_of(id),
        }
    }

    fn note(&mut self, id: RecordId, kinds: ChangeKinds) {
        let node = self.store.handle(id);
        if self.last.contains_key(&node) {
            *self.edits.entry(node).or_default() |= kinds;
        }
    }

    fn insert(&mut self) {
        let (at, mut node) = (self.position(), Node::group());
        node.local = (self.dice.u8(0..3) > 0).then(|| self.local());
        node.material = (self.dice.u8(0..4) == 0).then(|| self.dice.u32(0..3));
        node.layers = (self.dice.u8(0..6) == 0).then(|| Layers::new(self.dice.u32(0..4)));
        node.drawable = (self.dice.u8(0..3) == 0).then(|| Drawable::new(1, Aabb::cube(1.0)));
        self.nodes.push(self.store.insert(at, &node).unwrap());
    }

    fn relocate(&mut self, id: RecordId, to: Position) {
        if id == RecordId::ROOT || to.next == id || self.store.is_in_subtree(to.parent, id) {
            return;
        }
        let same = self.store.pages.parent(id) == to.parent;
        self.note(id, if same { ChangeKinds::ORDER } else { ChangeKinds::PARENT });
        self.store.relocate(id, to);
    }

    fn remove(&mut self, id: RecordId) {
        let below: Vec<NodeHandle> = self.store.pages.subtree(id).map(|id| self.store.handle(id)).collect();
        // Large subtrees seldom.
        if id != RecordId::ROOT && (below.len() < 8 || self.dice.u8(0..8) == 0) {
            self.store.remove(id);
            self.removed.extend(below);
        }
    }

    fn edit(&mut self) {
        let id = self.any();
        match self.dice.u8(0..22) {
            0..=5 => self.insert(),
            6..=7 => self.remove(id),
            8..=10 => {
                let to = self.position();
                self.relocate(id, to);
            }
            11 => self.relocate(id, Position::DETACHED),
            12..=14 => {
                let local = self.local();
                self.store.set_local(id, local);
                self.note(id, ChangeKinds::LOCAL);
            }
            15 => {
                if id != RecordId::ROOT && self.store.remove_local(id).is_some() {
                    self.note(id, ChangeKinds::LOCAL);
                }
            }
            16 => {
                let material = (self.dice.u8(0..3) > 0).then(|| self.dice.u32(0..3));
                self.store.set_material(id, material);
                self.note(id, ChangeKinds::OWN_MATERIAL);
            }
            17 => {
                let layers = (self.dice.u8(0..3) > 0).then(|| Layers::new(self.dice.u32(0..4)));
                self.store.set_layers(id, layers);
                if self.dice.u8(0..3) == 0 {
                    let all = [Visibility::Inherited, Visibility::Hidden, Visibility::Shown];
                    self.store.set_visibility(id, all[self.dice.usize(0..3)]);
                }
                self.note(id, ChangeKinds::OWN_VISIBILITY);
            }
            18 => {
                let drawable = self.dice.bool().then(|| Drawable::new(2, Aabb::cube(1.0)));
                self.store.set_drawable(id, drawable);
                self.note(id, ChangeKinds::DRAWABLE);
            }
            19 => {
                self.store.set_name(id, self.dice.bool().then_some("name"));
                self.note(id, ChangeKinds::NAME);
            }
            20 => {
                let mut children: Vec<RecordId> = self.store.pages.children(id).collect();
                self.dice.shuffle(&mut children);
                self.store.order_children(id, &children);
                children.into_iter().for_each(|child| self.note(child, ChangeKinds::ORDER));
            }
            _ => self.visit(),
        }
    }

    /// Has a visitor set and compute some slots before the update.
    fn visit(&mut self) {
        if self.dice.u8(0..4) > 0 {
            return;
        }
        let (mut set, dice) = (Vec::new(), &mut self.dice);
        let _ = self.store.show_each(|mut slice| {
            for slot in slice.view().imports()..slice.view().transforms().len() {
                let owner = u32::try_from(slot).ok().and_then(|slot| slice.view().transform_owner(slot));
                if let Some(node) = owner.filter(|_| dice.u8(0..9) == 0) {
                    let place = Transform::from_xyz(dice.u8(0..3).into(), 0.0, 0.0);
                    slice.set_local(slot, place).unwrap();
                    set.push(node.record());
                }
            }
            if dice.u8(0..4) > 0 {
                slice.propagate(dice.bool());
            }
            if dice.u8(0..9) == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        set.into_iter().for_each(|id| self.note(id, ChangeKinds::LOCAL));
    }

    fn state(&self, id: RecordId) -> State {
        let world = self.store.fresh_world(id).to_bits();
        (world, self.store.layers(id).mask(), self.store.material(id))
    }

    /// Updates, and tells the readers what is to be known.
    fn update(&mut self) {
        self.store.update();
        let ids = self.store.pages.subtree(RecordId::ROOT);
        let now: Tree = ids.map(|id| (self.store.handle(id), self.state(id))).collect();
        for (&node, &(world, mask, material)) in &now {
            assert_eq!(self.store.world(node).map(|world| world.to_bits()), Some(world));
            let before = self.last.get(&node);
            self.previous.insert(node, before.map_or(world, |before| before.0));
            let Some(before) = before else { continue };
            let mut kinds = self.edits.get(&node).copied().unwrap_or_default();
            let differ = [
                (before.0 != world, ChangeKinds::WORLD),
                (before.1 != mask, ChangeKinds::VISIBILITY),
                (before.2 != material, ChangeKinds::MATERIAL),
            ];
            differ.into_iter().filter(|(differs, _)| *differs).for_each(|(_, kind)| kinds |= kind);
            for reader in &mut self.readers {
                *reader.changes.entry(node).or_default() |= kinds;
            }
        }
        for reader in &mut self.readers {
            reader.away.extend(self.last.keys().filter(|node| !now.contains_key(node)));
            reader.removed.extend(&self.removed);
        }
        (self.last, self.edits, self.removed) = (now, BTreeMap::new(), BTreeSet::new());
        self.previous.retain(|node, _| self.last.contains_key(node));
        self.compare_previous();
    }

    fn compare_previous(&self) {
        assert_eq!(self.store.validate(), Ok(self.store.pages.len()));
        for (&node, &world) in &self.previous {
            let previous = self.store.resolve(node).and_then(|id| self.store.previous_world(id));
            assert_eq!(previous.map(|world| world.to_bits()), Some(world), "{node:?}");
        }
    }

    fn read(&mut self, reader: usize) -> bool {
        self.readers[reader].read(&self.store, &self.last)
    }
}

/// Rounds of edits and updates. One reader reads after every update, one after some, one at any time. Returns how often
/// a reader was told to read everything.
fn rounds(max_nodes: u32, seed: u64, history: u32) -> usize {
    let mut told = Told::new(max_nodes, seed, history);
    let mut misses = 0;
    let edits = if max_nodes > 100 { 80 } else { 12 };
    for _ in 0..(edits * 5) {
        told.edit();
    }
    for _ in 0..60 {
        for _ in 0..told.dice.usize(0..edits) {
            told.edit();
            if told.dice.u8(0..30) == 0 {
                misses += usize::from(!told.read(2));
            }
        }
        told.update();
        misses += usize::from(!told.read(0));
        if told.dice.u8(0..4) == 0 {
            misses += usize::from(!told.read(1));
        }
        if told.dice.u8(0..3) == 0 {
            let before = told.store.is_current();
            told.store.maintain(Duration::MAX);
            assert_eq!(told.store.is_current(), before);
            told.compare_previous();
        }
        if told.dice.u8(0..3) == 0 {
            told.update();
            assert!(told.store.is_current() && told.read(0));
            assert_eq!(told.readers[0].lists.entered, [], "what has entered before");
        }
    }
    (0..3).for_each(|reader| misses += usize::from(!told.read(reader)));
    told.store.clear();
    told.store.update();
    assert_eq!(told.store.validate(), Ok(1));
    misses
}

#[test]
fn readers_are_told_exactly_what_changed_from_update_to_update() {
    for (max_nodes, seeds) in [(8, 80), (16, 80), (256, 20), (4096, 10)] {
        for seed in 0..seeds {
            assert_eq!(
                rounds(max_nodes, seed, SceneConfig::DEFAULT.change_history),
                0,
                "slices of {max_nodes}, seed {seed}"
            );
        }
    }
}

#[test]
fn readers_for_whom_the_history_is_too_short_are_told_to_read_everything() {
    let misses: usize = (0..30).map(|seed: u8| rounds(16, seed.into(), u32::from(seed) * 4)).sum();
    assert!(misses > 50, "{misses}");
}

#[test]
fn removals_are_noted_up_to_the_history_if_nobody_updates() {
    let mut store = Store::new(SceneConfig { changes: true, change_history: 100, ..SceneConfig::DEFAULT });
    let (mut lists, mut scratch) = (ChangeLists::default(), ReadScratch::default());
    for (rounds, told) in [(MOST_KEPT, true), (MOST_KEPT + 1, false), (100_000, false)] {
        store.update();
        let frame = store.updates();
        for _ in 0..rounds {
            let node = store.insert(Position::last_of(RecordId::ROOT), &Node::group()).unwrap();
            store.remove(node.record());
        }
        assert!(store.feed().is_some_and(|feed| feed.bytes() < 200_000));
        store.update();
        let read = store.read_changes(frame, ChangeKinds::ALL, &mut lists, &mut scratch);
        assert_eq!((read.is_some(), lists.removed.len()), (told, if told { rounds } else { 0 }));
        let after = store.updates();
        assert!(store.read_changes(after, ChangeKinds::ALL, &mut lists, &mut scratch).is_some());
        assert_eq!(store.validate(), Ok(1));
    }
}

#[test]
fn a_name_alone_makes_a_frame() {
    let mut store = Store::new(SceneConfig { changes: true, ..SceneConfig::DEFAULT });
    store.update();
    let frame = store.updates();
    store.set_name(RecordId::ROOT, Some("world"));
    store.update();
    let (mut lists, mut scratch) = (ChangeLists::default(), ReadScratch::default());
    assert!(store.read_changes(frame, ChangeKinds::ALL, &mut lists, &mut scratch).is_some());
    assert_eq!(lists.edited, [(store.root(), ChangeKinds::NAME)]);
    assert_eq!((store.updates(), store.is_current()), (frame + 1, true));
}

#[test]
fn frames_of_slots_begin_again_before_their_numbers_end() {
    let mut store = Store::new(SceneConfig { changes: true, ..SceneConfig::DEFAULT });
    store.clock.updates = u64::from(u32::MAX) - 4;
    let mut place = || store.insert(Position::last_of(RecordId::ROOT), &Node::transform(Transform::IDENTITY)).unwrap();
    let [mover, rests] = [place(), place()];
    store.update();
    let (first, mut last) = (store.updates(), store.updates());
    let (mut lists, mut scratch) = (ChangeLists::default(), ReadScratch::default());
    for x in [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0] {
        store.set_plain(mover, &Transform::from_xyz(x, 0.0, 0.0)).unwrap();
        store.update();
        let mut read = |after| store.read_changes(after, ChangeKinds::ALL, &mut lists, &mut scratch);
        let begins_again = store.updates() == u64::from(u32::MAX);
        assert_eq!(read(first).is_none(), store.updates() >= u64::from(u32::MAX), "at {x}");
        assert_eq!(read(last).is_none(), begins_again, "at {x}");
        if !begins_again {
            assert_eq!((&*lists.moved, &*lists.locals), (&[mover][..], &[mover][..]), "at {x}");
        }
        last = store.updates();
        assert_eq!(store.validate(), Ok(3));
    }
    assert!(last > u64::from(u32::MAX) && store.resolve(rests).is_some());
}
