//! How many rows slices have, and how much room they are given.

use crate::trees::{group, groups, rows, whole, with};
use hedgerow::config::StoragePolicy;
use hedgerow::{Keep, Scene, SceneConfig};

#[test]
fn slices_have_no_more_rows_than_they_may_however_fast_they_grow() {
    let mut dice = fastrand::Rng::with_seed(1);
    for expansion_factor in [1.05, 16.0] {
        for reuse_holes in [true, false] {
            let storage = StoragePolicy { reuse_holes, ..StoragePolicy::DEFAULT };
            let config = SceneConfig { max_nodes: 64, min_nodes: 8, expansion_factor, storage, ..SceneConfig::DEFAULT };
            let mut scene = with(config);
            let (mut nodes, mut most) = (vec![scene.root()], 0);
            for _ in 0..1000 {
                let parent = nodes[dice.usize(..nodes.len())];
                nodes.push(group(&mut scene, parent));
                most = most.max(rows(&scene).into_iter().max().unwrap());
            }
            // Where holes are not reused, an eighth is kept free of nodes.
            assert!((56..=64).contains(&most), "a slice had {most} rows");
            scene.validate().unwrap();
        }
    }
}

#[test]
fn room_from_before_slices_were_made_smaller_is_not_filled() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = group(&mut scene, root);
    groups(&mut scene, top, 30);
    scene.reconfigure(SceneConfig { max_nodes: 32, min_nodes: 4, ..SceneConfig::DEFAULT }).unwrap();
    for _ in 0..60 {
        group(&mut scene, top);
        assert!(rows(&scene).iter().all(|&rows| rows <= 32), "{:?}", rows(&scene));
        scene.validate().unwrap();
    }
}

#[test]
fn a_slice_that_is_packed_for_newcomers_gets_no_more_memory() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = scene.insert(root, whole()).unwrap();
    let nodes: Vec<_> = (0..1000).map(|_| scene.insert(top, whole()).unwrap()).collect();
    let other = scene.insert(root, whole()).unwrap();
    (0..300).for_each(|_| assert!(scene.insert(other, whole()).is_ok()));
    nodes.iter().step_by(2).for_each(|&node| assert_eq!(scene.remove(node), Ok(1)));
    let before = scene.stats();
    scene.reparent(other, top, Keep::Local).unwrap();
    let after = scene.stats();
    assert!(scene.same_slice(other, top));
    assert_eq!(after.reconstitutions, before.reconstitutions + 1);
    assert!(after.transforms.allocated_bytes <= before.transforms.allocated_bytes);
    scene.validate().unwrap();
}

#[test]
fn a_subtree_finds_room_in_a_slice_whose_rows_are_used_up() {
    // Holes are not reused, so a slice that may have more rows may have none to give.
    let storage = StoragePolicy { reuse_holes: false, share_slices: false, ..StoragePolicy::DEFAULT };
    for count in [1, 5] {
        let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 16, storage, ..SceneConfig::DEFAULT });
        let root = scene.root();
        let top = group(&mut scene, root);
        let leaves = groups(&mut scene, top, 50);
        leaves[..20].iter().for_each(|&leaf| assert_eq!(scene.remove(leaf), Ok(1)));
        let mut expected = leaves[20..].to_vec();
        expected.extend(groups(&mut scene, top, 13));
        // It brings visibilities, which the slice has no room for either.
        let other = scene.insert(root, whole()).unwrap();
        (1..count).for_each(|_| assert!(scene.insert(other, whole()).is_ok()));
        scene.reparent(other, top, Keep::Local).unwrap();
        expected.push(other);
        assert!(scene.same_slice(other, top) && scene.children(top).eq(expected));
        scene.validate().unwrap();
    }
}

#[test]
fn a_slice_near_its_greatest_size_is_not_packed_for_every_insert() {
    let storage = StoragePolicy { reuse_holes: false, ..StoragePolicy::DEFAULT };
    for count in 45..63 {
        let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 8, storage, ..SceneConfig::DEFAULT });
        let root = scene.root();
        let top = group(&mut scene, root);
        let leaves = groups(&mut scene, top, count);
        let before = scene.stats().reconstitutions;
        for leaf in leaves {
            scene.remove(leaf).unwrap();
            group(&mut scene, top);
        }
        let packed = scene.stats().reconstitutions - before;
        // An eighth of 64 rows is kept free.
        assert!(packed <= count as u64 / 8 + 2, "packed {packed} times for {count} inserts");
        scene.validate().unwrap();
    }
}

#[test]
fn a_slice_that_is_left_with_a_portal_alone_goes() {
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 8, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let [a, b, c] = [(); 3].map(|()| group(&mut scene, root));
    scene.isolate(b).unwrap();
    assert!(scene.same_slice(a, c) && !scene.same_slice(a, b));
    for (gone, slices) in [(a, 3), (c, 2)] {
        scene.remove(gone).unwrap();
        assert_eq!(scene.slice_count(), slices);
        scene.validate().unwrap();
    }
    assert!(scene.children(root).eq([b]));
}
