//! Memory without updates, and work without changes.

use super::drawn;
use hedgerow::changes::ChangeReader;
use hedgerow::{Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Visibility, visit::TransformPass};
use std::time::Duration;

/// Longer than any test takes.
const ENOUGH: Duration = Duration::from_secs(600);

const CYCLES: usize = 10_000;

fn placed(x: f32) -> Node<'static> {
    Node::transform(Transform::from_xyz(x, 0.0, 0.0))
}

/// Repeated edits that leave a scene unchanged in the end; given two nodes of the tree.
type Cycle = fn(&mut Scene, [NodeHandle; 2]);

const CYCLES_OF: [(&str, Cycle); 13] = [
    ("detaching and attaching", |scene, [a, _]| {
        let parent = scene.parent(a).unwrap();
        scene.detach(a).unwrap();
        scene.attach(a, parent, Keep::Local).unwrap();
    }),
    ("detaching and attaching two by turns", |scene, nodes| {
        nodes.iter().for_each(|&node| scene.detach(node).unwrap());
        nodes.iter().for_each(|&node| _ = scene.attach(node, scene.root(), Keep::Local).unwrap());
    }),
    ("detaching and attaching what is new", |scene, [a, _]| {
        let new = scene.insert(a, Node::group()).unwrap();
        for _ in 0..3 {
            scene.detach(new).unwrap();
            scene.attach(new, a, Keep::Local).unwrap();
        }
        scene.remove(new).unwrap();
    }),
    ("inserting into what is detached", |scene, [a, _]| {
        scene.detach(a).unwrap();
        let new = scene.insert(a, placed(1.0)).unwrap();
        scene.attach(a, scene.root(), Keep::Local).unwrap();
        scene.remove(new).unwrap();
    }),
    ("shrinking", |scene, _| scene.shrink_to_fit()),
    ("moving there and back", |scene, [a, b]| {
        scene.reparent(b, a, Keep::Local).unwrap();
        scene.reparent(b, scene.root(), Keep::Local).unwrap();
    }),
    ("reparenting what inherits", |scene, [a, b]| {
        let below = scene.first_child(a).unwrap();
        scene.reparent(below, b, Keep::Local).unwrap();
        scene.reparent(below, Place::FirstChildOf(a), Keep::Local).unwrap();
    }),
    ("adding and removing components", |scene, [a, _]| {
        let below = scene.first_child(a).unwrap();
        scene.set_local(below, Transform::IDENTITY).unwrap();
        scene.set_visibility(below, Visibility::layers(1)).unwrap();
        scene.remove_local(below).unwrap();
        scene.remove_visibility(below).unwrap();
    }),
    ("removing later", |scene, [a, _]| {
        let new = scene.insert(a, placed(1.0)).unwrap();
        scene.insert(new, drawn(1)).unwrap();
        scene.remove(new).unwrap();
        scene.maintain(ENOUGH);
    }),
    ("copying and removing", |scene, [a, b]| {
        let copy = scene.duplicate(a, b).unwrap().top();
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
        let config = SceneConfig { changes, bounds, max_nodes: 32 };
        for (what, cycle) in CYCLES_OF {
            let mut scene = Scene::with_config(config).unwrap();
            // Removals are noted up to a number.
            scene.set_change_history(0);
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
    scene.detach(parent).unwrap();
    assert_eq!(scene.changes(&mut reader).unwrap().since().unwrap().moved(), [parent]);
}
