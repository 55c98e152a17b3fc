//! In which slices sorted children are.

use crate::trees::{group, groups, rows};
use hedgerow::config::StoragePolicy;
use hedgerow::{NodeHandle, Scene, SceneConfig};

/// Sorts the children of a node the other way round, and returns them in that order.
fn turn(scene: &mut Scene, parent: NodeHandle) -> Vec<NodeHandle> {
    let mut children: Vec<NodeHandle> = scene.children(parent).collect();
    children.reverse();
    let place = |child| children.iter().position(|&other| other == child);
    scene.sort_children_by(parent, |_, a, b| place(a).cmp(&place(b))).unwrap();
    assert!(scene.children(parent).eq(children.iter().copied()));
    scene.validate().unwrap();
    children
}

#[test]
fn children_in_the_slice_of_their_parent_or_alone_in_others_are_linked_anew() {
    let mut scene = Scene::new();
    let root = scene.root();
    let parent = group(&mut scene, root);
    let children = groups(&mut scene, parent, 20);
    let isolated = [children[3], children[10]];
    isolated.iter().for_each(|&child| scene.isolate(child).unwrap());
    let slices = scene.slice_count();
    let turned = turn(&mut scene, parent);
    assert_eq!(scene.slice_count(), slices);
    assert!(turned.iter().all(|child| scene.same_slice(*child, parent) != isolated.contains(child)));
}

#[test]
fn small_children_of_the_root_share_slices_until_these_are_no_longer_small() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 64, min_nodes: 4, ..SceneConfig::DEFAULT }).unwrap();
    let root = scene.root();
    groups(&mut scene, root, 20);
    let turned = turn(&mut scene, root);
    for fours in turned.chunks(4) {
        assert!(fours.iter().all(|&child| scene.same_slice(child, fours[0])));
    }
    assert_eq!(scene.slice_count(), 6);
}

#[test]
fn children_of_the_root_are_given_slices_of_their_own_where_they_share_none() {
    let config = SceneConfig { max_nodes: 64, min_nodes: 4, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let root = scene.root();
    groups(&mut scene, root, 12);
    assert_eq!(scene.slice_count(), 4, "they shared slices before");
    let storage = StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT };
    scene.reconfigure(SceneConfig { storage, ..config }).unwrap();
    turn(&mut scene, root);
    assert_eq!(scene.slice_count(), 13);
}

#[test]
fn sorted_children_fill_three_quarters_of_their_slices() {
    // Children with so many leaves each, and the slices that these take with the portals to them. The leaves of large
    // children lie in other slices.
    for (count, leaves, most) in [(100, 6, 21), (20, 29, 23)] {
        let config = SceneConfig { max_nodes: 64, min_nodes: 8, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        let root = scene.root();
        let parent = group(&mut scene, root);
        for _ in 0..count {
            let child = group(&mut scene, parent);
            groups(&mut scene, child, leaves);
        }
        turn(&mut scene, parent);
        let rows = rows(&scene);
        assert!(rows.iter().all(|&rows| rows <= 48) && rows.len() <= most, "{} slices of {rows:?} rows", rows.len());
    }
}
