//! World transforms that moves keep: how exactly, and where they are refused.

use crate::trees::{APART, with};
use hedgerow::edit::{self, BatchError, Change, EditQueue};
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::{Error, Keep, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
use hedgerow_testkit::model::dump::dump;

#[test]
fn a_kept_world_is_kept_in_double_precision() {
    for seed in 0..8 {
        let mut dice = fastrand::Rng::with_seed(seed);
        let mut scene = with(if seed % 2 == 0 { APART } else { SceneConfig::DEFAULT });
        let mut nodes = vec![scene.root()];
        for _ in 0..30 {
            let mut part = |scale: f64| (dice.f64() - 0.5) * scale;
            let place = DVec3::new(part(2e7), part(2e7), part(2e7));
            let turned = Transform::from_rotation(Quat::from_rotation_y(dice.f32() * 6.0));
            let parent = nodes[dice.usize(..nodes.len())];
            let node = scene.insert(parent, Node::transform(turned)).unwrap();
            scene.edit(node).unwrap().set_translation_f64(place).unwrap();
            nodes.push(node);
        }
        let mut moved = 0;
        for round in 0..200 {
            let [node, other] = [(); 2].map(|()| nodes[dice.usize(1..nodes.len())]);
            let mut before = scene.get(node).unwrap().world_f64();
            match round % 6 {
                // Each move may be refused, for example below itself.
                0 => _ = scene.reparent(node, other, Keep::World),
                1 => _ = scene.reparent_many(&[(node, other)], Keep::World),
                2 => {
                    let mut queue = EditQueue::new();
                    queue.push(edit::Edit::reparent(node, other, Keep::World));
                    queue.apply(&mut scene);
                }
                3 => _ = scene.edit(node).unwrap().look_at(Vec3::ZERO, Vec3::Y).unwrap(),
                way => {
                    if way == 4 {
                        scene.reparent(node, Place::Detached, Keep::World).unwrap();
                    } else {
                        scene.reparent(node, Place::Detached, Keep::Local).unwrap();
                        before = scene.get(node).unwrap().world_f64();
                    }
                    let to = if scene.get(other).is_some_and(|node| node.is_detached()) { scene.root() } else { other };
                    scene.reparent(node, to, Keep::World).unwrap();
                }
            }
            moved += usize::from(scene.parent(node) == Some(other));
            let off = (scene.get(node).unwrap().world_f64().translation - before.translation).length();
            assert!(off < 1e-5, "{node:?} is {off} away after round {round}");
            if dice.u8(..4) == 0 {
                scene.update();
                assert_eq!(scene.validate(), Ok(()));
            }
        }
        assert!(moved > 50);
    }
}

#[test]
fn a_kept_world_is_off_by_no_more_than_is_said() {
    let mut dice = fastrand::Rng::with_seed(16);
    let mut worst = [0.0_f64; 2];
    for round in 0..4000 {
        let mut scene = Scene::new();
        let (mut parent, mut stretch, precise) = (scene.root(), 1.0, round % 4 == 0);
        let mut number = |scale: f32| (dice.f32() - 0.5) * scale;
        for _ in 0..=round % 2 {
            let [near, far] = [1.0, 10_f32.powf(number(8.0))];
            let scale = [Vec3::new(far, near, near), Vec3::new(near, near, far)][round / 2 % 2];
            let turned = Transform::from_rotation(Quat::from_euler(Default::default(), number(6.0), 1.0, number(6.0)));
            let local = turned.with_scale(scale).with_translation(Vec3::new(number(9.0), number(9.0), number(9.0)));
            parent = scene.insert(parent, Node::transform(local)).unwrap();
            stretch *= f64::from(far.max(far.recip()));
        }
        // A slight rotation against the parent shears so little that the node is stored without shear.
        let above = scene.local(parent).and_then(|local| local.transform()).unwrap().rotation;
        let slight = above * Quat::from_rotation_z(10_f32.powf(number(12.0) - 7.0));
        let any = Quat::from_euler(Default::default(), number(6.0), 1.0, number(6.0));
        let turned = Transform::from_rotation(if round % 3 == 0 { slight } else { any });
        let place = turned.with_translation(Vec3::new(number(1e3), number(1e3), number(1e3)));
        let node = scene.insert(scene.root(), Node::transform(place)).unwrap();
        if precise {
            let wide = place.translation.as_dvec3() * 1e4 + 0.1;
            scene.edit(node).unwrap().set_translation_f64(wide).unwrap();
        }
        let [before, above] = [node, parent].map(|node| scene.get(node).unwrap().world_f64());
        scene.reparent(node, parent, Keep::World).unwrap();
        let after = scene.get(node).unwrap().world_f64();
        let away = (before.translation - above.translation).length();
        let place = (after.translation - before.translation).length() / (stretch * away);
        assert!(place < if precise { 1e-14 } else { 1e-7 }, "{node:?} is off by {place}, {round}");
        let axes = (0..3).map(|axis| (after.matrix3.col(axis) - before.matrix3.col(axis)).length());
        let axis = axes.fold(0.0, f64::max) / stretch;
        assert!(axis < 2e-6, "an axis is off by {axis}, {round}");
        worst = [worst[0].max(if precise { 0.0 } else { place }), worst[1].max(axis)];
    }
    assert!(worst[0] > 3e-8 && worst[1] > 3e-7, "the bounds are not nearly reached: {worst:?}");
}

#[test]
fn a_world_that_is_not_finite_is_not_kept() {
    let mut scene = Scene::new();
    let root = scene.root();
    let scaled = |scale: f32| Node::transform(Transform::from_scale(Vec3::splat(scale)));
    // World transforms of `inner` and below are not finite.
    let outer = scene.insert(root, scaled(1e30)).unwrap();
    let inner = scene.insert(outer, scaled(1e10)).unwrap();
    let free = scene.insert(root, scaled(1e5)).unwrap();
    let lost = scene.insert(inner, scaled(1.0)).unwrap();
    let spare = scene.insert(Place::Detached, scaled(1e5)).unwrap();
    // Below `tiny`, the local transform of `large` would overflow.
    let tiny = scene.insert(root, scaled(1e-30)).unwrap();
    let large = scene.insert(root, scaled(1e20)).unwrap();
    let before = dump(&scene);
    let world = Transform::from_scale(Vec3::splat(1e5));
    let moves: [((NodeHandle, Place), NodeHandle); 7] = [
        ((large, tiny.into()), tiny),
        ((free, inner.into()), inner),
        ((spare, inner.into()), inner),
        ((free, lost.into()), lost),
        // The old parent may be at fault, too.
        ((lost, root.into()), root),
        ((lost, Place::Detached), inner),
        ((inner, Place::Detached), outer),
    ];
    for ((node, place), named) in moves {
        let refused = Error::Overflow(named);
        assert_eq!(scene.reparent(node, place, Keep::World), Err(refused));
        let batch = scene.reparent_many(&[(tiny, root.into()), (node, place)], Keep::World);
        assert_eq!(batch, Err(BatchError { item: Some(1), error: refused }));
        let mut queue = EditQueue::new();
        queue.push(edit::Edit::reparent(node, place, Keep::World));
        assert_eq!(queue.apply(&mut scene)[0], Err(refused));
        queue.push(edit::Edit::reparent(node, place, Keep::World));
        assert_eq!(queue.apply_all(&mut scene), Err(BatchError { item: Some(0), error: refused }));
    }
    let refused = Error::Overflow(inner);
    assert_eq!(scene.set_world(lost, world), Err(refused));
    assert_eq!(scene.set_worlds(&[(tiny, world), (lost, world)]), Err(BatchError { item: Some(1), error: refused }));
    let mut queue = EditQueue::new();
    queue.push(edit::Edit::change(lost, Change::World(world.into())));
    assert_eq!(queue.apply(&mut scene)[0], Err(refused));
    assert_eq!(dump(&scene), before);
    scene.update();
    assert_eq!(scene.world(free), Some(&world.to_matrix()));
    assert!(!scene.get(lost).unwrap().fresh_world().is_finite() && scene.stats().overflowed == 2);
    // A node whose world transform is not finite can be set to one that is.
    scene.set_world(inner, Transform::IDENTITY).unwrap();
    scene.set_world(lost, world).unwrap();
    scene.update();
    assert!(scene.world(lost).is_some_and(Mat34::is_finite));
}
