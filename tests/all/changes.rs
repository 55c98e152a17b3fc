//! The report of an update: handles, and previous matrices.

use crate::trees::{APART, group};
use crate::watched::Watched;
use hedgerow::glam::Vec3;
use hedgerow::{
    Error, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, changes::ChangeReader,
};
use hedgerow_testkit::model::dump::same_slice;

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
fn a_scene_that_tracks_no_changes_refuses_to_tell_them() {
    let mut scene = Scene::new();
    let root = scene.root();
    let car = placed(&mut scene, root, 1.0);
    scene.update();
    assert_eq!(scene.changes(&mut ChangeReader::new()).unwrap_err(), Error::NoChanges);
    assert_eq!(scene.get(car).and_then(|node| node.previous_world()), None);
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
    assert!(scene.maintain(usize::MAX).merged > 0 && scene.stats().slices < before, "{} nodes", nodes.len());
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
    scene.maintain(usize::MAX);
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
    assert!(scene.maintain(usize::MAX).merged > 0);
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
