//! Nodes with slices of their own, and their neighbours.

use super::{check_update, drawn, turned, whole};
use hedgerow::{Node, Place, Scene, SceneConfig};

#[test]
fn a_node_is_isolated_again_and_again() {
    for config in [SceneConfig::DEFAULT, SceneConfig::THESIS] {
        let mut scene = Scene::with_config(config).unwrap();
        let parent = scene.insert(scene.root(), Node::transform(turned(1.0, 0.5))).unwrap();
        let first = scene.insert(parent, Node::group()).unwrap();
        let node = scene.insert(parent, whole(1)).unwrap();
        let below = scene.insert(node, whole(2)).unwrap();
        let mut behind = Vec::new();
        for turn in 0..1_000u32 {
            behind.push(scene.insert(Place::After(node), drawn(turn)).unwrap());
            scene.isolate(node).unwrap();
            assert_eq!(scene.parent(node), Some(parent));
            assert_eq!(scene.parent(below), Some(node));
            assert!(behind.iter().rev().take(2).all(|&next| !scene.same_slice(node, next)));
            assert_eq!(scene.next_sibling(node), behind.last().copied());
            assert_eq!(scene.previous_sibling(node), Some(first));
            if turn % 50 == 0 || turn > 990 {
                scene.validate().unwrap();
            }
        }
        let order = [first, node].into_iter().chain(behind.iter().rev().copied());
        assert!(scene.children(parent).eq(order.clone()));
        assert!(scene.children(parent).rev().eq(order.collect::<Vec<_>>().into_iter().rev()));
        check_update(&mut scene, "isolating again and again");
        for next in behind {
            assert_eq!(scene.remove(next), Ok(1));
        }
        scene.validate().unwrap();
        assert!(scene.children(parent).eq([first, node]));
    }
}

#[test]
fn all_children_are_isolated_in_turn_in_either_direction() {
    for backwards in [false, true] {
        for config in [SceneConfig::DEFAULT, SceneConfig::THESIS] {
            let mut scene = Scene::with_config(config).unwrap();
            let parent = scene.insert(scene.root(), Node::transform(turned(1.0, 0.5))).unwrap();
            let children: Vec<_> = (0..300).map(|number| scene.insert(parent, whole(number)).unwrap()).collect();
            for &child in &children {
                scene.insert(child, drawn(1_000)).unwrap();
            }
            let mut turns = children.clone();
            if backwards {
                turns.reverse();
            }
            for (turn, &child) in turns.iter().enumerate() {
                scene.isolate(child).unwrap();
                assert_eq!(scene.parent(child), Some(parent));
                assert!(!scene.same_slice(child, parent));
                if turn % 10 == 0 {
                    scene.validate().unwrap();
                    assert!(scene.children(parent).eq(children.iter().copied()));
                }
            }
            assert!(scene.children(parent).eq(children.iter().copied()));
            assert!(scene.children(parent).rev().eq(children.iter().rev().copied()));
            assert!(children.windows(2).all(|pair| !scene.same_slice(pair[0], pair[1])));
            check_update(&mut scene, "isolating all children");
        }
    }
}

#[test]
fn moves_beside_and_above_isolated_siblings_reach_all_they_concern() {
    let mut scene = Scene::new();
    let parent = scene.insert(scene.root(), Node::transform(turned(1.0, 0.5))).unwrap();
    let leaf = scene.insert(parent, whole(1)).unwrap();
    for number in 0..200 {
        let sibling = scene.insert(parent, whole(number)).unwrap();
        scene.insert(sibling, drawn(number)).unwrap();
        scene.isolate(sibling).unwrap();
    }
    check_update(&mut scene, "building");
    scene.set_local(leaf, turned(9.0, 1.5)).unwrap();
    check_update(&mut scene, "moving the leaf");
    scene.set_local(parent, turned(-3.0, 2.5)).unwrap();
    check_update(&mut scene, "moving the parent");
    scene.set_local(leaf, turned(4.0, 0.5)).unwrap();
    scene.set_local(parent, turned(2.0, 0.1)).unwrap();
    check_update(&mut scene, "moving both");
}
