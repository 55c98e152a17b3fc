//! Detached subtrees: outside the tree, otherwise like any other subtree.

use crate::trees::APART;
use hedgerow::{Keep, Node, Place, Scene, SceneConfig, Transform};

fn moved(x: usize) -> Transform {
    Transform::from_xyz(x as f32, 1.0, -2.0)
}

#[test]
fn a_detached_subtree_that_waits_for_an_update_is_placed_by_the_one_it_goes_below() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 64, ..SceneConfig::DEFAULT }).unwrap();
    let above = scene.insert(Place::Detached, Node::transform(moved(10))).unwrap();
    scene.update();
    let below = scene.insert(Place::Detached, Node::transform(moved(1))).unwrap();
    (0..5).for_each(|_| assert!(scene.insert(below, Node::group()).is_ok()));
    scene.reparent(below, above, Keep::Local).unwrap();
    scene.update();
    assert_eq!(scene.world(below).unwrap().translation().x, 11.0);
    scene.validate().unwrap();
}

#[test]
fn a_detached_subtree_grows_to_several_slices() {
    let mut scene = Scene::with_config(APART).unwrap();
    let mut nodes = vec![scene.insert(Place::Detached, Node::transform(moved(1))).unwrap()];
    for number in 0..300 {
        nodes.push(scene.insert(nodes[number / 3], Node::group()).unwrap());
        if number % 7 == 0 {
            scene.update();
        }
        scene.validate().unwrap();
    }
    scene.update();
    assert!(scene.stats().slices > 301 / 8 && scene.slices().count() == 1, "{} slices", scene.stats().slices);
    assert!(nodes.iter().all(|&node| scene.world(node) == scene.world(nodes[0])));
    assert_eq!((scene.stats().detached, scene.len()), (301, 1));
    assert!(nodes.iter().all(|&node| scene.get(node).is_some_and(|node| node.is_detached())));
}
