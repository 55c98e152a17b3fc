//! Memory that was reserved, freed, or reused.

use super::{draws, whole};
use hedgerow::{Error, Node, Scene, SceneConfig};
use std::collections::HashSet;
use std::time::Duration;

#[test]
fn a_cleared_scene_comes_to_rest_and_gives_its_memory_back() {
    let mut scene = Scene::with_config(SceneConfig::DEFAULT).unwrap();
    let root = scene.root();
    for number in 0..2_000 {
        scene.insert(root, whole(number)).unwrap();
    }
    scene.update();
    scene.clear();
    assert_eq!(scene.len(), 1);
    scene.update();
    assert_eq!(scene.stats().slices, 2);
    scene.validate().unwrap();
    let node = scene.insert(root, whole(1)).unwrap();
    scene.update();
    scene.maintain(Duration::MAX);
    scene.validate().unwrap();
    let again = scene.maintain(Duration::MAX);
    assert_eq!((again.reconstituted, again.remaining), (0, 0), "a scene at rest is left alone");
    assert_eq!(scene.remove(node), Ok(1));
    scene.update();
    scene.shrink_to_fit();
    scene.validate().unwrap();
    let stats = scene.stats();
    let beside = stats.allocated_bytes() - stats.records.allocated_bytes;
    assert!(beside < 64 << 10, "{beside} bytes beside the records: {stats:?}");
    let node = scene.insert(root, whole(1)).unwrap();
    scene.update();
    scene.validate().unwrap();
    let shown = draws(&scene).len();
    assert_eq!((shown, scene.get(node).map(|node| node.node())), (1, Some(whole(1))));
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
    // Only records are reserved; the update allocates the rest.
    let room = roomy.records.allocated_bytes;
    assert!(room >= 4_000 * 77, "{room} bytes for 4,000 nodes");
    let grown = roomy.allocated_bytes() - plain.allocated_bytes();
    assert!(grown >= room - plain.records.allocated_bytes);
    let mut scene = Scene::with_capacity(4_000);
    scene.shrink_to_fit();
    assert!(scene.stats().allocated_bytes() <= plain.allocated_bytes(), "room that is not wanted is given back");
    scene.insert(scene.root(), whole(1)).unwrap();
    scene.validate().unwrap();
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
            // Since 23 is prime, each stride reaches each node.
            let order: Vec<_> = (0..freed).map(|turn| live[turn * stride % 23]).collect();
            for &node in &order {
                assert_eq!(scene.remove(node), Ok(1));
                scene.validate().unwrap();
            }
            live.retain(|node| !order.contains(node));
            stale.extend(order);
            // Some nodes are inserted, one is removed, and the rest is inserted.
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
            assert!(
                stale.iter().all(|&node| !scene.contains(node) && scene.get(node).map(|node| node.node()).is_none())
            );
        }
        let stats = scene.stats();
        assert_eq!(stats.retired, 0, "freed records serve again: {stats:?}");
    }
}

#[test]
fn what_is_in_use_is_counted_kind_by_kind_and_in_all() {
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
    (0..10).for_each(|number| _ = scene.insert(scene.root(), whole(number).named("four")).unwrap());
    scene.update();
    let stats = scene.stats();
    let slices = [stats.rows, stats.transforms, stats.drawables, stats.bounds];
    assert_eq!(slices.map(|kind| (kind.live, kind.live_bytes)), [(11, 176), (10, 960), (10, 480), (10, 240)]);
    // A component is a drawable, or layers.
    assert_eq!((stats.records.live, stats.components.live, stats.components.live_bytes), (11, 20, 320));
    assert_eq!((stats.names.live, stats.names.live_bytes), (10, 10 * (size_of::<Box<str>>() + 4)));
    let all = slices.into_iter().chain([stats.records, stats.components, stats.names]);
    assert!(stats.records.live_bytes > 11 * 64 && stats.live_bytes() == all.map(|kind| kind.live_bytes).sum::<usize>());
}
