//! Edits in world space.

use hedgerow::edit::BatchError;
use hedgerow::glam::{DAffine3, DMat3, DVec3, EulerRot, Quat, Vec3};
use hedgerow::{
    Error, Keep, Local, Mat34, Node, NodeHandle, Place, Scene, Transform,
    edit::{Change, Edit, EditQueue, Outcome},
};
use hedgerow_testkit::model::dump::dump;
use proptest::prelude::*;

fn bits(matrix: &Mat34) -> [[u32; 4]; 3] {
    matrix.rows.map(|row| row.map(f32::to_bits))
}

fn turned(x: f32, angle: f32) -> Transform {
    Transform::from_xyz(x, 0.5, -x).with_rotation(Quat::from_euler(EulerRot::YXZ, angle, 0.3, -0.2))
}

/// Returns a node with a transform, below a parent with another transform.
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
            (scene.local(node), world, scene.get(node).map(|node| node.fresh_world()), scene.stats())
        };
        let before = seen(&scene);
        let mut queue = EditQueue::new();
        queue.push(Edit::change(node, Change::World(bad.into())));
        let queued = queue.apply(&mut scene)[0].expect_err("the queued edit is refused");
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
        let world = scene.get(node).unwrap().fresh_world();
        let unit = given.with_rotation(rotation).to_matrix();
        for (a, b) in world.rows.iter().flatten().zip(unit.rows.iter().flatten()) {
            assert!((a - b).abs() < 1e-5, "{world:?} for {unit:?}, of length {length}");
        }
        let local = scene.local(node).and_then(|local| local.transform()).unwrap();
        assert!(local.rotation.is_normalized());
        assert!((local.scale - 0.5).abs().max_element() < 1e-5, "the length does not scale");

        let (mut other, queued) = pair();
        let mut queue = EditQueue::new();
        queue.push(Edit::change(queued, Change::World(given.into())));
        assert!(matches!(queue.apply(&mut other)[0], Ok(Outcome::Changed)));
        assert_eq!(other.local(queued), scene.local(node), "the queue does the same");

        // Below the root, the world transform is the local one.
        let top = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        let kept = |scene: &Scene| scene.local(top).and_then(|local| local.transform()).unwrap();
        scene.set_local(top, given).unwrap();
        let by_local = kept(&scene);
        scene.set_world(top, given).unwrap();
        assert!(kept(&scene).rotation.dot(by_local.rotation).abs() > 1.0 - 1e-6);
        assert!((kept(&scene).scale - by_local.scale).abs().max_element() < 1e-6);
    }
}

/// Widens a matrix to double precision.
fn wide(matrix: Mat34) -> DAffine3 {
    let [x, y, z] = matrix.rows.map(|row| row.map(f64::from));
    let column = |axis: usize| DVec3::new(x[axis], y[axis], z[axis]);
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}

/// Returns the world transform of a node, composed in double precision.
fn wide_world(scene: &Scene, node: NodeHandle) -> DAffine3 {
    let above = scene.parent(node).map_or(DAffine3::IDENTITY, |parent| wide_world(scene, parent));
    let local = scene.local(node).map_or(DAffine3::IDENTITY, |local| match local {
        Local::Transform(Transform { translation, rotation, scale }) => DAffine3::from_scale_rotation_translation(
            scale.as_dvec3(),
            rotation.as_dquat().normalize(),
            translation.as_dvec3(),
        ),
        Local::Matrix(matrix) => wide(matrix),
    });
    above * local
}

fn scaled(scale: f32) -> Transform {
    Transform::IDENTITY.with_scale(Vec3::splat(scale))
}

#[test]
fn a_local_transform_that_would_vanish_is_refused_on_every_way() {
    let mut scene = Scene::new();
    let root = scene.root();
    let large = scene.insert(root, Node::transform(scaled(1e30))).unwrap();
    let below = scene.insert(large, Node::transform(Transform::IDENTITY)).unwrap();
    let small = scene.insert(root, Node::transform(scaled(1e-20))).unwrap();
    let detached = scene.insert(root, Node::transform(scaled(1e-20))).unwrap();
    scene.reparent(detached, Place::Detached, Keep::Local).unwrap();
    let before = dump(&scene);
    let refused = Error::Underflow(large);
    let mut queue = EditQueue::new();
    queue.push(Edit::change(below, Change::World(scaled(1e-20).into())));
    queue.push(Edit::reparent(small, large, Keep::World));
    assert_eq!(scene.set_world(below, scaled(1e-20)), Err(refused));
    assert_eq!(scene.set_world(below, scaled(1e-20).to_matrix()), Err(refused));
    assert_eq!(scene.reparent(small, large, Keep::World), Err(refused));
    assert_eq!(scene.reparent(detached, large, Keep::World), Err(refused));
    let batch = BatchError { item: Some(0), error: refused };
    assert_eq!(scene.reparent_many(&[(small, large)], Keep::World), Err(batch));
    assert!(queue.apply(&mut scene).iter().all(|result| *result == Err(refused)));
    assert_eq!(dump(&scene), before);
    assert!(refused.to_string().contains("too small for single precision"));

    // Underflow on a single axis is refused.
    let flat = Transform::IDENTITY.with_scale(Vec3::new(1.0, 1e-20, 1.0));
    assert_eq!(scene.set_world(below, flat), Err(refused));
    // A translation that would underflow is refused too. One that rounds to the parent's is not.
    let away = scaled(1.0).with_translation(Vec3::new(1e-15, 0.0, 0.0));
    assert_eq!(scene.set_world(below, away), Err(refused));
    scene.set_local(large, scaled(1e30).with_translation(Vec3::ONE)).unwrap();
    scene.set_world(below, away.with_translation(Vec3::ONE)).unwrap();
    scene.set_local(large, scaled(1e30)).unwrap();
    scene.set_world(below, scaled(0.0)).unwrap();
    assert_eq!(scene.get(below).unwrap().fresh_world().rows[0][0], 0.0, "what is nothing in the world is nothing here");
}

#[test]
fn what_is_kept_is_normal_and_what_is_not_is_refused() {
    // Half the least normal number has lost only one bit.
    let least = f64::from(f32::MIN_POSITIVE) / 2.0;
    let mut refused = 0;
    for step in 0..400_i16 {
        let world = 1e-6 * 0.9_f32.powi(i32::from(step / 2)) * f32::from(1000 + step) / 1000.0;
        let mut scene = Scene::new();
        let large = scene.insert(scene.root(), Node::transform(scaled(1e30))).unwrap();
        let node = scene.insert(large, Node::transform(scaled(1.0))).unwrap();
        let local = f64::from(world) / f64::from(1e30_f32);
        match scene.set_world(node, scaled(world)) {
            Ok(_) => {
                let found = wide_world(&scene, node).matrix3.y_axis.y;
                assert!((found / f64::from(world) - 1.0).abs() < 1.2e-7, "{found} for {world}");
            }
            Err(error) => {
                assert!(error == Error::Underflow(large) && local < least, "{error:?} for {local}");
                refused += 1;
            }
        }
    }
    assert!(refused > 200, "{refused}");
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::transform(scaled(1.0))).unwrap();
    let subnormal = turned(0.0, 0.3).with_scale(Vec3::splat(f32::from_bits(77)));
    scene.set_world(node, subnormal).unwrap();
    assert_eq!(scene.local(node).unwrap().transform().unwrap().scale, subnormal.scale, "nothing is lost of it");
}

#[test]
fn a_place_below_the_smallest_number_is_kept_to_that_number() {
    let smallest = f64::from(f32::from_bits(1));
    for step in 1..200_u8 {
        let mut scene = Scene::new();
        let root = scene.root();
        let above = turned(0.0, f32::from(step)).with_translation(Vec3::ZERO).with_scale(Vec3::splat(1e-30));
        let small = scene.insert(root, Node::transform(above)).unwrap();
        let at = Vec3::new(8e-15, -5e-16, -3e-15) * f32::from(step) * 0.1;
        let node = scene.insert(small, Node::transform(scaled(1e30).with_translation(at))).unwrap();
        let turn = turned(0.0, -f32::from(step)).with_translation(Vec3::ZERO);
        let other = scene.insert(root, Node::transform(turn)).unwrap();
        for parent in [root, other] {
            let before = wide_world(&scene, node).translation;
            scene.reparent(node, parent, Keep::World).unwrap();
            let off = (wide_world(&scene, node).translation - before).abs().max_element();
            assert!(off <= smallest, "{off} from {before}");
        }
    }
}

/// Checks the rule of [`Error::Singular`]: the volume of the axes relative to perpendicular axes.
#[test]
fn a_parent_is_singular_where_its_axes_span_no_more_than_the_rule_says() {
    let rows = |rows: [[f32; 3]; 3]| Mat34 { rows: rows.map(|[x, y, z]| [x, y, z, 0.0]) };
    let one = |flat: f32| rows([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0], [flat, flat, -2.0 * flat]]);
    let two = |flat: f32| rows([[1.0, 1.0, 1.0], [flat, -flat, 0.0], [flat, flat, -2.0 * flat]]);
    let cases = [
        // One axis leans into the plane of the others: the volume is 3 times the number.
        (one(3.5e-13), true),
        (one(3.2e-13), false),
        // All axes lean into one line: the volume is 6 times the number squared.
        (two(4.2e-7), true),
        (two(4.0e-7), false),
        // The size and the ratio of scales have no effect.
        (scaled(1e-30).to_matrix(), true),
        (turned(0.0, 0.7).with_scale(Vec3::new(1e-10, 1.0, 1e10)).to_matrix(), true),
        (scaled(0.0).to_matrix(), false),
    ];
    for (local, regular) in cases {
        let mut scene = Scene::new();
        let parent = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        let inner = scene.insert(parent, Node::group()).unwrap();
        let node = scene.insert(inner, Node::transform(Transform::IDENTITY)).unwrap();
        scene.set_local(parent, local).unwrap();
        let shear = Transform::from_xyz(1.0, 0.0, 0.0);
        match scene.set_world(node, shear) {
            Ok(_) => assert!(regular, "{local:?}"),
            Err(error) => assert!(!regular && error == Error::Singular(inner), "{error:?} for {local:?}"),
        }
        let other = scene.insert(scene.root(), Node::transform(shear)).unwrap();
        assert_eq!(scene.reparent(other, inner, Keep::World).is_ok(), regular, "{local:?}");
        assert_eq!(local.inverse().is_some(), regular, "the same rule: {local:?}");
    }
    // A product of the transforms above that exceeds double precision is singular too.
    for scale in [1e30_f32, 1e-30] {
        let mut scene = Scene::new();
        let mut parent = scene.root();
        for _ in 0..4 {
            parent = scene.insert(parent, Node::transform(scaled(scale))).unwrap();
        }
        let node = scene.insert(parent, Node::transform(Transform::IDENTITY)).unwrap();
        assert_eq!(scene.set_world(node, Transform::IDENTITY), Err(Error::Singular(parent)));
    }
}

/// Returns transforms whose scale is any single-precision number.
fn extreme() -> impl Strategy<Value = Transform> {
    let number = || -1.0_f32..1.0;
    let exponents = [-36..=36_i32, -1..=1, -1..=1];
    ([number(), number(), number()], -30..=30_i32, exponents, number()).prop_map(|(place, far, scale, angle)| {
        let [all, y, z] = scale.map(|exponent| 10.0_f32.powi(exponent));
        Transform::from_translation(Vec3::from_array(place) * 10.0_f32.powi(far))
            .with_rotation(Quat::from_euler(EulerRot::YXZ, angle * 3.0, 0.3, angle))
            .with_scale(Vec3::new(all, (all * y).clamp(1e-37, 1e37), (all * z).clamp(1e-37, 1e37)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn a_world_is_what_it_was_set_to_or_refused(
        above in proptest::collection::vec(extreme(), 1..3),
        world in extreme(),
        moves: bool,
    ) {
        let mut scene = Scene::new();
        let mut parent = scene.root();
        for local in above {
            parent = scene.insert(parent, Node::transform(local)).unwrap();
        }
        let place = if moves { scene.root() } else { parent };
        let node = scene.insert(place, Node::transform(world)).unwrap();
        let wanted = wide(world.to_matrix());
        let result = if moves { scene.reparent(node, parent, Keep::World).map(drop) } else { scene.set_world(node, world).map(drop) };
        match result {
            Err(error) => {
                let expected = matches!(error, Error::Singular(_)) || [Error::Underflow(parent), Error::Overflow(parent)].contains(&error);
                prop_assert!(expected, "{:?}", error);
            }
            Ok(()) => {
                // If a parent's scales differ by up to ten thousand, the rounding of the local transform grows as much.
                let found = wide_world(&scene, node);
                let [axes, expected] = [found, wanted].map(|it| [it.matrix3.x_axis, it.matrix3.y_axis, it.matrix3.z_axis]);
                for (axis, expected) in axes.into_iter().zip(expected) {
                    prop_assert!((axis - expected).length() <= 1e-2 * expected.length(), "{} for {}", axis, expected);
                }
                let around = wanted.translation.length() + wide_world(&scene, parent).translation.length();
                let off = (found.translation - wanted.translation).length();
                prop_assert!(off <= 1e-2 * around, "{} for {}", found.translation, wanted.translation);
            }
        }
    }
}

#[test]
fn a_matrix_that_looks_elsewhere_keeps_scale_mirror_and_shear() {
    let [x, y, z] = [Vec3::new(2.0, 0.5, -1.0), Vec3::new(3.0, 4.0, 0.25), Vec3::new(-1.0, 0.5, 7.0)];
    let zero = Vec3::ZERO;
    let all =
        [[x, y, z], [-x, y, z], [x, -y, -z], [x, y, zero], [x, zero, zero], [zero, y, zero], [zero; 3], [x, x, x]];
    for axes in all {
        let rows = [0, 1, 2].map(|row| [axes[0][row], axes[1][row], axes[2][row], 5.0]);
        let mut scene = Scene::new();
        let eye = scene.insert(scene.root(), Node::group().with_matrix(Mat34 { rows })).unwrap();
        scene.edit(eye).unwrap().look_at(Vec3::new(9.0, -3.0, 2.0), Vec3::Y).unwrap();
        let (before, after) = (wide(Mat34 { rows }), wide(scene.local(eye).unwrap().to_matrix()));
        assert_eq!(after.translation, before.translation);
        // Products of axes determine lengths and angles.
        let inner = |axes: DMat3| axes.transpose() * axes;
        let off = inner(after.matrix3) - inner(before.matrix3);
        assert!(off.to_cols_array().iter().all(|number| number.abs() < 1e-4), "{axes:?}: {after:?}");
        let volume = after.matrix3.determinant() - before.matrix3.determinant();
        assert!(volume.abs() < 1e-3, "{axes:?} is mirrored");
        let towards = DVec3::new(4.0, -8.0, -3.0).normalize();
        let back = after.matrix3.z_axis;
        assert!((back + towards * back.length()).length() < 1e-5, "{axes:?} points back along {back}");
    }
}
