//! What maintenance merges, rebuilds and frees, what it leaves alone, and what it tells of that.

use crate::trees::{group, groups, whole, with};
use hedgerow::config::StoragePolicy;
use hedgerow::stats::Maintenance;
use hedgerow::{Keep, NodeHandle, Scene, SceneConfig};
use std::time::Duration;

/// More time than any call takes, but not [`Duration::MAX`], which has limits of its own.
const HOUR: Duration = Duration::from_secs(3600);

/// Two children of the root, each with a slice and 20 leaves; and these leaves. Below 16 rows a slice is small.
fn neighbours() -> (Scene, [(NodeHandle, Vec<NodeHandle>); 2]) {
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let both = [(); 2].map(|()| {
        let top = group(&mut scene, root);
        let leaves = groups(&mut scene, top, 20);
        (top, leaves)
    });
    assert!(!scene.same_slice(both[0].0, both[1].0));
    let done = scene.maintain(HOUR);
    assert_eq!((done.merged, done.remaining), (0, 0));
    (scene, both)
}

/// A full slice, and one of three rows below a leaf of it, which waits until there is room to merge it.
fn waiting() -> (Scene, NodeHandle, NodeHandle, Vec<NodeHandle>) {
    let storage = StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT };
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 8, storage, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let [top, below] = [(); 2].map(|()| group(&mut scene, root));
    let mut leaves = groups(&mut scene, top, 61);
    groups(&mut scene, below, 2);
    let parent = leaves.pop().unwrap();
    scene.reparent(below, parent, Keep::Local).unwrap();
    assert!(!scene.same_slice(below, top));
    let done = scene.maintain(HOUR);
    assert_eq!((done.merged, done.remaining), (0, 0));
    (scene, top, below, leaves)
}

#[test]
fn a_small_slice_is_merged_as_soon_as_three_quarters_of_the_greatest_size_hold_both() {
    let (mut scene, top, below, mut leaves) = waiting();
    loop {
        scene.remove(leaves.pop().unwrap()).unwrap();
        let done = scene.maintain(HOUR);
        // All but the root would be in one slice.
        let fits = scene.len() - 1 <= 48;
        assert_eq!((scene.same_slice(below, top), done.merged), (fits, usize::from(fits)), "{} nodes", scene.len());
        scene.validate().unwrap();
        if fits {
            break;
        }
    }
}

#[test]
fn a_slice_that_waits_for_a_partner_is_checked_where_it_or_the_one_above_was_edited() {
    let (mut scene, top, below, leaves) = waiting();
    let looked_at = |scene: &mut Scene| {
        let Maintenance { looked_at, merged, .. } = scene.maintain(HOUR);
        assert_eq!(merged, 0);
        looked_at
    };
    assert_eq!(looked_at(&mut scene), 0);
    scene.reconstitute(top).unwrap();
    assert_eq!(looked_at(&mut scene), 0, "nothing was edited");
    for _ in 0..5 {
        let leaf = group(&mut scene, below);
        scene.remove(leaf).unwrap();
        assert_eq!(looked_at(&mut scene), 1);
    }
    scene.remove(leaves[5]).unwrap();
    assert_eq!(looked_at(&mut scene), 2, "the one that was edited and the one that waits, once");
    groups(&mut scene, below, 5);
    assert_eq!(looked_at(&mut scene), 1, "it is not small any more");
    scene.remove(leaves[6]).unwrap();
    assert_eq!(looked_at(&mut scene), 1, "and waits no longer");
    scene.validate().unwrap();
}

#[test]
fn a_slice_that_waits_beside_an_edited_one_is_checked() {
    let (mut scene, [(_, leaves), (other, _)]) = neighbours();
    leaves[..11].iter().for_each(|&leaf| assert_eq!(scene.remove(leaf), Ok(1)));
    let done = scene.maintain(HOUR);
    assert_eq!((done.looked_at, done.merged), (1, 0), "its neighbour is not small");
    group(&mut scene, other);
    assert_eq!(scene.maintain(HOUR).looked_at, 2);
}

#[test]
fn an_isolated_slice_does_not_wait_for_a_partner() {
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let top = group(&mut scene, root);
    let leaves = groups(&mut scene, top, 20);
    scene.isolate(leaves[3]).unwrap();
    scene.maintain(HOUR);
    group(&mut scene, top);
    let done = scene.maintain(HOUR);
    assert_eq!((done.looked_at, done.merged), (1, 0));
}

#[test]
fn a_slice_that_waits_for_long_takes_no_more_memory() {
    let (mut scene, top, below, _) = waiting();
    let bytes_after = |scene: &mut Scene, turns: usize| {
        for _ in 0..turns {
            let leaf = group(scene, below);
            scene.remove(leaf).unwrap();
            scene.maintain(HOUR);
        }
        scene.stats().rows.allocated_bytes
    };
    let bytes = bytes_after(&mut scene, 50);
    assert_eq!(bytes_after(&mut scene, 1000), bytes);
    assert!(!scene.same_slice(below, top));
}

#[test]
fn a_removal_that_leaves_less_than_half_of_the_least_size_merges_at_once() {
    // A node with a name goes another way than one without.
    for name in [None, Some("leaf")] {
        let (mut scene, [(one, its), (two, others)]) = neighbours();
        its[14..].iter().for_each(|&leaf| assert_eq!(scene.remove(leaf), Ok(1)));
        others.iter().for_each(|&leaf| scene.set_name(leaf, name).unwrap());
        for (gone, &leaf) in (1..).zip(&others) {
            scene.remove(leaf).unwrap();
            let rows = 21 - gone;
            assert_eq!(scene.same_slice(one, two), rows < 8, "{rows} rows are left");
            if rows < 8 {
                break;
            }
        }
        scene.validate().unwrap();
    }
}

#[test]
fn what_edits_left_small_is_merged_though_it_was_rebuilt_since() {
    let (mut scene, both) = neighbours();
    for (_, leaves) in &both {
        leaves[14..].iter().for_each(|&leaf| assert_eq!(scene.remove(leaf), Ok(1)));
    }
    scene.reconstitute_all();
    assert_eq!(scene.maintain(HOUR).merged, 1);
    assert!(scene.same_slice(both[0].0, both[1].0));
    scene.validate().unwrap();
}

#[test]
fn maintenance_leaves_every_child_of_the_root_its_slice_where_they_share_none() {
    let storage = StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT };
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 16, storage, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let tops = groups(&mut scene, root, 5);
    for _ in 0..3 {
        let done = scene.maintain(Duration::MAX);
        assert_eq!((done.merged, scene.slice_count()), (0, 6));
        scene.remove(scene.children(root).next().unwrap()).unwrap();
        group(&mut scene, root);
    }
    assert!(!scene.same_slice(tops[3], tops[4]));
    scene.validate().unwrap();
}

/// A slice that grew to this many nodes besides its top, of which so many are left: the last ones were removed, which
/// leaves neither holes nor disorder.
fn grown(count: usize, left: usize) -> (Scene, NodeHandle) {
    let mut scene = with(SceneConfig::DEFAULT);
    let top = scene.insert(scene.root(), whole()).unwrap();
    let nodes: Vec<_> = (0..count).map(|_| scene.insert(top, whole()).unwrap()).collect();
    nodes[left..].iter().for_each(|&node| assert_eq!(scene.remove(node), Ok(1)));
    (scene, top)
}

/// How many rows, shapes and transforms, with the base, there is room for where a node is.
fn capacities(scene: &Scene, node: NodeHandle) -> [usize; 3] {
    let slice = scene.slices().find(|slice| slice.rows().nodes().any(|other| other == node)).unwrap();
    [slice.rows().capacity(), slice.shapes().capacity(), slice.transforms().capacity()]
}

#[test]
fn maintenance_leaves_the_room_that_it_says() {
    // An eighth, and a sixteenth where there is no time limit.
    for (budget, share) in [(HOUR, 8), (Duration::MAX, 16)] {
        let (mut scene, top) = grown(1000, 400);
        scene.maintain(budget);
        for (capacity, live) in capacities(&scene, top).into_iter().zip([401, 401, 402]) {
            assert!((live + live / share..=live + live / share + 1).contains(&capacity), "{capacity} for {live}");
        }
        scene.validate().unwrap();
    }
}

#[test]
fn room_that_growth_left_is_no_waste_in_a_frame() {
    // The first slice is small, so it is looked at in any case.
    for count in [400, 1000] {
        let (mut scene, _) = grown(count, count);
        let done = scene.maintain(HOUR);
        assert_eq!((done.looked_at, done.reconstituted), (2, 0), "{count} nodes");
    }
    // About twice what there is, where growth leaves a quarter more.
    assert_eq!(grown(1000, 560).0.maintain(HOUR).reconstituted, 1);
}

#[test]
fn a_tenth_of_unused_memory_is_waste_where_there_is_no_time_limit() {
    for (budget, rows) in [(HOUR, 1001), (Duration::MAX, 901 + 901 / 16)] {
        let mut scene = with(SceneConfig::DEFAULT);
        let top = scene.insert(scene.root(), whole()).unwrap();
        scene.try_reserve(top, 1000).unwrap();
        (0..900).for_each(|_| assert!(scene.insert(top, whole()).is_ok()));
        scene.maintain(budget);
        assert_eq!(capacities(&scene, top)[0], rows);
    }
}

#[test]
fn each_call_without_time_frees_something_until_nothing_waits() {
    let mut scene = with(SceneConfig { max_nodes: 16, min_nodes: 2, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let top = group(&mut scene, root);
    groups(&mut scene, top, 300);
    assert!(scene.stats().slice_levels > 1, "there are slices that hold portals alone");
    scene.remove_later(top).unwrap();
    while scene.stats().pending_free > 0 {
        assert!(scene.maintain(Duration::ZERO).freed > 0);
    }
    scene.validate().unwrap();
}
