//! The report of an update: handles, and previous matrices.

use crate::trees::{APART, group};
use hedgerow::changes::{ChangeKinds, ChangeReader};
use hedgerow::glam::Vec3;
use hedgerow::{Error, Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform};

const TOLD: SceneConfig = SceneConfig { changes: true, ..APART };

fn at(x: f32) -> Transform {
    Transform::from_xyz(x, 0.0, 0.0)
}

fn placed(scene: &mut Scene, parent: NodeHandle, x: f32) -> NodeHandle {
    scene.insert(parent, Node::transform(at(x))).unwrap()
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
fn what_a_slice_inherits_stays_as_it_is_also_where_it_is_too_large_for_a_number() {
    let mut scene = Scene::with_config(TOLD).unwrap();
    let root = scene.root();
    let huge = |x: f32| at(x).with_scale(Vec3::splat(1e30));
    let top = scene.insert(root, Node::transform(huge(0.0))).unwrap();
    let car = scene.insert(top, Node::transform(huge(1.0))).unwrap();
    let seat = group(&mut scene, car);
    (0..40).for_each(|_| _ = placed(&mut scene, seat, 1.0));
    scene.update();
    let mut reader = ChangeReader::of(&scene);
    scene.set_local(car, huge(2.0)).unwrap();
    scene.update();
    assert!(scene.changes(&mut reader).is_ok_and(|told| !told.is_whole() && told.moved().contains(&car)));
    assert_eq!(scene.world(car).unwrap().rows[0], [f32::INFINITY, 0.0, 0.0, 2e30]);
    scene.validate().unwrap();
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

#[test]
fn a_node_that_comes_below_a_parent_that_moved_before_is_not_told_to_have_moved() {
    let mut scene = Scene::with_config(TOLD).unwrap();
    let root = scene.root();
    let [first, other] = [1.0, 2.0].map(|x| placed(&mut scene, root, x));
    let node = scene.insert(first, Node::group()).unwrap();
    scene.update();
    let mut reader = ChangeReader::of(&scene);
    scene.set_local(other, at(1.0)).unwrap();
    scene.update();
    for parent in [other, first] {
        scene.reparent(node, parent, Keep::Local).unwrap();
        scene.update();
    }
    assert_eq!(scene.changes(&mut reader).unwrap().moved(), [other], "the node stayed where it was");
}

#[test]
fn a_reader_of_a_scene_is_told_what_comes_after_alone() {
    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
    let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.update();
    let (mut new, mut of) = (ChangeReader::new(), ChangeReader::of(&scene));
    assert!(scene.changes(&mut new).unwrap().is_whole(), "the first read is of everything");
    assert!(scene.changes(&mut of).unwrap().is_empty());
    for turn in [1.0, 2.0] {
        scene.set_local(car, Transform::from_xyz(turn, 0.0, 0.0)).unwrap();
        scene.update();
        if turn < 2.0 {
            of = ChangeReader::of(&scene);
        }
        let moved = scene.changes(&mut of).unwrap().moved();
        assert_eq!(moved, if turn < 2.0 { vec![] } else { vec![car] });
        assert_eq!(scene.changes(&mut new).unwrap().moved(), [car]);
    }
    assert!(scene.clone().changes(&mut of).unwrap().is_whole(), "it is another scene");
    let untold = Scene::new();
    assert!(matches!(untold.changes(&mut ChangeReader::of(&untold)), Err(Error::NoChanges)));
}

#[test]
fn only_nodes_that_show_another_material_are_told_to() {
    let mut scene = Scene::with_config(TOLD).unwrap();
    let [house, yard] = [1, 2].map(|material| scene.insert(scene.root(), Node::material(material)).unwrap());
    let door = group(&mut scene, house);
    let key = scene.insert(door, Node::material(7)).unwrap();
    group(&mut scene, key);
    scene.update();
    let mut reader = ChangeReader::of(&scene);
    let both = ChangeKinds::OWN_MATERIAL | ChangeKinds::MATERIAL;
    scene.edit(house).unwrap().set_material(4);
    scene.update();
    let mut told = scene.changes(&mut reader).unwrap().edited().to_vec();
    told.sort_unstable_by_key(|&(node, _)| node);
    assert_eq!(told, [(house, both), (door, ChangeKinds::MATERIAL)]);
    // A node with a material of its own shows the same one below any parent.
    scene.reparent(key, yard, Keep::Local).unwrap();
    scene.update();
    assert_eq!(scene.changes(&mut reader).unwrap().edited(), [(key, ChangeKinds::PARENT)]);
}
