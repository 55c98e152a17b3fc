//! The state that a renderer keeps between frames: copies of changed ranges, groups, a buffer with all matrices, and
//! lists relative to a camera. Each must equal a new one.

use super::Check;
use super::compare::same_bits;
use super::oracle::Oracle;
use super::spatial::camera;
use hedgerow::changes::{DrawableMirror, DrawableStep, MatrixMirror, MatrixSlot, MirrorStep, SyncStats};
use hedgerow::draw::{DrawCommand, DrawGroups};
use hedgerow::glam::DVec3;
use hedgerow::query::{CullView, Frustum};
use hedgerow::visit::ListedDrawable;
use hedgerow::{DrawList, Layers, Mat34, NodeHandle, Scene};
use std::collections::{BTreeMap, BTreeSet};

/// The mark of an element of `copy` that was reported as changed.
const TOLD: u32 = u32::MAX - 1;

/// The kept state.
pub struct Renderer {
    /// The user data of nodes, including stale handles.
    pub(super) user_data: BTreeMap<NodeHandle, u32>,
    /// The same as of the last update.
    drawn_user_data: BTreeMap<NodeHandle, u32>,
    list: DrawList,
    slim: DrawList,
    copy: Copy,
    groups: DrawGroups,
    by_data: DrawGroups,
    /// Buffers that are synced after each update and after some updates.
    mirrors: [Buffer; 2],
    relative: DrawList,
    near: DrawList,
    views: [DrawList; 3],
    /// Lists of several views relative to a camera.
    around: [DrawList; 3],
}

/// Compares two lists of what a view sees from a camera.
fn compare_around(scene: &Scene, lists: [&DrawList; 2], camera_at: DVec3, frustum: &Frustum) -> Check {
    let [one, other] = lists;
    if one.commands() != other.commands() {
        // Boxes are rounded outwards, and relative to where a slice was when the list met it.
        let only = |list: &DrawList, other: &DrawList| {
            let nodes = list.commands().iter().filter(|command| !other.commands().contains(command));
            nodes.map(|command| command.node).find(|&node| !is_at_border(scene, node, camera_at, frustum))
        };
        let wrong = only(one, other).or_else(|| only(other, one));
        ensure!(wrong.is_none(), "from {camera_at}: {:?}, not {:?}: {wrong:?}", one.commands(), other.commands());
        return Ok(());
    }
    let [a, b] = lists.map(DrawList::relative_matrices);
    ensure!(
        a.len() == one.len() && b.len() == one.len(),
        "{} and {} matrices of {} draws",
        a.len(),
        b.len(),
        one.len()
    );
    let mut pairs = a.iter().zip(b);
    let same = pairs.all(|(a, b)| same_bits(a, b) || a.rows.iter().flatten().any(|part| part.is_nan()));
    ensure!(same && one.slots() == other.slots(), "from {camera_at}: matrices {a:?}, not {b:?}");
    Ok(())
}

/// Returns whether a node's box, relative to a camera, touches or misses a frustum by a rounding error.
fn is_at_border(scene: &Scene, node: NodeHandle, camera_at: DVec3, frustum: &Frustum) -> bool {
    let Some((node, bounds)) = scene.get(node).and_then(|node| Some((node, node.drawable()?.bounds))) else {
        return false;
    };
    let mut world = node.world_f64();
    world.translation -= camera_at;
    let corner = |at: u32| {
        let part = |axis: usize| f64::from(if at >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] });
        world.transform_point3(DVec3::new(part(0), part(1), part(2)))
    };
    let corners: [DVec3; 8] = core::array::from_fn(|at| corner(at as u32));
    let (min, max) = corners.iter().fold((corners[0], corners[0]), |(min, max), &at| (min.min(at), max.max(at)));
    let size = 1.0 + min.abs().max(max.abs()).max_element() + camera_at.abs().max_element();
    let inside = frustum.planes().iter().map(|&[x, y, z, w]| {
        let normal = DVec3::new(x.into(), y.into(), z.into());
        let farthest = DVec3::select(normal.cmpgt(DVec3::ZERO), max, min);
        (normal.dot(farthest) + f64::from(w)) / size
    });
    inside.fold(f64::INFINITY, f64::min).abs() < 1e-5
}

/// A copy of a list, updated by the ranges reported as changed.
#[derive(Default)]
struct Copy {
    commands: Vec<Option<DrawCommand>>,
    slots: Vec<MatrixSlot>,
    matrices: Vec<Mat34>,
}

/// A buffer filled by a mirror, and the draws' indices in it, with a copy of these indices.
#[derive(Default)]
struct Buffer {
    scatters: bool,
    mirror: MatrixMirror,
    matrices: Vec<Mat34>,
    drawables: DrawableMirror,
    /// The table of drawables, with their matrix indices.
    table: Vec<Option<(u32, ListedDrawable)>>,
    instances: Vec<u32>,
    copy: Vec<u32>,
    /// The indices with user data. In `told`, reported elements are `None`.
    items: Vec<Option<(u32, u32)>>,
    told: Vec<Option<(u32, u32)>>,
}

impl Renderer {
    pub fn new() -> Self {
        let list = DrawList::new();
        let layered = list.clone().on_layers(Layers::new(0x83));
        Self {
            user_data: BTreeMap::new(),
            drawn_user_data: BTreeMap::new(),
            slim: list.clone().without_matrices(),
            copy: Copy::default(),
            groups: DrawGroups::new(),
            by_data: DrawGroups::new(),
            mirrors: [Buffer::default(), Buffer { scatters: true, ..Buffer::default() }],
            relative: list.clone(),
            near: list.clone(),
            views: [list.clone(), layered.clone(), list.clone().without_matrices()],
            around: [list.clone(), list.clone().without_matrices(), layered],
            list,
        }
    }

    /// Notes that the scene was updated or loaded.
    pub fn note_update(&mut self) {
        self.drawn_user_data.clone_from(&self.user_data);
    }

    pub fn user_data(&self, node: NodeHandle) -> u32 {
        self.user_data.get(&node).copied().unwrap_or(0)
    }

    /// Compares the kept list, its copy and its groups.
    fn compare_list(&mut self, scene: &Scene) -> Check {
        let Self { drawn_user_data, list, slim, copy, groups, by_data, .. } = self;
        scene.draw_list(list);
        scene.draw_list(slim);
        let same = slim.commands() == list.commands() && slim.slots() == list.slots() && slim.matrices().is_empty();
        ensure!(same, "a list without matrices holds {:?}, not {:?}", slim.commands(), list.commands());
        for (command, slot) in list.commands().iter().zip(list.slots()) {
            let expected = scene.get(command.node).and_then(|node| node.matrix_slot());
            ensure!(expected == Some(*slot), "{command:?} is listed at {slot:?}, not {expected:?}");
            let expected = drawn_user_data.get(&command.node).copied().unwrap_or(0);
            ensure!(command.user_data == expected, "{command:?} does not have the user data {expected}");
        }
        copy.follow(list);
        let commands = copy.commands.iter().flatten().eq(list.commands());
        ensure!(commands, "the copy holds {:?}, not {:?}", copy.commands, list.commands());
        ensure!(copy.slots == list.slots(), "the copy holds {:?}, not {:?}", copy.slots, list.slots());
        let matrices = copy.matrices.iter().zip(list.matrices()).all(|(a, b)| same_bits(a, b));
        ensure!(matrices, "the copy holds {:?}, not {:?}", copy.matrices, list.matrices());

        let key = |command: &DrawCommand| (command.user_data % 5 != 4).then_some(command.user_data % 3);
        list.group(groups);
        list.group_by_key(by_data, key);
        let (mut anew, mut anew_by_data) = (DrawGroups::new(), DrawGroups::new());
        list.group(&mut anew);
        list.group_by_key(&mut anew_by_data, key);
        for (kept, anew) in [(&*groups, &anew), (&*by_data, &anew_by_data)] {
            let same = kept.groups() == anew.groups() && kept.instances() == anew.instances();
            ensure!(same, "kept groups are {:?}, not {:?}", kept.groups(), anew.groups());
        }
        Ok(())
    }

    /// Compares kept lists relative to a camera with new ones, and with single nodes.
    fn compare_relative(&mut self, scene: &Scene, camera_at: DVec3, seed: u64) -> Check {
        let Self { relative, near, .. } = self;
        if seed.is_multiple_of(3) {
            relative.set_eye(None);
            scene.draw_list(relative);
            ensure!(relative.relative_matrices().is_empty(), "a list without an eye has relative matrices");
        }
        relative.set_eye(camera_at);
        scene.draw_list(relative);
        let matrices = relative.relative_matrices();
        ensure!(matrices.len() == relative.len(), "{} matrices of {} draws", matrices.len(), relative.len());
        for (command, matrix) in relative.commands().iter().zip(matrices) {
            let Some(mut world) = scene.get(command.node).map(|node| node.world_f64()) else {
                return Err(super::Mismatch(format!("{command:?} has no world")));
            };
            world.translation -= camera_at;
            let columns = world.matrix3.to_cols_array();
            let expected: [[f64; 4]; 3] =
                core::array::from_fn(|row| [columns[row], columns[3 + row], columns[6 + row], world.translation[row]]);
            let pairs = matrix.rows.iter().flatten().zip(expected.iter().flatten());
            #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
            let same = pairs.clone().all(|(&found, &expected)| found == expected as f32 || found.is_nan());
            ensure!(same, "{command:?} is at {matrix:?} from the camera, not {expected:?}");
        }
        let (frustum, layers) = (camera(seed), Layers::new(0x83));
        near.set_eye(camera_at);
        scene.cull(&mut [CullView::new(&frustum, near).on_layers(layers)]).unwrap();
        let mut anew = DrawList::new();
        anew.set_eye(camera_at);
        scene.cull(&mut [CullView::new(&frustum, &mut anew).on_layers(layers)]).unwrap();
        compare_around(scene, [near, &anew], camera_at, &frustum)
    }

    /// Compares lists of several views relative to a camera with those of single views.
    fn compare_views_relative(&mut self, scene: &Scene, camera_at: DVec3, seed: u64) -> Check {
        let frusta = [seed + 1, seed, seed + 5].map(camera);
        let masks = [Layers::new(5), Layers::ALL, Layers::ALL];
        let mut singles = self.around.clone();
        let mut views: Vec<CullView<'_>> = Vec::new();
        for ((list, &frustum), &layers) in self.around.iter_mut().zip(&frusta).zip(&masks) {
            views.push(CullView::new(&frustum, list).on_layers(layers));
        }
        views.iter_mut().for_each(|view| view.list.set_eye(camera_at));
        ensure!(scene.cull(&mut views) == Ok(()), "views around a camera need no boxes");
        for (at, single) in singles.iter_mut().enumerate() {
            single.set_eye(camera_at);
            scene.cull(&mut [CullView::new(&frusta[at], single).on_layers(masks[at])]).unwrap();
            compare_around(scene, [&self.around[at], single], camera_at, &frusta[at])?;
        }
        Ok(())
    }

    /// Compares lists of several views with those of single views.
    fn compare_views(&mut self, scene: &Scene, seed: u64) -> Check {
        let frusta = [seed, seed + 3, seed + 7].map(camera);
        let masks = [Layers::ALL, Layers::ALL, Layers::new(5)];
        let mut singles = self.views.clone();
        let mut views: Vec<CullView<'_>> = Vec::new();
        for ((list, &frustum), &layers) in self.views.iter_mut().zip(&frusta).zip(&masks) {
            views.push(CullView::new(&frustum, list).on_layers(layers));
        }
        let answer = scene.cull(&mut views);
        if !scene.config().bounds {
            ensure!(answer.is_err(), "views are culled without boxes");
            return Ok(());
        }
        ensure!(answer.is_ok(), "culling views returns {answer:?}");
        for (at, single) in singles.iter_mut().enumerate() {
            ensure!(
                scene.cull(&mut [CullView::new(&frusta[at], single).on_layers(masks[at])]).is_ok(),
                "one is culled alone"
            );
            let found = &self.views[at];
            let same = found.commands() == single.commands() && found.slots() == single.slots();
            ensure!(same, "view {at} lists {:?}, not {:?}", found.commands(), single.commands());
            let same = found.matrices().iter().zip(single.matrices()).all(|(a, b)| same_bits(a, b));
            ensure!(same && found.matrices().len() == single.matrices().len(), "view {at} has other matrices");
        }
        Ok(())
    }
}

impl Copy {
    /// Copies the ranges reported as changed.
    fn follow(&mut self, list: &DrawList) {
        self.commands.resize(list.len(), None);
        self.slots.resize(list.len(), MatrixSlot::default());
        self.matrices.resize(list.len(), Mat34::IDENTITY);
        for range in list.changed_commands() {
            for at in range {
                self.commands[at] = Some(list.commands()[at]);
                self.slots[at] = list.slots()[at];
            }
        }
        for range in list.changed_matrices() {
            self.matrices[range.clone()].copy_from_slice(&list.matrices()[range]);
        }
    }
}

impl Buffer {
    /// Syncs the buffer and compares it with the list.
    fn sync(&mut self, scene: &Scene, list: &DrawList, groups: &DrawGroups) -> Check {
        let Self { scatters, mirror, matrices, instances, copy, items, told, .. } = self;
        let step = |step: MirrorStep<'_>| match step {
            MirrorStep::Resize { len } => {
                // A resize invalidates the contents.
                matrices.clear();
                matrices.resize(len, Mat34 { rows: [[f32::NAN; 4]; 3] });
            }
            MirrorStep::Write { first, matrices: new } => matrices[first..][..new.len()].copy_from_slice(new),
        };
        if *scatters {
            let (_, scattered) = mirror.scatter(scene, step);
            let (indices, count) = (scattered.indices(), scattered.matrices().count());
            ensure!(indices.len() == count, "{} indices of {count} matrices", indices.len());
            ensure!(indices.iter().collect::<BTreeSet<_>>().len() == indices.len(), "an index is scattered twice");
            indices.iter().zip(scattered.matrices()).for_each(|(&index, &matrix)| matrices[index as usize] = matrix);
        } else {
            mirror.sync(scene, step);
        }
        ensure!(mirror.len() == matrices.len(), "{} matrices are kept, not {}", matrices.len(), mirror.len());
        let (again, scattered) = mirror.scatter(scene, |_| {});
        ensure!(again == SyncStats::default(), "what is in step is written again: {again:?}");
        ensure!(scattered.indices().is_empty(), "what is in step is scattered again");
        mirror.instances(list, groups.instances(), instances, |first, changed| {
            copy.resize(copy.len().max(first + changed.len()), u32::MAX);
            copy[first..][..changed.len()].fill(TOLD);
        });
        copy.truncate(instances.len());
        ensure!(copy.len() == instances.len(), "new instances are not told");
        for (at, (now, copied)) in instances.iter().zip(&mut *copy).enumerate() {
            let before = core::mem::replace(copied, *now);
            ensure!(before == *now || before == TOLD, "a change of the instance {at} is not told");
            let draw = groups.instances()[at] as usize;
            let same = matrices.get(*now as usize).is_some_and(|found| same_bits(found, &list.matrices()[draw]));
            ensure!(same, "the instance {at} is not at {now}");
        }
        let item = |place, command: &DrawCommand| Some((place, command.user_data));
        mirror.instances_with(list, groups.instances(), item, items, |first, changed| {
            told.resize(told.len().max(first + changed.len()), None);
            told[first..][..changed.len()].fill(None);
        });
        told.truncate(items.len());
        ensure!((told.len(), items.len()) == (copy.len(), copy.len()), "new items are not told");
        for (at, (now, told)) in items.iter().zip(told).enumerate() {
            let user_data = list.commands()[groups.instances()[at] as usize].user_data;
            ensure!(*now == Some((instances[at], user_data)), "the item {at} is {now:?}");
            let before = core::mem::replace(told, *now);
            ensure!(before == *now || before.is_none(), "a change of the item {at} is not told");
        }
        Ok(())
    }
}

impl Buffer {
    /// Syncs the table of drawables, and compares it with those of all slices.
    fn sync_drawables(&mut self, scene: &Scene) -> Check {
        let Self { mirror, drawables, table, .. } = self;
        let (mut touched, mut wrong) = (BTreeSet::new(), None);
        let steps = drawables.sync(scene, mirror, |step| {
            let slots = match step {
                DrawableStep::Resize { len } => {
                    let used = table.iter().skip(len).flatten().count();
                    wrong = wrong.or((used > 0).then_some(len));
                    return table.resize(len, None);
                }
                DrawableStep::Set { slot, matrix, drawable } => {
                    table[slot] = Some((matrix, drawable));
                    slot..slot + 1
                }
                DrawableStep::Free { slots } => {
                    wrong = wrong.or(table[slots.clone()].iter().any(Option::is_none).then_some(slots.start));
                    table[slots.clone()].fill(None);
                    slots
                }
            };
            wrong = wrong.or(slots.into_iter().find(|&slot| !touched.insert(slot)));
        });
        ensure!(wrong.is_none(), "the slot {wrong:?} is freed though it is free, or told twice in {steps} steps");
        ensure!(table.len() == drawables.len(), "{} slots are kept, not {}", table.len(), drawables.len());
        ensure!(drawables.sync(scene, mirror, |_| {}) == 0, "a table that is up to date gets steps");
        let mut count = 0;
        for slice in scene.slices() {
            for drawable in slice.drawables().iter() {
                let slot = MatrixSlot { slice: slice.number(), slot: u32::try_from(drawable.transform).unwrap() };
                let expected = mirror.index(slot).map(|index| (u32::try_from(index).unwrap(), drawable));
                let found = drawables.index(scene, drawable.node).and_then(|slot| table[slot]);
                let bits = |of: Option<(u32, ListedDrawable)>| {
                    let bounds = of?.1.drawable.bounds;
                    Some([bounds.min, bounds.max].map(|corner| corner.to_array().map(f32::to_bits)))
                };
                let same = found.is_some() && found == expected && bits(found) == bits(expected);
                ensure!(same, "the table has {found:?}, not {expected:?}");
                count += 1;
            }
        }
        let kept = table.iter().flatten().count();
        ensure!(kept == count, "the table has {kept} drawables, not {count}");
        Ok(())
    }
}

impl Oracle {
    pub fn compare_renderer(&mut self, probe: u16, updated: bool) -> Check {
        let seed = u64::from(probe) * 5 + 3;
        if updated {
            self.renderer.note_update();
        }
        if probe.is_multiple_of(4) {
            let live = self.tree.live();
            let node = self.tree.handle(live[usize::from(probe) % live.len()]);
            let (user_data, before) = (u32::from(probe % 64), self.renderer.user_data(node));
            let told = self.scene.get(node).map(|node| node.user_data());
            ensure!(told == Some(before), "{node:?} had the user data {told:?}, not {before}");
            self.scene.edit(node).expect("a live node").set_user_data(user_data);
            self.renderer.user_data.insert(node, user_data);
        }
        if !updated && self.counts.steps.is_multiple_of(2) {
            return Ok(());
        }
        let Self { scene, renderer, .. } = self;
        renderer.compare_list(scene)?;
        if updated && self.counts.steps.is_multiple_of(3) {
            let live = self.tree.live();
            let eye =
                scene.get(self.tree.handle(live[usize::from(probe / 4) % live.len()])).map(|node| node.world_f64());
            let eye = eye.map_or(DVec3::ZERO, |world| world.translation);
            let eye = if eye.is_finite() { eye } else { DVec3::ONE };
            renderer.compare_relative(scene, eye, seed)?;
            renderer.compare_views_relative(scene, eye, seed)?;
        }
        if !updated {
            return Ok(());
        }
        renderer.compare_views(scene, seed)?;
        let Renderer { list, groups, mirrors: [always, rarely], .. } = renderer;
        always.sync(scene, list, groups)?;
        always.sync_drawables(scene)?;
        if self.counts.updates.is_multiple_of(3) {
            rarely.sync(scene, list, groups)?;
            rarely.sync_drawables(scene)?;
        }
        for &index in self.tree.live() {
            let node = self.tree.handle(index);
            let (Some(slot), Some(world)) = (scene.get(node).and_then(|node| node.matrix_slot()), scene.world(node))
            else {
                return Err(super::Mismatch(format!("{node:?} has no slot")));
            };
            let found = always.mirror.index(slot).and_then(|at| always.matrices.get(at));
            let same = found.is_some_and(|found| same_bits(found, world));
            ensure!(same, "the buffer has {found:?} for {node:?} at {slot:?}, not {world:?}");
            // `slices()` does not return a detached node's slice.
            let slice = scene.slices().find(|slice| slice.number() == slot.slice);
            let held = slice.is_none_or(|slice| same_bits(&slice.transforms().worlds()[slot.slot as usize], world));
            ensure!(held, "{slot:?} holds another matrix");
        }
        Ok(())
    }
}
