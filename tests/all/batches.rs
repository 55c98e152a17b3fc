//! Batches: what they leave is what the same edits one by one leave, and a refusal leaves all as it was.

use hedgerow::{Aabb, Error, Node, NodeHandle, Scene, SceneConfig, Shape, Transform};
use std::collections::HashMap;
use std::error::Error as _;

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

fn node(number: usize) -> Node<'static> {
    let place = Transform::from_xyz(number as f32, 1.0, 2.0);
    match number % 5 {
        0 | 1 => Node::transform(place),
        2 => Node::shape(Shape::new(u32::try_from(number).unwrap(), Aabb::cube(1.0))),
        3 => Node::transform(place).with_material(3).named("three"),
        _ => Node::group(),
    }
}

/// A random tree of that many nodes, and its handles.
fn tree(config: SceneConfig, count: usize, dice: &mut Dice) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::with_config(config).unwrap();
    let mut nodes = vec![scene.root()];
    for number in 1..count {
        let parent = nodes[dice.below(nodes.len())];
        nodes.push(scene.insert(parent, node(number)).unwrap());
    }
    (scene, nodes)
}

fn policies() -> [SceneConfig; 3] {
    let tiny =
        SceneConfig { initial_slice_storage_size: 3, min_nodes: 4, max_table_entries: 16, ..SceneConfig::DEFAULT };
    [SceneConfig::DEFAULT, SceneConfig::THESIS, tiny]
}

/// All that the nodes below the root say, in order, told apart by what is theirs in the two scenes.
fn assert_same_tree(a: &Scene, b: &Scene, same: &HashMap<NodeHandle, NodeHandle>) {
    a.validate().unwrap();
    b.validate().unwrap();
    assert_eq!(a.len(), b.len());
    let translated = |node: NodeHandle| same.get(&node).copied().unwrap_or(node);
    for (x, y) in a.descendants(a.root()).zip(b.descendants(b.root())) {
        assert_eq!(translated(x), y);
        assert_eq!(a.node(x), b.node(y));
        assert_eq!(a.parent(x).map(translated), b.parent(y));
        assert_eq!(a.world(x), b.world(y));
    }
}

#[test]
fn a_batch_of_inserts_leaves_the_tree_that_single_inserts_leave() {
    for (seed, config) in (1..).zip(policies()) {
        let mut dice = Dice(seed);
        let (mut single, nodes) = tree(config, 3000, &mut dice);
        let mut batched = single.clone();
        for count in [0, 1, 7, 900, 5000] {
            let items: Vec<_> = (0..count).map(|number| (nodes[dice.below(nodes.len())], node(number))).collect();
            let mut handles = Vec::new();
            batched.insert_many(&items, &mut handles).unwrap();
            let one_by_one: Vec<_> = items.iter().map(|&(parent, node)| single.insert(parent, node).unwrap()).collect();
            let same = single.descendants(single.root()).zip(batched.descendants(batched.root())).collect();
            single.update();
            batched.update();
            assert_same_tree(&single, &batched, &same);
            assert!(one_by_one.iter().map(|node| same[node]).eq(handles), "handles come in the order of the items");
            single = batched.clone();
        }
    }
}

#[test]
fn a_batch_of_removals_is_a_set() {
    for (seed, config) in (11..).zip(policies()) {
        let mut dice = Dice(seed);
        let (mut single, nodes) = tree(config, 4000, &mut dice);
        let mut batched = single.clone();
        let mut doomed: Vec<_> = (0..600).map(|_| nodes[1 + dice.below(nodes.len() - 1)]).collect();
        let below: Vec<_> = doomed.iter().filter_map(|&node| single.first_child(node)).collect();
        doomed.splice(300..300, below);
        let removed: usize = doomed.iter().filter_map(|&node| single.remove(node).ok()).sum();
        assert_eq!(batched.remove_many(&doomed), Ok(removed));
        assert!(doomed.iter().all(|&node| !batched.contains(node)));
        single.update();
        batched.update();
        assert_same_tree(&single, &batched, &HashMap::new());
        assert_eq!(batched.remove_many(&[]), Ok(0));
    }
}

#[test]
fn the_last_transform_of_a_node_named_twice_counts() {
    for (seed, config) in (21..).zip(policies()) {
        let mut dice = Dice(seed);
        let (mut single, nodes) = tree(config, 2000, &mut dice);
        let mut batched = single.clone();
        let nodes: Vec<_> = nodes.into_iter().filter(|&node| single.local(node).is_some()).collect();
        let items: Vec<_> = (0..3000)
            .map(|turn| {
                (nodes[dice.below(nodes.len())], Transform::from_xyz(0.0, turn as f32, 1.0).with_rotation(quarter()))
            })
            .collect();
        items.iter().for_each(|&(node, transform)| single.set_local(node, transform).unwrap());
        batched.set_transforms(&items).unwrap();
        single.update();
        batched.update();
        assert_same_tree(&single, &batched, &HashMap::new());
    }
}

/// A rotation that is to be normalised.
fn quarter() -> hedgerow::glam::Quat {
    hedgerow::glam::Quat::from_xyzw(0.0, 3.0, 0.0, 3.0)
}

#[test]
fn a_refused_batch_names_its_first_bad_item_and_changes_nothing() {
    let (mut scene, nodes) = tree(SceneConfig::DEFAULT, 500, &mut Dice(5));
    let root = scene.root();
    let stale = scene.insert(root, Node::group()).unwrap();
    scene.remove(stale).unwrap();
    let group = scene.insert(root, Node::group()).unwrap();
    scene.update();
    let seen = |scene: &Scene| format!("{} {:?}", scene.dump(), scene.stats());
    let before = seen(&scene);
    let refused = |index, error| Error::InBatch { index, error: Box::new(error) };

    let far = Node::transform(Transform::from_xyz(f32::NAN, 0.0, 0.0));
    let mut items = vec![(nodes[3], Node::group()); 300];
    items[170] = (nodes[4], far);
    items[200] = (stale, Node::group());
    let mut handles = vec![root];
    let error = scene.insert_many(&items, &mut handles).unwrap_err();
    assert!(matches!(&error, Error::InBatch { index: 170, error } if matches!(**error, Error::NotFinite(_))));
    assert!(error.source().is_some_and(|source| error.to_string().ends_with(&source.to_string())));
    items[20] = (stale, far);
    assert_eq!(scene.insert_many(&items, &mut handles), Err(refused(20, Error::StaleHandle(stale))));
    assert_eq!(handles, [root]);

    assert_eq!(scene.remove_many(&[nodes[5], root, stale]), Err(refused(1, Error::RootIsFixed)));
    assert_eq!(scene.remove_many(&[nodes[5], nodes[5], stale]), Err(refused(2, Error::StaleHandle(stale))));

    let with = *nodes.iter().find(|&&node| scene.local(node).is_some()).unwrap();
    let fine = (with, Transform::from_xyz(9.0, 9.0, 9.0));
    assert_eq!(scene.set_transforms(&[fine, (group, fine.1)]), Err(refused(1, Error::NoTransform(group))));
    assert_eq!(scene.set_transforms(&[fine, fine, (stale, fine.1)]), Err(refused(2, Error::StaleHandle(stale))));
    let flat = fine.1.with_rotation(hedgerow::glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(scene.set_transforms(&[fine, (with, flat)]), Err(refused(1, Error::NotRotation)));

    assert!(before == seen(&scene), "a refused batch changed something");
    scene.validate().unwrap();
}
