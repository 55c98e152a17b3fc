//! Inserted trees, compared with single inserts.

use fastrand::Rng;
use hedgerow::edit::BatchError;
use hedgerow::{Aabb, Drawable, Error, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree};
use hedgerow_testkit::model::dump::dump;

const NAMES: [&str; 3] = ["", "one", "two"];

fn node(number: usize) -> Node<'static> {
    let mut node = Node::group();
    if !number.is_multiple_of(3) {
        node = node.with_transform(Transform::from_xyz((number % 50) as f32, 1.0, -2.0));
    }
    match number % 11 {
        0 => node.with_material(7),
        1 => node.with_layers(Layers::new(0b101)),
        2..=5 => node.with_drawable(Drawable::new(u32::try_from(number).unwrap(), Aabb::cube(1.0))),
        6 => node.named(NAMES[number % 3]),
        7 => node.with_matrix(Mat34 { rows: [[1.0, 0.5, 0.0, 1.0], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]] }),
        _ => node,
    }
}

/// Returns the parents of the nodes of several shapes of trees. Parents come before their children.
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

/// Returns the list in another order with parents before children, and the nodes' previous numbers.
fn shuffled(parents: &[Option<usize>], dice: &mut Rng) -> (Vec<Option<usize>>, Vec<usize>) {
    let mut children = vec![Vec::new(); parents.len()];
    let mut ready: Vec<usize> = Vec::new();
    for (number, parent) in parents.iter().enumerate() {
        parent.map_or(&mut ready, |parent| &mut children[parent]).push(number);
    }
    let (mut old, mut new) = (Vec::new(), vec![0; parents.len()]);
    while !ready.is_empty() {
        let number = ready.swap_remove(dice.usize(..ready.len()));
        new[number] = old.len();
        old.push(number);
        ready.append(&mut children[number]);
    }
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
        assert_eq!(scene.get(handle).unwrap().node(), node(numbers[number]));
    }
    scene.update();
    scene.validate().unwrap();
    // Checks few nodes: `fresh_world` composes all transforms above a node.
    let some = handles.iter().step_by(1 + handles.len() / 100);
    assert!(
        some.copied().all(|handle| scene.world(handle).copied() == scene.get(handle).map(|node| node.fresh_world()))
    );
}

#[test]
fn a_tree_in_any_order_is_inserted_as_it_is() {
    let mut dice = Rng::with_seed(4);
    for config in configs() {
        for count in [1, 2, 40, 700, 6000] {
            for (shape, parents) in shapes(count) {
                let (parents, numbers) = shuffled(&parents, &mut dice);
                let mut tree = Tree::with_capacity(count);
                for (parent, &number) in parents.iter().zip(&numbers) {
                    tree.push(*parent, node(number));
                }
                assert!(tree.iter().eq(parents.iter().copied().zip(numbers.iter().map(|&number| node(number)))));
                let mut scene = Scene::with_config(config).unwrap();
                let parent = scene.insert(scene.root(), node(1)).unwrap();
                let behind = scene.insert(parent, Node::group()).unwrap();
                for place in [Place::Before(behind), Place::FirstChildOf(scene.root())] {
                    let before = scene.len();
                    let handles = scene.insert_tree(place, &tree).unwrap();
                    assert_eq!(scene.len(), before + count, "{shape}");
                    assert_built(&mut scene, &parents, &numbers, &handles);
                    let first = scene.children(scene.parent(handles[0]).unwrap()).next();
                    assert_eq!(first, Some(handles[0]));
                    assert_eq!(scene.tree(handles[0]).unwrap(), tree, "{shape}");
                }
                assert_eq!(scene.get(parent).unwrap().last_child().map(|node| node.handle()), Some(behind));
                scene.maintain(usize::MAX);
                scene.validate().unwrap();
            }
        }
    }
}

#[test]
fn several_roots_are_inserted_one_after_the_other_wherever_the_place_is() {
    let mut tree = Tree::new();
    for number in 0..9_usize {
        // The tree has three roots, and nodes go to each in turn.
        tree.push(number.checked_sub(3), Node::material(u32::try_from(number).unwrap()));
    }
    assert_eq!((tree.len(), tree.is_empty(), tree.parent(2), tree.parent(8)), (9, false, None, Some(5)));
    assert_eq!((tree.get(8), tree.get(9), tree.parent(9)), (Some(Node::material(8)), None, None));
    let mut scene = Scene::new();
    let root = scene.root();
    let [a, b] = [(); 2].map(|()| scene.insert(root, Node::group()).unwrap());
    for (place, before) in [
        (Place::FirstChildOf(root), 0),
        (Place::LastChildOf(root), 2),
        (Place::Before(b), 1),
        (Place::After(a), 1),
        (Place::Child(root, 1), 1),
    ] {
        let mut scene = scene.clone();
        let nodes = scene.insert_tree(place, &tree).unwrap();
        let mut expected = vec![a, b];
        expected.splice(before..before, nodes[..3].iter().copied());
        assert!(scene.children(root).eq(expected), "{place:?}");
        for (number, &node) in nodes.iter().enumerate() {
            assert_eq!(scene.get(node).map(|node| node.node()), tree.get(number));
            assert_eq!(scene.parent(node), number.checked_sub(3).map_or(Some(root), |parent| Some(nodes[parent])));
        }
        scene.update();
        scene.validate().unwrap();
    }
    let nodes = scene.insert_tree(Place::Detached, &tree).unwrap();
    assert!(scene.detached().map(|node| node.handle()).eq(nodes[..3].iter().copied()));
    assert_eq!((scene.len(), scene.stats().detached), (3, 9));
    assert_eq!(scene.insert_tree(a, &Tree::new()), Ok(Vec::new()));
    scene.validate().unwrap();
}

#[test]
fn a_tree_that_was_cleared_is_filled_anew() {
    let mut tree = Tree::new();
    for name in ["first", "second"] {
        tree.clear();
        assert!(tree.is_empty() && tree == Tree::new());
        let top = tree.push(None, node(3).named(name));
        tree.push(Some(top), node(4));
        let nodes: Vec<_> = tree.iter().collect();
        assert_eq!(nodes, [(None, node(3).named(name)), (Some(top), node(4))]);
    }
}

#[test]
fn trees_are_equal_by_their_nodes_in_depth_first_order() {
    let build = |items: &[(Option<usize>, u32)]| {
        let mut tree = Tree::new();
        items.iter().for_each(|&(parent, material)| _ = tree.push(parent, Node::material(material)));
        tree
    };
    let depth_first = build(&[(None, 0), (Some(0), 1), (Some(1), 2), (Some(0), 3), (None, 4)]);
    let by_rows = build(&[(None, 0), (None, 4), (Some(0), 1), (Some(0), 3), (Some(2), 2)]);
    assert_eq!(depth_first, by_rows);
    assert_ne!(depth_first.to_bytes(), by_rows.to_bytes(), "numbers stay in files");
    for other in [
        build(&[(None, 0), (Some(0), 1), (Some(1), 2), (Some(0), 3)]),
        build(&[(None, 0), (Some(0), 1), (Some(1), 2), (Some(1), 3), (None, 4)]),
        build(&[(None, 0), (Some(0), 1), (Some(1), 2), (Some(0), 3), (None, 5)]),
        build(&[(None, 0), (Some(0), 3), (Some(0), 1), (Some(2), 2), (None, 4)]),
        build(&[(None, 0), (Some(0), 1), (Some(1), 2), (Some(0), 3), (Some(0), 4)]),
    ] {
        assert_ne!(depth_first, other);
    }
    let mut reused = by_rows;
    reused.clear();
    assert_eq!((&reused, reused.is_empty()), (&Tree::new(), true));
    reused.push(Some(0), Node::material(0));
    assert_ne!(reused, build(&[(None, 0)]), "a parent that is not known is none of the others");
    assert_eq!(format!("{:?}", Tree::new()), "Tree []");
}

#[test]
fn a_tree_that_no_scene_takes_is_refused_with_the_number_at_fault_and_keeps_its_nodes() {
    let mut scene = Scene::new();
    let root = scene.root();
    let before = (dump(&scene), scene.stats());
    let mut insert = |parents: &[Option<usize>]| {
        let mut tree = Tree::new();
        parents.iter().for_each(|&parent| _ = tree.push(parent, Node::group()));
        assert!(tree.iter().map(|(parent, _)| parent).eq(parents.iter().copied()));
        scene.insert_tree(root, &tree)
    };
    let refused = |index, error| Err(BatchError { item: Some(index), error });
    assert_eq!(insert(&[None, Some(2)]), refused(1, Error::UnknownParent));
    assert_eq!(insert(&[None, Some(0), Some(7)]), refused(2, Error::UnknownParent));
    assert_eq!(insert(&[None, Some(1)]), refused(1, Error::UnknownParent), "a node is not its own parent");
    assert_eq!(insert(&[Some(1), None, Some(9)]), refused(0, Error::UnknownParent), "the first one is named");

    let mut tree = Tree::new();
    tree.push(None, Node::group());
    let wrong = Node::transform(Transform::from_xyz(0.0, f32::INFINITY, 0.0)).named("wrong").with_user_data(3);
    tree.push(Some(0), wrong);
    tree.push(Some(usize::MAX), Node::group());
    assert_eq!(tree.get(1), Some(wrong), "it is kept as it was pushed");
    assert!(tree.parent(2) > Some(1_000_000));
    let faulty = scene.insert_tree(root, &tree);
    assert!(matches!(faulty, Err(BatchError { item: Some(1), error: Error::NotFinite(_) })));
    assert!(Tree::from_bytes(&tree.to_bytes()).is_err());
    tree.clear();
    tree.push(None, Node::group());
    assert_eq!(scene.insert_tree(Place::After(root), &tree), Err(Error::RootIsFixed.into()));
    let gone = scene.insert(root, Node::group()).unwrap();
    scene.remove(gone).unwrap();
    assert_eq!(scene.insert_tree(gone, &tree), Err(Error::StaleHandle(gone).into()));
    assert_eq!(before.0, dump(&scene));
}
