//! Memory without updates, and work without changes.

use super::drawn;
use hedgerow::changes::ChangeReader;
use hedgerow::{Keep, Layers, Node, NodeHandle, Place, Scene, SceneConfig, Transform, visit::TransformPass};
use std::time::Duration;

/// A time longer than any test takes.
const ENOUGH: Duration = Duration::from_secs(600);

const CYCLES: usize = 10_000;

fn placed(x: f32) -> Node<'static> {
    Node::transform(Transform::from_xyz(x, 0.0, 0.0))
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
        scene.insert(new, drawn(1)).unwrap();
        scene.remove(new).unwrap();
        scene.maintain(ENOUGH);
    }),
    ("copying and removing", |scene, [a, b]| {
        let tree = scene.tree(a).unwrap();
        let copy = scene.insert_tree(b, &tree).unwrap()[0];
        scene.remove(copy).unwrap();
    }),
    ("maintaining after each edit", |scene, [a, _]| {
        let new = scene.insert(a, Node::group()).unwrap();
        scene.maintain(ENOUGH);
        scene.remove(new).unwrap();
        scene.maintain(Duration::ZERO);
    }),
    ("visiting", |scene, _| _ = scene.visit_slices_mut(&mut TransformPass::everything())),
    ("setting", |scene, [a, _]| scene.set_local(a, Transform::from_xyz(2.0, 0.0, 0.0)).unwrap()),
];

#[test]
fn no_edit_takes_memory_again_and_again_where_no_update_comes() {
    for (changes, bounds) in crate::pair::MODES {
        // The number of recorded removals is limited.
        let config = SceneConfig { changes, bounds, max_nodes: 32, change_history: 0 };
        for (what, cycle) in CYCLES_OF {
            let mut scene = Scene::with_config(config).unwrap();
            let root = scene.root();
            let pair = [1.0, 2.0].map(|x| scene.insert(root, placed(x)).unwrap());
            for number in 0..60 {
                let parent = pair[number % 2];
                scene.insert(parent, if number % 3 == 0 { placed(1.0) } else { drawn(1) }).unwrap();
            }
            scene.update();
            let mut run = |cycles: usize| {
                (0..cycles).for_each(|_| cycle(&mut scene, pair));
                scene.stats().allocated_bytes()
            };
            let before = run(CYCLES / 4);
            let after = run(CYCLES);
            assert!(after <= before + 1024, "{what}, changes {changes}: {before} bytes have become {after}");
            scene.validate().unwrap();
            scene.update();
            scene.validate().unwrap();
        }
    }
}

#[test]
fn a_new_node_with_the_record_of_one_that_had_moved_is_not_told_to_have() {
    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
    let parent = scene.insert(scene.root(), placed(0.0)).unwrap();
    let old = scene.insert(parent, Node::group()).unwrap();
    let mut reader = ChangeReader::new();
    scene.update();
    scene.changes(&mut reader).unwrap();
    scene.set_local(parent, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    scene.update();
    scene.remove(old).unwrap();
    let new = scene.insert(parent, Node::group()).unwrap();
    assert_eq!(new.to_bits() >> 32, old.to_bits() >> 32, "the new node has the old one's record");
    scene.reparent(parent, Place::Detached, Keep::Local).unwrap();
    assert_eq!(scene.changes(&mut reader).unwrap().moved(), [parent]);
}
