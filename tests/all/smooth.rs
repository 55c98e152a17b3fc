//! Blending between two steps, compared with a naive model, and without a trace in the scene.

use hedgerow::changes::ChangeReader;
use hedgerow::glam::{DAffine3, DQuat, DVec3, Quat, Vec3, Vec4};
use hedgerow::motion::{Blended, Smooth};
use hedgerow::query::{CullView, Frustum};
use hedgerow::visit::{Flow, TransformPass};
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Keep, Local, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform,
};
use std::collections::HashMap;

const TRACKED: SceneConfig = SceneConfig { changes: true, bounds: true, max_nodes: 8, ..SceneConfig::DEFAULT };

fn tracked() -> Scene {
    Scene::with_config(TRACKED).unwrap()
}

fn bits(world: Option<&Mat34>) -> Option<[[u32; 4]; 3]> {
    world.map(|world| world.rows.map(|row| row.map(f32::to_bits)))
}

fn worlds(scene: &Scene) -> HashMap<NodeHandle, Option<[[u32; 4]; 3]>> {
    let root = scene.get(scene.root()).unwrap();
    root.descendants().map(|node| (node.handle(), bits(scene.world(node.handle())))).collect()
}

/// Translation in double precision, rotation and scale of nodes without a matrix as local transform.
type Poses = HashMap<NodeHandle, (DVec3, Quat, Vec3)>;

fn poses(scene: &Scene) -> Poses {
    let root = scene.get(scene.root()).unwrap();
    let pose = |node: hedgerow::NodeRef<'_>| {
        let local = scene.local(node.handle())?.transform()?;
        Some((node.handle(), (node.translation_f64()?, local.rotation, local.scale)))
    };
    root.descendants().filter_map(pose).collect()
}

/// Checks a blended node against the formula, as exactly as its numbers allow.
fn assert_blended(blended: &Blended<'_>, node: NodeHandle, [from, to]: [&Poses; 2], jumped: bool, alpha: f32) {
    let after = &to[&node];
    let &(from, from_rotation, from_scale) = from.get(&node).filter(|_| !jumped).unwrap_or(after);
    let &(to, to_rotation, to_scale) = after;
    let t = f64::from(alpha);
    let at = blended.get(node).unwrap().translation_f64().unwrap();
    let local = blended.local(node).unwrap().transform().unwrap();
    if alpha == 0.0 {
        assert_eq!((at, local.rotation, local.scale), (from, from_rotation, from_scale), "{node:?} at the start");
    }
    let wide = from.as_vec3().as_dvec3() != from || to.as_vec3().as_dvec3() != to;
    let error = (at - from.lerp(to, t)).abs().max_element();
    let most = if wide { 1e-12 } else { 1e-7 } * (from.abs().max_element() + to.abs().max_element());
    assert!(error <= most, "{node:?} is {error} away at {alpha}");
    let (a, b): (DQuat, DQuat) = (from_rotation.as_dquat(), to_rotation.as_dquat());
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let rotation = (a * (1.0 - t) + b * t).normalize();
    // Both signs represent the same rotation.
    let off = |sign: f64| (local.rotation.as_dquat() * sign - rotation).length();
    assert!(off(1.0).min(off(-1.0)) < 1e-6, "{node:?} is turned at {alpha}");
    assert!((local.scale - from_scale.lerp(to_scale, alpha)).abs().max_element() < 1e-5, "{node:?} is scaled");
}

struct Dice(fastrand::Rng);

impl Dice {
    fn local(&mut self) -> Transform {
        let mut part = || self.0.f32() * 4.0 - 2.0;
        let turn = Quat::from_xyzw(part(), part(), part(), part() + 0.01).normalize();
        let place = Transform::from_xyz(part(), part(), part()).with_rotation(turn);
        place.with_scale(Vec3::new(part(), part(), part()) * 0.25 + 1.0)
    }

    fn node(&mut self, scene: &Scene) -> NodeHandle {
        let nodes: Vec<NodeHandle> = scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).collect();
        nodes[self.0.usize(..nodes.len())]
    }

    fn edit(&mut self, scenes: &mut [Scene], smooth: &mut Smooth, jumps: &mut Jumps) {
        let (node, other) = (self.node(&scenes[0]), self.node(&scenes[0]));
        let mut shear = Mat34::IDENTITY;
        shear.rows[0][1] = 0.5;
        let (kind, local) = (self.0.u8(..26), self.local());
        let wide = DVec3::new(1e7 + self.0.f64(), self.0.f64(), -1e6);
        let detached = scenes[0].detached().next().map(|node| node.handle());
        let parent = scenes[0].parent(node);
        let (anchored, keep) = (self.0.bool(), [Keep::Local, Keep::World][self.0.usize(..2)]);
        let was_anchored = scenes[0].get(node).unwrap().is_anchored();
        if kind == 7 {
            jumps.unsure.extend(scenes[0].get(node).unwrap().descendants().map(|node| node.handle()));
        }
        for scene in scenes.iter_mut() {
            // Both scenes refuse the same edits.
            match kind {
                0 => drop(scene.set_local(node, shear)),
                1 => drop(scene.edit(node).map(|mut node| node.set_local(None::<Local>).map(drop))),
                2 | 3 => drop(scene.edit(node).map(|mut node| node.set_translation_f64(wide).map(drop))),
                4 => drop(scene.remove(node)),
                5 => drop(scene.reparent(node, other, Keep::Local)),
                6 => drop(scene.reparent(node, other, Keep::World)),
                7 => drop(scene.reparent(node, Place::Detached, Keep::Local)),
                8 => drop(detached.map(|top| scene.reparent(top, other, Keep::Local))),
                9..=11 => {
                    let new = Node::transform(local).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
                    scene.insert(other, new).unwrap();
                }
                12 => scene.update(),
                22 => drop(detached.map(|top| scene.set_local(top, local))),
                24 | 25 => drop(scene.edit(node).map(|mut node| node.set_anchored(anchored, keep).map(drop))),
                _ => scene.set_local(node, local).unwrap(),
            }
        }
        if kind == 23 {
            smooth.cut(node);
            jumps.cuts.push(node);
        }
        if kind == 22 {
            detached.into_iter().for_each(|top| smooth.cut(top));
        }
        let turned = scenes[0].get(node).is_some_and(|node| node.is_anchored() != was_anchored);
        if kind == 23 || turned || scenes[0].parent(node) != parent {
            jumps.certain.push(node);
        }
    }
}

/// Nodes that are not blended: `certain` ones, and `unsure` ones that depend on updates within the step.
#[derive(Default)]
struct Jumps {
    certain: Vec<NodeHandle>,
    /// Those that were cut since the last step.
    cuts: Vec<NodeHandle>,
    unsure: Vec<NodeHandle>,
}

/// Returns all lists of a read that is not of everything.
fn read(scene: &Scene, reader: &mut ChangeReader) -> Option<String> {
    let changed = scene.changes(reader).unwrap();
    (!changed.is_whole()).then(|| format!("{changed:?}"))
}

#[test]
fn blends_follow_a_naive_model_and_leave_no_trace() {
    let mut blends = 0;
    for seed in 0..40 {
        let mut dice = Dice(fastrand::Rng::with_seed(seed));
        let mut scenes = [tracked(), tracked()];
        for _ in 0..30 {
            let (parent, local) = (dice.node(&scenes[0]), dice.local());
            let node = Node::transform(local).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
            for scene in &mut scenes {
                scene.insert(parent, node).unwrap();
            }
        }
        scenes.iter_mut().for_each(Scene::update);
        let mut smooth = Smooth::new(&scenes[0]).unwrap();
        if seed % 2 == 0 {
            smooth = smooth.with_motion();
        }
        let [mut mine, mut twins] = [ChangeReader::new(), ChangeReader::new()];
        let mut list = DrawList::new().with_motion();
        for _ in 0..12 {
            let from = poses(&scenes[0]);
            let mut jumps = Jumps::default();
            (0..dice.0.u8(..8)).for_each(|_| dice.edit(&mut scenes, &mut smooth, &mut jumps));
            scenes.iter_mut().for_each(Scene::update);
            smooth.step(&scenes[0]).unwrap();
            assert_eq!(read(&scenes[0], &mut mine), read(&scenes[1], &mut twins), "seed {seed}");
            let [scene, twin] = &mut scenes;
            let (to, saved, was) = (poses(scene), scene.to_bytes(), worlds(scene));
            for _ in 0..dice.0.u8(..3) {
                let alpha = [0.0, dice.0.f32(), 0.5, 1.0, f32::NAN, -3.0, f32::INFINITY][dice.0.usize(..7)];
                let mut within = mine.clone();
                let blended = smooth.blend(scene, alpha);
                let alpha = if alpha > 0.0 { alpha.min(1.0) } else { 0.0 };
                assert!(alpha < 1.0 || worlds(&blended) == was, "the end is the step in all bits");
                blended.validate().unwrap();
                assert!(blended.changes(&mut within).unwrap().is_empty());
                for &node in to.keys().filter(|node| !jumps.unsure.contains(node)) {
                    assert_blended(&blended, node, [&from, &to], jumps.certain.contains(&node), alpha);
                }
                for (&node, &world) in &worlds(&blended) {
                    assert_eq!(world, bits(blended.get(node).map(|node| node.fresh_world()).as_ref()));
                }
                blended.draw_list(&mut list);
                for (command, matrix) in list.commands().iter().zip(list.matrices()) {
                    assert_eq!(bits(Some(matrix)), bits(blended.world(command.node)));
                    blends += usize::from(bits(Some(matrix)) != was[&command.node]);
                }
                drop(blended);
                scene.validate().unwrap();
                assert_eq!(scene.to_bytes(), saved);
                assert_eq!(worlds(scene), was);
                assert!(scene.changes(&mut mine).unwrap().is_empty());
            }
            for node in scene.get(scene.root()).unwrap().descendants() {
                let theirs = twin.get(node.handle()).and_then(|node| node.previous_world());
                assert_eq!(bits(node.previous_world()), bits(theirs), "seed {seed}");
            }
        }
        assert_eq!(scenes[0].to_bytes(), scenes[1].to_bytes());
    }
    assert!(blends > 1000, "only {blends} drawables were blended");
}

/// Returns a scene with a node that moves from 0 to 8 in its first step, and a node below it.
fn ball() -> (Scene, Smooth, [NodeHandle; 2]) {
    let mut scene = tracked();
    let drawn = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
    let ball = scene.insert(scene.root(), drawn).unwrap();
    let below = scene.insert(ball, drawn).unwrap();
    scene.update();
    let smooth = Smooth::new(&scene).unwrap().with_motion();
    (scene, smooth, [ball, below])
}

fn step_to(scene: &mut Scene, smooth: &mut Smooth, node: NodeHandle, x: f32) {
    scene.set_local(node, Transform::from_xyz(x, 0.0, 0.0)).unwrap();
    scene.update();
    smooth.step(scene).unwrap();
}

fn x(scene: &Scene, node: NodeHandle) -> f32 {
    scene.world(node).unwrap().translation().x
}

#[test]
fn a_node_that_was_cut_outside_of_the_tree_is_not_blended_in_the_step_in_which_it_is_back() {
    let (mut scene, mut smooth, [ball, below]) = ball();
    step_to(&mut scene, &mut smooth, ball, 2.0);
    scene.reparent(ball, Place::Detached, Keep::Local).unwrap();
    scene.update();
    smooth.cut(ball);
    smooth.step(&scene).unwrap();
    scene.reparent(ball, scene.root(), Keep::Local).unwrap();
    step_to(&mut scene, &mut smooth, ball, 8.0);
    assert_eq!(x(&smooth.blend(&mut scene, 0.25), below), 8.0);
    step_to(&mut scene, &mut smooth, ball, 16.0);
    assert_eq!(x(&smooth.blend(&mut scene, 0.25), below), 10.0);
}

#[test]
fn what_is_edited_or_removed_after_a_step_is_shown_as_it_is() {
    let (mut scene, mut smooth, [ball, below]) = ball();
    step_to(&mut scene, &mut smooth, below, 4.0);
    step_to(&mut scene, &mut smooth, ball, 8.0);
    scene.set_local(ball, Transform::from_xyz(100.0, 0.0, 0.0)).unwrap();
    assert_eq!(x(&smooth.blend(&mut scene, 0.5), below), 104.0);
    assert_eq!(x(&scene, ball), 100.0);
    smooth.step(&scene).unwrap();
    assert_eq!(x(&smooth.blend(&mut scene, 0.5), below), 58.0);
    scene.remove(ball).unwrap();
    assert!(smooth.blend(&mut scene, 0.5).world(ball).is_none());
    let new = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.update();
    smooth.step(&scene).unwrap();
    assert_eq!(smooth.nodes().len(), 0);
    step_to(&mut scene, &mut smooth, new, 2.0);
    assert_eq!(x(&smooth.blend(&mut scene, 0.5), new), 1.0);
    scene.validate().unwrap();
}

#[test]
fn a_visit_of_a_scene_that_stays_blended_reports_a_set() {
    let (mut scene, mut smooth, [ball, below]) = ball();
    step_to(&mut scene, &mut smooth, ball, 8.0);
    core::mem::forget(smooth.blend(&mut scene, 0.5));
    scene.set_local(below, Transform::from_xyz(3.0, 0.0, 0.0)).unwrap();
    let mut reader = ChangeReader::new();
    scene.changes(&mut reader).unwrap();
    assert_eq!(scene.visit_slices_mut(&mut TransformPass::dirty()), Flow::Continue);
    assert!(scene.changes(&mut reader).unwrap().locals().contains(&below));
    scene.validate().unwrap();
}

#[test]
fn scenes_without_changes_are_refused_and_others_are_begun_anew() {
    assert!(matches!(Smooth::new(&Scene::new()), Err(Error::NoChanges)));
    let (mut scene, mut smooth, [ball, _]) = ball();
    step_to(&mut scene, &mut smooth, ball, 8.0);
    assert_eq!(smooth.step(&Scene::new()), Err(Error::NoChanges));
    assert_eq!(x(&smooth.blend(&mut scene, 0.5), ball), 4.0, "a refused step changes nothing");
    let mut loaded = Scene::from_bytes(&scene.to_bytes()).unwrap();
    assert_eq!(x(&smooth.blend(&mut loaded, 0.5), ball), 8.0, "of another scene nothing is known");
    assert_eq!(x(&smooth.blend(&mut scene, 0.5), ball), 8.0, "and of the first one no longer");
    step_to(&mut loaded, &mut smooth, ball, 16.0);
    assert_eq!(x(&smooth.blend(&mut loaded, 0.5), ball), 16.0);
    step_to(&mut loaded, &mut smooth, ball, 24.0);
    assert_eq!(x(&smooth.blend(&mut loaded, 0.5), ball), 20.0);
}

/// A node's world matrix: in single precision, in double precision, and the product of the norms of all that is
/// multiplied, to which rounding errors are relative.
#[derive(Clone, Copy)]
struct Seen {
    world: Mat34,
    wide: DAffine3,
    norm: f64,
}

impl Seen {
    /// Returns the matrix of a node below this one.
    fn below(self, scene: &Scene, node: NodeHandle) -> Self {
        let Some(local) = scene.local(node).map(Local::to_matrix) else { return self };
        let mut wide = local.to_wide();
        wide.translation = scene.get(node).and_then(|node| node.translation_f64()).unwrap();
        let norm =
            local.rows.map(|row| row.map(|part| f64::from(part.abs())).iter().sum()).into_iter().fold(1.0, f64::max);
        Self { world: self.world * local, wide: self.wide * wide, norm: self.norm * norm }
    }

    /// Returns the matrix of a node, given that of its parent.
    fn of(scene: &Scene, node: NodeHandle, above: impl FnOnce(NodeHandle) -> Self) -> Self {
        let world = Self { world: Mat34::IDENTITY, wide: DAffine3::IDENTITY, norm: 1.0 };
        local_parent(scene, node).map_or(world, above).below(scene, node)
    }

    fn now(scene: &Scene, node: NodeHandle) -> Self {
        Self::of(scene, node, |above| Self::now(scene, above))
    }
}

fn local_parent(scene: &Scene, node: NodeHandle) -> Option<NodeHandle> {
    scene.parent(node).filter(|_| !scene.get(node).unwrap().is_anchored())
}

/// What the last frame showed, and the nodes that cuts took from their places since.
#[derive(Default)]
struct Shown {
    frame: HashMap<NodeHandle, Seen>,
    jumps: Vec<NodeHandle>,
}

impl Shown {
    fn step(&mut self, scene: &Scene, cuts: &mut Vec<NodeHandle>) {
        for node in cuts.drain(..).filter(|&node| scene.contains(node)) {
            let Some(before) = self.frame.get(&node) else { continue };
            let frame = |above| self.frame.get(&above).copied().unwrap_or_else(|| Seen::now(scene, above));
            if bits(Some(&Seen::of(scene, node, frame).world)) != bits(Some(&before.world)) {
                self.jumps.push(node);
            }
        }
    }

    /// Returns the previous matrix of a node by the rule, and whether it comes from a cut.
    fn was(&self, scene: &Scene, node: NodeHandle) -> (Seen, bool) {
        let Some(&before) = self.frame.get(&node) else { return (Seen::now(scene, node), false) };
        let mut hangs = core::iter::successors(Some(node), |&at| local_parent(scene, at));
        if hangs.any(|at| self.jumps.contains(&at)) {
            return (Seen::of(scene, node, |above| self.was(scene, above).0), true);
        }
        (before, false)
    }
}

/// Shows frames of a scene that is edited in all ways, and compares all previous matrices with the frames before.
/// Returns the number of nodes that moved, and of nodes with motion although they or nodes above were cut.
fn watch(seed: u64, nodes: usize, frames: usize) -> [usize; 2] {
    let mut dice = Dice(fastrand::Rng::with_seed(seed));
    let history = match seed % 3 {
        0 => 65_536,
        1 => 0,
        _ => 40,
    };
    let config = SceneConfig { change_history: history, max_nodes: if nodes > 1000 { 4096 } else { 8 }, ..TRACKED };
    let mut scene = Scene::with_config(config).unwrap();
    let mut smooth = Smooth::new(&scene).unwrap().with_motion();
    let drawable = Drawable::new(1, Aabb::cube(1.0));
    let mut all = vec![scene.root()];
    for at in 0..nodes {
        let node = if at % 4 == 0 { Node::group() } else { Node::transform(dice.local()) };
        all.push(scene.insert(all[dice.0.usize(..all.len())], node.with_drawable(drawable)).unwrap());
    }
    let [mut list, mut culled] = [DrawList::new().with_motion(), DrawList::new().with_motion()];
    let everything = Frustum::from_planes([Vec4::W; 6]).unwrap();
    let (mut shown, mut jumps, mut counts) = (Shown::default(), Jumps::default(), [0; 2]);
    for _ in 0..frames {
        for _ in 0..dice.0.u8(..4) {
            for _ in 0..dice.0.u8(1..4) {
                let scenes = core::slice::from_mut(&mut scene);
                (0..dice.0.u8(..4)).for_each(|_| dice.edit(scenes, &mut smooth, &mut jumps));
                if nodes > 1000 {
                    scene.set_local(scene.root(), dice.local()).unwrap();
                }
                scene.update();
            }
            shown.step(&scene, &mut jumps.cuts);
            smooth.step(&scene).unwrap();
        }
        let scenes = core::slice::from_mut(&mut scene);
        (0..dice.0.u8(..3)).for_each(|_| dice.edit(scenes, &mut smooth, &mut jumps));
        let alpha = [0.0, dice.0.f32(), 0.5, 1.0][dice.0.usize(..4)];
        let other = dice.0.u8(..24);
        match other {
            0 => scene = scene.clone(),
            1 => scene = Scene::from_bytes(&scene.to_bytes()).unwrap(),
            2 => drop(smooth.blend(&mut scene.clone(), alpha)),
            3 => drop(scene.visit_slices_mut(&mut TransformPass::dirty())),
            4 => drop(scene.maintain(usize::MAX)),
            _ => {}
        }
        if other < 3 {
            // Another scene, or none, was shown before.
            (shown, jumps) = (Shown::default(), Jumps::default());
        }
        let blended = smooth.blend(&mut scene, alpha);
        blended.validate().unwrap();
        let root = blended.get(blended.root()).unwrap();
        let now: HashMap<_, _> = root.descendants().map(|at| (at.handle(), Seen::now(&blended, at.handle()))).collect();
        for (&node, seen) in &now {
            let (was, cut) = shown.was(&blended, node);
            let previous = blended.get(node).unwrap().previous_world();
            assert_eq!(bits(previous), bits(Some(&was.world)), "seed {seed}, {node:?}");
            let error = previous.unwrap().to_wide().to_cols_array().into_iter().zip(was.wide.to_cols_array());
            let error = error.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= 1e-6 * was.norm, "seed {seed}, {node:?}: {error} of {}", was.norm);
            let moves = bits(previous) != bits(Some(&seen.world));
            counts = [counts[0] + usize::from(moves), counts[1] + usize::from(moves && cut)];
        }
        let detached = blended.detached().flat_map(|top| top.descendants());
        detached.for_each(|node| assert_eq!(bits(node.previous_world()), bits(Some(node.world()))));
        let mut new = DrawList::new().with_motion();
        blended.draw_list(&mut new);
        blended.draw_list(&mut list);
        blended.cull(&mut [CullView::new(&everything, &mut culled)]).unwrap();
        [&list, &new, &culled].into_iter().for_each(|list| assert_previous(&blended, list));
        drop(blended);
        scene.validate().unwrap();
        if dice.0.bool() {
            scene.draw_list(&mut list);
            assert_previous(&scene, &list);
        }
        shown = Shown { frame: now, jumps: Vec::new() };
    }
    counts
}

/// Checks the previous matrices of a list that was just filled.
fn assert_previous(scene: &Scene, list: &DrawList) {
    let previous = list.previous_matrices().unwrap();
    assert_eq!(previous.len(), list.len());
    for (command, previous) in list.commands().iter().zip(previous) {
        assert_eq!(bits(Some(previous)), bits(scene.get(command.node).unwrap().previous_world()));
    }
}

#[test]
fn previous_matrices_are_what_the_frame_before_showed() {
    let counts = (80..140).map(|seed| watch(seed, 40, 20)).fold([0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    assert!(counts[0] > 5000 && counts[1] > 50, "{counts:?} matrices moved");
    #[cfg(feature = "rayon")]
    rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap().install(|| watch(0, 18_000, 3));
}
