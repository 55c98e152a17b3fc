//! Frames of random edits on a device, beside the scene: what buffers hold, and what each view sees.

use crate::device::{device, read};
use hedgerow::glam::camera::rh::{proj::directx, view::look_at_mat4};
use hedgerow::glam::{DVec3, EulerRot, Mat4, Quat, Vec3};
use hedgerow::motion::Smooth;
use hedgerow::query::{CullView, DetailView, Frustum, LevelsOfDetail};
use hedgerow::{Aabb, DrawList, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Scene, SceneConfig};
use hedgerow::{Transform, ViewRange, Visibility};
use hedgerow_wgpu::SceneTables;
use hedgerow_wgpu::gpu::layout::{Command, Instance, View};
use hedgerow_wgpu::gpu::{Buffer, GpuScene, MeshArgs};
use std::collections::{BTreeMap, BTreeSet};
use wgpu::{Device, Queue};

pub(crate) const MESHES: u32 = 5;
/// The number of indices of a mesh is 36 or less; each begins at another index and has other vertices.
pub(crate) const fn args(mesh: u32) -> MeshArgs {
    MeshArgs { index_count: 36 - 6 * mesh, first_index: 36 * mesh, base_vertex: 8 * mesh.cast_signed() }
}

/// Meshes 3 and 4 are coarser ones.
pub(crate) fn levels() -> LevelsOfDetail {
    let mut levels = LevelsOfDetail::new();
    levels.insert(0, &[(12.0, Some(3)), (20.0, Some(4)), (32.0, None)]).unwrap();
    levels.insert(1, &[(16.0, Some(4))]).unwrap();
    levels
}

pub(crate) fn tables() -> GpuScene {
    let mut tables = GpuScene::new().with_previous().with_key(|drawable| drawable.material);
    (0..MESHES).for_each(|mesh| tables.set_mesh(mesh, args(mesh)));
    tables.set_levels(&levels());
    tables
}

/// A random node: turned, scaled unevenly, sometimes mirrored, sometimes with a view range.
fn node(dice: &mut fastrand::Rng, spread: f32) -> Node<'static> {
    let number = |dice: &mut fastrand::Rng| (dice.f32() - 0.5) * spread;
    let at = Vec3::new(number(dice), number(dice), number(dice));
    let turn = Quat::from_euler(EulerRot::XYZ, dice.f32() * 6.0, dice.f32() * 6.0, 0.0);
    let sign = if dice.u32(..4) == 0 { -1.0 } else { 1.0 };
    let scale = Vec3::new(sign * (0.2 + dice.f32()), 0.2 + dice.f32(), 0.2 + dice.f32());
    let drawable = Drawable::new(dice.u32(..3), Aabb::cube(1.0));
    let layers = if dice.u32(..4) == 0 { Layers::new(2) } else { Layers::new(1) };
    let node = Node::transform(Transform { translation: at, rotation: turn, scale })
        .with_drawable(drawable)
        .with_material(dice.u32(..2))
        .with_layers(layers);
    if dice.u32(..8) == 0 { node.with_view_range(range(dice)) } else { node }
}

fn range(dice: &mut fastrand::Rng) -> ViewRange {
    let near = if dice.bool() { 0.0 } else { dice.f32() * 20.0 };
    ViewRange::new(near, if dice.bool() { f32::INFINITY } else { near + 5.0 + dice.f32() * 30.0 }).unwrap()
}

pub(crate) fn edit(scene: &mut Scene, nodes: &mut Vec<NodeHandle>, dice: &mut fastrand::Rng) {
    for _ in 0..dice.usize(..30) {
        // A removal takes whatever is below.
        while nodes.len() < 400 {
            let top = scene.children(scene.root()).next().unwrap();
            nodes.push(scene.insert(top, node(dice, 40.0)).unwrap());
        }
        let (at, other) = (dice.usize(..nodes.len()), nodes[dice.usize(..nodes.len())]);
        let (node, new) = (nodes[at], node(dice, 4.0));
        match dice.u32(..12) {
            0..5 => _ = scene.edit(node).unwrap().set_local(new.local).unwrap(),
            5 => _ = scene.edit(node).unwrap().set_material(new.material),
            6 => {
                let visibility = if dice.bool() { Visibility::Hidden } else { Visibility::Inherited };
                scene.edit(node).unwrap().set_visibility(visibility);
            }
            // Some of these are circles, which are refused.
            7 => _ = scene.reparent(node, other, if dice.bool() { Keep::World } else { Keep::Local }),
            8 => nodes.push(scene.insert(other, new).unwrap()),
            9 => _ = scene.edit(node).unwrap().set_view_range(dice.bool().then(|| range(dice))),
            10 => _ = scene.edit(node).unwrap().set_drawable(new.drawable).unwrap(),
            _ => {
                scene.remove(node).unwrap();
                nodes.retain(|&node| scene.contains(node));
            }
        }
    }
}

pub(crate) fn town(far: Vec3, count: usize, dice: &mut fastrand::Rng) -> (Scene, Vec<NodeHandle>) {
    let config = SceneConfig { changes: true, bounds: true, max_nodes: 128, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let top = scene.insert(scene.root(), Node::transform(Transform::from_translation(far))).unwrap();
    let nodes = (0..count).map(|_| scene.insert(top, node(dice, 40.0)).unwrap()).collect();
    (scene, nodes)
}

/// A view, of the device and of the CPU.
pub(crate) struct Camera {
    pub(crate) matrix: Mat4,
    pub(crate) layers: Layers,
    /// The eye and the scale of distances.
    detail: Option<(DVec3, f32)>,
    /// The origin of a frustum that is relative to it.
    origin: Option<DVec3>,
}

impl Camera {
    pub(crate) fn frustum(&self) -> Frustum {
        Frustum::from_view_projection(&self.matrix).unwrap()
    }

    pub(crate) fn view(&self) -> View {
        let view = View::new(&self.frustum(), self.layers).relative_to(self.origin.unwrap_or(DVec3::ZERO));
        self.detail.map_or(view, |(eye, scale)| view.with_detail(eye, scale))
    }

    /// Fills a list with what the view sees, with or without levels and ranges.
    pub(crate) fn cull(&self, scene: &Scene, list: &mut DrawList, levels: Option<&LevelsOfDetail>) {
        list.set_eye(self.origin);
        let frustum = self.frustum();
        let mut view = CullView::new(&frustum, list).on_layers(self.layers);
        if let Some((levels, (eye, scale))) = levels.zip(self.detail) {
            view = view.with_detail(DetailView { levels, eye, scale });
        }
        scene.cull(&mut [view]).unwrap();
    }
}

pub(crate) fn cameras(far: Vec3, time: f32) -> [Camera; 4] {
    // In single precision, so that both sides have the same eye.
    let eye = far + Vec3::new(3.0 + 9.0 * time.sin(), 5.0, 30.0 * time.cos());
    let look = |at: Vec3| look_at_mat4(far + at, far, Vec3::Y);
    let perspective = directx::perspective_infinite_reverse(1.0, 1.2, 0.1);
    let orthographic = directx::orthographic(-8.0, 8.0, -8.0, 8.0, 0.0, 60.0);
    let (one, detail) = (Layers::new(1), Some((eye.as_dvec3(), 1.0)));
    let relative = perspective * look_at_mat4(Vec3::ZERO, far - eye, Vec3::Y);
    [
        Camera { matrix: perspective * look_at_mat4(eye, far, Vec3::Y), layers: one, detail, origin: None },
        // A shadow map has the distances of the camera.
        Camera {
            matrix: orthographic * look(Vec3::new(20.0, 20.0, 1.0)),
            layers: Layers::new(3),
            detail: Some((eye.as_dvec3(), 0.5)),
            origin: None,
        },
        Camera {
            matrix: perspective * look(Vec3::new(-2.0, 1.0, 0.5)),
            layers: Layers::new(2),
            detail: None,
            origin: None,
        },
        Camera { matrix: relative, layers: one, detail, origin: Some(eye.as_dvec3()) },
    ]
}

/// The slots that each view sees, with the key, the winding and the mesh of the command that draws them.
pub(crate) fn read_seen(
    gpu: &(Device, Queue),
    buffers: &SceneTables,
    views: usize,
) -> Vec<BTreeMap<u32, (u32, bool, u32)>> {
    let commands = read::<Command>(gpu, buffers.buffer(Buffer::Commands));
    let visible = read::<u32>(gpu, buffers.buffer(Buffer::Visible));
    let (count, _) = buffers.scene().sizes();
    let mut seen = vec![BTreeMap::new(); views];
    for (view, seen) in (0..).zip(&mut seen) {
        for batch in buffers.scene().batches() {
            for number in batch.commands.clone() {
                let command = commands[(view * count + number) as usize];
                let mesh = command.first_index / 36;
                assert_eq!(
                    (command.index_count, command.base_vertex),
                    (args(mesh).index_count, args(mesh).base_vertex)
                );
                for at in command.first_instance..command.first_instance + command.instance_count {
                    let drawn = (batch.key, batch.mirrored, mesh);
                    assert_eq!(seen.insert(visible[at as usize], drawn), None, "a slot is listed once");
                }
            }
        }
    }
    seen
}

/// Returns whether a box touches the frustum of a camera, within 10⁻⁵ of its distance from the origin.
fn is_near(camera: &Camera, bounds: &Aabb) -> bool {
    let (center, half) = (bounds.center().as_dvec3(), bounds.size().as_dvec3() * 0.5);
    let slack = 1e-5 * (center.abs() + half).element_sum();
    let place = center - camera.origin.unwrap_or(DVec3::ZERO);
    camera.frustum().planes().iter().all(|plane| {
        let [x, y, z, w] = plane.map(f64::from);
        let normal = DVec3::new(x, y, z);
        normal.dot(place) + normal.abs().dot(half) + w >= -slack
    })
}

/// The limits of distances at which a device may have decided otherwise than the CPU, because a distance was within
/// rounding of it: by view and node. They matter for as long as the node is between the limit and its margin.
#[derive(Default)]
struct Doubts(BTreeSet<(usize, NodeHandle, u32)>);

impl Doubts {
    /// Notes the distances of a frame. `differs`: what was listed last differs, or had a mesh without levels, which the
    /// device does not keep.
    fn note(&mut self, scene: &Scene, (view, camera): (usize, &Camera), node: NodeHandle, differs: bool) {
        let Some((eye, scale)) = camera.detail else { return };
        let Some(at) = scene.get(node) else { return };
        let mut note = |node: NodeHandle, limits: &[f32], distance: f64, size: f64, differs: bool| {
            let (distance, slack) = (distance * f64::from(scale), 2_f64.powi(-19) * size * f64::from(scale));
            for limit in limits.iter().copied().filter(|limit| limit.is_finite()) {
                let key = (view, node, limit.to_bits());
                let [first, last] = [1.0, 1.1].map(|margin| f64::from(limit) * f64::from(margin as f32));
                let is_between = distance > first - slack && distance < last + slack;
                let is_doubtful = differs || (distance - first).abs() < slack || (distance - last).abs() < slack;
                if is_between && is_doubtful {
                    self.0.insert(key);
                } else if !is_between {
                    self.0.remove(&key);
                }
            }
        };
        if let (Some(bounds), Some(drawable)) = (at.bounds(), at.drawable()) {
            let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
            let distance = (min - eye).max(eye - max).max(DVec3::ZERO).length();
            let limits: Vec<f32> =
                levels().iter().filter(|level| level.0 == drawable.mesh).map(|level| level.1).collect();
            let size = (min.abs().max(max.abs()) + eye.abs()).element_sum();
            note(node, &limits, distance, size, differs);
        }
        if let Some(range) = at.view_range() {
            let place = at.world().translation().as_dvec3();
            let size = (place.abs() + eye.abs()).element_sum();
            note(node, &[range.near(), range.far()], place.distance(eye), size, false);
        }
    }

    fn has(&self, scene: &Scene, view: usize, node: NodeHandle) -> bool {
        let of = |node| (view, node, 0)..=(view, node, u32::MAX);
        let up = core::iter::successors(scene.get(node), |node| node.parent());
        up.map(|node| node.handle()).any(|node| self.0.range(of(node)).next().is_some())
    }
}

/// What follows the scene: buffers of a device, and lists of the CPU.
struct Watch<'g> {
    gpu: &'g (Device, Queue),
    buffers: SceneTables,
    lists: [DrawList; 4],
    plain: DrawList,
    meshes: BTreeMap<NodeHandle, u32>,
    doubts: Doubts,
    /// The views and nodes of the last frame with which only one of both listed the node, or at another level.
    differed: BTreeSet<(usize, NodeHandle)>,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    listed: usize,
    coarser: usize,
    out_of_range: usize,
    /// Listed by the device alone.
    more: usize,
    in_doubt: usize,
}

/// What a frame showed before.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// The scene as of the update before.
    LastUpdate,
    /// The scene before another update, or unblended.
    Else,
}

impl Watch<'_> {
    fn check(&mut self, scene: &Scene, nodes: &[NodeHandle], (far, frame): (Vec3, usize), before: Before) {
        let Self { gpu, buffers, lists, plain, meshes, doubts, differed, counts } = self;
        let differed_before = core::mem::take(differed);
        buffers.sync(&gpu.1, scene).unwrap();
        let cameras = cameras(far, frame as f32 * 0.03);
        let mut encoder = gpu.0.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        buffers.cull(&gpu.1, &mut encoder, &cameras.each_ref().map(Camera::view));
        gpu.1.submit([encoder.finish()]);
        check_buffers(gpu, buffers, scene, frame, before == Before::LastUpdate);
        let seen = read_seen(gpu, buffers, cameras.len());
        for (view, ((seen, list), camera)) in seen.iter().zip(lists).zip(&cameras).enumerate() {
            camera.cull(scene, list, Some(&levels()));
            camera.cull(scene, plain, None);
            let in_view: BTreeSet<NodeHandle> = plain.commands().iter().map(|command| command.node).collect();
            let told: BTreeMap<NodeHandle, u32> =
                list.commands().iter().map(|command| (command.node, command.mesh)).collect();
            counts.out_of_range += in_view.len() - told.len();
            let found = |node| seen.get(&(buffers.scene().slot(scene, node)? as u32)).copied();
            for &node in nodes {
                let mesh = scene.get(node).unwrap().drawable().unwrap().mesh;
                let is_new = meshes.get(&node).is_some_and(|&before| before != mesh);
                let differs = is_new || differed_before.contains(&(view, node));
                doubts.note(scene, (view, camera), node, differs);
            }
            for &node in nodes {
                let (at, found) = (scene.get(node).unwrap(), found(node));
                let expected = told.get(&node);
                let expected = expected.map(|&mesh| (at.material().unwrap(), at.world().is_mirrored(), mesh));
                if found == expected {
                    counts.listed += usize::from(found.is_some());
                    counts.coarser += usize::from(found.is_some_and(|found| found.2 != at.drawable().unwrap().mesh));
                    continue;
                }
                differed.insert((view, node));
                if found.is_some() && !in_view.contains(&node) {
                    assert!(is_near(camera, &at.bounds().unwrap()), "frame {frame}, {view}: {node} is out of view");
                    counts.more += 1;
                } else {
                    let is_doubtful = doubts.has(scene, view, node);
                    assert!(is_doubtful, "frame {frame}, view {view}: {node}: {found:?}, not {expected:?}");
                    counts.in_doubt += 1;
                }
            }
        }
        let mesh = |&node: &NodeHandle| Some((node, scene.get(node)?.drawable()?.mesh));
        *meshes = nodes.iter().filter_map(mesh).collect();
    }
}

/// Frames: 100, or as many times more as `HEDGEROW_RANDOM_CASES` is more than 12.
fn frames() -> usize {
    let cases = std::env::var("HEDGEROW_RANDOM_CASES").map_or(12, |cases| cases.parse().expect("a number"));
    100 * cases / 12
}

#[test]
fn buffers_of_a_device_hold_the_scene_and_see_what_it_sees() {
    let Some(gpu) = device(wgpu::Features::INDIRECT_FIRST_INSTANCE) else { return };
    for (far, frames) in [(Vec3::ZERO, frames()), (Vec3::new(1e6, 0.0, -3e5), frames() / 2)] {
        let mut dice = fastrand::Rng::with_seed(30);
        let (mut scene, mut nodes) = town(far, 600, &mut dice);
        let mut watch = Watch {
            gpu: &gpu,
            buffers: SceneTables::new(&gpu.0, tables()),
            lists: Default::default(),
            plain: DrawList::new(),
            meshes: BTreeMap::new(),
            doubts: Doubts::default(),
            differed: BTreeSet::new(),
            counts: Counts::default(),
        };
        let mut before = Before::Else;
        for frame in 0..frames {
            edit(&mut scene, &mut nodes, &mut dice);
            match frame % 50 {
                // An update that is not synced, and another count of updates.
                10 => {
                    scene.update();
                    edit(&mut scene, &mut nodes, &mut dice);
                    before = Before::Else;
                }
                20 => {
                    scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
                }
                30 => {
                    scene = scene.clone();
                }
                40 => {
                    // Frames between two updates.
                    let mut smooth = Smooth::new(&scene).unwrap();
                    scene.update();
                    smooth.step(&scene).unwrap();
                    for part in 1..4 {
                        let blended = smooth.blend(&mut scene, part as f32 / 4.0);
                        watch.check(&blended, &nodes, (far, frame), Before::Else);
                    }
                    before = Before::Else;
                }
                _ => {}
            }
            scene.update();
            watch.check(&scene, &nodes, (far, frame), before);
            before = Before::LastUpdate;
        }
        let counts = watch.counts;
        println!("{counts:?}");
        assert!(counts.listed > 100 * frames && counts.coarser > 20 * frames && counts.out_of_range > 20 * frames);
        assert!(far != Vec3::ZERO || counts.in_doubt + counts.more < counts.listed / 50, "{counts:?}");
    }
}

#[test]
fn views_that_stay_are_culled_again_only_after_changes() {
    let Some(gpu) = device(wgpu::Features::INDIRECT_FIRST_INSTANCE) else { return };
    let (mut scene, nodes) = town(Vec3::ZERO, 50, &mut fastrand::Rng::with_seed(1));
    let mut buffers = SceneTables::new(&gpu.0, tables());
    let all = cameras(Vec3::ZERO, 0.0);
    let mut culls = |scene: &mut Scene, count: usize| {
        scene.update();
        buffers.sync(&gpu.1, scene).unwrap();
        let commands = buffers.buffer(Buffer::Commands).clone();
        let mut encoder = gpu.0.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        // What a culling writes is not there yet.
        encoder.clear_buffer(&commands, 0, None);
        buffers.cull(&gpu.1, &mut encoder, &all.each_ref().map(Camera::view)[..count]);
        gpu.1.submit([encoder.finish()]);
        read::<u32>(&gpu, &commands).iter().any(|&word| word != 0)
    };
    // The second sync settles previous matrices.
    assert_eq!([4, 4, 4, 2, 2].map(|count| culls(&mut scene, count)), [true, true, false, true, false]);
    scene.edit(nodes[0]).unwrap().set_user_data(77);
    assert_eq!([2, 2].map(|count| culls(&mut scene, count)), [true, false]);
}

#[test]
fn what_a_dropped_encoder_culled_is_culled_again() {
    let Some(gpu) = device(wgpu::Features::INDIRECT_FIRST_INSTANCE) else { return };
    let (mut scene, _) = town(Vec3::ZERO, 50, &mut fastrand::Rng::with_seed(1));
    scene.update();
    let mut buffers = SceneTables::new(&gpu.0, tables());
    let cull = |buffers: &mut SceneTables, submits: bool| {
        let views = cameras(Vec3::ZERO, 0.0).each_ref().map(Camera::view);
        let mut encoder = gpu.0.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        buffers.cull(&gpu.1, &mut encoder, &views);
        if submits {
            gpu.1.submit([encoder.finish()]);
        }
        read::<u32>(&gpu, buffers.buffer(Buffer::Commands)).iter().any(|&word| word != 0)
    };
    (0..2).for_each(|_| _ = buffers.sync(&gpu.1, &scene).unwrap());
    assert_eq!([false, true].map(|submits| cull(&mut buffers, submits)), [false, true]);
}

#[test]
fn what_is_longer_than_a_chunk_of_mapped_memory_is_written() {
    let Some(gpu) = device(wgpu::Features::empty()) else { return };
    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
    let node = |at: usize| Node::transform(Transform::from_xyz(at as f32, 0.0, 0.0));
    let drawn = |at| node(at).with_drawable(Drawable::new(0, Aabb::cube(1.0)));
    let nodes: Vec<_> = (0..200_000).map(|at| scene.insert(scene.root(), drawn(at)).unwrap()).collect();
    let mut buffers = SceneTables::new(&gpu.0, tables());
    // All at once, then a list of 50,000 matrices, which the frame after settles.
    for (frame, moved) in [(0, 0), (1, 50_000), (2, 1), (3, 0)] {
        for &node in nodes.iter().step_by(4).take(moved) {
            scene.set_local(node, Transform::from_xyz(0.0, frame as f32, 0.0)).unwrap();
        }
        scene.update();
        let synced = buffers.sync(&gpu.1, &scene).unwrap();
        assert!(frame == 0 || synced.matrices == moved, "{synced:?}");
        check_buffers(&gpu, &buffers, &scene, frame, true);
    }
}

/// Compares matrices and previous ones with the scene, to the bit.
fn check_buffers(gpu: &(Device, Queue), buffers: &SceneTables, scene: &Scene, frame: usize, has_previous: bool) {
    let instances = read::<Instance>(gpu, buffers.buffer(Buffer::Instances));
    let matrices = read::<Mat34>(gpu, buffers.buffer(Buffer::Matrices));
    let previous = read::<Mat34>(gpu, buffers.buffer(Buffer::Previous));
    for drawable in scene.slices().flat_map(|slice| slice.drawables().iter()) {
        let slot = buffers.scene().slot(scene, drawable.node).unwrap();
        let (matrix, node) = (instances[slot].matrix as usize, scene.get(drawable.node).unwrap());
        assert!(matrices[matrix].same_bits(node.world()), "frame {frame}");
        let same = |world: &Mat34| previous[matrix].same_bits(world);
        assert!(!has_previous || same(node.previous_world().unwrap()), "frame {frame}");
    }
}
