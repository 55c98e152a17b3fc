//! Readers of changes that read now and then, also between edits, compared with the expected reports.

use super::Check;
use super::compare::same_bits;
use super::op::Op;
use super::oracle::Oracle;
use super::tree::Tree;
use hedgerow::changes::{ChangeKinds, ChangeReader, Changed, ParentChange};
use hedgerow::{Drawable, Error, Layers, Local, Mat34, NodeHandle, Scene, ViewRange, Visibility};
use std::collections::{BTreeMap, BTreeSet};

/// The state of a node after an update.
#[derive(Clone)]
struct State {
    world: Mat34,
    mask: u32,
    local: Option<Local>,
    visibility: (Visibility, Option<Layers>),
    material: Option<u32>,
    shown: Option<u32>,
    drawable: Option<Drawable>,
    user_data: u32,
    range: Option<ViewRange>,
    name: Option<String>,
    parent: Option<NodeHandle>,
    anchored: bool,
}

impl State {
    fn of(scene: &Scene, node: NodeHandle) -> Option<Self> {
        Some(Self {
            world: *scene.world(node)?,
            mask: scene.get(node)?.layers().mask(),
            local: scene.local(node),
            visibility: scene.get(node).map(|node| (node.own_visibility(), node.own_layers()))?,
            material: scene.get(node).and_then(|node| node.own_material()),
            shown: scene.get(node).and_then(|node| node.material()),
            drawable: scene.get(node).and_then(|node| node.drawable()),
            user_data: scene.get(node)?.user_data(),
            range: scene.get(node)?.view_range(),
            name: scene.get(node).and_then(|node| node.name()).map(str::to_owned),
            parent: scene.parent(node),
            anchored: scene.get(node)?.is_anchored(),
        })
    }

    /// Returns the kinds of edits that differ between this state and `now`.
    fn edits_to(&self, now: &Self) -> ChangeKinds {
        let kinds = [
            (self.local != now.local, ChangeKinds::LOCAL),
            (self.visibility != now.visibility, ChangeKinds::OWN_VISIBILITY),
            (self.material != now.material, ChangeKinds::OWN_MATERIAL),
            (self.shown != now.shown, ChangeKinds::MATERIAL),
            (self.drawable != now.drawable, ChangeKinds::DRAWABLE),
            (self.name != now.name, ChangeKinds::NAME),
            (self.user_data != now.user_data, ChangeKinds::USER_DATA),
            (self.parent != now.parent || self.anchored != now.anchored, ChangeKinds::PARENT),
            (self.range != now.range, ChangeKinds::VIEW_RANGE),
        ];
        kinds.into_iter().filter(|(differs, _)| *differs).fold(ChangeKinds::NONE, |all, (_, kind)| all | kind)
    }
}

/// All nodes of the tree after an update, and the children of each.
#[derive(Clone, Default)]
struct Snapshot {
    nodes: BTreeMap<NodeHandle, State>,
    children: BTreeMap<NodeHandle, Vec<NodeHandle>>,
}

impl Snapshot {
    fn of(scene: &Scene) -> Self {
        let mut now = Self::default();
        for node in scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()) {
            now.nodes.extend(State::of(scene, node).map(|state| (node, state)));
            now.children.insert(node, scene.children(node).collect());
        }
        now
    }
}

/// Each kind alone, none, and all that edits make.
const KINDS: [ChangeKinds; 13] = [
    ChangeKinds::WORLD,
    ChangeKinds::VISIBILITY,
    ChangeKinds::LOCAL,
    ChangeKinds::OWN_VISIBILITY,
    ChangeKinds::OWN_MATERIAL,
    ChangeKinds::DRAWABLE,
    ChangeKinds::NAME,
    ChangeKinds::ORDER,
    ChangeKinds::MATERIAL,
    ChangeKinds::USER_DATA,
    ChangeKinds::VIEW_RANGE,
    ChangeKinds::NONE,
    ChangeKinds::EDITS,
];

/// Returns all that a read told of some kinds, sorted.
fn lists(told: &Changed<'_>, kinds: ChangeKinds) -> ([Vec<NodeHandle>; 6], Vec<(NodeHandle, String)>) {
    let lists = [
        (told.moved(), ChangeKinds::WORLD),
        (told.visibility(), ChangeKinds::VISIBILITY),
        (told.locals(), ChangeKinds::LOCAL),
        (told.entered(), ChangeKinds::NONE),
        (told.left(), ChangeKinds::NONE),
        (told.removed(), ChangeKinds::NONE),
    ];
    let lists = lists.map(|(list, kind)| {
        let mut list = if kinds.contains(kind) { list.to_vec() } else { Vec::new() };
        list.sort_unstable();
        list
    });
    let edited = told.edited().iter().map(|&(node, found)| (node, found.and(kinds)));
    let edited = edited.filter(|(_, kinds)| !kinds.is_empty()).map(|(node, kinds)| (node, format!("{kinds:?}")));
    let mut edited: Vec<_> = edited.collect();
    edited.sort_unstable();
    (lists, edited)
}

/// A reader, and what it must report next.
struct Reader {
    changes: ChangeReader,
    /// The parents of all nodes, as the reads told.
    parents: BTreeMap<NodeHandle, NodeHandle>,
    /// The state at the last read.
    known: Snapshot,
    reads: usize,
    /// The number of updates since the last read.
    missed: usize,
    /// Whether any edit came before one of these updates.
    edited: bool,
    moved: BTreeSet<NodeHandle>,
    masked: BTreeSet<NodeHandle>,
    edits: BTreeMap<NodeHandle, ChangeKinds>,
    /// Nodes that were out of the tree at one of these updates.
    away: BTreeSet<NodeHandle>,
    /// Nodes that had been removed at one of these updates.
    removed: BTreeSet<NodeHandle>,
    /// Nodes that were in the tree at one of these updates.
    seen: BTreeSet<NodeHandle>,
}

impl Reader {
    fn new(scene: &Scene) -> Self {
        let mut changes = ChangeReader::new().with_parents();
        let told = scene.changes(&mut changes).map(|whole| whole.parents().to_vec()).unwrap_or_default();
        Self {
            changes,
            parents: told.iter().filter_map(|change| Some((change.node, change.after?))).collect(),
            known: Snapshot::default(),
            reads: 0,
            missed: 0,
            edited: false,
            moved: BTreeSet::new(),
            masked: BTreeSet::new(),
            edits: BTreeMap::new(),
            away: BTreeSet::new(),
            removed: BTreeSet::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Records what an update changed.
    fn note(&mut self, before: &Snapshot, now: &Snapshot, tree: &Tree, edited: bool) {
        self.missed += 1;
        self.edited |= edited;
        self.removed.extend(tree.gone());
        self.removed.retain(|&node| tree.find(node).is_none());
        self.away.extend(tree.gone().iter().filter(|node| before.nodes.contains_key(node)));
        self.seen.extend(now.nodes.keys());
        for (&node, state) in &before.nodes {
            let Some(now) = now.nodes.get(&node) else {
                self.away.insert(node);
                continue;
            };
            if !same_bits(&state.world, &now.world) {
                self.moved.insert(node);
            }
            if state.mask != now.mask {
                self.masked.insert(node);
            }
            let edits = state.edits_to(now);
            if !edits.is_empty() {
                *self.edits.entry(node).or_default() |= edits;
            }
        }
    }

    /// Reads and compares. `limited` says that the history is short, `updated` that an update came last.
    fn read(&mut self, scene: &Scene, now: &Snapshot, gone: &[NodeHandle], limited: bool, updated: bool) -> Check {
        let mut late = Vec::new();
        let mut changes = core::mem::take(&mut self.changes);
        // A reader that follows parents is told of them whatever its kinds are.
        let kinds = KINDS[self.reads % KINDS.len()] | KINDS[self.reads / 3 % KINDS.len()] | ChangeKinds::PARENT;
        let mut part = changes.clone().with_kinds(kinds);
        let read = scene.changes(&mut changes);
        if let Ok(whole) = &read {
            let part = scene.changes(&mut part).map_err(|error| super::Mismatch(error.to_string()))?;
            let (found, expected) = (lists(&part, ChangeKinds::ALL), lists(whole, kinds));
            ensure!(part.is_whole() == whole.is_whole(), "only a reader of {kinds:?} is to read everything");
            ensure!(found == expected, "a reader of {kinds:?} is told {found:?}, not {expected:?}");
        }
        let told = read.as_ref().map(|changed| (changed.is_whole(), changed.parents().to_vec())).unwrap_or_default();
        match read {
            Err(error) => ensure!(error == Error::NoChanges && !scene.config().changes, "refused for {error:?}"),
            Ok(whole) if whole.is_whole() => {
                ensure!(limited && self.missed > 1, "everything is to be read after {} updates", self.missed);
                let mut told = whole.entered().to_vec();
                told.sort_unstable();
                let there = now.nodes.keys().copied().filter(|node| scene.contains(*node) && !gone.contains(node));
                ensure!(told.iter().copied().eq(there), "{told:?} are all nodes");
            }
            Ok(changed) => late = compare(changed, scene, gone, &self.expected(now), now, updated)?,
        }
        if scene.config().changes {
            follow(&mut self.parents, &told, now, updated)?;
        }
        self.changes = changes;
        self.known = now.clone();
        self.moved.clear();
        self.masked.clear();
        self.edits = late.into_iter().map(|node| (node, ChangeKinds::LOCAL)).collect();
        self.away.clear();
        self.removed.clear();
        self.seen.clear();
        (self.missed, self.edited, self.reads) = (0, false, self.reads + 1);
        Ok(())
    }

    fn expected(&self, now: &Snapshot) -> Expected<'_> {
        let stayed = |node: &&NodeHandle| self.known.nodes.contains_key(node) && now.nodes.contains_key(node);
        Expected {
            known: &self.known,
            entered: now.nodes.keys().filter(|node| !self.known.nodes.contains_key(node)).copied().collect(),
            left: {
                let gone = |node: &&NodeHandle| !now.nodes.contains_key(node);
                let known: BTreeSet<_> = self.known.nodes.keys().copied().collect();
                known.union(&self.seen).filter(gone).copied().collect()
            },
            moved: self.moved.union(&self.away).filter(stayed).copied().collect(),
            masked: self.masked.union(&self.away).filter(stayed).copied().collect(),
            removed: self.removed.iter().copied().collect(),
            back: self.away.iter().filter(stayed).copied().collect(),
            edits: &self.edits,
            edited: self.edited,
        }
    }
}

/// The expected report of a reader.
struct Expected<'r> {
    known: &'r Snapshot,
    entered: Vec<NodeHandle>,
    left: Vec<NodeHandle>,
    moved: Vec<NodeHandle>,
    masked: Vec<NodeHandle>,
    removed: Vec<NodeHandle>,
    /// Nodes that left the tree and came back.
    back: BTreeSet<NodeHandle>,
    /// Kinds of edits that must be reported.
    edits: &'r BTreeMap<NodeHandle, ChangeKinds>,
    /// Whether any edits may be reported.
    edited: bool,
}

/// Compares a report. Returns nodes whose locals the next read must report, because edits since the last update may
/// have changed their transform slots.
fn compare(
    changed: Changed<'_>,
    scene: &Scene,
    gone: &[NodeHandle],
    expected: &Expected<'_>,
    now: &Snapshot,
    updated: bool,
) -> Check<Vec<NodeHandle>> {
    // A node that was removed since the last update has lost its row, even if a restore has brought it back.
    let has_row = |node: NodeHandle| scene.contains(node) && !gone.contains(&node);
    let sorted = |nodes: &[NodeHandle], live: bool| {
        let mut nodes: Vec<_> = nodes.iter().copied().filter(|&node| !live || has_row(node)).collect();
        nodes.sort_unstable();
        nodes
    };
    // Lists that are found by slots may lack nodes removed since the last update.
    let lists = [
        ("entered", changed.entered(), &expected.entered, false),
        ("left", changed.left(), &expected.left, false),
        ("been removed", changed.removed(), &expected.removed, false),
        ("moved", changed.moved(), &expected.moved, true),
        ("changed in visibility", changed.visibility(), &expected.masked, true),
    ];
    for (what, told, expected, live) in lists {
        let (mut told, mut expected) = (sorted(told, live), sorted(expected, live));
        if what == "been removed" {
            // The next read tells it, if this does not.
            [&mut told, &mut expected].into_iter().for_each(|list| list.retain(|node| !gone.contains(node)));
        }
        ensure!(told == expected, "{told:?} are told to have {what}, not {expected:?}");
    }
    let mut edits: BTreeMap<NodeHandle, ChangeKinds> = BTreeMap::new();
    let locals = changed.locals().iter().map(|&node| (node, ChangeKinds::LOCAL));
    for (node, kinds) in changed.edited().iter().copied().chain(locals) {
        ensure!(
            !edits.get(&node).is_some_and(|known| known.intersects(kinds)) && !kinds.is_empty(),
            "{node:?} is told twice to be edited"
        );
        ensure!(expected.known.nodes.contains_key(&node), "{node:?} is told to be edited, and was not there");
        *edits.entry(node).or_default() |= kinds;
    }
    // The renderer sets user data between steps.
    let unknown = edits.values().any(|kinds| !ChangeKinds::USER_DATA.contains(*kinds));
    ensure!(expected.edited || !unknown, "nothing was edited, and {edits:?} is told");
    let told = |node: NodeHandle| edits.get(&node).copied().unwrap_or_default();
    let mut late = Vec::new();
    let own = [
        ChangeKinds::LOCAL,
        ChangeKinds::OWN_VISIBILITY,
        ChangeKinds::OWN_MATERIAL,
        ChangeKinds::DRAWABLE,
        ChangeKinds::USER_DATA,
        ChangeKinds::VIEW_RANGE,
    ];
    let places = ChangeKinds::NAME | ChangeKinds::PARENT | ChangeKinds::ORDER;
    let own = own.into_iter().fold(places, |all, kind| all | kind);
    for (&node, &kinds) in expected.edits {
        let stays = now.nodes.contains_key(&node) && expected.known.nodes.contains_key(&node);
        let is_late =
            stays && !updated && kinds.contains(ChangeKinds::LOCAL) && !told(node).contains(ChangeKinds::LOCAL);
        if is_late && has_row(node) {
            late.push(node);
        }
        let owed = if is_late { kinds.without(ChangeKinds::LOCAL) } else { kinds };
        // What a removed node inherited is not known any more.
        let owed = if has_row(node) { owed } else { owed.and(own) };
        ensure!(!stays || told(node).contains(owed), "{node:?} was edited in {kinds:?}, and told in {:?}", told(node));
    }
    for &node in expected.back.iter().filter(|&&node| has_row(node)) {
        let all = ChangeKinds::EDITS | ChangeKinds::MATERIAL;
        ensure!(told(node) == all, "{node:?} left and came back, and is told in {:?}", told(node));
    }
    let moves = ChangeKinds::PARENT | ChangeKinds::ORDER;
    let stays = |node: &&NodeHandle| !told(**node).intersects(moves);
    for (parent, before) in &expected.known.children {
        let Some(after) = now.children.get(parent) else { continue };
        let before = before.iter().filter(|node| after.contains(node)).filter(stays);
        let after = after.iter().filter(|node| expected.known.children[parent].contains(node)).filter(stays);
        ensure!(before.eq(after), "the order of the children of {parent:?} is not told");
    }
    Ok(late)
}

/// Follows the tree by what a read told, and nothing else. After an update, all parents are known.
fn follow(
    parents: &mut BTreeMap<NodeHandle, NodeHandle>,
    (whole, told): &(bool, Vec<ParentChange>),
    now: &Snapshot,
    updated: bool,
) -> Check {
    if *whole {
        parents.clear();
    }
    for &ParentChange { node, before, after } in told {
        let known = parents.get(&node).copied();
        ensure!(
            before == known && after != known,
            "{node:?} is told to go from {before:?} to {after:?}, not {known:?}"
        );
        match after {
            Some(parent) => parents.insert(node, parent),
            None => parents.remove(&node),
        };
    }
    let right = now.nodes.iter().filter_map(|(&node, state)| Some((node, state.parent?)));
    ensure!(!updated || right.eq(parents.iter().map(|(&node, &parent)| (node, parent))), "{parents:?} are told");
    Ok(())
}

pub struct Readers {
    readers: [Reader; 2],
    last: Snapshot,
    /// Whether anything was edited since the last update.
    edited: bool,
    /// Whether the history is short.
    limited: bool,
}

impl Readers {
    /// Creates readers of a scene before its first update.
    pub fn new(scene: &Scene) -> Self {
        let readers = [(); 2].map(|()| Reader::new(scene));
        let limited = scene.config().change_history < 1000;
        Self { readers, last: Snapshot::default(), edited: true, limited }
    }

    /// Creates readers of a loaded scene, which is up to date.
    pub fn of_loaded(scene: &Scene) -> Self {
        let mut readers = Self { last: Snapshot::of(scene), edited: false, ..Self::new(scene) };
        readers.readers.iter_mut().for_each(|reader| reader.known = readers.last.clone());
        readers
    }
}

impl Oracle {
    /// Records that a restore is made.
    pub fn note_restore(&mut self) {
        self.readers.edited = true;
    }

    /// Records that an edit is made.
    pub fn note_op(&mut self, op: &Op) {
        let is_upkeep = matches!(op, Op::Update | Op::Maintain(_) | Op::ShrinkToFit | Op::TryReserve(..));
        self.readers.edited |= !is_upkeep;
    }

    /// Passes an update's changes to the readers. One reads after some updates, the other at any time.
    pub fn compare_readers(&mut self, updated: bool) -> Check {
        if updated {
            let now = Snapshot::of(&self.scene);
            let Readers { readers, last, edited, .. } = &mut self.readers;
            readers.iter_mut().for_each(|reader| reader.note(last, &now, &self.tree, *edited));
            (*last, *edited) = (now, false);
            self.tree.note_update();
        }
        let Readers { readers: [seldom, anytime], last, limited, .. } = &mut self.readers;
        let steps = self.counts.steps;
        for (reader, reads) in [(seldom, updated && steps.is_multiple_of(4)), (anytime, steps % 7 == 3)] {
            if reads {
                reader.read(&self.scene, last, self.tree.gone(), *limited, updated)?;
            }
        }
        Ok(())
    }
}
