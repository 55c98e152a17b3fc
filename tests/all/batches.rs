//! Batches have the same result as the same edits one by one; a refused list changes nothing.

use crate::trees::APART;
use fastrand::Rng;
use hedgerow::edit::BatchError;
use hedgerow::{Aabb, Drawable, Error, Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree};
use hedgerow_testkit::model::dump::dump;
use std::error::Error as _;

fn node(number: usize) -> Node<'static> {
    let place = Transform::from_xyz(number as f32, 1.0, 2.0);
    match number % 5 {
        0 | 1 => Node::transform(place),
        2 => Node::drawable(Drawable::new(u32::try_from(number).unwrap(), Aabb::cube(1.0))),
        3 => Node::transform(place).with_material(3).with_name("three"),
        _ => Node::group(),
    }
}

/// Returns a random tree of `count` nodes, and their handles.
fn tree(config: SceneConfig, count: usize, dice: &mut Rng) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::with_config(config).unwrap();
    let mut nodes = vec![scene.root()];
    for number in 1..count {
        let parent = nodes[dice.usize(..nodes.len())];
        nodes.push(scene.insert(parent, node(number)).unwrap());
    }
    (scene, nodes)
}

/// Batches are sorted if there are more than 8,192 nodes, which the model never has.
#[test]
fn a_batch_of_removals_in_a_large_scene_is_a_set() {
    let mut dice = Rng::with_seed(14);
    let (mut single, nodes) = tree(SceneConfig::DEFAULT, 9000, &mut dice);
    let mut batched = single.clone();
    let mut chosen: Vec<_> = (0..600).map(|_| nodes[1 + dice.usize(..nodes.len() - 1)]).collect();
    let below = |&node: &NodeHandle| single.get(node).and_then(|node| node.first_child()).map(|node| node.handle());
    chosen.extend(chosen.clone().iter().filter_map(below));
    let removed: usize = chosen.iter().filter_map(|&node| single.remove(node).ok()).sum();
    assert_eq!(batched.remove_many(&chosen), Ok(removed));
    batched.update();
    assert_eq!((dump(&batched), batched.validate()), (dump(&single), Ok(())));
    assert_eq!(batched.remove_many(&[]), Ok(0));
}

#[test]
fn a_refused_batch_of_moves_changes_nothing() {
    let mut scene = Scene::new();
    let root = scene.root();
    let flat = Transform::IDENTITY.with_scale(hedgerow::glam::Vec3::ZERO);
    let flat = scene.insert(root, Node::transform(flat)).unwrap();
    let place = scene.insert(root, node(1)).unwrap();
    let below = scene.insert(place, node(6)).unwrap();
    let gone = scene.insert(root, node(2)).unwrap();
    scene.remove(gone).unwrap();
    scene.update();
    let before = dump(&scene);
    let refused = |index, error| Err(BatchError { item: Some(index), error });
    for (items, keep, index, error) in [
        (vec![(below, root), (gone, root)], Keep::Local, 1, Error::StaleHandle(gone)),
        (vec![(below, root), (below, gone)], Keep::Local, 1, Error::StaleHandle(gone)),
        (vec![(below, root), (root, place)], Keep::Local, 1, Error::RootIsFixed),
        (vec![(flat, root), (place, place)], Keep::Local, 1, Error::WouldCycle { node: place, parent: place }),
        (vec![(flat, root), (place, below)], Keep::Local, 1, Error::WouldCycle { node: place, parent: below }),
        (vec![(place, below)], Keep::Local, 0, Error::WouldCycle { node: place, parent: below }),
        (vec![(flat, place), (place, flat)], Keep::Local, 0, Error::WouldCycle { node: flat, parent: place }),
        (vec![(below, root), (place, flat)], Keep::World, 1, Error::Singular(flat)),
    ] {
        assert_eq!(scene.reparent_many(&items, keep), refused(index, error));
        assert_eq!((dump(&scene), scene.validate()), (before.clone(), Ok(())));
    }
    assert_eq!(scene.reparent_many::<NodeHandle>(&[], Keep::World), Ok(()));
}

#[test]
fn a_list_of_moves_beside_siblings_is_that_of_single_moves() {
    let (mut made, mut refused) = (0, 0);
    for seed in 0..600 {
        let mut dice = Rng::with_seed(seed);
        let (mut scene, nodes) = tree(APART, 30, &mut dice);
        let mut item = || {
            let [node, at] = [(); 2].map(|()| nodes[1 + dice.usize(..29)]);
            let places = [Place::Before(at), Place::After(at), Place::FirstChildOf(at), Place::LastChildOf(at)];
            (node, places[dice.usize(..4)])
        };
        let items: Vec<(NodeHandle, Place)> = (0..5).map(|_| item()).collect();
        let keep = [Keep::Local, Keep::World][dice.usize(..2)];
        scene.update();
        let (before, mut single) = (scene.clone(), scene.clone());
        let each = items.iter().try_for_each(|&(node, place)| single.reparent(node, place, keep).map(|_| ()));
        let moves = |place: &Place| matches!(place, Place::Before(at) | Place::After(at) if items.iter().any(|(node, _)| node == at));
        let in_list = items.iter().position(|(_, place)| moves(place));
        match (scene.reparent_many(&items, keep), in_list) {
            (Ok(()), None) => {
                scene.update();
                for &node in nodes.iter().filter(|_| each.is_ok()) {
                    assert!(scene.children(node).eq(single.children(node)), "seed {seed}: {items:?}");
                }
                assert!(keep == Keep::World || each.is_err() || dump(&scene) == dump(&single), "seed {seed}");
                for &(node, _) in items.iter().filter(|_| keep == Keep::World) {
                    let [now, then] = [&scene, &before].map(|scene| scene.world(node).unwrap().translation());
                    assert!((now - then).length() < 1e-3, "seed {seed}: {now} for {then}");
                }
                made += usize::from(each.is_ok());
            }
            (Err(error), in_list) => {
                let expected =
                    in_list.map(|item| BatchError { item: Some(item), error: Error::PlaceInList(items[item].1) });
                assert!(expected.map_or(each.is_err(), |expected| error == expected), "seed {seed}: {error:?}");
                assert_eq!(dump(&scene), dump(&before), "seed {seed}");
                refused += 1;
            }
            (Ok(()), Some(_)) => panic!("seed {seed}: {items:?}"),
        }
        scene.validate().unwrap();
    }
    assert!(made > 100 && refused > 100, "{made} {refused}");
    let mut scene = Scene::new();
    let root = scene.root();
    let [a, b] = [Place::from(root), Place::Detached].map(|place| scene.insert(place, Node::group()).unwrap());
    // An index would mean another place after the moves before it.
    let indexed = Place::Child(root, 0);
    for (place, error) in [
        (Place::Before(root), Error::RootIsFixed),
        (Place::Before(b), Error::BesideDetached(b)),
        (indexed, Error::PlaceInList(indexed)),
    ] {
        let done = scene.reparent_many(&[(a, place)], Keep::Local);
        assert_eq!(done, Err(BatchError { item: Some(0), error }));
    }
}

#[test]
fn an_iterator_that_has_ended_is_not_asked_again() {
    let mut scene = Scene::new();
    let root = scene.root();
    for count in [0_usize, 1, 64] {
        let mut left = Some(count);
        let items = core::iter::from_fn(|| {
            left = left.expect("it has ended").checked_sub(1);
            left.map(|_| (root, Transform::IDENTITY))
        });
        scene.set_locals(items).unwrap();
        assert_eq!(left, None);
    }
}

#[test]
fn a_list_of_moves_takes_first_and_last_children_and_the_outside() {
    let mut scene = Scene::new();
    let root = scene.root();
    let nodes: Vec<NodeHandle> = (0..6).map(|_| scene.insert(root, Node::group()).unwrap()).collect();
    let places = [
        (nodes[1], Place::FirstChildOf(nodes[0])),
        (nodes[2], Place::FirstChildOf(nodes[0])),
        (nodes[3], Place::LastChildOf(nodes[0])),
        (nodes[0], Place::Detached),
        (nodes[4], Place::FirstChildOf(root)),
        (nodes[5], Place::FirstChildOf(root)),
    ];
    let mut single = scene.clone();
    scene.reparent_many(&places, Keep::World).unwrap();
    places.iter().for_each(|&(node, place)| _ = single.reparent(node, place, Keep::World).unwrap());
    assert_eq!(scene.validate(), Ok(()));
    assert!(scene.children(root).eq([nodes[5], nodes[4]]) && single.children(root).eq([nodes[5], nodes[4]]));
    assert!(scene.children(nodes[0]).eq([nodes[2], nodes[1], nodes[3]]));
    assert!(single.children(nodes[0]).eq([nodes[2], nodes[1], nodes[3]]));
    let detached = |scene: &Scene| scene.detached().map(|node| node.handle()).collect::<Vec<_>>();
    assert_eq!([detached(&scene), detached(&single)], [[nodes[0]], [nodes[0]]]);
}

#[test]
fn a_list_of_subtrees_with_a_wrong_handle_changes_nothing() {
    let mut scene = Scene::new();
    let root = scene.root();
    let [car, gone] = [(); 2].map(|()| scene.insert(root, Node::group()).unwrap());
    scene.remove(gone).unwrap();
    let refused = |item, error| Err(BatchError { item: Some(item), error });
    let mut detach = |nodes: &[NodeHandle]| {
        let items: Vec<_> = nodes.iter().map(|&node| (node, Place::Detached)).collect();
        scene.reparent_many(&items, Keep::Local)
    };
    assert_eq!(detach(&[car, gone]), refused(1, Error::StaleHandle(gone)));
    assert_eq!(detach(&[car, car, root]), refused(2, Error::RootIsFixed));
    for place in [Place::Before(car), Place::After(car), Place::Child(root, 0)] {
        let items = [(car, Place::Detached), (car, place)];
        assert_eq!(scene.reparent_many(&items, Keep::Local), refused(1, Error::PlaceInList(place)));
    }
    assert_eq!(scene.parent(car), Some(root));
    assert_eq!(scene.topmost(&[car, gone]), Err(BatchError { item: Some(1), error: Error::StaleHandle(gone) }));
    assert_eq!(scene.topmost(&[car, root]), Ok(vec![root]));
}

#[test]
fn a_refused_batch_names_its_first_bad_item_and_changes_nothing() {
    let (mut scene, nodes) = tree(SceneConfig::DEFAULT, 500, &mut Rng::with_seed(5));
    let root = scene.root();
    let stale = scene.insert(root, Node::group()).unwrap();
    scene.remove(stale).unwrap();
    scene.insert(root, Node::group()).unwrap();
    scene.update();
    let seen = |scene: &Scene| format!("{} {:?}", dump(scene), scene.stats());
    let before = seen(&scene);
    let refused = |index, error| BatchError { item: Some(index), error };

    let mut tree = Tree::new();
    for number in 0..300 {
        let x = if number >= 170 { f32::NAN } else { 0.0 };
        tree.push(None, Node::transform(Transform::from_xyz(x, 0.0, 0.0)));
    }
    let error = scene.insert_tree(nodes[3], &tree).unwrap_err();
    assert!(matches!(error, BatchError { item: Some(170), error: Error::NotFinite(_) }));
    assert!(error.source().is_some_and(|source| error.to_string().ends_with(&source.to_string())));

    assert_eq!(scene.remove_many(&[nodes[5], root, stale]), Err(refused(1, Error::RootIsFixed)));
    assert_eq!(scene.remove_many(&[nodes[5], nodes[5], stale]), Err(refused(2, Error::StaleHandle(stale))));

    let with = *nodes.iter().find(|&&node| scene.local(node).is_some()).unwrap();
    let fine = (with, Transform::from_xyz(9.0, 9.0, 9.0));
    let flat = fine.1.with_rotation(hedgerow::glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(scene.set_locals([(stale, fine.1), fine]), Err(refused(0, Error::StaleHandle(stale))));
    assert_eq!(scene.set_locals([(with, flat), fine]), Err(refused(0, Error::NotRotation)));

    assert!(before == seen(&scene), "a refused batch changed something");
    scene.validate().unwrap();
}
