//! What was once wrong, so that it does not come back.

mod joined;
mod room;

use hedgerow::glam::{EulerRot, Quat, Vec3};
use hedgerow::{
    Aabb, DrawList, EditQueue, Error, Flow, Keep, Mat34, Node, NodeHandle, Outcome, Place, Scene, SceneConfig, Shape,
    SliceViewMut, SliceVisitorMut, Transform, TransformPass, Visibility,
};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

type Bits = [[u32; 4]; 3];

fn bits(matrix: &Mat34) -> Bits {
    matrix.rows.map(|row| row.map(f32::to_bits))
}

fn turned(x: f32, angle: f32) -> Transform {
    Transform::from_xyz(x, 0.5, -x).with_rotation(Quat::from_euler(EulerRot::YXZ, angle, 0.3, -0.2))
}

/// A node that has every component but a name.
fn whole(number: u32) -> Node<'static> {
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let angle = number as f32;
    Node::transform(turned(1.0, angle))
        .with_material(number)
        .with_shape(Shape::new(number, Aabb::cube(1.0)))
        .with_visibility(Visibility::VISIBLE)
}

fn drawn(mesh: u32) -> Node<'static> {
    Node::shape(Shape::new(mesh, Aabb::cube(1.0)))
}

fn all_nodes(scene: &Scene) -> Vec<NodeHandle> {
    core::iter::once(scene.root()).chain(scene.descendants(scene.root())).collect()
}

/// A scene of the same tree that was just built, without slices of its nodes' own, and its nodes by those of `scene`.
fn rebuilt(scene: &Scene) -> (Scene, HashMap<NodeHandle, NodeHandle>) {
    let mut again = Scene::new();
    let mut twins = HashMap::from([(scene.root(), again.root())]);
    for node in scene.descendants(scene.root()) {
        let parent = twins[&scene.parent(node).unwrap()];
        twins.insert(node, again.insert(parent, scene.node(node).unwrap()).unwrap());
    }
    let root = scene.node(scene.root()).unwrap();
    if let Some(local) = root.local.and_then(|local| local.transform()) {
        again.attach_transform(again.root(), local).unwrap();
    }
    if let Some(material) = root.material {
        again.attach_material(again.root(), material).unwrap();
    }
    if let Some(visibility) = root.visibility {
        again.attach_visibility(again.root(), visibility).unwrap();
    }
    again.update_all();
    (again, twins)
}

/// What is drawn, by node.
fn draws(scene: &Scene) -> HashMap<NodeHandle, (u32, Option<u32>, bool, Bits)> {
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    let drawn = list.commands().iter().zip(list.matrices());
    let by_node: HashMap<_, _> = drawn
        .map(|(command, matrix)| (command.node, (command.mesh, command.material, command.mirrored, bits(matrix))))
        .collect();
    assert_eq!(by_node.len(), list.len(), "no node is drawn twice");
    by_node
}

/// Updates a scene, and compares what that made with what it is to be.
fn check_update(scene: &mut Scene, after: &str) {
    scene.update();
    scene.validate().unwrap();
    let (again, twins) = rebuilt(scene);
    for node in all_nodes(scene) {
        let (world, fresh) = (scene.world(node).unwrap(), scene.fresh_world(node).unwrap());
        assert_eq!(bits(world), bits(&fresh), "{node:?} after {after}");
        assert_eq!(bits(world), bits(again.world(twins[&node]).unwrap()), "{node:?} after {after}");
    }
    let (shown, mut expected) = (draws(scene), draws(&again));
    assert_eq!(shown.len(), expected.len(), "after {after}");
    for (node, draw) in shown {
        assert_eq!(Some(draw), expected.remove(&twins[&node]), "{node:?} after {after}");
    }
}

/// A top, and below it slices nested two deep, each with drawn leaves. All is up to date.
struct Nested {
    scene: Scene,
    top: NodeHandle,
    group: NodeHandle,
    outer: Vec<NodeHandle>,
    inner: Vec<NodeHandle>,
    leaves: Vec<NodeHandle>,
}

impl Nested {
    fn new() -> Self {
        let mut scene = Scene::new();
        let top = scene.insert(scene.root(), Node::transform(turned(2.0, 0.4))).unwrap();
        let group = scene.insert(top, Node::group()).unwrap();
        let (mut outer, mut inner, mut leaves) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..3u8 {
            let angle = f32::from(number);
            let above = scene.insert(group, Node::transform(turned(angle, 1.0))).unwrap();
            leaves.push(scene.insert(above, drawn(10 + u32::from(number))).unwrap());
            for below in 0..3u8 {
                let node = Node::transform(turned(f32::from(below), angle)).with_material(u32::from(below));
                let node = if below == 0 { Node::group() } else { node };
                let low = scene.insert(above, node).unwrap();
                let mesh = 100 + 10 * u32::from(number) + u32::from(below);
                leaves.push(scene.insert(low, drawn(mesh)).unwrap());
                leaves.push(scene.insert(low, whole(mesh)).unwrap());
                inner.push(low);
            }
            outer.push(above);
        }
        for &node in outer.iter().chain(&inner) {
            scene.isolate(node).unwrap();
        }
        assert!(scene.slice_count() >= 2 + outer.len() + inner.len());
        let mut nested = Self { scene, top, group, outer, inner, leaves };
        nested.check("building");
        nested
    }

    fn check(&mut self, after: &str) {
        check_update(&mut self.scene, after);
    }
}

/// How a visitor leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Leave {
    Panic,
    Answer(Flow),
}

/// Moves what has a transform in one slice, perhaps computes that slice, and leaves.
struct Meddler {
    /// How many slices are left as they are before.
    skip: usize,
    pass: Option<TransformPass>,
    leave: Leave,
}

impl SliceVisitorMut for Meddler {
    fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
        if self.skip > 0 {
            self.skip -= 1;
            return Flow::Continue;
        }
        for slot in 1..slice.view().transforms().len() {
            let local = slice.view().transforms().local(slot).and_then(|local| local.transform());
            if let Some(mut transform) = local {
                transform.translation.y += 7.0;
                slice.set_local(slot, transform).unwrap();
            }
        }
        if let Some(mut pass) = self.pass {
            pass.slice_mut(slice);
        }
        match self.leave {
            Leave::Panic => panic!("the visitor's own panic"),
            Leave::Answer(flow) => flow,
        }
    }
}

#[test]
fn what_a_visitor_set_is_updated_however_it_leaves() {
    let slices = Nested::new().scene.slice_count();
    let mut moved = 0;
    for skip in 0..slices {
        for pass in [None, Some(TransformPass::dirty()), Some(TransformPass::everything())] {
            for leave in [Leave::Panic, Leave::Answer(Flow::Break), Leave::Answer(Flow::Prune)] {
                for dirty in [false, true] {
                    let mut nested = Nested::new();
                    if dirty {
                        nested.scene.set_local(nested.top, turned(5.0, 2.0)).unwrap();
                    }
                    let before: Vec<_> = nested.leaves.iter().map(|&leaf| nested.scene.fresh_world(leaf)).collect();
                    let scene = &mut nested.scene;
                    let visit = || scene.visit_slices_mut(&mut Meddler { skip, pass, leave });
                    let left = catch_unwind(AssertUnwindSafe(visit));
                    assert_eq!(left.is_err(), leave == Leave::Panic);
                    nested.scene.validate().unwrap();
                    let after: Vec<_> = nested.leaves.iter().map(|&leaf| nested.scene.fresh_world(leaf)).collect();
                    moved += usize::from(before != after);
                    nested.check(&format!("{skip} slices, {pass:?}, {leave:?}"));
                }
            }
        }
    }
    assert!(moved > slices, "most slices have something to move");
}

/// A node with a transform below a parent with another.
fn pair() -> (Scene, NodeHandle) {
    let mut scene = Scene::new();
    let parent = turned(3.0, 0.8).with_scale(Vec3::splat(2.0));
    let parent = scene.insert(scene.root(), Node::transform(parent)).unwrap();
    let node = scene.insert(parent, Node::transform(turned(1.0, 0.1))).unwrap();
    scene.update();
    (scene, node)
}

#[test]
fn a_world_transform_is_checked_as_a_local_one() {
    let nan = f32::NAN;
    let good = Transform::from_xyz(1.0, 2.0, 3.0);
    for (bad, is_number_fault) in [
        (good.with_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), false),
        (good.with_rotation(Quat::from_xyzw(nan, 0.0, 0.0, 1.0)), true),
        (good.with_translation(Vec3::new(0.0, nan, 0.0)), true),
        (good.with_scale(Vec3::new(1.0, 1.0, nan)), true),
        (good.with_scale(Vec3::new(f32::INFINITY, 1.0, 1.0)), true),
    ] {
        let (mut scene, node) = pair();
        let seen = |scene: &Scene| {
            let world = scene.world(node).map(bits);
            (scene.local(node), world, scene.fresh_world(node), scene.stats())
        };
        let before = seen(&scene);
        let mut queue = EditQueue::new();
        queue.set_world(node, bad);
        let queued = queue.apply(&mut scene)[0].clone().expect_err("the queued edit is refused");
        assert_eq!(seen(&scene), before);
        let error = scene.set_world(node, bad).expect_err("the edit is refused");
        assert_eq!(seen(&scene), before);
        for error in [error, queued] {
            if is_number_fault {
                assert!(matches!(error, Error::NotFinite(_)), "{error:?} for {bad:?}");
            } else {
                assert_eq!(error, Error::NotRotation);
            }
        }
        scene.update();
        assert_eq!(seen(&scene), before);
        scene.validate().unwrap();
    }
}

#[test]
fn a_world_rotation_is_normalised_as_a_local_one() {
    let rotation = Quat::from_euler(EulerRot::YXZ, 0.4, 1.1, -0.7);
    for length in [1e-3, 0.5, 3.0, 1e3] {
        let given = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(rotation * length);
        let (mut scene, node) = pair();
        scene.set_world(node, given).unwrap();
        let world = scene.fresh_world(node).unwrap();
        let unit = given.with_rotation(rotation).to_matrix();
        for (a, b) in world.rows.iter().flatten().zip(unit.rows.iter().flatten()) {
            assert!((a - b).abs() < 1e-5, "{world:?} for {unit:?}, of length {length}");
        }
        let local = scene.local(node).and_then(|local| local.transform()).unwrap();
        assert!(local.rotation.is_normalized());
        assert!((local.scale - 0.5).abs().max_element() < 1e-5, "the length does not scale");

        let (mut other, twin) = pair();
        let mut queue = EditQueue::new();
        queue.set_world(twin, given);
        assert!(matches!(queue.apply(&mut other)[0], Ok(Outcome::SetAs(_))));
        assert_eq!(other.local(twin), scene.local(node), "the queue does the same");

        // Below the root the world transform is the local one.
        let top = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        let kept = |scene: &Scene| scene.local(top).and_then(|local| local.transform()).unwrap();
        scene.set_local(top, given).unwrap();
        let by_local = kept(&scene);
        scene.set_world(top, given).unwrap();
        assert!(kept(&scene).rotation.dot(by_local.rotation).abs() > 1.0 - 1e-6);
        assert!((kept(&scene).scale - by_local.scale).abs().max_element() < 1e-6);
    }
}

#[test]
fn a_deep_chain_is_told_in_a_line_for_each_node() {
    const DEPTH: usize = 100_000;
    let mut scene = Scene::new();
    let mut node = scene.root();
    for _ in 0..DEPTH {
        node = scene.insert(node, Node::group()).unwrap();
    }
    let text = scene.dump();
    assert_eq!(text.lines().count(), DEPTH + 1);
    assert!(text.len() < (DEPTH + 1) * 256, "a line does not grow with the depth");
    assert!(text.lines().last().unwrap().contains(&DEPTH.to_string()), "the depth is told");
}

#[test]
fn every_mirroring_looks_at_its_target_and_stands_upright() {
    let sign = |negative| if negative { -1.0 } else { 1.0 };
    let parents = [
        Transform::IDENTITY,
        turned(2.0, 0.9).with_scale(Vec3::new(-1.5, 1.5, 1.5)),
        turned(-1.0, 2.1).with_scale(Vec3::new(1.0, -1.0, 1.0)),
        turned(4.0, -1.2).with_scale(Vec3::splat(-0.5)),
    ];
    for parent in parents {
        for signs in 0..8 {
            let scale = Vec3::new(sign(signs & 1 != 0), 2.0 * sign(signs & 2 != 0), 0.5 * sign(signs & 4 != 0));
            let mut scene = Scene::new();
            let above = scene.insert(scene.root(), Node::transform(parent)).unwrap();
            let local = turned(1.0, 0.2).with_scale(scale);
            let node = scene.insert(above, Node::transform(local)).unwrap();
            for target in [Vec3::new(5.0, 3.0, -7.0), Vec3::new(-4.0, -2.0, 6.0), Vec3::new(9.0, 0.1, 0.2)] {
                for up in [Vec3::Y, Vec3::new(0.3, -0.8, 0.6)] {
                    scene.look_at(node, target, up).unwrap();
                    let world = scene.fresh_world(node).unwrap();
                    let ahead = world.transform_vector(Vec3::NEG_Z).normalize();
                    let towards = (target - world.translation()).normalize();
                    let case = format!("{parent:?}, {scale:?}, {target:?}, {up:?}");
                    assert!(ahead.dot(towards) > 0.9999, "looks along {ahead:?}, not {towards:?}: {case}");
                    assert!(world.transform_vector(Vec3::Y).dot(up) > 0.0, "upside down: {case}");
                    let kept = scene.local(node).and_then(|local| local.transform()).unwrap();
                    assert_eq!((kept.scale, kept.translation), (scale, local.translation));
                }
            }
        }
    }
}

#[test]
fn a_node_is_isolated_again_and_again() {
    for config in [SceneConfig::DEFAULT, SceneConfig::THESIS] {
        let mut scene = Scene::with_config(config).unwrap();
        let parent = scene.insert(scene.root(), Node::transform(turned(1.0, 0.5))).unwrap();
        let first = scene.insert(parent, Node::group()).unwrap();
        let node = scene.insert(parent, whole(1)).unwrap();
        let below = scene.insert(node, whole(2)).unwrap();
        let mut behind = Vec::new();
        for turn in 0..1_000u32 {
            behind.push(scene.insert(Place::After(node), drawn(turn)).unwrap());
            scene.isolate(node).unwrap();
            assert_eq!(scene.parent(node), Some(parent));
            assert_eq!(scene.parent(below), Some(node));
            assert!(behind.iter().rev().take(2).all(|&next| !scene.same_slice(node, next)));
            assert_eq!(scene.next_sibling(node), behind.last().copied());
            assert_eq!(scene.previous_sibling(node), Some(first));
            if turn % 50 == 0 || turn > 990 {
                scene.validate().unwrap();
            }
        }
        let order = [first, node].into_iter().chain(behind.iter().rev().copied());
        assert!(scene.children(parent).eq(order.clone()));
        assert!(scene.children(parent).rev().eq(order.collect::<Vec<_>>().into_iter().rev()));
        check_update(&mut scene, "isolating again and again");
        for next in behind {
            assert_eq!(scene.remove(next), Ok(1));
        }
        scene.validate().unwrap();
        assert!(scene.children(parent).eq([first, node]));
    }
}

#[test]
fn all_children_are_isolated_in_turn_in_either_direction() {
    for backwards in [false, true] {
        for config in [SceneConfig::DEFAULT, SceneConfig::THESIS] {
            let mut scene = Scene::with_config(config).unwrap();
            let parent = scene.insert(scene.root(), Node::transform(turned(1.0, 0.5))).unwrap();
            let children: Vec<_> = (0..300).map(|number| scene.insert(parent, whole(number)).unwrap()).collect();
            for &child in &children {
                scene.insert(child, drawn(1_000)).unwrap();
            }
            let mut turns = children.clone();
            if backwards {
                turns.reverse();
            }
            for (turn, &child) in turns.iter().enumerate() {
                scene.isolate(child).unwrap();
                assert_eq!(scene.parent(child), Some(parent));
                assert!(!scene.same_slice(child, parent));
                if turn % 10 == 0 {
                    scene.validate().unwrap();
                    assert!(scene.children(parent).eq(children.iter().copied()));
                }
            }
            assert!(scene.children(parent).eq(children.iter().copied()));
            assert!(scene.children(parent).rev().eq(children.iter().rev().copied()));
            assert!(children.windows(2).all(|pair| !scene.same_slice(pair[0], pair[1])));
            check_update(&mut scene, "isolating all children");
        }
    }
}

#[test]
fn moves_beside_and_above_isolated_siblings_reach_all_they_concern() {
    let mut scene = Scene::new();
    let parent = scene.insert(scene.root(), Node::transform(turned(1.0, 0.5))).unwrap();
    let leaf = scene.insert(parent, whole(1)).unwrap();
    for number in 0..200 {
        let sibling = scene.insert(parent, whole(number)).unwrap();
        scene.insert(sibling, drawn(number)).unwrap();
        scene.isolate(sibling).unwrap();
    }
    check_update(&mut scene, "building");
    scene.set_local(leaf, turned(9.0, 1.5)).unwrap();
    check_update(&mut scene, "moving the leaf");
    scene.set_local(parent, turned(-3.0, 2.5)).unwrap();
    check_update(&mut scene, "moving the parent");
    scene.set_local(leaf, turned(4.0, 0.5)).unwrap();
    scene.set_local(parent, turned(2.0, 0.1)).unwrap();
    check_update(&mut scene, "moving both");
}

#[test]
fn edits_above_nested_portals_reach_all_below() {
    let mut nested = Nested::new();
    let (top, group) = (nested.top, nested.group);
    let (outer, inner) = (nested.outer.clone(), nested.inner.clone());
    let step = |nested: &mut Nested, what: &str, edit: &mut dyn FnMut(&mut Scene) -> Result<(), Error>| {
        edit(&mut nested.scene).unwrap();
        nested.check(what);
    };
    for node in [top, outer[0], outer[2], inner[1], inner[8]] {
        step(&mut nested, "set_local", &mut |scene| scene.set_local(node, turned(7.0, 0.6)));
    }
    for node in [group, top, outer[1], inner[0], inner[4]] {
        step(&mut nested, "attach_transform", &mut |scene| scene.attach_transform(node, turned(-2.0, 1.6)));
        step(&mut nested, "set_local", &mut |scene| scene.set_local(node, turned(-3.0, 0.2)));
        step(&mut nested, "detach_transform", &mut |scene| scene.detach_transform(node).map(drop));
        step(&mut nested, "attach_material", &mut |scene| scene.attach_material(node, 77));
        step(&mut nested, "another material", &mut |scene| scene.attach_material(node, 78));
        step(&mut nested, "detach_material", &mut |scene| scene.detach_material(node).map(drop));
        step(&mut nested, "hiding", &mut |scene| scene.attach_visibility(node, Visibility::HIDDEN));
        step(&mut nested, "showing", &mut |scene| scene.attach_visibility(node, Visibility::layers(6)));
        step(&mut nested, "hiding again", &mut |scene| scene.attach_visibility(node, Visibility::HIDDEN));
        step(&mut nested, "detach_visibility", &mut |scene| scene.detach_visibility(node).map(drop));
    }
    let shown = draws(&nested.scene).len();
    assert_eq!(shown, nested.leaves.len(), "all is shown in the end");
    // Hidden by the root, above every portal, and with a material from there.
    let root = nested.scene.root();
    step(&mut nested, "hiding the root", &mut |scene| scene.attach_visibility(root, Visibility::HIDDEN));
    assert!(draws(&nested.scene).is_empty());
    step(&mut nested, "showing the root", &mut |scene| scene.detach_visibility(root).map(drop));
    step(&mut nested, "a material of the root", &mut |scene| scene.attach_material(root, 5));
    step(&mut nested, "a transform of the root", &mut |scene| scene.attach_transform(root, turned(1.0, 3.0)));
    step(&mut nested, "none of the root", &mut |scene| scene.detach_transform(root).map(drop));
}

#[test]
fn isolated_subtrees_inherit_from_where_they_are_moved_to() {
    let mut nested = Nested::new();
    let root = nested.scene.root();
    let other = Node::transform(turned(-8.0, 2.2).with_scale(Vec3::new(1.0, -1.0, 1.0)));
    let other = nested.scene.insert(root, other.with_material(9)).unwrap();
    let last = nested.scene.insert(other, Node::transform(turned(1.0, 1.0))).unwrap();
    nested.check("another transform");
    let (top, outer, inner) = (nested.top, nested.outer.clone(), nested.inner.clone());
    for (node, place) in [
        (outer[0], Place::LastChildOf(other)),
        (inner[4], Place::FirstChildOf(last)),
        (inner[8], Place::Before(last)),
        (outer[1], Place::After(inner[8])),
        (outer[0], Place::LastChildOf(root)),
        (last, Place::LastChildOf(inner[2])),
        (top, Place::LastChildOf(other)),
    ] {
        nested.scene.reparent(node, place, Keep::Local).unwrap();
        nested.check("moving");
        nested.scene.isolate(node).unwrap();
        nested.check("isolating anew");
        nested.scene.set_local(other, turned(3.0, 0.7)).unwrap();
        nested.check("moving the other");
    }
}
