//! What a scene guarantees under all edits: handles, memory, and the results of passes.

use crate::renderers::looking;
use crate::trees::{APART, group, whole, with};
use hedgerow::changes::ChangeReader;
use hedgerow::edit::{self, BatchError, Change, EditQueue, Outcome};
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::query::{CullView, Ray, Sphere};
use hedgerow::snapshot::SaveOptions;
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Keep, Layers, Mat34, Node, NodeHandle, NodeRef, Place, Scene, SceneConfig,
    Transform, Tree,
};
use hedgerow_testkit::model::dump::dump;
use std::collections::HashSet;
use std::time::Duration;

/// Slices of eight nodes, boxes and changes.
const TOLD: SceneConfig = SceneConfig { max_nodes: 8, bounds: true, changes: true, ..SceneConfig::DEFAULT };

/// A way to add two nodes below a parent, one below the other. Returns the upper one.
type Make = fn(&mut Scene, NodeHandle) -> NodeHandle;

const WAYS: [(&str, Make); 7] = [
    ("inserts", |scene, parent| {
        let top = scene.insert(parent, whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        top
    }),
    ("a queue", |scene, parent| {
        let mut queue = EditQueue::new();
        let top = queue.insert(parent, whole());
        queue.insert(top, whole());
        match queue.apply(scene)[0] {
            Ok(Outcome::Inserted(node)) => node,
            ref other => panic!("{other:?}"),
        }
    }),
    ("a tree", |scene, parent| {
        let mut tree = Tree::new();
        let top = tree.push(None, whole());
        tree.push(Some(top), whole());
        scene.insert_tree(parent, &tree).unwrap()[0]
    }),
    ("a copy", |scene, parent| {
        let top = scene.insert(parent, whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        let tree = scene.tree(top).unwrap();
        let copy = scene.insert_tree(parent, &tree).unwrap()[0];
        scene.remove(top).unwrap();
        copy
    }),
    ("attached ones", |scene, parent| {
        let top = scene.insert(Place::Detached, whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        scene.reparent(top, parent, Keep::Local).unwrap();
        top
    }),
    ("moved ones", |scene, parent| {
        let top = scene.insert(scene.root(), whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        scene.reparent(top, parent, Keep::Local).unwrap();
        top
    }),
    ("a tree that was read", |scene, parent| {
        let mut other = Scene::new();
        let top = other.insert(other.root(), whole()).unwrap();
        other.insert(top, whole()).unwrap();
        let read = Tree::from_bytes(&other.tree(top).unwrap().to_bytes()).unwrap();
        scene.insert_tree(parent, &read).unwrap()[0]
    }),
];

/// Inserts a branch of nodes, some before and some after the others. Some are groups.
fn branch(scene: &mut Scene, parent: NodeHandle, nodes: usize) -> NodeHandle {
    let top = scene.insert(parent, whole().named("top")).unwrap();
    for number in 1..nodes {
        let at = if number % 2 == 0 { Place::FirstChildOf(top) } else { Place::LastChildOf(top) };
        scene.insert(at, if number % 3 == 0 { Node::group() } else { whole().named("leaf") }).unwrap();
    }
    top
}

/// A round of edits that keeps the number of nodes, given its number and a node that stays.
type Round = fn(&mut Scene, u32, NodeHandle);

const ROUNDS: [(&str, Round); 7] = [
    ("branches", |scene, round, stays| {
        let node = branch(scene, stays, 20);
        if round % 2 == 0 {
            scene.update();
        }
        scene.remove(node).unwrap();
        if round % 3 == 0 {
            scene.update();
        }
    }),
    ("detached branches", |scene, round, stays| {
        let node = branch(scene, stays, 7);
        scene.reparent(node, Place::Detached, Keep::Local).unwrap();
        if round % 2 == 0 {
            scene.update();
            scene.reparent(node, scene.root(), Keep::Local).unwrap();
        }
        scene.remove(node).unwrap();
    }),
    ("moves", |scene, round, stays| {
        let root = scene.root();
        let node = branch(scene, root, 5);
        if round % 4 == 0 {
            scene.update();
        }
        scene.reparent(node, stays, Keep::Local).unwrap();
        scene.reparent(node, root, Keep::Local).unwrap();
        scene.remove(node).unwrap();
    }),
    ("components", |scene, round, stays| {
        let mut shear = Mat34::IDENTITY;
        shear.rows[0][1] = 0.5;
        scene.set_local(stays, shear).unwrap();
        scene.edit(stays).unwrap().set_drawable(Drawable::new(round, Aabb::cube(2.0))).unwrap();
        scene.edit(stays).unwrap().set_material(round);
        scene.edit(stays).unwrap().set_name("another");
        scene.edit(stays).unwrap().set_user_data(round);
        if round % 6 == 0 {
            scene.update();
        }
        scene.set_local(stays, Transform::IDENTITY).unwrap();
        scene.edit(stays).unwrap().set_translation_f64(DVec3::splat(1e7 + 0.1)).unwrap();
        scene.edit(stays).unwrap().set_drawable(None).unwrap();
        scene.edit(stays).unwrap().set_material(None);
        scene.edit(stays).unwrap().set_name(None);
    }),
    ("transforms that come and go", |scene, round, stays| {
        scene.set_local(stays, Transform::IDENTITY).unwrap();
        if round % 2 == 0 {
            scene.update();
        }
        scene.edit(stays).unwrap().set_local(None).unwrap();
    }),
    ("maintenance", |scene, round, stays| {
        let node = branch(scene, stays, 30);
        scene.update();
        scene.remove(node).unwrap();
        scene.update();
        if round % 3 == 0 {
            scene.maintain(Duration::ZERO);
        }
    }),
    ("snapshots", |scene, round, _| {
        if round % 50 == 0 {
            *scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
        }
    }),
];

/// Makes random edits of all kinds. Returns the new handles.
fn edit(scene: &mut Scene, dice: &mut fastrand::Rng, edits: usize) -> Vec<NodeHandle> {
    let mut given = Vec::new();
    for _ in 0..edits {
        let tops = scene.get(scene.root()).into_iter().chain(scene.detached());
        let all: Vec<NodeHandle> = tops.flat_map(NodeRef::descendants).map(NodeRef::handle).collect();
        let [node, other] = [(); 2].map(|()| all[dice.usize(..all.len())]);
        let movable: Vec<NodeHandle> = [node, other].into_iter().filter(|&node| node != scene.root()).collect();
        match dice.u8(..22) {
            0..=6 => {
                let (_, make) = WAYS[dice.usize(..WAYS.len())];
                let top = make(scene, node);
                given.extend(scene.get(top).unwrap().descendants().map(|node| node.handle()));
            }
            7..=9 if node != scene.root() => _ = scene.remove(node).unwrap(),
            10 => _ = scene.reparent(node, Place::Detached, Keep::Local),
            11 => {
                let detached = scene.detached().next().map(NodeRef::handle);
                detached.map(|node| scene.reparent(node, other, Keep::Local));
            }
            12 | 13 => _ = scene.reparent(node, other, Keep::Local),
            14 => _ = scene.edit(node).unwrap().set_user_data(dice.u32(..4)),
            15 => _ = scene.remove_many(&movable).unwrap(),
            16 => _ = scene.reparent_many(&[(node, Place::Detached), (other, node.into())], Keep::World),
            17 => _ = scene.set_world(node, Transform::from_xyz(dice.f32(), 0.0, 0.0)),
            18 => {
                let mut queue = EditQueue::new();
                queue.push(edit::Edit::reparent(node, Place::FirstChildOf(other), Keep::World));
                queue.push(edit::Edit::change(other, Change::Name(Some("queued".into()))));
                movable.iter().take(1).for_each(|&node| queue.push(edit::Edit::remove(node)));
                if dice.bool() {
                    queue.apply(scene);
                } else {
                    // The queue may be refused, and all edits are then undone.
                    let (ticket, done) = (queue.insert(other, whole()), queue.apply_all(scene));
                    given.extend(queue.inserted(ticket).filter(|_| done.is_ok()));
                }
            }
            19 => _ = scene.maintain(Duration::MAX),
            20 if dice.u8(..8) == 0 => scene.clear(),
            20 => scene.shrink_to_fit(),
            _ => scene.update(),
        }
    }
    given
}

#[test]
fn a_loaded_scene_has_the_same_bytes_and_gives_the_same_handles() {
    for (seed, config) in (0..).zip([SceneConfig::DEFAULT, APART, TOLD]) {
        let mut dice = fastrand::Rng::with_seed(seed);
        let mut scene = with(config);
        for _ in 0..30 {
            edit(&mut scene, &mut dice, 40);
            let bytes = scene.to_bytes();
            let mut loaded = Scene::from_bytes(&bytes).unwrap();
            assert!(loaded.to_bytes() == bytes);
            let mut same = dice.clone();
            assert_eq!(edit(&mut scene, &mut dice, 40), edit(&mut loaded, &mut same, 40));
            assert!(loaded.to_bytes() == scene.to_bytes() && loaded.validate().is_ok());
        }
    }
}

/// Counts how often each pass finds a node.
fn found(scene: &Scene, node: NodeHandle) -> [usize; 9] {
    let (camera, mut list) = (DVec3::new(0.0, 0.0, 9.0), DrawList::new());
    let frustum = looking(camera.as_vec3(), Vec3::ZERO);
    let around = looking(Vec3::ZERO, Vec3::NEG_Z);
    let all = Layers::ALL;
    let drawn = |list: &DrawList| list.commands().iter().filter(|command| command.node == node).count();
    let among = |nodes: &[NodeHandle]| nodes.iter().filter(|&&other| other == node).count();
    scene.draw_list(&mut list);
    let listed = drawn(&list);
    list.set_eye(camera);
    scene.draw_list(&mut list);
    let relative = drawn(&list);
    list.set_eye(None);
    scene.cull(&mut [CullView::new(&frustum, &mut list)]).unwrap();
    let culled = drawn(&list);
    list.set_eye(camera);
    scene.cull(&mut [CullView::new(&around, &mut list)]).unwrap();
    let near = drawn(&list);
    let (mut nodes, mut on_ray) = (Vec::new(), Vec::new());
    scene.query(&frustum, all, &mut nodes).unwrap();
    let culled_nodes = among(&nodes);
    scene.query(&Aabb::cube(2.0), all, &mut nodes).unwrap();
    let in_box = among(&nodes);
    scene.query(&Sphere::new(Vec3::ZERO, 2.0).unwrap(), all, &mut nodes).unwrap();
    let in_sphere = among(&nodes);
    scene.cast_ray(&Ray::new(Vec3::Z * 9.0, Vec3::NEG_Z).unwrap(), all, &mut on_ray).unwrap();
    let hit_by_ray = on_ray.iter().filter(|hit| hit.node == node).count();
    let rows = scene.slices().flat_map(|slice| slice.rows().nodes()).filter(|&other| other == node).count();
    [listed, relative, culled, near, culled_nodes, in_box, in_sphere, hit_by_ray, rows]
}

#[test]
fn what_was_inserted_since_the_update_is_seen_by_no_pass_and_what_was_removed_by_none_either() {
    for (way, make) in WAYS {
        for config in [TOLD, SceneConfig { bounds: true, ..SceneConfig::DEFAULT }] {
            let mut scene = with(config);
            let root = scene.root();
            let mut parent = scene.insert(root, Node::transform(Transform::from_xyz(-1.0, 0.0, 0.0))).unwrap();
            for _ in 0..20 {
                parent = group(&mut scene, parent);
            }
            scene.update();
            let node = make(&mut scene, parent);
            assert_eq!(found(&scene, node), [0; 9], "{way}");
            assert_eq!(
                (scene.get(node).and_then(|node| node.matrix_slot()), scene.get(node).and_then(|node| node.bounds())),
                (None, None),
                "{way}"
            );
            assert_eq!(scene.world(node), Some(&Mat34::IDENTITY), "{way}");
            assert_eq!(
                scene.get(node).and_then(|node| node.previous_world()),
                config.changes.then_some(&Mat34::IDENTITY),
                "{way}"
            );
            assert_eq!(scene.get(node).unwrap().fresh_world(), Mat34::IDENTITY, "it is as of now, {way}");
            scene.update();
            assert_eq!(found(&scene, node), [1; 9], "{way}, updated");
            assert!(
                scene.get(node).and_then(|node| node.matrix_slot()).is_some()
                    && scene.get(node).and_then(|node| node.bounds()).is_some()
            );
            scene.remove(node).unwrap();
            assert_eq!(found(&scene, node), [0; 9], "{way}, removed");
            assert_eq!(scene.validate(), Ok(()));
        }
    }
}

#[test]
fn no_way_of_making_and_removing_nodes_takes_memory_again_and_again() {
    let told = SceneConfig { max_nodes: 64, ..TOLD };
    for config in [SceneConfig::DEFAULT, APART, told] {
        for (way, make) in WAYS {
            for updates in [false, true] {
                // The number of recorded removals is limited.
                let mut scene = with(SceneConfig { change_history: 0, ..config });
                let root = scene.root();
                let parent = group(&mut scene, root);
                let mut kept = std::collections::VecDeque::new();
                let mut run = |rounds: usize| {
                    for round in 0..rounds {
                        kept.push_back(make(&mut scene, parent));
                        // The removed node is not always the last one.
                        if kept.len() > 6 {
                            let gone = if round % 3 == 0 { kept.pop_back() } else { kept.pop_front() };
                            let gone = gone.unwrap();
                            match round % 5 {
                                0 => _ = scene.remove_many(&[gone]).unwrap(),
                                1 => {
                                    scene.reparent(gone, Place::Detached, Keep::Local).unwrap();
                                    scene.remove(gone).unwrap();
                                }
                                _ => _ = scene.remove(gone).unwrap(),
                            }
                        }
                        if updates {
                            scene.update();
                        }
                    }
                    scene.stats().allocated_bytes()
                };
                // Runs until no more removals are recorded.
                let early = if config.changes && !updates { 5000 } else { 100 };
                let (before, after) = (run(early), run(10_000));
                assert!(
                    after <= before + before / 16,
                    "{way}, updates {updates}: {before} bytes became {after}, {config:?}"
                );
                assert_eq!(scene.validate(), Ok(()));
            }
        }
    }
}

#[test]
fn no_rounds_of_edits_take_memory_again_and_again() {
    for config in [SceneConfig::DEFAULT, SceneConfig { max_nodes: 32, ..TOLD }] {
        for (what, round) in ROUNDS {
            let mut scene = with(SceneConfig { change_history: 64, ..config });
            let root = scene.root();
            let stays = branch(&mut scene, root, 100);
            scene.update();
            // Some rounds update, so the maximum of several rounds counts.
            let mut run = |rounds: u32| {
                let mut most = 0;
                for number in 0..rounds {
                    round(&mut scene, number, stays);
                    if number + 60 > rounds {
                        most = most.max(scene.stats().allocated_bytes());
                    }
                }
                scene.update();
                assert_eq!(scene.validate(), Ok(()), "{what}");
                most
            };
            let (before, after) = (run(100), run(10_000));
            // Lists of a first reconstitution take less than half a byte per round.
            assert!(after <= before + (1 << 12), "{what}: {before} bytes became {after}, {config:?}");
        }
    }
}

#[test]
fn detaching_and_attaching_takes_no_memory_again_and_again() {
    for updates in [false, true] {
        let mut scene = with(SceneConfig { change_history: 0, ..TOLD });
        let root = scene.root();
        let parent = group(&mut scene, root);
        let tops: Vec<NodeHandle> = WAYS.iter().map(|(_, make)| make(&mut scene, parent)).collect();
        scene.update();
        let mut run = |rounds: usize| {
            for round in 0..rounds {
                let top = tops[round % tops.len()];
                scene.reparent(top, Place::Detached, Keep::Local).unwrap();
                if updates && round % 2 == 0 {
                    scene.update();
                }
                scene.reparent(top, parent, Keep::Local).unwrap();
                if updates {
                    scene.update();
                }
            }
            scene.stats().allocated_bytes()
        };
        let (before, after) = (run(100), run(10_000));
        assert!(after <= before + before / 16, "updates {updates}: {before} bytes became {after}");
        assert_eq!(scene.validate(), Ok(()));
    }
}

#[test]
fn a_handle_that_is_gone_names_no_other_node_however_the_scene_was_emptied() {
    type Empty = fn(&mut Scene);
    fn tops(scene: &Scene) -> Vec<NodeHandle> {
        scene.children(scene.root()).chain(scene.detached().map(NodeRef::handle)).collect()
    }
    let ways: [(&str, Empty); 10] = [
        ("clearing", Scene::clear),
        ("removing tops", |scene| tops(scene).into_iter().for_each(|top| _ = scene.remove(top).unwrap())),
        ("removing tops from behind", |scene| {
            tops(scene).into_iter().rev().for_each(|top| _ = scene.remove(top).unwrap());
        }),
        ("removing tops in a batch", |scene| _ = scene.remove_many(&tops(scene)).unwrap()),
        ("clearing and loading", |scene| {
            scene.clear();
            *scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
        }),
        ("shrinking after clearing", |scene| {
            scene.clear();
            scene.update();
            scene.shrink_to_fit();
        }),
        ("moving trees to another scene", |scene| {
            let mut other = Scene::new();
            for top in tops(scene) {
                other.insert_tree(other.root(), &scene.tree(top).unwrap()).unwrap();
                scene.remove(top).unwrap();
            }
        }),
        ("detaching and saving without that", |scene| {
            let tops: Vec<_> = scene.children(scene.root()).map(|top| (top, Place::Detached)).collect();
            scene.reparent_many(&tops, Keep::Local).unwrap();
            *scene = Scene::from_bytes(&SaveOptions { detached: false }.to_bytes(scene)).unwrap();
        }),
        ("removing by a queue", |scene| {
            let mut queue = EditQueue::new();
            tops(scene).into_iter().for_each(|top| queue.push(edit::Edit::remove(top)));
            assert!(queue.apply(scene).iter().all(Result::is_ok));
        }),
        ("clearing a clone that takes its place", |scene| {
            *scene = scene.clone();
            scene.clear();
        }),
    ];
    for config in [SceneConfig::DEFAULT, TOLD] {
        let mut dice = fastrand::Rng::with_seed(3);
        let mut scene = with(config);
        let mut given = HashSet::from([scene.root()]);
        for round in 0..60 {
            let (way, empty) = ways[dice.usize(..ways.len())];
            for _ in 0..4 {
                for node in edit(&mut scene, &mut dice, 8) {
                    assert!(given.insert(node), "{node:?} was given twice, round {round}");
                }
            }
            if dice.bool() {
                scene.update();
            }
            empty(&mut scene);
            assert_eq!((scene.len(), scene.stats().detached), (1, 0), "{way}");
            assert!(given.iter().all(|&node| scene.contains(node) == (node == scene.root())), "{way}");
            assert_eq!(scene.validate(), Ok(()), "{way}");
        }
        assert!(given.len() > 1000);
    }
}

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

#[test]
fn readers_are_told_of_nodes_that_came_and_went_between_two_updates() {
    for (way, make) in WAYS {
        let mut scene = with(TOLD);
        let root = scene.root();
        let parent = group(&mut scene, root);
        scene.update();
        let mut reader = ChangeReader::new();
        scene.changes(&mut reader).unwrap();
        let top = make(&mut scene, parent);
        let mut gone: HashSet<NodeHandle> = scene.get(top).unwrap().descendants().map(|node| node.handle()).collect();
        scene.remove(top).unwrap();
        let spare = group(&mut scene, Place::Detached);
        scene.remove(spare).unwrap();
        gone.insert(spare);
        let stays = group(&mut scene, Place::LastChildOf(parent));
        scene.update();
        let told = scene.changes(&mut reader).unwrap();
        let removed: HashSet<NodeHandle> = told.removed().iter().copied().collect();
        assert!(gone.is_subset(&removed), "{way}: {removed:?} has not all of {gone:?}");
        assert_eq!((told.entered(), told.left()), (&[stays][..], &[][..]), "{way}");
        assert!(removed.iter().all(|&node| !scene.contains(node)));
        assert_eq!(removed.len(), told.removed().len(), "each once");
        scene.update();
        assert!(scene.changes(&mut reader).unwrap().is_empty());
    }
}

#[test]
fn a_drawable_that_is_set_shows_with_the_update_and_user_data_at_once() {
    let mut scene = with(TOLD);
    let node = scene.insert(scene.root(), whole()).unwrap();
    scene.update();
    let drawn = |scene: &Scene| {
        let mut list = DrawList::new();
        scene.draw_list(&mut list);
        let draw = list.commands()[0];
        (draw.mesh, draw.material(), draw.user_data)
    };
    assert_eq!(drawn(&scene), (2, Some(1), 0));
    scene.edit(node).unwrap().set_drawable(Drawable::new(7, Aabb::cube(3.0))).unwrap();
    scene.edit(node).unwrap().set_material(8);
    scene.edit(node).unwrap().set_user_data(9);
    assert_eq!(drawn(&scene), (2, Some(1), 9));
    assert_eq!(
        (scene.get(node).unwrap().drawable().unwrap().mesh, scene.get(node).and_then(|node| node.material())),
        (7, Some(8)),
        "reads are as of now"
    );
    scene.update();
    assert_eq!(drawn(&scene), (7, Some(8), 9));
}
