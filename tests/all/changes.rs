//! The report of an update: handles, and previous matrices.

use crate::trees::{APART, group};
use crate::watched::Watched;
use hedgerow::glam::Vec3;
use hedgerow::{
    Error, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform,
    changes::ChangeReader,
    visit::{Flow, SliceViewMut, SliceVisitorMut, TransformPass},
};
use hedgerow_testkit::model::dump::same_slice;
use std::time::Duration;

const TOLD: SceneConfig = SceneConfig { changes: true, ..APART };

fn scene() -> Watched {
    Watched::new(TOLD)
}

fn at(x: f32) -> Transform {
    Transform::from_xyz(x, 0.0, 0.0)
}

fn placed(scene: &mut Scene, parent: NodeHandle, x: f32) -> NodeHandle {
    scene.insert(parent, Node::transform(at(x))).unwrap()
}

fn update(scene: &mut Watched) -> [usize; 4] {
    scene.update().counts()
}

#[test]
fn the_first_feed_tells_of_every_node_and_the_second_of_none() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    let wheel = group(&mut scene, car);
    scene.update();
    assert_eq!(scene.told.entered, [scene.root(), car, wheel]);
    assert_eq!(scene.told.counts(), [0, 0, 3, 0]);
    assert_eq!(update(&mut scene), [0; 4]);
    assert!(scene.told.is_still());
}

#[test]
fn a_scene_that_tracks_no_changes_refuses_to_tell_them() {
    let mut scene = Scene::new();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    scene.update();
    assert_eq!(scene.changes(&mut ChangeReader::new()).unwrap_err(), Error::NoChanges);
    assert_eq!(scene.get(car).and_then(|node| node.previous_world()), None);
}

#[test]
fn nodes_without_transforms_move_with_the_nearest_above_through_every_slice() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    let seat = group(&mut scene, car);
    let driver = group(&mut scene, seat);
    let other = placed(&mut scene, root, 5.0);
    scene.update();
    scene.set_local(car, at(2.0)).unwrap();
    scene.update();
    let mut moved = scene.told.moved.to_vec();
    moved.sort_unstable();
    let mut expected = [car, seat, driver];
    expected.sort_unstable();
    assert_eq!(moved, expected);
    assert!(!scene.told.moved.contains(&other));
}

#[test]
fn a_node_that_goes_and_comes_back_within_a_frame_has_not_moved() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    let seat = group(&mut scene, car);
    scene.update();
    scene.set_local(car, at(2.0)).unwrap();
    scene.set_local(car, at(1.0)).unwrap();
    scene.reparent(seat, root, Keep::Local).unwrap();
    scene.reparent(seat, car, Keep::Local).unwrap();
    assert_eq!(update(&mut scene), [0; 4]);
}

#[test]
fn a_reparented_node_without_a_transform_has_moved_only_if_its_new_parent_is_elsewhere() {
    let mut scene = scene();
    let root = scene.root();
    let [car, alike, bus] = [1.0, 1.0, 2.0].map(|x| placed(&mut scene, root, x));
    let seat = group(&mut scene, car);
    let driver = group(&mut scene, seat);
    scene.update();
    let world = *scene.world(driver).unwrap();
    scene.reparent(seat, alike, Keep::Local).unwrap();
    assert_eq!(update(&mut scene), [0; 4], "both cars are in one place");
    scene.reparent(seat, bus, Keep::Local).unwrap();
    assert_eq!(update(&mut scene), [2, 0, 0, 0]);
    assert_eq!(scene.get(driver).unwrap().previous_world(), Some(&world));
    assert_eq!(update(&mut scene), [0; 4]);
    assert_eq!(scene.get(driver).and_then(|node| node.previous_world()), scene.world(driver));
}

#[test]
fn adding_and_removing_a_transform_moves_what_goes_by_it() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    let seat = group(&mut scene, car);
    let driver = group(&mut scene, seat);
    scene.update();
    scene.set_local(seat, Transform::IDENTITY).unwrap();
    assert_eq!(update(&mut scene), [0; 4], "the seat is where it was");
    scene.set_local(seat, at(3.0)).unwrap();
    scene.edit(seat).unwrap().set_local(None).unwrap();
    assert_eq!(update(&mut scene), [0; 4]);
    scene.set_local(seat, at(3.0)).unwrap();
    assert_eq!(update(&mut scene), [2, 0, 0, 0]);
    scene.edit(seat).unwrap().set_local(None).unwrap();
    assert_eq!(update(&mut scene), [2, 0, 0, 0]);
    assert_eq!(scene.get(driver).unwrap().previous_world().unwrap().translation().x, 4.0);
}

#[test]
fn of_what_came_and_went_within_a_frame_only_the_removal_is_told() {
    let mut scene = scene();
    let root = scene.root();
    let old = placed(&mut scene, root, 1.0);
    scene.update();
    // The next node reuses the record of the one removed before.
    let mut gone = Vec::new();
    for _ in 0..3 {
        let brief = placed(&mut scene, old, 1.0);
        gone.extend([brief, group(&mut scene, brief)]);
        scene.remove(brief).unwrap();
    }
    assert_eq!(update(&mut scene), [0; 4]);
    assert!(scene.told.edited.is_empty() && scene.told.locals.is_empty());
    scene.told.removed.sort_unstable();
    gone.sort_unstable();
    assert_eq!(scene.told.removed, gone);
    scene.remove(old).unwrap();
    let new = placed(&mut scene, root, 2.0);
    scene.update();
    assert_eq!((&*scene.told.entered, &*scene.told.left), (&[new][..], &[old][..]));
    assert!(!scene.contains(old) && scene.told.moved.is_empty());
}

#[test]
fn clearing_a_scene_leaves_its_root() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    group(&mut scene, car);
    scene.update();
    scene.clear();
    assert_eq!(update(&mut scene), [0, 0, 0, 2]);
}

#[test]
fn endless_edits_without_an_update_note_no_more_than_there_are_nodes() {
    let mut scene = scene();
    let root = scene.root();
    let churn = |scene: &mut Scene| {
        for _ in 0..20_000 {
            let brief = group(scene, root);
            scene.remove(brief).unwrap();
        }
        scene.stats().overhead_bytes
    };
    let before = churn(&mut scene);
    assert_eq!(churn(&mut scene), before);
    assert_eq!(update(&mut scene), [0, 0, 1, 0]);
}

#[test]
fn visibility_is_told_of_those_whose_mask_changed() {
    let mut scene = scene();
    let root = scene.root();
    let house = scene.insert(root, Node::group().with_layers(Layers::new(3))).unwrap();
    let room = group(&mut scene, house);
    let hidden = scene.insert(room, Node::group().with_layers(Layers::new(4))).unwrap();
    let below = group(&mut scene, hidden);
    assert_eq!(update(&mut scene), [0, 0, 5, 0]);
    scene.edit(house).unwrap().set_layers(Layers::new(1));
    scene.update();
    let mut told = scene.told.visibility.to_vec();
    told.sort_unstable();
    let mut expected = [house, room];
    expected.sort_unstable();
    assert_eq!(told, expected);
    scene.edit(hidden).unwrap().set_layers(None);
    assert_eq!(update(&mut scene), [0, 2, 0, 0], "what was on no layer is on that of the house");
    scene.reparent(below, root, Keep::Local).unwrap();
    scene.update();
    assert_eq!(scene.told.visibility, [below]);
}

#[test]
fn what_stops_is_at_rest_one_update_later() {
    let mut scene = scene();
    let root = scene.root();
    let [car, bus] = [1.0, 2.0].map(|x| placed(&mut scene, root, x));
    scene.update();
    assert_eq!(
        scene.get(car).and_then(|node| node.previous_world()),
        scene.world(car),
        "a node that entered has not moved"
    );
    scene.set_local(car, at(7.0)).unwrap();
    scene.update();
    assert_eq!(scene.get(car).unwrap().previous_world().unwrap().translation().x, 1.0);
    // The bus moves, then no node moves.
    scene.set_local(bus, at(8.0)).unwrap();
    scene.update();
    assert_eq!(scene.get(car).unwrap().previous_world().unwrap().translation().x, 7.0);
    assert_eq!(scene.get(bus).unwrap().previous_world().unwrap().translation().x, 2.0);
    scene.update();
    assert_eq!(scene.get(bus).unwrap().previous_world().unwrap().translation().x, 8.0);
}

/// Moves every node with a transform by one metre along x, and computes world matrices.
struct Shove;

impl SliceVisitorMut for Shove {
    fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
        for slot in 1..slice.view().transforms().len() {
            let local = slice.view().transforms().local(slot).and_then(|local| local.transform());
            if let Some(local) = local {
                slice.set_local(slot, local.with_translation(local.translation + hedgerow::glam::Vec3::X)).unwrap();
            }
        }
        TransformPass::dirty().slice_mut(slice)
    }
}

#[test]
fn what_a_visitor_moves_is_told_by_the_next_update() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    let seat = group(&mut scene, car);
    scene.update();
    scene.set_local(car, at(2.0)).unwrap();
    scene.update();
    scene.visit_slices_mut(&mut Shove);
    assert_eq!(scene.world(car).unwrap().translation().x, 3.0);
    assert_eq!(update(&mut scene), [2, 0, 0, 0]);
    assert_eq!(scene.get(car).unwrap().previous_world().unwrap().translation().x, 2.0);
    assert_eq!(scene.get(seat).unwrap().previous_world().unwrap().translation().x, 2.0);
}

#[test]
fn maintenance_changes_nothing_that_is_told_of_nodes() {
    let mut scene = Watched::new(SceneConfig { max_nodes: 64, ..TOLD });
    let root = scene.root();
    let mut nodes = vec![placed(&mut scene, root, 1.0)];
    for step in 0..2000 {
        let parent = nodes[step * 7 % nodes.len().min(40)];
        let node = if step % 3 == 0 { group(&mut scene, parent) } else { placed(&mut scene, parent, 1.0) };
        nodes.push(node);
    }
    scene.update();
    // One node in sixteen stays, with its ancestors. The slices of these nodes are small.
    for (at, &node) in nodes.iter().enumerate().rev() {
        if at % 16 > 0 && scene.get(node).and_then(|node| node.first_child()).is_none() {
            scene.remove(node).unwrap();
        }
    }
    nodes.retain(|&node| scene.contains(node));
    scene.update();
    scene.set_local(nodes[0], at(2.0)).unwrap();
    assert_eq!(update(&mut scene), [nodes.len(), 0, 0, 0]);
    let previous: Vec<Option<Mat34>> =
        nodes.iter().map(|&node| scene.get(node).and_then(|node| node.previous_world()).copied()).collect();
    let before = scene.stats().slices;
    assert!(scene.maintain(Duration::MAX).merged > 0 && scene.stats().slices < before, "{} nodes", nodes.len());
    scene.shrink_to_fit();
    let kept = nodes.iter().map(|&node| scene.get(node).and_then(|node| node.previous_world()).copied());
    assert!(kept.eq(previous), "rows moved, and what was remembered of them went along");
    assert_eq!(update(&mut scene), [0; 4]);
    assert!(scene.told.locals.is_empty() && scene.told.edited.is_empty());
    assert!(nodes.iter().all(|&node| scene.get(node).and_then(|node| node.previous_world()) == scene.world(node)));
}

#[test]
fn what_goes_to_other_slices_and_stays_at_the_origin_has_not_moved() {
    let mut scene = Watched::new(SceneConfig { max_nodes: 16, ..TOLD });
    let root = scene.root();
    let top = placed(&mut scene, root, 0.0);
    let seats: Vec<NodeHandle> = (0..60).map(|_| group(&mut scene, top)).collect();
    assert_eq!(update(&mut scene), [0, 0, 62, 0]);
    scene.validate().unwrap();
    // Moves one node below the root, and one below a node in another slice.
    for pair in seats[..40].chunks(2) {
        scene.reparent(pair[0], root, Keep::Local).unwrap();
        scene.reparent(pair[1], seats[59], Keep::Local).unwrap();
        assert_eq!(update(&mut scene), [0; 4]);
        assert!(
            pair.iter().all(|&seat| scene.get(seat).and_then(|node| node.previous_world()) == Some(&Mat34::IDENTITY))
        );
    }
    scene.maintain(Duration::MAX);
    assert_eq!(update(&mut scene), [0; 4]);
    assert!(seats.iter().all(|&seat| scene.get(seat).and_then(|node| node.previous_world()) == Some(&Mat34::IDENTITY)));
    scene.validate().unwrap();
}

#[test]
fn lists_with_a_node_are_not_empty() {
    let mut scene = Scene::with_config(TOLD).unwrap();
    let root = scene.root();
    let node = placed(&mut scene, root, 1.0);
    let visitor = scene.insert(root, Node::group()).unwrap();
    scene.update();
    let mut reader = ChangeReader::new();
    scene.changes(&mut reader).unwrap();
    let mut is_empty = |scene: &mut Scene| {
        scene.update();
        scene.changes(&mut reader).unwrap().is_empty()
    };
    assert!(is_empty(&mut scene));
    // Each edit goes to the list of one kind only.
    scene.edit(node).unwrap().set_name("moon");
    assert!(!is_empty(&mut scene));
    scene.set_local(node, at(2.0)).unwrap();
    assert!(!is_empty(&mut scene));
    scene.reparent(visitor, Place::Detached, Keep::Local).unwrap();
    assert!(!is_empty(&mut scene));
    assert!(is_empty(&mut scene));
}

#[test]
fn a_detached_subtree_has_left_and_an_attached_one_has_entered() {
    let mut scene = scene();
    let root = scene.root();
    let [car, bus] = [1.0, 2.0].map(|x| placed(&mut scene, root, x));
    let seat = group(&mut scene, car);
    let driver = group(&mut scene, seat);
    scene.update();

    scene.reparent(seat, Place::Detached, Keep::Local).unwrap();
    scene.reparent(seat, car, Keep::Local).unwrap();
    assert_eq!(update(&mut scene), [0; 4], "it went and came back");

    scene.reparent(seat, Place::Detached, Keep::Local).unwrap();
    assert_eq!(update(&mut scene), [0, 0, 0, 2]);
    scene.set_local(seat, at(3.0)).unwrap();
    let guest = group(&mut scene, seat);
    assert_eq!(update(&mut scene), [0; 4], "what is detached is told nothing of");

    scene.reparent(seat, bus, Keep::Local).unwrap();
    scene.update();
    let mut entered = scene.told.entered.to_vec();
    entered.sort_unstable();
    let mut expected = [seat, driver, guest];
    expected.sort_unstable();
    assert_eq!((entered, scene.told.counts()), (expected.to_vec(), [0, 0, 3, 0]));
    assert!(expected.iter().all(|&node| scene.get(node).and_then(|node| node.previous_world()) == scene.world(node)));
    assert_eq!(update(&mut scene), [0; 4]);
    scene.validate().unwrap();
}

#[test]
fn a_subtree_that_was_elsewhere_in_between_has_moved_if_it_came_back_to_another_place() {
    let mut scene = scene();
    let root = scene.root();
    let [car, bus] = [1.0, 2.0].map(|x| placed(&mut scene, root, x));
    let seat = group(&mut scene, car);
    group(&mut scene, seat);
    scene.update();
    scene.reparent(seat, Place::Detached, Keep::Local).unwrap();
    scene.reparent(seat, bus, Keep::Local).unwrap();
    assert_eq!(update(&mut scene), [2, 0, 0, 0]);
    assert_eq!(scene.get(seat).unwrap().previous_world().unwrap().translation().x, 1.0);
}

#[test]
fn a_record_that_serves_outside_of_the_tree_confuses_nobody() {
    let mut scene = scene();
    let root = scene.root();
    let shelf = group(&mut scene, root);
    let old: Vec<_> = (0..8).map(|_| group(&mut scene, shelf)).collect();
    scene.update();
    scene.reparent(shelf, Place::Detached, Keep::Local).unwrap();
    scene.reparent(shelf, root, Keep::Local).unwrap();
    old.iter().for_each(|&node| assert_eq!(scene.remove(node), Ok(1)));
    scene.reparent(shelf, Place::Detached, Keep::Local).unwrap();
    let new: Vec<_> = (0..8).map(|_| group(&mut scene, shelf)).collect();
    scene.reparent(shelf, root, Keep::Local).unwrap();
    scene.update();
    let sorted = |nodes: &[NodeHandle]| {
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        nodes
    };
    assert_eq!(sorted(&scene.told.entered), sorted(&new));
    assert_eq!(sorted(&scene.told.left), sorted(&old));
}

#[test]
fn whatever_was_removed_is_told_once_however_it_stood() {
    let mut scene = Watched::new(TOLD);
    let root = scene.root();
    let nodes: Vec<NodeHandle> = (0..5).map(|_| scene.insert(root, Node::group()).unwrap()).collect();
    let [stays, attached, detached, at_once, returned] = nodes[..] else { unreachable!("there are five") };
    let below = scene.insert(detached, Node::group()).unwrap();
    scene.reparent(returned, Place::Detached, Keep::Local).unwrap();
    scene.update();
    scene.reparent(detached, Place::Detached, Keep::Local).unwrap();
    scene.remove(attached).unwrap();
    scene.reparent(at_once, Place::Detached, Keep::Local).unwrap();
    scene.remove(at_once).unwrap();
    let mut told = scene.update().clone();
    told.left.sort_unstable();
    assert_eq!((&*told.left, &*told.removed), (&[attached, detached, at_once, below][..], &[attached, at_once][..]));
    scene.remove(detached).unwrap();
    scene.reparent(returned, root, Keep::Local).unwrap();
    scene.remove(returned).unwrap();
    let short = scene.insert(root, Node::group()).unwrap();
    scene.remove(short).unwrap();
    let told = scene.update();
    assert_eq!((&*told.left, &*told.removed), (&[][..], &[detached, below, returned, short][..]));
    scene.maintain(Duration::MAX);
    assert!(scene.update().removed.is_empty() && scene.contains(stays));
}

#[test]
fn a_tree_that_is_built_at_once_enters_as_one_that_is_inserted() {
    let mut tree = hedgerow::Tree::new();
    let top = tree.push(None, Node::transform(at(1.0)));
    let mut last = top;
    for step in 0..2000 {
        let node = if step % 2 == 0 { Node::group() } else { Node::transform(at(1.0)) };
        last = tree.push(Some(if step % 5 == 0 { top } else { last }), node);
    }
    let mut built = scene();
    let root_of_built = built.root();
    built.update();
    let nodes = built.insert_tree(root_of_built, &tree).unwrap();
    assert_eq!(update(&mut built), [0, 0, nodes.len(), 0]);
    built.set_local(nodes[0], at(2.0)).unwrap();
    assert_eq!(update(&mut built), [nodes.len(), 0, 0, 0]);
    built.validate().unwrap();

    // Nodes below a detached node are not in the tree yet.
    let mut scene = scene();
    let root = scene.root();
    let shelf = group(&mut scene, root);
    scene.update();
    scene.reparent(shelf, Place::Detached, Keep::Local).unwrap();
    let copy = built.tree(nodes[0]).unwrap();
    built.insert_tree(root_of_built, &copy).unwrap();
    assert_eq!(update(&mut built), [0, 0, nodes.len(), 0]);
    let inserted = scene.insert_tree(shelf, &tree).unwrap();
    assert_eq!(update(&mut scene), [0, 0, 0, 1]);
    scene.reparent(shelf, root, Keep::Local).unwrap();
    assert_eq!(update(&mut scene), [0, 0, 1 + inserted.len(), 0]);
}

#[test]
fn an_old_node_below_a_new_one_has_moved_when_that_is_given_a_transform() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    let driver = group(&mut scene, car);
    scene.update();
    let seat = group(&mut scene, car);
    scene.reparent(driver, seat, Keep::Local).unwrap();
    scene.set_local(seat, at(3.0)).unwrap();
    scene.update();
    assert_eq!((&*scene.told.moved, &*scene.told.entered), (&[driver][..], &[seat][..]));
    assert_eq!(scene.get(driver).unwrap().previous_world().unwrap().translation().x, 1.0);
    assert_eq!(scene.get(seat).unwrap().previous_world().unwrap().translation().x, 4.0);
}

#[test]
fn a_loaded_scene_is_read_as_it_is_and_tells_what_happens_then() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    let seat = group(&mut scene, car);
    let shelf = group(&mut scene, car);
    scene.reparent(shelf, Place::Detached, Keep::Local).unwrap();
    scene.update();
    let mut loaded = Watched::of(Scene::from_bytes(&scene.to_bytes()).unwrap());
    assert_eq!(update(&mut loaded), [0; 4], "it is up to date");
    assert_eq!(loaded.get(seat).and_then(|node| node.previous_world()), loaded.world(seat));
    loaded.set_local(car, at(2.0)).unwrap();
    assert_eq!(update(&mut loaded), [2, 0, 0, 0]);
    assert_eq!(loaded.get(seat).unwrap().previous_world().unwrap().translation().x, 1.0);
    loaded.reparent(shelf, car, Keep::Local).unwrap();
    loaded.update();
    assert_eq!(loaded.told.entered, [shelf]);
    loaded.validate().unwrap();
}

#[test]
fn a_reader_that_lags_is_told_what_moved_with_its_new_parent_and_was_hidden_with_it() {
    let mut scene = Scene::with_config(SceneConfig { change_history: 64, ..TOLD }).unwrap();
    let root = scene.root();
    let [from, to] = [(1.0, 3), (5.0, 2)].map(|(x, layers)| {
        let parent = Node::transform(at(x)).with_layers(Layers::new(layers));
        scene.insert(root, parent).unwrap()
    });
    let node = group(&mut scene, from);
    scene.update();
    let (mut often, mut rarely) = (ChangeReader::new(), ChangeReader::new());
    for reader in [&mut often, &mut rarely] {
        scene.changes(reader).unwrap();
    }
    scene.reparent(node, to, Keep::Local).unwrap();
    // Before the update, the new parent gets the transform and the layers of the old one.
    scene.set_local(to, at(1.0)).unwrap();
    scene.edit(to).unwrap().set_layers(Layers::new(3));
    scene.update();
    let told = scene.changes(&mut often).unwrap();
    assert_eq!((told.moved(), told.visibility()), (&[to][..], &[to][..]));
    scene.set_local(to, at(2.0)).unwrap();
    scene.edit(to).unwrap().set_layers(Layers::new(1));
    scene.update();
    for reader in [&mut often, &mut rarely] {
        let told = scene.changes(reader).unwrap();
        for mut list in [told.moved().to_vec(), told.visibility().to_vec()] {
            list.sort_unstable();
            assert_eq!(list, if to < node { [to, node] } else { [node, to] });
        }
    }
}

#[test]
fn a_leaf_with_a_name_is_told_as_removed() {
    let mut scene = scene();
    let root = scene.root();
    let top = group(&mut scene, root);
    let leaves = [(); 3].map(|()| scene.insert(top, Node::transform(at(1.0)).named("leaf")).unwrap());
    update(&mut scene);
    scene.remove(leaves[1]).unwrap();
    scene.validate().unwrap();
    update(&mut scene);
    assert_eq!(scene.told.removed, [leaves[1]]);
    scene.validate().unwrap();
}

#[test]
fn a_material_sets_and_moves_nothing_below_it() {
    let mut scene = scene();
    let root = scene.root();
    let top = group(&mut scene, root);
    let nodes: Vec<_> = (0..10).map(|_| placed(&mut scene, top, 1.0)).collect();
    update(&mut scene);
    scene.edit(top).unwrap().set_material(3);
    assert_eq!(update(&mut scene), [0; 4]);
    assert_eq!((scene.told.locals.len(), scene.get(nodes[9]).and_then(|node| node.material())), (0, Some(3)));
}

#[test]
fn what_is_detached_is_told_of_when_it_is_removed_and_not_when_it_is_edited() {
    let mut scene = scene();
    let root = scene.root();
    let shelf = group(&mut scene, root);
    let book = group(&mut scene, shelf);
    scene.update();
    scene.reparent(shelf, Place::Detached, Keep::Local).unwrap();
    scene.update();
    scene.edit(book).unwrap().set_name("Emma");
    scene.update();
    assert!(scene.told.edited.is_empty() && scene.told.is_still());
    scene.remove(book).unwrap();
    scene.update();
    assert_eq!((&*scene.told.removed, &*scene.told.left), (&[book][..], &[][..]));
}

#[test]
fn a_node_that_goes_and_comes_back_within_a_frame_is_seen_as_before() {
    let mut scene = scene();
    let root = scene.root();
    let [house, hut] = [3, 1].map(|layers| {
        let node = Node::group().with_layers(Layers::new(layers));
        scene.insert(root, node).unwrap()
    });
    let cat = group(&mut scene, house);
    scene.update();
    scene.reparent(cat, hut, Keep::Local).unwrap();
    scene.reparent(cat, house, Keep::Local).unwrap();
    scene.validate().unwrap();
    assert_eq!(update(&mut scene), [0; 4]);
    // Layers on the node that hide nothing make no difference.
    scene.edit(cat).unwrap().set_layers(Layers::new(3));
    assert_eq!(update(&mut scene), [0; 4]);
}

#[test]
fn what_was_inserted_since_the_update_has_not_moved_with_its_parent() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    scene.update();
    scene.set_local(car, at(2.0)).unwrap();
    Scene::update(&mut scene);
    group(&mut scene, car);
    assert_eq!(scene.read().moved, [car]);
}

#[test]
fn an_old_node_below_a_new_one_has_moved_also_from_the_origin() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 0.0);
    let driver = group(&mut scene, car);
    scene.update();
    let seat = placed(&mut scene, car, 3.0);
    scene.reparent(driver, seat, Keep::Local).unwrap();
    scene.update();
    assert_eq!((&*scene.told.moved, &*scene.told.entered), (&[driver][..], &[seat][..]));
    assert_eq!(scene.get(driver).unwrap().previous_world(), Some(&Mat34::IDENTITY));
}

#[test]
fn what_is_given_transforms_while_it_is_detached_knows_where_it_was_before() {
    let mut scene = scene();
    let root = scene.root();
    let car = placed(&mut scene, root, 5.0);
    let seat = group(&mut scene, car);
    let belt = group(&mut scene, seat);
    scene.update();
    scene.reparent(seat, Place::Detached, Keep::Local).unwrap();
    scene.set_local(belt, Transform::IDENTITY).unwrap();
    scene.set_local(seat, Transform::IDENTITY).unwrap();
    scene.reparent(seat, car, Keep::Local).unwrap();
    assert_eq!(update(&mut scene), [0; 4]);
    assert!([seat, belt].iter().all(|&node| scene.get(node).unwrap().previous_world().unwrap().translation().x == 5.0));
    scene.validate().unwrap();
}

#[test]
fn a_transform_that_was_set_and_removed_at_the_end_of_a_slice_is_passed_over() {
    let mut scene = scene();
    let root = scene.root();
    let top = placed(&mut scene, root, 1.0);
    let nodes: Vec<NodeHandle> = (0..75).map(|_| placed(&mut scene, top, 1.0)).collect();
    scene.update();
    scene.set_local(nodes[74], at(2.0)).unwrap();
    scene.remove(nodes[74]).unwrap();
    assert_eq!(update(&mut scene), [0, 0, 0, 1]);
    scene.validate().unwrap();
}

#[test]
fn a_material_and_a_mask_that_change_together_reach_the_slices_below() {
    let mut scene = scene();
    let root = scene.root();
    let house = scene.insert(root, Node::material(1).with_layers(Layers::new(3))).unwrap();
    let room = group(&mut scene, house);
    scene.update();
    scene.edit(house).unwrap().set_material(2);
    scene.edit(house).unwrap().set_layers(Layers::new(1));
    scene.update();
    assert_eq!(
        (scene.get(room).and_then(|node| node.material()), scene.get(room).map(|node| node.layers()).map(Layers::mask)),
        (Some(2), Some(1))
    );
    scene.validate().unwrap();
}

#[test]
fn an_update_computes_what_is_detached() {
    let mut scene = scene();
    let root = scene.root();
    let shelf = placed(&mut scene, root, 1.0);
    let book = group(&mut scene, shelf);
    scene.update();
    scene.reparent(shelf, Place::Detached, Keep::Local).unwrap();
    scene.update();
    scene.set_local(shelf, at(4.0)).unwrap();
    scene.update();
    assert_eq!(scene.world(book).unwrap().translation().x, 4.0);
    scene.validate().unwrap();
}

#[test]
fn what_a_slice_inherits_stays_as_it_is_also_where_it_is_too_large_for_a_number() {
    let mut scene = scene();
    let root = scene.root();
    let huge = |x: f32| at(x).with_scale(Vec3::splat(1e30));
    let top = scene.insert(root, Node::transform(huge(0.0))).unwrap();
    let car = scene.insert(top, Node::transform(huge(1.0))).unwrap();
    let seat = group(&mut scene, car);
    (0..40).for_each(|_| _ = placed(&mut scene, seat, 1.0));
    scene.update();
    scene.set_local(car, huge(2.0)).unwrap();
    scene.update();
    assert_eq!(scene.world(car).unwrap().rows[0], [f32::INFINITY, 0.0, 0.0, 2e30]);
    scene.validate().unwrap();
}

#[test]
fn what_is_below_a_node_moves_when_that_loses_its_transform_in_the_update_that_joins_their_slices() {
    for own in [false, true] {
        let mut scene = scene();
        let root = scene.root();
        let parent = placed(&mut scene, root, 1.0);
        let add = |_| if own { placed(&mut scene, parent, 2.0) } else { group(&mut scene, parent) };
        let mut others: Vec<NodeHandle> = (0..12).map(add).collect();
        let last = others.pop().unwrap();
        scene.update();
        assert!(!same_slice(&scene, parent, last));
        others.iter().for_each(|&node| _ = scene.remove(node).unwrap());
        scene.edit(parent).unwrap().set_local(None).unwrap();
        scene.update();
        scene.validate().unwrap();
        assert!(same_slice(&scene, parent, last));
        assert_eq!(scene.told.moved.len(), 2);
        for node in [parent, last] {
            assert_eq!(scene.world(node).copied(), scene.get(node).map(|node| node.fresh_world()));
            let [before, now] = [scene.get(node).and_then(|node| node.previous_world()), scene.world(node)]
                .map(|world| world.unwrap().translation());
            assert_eq!(before - now, Vec3::X);
        }
    }
}

/// Merging gives nodes other slots, which is logged, here after an update without changes.
#[test]
fn maintenance_keeps_the_history_within_its_limit() {
    let config = SceneConfig { max_nodes: 64, changes: true, change_history: 1, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    let body = placed(&mut scene, car, 2.0);
    let parts: Vec<_> = (0..600).map(|_| scene.insert(body, Node::group()).unwrap()).collect();
    scene.update();
    let mut reader = ChangeReader::of(&scene);
    // Few parts are left in each slice, and they move with the car from now on.
    parts.iter().enumerate().filter(|(at, _)| at % 20 != 0).for_each(|(_, &part)| _ = scene.remove(part).unwrap());
    scene.edit(body).unwrap().set_local(None).unwrap();
    scene.update();
    let moved = scene.changes(&mut reader).unwrap().moved().len();
    assert_eq!(moved, 31, "the body and its parts");
    scene.update();
    assert!(scene.maintain(Duration::MAX).merged > 0);
    assert_eq!(scene.validate(), Ok(()));
    assert!(scene.changes(&mut reader).unwrap().is_empty());
}

#[test]
fn a_new_node_with_the_record_of_one_that_had_moved_is_not_told_to_have() {
    let mut scene = Scene::with_config(TOLD).unwrap();
    let parent = scene.insert(scene.root(), Node::transform(at(0.0))).unwrap();
    let old = scene.insert(parent, Node::group()).unwrap();
    let mut reader = ChangeReader::new();
    scene.update();
    scene.changes(&mut reader).unwrap();
    scene.set_local(parent, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    scene.update();
    scene.remove(old).unwrap();
    let new = scene.insert(parent, Node::group()).unwrap();
    assert_eq!(new.to_bits() >> 32, old.to_bits() >> 32, "the new node has the old one's record");
    scene.reparent(parent, Place::Detached, Keep::Local).unwrap();
    assert_eq!(scene.changes(&mut reader).unwrap().moved(), [parent]);
}
