//! A scene and its model: each step is played on both, and after each update both are compared.

use super::{Pick, Step};
use crate::text;
use hedgerow::changes::{
    ChangeKinds, ChangeReader, Changed, DrawableMirror, DrawableStep, MatrixMirror, MirrorStep, ParentChange,
};
use hedgerow::glam::Vec3;
use hedgerow::visit::{Flow, SliceViewMut, SliceVisitorMut};
use hedgerow::{
    Aabb, DrawList, Drawable, Keep, Layers, Local, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform,
    Visibility,
};
use std::collections::HashMap;
use std::fmt::Write;

/// What was set on a node of the model.
struct Item {
    handle: NodeHandle,
    lives: bool,
    parent: Option<usize>,
    children: Vec<usize>,
    local: Option<Vec3>,
    anchored: bool,
    material: Option<u32>,
    layers: Option<u32>,
    visibility: Visibility,
    user_data: u32,
    /// The state after the last update, if the node was in the tree.
    seen: Option<Seen>,
}

/// The state of a node of the tree after an update.
#[derive(Clone, Copy)]
struct Seen {
    parent: Option<NodeHandle>,
    world: Mat34,
    mask: u32,
    shown: Option<u32>,
    local: Option<Vec3>,
    own: (Visibility, Option<u32>, Option<u32>, u32, bool),
}

impl Seen {
    /// Returns the kinds of changes that a reader must report after these two states.
    fn owed(&self, now: &Self) -> ChangeKinds {
        let (own, new) = (self.own, now.own);
        let kinds = [
            (!same_bits(&self.world, &now.world), ChangeKinds::WORLD),
            (self.mask != now.mask, ChangeKinds::VISIBILITY),
            (self.shown != now.shown, ChangeKinds::MATERIAL),
            (self.local != now.local, ChangeKinds::LOCAL),
            ((own.0, own.1) != (new.0, new.1), ChangeKinds::OWN_VISIBILITY),
            (own.2 != new.2, ChangeKinds::OWN_MATERIAL),
            (own.3 != new.3, ChangeKinds::USER_DATA),
            (own.4 != new.4 || self.parent != now.parent, ChangeKinds::PARENT),
        ];
        kinds.into_iter().filter(|&(differs, _)| differs).fold(ChangeKinds::NONE, |all, (_, kind)| all | kind)
    }
}

fn same_bits(one: &Mat34, other: &Mat34) -> bool {
    one.rows.as_flattened().iter().zip(other.rows.as_flattened()).all(|(one, other)| one.to_bits() == other.to_bits())
}

/// What a reader has to report of a node.
#[derive(Clone, Copy, Default)]
struct Due {
    /// Whether the node was in the tree at the last read, at any update since then, and at all of them.
    known: bool,
    seen: bool,
    away: bool,
    removed: bool,
    /// The kinds of changes that must be told, and those that edits may have made in addition.
    owed: ChangeKinds,
    allowed: ChangeKinds,
}

struct Watch {
    reader: ChangeReader,
    /// The number of updates from one read to the next, and those since the last one.
    rhythm: usize,
    missed: usize,
    due: Vec<Due>,
    /// The parents of all nodes, as the reads told.
    parents: HashMap<NodeHandle, NodeHandle>,
}

pub(super) struct World {
    scene: Scene,
    items: Vec<Item>,
    numbers: HashMap<NodeHandle, usize>,
    watches: [Watch; 2],
    /// Whether nothing was edited since the last update.
    current: bool,
    /// With threads: what readers, a draw list and mirrors were told, in order.
    pub(super) told: String,
    list: DrawList,
    mirror: MatrixMirror,
    drawables: DrawableMirror,
}

/// Returns an error unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}

pub(super) type Check<T = ()> = Result<T, String>;

fn place_of(x: i8) -> Vec3 {
    Vec3::new(f32::from(x), 1.0, f32::from(x % 3))
}

impl World {
    pub(super) fn new(config: SceneConfig, rhythms: [usize; 2]) -> Check<Self> {
        let scene = Scene::with_config(config).map_err(text)?;
        let watches = rhythms.map(|rhythm| {
            let mut reader = ChangeReader::new().with_parents();
            // Before the first update, the scene counts as empty.
            let first = scene.changes(&mut reader).map(|told| told.is_whole() && told.entered().is_empty());
            assert_eq!(first, Ok(true));
            Watch { reader, rhythm, missed: 0, due: Vec::new(), parents: HashMap::new() }
        });
        let mut world = Self {
            scene,
            items: Vec::new(),
            numbers: HashMap::new(),
            watches,
            current: false,
            told: String::new(),
            list: DrawList::new(),
            mirror: MatrixMirror::new(),
            drawables: DrawableMirror::new(),
        };
        world.adopt(world.scene.root(), None);
        Ok(world)
    }

    fn adopt(&mut self, handle: NodeHandle, parent: Option<usize>) -> usize {
        let number = self.items.len();
        self.items.push(Item {
            handle,
            lives: true,
            parent,
            children: Vec::new(),
            local: None,
            anchored: false,
            material: None,
            layers: None,
            visibility: Visibility::Inherited,
            user_data: 0,
            seen: None,
        });
        self.numbers.insert(handle, number);
        self.watches.iter_mut().for_each(|watch| watch.due.push(Due::default()));
        number
    }

    /// Returns the node with the number, or the next one that lives.
    fn pick(&self, pick: Pick) -> usize {
        let first = usize::from(pick) % self.items.len();
        (first..self.items.len()).find(|&number| self.items[number].lives).unwrap_or(0)
    }

    fn allow(&mut self, node: usize, kinds: ChangeKinds) {
        self.watches.iter_mut().for_each(|watch| watch.due[node].allowed |= kinds);
    }

    /// Returns a place, and the parent and the index there.
    fn place(&self, to: usize, how: u8) -> (Place, usize, usize) {
        let item = &self.items[to];
        match (how % 4, item.parent) {
            (0, Some(parent)) => (Place::Before(item.handle), parent, self.index(parent, to)),
            (1, Some(parent)) => (Place::After(item.handle), parent, self.index(parent, to) + 1),
            (2, _) => (Place::FirstChildOf(item.handle), to, 0),
            _ => (Place::LastChildOf(item.handle), to, item.children.len()),
        }
    }

    fn index(&self, parent: usize, child: usize) -> usize {
        self.items[parent].children.iter().position(|&other| other == child).unwrap_or(0)
    }

    fn is_within(&self, node: usize, top: usize) -> bool {
        let mut above = Some(node);
        while let Some(at) = above.filter(|&at| at != top) {
            above = self.items[at].parent;
        }
        above.is_some()
    }

    fn subtree(&self, top: usize) -> Vec<usize> {
        let mut nodes = vec![top];
        let mut at = 0;
        while let Some(&node) = nodes.get(at) {
            nodes.extend(&self.items[node].children);
            at += 1;
        }
        nodes
    }

    /// Returns where the edits so far put a node.
    fn fresh(&self, node: usize) -> Vec3 {
        let (mut sum, mut at) = (Vec3::ZERO, Some(node));
        while let Some(item) = at.map(|at| &self.items[at]) {
            sum += item.local.unwrap_or(Vec3::ZERO);
            at = item.parent.filter(|_| !item.anchored);
        }
        sum
    }

    fn unlink(&mut self, node: usize) {
        if let Some(parent) = self.items[node].parent.take() {
            self.items[parent].children.retain(|&child| child != node);
        }
    }

    pub(super) fn play(&mut self, step: Step) -> Check {
        match step {
            Step::Update => return self.update(),
            Step::Maintain(budget) => _ = self.scene.maintain(budget),
            Step::Shrink => self.scene.shrink_to_fit(),
            Step::Visit(mask, x) => self.visit(mask, x),
            _ => {
                self.current = false;
                return self.edit(step);
            }
        }
        self.scene.validate().map_err(text)
    }

    fn edit(&mut self, step: Step) -> Check {
        match step {
            Step::Insert(to, how, what) => {
                let (place, parent, index) = self.place(self.pick(to), how);
                let mut node =
                    if what & 1 == 0 { Node::group() } else { Node::transform(place_transform(what.cast_signed())) };
                if what & 6 == 2 {
                    node = node.with_drawable(Drawable::new(1, Aabb::cube(1.0)));
                }
                let handle = self.scene.insert(place, node).map_err(text)?;
                let number = self.adopt(handle, Some(parent));
                self.items[parent].children.insert(index, number);
                self.items[number].local = (what & 1 != 0).then(|| place_of(what.cast_signed()));
            }
            Step::Remove(node) => {
                let node = self.pick(node);
                if node == 0 {
                    return Ok(());
                }
                let gone = self.subtree(node);
                let count = self.scene.remove(self.items[node].handle).map_err(text)?;
                ensure!(count == gone.len(), "{count} nodes were removed, not {}", gone.len());
                self.unlink(node);
                for number in gone {
                    self.items[number].lives = false;
                    self.watches.iter_mut().for_each(|watch| watch.due[number].removed = true);
                }
            }
            Step::Move { node, to, place, keep } => {
                let (node, to) = (self.pick(node), self.pick(to));
                let (place, parent, _) = self.place(to, place);
                if node == 0 || self.is_within(parent, node) || place.anchor() == Some(self.items[node].handle) {
                    return Ok(());
                }
                self.relocate(node, place, Some(parent), keep)?;
            }
            Step::Detach(node) => {
                let node = self.pick(node);
                if node != 0 {
                    self.relocate(node, Place::Detached, None, Keep::Local)?;
                }
            }
            Step::SetLocal(node, x) => {
                let node = self.pick(node);
                self.allow(node, ChangeKinds::LOCAL);
                self.items[node].local = x.map(place_of);
                let local = x.map(|x| Local::Transform(place_transform(x)));
                self.scene.edit(self.items[node].handle).map_err(text)?.set_local(local).map_err(text)?;
            }
            Step::SetAnchored(node, anchored) => {
                let node = self.pick(node);
                self.allow(node, ChangeKinds::PARENT);
                self.items[node].anchored = anchored;
                let mut edited = self.scene.edit(self.items[node].handle).map_err(text)?;
                edited.set_anchored(anchored, Keep::Local).map_err(text)?;
            }
            Step::SetMaterial(node, material) => {
                let node = self.pick(node);
                self.allow(node, ChangeKinds::OWN_MATERIAL);
                self.items[node].material = material;
                self.scene.edit(self.items[node].handle).map_err(text)?.set_material(material);
            }
            Step::SetLayers(node, layers) => {
                let node = self.pick(node);
                self.allow(node, ChangeKinds::OWN_VISIBILITY);
                self.items[node].layers = layers;
                self.scene.edit(self.items[node].handle).map_err(text)?.set_layers(layers.map(Layers::new));
            }
            Step::SetVisibility(node, visibility) => {
                let node = self.pick(node);
                self.allow(node, ChangeKinds::OWN_VISIBILITY);
                self.items[node].visibility = visibility;
                self.scene.edit(self.items[node].handle).map_err(text)?.set_visibility(visibility);
            }
            Step::SetUserData(node, data) => {
                let node = self.pick(node);
                self.allow(node, ChangeKinds::USER_DATA);
                self.items[node].user_data = data;
                self.scene.edit(self.items[node].handle).map_err(text)?.set_user_data(data);
            }
            Step::Update | Step::Maintain(_) | Step::Shrink | Step::Visit(..) => {}
        }
        Ok(())
    }

    fn relocate(&mut self, node: usize, place: Place, parent: Option<usize>, keep: Keep) -> Check {
        let before = self.fresh(node);
        let handle = self.items[node].handle;
        self.scene.reparent(handle, place, keep).map_err(text)?;
        self.allow(node, ChangeKinds::PARENT | ChangeKinds::ORDER);
        self.unlink(node);
        self.items[node].parent = parent;
        if let Some(parent) = parent {
            let siblings = &self.items[parent].children;
            let of = |anchor: NodeHandle| siblings.iter().position(|&child| self.items[child].handle == anchor);
            let index = match place {
                Place::Before(anchor) => of(anchor),
                Place::After(anchor) => of(anchor).map(|index| index + 1),
                Place::FirstChildOf(_) => Some(0),
                _ => Some(siblings.len()),
            };
            self.items[parent].children.insert(index.ok_or("a sibling is elsewhere")?, node);
        }
        if keep == Keep::World {
            self.allow(node, ChangeKinds::LOCAL);
            let local = self.scene.local(handle).and_then(|local| local.transform());
            self.items[node].local = local.map(|local| local.translation);
            ensure!(self.fresh(node) == before, "{handle:?} was at {before}, and was moved to {}", self.fresh(node));
        }
        Ok(())
    }

    /// Sets transforms slice by slice, right after an update, when rows and nodes agree.
    fn visit(&mut self, mask: u8, x: i8) {
        struct Writer(u8, Transform, Vec<NodeHandle>);

        impl SliceVisitorMut for Writer {
            fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
                if self.0 >> (slice.view().number() % 8) & 1 != 0 {
                    for row in 0..slice.view().rows().len() {
                        let rows = slice.view().rows();
                        if let (Some(node), Some(slot)) = (rows.node(row), rows.own_transform(row))
                            && slice.set_local(slot, self.1).is_ok()
                        {
                            self.2.push(node);
                        }
                    }
                }
                Flow::Continue
            }
        }

        if self.current {
            let mut writer = Writer(mask, place_transform(x), Vec::new());
            self.scene.visit_slices_mut(&mut writer);
            for node in writer.2 {
                let node = self.numbers[&node];
                self.items[node].local = Some(place_of(x));
                self.allow(node, ChangeKinds::LOCAL);
                self.current = false;
            }
        }
    }

    /// Updates, then compares everything.
    fn update(&mut self) -> Check {
        self.scene.update();
        self.current = true;
        self.scene.validate().map_err(text)?;
        let mut now: Vec<Option<Seen>> = vec![None; self.items.len()];
        let mut stack = vec![(0, None, Vec3::ZERO, u32::MAX, true, None)];
        let mut count = 0;
        while let Some((number, parent, above, layers, shown, material)) = stack.pop() {
            count += 1;
            let item = &self.items[number];
            let place = if item.anchored { Vec3::ZERO } else { above } + item.local.unwrap_or(Vec3::ZERO);
            let layers = layers & item.layers.unwrap_or(u32::MAX);
            let shown = match item.visibility {
                Visibility::Inherited => shown,
                other => other == Visibility::Shown,
            };
            let (mask, material) = (if shown { layers } else { 0 }, item.material.or(material));
            let handle = item.handle;
            let Some(node) = self.scene.get(handle) else { return Err(format!("{handle:?} is stale")) };
            let world = *node.world();
            ensure!(world == Transform::from_translation(place).to_matrix(), "{handle:?} is at {world:?}, not {place}");
            let told = (node.layers().mask(), node.material());
            ensure!(told == (mask, material), "{handle:?} has {told:?}, not {:?}", (mask, material));
            let previous = item.seen.map_or(world, |seen| seen.world);
            let told = node.previous_world().copied();
            let right = told.is_some_and(|told| same_bits(&told, &previous));
            ensure!(right, "the previous world of {handle:?} is {told:?}, not {previous:?}");
            let children = item.children.iter().map(|&child| self.items[child].handle);
            ensure!(self.scene.children(handle).eq(children), "{handle:?} has other children");
            stack.extend(item.children.iter().map(|&child| (child, Some(handle), place, layers, shown, material)));
            let own = (item.visibility, item.layers, item.material, item.user_data, item.anchored);
            now[number] = Some(Seen { parent, world, mask, shown: material, local: item.local, own });
        }
        ensure!(count == self.scene.len(), "the tree has {} nodes, not {count}", self.scene.len());
        for watch in &mut self.watches {
            watch.missed += 1;
            for ((item, now), due) in self.items.iter().zip(&now).zip(&mut watch.due) {
                due.seen |= now.is_some();
                match (&item.seen, now) {
                    (Some(before), Some(now)) => due.owed |= before.owed(now),
                    (Some(_), None) => due.away = true,
                    _ => {}
                }
            }
        }
        self.items.iter_mut().zip(now).for_each(|(item, now)| item.seen = now);
        if hedgerow::THREADED {
            self.look();
        }
        self.read()
    }

    /// Records what a draw list and mirrors say has changed.
    fn look(&mut self) {
        let Self { scene, told, list, mirror, drawables, .. } = self;
        scene.draw_list(list);
        let changed = [list.changed_commands().collect::<Vec<_>>(), list.changed_matrices().collect()];
        _ = write!(told, "{changed:?}");
        mirror.sync(scene, |step| {
            _ = match step {
                MirrorStep::Write { first, matrices } => write!(told, " {:?}", first..first + matrices.len()),
                other => write!(told, " {other:?}"),
            }
        });
        drawables.sync(scene, mirror, |step| {
            _ = match step {
                DrawableStep::Set { slot, matrix, .. } => write!(told, " {slot}:{matrix}"),
                other => write!(told, " {other:?}"),
            }
        });
        told.push('\n');
    }

    /// Reads with the readers whose turn it is.
    fn read(&mut self) -> Check {
        let Self { scene, items, numbers, watches, told, .. } = self;
        for Watch { reader, rhythm, missed, due, parents } in watches {
            if *missed < *rhythm {
                continue;
            }
            let limited = *missed > 1 && scene.config().change_history < 1000;
            let changed = scene.changes(reader).map_err(text)?;
            compare(&changed, items, numbers, due, limited)?;
            follow(&changed, items, parents)?;
            if hedgerow::THREADED {
                _ = writeln!(told, "{changed:?}");
            }
            *missed = 0;
            for (item, due) in items.iter().zip(due) {
                *due = Due { known: item.seen.is_some(), ..Due::default() };
            }
        }
        Ok(())
    }
}

fn place_transform(x: i8) -> Transform {
    Transform::from_translation(place_of(x))
}

/// Compares what a reader reports with what it has to report. Only a `limited` history may make a read whole.
fn compare(
    told: &Changed<'_>,
    items: &[Item],
    numbers: &HashMap<NodeHandle, usize>,
    due: &[Due],
    limited: bool,
) -> Check {
    let same = |what: &str, told: &[NodeHandle], is: &dyn Fn(&Due, bool) -> bool| {
        let right = items.iter().zip(due).filter(|(item, due)| is(due, item.seen.is_some()));
        let mut right: Vec<_> = right.map(|(item, _)| item.handle).collect();
        let mut told = told.to_vec();
        told.sort_unstable();
        right.sort_unstable();
        if told == right { Ok(()) } else { Err(format!("{told:?} are told to have {what}, not {right:?}")) }
    };
    if told.is_whole() {
        ensure!(limited, "everything is to be read");
        let empty = [told.left(), told.removed(), told.moved(), told.locals(), told.visibility()];
        ensure!(empty.iter().all(|list| list.is_empty()) && told.edited().is_empty(), "a whole read lists changes");
        return same("entered", told.entered(), &|_, now| now);
    }
    same("entered", told.entered(), &|due, now| now && !due.known)?;
    same("left", told.left(), &|due, now| !now && (due.known || due.seen))?;
    same("been removed", told.removed(), &|due, _| due.removed)?;
    let has = |due: &Due, now: bool, kind| now && due.known && (due.away || due.owed.contains(kind));
    same("moved", told.moved(), &|due, now| has(due, now, ChangeKinds::WORLD))?;
    same("changed in visibility", told.visibility(), &|due, now| has(due, now, ChangeKinds::VISIBILITY))?;
    let mut kinds = vec![ChangeKinds::NONE; items.len()];
    let locals = told.locals().iter().map(|&node| (node, ChangeKinds::LOCAL));
    for (node, more) in told.edited().iter().copied().chain(locals) {
        let known = &mut kinds[numbers[&node]];
        ensure!(!known.intersects(more) && !more.is_empty(), "{node:?} is told twice to be edited");
        *known |= more;
    }
    let computed = ChangeKinds::WORLD | ChangeKinds::VISIBILITY;
    for ((item, due), kinds) in items.iter().zip(due).zip(kinds) {
        let (owed, most) = match (due.known && item.seen.is_some(), due.away) {
            (false, _) => (ChangeKinds::NONE, ChangeKinds::NONE),
            (true, true) => (ChangeKinds::EDITS | ChangeKinds::MATERIAL, ChangeKinds::ALL),
            (true, false) => (due.owed.without(computed), due.owed | due.allowed),
        };
        let right = kinds.contains(owed) && most.contains(kinds);
        ensure!(right, "{:?} is told to be edited in {kinds:?}, not {owed:?} to {most:?}", item.handle);
    }
    Ok(())
}

/// Follows the tree by what a read reports of parents, and nothing else.
fn follow(told: &Changed<'_>, items: &[Item], parents: &mut HashMap<NodeHandle, NodeHandle>) -> Check {
    if told.is_whole() {
        parents.clear();
    }
    for &change in told.parents() {
        let ParentChange { node, before, after } = change;
        let known = match after {
            Some(parent) => parents.insert(node, parent),
            None => parents.remove(&node),
        };
        ensure!(before == known && before != after, "{change:?} is told, and the parent was {known:?}");
    }
    let (mut right, mut count) = (true, 0);
    for (item, parent) in items.iter().filter_map(|item| Some((item, item.seen?.parent?))) {
        count += 1;
        right &= parents.get(&item.handle) == Some(&parent);
    }
    ensure!(right && count == parents.len(), "{parents:?} are told to be the parents");
    Ok(())
}
