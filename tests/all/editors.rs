//! What editors and loaders do with whole scenes: compact files, scenes from elsewhere, other configurations.

use hedgerow::changes::ChangeReader;
use hedgerow::config::StoragePolicy;
use hedgerow::data::{Column, NodeMap};
use hedgerow::snapshot::SaveOptions;
use hedgerow::{Aabb, Error, Node, NodeHandle, Place, Scene, SceneConfig, Shape, Transform};

const COMPACT: SaveOptions = SaveOptions { detached: true, compact: true };

/// Edits a scene at random for long, and then so that this many nodes are left. Returns handles that are stale.
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
        let leaf = scene.leaves(scene.root()).last().unwrap();
        scene.remove(leaf).unwrap();
        gone.push(leaf);
    }
    gone
}

#[test]
fn a_scene_that_was_edited_for_long_is_saved_in_little_more_than_a_new_one() {
    for (edits, left, most) in [(3000, 5, 4000), (20_000, 1, 4000)] {
        let mut scene = Scene::new();
        let gone = edit_for_long(&mut scene, edits, left);
        let (all, compact) = (scene.save(), scene.save_with(COMPACT));
        println!("{left} nodes after {edits} edits: {} bytes, compact {}", all.len(), compact.len());
        assert!(compact.len() < most, "{} bytes", compact.len());
        let mut loaded = Scene::load(&compact).unwrap();
        loaded.validate().unwrap();
        assert!(loaded.descendants(loaded.root()).eq(scene.descendants(scene.root())), "handles are kept");
        // No handle that was ever issued comes back, in the loaded scene and in one that was shrunk.
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
fn what_is_detached_can_be_left_out_of_a_file() {
    let mut scene = Scene::new();
    let kept = scene.insert(scene.root(), Node::group().named("kept")).unwrap();
    let spare = scene.insert(Place::Detached, Node::group().named("spare")).unwrap();
    scene.insert(spare, Node::group()).unwrap();
    let without = SaveOptions { detached: false, ..SaveOptions::default() };
    let loaded = Scene::load(&scene.save_with(without)).unwrap();
    assert_eq!((loaded.len(), loaded.detached_len(), loaded.name(kept)), (2, 0, Some("kept")));
    assert!(!loaded.contains(spare) && scene.contains(spare), "the scene itself has changed");
    assert_eq!(Scene::load(&scene.save()).unwrap().detached_len(), 2);
}

#[test]
fn subtrees_are_loaded_and_built_outside_of_the_tree() {
    let mut scene = Scene::new();
    let lamp = scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 4.0, 0.0)).named("lamp")).unwrap();
    scene.insert(lamp, Node::material(3)).unwrap();
    let bytes = scene.save_subtree(lamp).unwrap();
    let map = scene.load_subtree(&bytes, Place::Detached).unwrap();
    assert_eq!((scene.len(), scene.detached_len(), scene.place_of(map.top())), (3, 2, Some(Place::Detached)));
    let copy = scene.duplicate(lamp, Place::Detached).unwrap();
    assert_eq!((scene.detached_len(), scene.name(copy.top())), (4, Some("lamp")));
    scene.reparent(copy.top(), Place::Child(scene.root(), 0), hedgerow::Keep::Local).unwrap();
    assert!(scene.children(scene.root()).eq([copy.top(), lamp]));
    let beyond = Place::Child(scene.root(), 3);
    let refused = Error::IndexOutOfRange { parent: scene.root(), index: 3, children: 2 };
    assert_eq!(scene.insert(beyond, Node::group()), Err(refused));
    scene.validate().unwrap();
}

#[test]
fn a_large_scene_from_elsewhere_keeps_its_matrices_and_its_values() {
    for config in [SceneConfig::DEFAULT, SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT }] {
        let mut part = Scene::with_config(config).unwrap();
        edit_for_long(&mut part, 20_000, 3000);
        let nodes: Vec<NodeHandle> = part.descendants(part.root()).collect();
        part.update();
        part.set_word(nodes[2999], 77).unwrap();
        let values: NodeMap<usize> = nodes.iter().copied().zip(0..).collect();
        let worlds: Vec<_> = nodes.iter().map(|&node| *part.world(node).unwrap()).collect();
        let mut world = Scene::with_config(config).unwrap();
        let first = world.insert(world.root(), Node::shape(Shape::new(1, Aabb::cube(1.0)))).unwrap();
        world.set_word(first, 5).unwrap();
        world.update();
        let mut reader = ChangeReader::new();
        let _ = world.changes(&mut reader);
        let map = world.adopt(&mut part, Place::Before(first)).unwrap();
        world.validate().unwrap();
        assert_eq!((map.len(), world.len(), part.len()), (3000, 3002, 1));
        world.update();
        world.validate().unwrap();
        assert_eq!((world.word(first), world.word(map.get(nodes[2999]).unwrap())), (Some(5), Some(77)));
        let mut own = NodeMap::new();
        assert_eq!(own.copy_from(&values, &map), 3000);
        let mut column = Column::new(usize::MAX);
        column.update(&world);
        for (number, (&old, before)) in nodes.iter().zip(&worlds).enumerate() {
            let new = map.get(old).unwrap();
            assert_eq!(world.world(new), Some(before));
            assert_eq!(own.get(new), Some(&number));
            if world.local(new).is_some() {
                column.set(&world, new, number).unwrap();
            }
        }
        assert!(
            nodes.iter().skip(1).all(|&old| map.get(old).and_then(|new| column.get(&world, new)) == values.get(old))
        );
        if config.changes {
            let changes = world.changes(&mut reader).unwrap().since().unwrap();
            assert_eq!(changes.entered().len(), 3000);
        }
        let stale = world.adopt(&mut part, first).and_then(|_| {
            world.remove(first)?;
            world.adopt(&mut part, first).map(drop)
        });
        assert_eq!(stale, Err(Error::StaleHandle(first)));
    }
}

#[test]
fn tables_that_a_scene_from_elsewhere_had_free_are_used_here() {
    let storage = StoragePolicy { max_table_entries: 16, ..StoragePolicy::DEFAULT };
    let config = SceneConfig { max_nodes: 64, min_nodes: 4, storage, ..SceneConfig::DEFAULT };
    let fill = |scene: &mut Scene| -> Vec<NodeHandle> {
        (0..400).map(|_| scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap()).collect()
    };
    let mut part = Scene::with_config(config).unwrap();
    let kept = part.insert(part.root(), Node::group().named("kept")).unwrap();
    let gone = fill(&mut part);
    part.remove_many(&gone).unwrap();
    let free = part.stats().tables;
    assert!(free > 20, "a removed node leaves its table behind: {free} are there");
    let mut world = Scene::with_config(config).unwrap();
    fill(&mut world);
    let own = world.stats().tables;
    let map = world.adopt(&mut part, world.root()).unwrap();
    world.validate().unwrap();
    assert_eq!(world.name(map.get(kept).unwrap()), Some("kept"));
    assert_eq!(world.stats().tables, own + free);
    let more = fill(&mut world);
    world.validate().unwrap();
    assert!(world.stats().tables < own + free + 5, "{} tables, and {own} and {free} before", world.stats().tables);
    assert!(more.iter().all(|&node| world.contains(node)));
}

#[test]
fn a_sweep_sees_parents_before_children_across_slices() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 16, min_nodes: 4, ..SceneConfig::DEFAULT }).unwrap();
    edit_for_long(&mut scene, 5000, 1000);
    assert!(scene.slice_count() > 50);
    let mut depths = Column::new(0_usize);
    depths.update(&scene);
    depths.sweep(&scene, |above, depth| *depth = above + 1);
    for node in scene.descendants(scene.root()).skip(1) {
        assert_eq!(depths.get(&scene, node).copied(), scene.depth(node), "each node but the root has a transform");
    }
}
