//! The memory that a scene takes, and that no edits take it again and again.

use crate::trees::{MODES, whole};
use hedgerow::glam::DVec3;
use hedgerow::visit::TransformPass;
use hedgerow::{Aabb, DrawList, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform};

/// More nodes than any test has.
const ENOUGH: usize = usize::MAX - 1;

/// The number of cycles without updates and with an update after every second one, and the most bytes that all may add:
/// lists of a first reconstitution take some.
const CYCLES: [(usize, usize, usize); 2] = [(10_000, usize::MAX, 1 << 10), (3_000, 2, 1 << 12)];

fn placed(x: f32) -> Node<'static> {
    Node::transform(Transform::from_xyz(x, 0.0, 0.0))
}

fn drawn() -> Node<'static> {
    Node::drawable(Drawable::new(1, Aabb::cube(1.0)))
}

/// Repeated edits that restore the scene, given two nodes of the tree.
type Cycle = fn(&mut Scene, [NodeHandle; 2]);

const CYCLES_OF: [(&str, Cycle); 13] = [
    ("detaching and attaching", |scene, [a, _]| {
        let parent = scene.parent(a).unwrap();
        scene.reparent(a, Place::Detached, Keep::Local).unwrap();
        scene.reparent(a, parent, Keep::Local).unwrap();
    }),
    ("detaching and attaching two by turns", |scene, nodes| {
        nodes.iter().for_each(|&node| _ = scene.reparent(node, Place::Detached, Keep::Local).unwrap());
        nodes.iter().for_each(|&node| _ = scene.reparent(node, scene.root(), Keep::Local).unwrap());
    }),
    ("detaching and attaching what is new", |scene, [a, _]| {
        let new = scene.insert(a, Node::group()).unwrap();
        for _ in 0..3 {
            scene.reparent(new, Place::Detached, Keep::Local).unwrap();
            scene.reparent(new, a, Keep::Local).unwrap();
        }
        scene.remove(new).unwrap();
    }),
    ("inserting into what is detached", |scene, [a, _]| {
        scene.reparent(a, Place::Detached, Keep::Local).unwrap();
        let new = scene.insert(a, placed(1.0)).unwrap();
        scene.reparent(a, scene.root(), Keep::Local).unwrap();
        scene.remove(new).unwrap();
    }),
    ("shrinking", |scene, _| scene.shrink_to_fit()),
    ("moving there and back", |scene, [a, b]| {
        scene.reparent(b, a, Keep::Local).unwrap();
        scene.reparent(b, scene.root(), Keep::Local).unwrap();
    }),
    ("reparenting what inherits", |scene, [a, b]| {
        let below = scene.get(a).unwrap().first_child().unwrap().handle();
        scene.reparent(below, b, Keep::Local).unwrap();
        scene.reparent(below, Place::FirstChildOf(a), Keep::Local).unwrap();
    }),
    ("adding and removing components", |scene, [a, _]| {
        let below = scene.get(a).unwrap().first_child().unwrap().handle();
        scene.set_local(below, Transform::IDENTITY).unwrap();
        scene.edit(below).unwrap().set_layers(Layers::new(1));
        scene.edit(below).unwrap().set_local(None).unwrap();
        scene.edit(below).unwrap().set_layers(None);
    }),
    ("removing later", |scene, [a, _]| {
        let new = scene.insert(a, placed(1.0)).unwrap();
        scene.insert(new, drawn()).unwrap();
        scene.remove(new).unwrap();
        scene.maintain(ENOUGH);
    }),
    ("copying and removing", |scene, [a, b]| {
        let tree = scene.copy_tree(a).unwrap();
        let copy = scene.insert_tree(b, &tree).unwrap()[0];
        scene.remove(copy).unwrap();
    }),
    ("maintaining after each edit", |scene, [a, _]| {
        let new = scene.insert(a, Node::group()).unwrap();
        scene.maintain(ENOUGH);
        scene.remove(new).unwrap();
        scene.maintain(0);
    }),
    ("visiting", |scene, _| _ = scene.visit_slices_mut(&mut TransformPass::everything())),
    ("setting", |scene, [a, _]| {
        let mut shear = Mat34::IDENTITY;
        shear.rows[0][1] = 0.5;
        scene.set_local(a, shear).unwrap();
        scene.set_local(a, Transform::from_xyz(2.0, 0.0, 0.0)).unwrap();
        scene.edit(a).unwrap().set_translation_f64(DVec3::splat(1e7 + 0.1)).unwrap().set_name("another").set_name(None);
    }),
];

#[test]
fn no_edit_takes_memory_again_and_again_with_updates_or_without() {
    for ((changes, bounds), (cycles, every, more)) in
        MODES.into_iter().flat_map(|mode| CYCLES.map(|cycles| (mode, cycles)))
    {
        // The number of recorded removals is limited.
        let config = SceneConfig { changes, bounds, max_nodes: 32, change_history: 0 };
        for (what, cycle) in CYCLES_OF {
            let mut scene = Scene::with_config(config).unwrap();
            let root = scene.root();
            let pair = [1.0, 2.0].map(|x| scene.insert(root, placed(x)).unwrap());
            for number in 0..60 {
                let parent = pair[number % 2];
                scene.insert(parent, if number % 3 == 0 { placed(1.0) } else { drawn() }).unwrap();
            }
            scene.update();
            // Some cycles are updated, so the most of several counts.
            let mut run = |cycles: usize| {
                let mut most = 0;
                for number in 1..=cycles {
                    cycle(&mut scene, pair);
                    if number.is_multiple_of(every) {
                        scene.update();
                    }
                    if number + 8 > cycles {
                        most = most.max(scene.stats().allocated_bytes());
                    }
                }
                most
            };
            let before = run(cycles / 4);
            let after = run(cycles);
            assert!(after <= before + more, "{what}, changes {changes}: {before} bytes have become {after}, {every}");
            scene.validate().unwrap();
            scene.update();
            scene.validate().unwrap();
        }
    }
}

#[test]
fn a_cleared_scene_comes_to_rest_and_gives_its_memory_back() {
    let mut scene = Scene::with_config(SceneConfig::DEFAULT).unwrap();
    let root = scene.root();
    for _ in 0..2_000 {
        scene.insert(root, whole()).unwrap();
    }
    scene.update();
    scene.clear();
    assert_eq!(scene.len(), 1);
    scene.update();
    assert_eq!(scene.stats().slices, 2);
    scene.validate().unwrap();
    let node = scene.insert(root, whole()).unwrap();
    scene.update();
    scene.maintain(usize::MAX);
    scene.validate().unwrap();
    let again = scene.maintain(usize::MAX);
    assert_eq!((again.reconstituted, again.remaining), (0, 0), "a scene at rest is left alone");
    assert_eq!(scene.remove(node), Ok(1));
    scene.update();
    scene.shrink_to_fit();
    scene.validate().unwrap();
    let stats = scene.stats();
    let beside = stats.allocated_bytes() - stats.records.allocated_bytes;
    assert!(beside < 64 << 10, "{beside} bytes beside the records: {stats:?}");
    let node = scene.insert(root, whole()).unwrap();
    scene.update();
    scene.validate().unwrap();
    let mut shown = DrawList::new();
    scene.draw_list(&mut shown);
    assert_eq!((shown.len(), scene.get(node).map(|node| node.to_node())), (1, Some(whole())));
}

#[test]
fn a_capacity_shows_in_the_bytes_allocated() {
    let (plain, roomy) = (Scene::new().stats(), Scene::with_capacity(4_000).stats());
    // Only records are reserved; the update allocates the rest.
    let room = roomy.records.allocated_bytes;
    assert!(room >= 4_000 * 77, "{room} bytes for 4,000 nodes");
    let grown = roomy.allocated_bytes() - plain.allocated_bytes();
    assert!(grown >= room - plain.records.allocated_bytes);
    let mut scene = Scene::with_capacity(4_000);
    scene.shrink_to_fit();
    assert!(scene.stats().allocated_bytes() <= plain.allocated_bytes(), "room that is not wanted is given back");
    scene.insert(scene.root(), whole()).unwrap();
    scene.validate().unwrap();
}

#[test]
fn what_is_in_use_is_counted_kind_by_kind_and_in_all() {
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
    (0..10).for_each(|_| _ = scene.insert(scene.root(), whole().with_name("four")).unwrap());
    scene.update();
    let stats = scene.stats();
    let slices = [stats.rows, stats.transforms, stats.drawables, stats.bounds];
    assert_eq!(slices.map(|kind| (kind.live, kind.live_bytes)), [(11, 176), (10, 960), (10, 520), (10, 240)]);
    // A component is a drawable, or layers.
    assert_eq!((stats.records.live, stats.components.live, stats.components.live_bytes), (11, 20, 320));
    assert_eq!((stats.names.live, stats.names.live_bytes), (10, 10 * (size_of::<Box<str>>() + 4)));
    let all = slices.into_iter().chain([stats.records, stats.components, stats.names]);
    assert!(stats.records.live_bytes > 11 * 64 && stats.live_bytes() == all.map(|kind| kind.live_bytes).sum::<usize>());
}
