//! Trees built from lists, and copies: compared with the result of single inserts.

use crate::model::dump::dump;
use fastrand::Rng;
use hedgerow::edit::BatchError;
use hedgerow::{
    Aabb, Error, Keep, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Shape, Transform, Visibility,
    edit::{SceneBuilder, TreeFault},
};
use std::collections::HashMap;

const NAMES: [&str; 3] = ["", "one", "two"];

fn node(number: usize) -> Node<'static> {
    let mut node = Node::group();
    if !number.is_multiple_of(3) {
        node = node.with_transform(Transform::from_xyz((number % 50) as f32, 1.0, -2.0));
    }
    match number % 11 {
        0 => node.with_material(7),
        1 => node.with_visibility(Visibility::layers(0b101)),
        2..=5 => node.with_shape(Shape::new(u32::try_from(number).unwrap(), Aabb::cube(1.0))),
        6 => node.named(NAMES[number % 3]),
        7 => node.with_matrix(Mat34 { rows: [[1.0, 0.5, 0.0, 1.0], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]] }),
        _ => node,
    }
}

/// The parent of each node, for several shapes of trees, with parents before their children.
fn shapes(count: usize) -> Vec<(&'static str, Vec<Option<usize>>)> {
    let mut dice = Rng::with_seed(9);
    let shape = |parent: &mut dyn FnMut(usize) -> usize| {
        (0..count).map(|number| number.checked_sub(1).map(|_| parent(number))).collect()
    };
    vec![
        ("random", shape(&mut |number| dice.usize(..number))),
        ("chain", shape(&mut |number| number - 1)),
        ("flat", shape(&mut |_| 0)),
        ("one child of the root", shape(&mut |number| usize::from(number > 1))),
        ("caterpillar", shape(&mut |number| (number - 1) / 2 * 2)),
        ("octuple", shape(&mut |number| (number - 1) / 8)),
    ]
}

fn configs() -> [SceneConfig; 3] {
    [4096, 64, 8].map(|max_nodes| SceneConfig { max_nodes, ..SceneConfig::DEFAULT })
}

/// The list in another order, with parents after their children; siblings keep their order. Also returns the nodes'
/// previous numbers.
fn shuffled(parents: &[Option<usize>], dice: &mut Rng) -> (Vec<Option<usize>>, Vec<usize>) {
    let count = parents.len();
    let mut old: Vec<usize> = (0..count).collect();
    (1..count).rev().for_each(|place| old.swap(place, dice.usize(..place + 1)));
    let mut new = vec![0; count];
    old.iter().enumerate().for_each(|(place, &number)| new[number] = place);
    (old.iter().map(|&number| parents[number].map(|parent| new[parent])).collect(), old)
}

/// Checks a built subtree against the list from which it was built.
fn assert_built(scene: &mut Scene, parents: &[Option<usize>], numbers: &[usize], handles: &[NodeHandle]) {
    scene.validate().unwrap();
    let mut children = vec![Vec::new(); parents.len()];
    for (number, parent) in parents.iter().enumerate() {
        if let Some(parent) = *parent {
            children[parent].push(handles[number]);
            assert_eq!(scene.parent(handles[number]), Some(handles[parent]));
        }
    }
    for (number, &handle) in handles.iter().enumerate() {
        assert!(scene.children(handle).eq(children[number].iter().copied()));
        assert_eq!(scene.node(handle), Some(node(numbers[number])));
    }
    scene.update();
    scene.validate().unwrap();
    // Only some nodes: a fresh matrix composes all transforms above it.
    let some = handles.iter().step_by(1 + handles.len() / 100);
    assert!(some.copied().all(|handle| scene.world(handle).copied() == scene.fresh_world(handle)));
}

#[test]
fn a_list_in_any_order_makes_the_tree_that_it_tells() {
    let mut dice = Rng::with_seed(4);
    for config in configs() {
        for count in [1, 2, 40, 700, 6000] {
            for (shape, parents) in shapes(count) {
                let (parents, numbers) = shuffled(&parents, &mut dice);
                let mut builder = SceneBuilder::with_capacity(count);
                for (parent, &number) in parents.iter().zip(&numbers) {
                    builder.push(*parent, node(number));
                }
                let (mut scene, handles) = builder.build(config).unwrap();
                let top = parents.iter().position(Option::is_none).unwrap();
                assert_eq!((scene.len(), scene.root()), (count, handles[top]), "{shape}");
                assert_built(&mut scene, &parents, &numbers, &handles);

                let mut scene = Scene::with_config(config).unwrap();
                let parent = scene.insert(scene.root(), node(1)).unwrap();
                let behind = scene.insert(parent, Node::group()).unwrap();
                for place in [Place::Before(behind), Place::FirstChildOf(scene.root())] {
                    let before = scene.len();
                    let handles = builder.insert_into(&mut scene, place).unwrap();
                    assert_eq!(scene.len(), before + count, "{shape}");
                    assert_built(&mut scene, &parents, &numbers, &handles);
                    let first = scene.children(scene.parent(handles[top]).unwrap()).next();
                    assert_eq!(first, Some(handles[top]));
                }
                assert_eq!(scene.last_child(parent), Some(behind));
                scene.maintain(std::time::Duration::MAX);
                scene.validate().unwrap();
            }
        }
    }
}

#[test]
fn a_list_that_makes_no_tree_is_refused_with_the_number_at_fault() {
    let mut scene = Scene::new();
    let root = scene.root();
    let before = (dump(&scene), scene.stats());
    let build = |parents: &[Option<usize>]| {
        let mut builder = SceneBuilder::new();
        parents.iter().for_each(|&parent| {
            builder.push(parent, Node::group());
        });
        let built = builder.build(SceneConfig::DEFAULT).map(|(_, handles)| handles);
        assert_eq!(built.is_ok(), builder.insert_into(&mut Scene::new(), root).is_ok());
        built
    };
    let refused = |index, fault| Err(BatchError { item: Some(index), error: Error::InvalidTree(fault) });
    assert_eq!(build(&[]), refused(0, TreeFault::NoRoot));
    assert_eq!(build(&[Some(1), None, Some(1), None]), refused(3, TreeFault::SecondRoot));
    assert_eq!(build(&[None, Some(2)]), refused(1, TreeFault::UnknownParent));
    assert_eq!(build(&[None, Some(0), Some(usize::MAX)]), refused(2, TreeFault::UnknownParent));
    assert_eq!(build(&[None, Some(1)]), refused(1, TreeFault::Cycle));
    assert_eq!(build(&[Some(0)]), refused(0, TreeFault::Cycle), "a list of cycles alone has no root either");
    // Node 1 is below the cycle of 2 and 3, but not on a cycle.
    let on_cycle = build(&[None, Some(3), Some(3), Some(2)]);
    let cycle = Error::InvalidTree(TreeFault::Cycle);
    assert!(matches!(on_cycle, Err(BatchError { item: Some(2 | 3), error }) if error == cycle), "{on_cycle:?}");

    let mut builder = SceneBuilder::new();
    builder.push(None, Node::group());
    builder.push(Some(0), Node::transform(Transform::from_xyz(0.0, f32::NAN, 0.0)));
    let faulty = builder.insert_into(&mut scene, root);
    assert!(matches!(faulty, Err(BatchError { item: Some(1), error: Error::NotFinite(_) })));
    builder.clear();
    builder.push(None, Node::group());
    assert_eq!(builder.insert_into(&mut scene, Place::After(root)), Err(Error::RootIsFixed.into()));
    let gone = scene.insert(root, Node::group()).unwrap();
    scene.remove(gone).unwrap();
    assert_eq!(builder.insert_into(&mut scene, gone), Err(Error::StaleHandle(gone).into()));
    assert_eq!(before.0, dump(&scene));
}

/// Checks that two subtrees are equal node for node, and that the map matches.
fn assert_copied(from: &Scene, top: NodeHandle, to: &Scene, map: &hedgerow::edit::HandleMap) {
    to.validate().unwrap();
    let old: Vec<_> = from.descendants(top).collect();
    let new: Vec<_> = to.descendants(map.top()).collect();
    assert!(old.iter().map(|&old| map.get(old)).eq(new.iter().map(|&new| Some(new))));
    assert_eq!(map.len(), old.len());
    assert!(map.iter().all(|(old, new)| from.node(old) == to.node(new)));
}

#[test]
fn a_copy_is_the_subtree_as_it_was_wherever_it_is_put() {
    for config in configs() {
        for count in [1, 30, 1500] {
            for (_, parents) in shapes(count) {
                let mut builder = SceneBuilder::new();
                parents.iter().enumerate().for_each(|(number, &parent)| {
                    builder.push(parent, node(number));
                });
                let mut scene = Scene::with_config(config).unwrap();
                let root = scene.root();
                let handles = builder.insert_into(&mut scene, root).unwrap();
                let (top, last) = (handles[0], handles[count - 1]);
                let source = scene.clone();
                // Beside itself, into itself, into another scene with another configuration, and out of a detached subtree.
                let map = scene.duplicate(top, Place::Before(top)).unwrap();
                assert_copied(&source, top, &scene, &map);
                assert_eq!(scene.first_child(scene.root()), Some(map.top()));
                let map = scene.duplicate(top, last).unwrap();
                assert_copied(&source, top, &scene, &map);
                assert_eq!(scene.len(), 1 + 3 * count);
                let mut other = Scene::new();
                let map = other.duplicate_from(&scene, scene.root(), other.root()).unwrap();
                assert_copied(&scene, scene.root(), &other, &map);
                let prefab = map.top();
                other.detach(prefab).unwrap();
                let map = other.duplicate(prefab, other.root()).unwrap();
                assert_eq!((other.len(), other.detached_len()), (3 * count + 2, 3 * count + 1));
                assert_copied(&other, prefab, &other, &map);
                let place = map.top();
                other.reparent(place, prefab, Keep::Local).unwrap();
                assert_eq!((other.len(), other.detached_len()), (1, 6 * count + 2));
                let map = other.duplicate(place, prefab).unwrap();
                assert_copied(&other, place, &other, &map);
                assert_eq!((other.len(), other.detached_len()), (1, 9 * count + 3));
                scene.update();
                other.update();
                scene.validate().unwrap();
                other.validate().unwrap();
            }
        }
    }
}

#[test]
fn a_copy_is_refused_where_an_insert_is() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::group()).unwrap();
    let gone = scene.insert(scene.root(), Node::group()).unwrap();
    scene.remove(gone).unwrap();
    assert_eq!(scene.duplicate(gone, node).unwrap_err(), Error::StaleHandle(gone));
    assert_eq!(scene.duplicate(node, gone).unwrap_err(), Error::StaleHandle(gone));
    assert_eq!(scene.duplicate(node, Place::Before(scene.root())).unwrap_err(), Error::RootIsFixed);
    assert_eq!(scene.duplicate_from(&Scene::new(), node, node).unwrap_err(), Error::StaleHandle(node));
    scene.detach(node).unwrap();
    assert_eq!(scene.duplicate(node, Place::After(node)).unwrap_err(), Error::BesideDetached(node));
    assert_eq!(scene.len(), 1);
}

#[test]
fn handles_of_built_nodes_are_all_different() {
    let mut builder = SceneBuilder::new();
    for (number, parent) in shapes(20_000)[0].1.iter().enumerate() {
        builder.push(*parent, node(number));
    }
    let (scene, handles) = builder.build(SceneConfig::DEFAULT).unwrap();
    let numbers: HashMap<_, _> = handles.iter().enumerate().map(|(number, &handle)| (handle, number)).collect();
    assert_eq!(numbers.len(), scene.len());
}
