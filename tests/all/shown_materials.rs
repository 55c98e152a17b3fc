//! Readers report nodes that show another material, inherited or their own.

use crate::watched::{Lists, Watched};
use hedgerow::changes::ChangeKinds;
use hedgerow::{Keep, Node, NodeHandle, Scene, SceneConfig};

#[test]
fn whoever_shows_another_material_is_told() {
    let mut scene = Watched::new(SceneConfig { changes: true, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let [house, yard] = [1, 2].map(|material| scene.insert(root, Node::material(material)).unwrap());
    let door = scene.insert(house, Node::group()).unwrap();
    let lock = scene.insert(door, Node::group()).unwrap();
    let key = scene.insert(lock, Node::material(7)).unwrap();
    let ring = scene.insert(key, Node::group()).unwrap();
    scene.update();
    let both = ChangeKinds::OWN_MATERIAL | ChangeKinds::MATERIAL;
    let sorted = |told: &Lists| {
        let mut edited = told.edited.clone();
        edited.sort_by_key(|&(node, _)| node);
        edited
    };
    let with = |mut list: Vec<(NodeHandle, ChangeKinds)>| {
        list.sort_by_key(|&(node, _)| node);
        list
    };

    scene.edit(house).unwrap().set_material(4);
    let told = sorted(scene.update());
    assert_eq!(told, with(vec![(house, both), (door, ChangeKinds::MATERIAL), (lock, ChangeKinds::MATERIAL)]));
    scene.edit(lock).unwrap().set_material(5);
    assert_eq!(sorted(scene.update()), [(lock, both)]);
    scene.edit(lock).unwrap().set_material(None);
    scene.reparent(door, yard, Keep::Local).unwrap();
    let moved = ChangeKinds::PARENT | ChangeKinds::MATERIAL;
    assert_eq!(sorted(scene.update()), with(vec![(door, moved), (lock, both)]));
    // A node with its own material shows the same one.
    scene.reparent(key, house, Keep::Local).unwrap();
    assert_eq!(sorted(scene.update()), [(key, ChangeKinds::PARENT)]);

    // Edits after the update do not hide its report.
    scene.edit(yard).unwrap().set_material(8);
    Scene::update(&mut scene);
    scene.reparent(lock, ring, Keep::Local).unwrap();
    let told = sorted(scene.read());
    assert_eq!(told, with(vec![(yard, both), (door, ChangeKinds::MATERIAL), (lock, ChangeKinds::MATERIAL)]));
}
