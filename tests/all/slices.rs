//! What the storage must not show: edits that reach other slices, room, statistics, views.

use crate::model::dump::same_slice;
use crate::trees::{APART, UNBOUNDED, group, isolate, whole, with};
use hedgerow::{Aabb, DrawList, Error, Node, NodeHandle, Place, Scene, SceneConfig, Shape, Transform, Visibility};
use std::time::Duration;

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
fn draws_are_in_depth_first_order_after_reconstitution() {
    let mut scene = edited(SceneConfig::DEFAULT);
    scene.update();
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    let mut before: Vec<_> = list.commands().iter().map(|command| command.node).collect();
    let depth_first: Vec<_> = scene.descendants(scene.root()).filter(|&node| scene.shape(node).is_some()).collect();
    assert_ne!(before, depth_first, "insertion alone left them in order");
    scene.shrink_to_fit();
    scene.draw_list(&mut list);
    assert!(list.commands().iter().map(|command| command.node).eq(depth_first.iter().copied()));
    before.sort_unstable();
    let mut all = depth_first;
    all.sort_unstable();
    assert_eq!(before, all);
}

#[test]
fn reserved_room_is_there_without_a_reconstitution() {
    for config in [SceneConfig::DEFAULT, UNBOUNDED] {
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
    ] {
        match Scene::with_config(config).map(|scene| scene.len()) {
            Err(Error::InvalidConfig { field, .. }) => assert_eq!(field, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert_eq!(with(UNBOUNDED).config(), &UNBOUNDED);
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
    let mut scene = with(APART);
    let root = scene.root();
    let [kept, car, house] = [(); 3].map(|()| group(&mut scene, root));
    (0..2).for_each(|_| _ = group(&mut scene, car));
    group(&mut scene, house);
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
fn what_was_set_reaches_other_slices_though_its_own_grew_since() {
    let mut scene = with(APART);
    let root = scene.root();
    let top = scene.insert(root, whole()).unwrap();
    let below = group(&mut scene, top);
    let leaf = scene.insert(below, Node::shape(Shape::new(1, Aabb::cube(1.0)))).unwrap();
    isolate(&mut scene, below);
    assert!(!same_slice(&scene, top, leaf));
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
        let mut scene = with(APART);
        let top = scene.insert(scene.root(), whole()).unwrap();
        let below = group(&mut scene, top);
        let leaf = scene.insert(below, Node::shape(Shape::new(2, Aabb::cube(1.0)))).unwrap();
        isolate(&mut scene, below);
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
