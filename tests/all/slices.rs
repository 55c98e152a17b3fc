//! Properties that must not depend on storage: edits that reach other slices, reserved memory, statistics, views.

use crate::trees::{APART, group, groups, whole, with};
use hedgerow::changes::{SliceChange, SliceCursor};
use hedgerow::visit::{Flow, SliceView, SliceViewMut};
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Keep, Layers, Local, Node, NodeHandle, Place, Scene, SceneConfig, Transform,
};
use hedgerow_testkit::model::dump::same_slice;
use std::collections::HashMap;

/// Returns a tree of 2,000 nodes with all components, after inserts and removals in random places.
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
        if scene.get(leaf).and_then(|node| node.first_child()).is_none() {
            scene.remove(leaf).unwrap();
        }
    }
    scene.validate().unwrap();
    scene
}

#[test]
fn draws_are_in_depth_first_order_after_reconstitution() {
    let drawn = |scene: &Scene| {
        let mut list = DrawList::new();
        scene.draw_list(&mut list);
        list.commands().iter().map(|command| command.node).collect::<Vec<_>>()
    };
    let depth_first = |scene: &Scene| {
        scene
            .get(scene.root())
            .unwrap()
            .descendants()
            .map(|node| node.handle())
            .filter(|&node| scene.get(node).and_then(|node| node.drawable()).is_some())
            .collect::<Vec<_>>()
    };
    // Checks that each node comes after its parent, with only descendants of that parent in between.
    let is_depth_first = |scene: &Scene, nodes: &[NodeHandle]| {
        let mut above = vec![scene.get(scene.root()).unwrap().first_child().unwrap().handle()];
        nodes.iter().all(|&node| {
            while above.last().is_some_and(|&last| scene.parent(node) != Some(last)) {
                above.pop();
            }
            above.push(node);
            above.len() > 1
        })
    };
    for max_nodes in [8, 64, 1000] {
        // A slice has too few rows for the tree, so it is sorted and split. Siblings may have any order.
        let mut scene = edited(SceneConfig { max_nodes, ..SceneConfig::DEFAULT });
        scene.update();
        assert!(is_depth_first(&scene, &drawn(&scene)), "{max_nodes}");
        // A few more nodes use the free rows.
        let tops: Vec<_> =
            scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).step_by(200).collect();
        for &top in &tops {
            scene.insert(Place::FirstChildOf(top), whole()).unwrap();
        }
        scene.update();
        let (mut before, mut all) = (drawn(&scene), depth_first(&scene));
        before.sort_unstable();
        all.sort_unstable();
        assert_eq!(before, all);
        let scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
        assert_eq!(drawn(&scene), depth_first(&scene), "{max_nodes}, loaded");
    }
}

#[test]
fn slices_are_seen_in_tree_order_and_hold_each_node_once() {
    let mut scene = edited(APART);
    scene.update();
    let visit = |at: usize, answer: Flow| {
        let mut slices: Vec<Vec<NodeHandle>> = Vec::new();
        let flow = scene.visit_slices(&mut |slice: SliceView<'_>| {
            slices.push(slice.rows().nodes().collect());
            if slices.len() == at { answer } else { Flow::Continue }
        });
        (flow, slices)
    };
    let (flow, slices) = visit(0, Flow::Break);
    assert_eq!((flow, slices.len(), slices[0][0]), (Flow::Continue, scene.slices().count(), scene.root()));
    let mut seen = HashMap::new();
    for (number, nodes) in slices.iter().enumerate() {
        for &node in nodes {
            assert_eq!(seen.insert(node, number), None, "{node:?} is in two slices");
            assert!(same_slice(&scene, node, nodes[0]));
        }
        let above = nodes.iter().filter_map(|&node| scene.parent(node));
        assert!(above.into_iter().all(|parent| seen.contains_key(&parent)), "a slice comes before that of a parent");
    }
    assert_eq!(seen.len(), scene.len());
    let (flow, slices) = visit(5, Flow::Break);
    assert_eq!((flow, slices.len()), (Flow::Break, 5));
    let (flow, slices) = visit(1, Flow::Prune);
    assert_eq!((flow, slices.len()), (Flow::Continue, scene.slices().count()), "slices do not nest");
}

#[test]
fn shrinking_gives_back_what_removed_nodes_had() {
    let mut scene = edited(SceneConfig::DEFAULT);
    scene.update();
    let keep = scene.get(scene.root()).unwrap().first_child().unwrap().handle();
    while let Some(child) = scene.get(keep).and_then(|node| node.first_child()).map(|node| node.handle()) {
        scene.remove(child).unwrap();
    }
    scene.update();
    // Records are kept, so that stale handles remain stale.
    let beside = |scene: &Scene| scene.stats().allocated_bytes() - scene.stats().records.allocated_bytes;
    let before = beside(&scene);
    scene.shrink_to_fit();
    let after = beside(&scene);
    assert!(after * 3 < before, "{before} bytes became {after}");
    scene.validate().unwrap();
    assert!(scene.contains(keep));
}

#[test]
fn nonsense_is_refused_by_the_name_of_its_field() {
    let good = SceneConfig::DEFAULT;
    for max_nodes in [0, 7, 4097, u32::MAX] {
        match Scene::with_config(SceneConfig { max_nodes, ..good }).map(|scene| scene.len()) {
            Err(Error::InvalidConfig { field: "max_nodes", .. }) => {}
            other => panic!("{max_nodes}: {other:?}"),
        }
    }
    assert_eq!(with(SceneConfig::DEFAULT).config(), &SceneConfig::DEFAULT);
}

#[test]
fn views_tell_what_a_picture_of_the_memory_shows() {
    let mut scene = with(SceneConfig { bounds: true, max_nodes: 64, ..SceneConfig::DEFAULT });
    let mut nodes = vec![scene.root()];
    for number in 0..400_usize {
        let layers = Layers::new([1, 3, 6][number % 7 % 3]);
        let node = if number % 3 == 0 { whole().with_layers(layers) } else { Node::group() };
        nodes.push(scene.insert(nodes[number / 3], node).unwrap());
    }
    // The leaf is in the middle of other nodes.
    assert!(
        scene.get(nodes[301]).and_then(|node| node.drawable()).is_some()
            && scene.get(nodes[301]).and_then(|node| node.first_child()).is_none()
    );
    scene.update();
    let at = scene.get(nodes[301]).and_then(|node| node.matrix_slot()).unwrap();
    let local = |scene: &Scene| {
        let slice = scene.slices().find(|slice| slice.number() == at.slice).unwrap();
        slice.transforms().local(at.slot as usize)
    };
    assert!(local(&scene).is_some());
    scene.remove(nodes[301]).unwrap();
    assert_eq!(local(&scene), None, "what is gone has no transform, and its slot is there still");
    scene.update();
    assert!(scene.stats().slices > 5);
    let holes: usize = scene
        .slices()
        .map(|slice| (0..slice.drawables().len()).filter(|&slot| !slice.drawables().is_occupied(slot)).count())
        .sum();
    assert!(holes > 0, "the leaf leaves a hole");
    for slice in scene.slices() {
        let (rows, transforms, drawables) = (slice.rows(), slice.transforms(), slice.drawables());
        assert!(slice.imports() > 0 && transforms.len() <= transforms.capacity());
        for row in 0..rows.len() {
            let Some(node) = rows.node(row) else { continue };
            let above = rows.parent(row).unwrap();
            assert!(above < row);
            assert_eq!(rows.node(above).or(rows.import(above)), scene.parent(node));
            assert_eq!(
                (rows.material(row), rows.layers(row)),
                (scene.get(node).and_then(|node| node.material()), scene.get(node).map(|node| node.layers()))
            );
            assert_eq!(scene.world(node), Some(&transforms.worlds()[rows.transform(row).unwrap()]));
            let own = rows.own_transform(row);
            assert_eq!(own.and_then(|slot| transforms.local(slot)), scene.local(node));
            assert!(own.is_none_or(|slot| (transforms.parents()[slot] as usize) < slot), "a parent's slot comes first");
        }
        let own = (0..rows.len()).filter(|&row| rows.own_transform(row).is_some()).count();
        let occupied = (slice.imports()..transforms.len()).filter(|&slot| transforms.is_occupied(slot)).count();
        assert_eq!(occupied, own, "each transform belongs to a node");
        assert!((0..drawables.len()).all(|slot| drawables.is_occupied(slot) == drawables.get(slot).is_some()));
        assert_eq!(drawables.is_empty(), !(0..drawables.len()).any(|slot| drawables.is_occupied(slot)));

        let mut own = Aabb::EMPTY;
        let blocks: Vec<Aabb> = slice.block_bounds().collect();
        assert_eq!(blocks.len(), drawables.len().div_ceil(64));
        for slot in 0..drawables.len() {
            if let Some(listed) = drawables.get(slot) {
                let bounds = scene.get(listed.node).unwrap().bounds().unwrap();
                assert!(blocks[slot / 64].contains_box(&bounds));
                let node = scene.get(listed.node).unwrap();
                assert_eq!((node.drawable(), node.material()), (Some(listed.drawable), listed.material));
                own = own.merge(&bounds);
            }
        }
        assert_eq!(slice.bounds(), Some(own));
    }
    let plain = Scene::new();
    let slice = plain.slices().next().unwrap();
    assert_eq!((slice.bounds(), slice.block_bounds().count(), slice.imports()), (None, 0, 1));
    assert!(slice.drawables().is_empty());
}

#[test]
fn what_was_set_reaches_other_slices_though_its_own_grew_since() {
    let mut scene = with(APART);
    let root = scene.root();
    let top = scene.insert(root, whole()).unwrap();
    let below = group(&mut scene, top);
    groups(&mut scene, below, 20);
    let leaf = scene.insert(below, Node::drawable(Drawable::new(1, Aabb::cube(1.0)))).unwrap();
    scene.update();
    for value in [2_u8, 3] {
        scene.edit(top).unwrap().set_material(u32::from(value));
        scene.edit(top).unwrap().set_layers(Layers::new(u32::from(value)));
        scene.set_local(top, Transform::from_xyz(f32::from(value), 0.0, 0.0)).unwrap();
        for _ in 0..500 {
            group(&mut scene, top);
        }
        scene.validate().unwrap();
        scene.update();
        assert_eq!(scene.get(leaf).unwrap().material(), Some(u32::from(value)));
        assert_eq!(scene.get(leaf).unwrap().layers(), Layers::new(u32::from(value)));
        assert_eq!(scene.world(leaf).unwrap().translation().x, f32::from(value));
    }
}

#[test]
fn a_removal_is_told_of_if_it_is_the_first_and_leaves_its_slice_small() {
    for count in 2..12_u8 {
        let mut scene = with(SceneConfig { bounds: true, ..SceneConfig::DEFAULT });
        let root = scene.root();
        let top = group(&mut scene, root);
        let place = |x: u8| Node::transform(Transform::from_xyz(f32::from(x), 0.0, 0.0));
        let drawable = Drawable::new(2, Aabb::cube(0.5));
        let nodes: Vec<_> = (1..=count).map(|x| scene.insert(top, place(x).with_drawable(drawable)).unwrap()).collect();
        scene.update();
        let mut list = DrawList::new();
        scene.draw_list(&mut list);
        scene.remove(nodes[usize::from(count) - 1]).unwrap();
        scene.update();
        scene.draw_list(&mut list);
        assert_eq!(list.commands().len(), usize::from(count) - 1);
        let bounds = scene.get(scene.root()).unwrap().subtree_bounds();
        assert_eq!(bounds.max.x, f32::from(count) - 0.5, "of {count} the last one is gone");
        scene.validate().unwrap();
    }
}

#[test]
fn the_slot_of_a_node_that_was_removed_is_nobodys_until_the_update() {
    let mut scene = Scene::new();
    let node = |x: f32| Node::transform(Transform::from_xyz(x, 0.0, 0.0));
    let [gone, stays] = [1.0, 2.0].map(|x| scene.insert(scene.root(), node(x)).unwrap());
    scene.update();
    let slots = [gone, stays].map(|node| scene.get(node).unwrap().matrix_slot().unwrap().slot as usize);
    scene.remove(gone).unwrap();
    // The new node gets the record of the removed one.
    let new = scene.insert(scene.root(), node(3.0)).unwrap();
    let slice = scene.slices().next().unwrap();
    let seen = slots.map(|slot| (slice.transforms().is_occupied(slot), slice.transforms().local(slot)));
    let two = Local::Transform(Transform::from_xyz(2.0, 0.0, 0.0));
    assert_eq!(seen, [(false, None), (true, Some(two))]);
    let _ = scene.visit_slices_mut(&mut |mut slice: SliceViewMut<'_>| {
        for slot in slice.view().imports()..slice.view().transforms().len() {
            if slice.view().transforms().is_occupied(slot) {
                slice.set_local(slot, Transform::from_xyz(4.0, 0.0, 0.0)).unwrap();
            }
        }
        Flow::Continue
    });
    scene.update();
    let local = |node| scene.local(node).and_then(|local| local.transform()).map(|local| local.translation.x);
    assert_eq!((local(new), local(stays)), (Some(3.0), Some(4.0)));
    assert_eq!(scene.validate(), Ok(()));
}

/// Returns the slices whose rows are other ones than at the last look, and those that are gone.
fn other_rows(scene: &Scene, cursor: &mut SliceCursor) -> (Vec<u32>, Vec<u32>) {
    let (mut rows, mut gone) = (Vec::new(), Vec::new());
    for change in scene.changed_slices(cursor) {
        match change {
            SliceChange::Rows { slice, .. } => rows.push(slice.number()),
            SliceChange::Gone { number } => gone.push(number),
            SliceChange::Slots { .. } => {}
        }
    }
    (rows, gone)
}

#[test]
fn a_cursor_tells_of_each_node_that_got_another_matrix_slot() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 256, ..SceneConfig::DEFAULT }).unwrap();
    let [a, b] = [0; 2].map(|_| {
        let group = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        (0..200).for_each(|_| _ = scene.insert(group, Node::transform(Transform::IDENTITY)).unwrap());
        group
    });
    let car = scene.insert(a, Node::transform(Transform::IDENTITY)).unwrap();
    let wheel = scene.insert(car, Node::transform(Transform::IDENTITY)).unwrap();
    let group = scene.insert(a, Node::group()).unwrap();
    let heir = scene.insert(group, Node::drawable(Drawable::new(1, Aabb::cube(1.0)))).unwrap();
    scene.update();
    let slot = |scene: &Scene, node: NodeHandle| scene.get(node).unwrap().matrix_slot().unwrap();
    let mut cursor = SliceCursor::new();
    assert_eq!(other_rows(&scene, &mut cursor).0.len(), scene.slices().count());
    type Edit = fn(&mut Scene, [NodeHandle; 3]);
    let edits: [(NodeHandle, Edit); 2] = [
        (wheel, |scene, [car, b, _]| _ = scene.reparent(car, b, Keep::World).unwrap()),
        (heir, |scene, [.., group]| scene.set_local(group, Transform::IDENTITY).unwrap()),
    ];
    for (node, edit) in edits {
        let before = slot(&scene, node);
        edit(&mut scene, [car, b, group]);
        scene.update();
        assert_ne!(slot(&scene, node), before);
        let (rows, _) = other_rows(&scene, &mut cursor);
        assert!(rows.contains(&slot(&scene, node).slice), "{rows:?}");
        assert!(other_rows(&scene, &mut cursor).0.is_empty());
    }
}

#[test]
fn a_cursor_knows_another_scene_or_begins_anew() {
    let mut scene = Scene::new();
    let top = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.update();
    let all: Vec<u32> = scene.slices().map(|slice| slice.number()).collect();
    let mut cursor = SliceCursor::new();
    assert_eq!(other_rows(&scene, &mut cursor), (all.clone(), vec![]));
    assert!(scene.slices().all(|slice| cursor.is_current(&slice)));
    let clone = scene.clone();
    assert!(clone.slices().all(|slice| !cursor.is_current(&slice)));
    assert_eq!(other_rows(&clone, &mut cursor), (all.clone(), all.clone()), "all of one, then all of the other");
    // A look that does not come to its end is made again.
    scene.set_local(top, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    scene.update();
    assert_eq!(other_rows(&scene, &mut cursor), (all.clone(), all.clone()));
    scene.remove(top).unwrap();
    assert!(scene.changed_slices(&mut cursor).next().is_some());
    assert_eq!(other_rows(&scene, &mut cursor), (all.clone(), all));
    let ball = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.update();
    let mut rows = SliceCursor::new().without_transforms();
    _ = (other_rows(&scene, &mut cursor), other_rows(&scene, &mut rows));
    scene.set_local(ball, Transform::from_xyz(2.0, 0.0, 0.0)).unwrap();
    scene.update();
    assert_eq!(scene.changed_slices(&mut rows).count(), 0);
    let [SliceChange::Slots { slice, slots }] = scene.changed_slices(&mut cursor).collect::<Vec<_>>()[..] else {
        panic!("one slice with a slot that was computed");
    };
    let slot = scene.get(ball).unwrap().matrix_slot().unwrap();
    assert!(slice.number() == slot.slice && slots.contains(slot.slot as usize));
    assert!(slots.runs().flatten().all(|slot| slots.contains(slot)));
}
