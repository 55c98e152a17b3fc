//! Memory that was reserved, freed, or reused.

use super::{check_update, draws, whole};
use crate::trees::UNBOUNDED;
use hedgerow::{Error, Node, Scene, SceneConfig};
use std::collections::HashSet;
use std::time::Duration;

#[test]
fn a_cleared_scene_comes_to_rest_and_gives_its_memory_back() {
    let mut scene = Scene::with_config(SceneConfig { min_nodes: 0, ..SceneConfig::DEFAULT }).unwrap();
    let root = scene.root();
    for number in 0..2_000 {
        scene.insert(root, whole(number)).unwrap();
    }
    assert!(scene.slice_count() > 2_000);
    scene.update();
    scene.clear();
    assert_eq!((scene.len(), scene.slice_count()), (1, 1));
    scene.validate().unwrap();
    let node = scene.insert(root, whole(1)).unwrap();
    scene.maintain(Duration::MAX);
    scene.validate().unwrap();
    let again = scene.maintain(Duration::MAX);
    assert_eq!((again.reconstituted, again.remaining), (0, 0), "a scene at rest is left alone");
    assert_eq!(scene.remove(node), Ok(1));
    scene.shrink_to_fit();
    scene.validate().unwrap();
    let stats = scene.stats();
    let beside = stats.allocated_bytes() - stats.metadata.allocated_bytes;
    assert!(beside < 64 << 10, "{beside} bytes beside the metadata: {stats:?}");
    let node = scene.insert(root, whole(1)).unwrap();
    scene.update();
    scene.validate().unwrap();
    let shown = draws(&scene).len();
    assert_eq!((shown, scene.node(node)), (1, Some(whole(1))));
}

#[test]
fn reserved_room_is_used() {
    const COUNT: u32 = 3_000;
    for config in [SceneConfig::DEFAULT, UNBOUNDED] {
        let mut scene = Scene::with_config(config).unwrap();
        let root = scene.root();
        let parent = scene.insert(root, whole(0)).unwrap();
        for number in 0..50 {
            scene.insert(parent, whole(number)).unwrap();
        }
        // A slice that was read does not grow in place, so missing room is visible.
        scene.update();
        scene.try_reserve(parent, COUNT as usize).unwrap();
        scene.validate().unwrap();
        let before = scene.stats();
        for number in 0..COUNT {
            scene.insert(parent, whole(number)).unwrap();
        }
        let after = scene.stats();
        assert_eq!(after.reconstitutions, before.reconstitutions);
        let room = |stats: &hedgerow::stats::Stats| {
            [stats.rows, stats.visibilities, stats.materials, stats.shapes].map(|usage| usage.allocated_bytes)
        };
        assert_eq!(room(&after), room(&before), "nothing grew");
        check_update(&mut scene, "filling what was reserved");

        // Below the root the next slice has the room.
        let mut scene = Scene::with_config(config).unwrap();
        let root = scene.root();
        scene.try_reserve(root, COUNT as usize).unwrap();
        let parent = scene.insert(root, whole(0)).unwrap();
        scene.update();
        let before = scene.stats();
        for number in 1..COUNT {
            scene.insert(parent, whole(number)).unwrap();
        }
        let after = scene.stats();
        assert_eq!(after.reconstitutions, before.reconstitutions);
        assert_eq!(room(&after), room(&before), "nothing grew");
        scene.validate().unwrap();
    }
}

#[test]
fn more_room_than_can_be_counted_is_an_overflow() {
    let mut scene = Scene::new();
    let root = scene.root();
    let child = scene.insert(root, whole(1)).unwrap();
    for node in [root, child] {
        for count in [usize::MAX, usize::MAX - 1, 1 << 30] {
            assert_eq!(scene.try_reserve(node, count), Err(Error::CapacityOverflow), "{count}");
        }
    }
    scene.validate().unwrap();
}

#[test]
fn a_capacity_shows_in_the_bytes_allocated() {
    let (plain, roomy) = (Scene::new().stats(), Scene::with_capacity(4_000).stats());
    // A row, a transform with its matrix, a shape, a material, a visibility.
    let least = 4_000 * (48 + 92 + 48 + 8 + 12);
    let grown = roomy.allocated_bytes() - plain.allocated_bytes();
    assert!(grown >= least, "{grown} bytes for 4,000 nodes");
    let mut scene = Scene::with_capacity(4_000);
    scene.shrink_to_fit();
    assert!(scene.stats().allocated_bytes() <= plain.allocated_bytes(), "room that is not wanted is given back");
    scene.insert(scene.root(), whole(1)).unwrap();
    scene.validate().unwrap();
}

#[test]
fn a_scene_that_hardly_grows_is_refused() {
    let with = |expansion_factor| Scene::with_config(SceneConfig { expansion_factor, ..SceneConfig::DEFAULT });
    for refused in [1.0, 1.04, 0.0, -2.0, 16.5, f32::NAN, f32::INFINITY] {
        let error = with(refused).expect_err("the factor is refused");
        assert!(matches!(error, Error::InvalidConfig { field: "expansion_factor", .. }), "{error:?}");
    }
    for accepted in [1.05, 16.0] {
        let mut scene = with(accepted).unwrap();
        let parent = scene.insert(scene.root(), Node::group()).unwrap();
        for number in 0..1_000 {
            scene.insert(parent, whole(number)).unwrap();
            if number % 100 == 0 {
                scene.update();
            }
        }
        check_update(&mut scene, "growing");
    }
}

#[test]
fn freed_handles_come_back_once_each_in_any_order() {
    let config = SceneConfig::DEFAULT;
    for stride in [1, 3, 7, 11, 19, 22] {
        let mut scene = Scene::with_config(config).unwrap();
        let parent = scene.insert(scene.root(), Node::group()).unwrap();
        let mut live: Vec<_> = (0..23).map(|_| scene.insert(parent, Node::group()).unwrap()).collect();
        let mut seen: HashSet<_> = live.iter().copied().collect();
        let mut stale = Vec::new();
        for freed in 1..=20 {
            // 23 is prime, so each stride reaches each node.
            let order: Vec<_> = (0..freed).map(|turn| live[turn * stride % 23]).collect();
            for &node in &order {
                assert_eq!(scene.remove(node), Ok(1));
                scene.validate().unwrap();
            }
            live.retain(|node| !order.contains(node));
            stale.extend(order);
            // A part is attached again, then a node is removed, then the rest is attached.
            for _ in 0..freed / 2 {
                live.push(scene.insert(parent, Node::group()).unwrap());
                assert!(seen.insert(live[live.len() - 1]), "a handle never comes again");
                scene.validate().unwrap();
            }
            let gone = live.remove(freed % live.len());
            assert_eq!(scene.remove(gone), Ok(1));
            stale.push(gone);
            while live.len() < 23 {
                live.push(scene.insert(parent, Node::group()).unwrap());
                assert!(seen.insert(live[live.len() - 1]), "a handle never comes again");
                scene.validate().unwrap();
            }
            assert_eq!(live.iter().collect::<HashSet<_>>().len(), 23);
            assert!(live.iter().all(|&node| scene.contains(node)));
            assert!(stale.iter().all(|&node| !scene.contains(node) && scene.node(node).is_none()));
        }
        let stats = scene.stats();
        assert_eq!((stats.tables, stats.retired), (2, 0), "freed entries serve again: {stats:?}");
    }
}
