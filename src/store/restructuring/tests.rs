//! What callers cannot see of how slices are merged and kept: lists, marks, runs of portals.

use crate::changes::UploadReader;
use crate::config::StoragePolicy;
use crate::store::columns::At;
use crate::{Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
use core::time::Duration;

/// More time than any call takes, but not [`Duration::MAX`], which has limits of its own.
const HOUR: Duration = Duration::from_secs(3600);

fn group(scene: &mut Scene, parent: NodeHandle) -> NodeHandle {
    scene.insert(parent, Node::group()).unwrap()
}

fn slice_of(scene: &Scene, node: NodeHandle) -> u32 {
    scene.store.resolve(node).unwrap().slice
}

fn rows(scene: &Scene, number: u32) -> u32 {
    scene.store.slice(number).row_slots.live()
}

/// A scene in which each child of the root has a slice, behind portals that stand in runs; and the slice and the
/// children of each run.
fn runs() -> (Scene, Vec<(u32, Vec<NodeHandle>)>) {
    let storage = StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT };
    let mut scene =
        Scene::with_config(SceneConfig { max_nodes: 16, min_nodes: 4, storage, ..SceneConfig::DEFAULT }).unwrap();
    let root = scene.root();
    let children: Vec<NodeHandle> = (0..40).map(|_| group(&mut scene, root)).collect();
    let mut runs: Vec<(u32, Vec<NodeHandle>)> = Vec::new();
    for child in children {
        let run = scene.store.slice(slice_of(&scene, child)).portal.slice;
        assert_ne!(run, At::ROOT.slice);
        match runs.last_mut().filter(|(last, _)| *last == run) {
            Some((_, children)) => children.push(child),
            None => runs.push((run, vec![child])),
        }
    }
    assert!(runs.len() > 2);
    (scene, runs)
}

/// Removes children of a run, the last ones, until so many are left.
fn shrink(scene: &mut Scene, (_, children): &(u32, Vec<NodeHandle>), left: usize) {
    for &child in children[left..].iter().rev() {
        scene.remove(child).unwrap();
        scene.validate().unwrap();
    }
}

#[test]
fn a_portal_that_is_left_alone_beside_a_full_run_is_given_company() {
    for [full, alone] in [[0, 1], [1, 0]] {
        let (mut scene, runs) = runs();
        let (number, children) = &runs[full];
        while rows(&scene, *number) < 16 {
            scene.insert(Place::After(children[0]), Node::group()).unwrap();
        }
        let before: Vec<NodeHandle> = scene.children(scene.root()).collect();
        shrink(&mut scene, &runs[alone], 1);
        assert_eq!((rows(&scene, *number), rows(&scene, runs[alone].0)), (15, 2));
        let stays = |node: &NodeHandle| scene.contains(*node);
        assert!(scene.children(scene.root()).eq(before.iter().copied().filter(stays)));
    }
}

#[test]
fn a_small_run_of_portals_waits_until_one_beside_it_is_small() {
    let (mut scene, runs) = runs();
    shrink(&mut scene, &runs[1], 3);
    assert_eq!(scene.maintain(HOUR).merged, 0);
    assert!(scene.store.slice(runs[1].0).merge_candidate);
    scene.validate().unwrap();
    // The slice above is edited, and has it wait on.
    scene.set_name(scene.root(), Some("root")).unwrap();
    assert_eq!(scene.maintain(HOUR).merged, 0);
    scene.validate().unwrap();
    shrink(&mut scene, &runs[0], 3);
    assert_eq!(scene.maintain(HOUR).merged, 1);
    let [one, two] = [0, 1].map(|run| scene.store.slice(slice_of(&scene, runs[run].1[0])).portal.slice);
    assert_eq!(one, two);
    scene.validate().unwrap();
}

/// A full slice with leaves, and one of three rows below a leaf of it, which waits until there is room to merge it.
fn waiting() -> (Scene, [u32; 2], Vec<NodeHandle>) {
    let storage = StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT };
    let mut scene =
        Scene::with_config(SceneConfig { max_nodes: 64, min_nodes: 8, storage, ..SceneConfig::DEFAULT }).unwrap();
    let root = scene.root();
    let [top, below] = [(); 2].map(|()| group(&mut scene, root));
    let leaves: Vec<NodeHandle> = (0..60).map(|_| group(&mut scene, top)).collect();
    let parent = group(&mut scene, top);
    (0..2).for_each(|_| _ = group(&mut scene, below));
    scene.reparent(below, parent, Keep::Local).unwrap();
    assert_eq!(scene.maintain(HOUR).merged, 0);
    let slices = [top, below].map(|node| slice_of(&scene, node));
    assert!(scene.store.slice(slices[1]).merge_candidate);
    (scene, slices, leaves)
}

/// The slices that wait for maintenance, and those that wait for a partner.
fn lists(scene: &Scene) -> (Vec<u32>, Vec<u32>) {
    (scene.store.edited.iter().copied().collect(), scene.store.merge_candidates())
}

/// Checks the slices that wait as a load does.
fn check(scene: &mut Scene) {
    let from_root = scene.store.runs_from_root().unwrap();
    scene.store.check_merge_candidates(&from_root).unwrap();
}

#[test]
fn a_loaded_scene_has_the_same_slices_wait() {
    let (mut scene, [above, below], leaves) = waiting();
    let reloaded = |scene: &Scene| lists(&Scene::load(&scene.save()).unwrap());
    assert_eq!(lists(&scene), (vec![], vec![below]));
    assert_eq!(reloaded(&scene), lists(&scene));
    for &leaf in &leaves[..20] {
        scene.remove(leaf).unwrap();
    }
    assert_eq!(lists(&scene), (vec![above], vec![below]), "it has a partner now, and the edit tells of it");
    assert_eq!(reloaded(&scene), lists(&scene));
}

#[test]
fn a_slice_that_no_edit_tells_of_is_listed_where_it_has_a_partner() {
    let (mut scene, [above, below], leaves) = waiting();
    leaves[..20].iter().for_each(|&leaf| assert_eq!(scene.remove(leaf), Ok(1)));
    scene.store.edited.clear();
    scene.store.slice_mut(above).edited = false;
    assert!(scene.validate().is_err());
    check(&mut scene);
    assert_eq!(lists(&scene).0, [below]);
    scene.validate().unwrap();
}

#[test]
fn a_small_slice_that_nobody_knows_of_is_made_to_wait() {
    let (mut scene, [above, below], leaves) = waiting();
    scene.store.slice_mut(below).merge_candidate = false;
    scene.store.slice_mut(above).candidates_below.clear();
    check(&mut scene);
    assert_eq!(lists(&scene), (vec![], vec![below]));
    leaves[..20].iter().for_each(|&leaf| assert_eq!(scene.remove(leaf), Ok(1)));
    assert_eq!(scene.maintain(HOUR).merged, 1);
    scene.validate().unwrap();
}

#[test]
fn a_merge_leaves_nothing_to_compute_and_tells_of_the_array() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT }).unwrap();
    let root = scene.root();
    let tops = [(); 2].map(|()| {
        let top = group(&mut scene, root);
        let leaf = Node::transform(Transform::from_xyz(1.0, 0.0, 0.0));
        (0..20).for_each(|_| assert!(scene.insert(top, leaf).is_ok()));
        top
    });
    for top in tops {
        let leaves: Vec<NodeHandle> = scene.children(top).skip(12).collect();
        leaves.into_iter().for_each(|leaf| assert_eq!(scene.remove(leaf), Ok(1)));
    }
    let mut reader = UploadReader::new();
    scene.update();
    scene.uploads(&mut reader);
    assert_eq!(scene.maintain(HOUR).merged, 1);
    assert!(scene.same_slice(tops[0], tops[1]));
    let clean = |number: u32| !scene.store.slice(number).marked && !scene.store.slice(number).is_dirty();
    assert!(scene.store.slice_numbers().all(clean));
    scene.update();
    let number = slice_of(&scene, tops[0]);
    assert!(scene.uploads(&mut reader).iter().any(|upload| upload.slice() == number && upload.is_new()));
    scene.validate().unwrap();
}

#[test]
fn a_slice_is_rebuilt_where_more_than_a_quarter_of_its_rows_are_out_of_order() {
    // A small slice is looked into for another reason, too.
    for min_nodes in [8, 512] {
        let mut scene = Scene::with_config(SceneConfig { min_nodes, ..SceneConfig::DEFAULT }).unwrap();
        let root = scene.root();
        let top = group(&mut scene, root);
        (0..40).for_each(|_| _ = group(&mut scene, top));
        scene.shrink_to_fit();
        scene.maintain(HOUR);
        let number = slice_of(&scene, top);
        for misplaced in 0..100 {
            scene.store.slice_mut(number).misplaced = misplaced;
            scene.store.list_for_maintenance(number);
            let done = scene.maintain(HOUR);
            assert_eq!(done.reconstituted, usize::from(misplaced > 41 / 4), "{misplaced} of 41 rows");
        }
    }
}

#[test]
fn temporary_lists_are_freed_where_there_is_no_time_limit() {
    let mut scene = Scene::new();
    let root = scene.root();
    let nodes: Vec<NodeHandle> =
        (0..100).map(|_| scene.insert(root, Node::transform(Transform::IDENTITY)).unwrap()).collect();
    scene.set_locals(nodes.iter().map(|&node| (node, Transform::from_xyz(1.0, 0.0, 0.0)))).unwrap();
    assert!(scene.store.local_slots.capacity() > 0);
    scene.maintain(HOUR);
    assert!(scene.store.local_slots.capacity() > 0, "the next frame needs them again");
    scene.maintain(Duration::MAX);
    assert_eq!(scene.store.local_slots.capacity(), 0);
}

#[test]
fn subtrees_that_are_detached_and_attached_without_an_update_take_no_more_memory() {
    let mut scene = Scene::new();
    let root = scene.root();
    let nodes: Vec<NodeHandle> =
        (0..40).map(|_| scene.insert(root, Node::transform(Transform::IDENTITY)).unwrap()).collect();
    nodes.iter().for_each(|&node| scene.detach(node).unwrap());
    nodes.iter().for_each(|&node| assert!(scene.attach(node, root, Keep::Local).is_ok()));
    for turn in 0..1000 {
        scene.detach(nodes[turn % 40]).unwrap();
        scene.attach(nodes[turn % 40], root, Keep::Local).unwrap();
    }
    assert!(scene.store.marked_roots.len() < 100);
}
