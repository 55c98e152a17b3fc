//! In which slices subtrees are after moves.

use crate::trees::{group, groups};
use hedgerow::{Keep, Node, NodeHandle, Place, Scene, SceneConfig};

/// A scene in which slices have at most 64 rows, and those with fewer than this many are small.
fn with_least(min_nodes: u32) -> (Scene, NodeHandle) {
    let scene = Scene::with_config(SceneConfig { max_nodes: 64, min_nodes, ..SceneConfig::DEFAULT }).unwrap();
    let root = scene.root();
    (scene, root)
}

/// A child of the root with ten children.
fn tree(scene: &mut Scene) -> NodeHandle {
    let root = scene.root();
    let top = group(scene, root);
    groups(scene, top, 10);
    top
}

/// A scene with a node that has full slices of children, and these children.
fn filled(children: usize) -> (Scene, [NodeHandle; 2], Vec<NodeHandle>) {
    let (mut scene, root) = with_least(16);
    let shelf = group(&mut scene, root);
    let parent = group(&mut scene, shelf);
    let nodes = groups(&mut scene, parent, children);
    (scene, [shelf, parent], nodes)
}

#[test]
fn a_large_subtree_between_siblings_stands_beside_their_slices() {
    let (mut scene, root) = with_least(4);
    let [a, b, c, d] = [(); 4].map(|()| group(&mut scene, root));
    let large = tree(&mut scene);
    assert!(scene.same_slice(a, d) && !scene.same_slice(a, large));
    scene.reparent(large, Place::After(a), Keep::Local).unwrap();
    assert!(scene.children(root).eq([a, large, b, c, d]));
    assert_eq!(scene.stats().slice_levels, 1, "both parts of their slice, and its own");
    scene.validate().unwrap();
}

#[test]
fn a_large_subtree_beside_a_portal_leaves_no_slice_with_that_alone() {
    for first in [true, false] {
        let (mut scene, root) = with_least(4);
        let large = tree(&mut scene);
        let [a, isolated, c] = [(); 3].map(|()| group(&mut scene, root));
        scene.isolate(isolated).unwrap();
        assert!(scene.same_slice(a, c) && !scene.same_slice(a, isolated));
        let (gone, place) = if first { (a, Place::Before(c)) } else { (c, Place::After(a)) };
        scene.remove(gone).unwrap();
        scene.reparent(large, place, Keep::Local).unwrap();
        let order = if first { [isolated, large, c] } else { [a, large, isolated] };
        assert!(scene.children(root).eq(order));
        scene.validate().unwrap();
        assert_eq!(scene.slice_count(), 4);
    }
}

#[test]
fn a_large_subtree_goes_between_siblings_in_the_slice_of_their_parent() {
    let (mut scene, root) = with_least(4);
    let large = tree(&mut scene);
    let parent = tree(&mut scene);
    let mut children: Vec<NodeHandle> = scene.children(parent).collect();
    scene.reparent(large, Place::After(children[4]), Keep::Local).unwrap();
    children.insert(5, large);
    assert!(scene.children(parent).eq(children.iter().copied()) && scene.children(root).eq([parent]));
    assert!(children.iter().all(|&child| scene.same_slice(child, parent) != (child == large)));
    scene.validate().unwrap();
}

#[test]
fn a_large_subtree_shares_no_slice_with_a_small_one() {
    let (mut scene, root) = with_least(4);
    let from = tree(&mut scene);
    let small = group(&mut scene, root);
    let large = group(&mut scene, from);
    groups(&mut scene, large, 10);
    assert!(scene.same_slice(large, from) && !scene.same_slice(small, from));
    scene.reparent(large, Place::After(small), Keep::Local).unwrap();
    assert!(!scene.same_slice(large, small) && !scene.same_slice(large, from));
    scene.validate().unwrap();
}

#[test]
fn leaves_that_are_moved_between_full_slices_do_not_take_a_slice_each() {
    let (mut scene, [shelf, parent], mut nodes) = filled(1000);
    let last = nodes.windows(2).position(|pair| !scene.same_slice(pair[0], pair[1])).unwrap();
    let other = group(&mut scene, shelf);
    let leaves = groups(&mut scene, other, 200);
    let (before, mut alone) = (scene.slice_count(), 0);
    for leaf in leaves {
        scene.reparent(leaf, Place::After(nodes[last]), Keep::Local).unwrap();
        nodes.insert(last + 1, leaf);
        let beside = [nodes[last], nodes[last + 2]];
        alone += usize::from(!beside.into_iter().any(|node| scene.same_slice(node, leaf)));
    }
    assert_eq!(alone, 0);
    assert!(scene.children(parent).eq(nodes));
    assert!(scene.slice_count() <= before + 200 / 16 + 4, "{} slices more", scene.slice_count() - before);
    scene.validate().unwrap();
}

#[test]
fn small_subtrees_that_are_moved_between_nodes_of_a_full_slice_do_not_take_a_slice_each() {
    let (mut scene, root) = with_least(16);
    let parent = group(&mut scene, root);
    scene.isolate(parent).unwrap();
    let mut nodes = groups(&mut scene, parent, 59);
    let mut alone = 0;
    for number in 0..20 {
        let shelf = group(&mut scene, root);
        scene.isolate(shelf).unwrap();
        let moved = group(&mut scene, shelf);
        groups(&mut scene, moved, 7);
        group(&mut scene, shelf);
        scene.reparent(moved, Place::After(nodes[number * 3]), Keep::Local).unwrap();
        nodes.insert(number * 3 + 1, moved);
        let around = [parent, nodes[number * 3], nodes[number * 3 + 2]];
        alone += usize::from(!around.into_iter().any(|node| scene.same_slice(node, moved)));
        scene.remove(shelf).unwrap();
    }
    assert_eq!(alone, 0);
    assert!(scene.children(parent).eq(nodes));
    scene.validate().unwrap();
}

#[test]
fn a_leaf_that_is_moved_among_large_subtrees_rebuilds_nothing() {
    let (mut scene, root) = with_least(4);
    let tops = [(); 6].map(|()| tree(&mut scene));
    let leaf = scene.first_child(tops[0]).unwrap();
    let before = scene.stats().reconstitutions;
    scene.reparent(leaf, Place::After(tops[3]), Keep::Local).unwrap();
    assert_eq!(scene.stats().reconstitutions, before);
    assert_eq!(scene.children(root).nth(4), Some(leaf));
    scene.validate().unwrap();
}

#[test]
fn a_subtree_that_fills_a_slice_does_not_split_the_one_it_goes_to_again_and_again() {
    let (mut scene, [_, parent], mut nodes) = filled(1000);
    let at = (100..).find(|&at| (at - 2..at + 2).all(|other| scene.same_slice(nodes[at], nodes[other]))).unwrap();
    let root = scene.root();
    let from = group(&mut scene, root);
    scene.isolate(from).unwrap();
    let large = group(&mut scene, from);
    let leaves = groups(&mut scene, large, 59);
    assert!(leaves.iter().all(|&leaf| scene.same_slice(leaf, from)));
    let (rebuilt, slices) = (scene.stats().reconstitutions, scene.slice_count());
    scene.reparent(large, Place::After(nodes[at]), Keep::Local).unwrap();
    let rebuilt = scene.stats().reconstitutions - rebuilt;
    assert!(rebuilt <= 4, "{rebuilt} slices were rebuilt");
    // Its own, and one for what comes behind it.
    assert_eq!(scene.slice_count(), slices + 2);
    nodes.insert(at + 1, large);
    assert!(scene.children(parent).eq(nodes) && scene.children(large).count() == 59);
    scene.validate().unwrap();
}

#[test]
fn a_subtree_that_goes_behind_a_full_slice_has_one_of_its_own() {
    // The slice that it leaves holds the portal to the full one, and has to be rebuilt for another one at some size.
    let mut rebuilt = 0;
    for spare in 0..25 {
        let (mut scene, [shelf, parent], mut nodes) = filled(1 + 64 * 4);
        let full = nodes.iter().rposition(|&node| !scene.same_slice(node, nodes[nodes.len() - 1])).unwrap();
        nodes.drain(full + 1..).for_each(|node| assert_eq!(scene.remove(node), Ok(1)));
        let next = group(&mut scene, parent);
        assert!(!scene.same_slice(next, nodes[full]) && scene.remove(next) == Ok(1));
        for _ in 0..spare {
            scene.insert(Place::FirstChildOf(shelf), Node::group()).unwrap();
        }
        let moved = scene.insert(Place::FirstChildOf(shelf), Node::group()).unwrap();
        let leaves = groups(&mut scene, moved, 20);
        scene.update();
        let others: Vec<NodeHandle> = scene.children(shelf).filter(|&node| node != moved).collect();
        let before = scene.stats().reconstitutions;
        scene.reparent(moved, Place::LastChildOf(parent), Keep::Local).unwrap();
        rebuilt += usize::from(scene.stats().reconstitutions > before);
        nodes.push(moved);
        assert!(scene.children(parent).eq(nodes) && scene.children(moved).eq(leaves));
        assert!(scene.children(shelf).eq(others));
        assert!(!scene.same_slice(moved, shelf), "all children are cut out, or none");
        scene.validate().unwrap();
    }
    assert!((1..25).contains(&rebuilt), "a slice was rebuilt at {rebuilt} sizes of 25");
}
