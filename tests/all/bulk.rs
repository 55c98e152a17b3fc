//! Inserted trees.

use fastrand::Rng;
use hedgerow::edit::BatchError;
use hedgerow::{Aabb, Drawable, Error, Layers, Mat34, Node, Place, Scene, Transform, Tree};
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
        6 => node.with_name(NAMES[number % 3]),
        7 => node.with_matrix(Mat34 { rows: [[1.0, 0.5, 0.0, 1.0], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]] }),
        _ => node,
    }
}

/// Larger than the trees of the model.
#[test]
fn a_large_tree_is_inserted_as_it_is() {
    let (mut dice, mut tree, mut scene) = (Rng::with_seed(4), Tree::with_capacity(6000), Scene::new());
    for number in 0..6000_usize {
        tree.push(number.checked_sub(1).map(|_| dice.usize(..number)), node(number));
    }
    let handles = scene.insert_tree(scene.root(), &tree).unwrap();
    scene.update();
    assert_eq!(scene.validate(), Ok(()));
    for (number, &handle) in handles.iter().enumerate() {
        let parent = tree.parent(number).map_or(scene.root(), |parent| handles[parent]);
        assert_eq!((scene.get(handle).unwrap().to_node(), scene.parent(handle)), (node(number), Some(parent)));
    }
    assert_eq!(scene.copy_tree(handles[0]).unwrap(), tree);
    assert_eq!((tree.len(), tree.get(6000), tree.parent(6000)), (6000, None, None));
}

#[test]
fn a_tree_that_was_cleared_is_filled_anew() {
    let mut tree = Tree::new();
    for name in ["first", "second"] {
        tree.clear();
        assert!(tree.is_empty() && tree == Tree::new());
        let top = tree.push(None, node(3).with_name(name));
        tree.push(Some(top), node(4));
        let nodes: Vec<_> = tree.iter().collect();
        assert_eq!(nodes, [(None, node(3).with_name(name)), (Some(top), node(4))]);
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
    let wrong = Node::transform(Transform::from_xyz(0.0, f32::INFINITY, 0.0)).with_name("wrong").with_user_data(3);
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
