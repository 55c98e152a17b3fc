//! Memory without updates, and work without changes.

use super::drawn;
use hedgerow::changes::ChangeReader;
use hedgerow::{
    Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Visibility, stats::Maintenance, visit::TransformPass,
};
use std::time::Duration;

/// Longer than any test takes.
const ENOUGH: Duration = Duration::from_secs(600);

const CYCLES: usize = 10_000;

fn placed(x: f32) -> Node<'static> {
    Node::transform(Transform::from_xyz(x, 0.0, 0.0))
}

/// Repeated edits that leave a scene unchanged in the end; given two nodes of the tree.
type Cycle = fn(&mut Scene, [NodeHandle; 2]);

const CYCLES_OF: [(&str, Cycle); 14] = [
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
    ("reconstituting", |scene, [a, _]| scene.reconstitute(a).unwrap()),
    ("reconstituting everything", |scene, _| scene.reconstitute_all()),
    ("isolating", |scene, [a, b]| {
        scene.isolate(b).unwrap();
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
        scene.isolate(new).unwrap();
        scene.remove_later(new).unwrap();
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
        let config = SceneConfig { changes, bounds, max_nodes: 32, min_nodes: 4, ..SceneConfig::DEFAULT };
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
fn lists_of_slices_are_weeded_out_also_where_most_slices_went() {
    let config = SceneConfig { max_nodes: 1024, min_nodes: 4, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let root = scene.root();
    let isolated = |scene: &mut Scene| {
        let top = scene.insert(root, placed(2.0)).unwrap();
        scene.isolate(top).unwrap();
        top
    };
    let first = isolated(&mut scene);
    let tops: Vec<NodeHandle> = (0..200)
        .map(|_| {
            let top = scene.insert(root, placed(1.0)).unwrap();
            (0..6).for_each(|_| _ = scene.insert(top, Node::group()).unwrap());
            scene.isolate(top).unwrap();
            top
        })
        .collect();
    // The first slice is removed and opened again and again, and listed for maintenance each time.
    scene.remove(first).unwrap();
    for _ in 0..150 {
        let again = isolated(&mut scene);
        scene.remove(again).unwrap();
    }
    // All of them wait for an update and for maintenance, and are on the lists of these. Now there is one.
    tops[1..].iter().for_each(|&top| _ = scene.remove(top).unwrap());
    scene.shrink_to_fit();
    let mut run = |cycles: usize| {
        for _ in 0..cycles {
            scene.detach(tops[0]).unwrap();
            scene.attach(tops[0], root, Keep::Local).unwrap();
            let new = isolated(&mut scene);
            scene.remove(new).unwrap();
        }
        scene.stats().allocated_bytes()
    };
    let before = run(CYCLES / 4);
    let after = run(CYCLES);
    assert!(after <= before + 1024, "{before} bytes have become {after}");
    scene.update();
    scene.validate().unwrap();
}

/// A scene in which large and small independent subtrees alternate, so that no small one has a partner. Returns the
/// tops of both. It is maintained and updated.
fn alternating(pairs: usize) -> (Scene, Vec<NodeHandle>, Vec<NodeHandle>) {
    let config = SceneConfig { max_nodes: 4096, min_nodes: 8, initial_slice_storage_size: 4, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let root = scene.root();
    let mut tops = Vec::new();
    for _ in 0..pairs {
        let top = scene.insert(root, placed(1.0)).unwrap();
        (0..12).for_each(|_| assert!(scene.insert(top, Node::group()).is_ok()));
        tops.push(top);
    }
    let small: Vec<NodeHandle> = tops
        .iter()
        .map(|&top| {
            let small = scene.insert(Place::After(top), placed(1.0)).unwrap();
            scene.insert(small, Node::group()).unwrap();
            small
        })
        .collect();
    scene.update();
    scene.maintain(ENOUGH);
    scene.validate().unwrap();
    assert_eq!(scene.slice_count(), 1 + 2 * pairs, "nothing was to be merged");
    (scene, tops, small)
}

#[test]
fn maintenance_looks_at_what_is_near_an_edit_however_many_slices_wait_for_a_partner() {
    type Edit = fn(&mut Scene, NodeHandle, NodeHandle);
    let edits: [(&str, Edit); 4] = [
        ("inside of a large subtree", |scene, top, _| {
            let new = scene.insert(top, Node::group()).unwrap();
            scene.remove(new).unwrap();
        }),
        ("inside of a small subtree", |scene, _, small| {
            let new = scene.insert(small, Node::group()).unwrap();
            scene.remove(new).unwrap();
        }),
        ("an independent subtree that comes and goes", |scene, top, _| {
            let new = scene.insert(Place::Before(top), placed(1.0)).unwrap();
            scene.isolate(new).unwrap();
            scene.remove(new).unwrap();
        }),
        ("an independent subtree that goes to the end", |scene, _, small| {
            scene.reparent(small, scene.root(), Keep::Local).unwrap();
        }),
    ];
    for (what, edit) in edits {
        let looked_at = [40, 1200].map(|pairs| {
            let (mut scene, tops, small) = alternating(pairs);
            let mut most = 0;
            for turn in 0..20 {
                let place = turn * 7 % pairs;
                edit(&mut scene, tops[place], small[place]);
                let done: Maintenance = scene.maintain(ENOUGH);
                assert_eq!(done.remaining, 0);
                most = most.max(done.looked_at);
            }
            scene.validate().unwrap();
            assert_eq!(scene.maintain(ENOUGH).looked_at, 0, "a scene at rest costs nothing");
            most
        });
        assert!(looked_at[1] <= looked_at[0].max(12), "{what}: {looked_at:?} slices are looked at");
    }
}

#[test]
fn a_small_slice_is_merged_once_there_is_a_partner() {
    // A neighbour became small: both are merged, and later the next.
    let (mut scene, tops, small) = alternating(20);
    let slices = scene.slice_count();
    let children: Vec<NodeHandle> = scene.children(tops[5]).collect();
    children.into_iter().for_each(|child| _ = scene.remove(child).unwrap());
    scene.maintain(ENOUGH);
    scene.validate().unwrap();
    assert!(scene.same_slice(tops[5], small[5]) && scene.same_slice(tops[5], small[4]));
    assert_eq!(scene.slice_count(), slices - 2);
    // What was between two small ones was removed.
    let (mut scene, tops, small) = alternating(20);
    scene.remove(tops[9]).unwrap();
    scene.maintain(ENOUGH);
    scene.validate().unwrap();
    assert!(scene.same_slice(small[8], small[9]), "they are neighbours now");
    // The same later, and after saving and loading.
    let (mut scene, tops, small) = alternating(20);
    scene.remove_later(tops[9]).unwrap();
    let mut scene = Scene::load(&scene.save()).unwrap();
    scene.maintain(ENOUGH);
    scene.validate().unwrap();
    assert!(scene.same_slice(small[8], small[9]), "they are neighbours now");
    let (scene, tops, small) = alternating(20);
    let mut scene = Scene::load(&scene.save()).unwrap();
    scene.remove(tops[9]).unwrap();
    scene.maintain(ENOUGH);
    scene.validate().unwrap();
    assert!(scene.same_slice(small[8], small[9]), "they are neighbours now");
}

#[test]
fn a_new_node_with_the_entry_of_one_that_had_moved_is_not_told_to_have() {
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
    assert_eq!(new.to_bits() >> 28, old.to_bits() >> 28, "the new node has the old one's entry");
    scene.detach(parent).unwrap();
    assert_eq!(scene.changes(&mut reader).unwrap().since().unwrap().moved(), [parent]);
}
