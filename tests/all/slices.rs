//! Where nodes are stored: in which slice, behind which portals, with how much room.

use crate::trees::{group, whole, with};
use hedgerow::config::StoragePolicy;
use hedgerow::{
    Aabb, DrawList, Error, Keep, Node, NodeHandle, Place, Scene, SceneConfig, Shape, Transform, Visibility,
};
use std::time::Duration;

#[test]
fn the_root_has_a_slice_of_its_own() {
    let mut scene = Scene::new();
    let root = scene.root();
    assert_eq!(scene.slice_count(), 1);
    let top = group(&mut scene, root);
    let low = group(&mut scene, top);
    assert!(!scene.same_slice(root, top));
    assert!(scene.same_slice(top, low), "other nodes lie with their parents");
    assert_eq!(scene.slice_count(), 2);
}

#[test]
fn small_neighbours_share_a_slice() {
    let mut scene = with(SceneConfig { min_nodes: 4, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let tops: Vec<_> = (0..12).map(|_| group(&mut scene, root)).collect();
    assert_eq!(scene.slice_count(), 4, "12 tops by fours, and the root");
    assert!(scene.same_slice(tops[0], tops[3]) && !scene.same_slice(tops[3], tops[4]));
    let between = group(&mut scene, Place::After(tops[1]));
    assert!(scene.same_slice(between, tops[1]), "between two that share a slice there is no other place");
    let at_the_border = group(&mut scene, Place::After(tops[3]));
    assert!(!scene.same_slice(at_the_border, tops[3]), "that slice is no longer small");
    assert_eq!(scene.children(root).nth(5), Some(at_the_border));
    scene.validate().unwrap();
}

#[test]
fn without_sharing_each_child_of_the_root_has_a_slice() {
    let mut scene = with(SceneConfig::THESIS);
    let root = scene.root();
    let first = group(&mut scene, root);
    let last = group(&mut scene, root);
    let middle = group(&mut scene, Place::Before(last));
    assert_eq!(scene.slice_count(), 4);
    assert!(!scene.same_slice(first, middle) && !scene.same_slice(middle, last));
    assert!(scene.children(root).eq([first, middle, last]));
}

#[test]
fn an_isolated_subtree_has_a_slice_and_keeps_its_place() {
    let mut scene = Scene::new();
    let top = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))).unwrap();
    let [a, b, c] = [(); 3].map(|()| group(&mut scene, top));
    let below = scene.insert(b, whole()).unwrap();
    scene.isolate(b).unwrap();
    assert!(scene.same_slice(a, c) && scene.same_slice(b, below) && !scene.same_slice(a, b));
    assert!(scene.children(top).eq([a, b, c]));
    scene.update();
    assert_eq!(scene.world(below).unwrap().translation().x, 2.0);
    assert_eq!(scene.node(below), Some(whole()));
    let slices = scene.slice_count();
    scene.isolate(b).unwrap();
    assert_eq!(scene.slice_count(), slices, "it has one already");
    scene.validate().unwrap();
}

#[test]
fn nested_portals_keep_the_order_of_siblings() {
    let mut scene = with(SceneConfig { initial_slice_storage_size: 1, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let top = group(&mut scene, Place::LastChildOf(root));
    let mut order = vec![group(&mut scene, top)];
    let first = order[0];
    // New nodes beside an isolated node stay out of its slice, and are isolated in turn.
    for turn in 0..60usize {
        let at = turn * 7 % order.len();
        let beside = group(&mut scene, if turn % 2 == 0 { Place::After(order[at]) } else { Place::Before(order[at]) });
        let together = scene.same_slice(beside, order[at]);
        assert_eq!(together, order[at] == first, "a newcomer lies with no sibling that is isolated");
        order.insert(if turn % 2 == 0 { at + 1 } else { at }, beside);
        scene.isolate(beside).unwrap();
        scene.validate().unwrap();
    }
    assert!(scene.children(top).eq(order.iter().copied()));
    assert!(scene.children(top).rev().eq(order.iter().rev().copied()));
    assert!(scene.slice_count() > 60);
    for node in order {
        scene.remove(node).unwrap();
        scene.validate().unwrap();
    }
    assert_eq!(scene.slice_count(), 2, "emptied slices go");
}

#[test]
fn an_emptied_slice_goes_with_its_last_node() {
    let mut scene = with(SceneConfig::THESIS);
    let root = scene.root();
    let tops: Vec<_> = (0..10).map(|_| group(&mut scene, root)).collect();
    let other = tops[9];
    for (gone, &top) in tops[..9].iter().enumerate() {
        assert_eq!(scene.slice_count(), 11 - gone);
        if gone % 2 == 0 {
            scene.remove(top).unwrap();
        } else {
            scene.reparent(top, other, Keep::Local).unwrap();
        }
        scene.validate().unwrap();
    }
    assert_eq!(scene.slice_count(), 2);
    assert_eq!(scene.children(other).count(), 4);
}

#[test]
fn a_subtree_takes_all_it_has_to_another_slice() {
    let mut scene = with(SceneConfig::THESIS);
    let root = scene.root();
    let (one, two) = (group(&mut scene, root), group(&mut scene, root));
    let node = scene.insert(one, whole().named("node")).unwrap();
    let sheared = hedgerow::Mat34 { rows: [[1.0, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 1.0, 0.0]] };
    let low = scene.insert(node, Node::group().with_matrix(sheared).named("low")).unwrap();
    let far = group(&mut scene, low);
    scene.isolate(far).unwrap();
    let before = [node, low, far].map(|node| scene.node(node).map(|node| format!("{node:?}")));
    scene.reparent(node, two, Keep::Local).unwrap();
    assert!(scene.same_slice(node, two) && scene.same_slice(low, two) && !scene.same_slice(far, two));
    let after = [node, low, far].map(|node| scene.node(node).map(|node| format!("{node:?}")));
    assert_eq!(before, after);
    scene.update();
    assert_eq!(scene.world(far).unwrap().translation().to_array(), [1.0, 2.0, 0.0]);
    scene.validate().unwrap();
}

/// A tree of 2,000 nodes with all components, inserted and removed in random places.
fn edited(config: SceneConfig) -> Scene {
    let mut scene = with(config);
    let root = scene.root();
    let mut nodes = vec![group(&mut scene, Place::LastChildOf(root))];
    for number in 0..2000usize {
        let parent = nodes[number * 7919 % nodes.len()];
        nodes.push(scene.insert(Place::FirstChildOf(parent), whole()).unwrap());
    }
    for number in (0..400).rev() {
        let leaf = nodes[number * 5 + 3];
        if scene.first_child(leaf).is_none() {
            scene.remove(leaf).unwrap();
        }
    }
    scene.validate().unwrap();
    scene
}

#[test]
fn reconstitution_leaves_neither_holes_nor_disorder() {
    for reuse_holes in [true, false] {
        let mut scene = edited(SceneConfig {
            storage: StoragePolicy { reuse_holes, ..StoragePolicy::DEFAULT },
            ..SceneConfig::DEFAULT
        });
        assert!(scene.stats().holes > 50, "{} holes", scene.stats().holes);
        scene.update();
        let nodes: Vec<_> = scene.descendants(scene.root()).collect();
        let worlds: Vec<_> = nodes.iter().map(|&node| *scene.world(node).unwrap()).collect();
        scene.reconstitute_all();
        scene.validate().unwrap();
        let stats = scene.stats();
        assert_eq!((stats.holes, stats.disorder), (0, 0.0));
        assert!(scene.descendants(scene.root()).eq(nodes.iter().copied()));
        for (&node, world) in nodes.iter().zip(&worlds) {
            assert_eq!(scene.world(node), Some(world), "worlds move along");
        }
    }
}

#[test]
fn draws_are_in_depth_first_order_after_reconstitution() {
    let mut scene = edited(SceneConfig::DEFAULT);
    scene.update();
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    let mut before: Vec<_> = list.commands().iter().map(|command| command.node).collect();
    let depth_first: Vec<_> = scene.descendants(scene.root()).filter(|&node| scene.shape(node).is_some()).collect();
    assert_ne!(before, depth_first, "insertion alone left them in order");
    scene.reconstitute_all();
    scene.draw_list(&mut list);
    assert!(list.commands().iter().map(|command| command.node).eq(depth_first.iter().copied()));
    before.sort_unstable();
    let mut all = depth_first;
    all.sort_unstable();
    assert_eq!(before, all);
}

#[test]
fn maintenance_reconstitutes_what_is_worn_and_then_rests() {
    let mut scene = edited(SceneConfig {
        storage: StoragePolicy { reuse_holes: false, ..StoragePolicy::DEFAULT },
        ..SceneConfig::DEFAULT
    });
    let before = scene.stats();
    let done = scene.maintain(Duration::from_secs(3600));
    assert_eq!(done.reconstituted, 1, "one slice was edited out of order");
    assert!(done.nodes >= scene.len() - 1, "{} nodes were moved", done.nodes);
    let after = scene.stats();
    assert!(after.holes < before.holes && after.disorder < before.disorder, "{before:?} became {after:?}");
    assert_eq!(after.reconstitutions, before.reconstitutions + 1);
    scene.validate().unwrap();
    assert_eq!(scene.maintain(Duration::from_secs(3600)).reconstituted, 0, "nothing was edited since");
}

#[test]
fn maintenance_merges_slices_that_have_become_small() {
    let mut dice = fastrand::Rng::with_seed(3);
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT });
    let mut nodes = vec![scene.root()];
    for _ in 0..4000 {
        let parent = nodes[dice.usize(..nodes.len())];
        nodes.push(group(&mut scene, parent));
    }
    let mut leaves: Vec<NodeHandle> = nodes.iter().copied().filter(|&node| scene.first_child(node).is_none()).collect();
    dice.shuffle(&mut leaves);
    leaves.truncate(leaves.len() * 19 / 20);
    scene.remove_many(&leaves).unwrap();
    let before = scene.slice_count();
    let done = scene.maintain(Duration::MAX);
    scene.validate().unwrap();
    // 131 before, and 90 then.
    let slices = scene.slice_count();
    assert!(4 * slices <= 3 * before, "{slices} slices, before {before}");
    assert_eq!(done.merged, before - slices);
}

#[test]
fn maintenance_without_time_tidies_one_slice_in_each_call() {
    let mut dice = fastrand::Rng::with_seed(3);
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT });
    let mut nodes = vec![scene.root()];
    for _ in 0..2000 {
        let parent = nodes[dice.usize(..nodes.len())];
        nodes.push(group(&mut scene, parent));
    }
    let is_leaf = |&node: &NodeHandle| scene.first_child(node).is_none();
    let leaves: Vec<NodeHandle> = nodes.iter().copied().filter(is_leaf).skip(50).collect();
    scene.remove_many(&leaves).unwrap();
    let mut tidied = 0;
    loop {
        let done = scene.maintain(Duration::ZERO);
        assert!(done.merged + done.reconstituted <= 1, "{done:?}");
        tidied += done.merged + done.reconstituted;
        if done.remaining == 0 {
            break;
        }
    }
    assert!(tidied > 5, "{tidied}");
    scene.validate().unwrap();
}

#[test]
fn maintenance_counts_the_slices_that_it_checks() {
    let storage = StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT };
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 8, storage, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let [top, below] = [(); 2].map(|()| group(&mut scene, root));
    let leaves: Vec<NodeHandle> = (0..61).map(|_| group(&mut scene, top)).collect();
    (0..2).for_each(|_| _ = group(&mut scene, below));
    // There is room for a portal, and not for three nodes.
    scene.reparent(below, leaves[60], Keep::Local).unwrap();
    assert!(scene.same_slice(leaves[60], top) && !scene.same_slice(below, top));
    assert_eq!(scene.maintain(Duration::MAX).merged, 0);
    assert_eq!(scene.maintain(Duration::MAX).looked_at, 0);
    scene.remove(leaves[5]).unwrap();
    let done = scene.maintain(Duration::MAX);
    assert_eq!((done.looked_at, done.merged, done.remaining), (2, 0, 0), "the one that was edited and the one below");
}

#[test]
fn disorder_is_the_share_of_rows_that_are_far_from_their_place() {
    let mut scene = with(SceneConfig::DEFAULT);
    let root = scene.root();
    let top = group(&mut scene, root);
    for _ in 0..1000 {
        group(&mut scene, top);
    }
    scene.reconstitute_all();
    assert_eq!(scene.stats().disorder, 0.0);
    for _ in 0..20 {
        group(&mut scene, Place::FirstChildOf(top));
    }
    let disorder = scene.stats().disorder;
    assert!((0.01..0.05).contains(&disorder), "20 rows of 1021 are {disorder}");
}

#[test]
fn slices_that_are_cut_count_as_reconstituted() {
    let mut scene = with(SceneConfig::DEFAULT);
    let root = scene.root();
    let top = group(&mut scene, root);
    for _ in 0..300 {
        group(&mut scene, top);
    }
    let before = scene.stats().reconstitutions;
    scene.reconfigure(SceneConfig { max_nodes: 64, min_nodes: 8, ..SceneConfig::DEFAULT }).unwrap();
    assert!(scene.slice_count() >= 6);
    assert!(scene.stats().reconstitutions > before);
    scene.validate().unwrap();
}

#[test]
fn a_growing_slice_is_rebuilt_a_logarithmic_number_of_times() {
    let config = SceneConfig {
        expansion_factor: 1.5,
        initial_slice_storage_size: 1,
        storage: StoragePolicy { grow_in_place: false, ..StoragePolicy::DEFAULT },
        ..SceneConfig::DEFAULT
    };
    let mut scene = with(config);
    let root = scene.root();
    let top = group(&mut scene, Place::LastChildOf(root));
    for _ in 0..20_000 {
        scene.insert(top, whole()).unwrap();
    }
    // Six storages grow by a factor of 1.5 from 1 to 20,000: at most 25 times each.
    let count = scene.stats().reconstitutions;
    assert!((20..=150).contains(&count), "{count} reconstitutions");
    scene.validate().unwrap();
}

#[test]
fn reserved_room_is_there_without_a_reconstitution() {
    for config in [SceneConfig::DEFAULT, SceneConfig::THESIS] {
        let mut scene = with(config);
        let root = scene.root();
        let top = group(&mut scene, Place::LastChildOf(root));
        scene.try_reserve(top, 3000).unwrap();
        let before = scene.stats();
        for _ in 0..3000 {
            scene.insert(top, whole()).unwrap();
        }
        let after = scene.stats();
        assert_eq!(after.reconstitutions, before.reconstitutions);
        assert_eq!(after.transforms.live, before.transforms.live + 3000);
        scene.validate().unwrap();
    }
}

#[test]
fn a_scene_with_capacity_fills_it_without_a_reconstitution() {
    let mut scene = Scene::with_capacity(3000);
    let mut end = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    let room = scene.stats().rows.allocated_bytes;
    for _ in 1..3000 {
        end = scene.insert(end, Node::transform(Transform::IDENTITY)).unwrap();
    }
    let stats = scene.stats();
    assert_eq!((stats.reconstitutions, stats.rows.allocated_bytes), (0, room));
}

#[test]
fn a_new_slice_has_room_for_as_many_nodes_as_the_policy_says() {
    let config = SceneConfig { initial_slice_storage_size: 500, ..SceneConfig::DEFAULT };
    let mut scene = with(config);
    let top = scene.insert(scene.root(), whole()).unwrap();
    let room = scene.stats().rows.allocated_bytes;
    for _ in 1..500 {
        scene.insert(top, Node::group()).unwrap();
    }
    assert_eq!(scene.stats().rows.allocated_bytes, room);
}

#[test]
fn shrinking_gives_back_what_removed_nodes_had() {
    let mut scene = edited(SceneConfig::DEFAULT);
    let keep = scene.first_child(scene.root()).unwrap();
    while let Some(child) = scene.first_child(keep) {
        scene.remove(child).unwrap();
    }
    let before = scene.stats().allocated_bytes();
    scene.shrink_to_fit();
    let after = scene.stats();
    assert!(after.allocated_bytes() * 3 < before, "{before} bytes became {}", after.allocated_bytes());
    scene.validate().unwrap();
    assert!(scene.contains(keep));
}

#[test]
fn holes_are_reused_only_where_the_policy_says_so() {
    for (reuse_holes, most) in [(true, 0), (false, u64::MAX)] {
        let mut scene = with(SceneConfig {
            storage: StoragePolicy { reuse_holes, ..StoragePolicy::DEFAULT },
            ..SceneConfig::DEFAULT
        });
        let root = scene.root();
        let top = group(&mut scene, Place::LastChildOf(root));
        let mut nodes: Vec<_> = (0..1000).map(|_| scene.insert(top, whole()).unwrap()).collect();
        let before = scene.stats();
        for turn in 0..5000usize {
            let at = turn * 7919 % nodes.len();
            scene.remove(nodes[at]).unwrap();
            nodes[at] = scene.insert(top, whole()).unwrap();
        }
        let after = scene.stats();
        let rebuilt = after.reconstitutions - before.reconstitutions;
        assert!(rebuilt <= most, "rebuilt {rebuilt} times");
        assert_eq!(rebuilt == 0, reuse_holes, "rebuilt {rebuilt} times");
        assert!(after.allocated_bytes() <= before.allocated_bytes() * 5 / 2);
        scene.validate().unwrap();
    }
}

#[test]
fn nonsense_is_refused_by_the_name_of_its_field() {
    let good = SceneConfig::DEFAULT;
    for (config, name) in [
        (SceneConfig { expansion_factor: 1.0, ..good }, "expansion_factor"),
        (SceneConfig { expansion_factor: f32::NAN, ..good }, "expansion_factor"),
        (SceneConfig { expansion_factor: f32::INFINITY, ..good }, "expansion_factor"),
        (SceneConfig { initial_slice_storage_size: 0, ..good }, "initial_slice_storage_size"),
        (SceneConfig { initial_slice_max_num_nodes: 0, ..good }, "initial_slice_max_num_nodes"),
        (SceneConfig { initial_slice_max_num_nodes: 4097, ..good }, "initial_slice_max_num_nodes"),
        (SceneConfig { min_nodes: u32::MAX, ..good }, "min_nodes"),
        (SceneConfig { storage: StoragePolicy { max_table_entries: 0, ..good.storage }, ..good }, "max_table_entries"),
        (SceneConfig { storage: StoragePolicy { max_generation: 0, ..good.storage }, ..good }, "max_generation"),
        (SceneConfig { storage: StoragePolicy { max_generation: 1 << 28, ..good.storage }, ..good }, "max_generation"),
    ] {
        match Scene::with_config(config).map(|scene| scene.len()) {
            Err(Error::InvalidConfig { field, .. }) => assert_eq!(field, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert_eq!(with(SceneConfig::THESIS).config(), &SceneConfig::THESIS);
}

#[test]
fn stats_count_each_kind() {
    let mut scene = Scene::new();
    let top = scene.insert(scene.root(), Node::transform(Transform::IDENTITY).named("ab")).unwrap();
    scene.insert(top, Node::material(1)).unwrap();
    scene.insert(top, Node::shape(Shape::new(1, Aabb::cube(1.0)))).unwrap();
    scene.insert(top, whole()).unwrap();
    let stats = scene.stats();
    assert_eq!((stats.nodes, stats.slices, stats.reconstitutions), (5, 2, 0));
    // Each slice has a base for what is inherited, and all except the root's have a portal.
    let inherited = [stats.transforms, stats.materials, stats.visibilities].map(|kind| kind.live - stats.slices);
    assert_eq!(inherited, [2, 2, 1]);
    assert_eq!([stats.shapes, stats.names, stats.rows].map(|kind| kind.live), [2, 1, 5 + 1]);
    assert_eq!(stats.rows.live_bytes, 6 * 48, "a row is 48 bytes");
    assert!(stats.live_bytes() <= stats.allocated_bytes());
    assert_eq!((stats.holes, stats.disorder, stats.overflowed, stats.retired), (0, 0.0, 0, 0));
}

#[test]
fn stats_count_what_is_outside_of_the_tree_too() {
    let mut scene = Scene::new();
    let root = scene.root();
    let [kept, car, house] = [(); 3].map(|()| group(&mut scene, root));
    (0..2).for_each(|_| _ = group(&mut scene, car));
    group(&mut scene, house);
    [car, house].iter().for_each(|&node| scene.isolate(node).unwrap());
    scene.detach(car).unwrap();
    scene.remove_later(house).unwrap();
    let stats = scene.stats();
    assert_eq!((stats.nodes, stats.detached, stats.pending_free), (2, 3, 2));
    assert_eq!((stats.metadata.live, stats.metadata.live_bytes), (7, 7 * 16), "an entry is 16 bytes");
    assert!(scene.contains(kept));
}

#[test]
fn live_bytes_are_those_of_every_kind() {
    let scene_of = |config| {
        let mut scene = with(config);
        let top = scene.insert(scene.root(), whole().named("name")).unwrap();
        (0..20).for_each(|_| _ = scene.insert(top, whole()).unwrap());
        scene.update();
        scene.stats()
    };
    let plain = scene_of(SceneConfig::DEFAULT);
    let bounded = scene_of(SceneConfig { bounds: true, ..SceneConfig::DEFAULT });
    let told = scene_of(SceneConfig { changes: true, ..SceneConfig::DEFAULT });
    for stats in [plain, bounded, told] {
        let kinds = [stats.rows, stats.transforms, stats.visibilities, stats.materials, stats.shapes, stats.names];
        let live: usize = kinds.iter().map(|kind| kind.live_bytes).sum();
        assert!(kinds.iter().all(|kind| kind.live_bytes > 0));
        assert_eq!(stats.live_bytes(), live + stats.bounds.live_bytes + stats.metadata.live_bytes);
    }
    assert_eq!(plain.bounds, Default::default(), "a scene that keeps no boxes has none");
    assert_eq!((bounded.bounds.live, bounded.bounds.live_bytes), (21, 21 * 32), "a box and a handle");
    assert_eq!(told.bounds, plain.bounds);
    // What a transform and a mask were, and in which frame they changed.
    assert_eq!(told.transforms.live_bytes, plain.transforms.live_bytes + plain.transforms.live * (48 + 12));
    assert_eq!(told.visibilities.live_bytes, plain.visibilities.live_bytes + plain.visibilities.live * 8);
}

#[test]
fn isolation_holds_until_the_subtree_is_moved() {
    for moved in [false, true] {
        let config = SceneConfig { min_nodes: 8, max_nodes: 64, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        let top = scene.insert(scene.root(), Node::group()).unwrap();
        let [from, to] = [(); 2].map(|()| scene.insert(top, Node::group()).unwrap());
        let node = scene.insert(from, Node::group()).unwrap();
        let leaves = [(); 12].map(|()| scene.insert(node, Node::group()).unwrap());
        scene.isolate(node).unwrap();
        if moved {
            scene.reparent(node, to, Keep::Local).unwrap();
        }
        scene.maintain(Duration::MAX);
        assert!(!scene.same_slice(node, top), "it is no small subtree");
        for leaf in leaves {
            scene.remove(leaf).unwrap();
        }
        scene.maintain(Duration::MAX);
        assert_eq!(scene.same_slice(node, top), moved);
        scene.validate().unwrap();
    }
}

/// A scene of small slices, and a parent with this many children, each added after the one before.
fn filled(children: usize) -> (Scene, NodeHandle, Vec<NodeHandle>) {
    let config = SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let shelf = scene.insert(scene.root(), Node::group()).unwrap();
    let parent = scene.insert(shelf, Node::transform(Transform::IDENTITY)).unwrap();
    let nodes = (0..children).map(|_| scene.insert(parent, Node::transform(Transform::IDENTITY)).unwrap()).collect();
    (scene, parent, nodes)
}

#[test]
fn siblings_that_are_added_one_behind_the_other_fill_slice_after_slice() {
    let (scene, parent, nodes) = filled(2000);
    scene.validate().unwrap();
    assert!(scene.children(parent).eq(nodes.iter().copied()));
    let least = 2000 / 64;
    assert!(scene.slice_count() <= least + least / 8 + 4, "{} slices", scene.slice_count());
}

#[test]
fn siblings_that_are_added_between_full_slices_do_not_take_a_slice_each() {
    let (mut scene, parent, nodes) = filled(2000);
    let last = nodes.windows(2).position(|pair| !scene.same_slice(pair[0], pair[1])).unwrap();
    let before = scene.slice_count();
    let mut expected = nodes.clone();
    for _ in 0..200 {
        let node = scene.insert(Place::After(nodes[last]), Node::transform(Transform::IDENTITY)).unwrap();
        expected.insert(last + 1, node);
    }
    scene.validate().unwrap();
    assert!(scene.children(parent).eq(expected));
    assert!(scene.slice_count() - before <= 200 / 16 + 4, "{} slices more", scene.slice_count() - before);
}

#[test]
fn a_move_within_a_full_run_opens_no_slice() {
    let (mut scene, parent, nodes) = filled(1 + 64 * 8);
    let full = nodes.iter().rposition(|&node| !scene.same_slice(node, nodes[nodes.len() - 1])).unwrap();
    for &node in &nodes[full + 1..] {
        scene.remove(node).unwrap();
    }
    let before = scene.slice_count();
    for _ in 0..10 {
        let first = nodes[..=full].iter().copied().find(|&node| scene.same_slice(node, nodes[full])).unwrap();
        scene.reparent(first, Place::LastChildOf(parent), Keep::Local).unwrap();
    }
    scene.validate().unwrap();
    assert_eq!(scene.slice_count(), before);
}

#[test]
fn views_tell_what_a_picture_of_the_memory_shows() {
    let mut scene = with(SceneConfig { bounds: true, min_nodes: 4, max_nodes: 64, ..SceneConfig::DEFAULT });
    let mut nodes = vec![scene.root()];
    for number in 0..400_usize {
        let node = if number % 3 == 0 { whole() } else { Node::group() };
        nodes.push(scene.insert(nodes[number / 3], node).unwrap());
    }
    // A leaf in the midst of others.
    assert!(scene.shape(nodes[301]).is_some() && scene.first_child(nodes[301]).is_none());
    scene.remove(nodes[301]).unwrap();
    scene.update();
    assert!(scene.slice_count() > 5);
    let holes: usize = scene
        .slices()
        .map(|slice| (0..slice.shapes().len()).filter(|&slot| !slice.shapes().is_occupied(slot)).count())
        .sum();
    assert!(holes > 0, "the leaf leaves a hole");
    for slice in scene.slices() {
        // The node above is in one of the slices above.
        let here = |node: NodeHandle| slice.rows().nodes().any(|other| other == node);
        let above = slice.rows().nodes().filter_map(|node| scene.parent(node)).find(|&parent| !here(parent));
        let of = |number: u32| scene.slices().find(|slice| slice.number() == number);
        let mut slices = core::iter::successors(slice.parent().and_then(of), |slice| slice.parent().and_then(of));
        assert_eq!(above.is_none(), slice.parent().is_none(), "only the root's slice has none above it");
        assert!(above.is_none_or(|node| slices.any(|slice| slice.rows().nodes().any(|other| other == node))));
        let (rows, transforms, shapes) = (slice.rows(), slice.transforms(), slice.shapes());
        assert!(rows.len() <= rows.capacity());
        assert!(transforms.len() <= transforms.capacity() && shapes.len() <= shapes.capacity());
        let (visibilities, materials) = (slice.visibilities(), slice.materials());
        assert!(visibilities.len() <= visibilities.capacity() && materials.len() <= materials.capacity());
        assert!(visibilities.is_occupied(0) && materials.is_occupied(0), "bases");
        assert!(!visibilities.is_occupied(visibilities.len()) && !materials.is_occupied(materials.len()));
        assert!((0..shapes.len()).all(|slot| shapes.is_occupied(slot) == shapes.get(slot).is_some()));

        let mut own = Aabb::EMPTY;
        let blocks: Vec<Aabb> = slice.block_bounds().collect();
        assert_eq!(blocks.len(), shapes.len().div_ceil(64));
        for slot in 0..shapes.len() {
            if let Some(listed) = shapes.get(slot) {
                let bounds = scene.world_bounds(listed.node).unwrap();
                assert!(blocks[slot / 64].contains_box(&bounds));
                own = own.merge(&bounds);
            }
        }
        assert_eq!(slice.bounds(), Some(own));
    }
    let plain = Scene::new();
    let slice = plain.slices().next().unwrap();
    assert_eq!((slice.bounds(), slice.block_bounds().count(), slice.parent()), (None, 0, None));
}

#[test]
fn each_edit_of_the_tree_has_another_structure_version() {
    let mut scene = with(SceneConfig { min_nodes: 4, max_nodes: 64, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let tops: Vec<NodeHandle> = (0..40).map(|_| scene.insert(root, whole()).unwrap()).collect();
    for at in 0..200 {
        scene.insert(tops[at % 40], whole()).unwrap();
    }
    let mut other = Scene::with_config(*scene.config()).unwrap();
    let mut many = hedgerow::edit::SceneBuilder::new();
    (0..30).for_each(|at: usize| _ = many.push(at.checked_sub(1), whole()));
    let bytes = scene.save_subtree(tops[1]).unwrap();
    type Edit<'a> = &'a mut dyn FnMut(&mut Scene);
    let edits: [(&str, Edit<'_>); 18] = [
        ("insert", &mut |scene| _ = scene.insert(tops[3], whole())),
        ("insert at the root", &mut |scene| _ = scene.insert(root, Node::group())),
        ("insert detached", &mut |scene| _ = scene.insert(Place::Detached, Node::group())),
        ("insert_many", &mut |scene| scene.insert_many(&[(tops[3], Node::group())], &mut Vec::new()).unwrap()),
        ("build", &mut |scene| _ = many.insert_into(scene, tops[4])),
        ("duplicate", &mut |scene| _ = scene.duplicate(tops[4], root)),
        ("load_subtree", &mut |scene| _ = scene.load_subtree(&bytes, root)),
        ("reparent", &mut |scene| _ = scene.reparent(tops[5], tops[6], Keep::Local).unwrap()),
        ("reparent a leaf", &mut |scene| {
            let leaf = scene.first_child(tops[7]).unwrap();
            scene.reparent(leaf, tops[8], Keep::Local).unwrap();
        }),
        ("detach", &mut |scene| scene.detach(tops[9]).unwrap()),
        ("attach", &mut |scene| _ = scene.attach(tops[9], root, Keep::Local).unwrap()),
        ("sort", &mut |scene| scene.sort_children_by(root, |_, a, b| b.cmp(&a)).unwrap()),
        ("name", &mut |scene| scene.set_name(tops[10], Some("house")).unwrap()),
        ("remove", &mut |scene| _ = scene.remove(tops[11])),
        ("remove_later", &mut |scene| _ = scene.remove_later(tops[12])),
        ("remove_many", &mut |scene| _ = scene.remove_many(&[tops[13], tops[14]])),
        ("adopt", &mut |scene| _ = scene.adopt(&mut other, root).unwrap()),
        ("clear", &mut |scene| scene.clear()),
    ];
    for (name, edit) in edits {
        scene.update();
        let seen = scene.structure_version();
        edit(&mut scene);
        assert_ne!(scene.structure_version(), seen, "{name}");
    }
}

#[test]
fn what_was_set_reaches_other_slices_though_its_own_grew_since() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = scene.insert(root, whole()).unwrap();
    let below = group(&mut scene, top);
    let leaf = scene.insert(below, Node::shape(Shape::new(1, Aabb::cube(1.0)))).unwrap();
    scene.isolate(below).unwrap();
    assert!(!scene.same_slice(top, leaf));
    scene.update();
    for value in [2_u8, 3] {
        scene.set_material(top, u32::from(value)).unwrap();
        scene.set_visibility(top, Visibility::layers(u32::from(value))).unwrap();
        scene.set_local(top, Transform::from_xyz(f32::from(value), 0.0, 0.0)).unwrap();
        for _ in 0..500 {
            group(&mut scene, top);
        }
        scene.validate().unwrap();
        scene.update();
        assert_eq!(scene.material(leaf), Some(u32::from(value)));
        assert_eq!(scene.visibility(leaf), Some(Visibility::layers(u32::from(value))));
        assert_eq!(scene.world(leaf).unwrap().translation().x, f32::from(value));
    }
}

#[test]
fn boxes_shrink_with_every_shape_that_is_removed() {
    let mut scene = with(SceneConfig { bounds: true, min_nodes: 16, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let branch = group(&mut scene, root);
    let shape = Shape::new(1, Aabb::cube(0.5));
    let leaf = |x: u8| Node::transform(Transform::from_xyz(f32::from(x), 0.0, 0.0)).with_shape(shape);
    let leaves: Vec<_> = (0..40).map(|x| scene.insert(branch, leaf(x)).unwrap()).collect();
    for (x, leaf) in (0_u8..40).zip(leaves).rev() {
        // Nobody knows of the slice when the next leaf is removed.
        scene.update();
        scene.maintain(Duration::MAX);
        assert_eq!(scene.subtree_bounds(branch).unwrap().max.x, f32::from(x) + 0.5);
        scene.remove(leaf).unwrap();
    }
    scene.update();
    scene.validate().unwrap();
}

#[test]
fn what_was_set_before_a_rebuild_reaches_the_slices_below() {
    // One kind of edit at a time, since each has a mark of its own.
    for kind in 0..3_u8 {
        let mut scene = Scene::new();
        let top = scene.insert(scene.root(), whole()).unwrap();
        let below = group(&mut scene, top);
        let leaf = scene.insert(below, Node::shape(Shape::new(2, Aabb::cube(1.0)))).unwrap();
        scene.isolate(below).unwrap();
        scene.update();
        let (mut x, mut material, mut drawn) = (1.0, 1, 2);
        match kind {
            0 => scene.set_material(top, 7).map(|()| material = 7).unwrap(),
            1 => scene.set_local(top, Transform::from_xyz(5.0, 0.0, 0.0)).map(|()| x = 5.0).unwrap(),
            _ => scene.set_visibility(top, Visibility::HIDDEN).map(|()| drawn = 0).unwrap(),
        }
        scene.shrink_to_fit();
        scene.update();
        assert_eq!(scene.world(leaf).unwrap().translation().x, x, "kind {kind}");
        let mut list = DrawList::new();
        scene.draw_list(&mut list);
        assert_eq!(list.commands().len(), drawn, "kind {kind}");
        assert!(list.commands().iter().all(|command| command.material() == Some(material)), "kind {kind}");
        scene.validate().unwrap();
    }
}

#[test]
fn a_removal_is_told_of_if_it_is_the_first_and_leaves_its_slice_small() {
    for count in 2..12_u8 {
        let mut scene = with(SceneConfig { min_nodes: 8, bounds: true, ..SceneConfig::DEFAULT });
        let root = scene.root();
        let top = group(&mut scene, root);
        let place = |x: u8| Node::transform(Transform::from_xyz(f32::from(x), 0.0, 0.0));
        let shape = Shape::new(2, Aabb::cube(0.5));
        let nodes: Vec<_> = (1..=count).map(|x| scene.insert(top, place(x).with_shape(shape)).unwrap()).collect();
        scene.update();
        let mut list = DrawList::new();
        scene.draw_list(&mut list);
        scene.remove(nodes[usize::from(count) - 1]).unwrap();
        scene.update();
        scene.draw_list(&mut list);
        assert_eq!(list.commands().len(), usize::from(count) - 1);
        let bounds = scene.subtree_bounds(scene.root()).unwrap();
        assert_eq!(bounds.max.x, f32::from(count) - 0.5, "of {count} the last one is gone");
        scene.validate().unwrap();
    }
}

#[test]
fn what_waits_to_be_freed_waits_on_unless_slices_become_smaller() {
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 4, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let top = group(&mut scene, root);
    for _ in 0..200 {
        group(&mut scene, Place::LastChildOf(top));
    }
    assert_eq!(scene.remove_later(top), Ok(201));
    for (config, waits) in [
        (SceneConfig { bounds: true, ..*scene.config() }, 201),
        (SceneConfig { max_nodes: 128, ..*scene.config() }, 201),
        (SceneConfig { max_nodes: 32, ..*scene.config() }, 0),
    ] {
        scene.reconfigure(config).unwrap();
        assert_eq!(scene.stats().pending_free, waits, "{config:?}");
        scene.validate().unwrap();
    }
}

#[test]
fn slices_that_come_and_go_without_maintenance_leave_what_waits_for_it() {
    let mut scene = with(SceneConfig { min_nodes: 4, max_nodes: 32, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let kept: Vec<_> = (0..6).map(|_| group(&mut scene, root)).collect();
    for turn in 0..300 {
        let gone = group(&mut scene, kept[turn % 6]);
        scene.isolate(gone).unwrap();
        group(&mut scene, gone);
        scene.remove(gone).unwrap();
        scene.validate().unwrap();
    }
    let _ = scene.maintain(Duration::MAX);
    assert_eq!((scene.len(), scene.validate()), (7, Ok(())));
}

#[test]
fn inserts_into_a_slice_that_maintenance_knows_are_brought_up_to_date() {
    for bounds in [false, true] {
        let mut scene = with(SceneConfig { bounds, ..SceneConfig::DEFAULT });
        let root = scene.root();
        let top = scene.insert(root, Node::transform(Transform::from_xyz(10.0, 0.0, 0.0))).unwrap();
        for turn in 0..8_u8 {
            let at = Transform::from_xyz(f32::from(turn), 0.0, 0.0);
            let moved = Node::transform(at).with_shape(Shape::new(1, Aabb::cube(0.5)));
            let node = if turn % 2 == 0 { moved } else { Node::shape(Shape::new(1, Aabb::cube(0.5))) };
            let node = scene.insert(top, node).unwrap();
            scene.update();
            let x = if turn % 2 == 0 { 10.0 + f32::from(turn) } else { 10.0 };
            assert_eq!(scene.world(node).unwrap().translation().x, x);
            let most = if turn % 2 == 0 { x } else { 9.0 + f32::from(turn) };
            assert!(!bounds || scene.subtree_bounds(top).unwrap().max.x == most + 0.5, "{turn}");
            scene.validate().unwrap();
        }
    }
}

#[test]
fn a_newcomer_between_an_isolated_node_and_its_neighbours_keeps_the_order() {
    let mut scene = with(SceneConfig { min_nodes: 4, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let tops = [(); 4].map(|()| group(&mut scene, root));
    for _ in 0..6 {
        group(&mut scene, tops[0]);
    }
    assert!(scene.same_slice(tops[0], tops[3]), "one slice, which is no longer small");
    scene.isolate(tops[1]).unwrap();
    assert!(scene.children(root).eq(tops));
    scene.validate().unwrap();
    let before = [Place::After(tops[0]), Place::Before(tops[1])].map(|place| (1, place));
    let behind = [Place::After(tops[1]), Place::Before(tops[2])].map(|place| (2, place));
    for (at, place) in before.into_iter().chain(behind) {
        let mut scene = scene.clone();
        let newcomer = group(&mut scene, place);
        let mut expected = tops.to_vec();
        expected.insert(at, newcomer);
        assert!(scene.children(root).eq(expected), "{place:?}");
        scene.validate().unwrap();
    }
}

#[test]
fn a_newcomer_behind_a_slice_that_is_not_small_joins_the_small_one_behind_it() {
    let mut scene = with(SceneConfig { min_nodes: 4, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let tops = [(); 6].map(|()| group(&mut scene, root));
    assert!(!scene.same_slice(tops[3], tops[4]) && scene.same_slice(tops[4], tops[5]));
    let newcomer = group(&mut scene, Place::After(tops[3]));
    assert!(scene.same_slice(newcomer, tops[4]));
    assert!(scene.children(root).nth(4) == Some(newcomer));
    scene.validate().unwrap();
}

#[test]
fn only_a_small_subtree_joins_a_small_slice() {
    for size in [3, 4] {
        let mut scene = with(SceneConfig { min_nodes: 4, ..SceneConfig::DEFAULT });
        let root = scene.root();
        let large = group(&mut scene, root);
        for _ in 0..8 {
            group(&mut scene, large);
        }
        let small = group(&mut scene, root);
        let moved = group(&mut scene, large);
        for _ in 1..size {
            group(&mut scene, moved);
        }
        scene.reparent(moved, Place::After(small), Keep::Local).unwrap();
        assert_eq!(scene.same_slice(moved, small), size < 4, "{size} nodes, where fewer than 4 are small");
        assert!(scene.children(root).eq([large, small, moved]));
        scene.validate().unwrap();
    }
}

#[test]
fn nodes_that_come_in_depth_first_order_are_in_order_whichever_place_is_named() {
    let mut scene = Scene::new();
    let root = scene.root();
    let mut last = group(&mut scene, root);
    last = group(&mut scene, last);
    for _ in 0..500 {
        last = group(&mut scene, Place::After(last));
        group(&mut scene, Place::FirstChildOf(last));
    }
    scene.validate().unwrap();
    assert_eq!(scene.stats().disorder, 0.0);
}

#[test]
fn a_removal_that_leaves_less_than_half_of_the_least_size_merges_the_slice() {
    let mut scene = with(SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let top = group(&mut scene, root);
    let children = [(); 20].map(|()| group(&mut scene, top));
    for _ in 0..7 {
        for child in children {
            group(&mut scene, child);
        }
    }
    let inside = |scene: &Scene, child| scene.children(child).all(|leaf| scene.same_slice(leaf, child));
    let run = |scene: &Scene, child| children.into_iter().filter(|&other| scene.same_slice(other, child)).collect();
    let runs = children.iter().filter(|&&child| !scene.same_slice(child, top)).map(|&child| run(&scene, child));
    let mut runs = runs.filter(|run: &Vec<NodeHandle>| run.iter().all(|&child| inside(&scene, child)));
    let run = runs.find(|run| run.len() < 7).expect("a run of a few children with their leaves");
    let mut leaves: Vec<NodeHandle> = run.iter().flat_map(|&child| scene.children(child)).collect();
    // So that there is room beside it.
    for child in children.into_iter().filter(|child| !run.contains(child)) {
        let spare: Vec<NodeHandle> = scene.children(child).skip(3).collect();
        scene.remove_many(&spare).unwrap();
    }
    let before = scene.slice_count();
    while run.len() + leaves.len() > 8 {
        scene.remove(leaves.pop().unwrap()).unwrap();
        assert_eq!(scene.slice_count(), before);
    }
    scene.remove(leaves.pop().unwrap()).unwrap();
    assert_eq!(scene.slice_count(), before - 1, "7 rows are less than half of 16");
    scene.validate().unwrap();
}

#[test]
fn a_node_that_is_inserted_before_another_is_brought_up_to_date() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = scene.insert(root, Node::transform(Transform::from_xyz(10.0, 0.0, 0.0))).unwrap();
    let low = group(&mut scene, top);
    scene.update();
    let moved = scene.insert(Place::Before(low), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))).unwrap();
    scene.validate().unwrap();
    scene.update();
    assert_eq!(scene.world(moved).unwrap().translation().x, 11.0);
    let hidden = scene.insert(Place::Before(low), Node::group().with_visibility(Visibility::HIDDEN)).unwrap();
    scene.validate().unwrap();
    scene.update();
    assert_eq!(scene.visibility(hidden), Some(Visibility::HIDDEN));
    scene.validate().unwrap();
}
