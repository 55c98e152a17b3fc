//! Long edits: handles never come back, and a sweep sees parents first; subtrees outside of the tree.

use hedgerow::data::Column;
use hedgerow::{Error, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree};

/// Makes `edits` random edits, then removes nodes until `left` are left. Returns stale handles.
fn edit_for_long(scene: &mut Scene, edits: usize, left: usize) -> Vec<NodeHandle> {
    let mut dice = fastrand::Rng::with_seed(5);
    let (mut nodes, mut gone) = (vec![scene.root()], Vec::new());
    for edit in 0..edits {
        let node = nodes[dice.usize(..nodes.len())];
        if dice.u8(..5) > 1 || node == scene.root() {
            let place = Transform::from_xyz(edit as f32, 0.0, 0.0);
            nodes.push(scene.insert(node, Node::transform(place)).unwrap());
        } else {
            scene.remove(node).unwrap();
            gone.extend(nodes.extract_if(.., |node| !scene.contains(*node)));
        }
    }
    while scene.len() < left {
        let node = nodes[dice.usize(..nodes.len())];
        nodes.push(scene.insert(node, Node::transform(Transform::from_xyz(0.5, 0.0, 0.0))).unwrap());
    }
    while scene.len() > left {
        let leaf = scene.get(scene.root()).unwrap().leaves().map(|node| node.handle()).last().unwrap();
        scene.remove(leaf).unwrap();
        gone.push(leaf);
    }
    gone
}

#[test]
fn no_handle_comes_back_after_long_edits_and_loading() {
    for (edits, left) in [(3000, 5), (20_000, 1)] {
        let mut scene = Scene::new();
        let gone = edit_for_long(&mut scene, edits, left);
        let mut loaded = Scene::from_bytes(&scene.to_bytes()).unwrap();
        loaded.validate().unwrap();
        assert!(
            loaded.get(loaded.root()).unwrap().descendants().map(|node| node.handle()).eq(scene
                .get(scene.root())
                .unwrap()
                .descendants()
                .map(|node| node.handle())),
            "handles are kept"
        );
        // A handle is never issued twice, in the loaded scene and in one that was shrunk.
        scene.shrink_to_fit();
        for scene in [&mut scene, &mut loaded] {
            let fresh: Vec<_> = (0..10_000).map(|_| scene.insert(scene.root(), Node::group()).unwrap()).collect();
            scene.validate().unwrap();
            let stale: std::collections::HashSet<_> = gone.iter().copied().collect();
            assert!(fresh.iter().all(|node| !stale.contains(node)));
        }
    }
}

#[test]
fn a_sweep_sees_parents_before_children_across_slices() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 16, ..SceneConfig::DEFAULT }).unwrap();
    edit_for_long(&mut scene, 5000, 1000);
    scene.update();
    assert!(scene.stats().slices > 50);
    let mut depths = Column::new(0_usize);
    depths.update(&scene);
    depths.sweep(&scene, |above, depth| *depth = above + 1);
    // Each node but the root has a transform.
    for node in scene.get(scene.root()).unwrap().descendants().skip(1) {
        let depth = depths.get(&scene, node.handle());
        assert_eq!(depth, Some(&node.depth()));
        assert_eq!(depths.at(node.matrix_slot().unwrap()), depth);
    }
}

#[test]
fn subtrees_are_loaded_and_built_outside_of_the_tree() {
    let mut scene = Scene::new();
    let lamp =
        scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 4.0, 0.0)).with_name("lamp")).unwrap();
    scene.insert(lamp, Node::material(3)).unwrap();
    let tree = scene.copy_tree(lamp).unwrap();
    let read = Tree::from_bytes(&tree.to_bytes()).unwrap();
    let loaded = scene.insert_tree(Place::Detached, &read).unwrap()[0];
    assert_eq!(
        (scene.len(), scene.stats().detached, scene.get(loaded).and_then(|node| node.place())),
        (3, 2, Some(Place::Detached))
    );
    let copy = scene.insert_tree(Place::Detached, &tree).unwrap()[0];
    assert_eq!((scene.stats().detached, scene.get(copy).and_then(|node| node.name())), (4, Some("lamp")));
    scene.reparent(copy, Place::Child(scene.root(), 0), hedgerow::Keep::Local).unwrap();
    assert!(scene.children(scene.root()).eq([copy, lamp]));
    let beyond = Place::Child(scene.root(), 3);
    let refused = Error::IndexOutOfRange { parent: scene.root(), index: 3, children: 2 };
    assert_eq!(scene.insert(beyond, Node::group()), Err(refused));
    scene.validate().unwrap();
}
