//! The memory that a scene reports equals what the allocator gave.

use hedgerow::data::NodeMap;
use hedgerow::glam::DVec3;
use hedgerow::{Aabb, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree};
use hedgerow_testkit::memory::IN_USE;

/// The bytes that the arena of temporary lists adds for itself.
const OF_ARENA: usize = 64;

/// A step of a scene's life. All memory that it allocates belongs to the scene.
type Step = fn(&mut Scene, &mut [NodeHandle; NODES]);

const NODES: usize = 600;

const STEPS: [(&str, Step); 15] = [
    ("inserts", |scene, nodes| {
        for at in 1..NODES {
            let mut node = Node::transform(Transform::from_xyz(1.0, 2.0, 3.0));
            if at % 3 == 0 {
                node = node.with_drawable(Drawable::new(7, Aabb::cube(1.0))).with_material(3);
            }
            if at % 7 == 0 {
                node = node.with_layers(Layers::new(5)).with_name("a name with a text");
            }
            nodes[at] = scene.insert(nodes[at / 4], node).expect("a plain insert");
        }
    }),
    ("an update", |scene, _| scene.update()),
    ("user data and translations in double precision", |scene, nodes| {
        for &node in nodes.iter().skip(1).step_by(5) {
            scene.edit(node).expect("it lives").set_user_data(5);
            scene
                .edit(node)
                .expect("it has a transform")
                .set_translation_f64(DVec3::splat(1e7 + 0.1))
                .expect("it has a transform");
        }
    }),
    ("sheared transforms and masks", |scene, nodes| {
        let mut shear = Mat34::IDENTITY;
        shear.rows[0][1] = 0.5;
        for (at, &node) in nodes.iter().enumerate().skip(1).step_by(3) {
            scene.set_local(node, shear).expect("it has a transform");
            scene.edit(node).expect("it lives").set_layers(Layers::new(1 << (at % 8)));
        }
    }),
    ("moves", |scene, nodes| {
        for at in (300..NODES).step_by(2) {
            scene.reparent(nodes[at], nodes[at % 50], Keep::Local).expect("it is no ancestor");
        }
    }),
    ("a second update", |scene, _| scene.update()),
    ("a tree", |scene, nodes| {
        let parent = nodes[10];
        let mut tree = Tree::new();
        (0..200).for_each(|_| _ = tree.push(None, Node::group()));
        let _ = scene.insert_tree(parent, &tree).expect("plain inserts");
    }),
    ("worlds of many, in spaces that shear and in others", |scene, nodes| {
        let place = |node: &NodeHandle| (*node, Transform::from_xyz(1.0, 2.0, 3.0));
        let with = |node: &&NodeHandle| scene.local(**node).is_some();
        let items: Vec<(NodeHandle, Transform)> = nodes[1..].iter().filter(with).map(place).collect();
        scene.set_worlds(&items).expect("every space has an inverse");
    }),
    ("removals", |scene, nodes| {
        for at in (400..NODES).filter(|at| at % 3 == 0) {
            let _ = scene.remove(nodes[at]);
        }
    }),
    ("what is detached in a batch", |scene, nodes| {
        let living: Vec<NodeHandle> = nodes[200..].iter().copied().filter(|&node| scene.contains(node)).collect();
        let items: Vec<_> = living.iter().map(|&node| (node, Place::Detached)).collect();
        scene.reparent_many(&items, Keep::Local).expect("all of them live");
    }),
    ("a branch that is removed, and one that is detached", |scene, nodes| {
        let _ = scene.remove(nodes[3]).expect("it lives");
        scene.reparent(nodes[5], Place::Detached, Keep::Local).expect("it lives");
    }),
    ("nodes without transforms that go by another", |scene, nodes| {
        let groups = [Node::group(); 90].map(|group| scene.insert(nodes[1], group).expect("a plain insert"));
        scene.set_local(nodes[2], Transform::from_xyz(9.0, 2.0, 3.0)).expect("it has a transform");
        scene.update();
        groups.iter().for_each(|&group| _ = scene.reparent(group, nodes[2], Keep::Local).expect("it is no ancestor"));
    }),
    ("what these had before", |scene, _| scene.update()),
    ("maintenance", |scene, _| _ = scene.maintain(usize::MAX)),
    ("no spare room", |scene, _| scene.shrink_to_fit()),
];

#[test]
fn a_scene_has_allocated_what_it_says() {
    let plain = SceneConfig::DEFAULT;
    let told = SceneConfig { bounds: true, changes: true, change_history: 4, ..plain };
    let tiny = SceneConfig { max_nodes: 32, ..told };
    for config in [plain, SceneConfig { bounds: true, ..plain }, told, tiny] {
        let before = IN_USE.get();
        let mut scene = Scene::with_config(config).expect("the configuration makes sense");
        let mut nodes = [scene.root(); NODES];
        for (what, step) in STEPS {
            step(&mut scene, &mut nodes);
            let (said, taken) = (scene.stats().allocated_bytes(), IN_USE.get().wrapping_sub(before));
            assert!(
                said <= taken && taken <= said + OF_ARENA,
                "{said} said and {taken} taken after {what}: {config:?}"
            );
        }
        drop(scene);
        assert_eq!(IN_USE.get(), before, "memory is lost");
    }
}

#[test]
fn a_map_that_is_shrunk_gives_back_what_it_needs_no_more() {
    let mut scene = Scene::new();
    let root = scene.root();
    let add = |_| scene.insert(root, Node::group()).expect("a plain insert");
    let nodes: Vec<NodeHandle> = (0..2000).map(add).collect();
    let before = IN_USE.get();
    let mut map: NodeMap<[u64; 4]> = nodes.iter().map(|&node| (node, [7; 4])).collect();
    let whole = IN_USE.get() - before;
    map.retain(|node, _| nodes[..100].contains(&node));
    assert_eq!(IN_USE.get() - before, whole);
    map.shrink_to_fit();
    assert_eq!(map.len(), 100);
    let shrunk = IN_USE.get() - before;
    assert!(shrunk * 8 < whole, "{shrunk} bytes of {whole}");
}
