//! Edits that are told in world space.

use super::{bits, turned};
use hedgerow::glam::{EulerRot, Quat, Vec3};
use hedgerow::{EditQueue, Error, Node, NodeHandle, Outcome, Scene, Transform};

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
