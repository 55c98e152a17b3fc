//! Storage internals; arbitrary edits are tested against a model in `tests/all`.

mod bytes;
mod validate;

use crate::store::record::RecordId;
use crate::store::state::{Copies, Home, SlotOrder};
use crate::store::{Position, SliceId, Store};
use crate::{Mat34, Node, SceneConfig, Transform};
use fastrand::Rng;

#[test]
fn a_great_build_is_placed_at_once_and_in_pieces() {
    for (max_nodes, count) in [(8, 300_u16), (256, 5000), (4096, 30_000)] {
        for deep in [1_u32, 4, 1 << 30] {
            let mut store = Store::new(SceneConfig { max_nodes, ..SceneConfig::DEFAULT });
            let mut dice = Rng::with_seed(u64::from(deep));
            let mut nodes = vec![RecordId::ROOT];
            let count = usize::from(count);
            for at in 0..count {
                let parent = nodes[nodes.len() - 1 - dice.usize(0..nodes.len().min(deep as usize))];
                let local = Transform::from_xyz(at as f32, 1.0, 0.0);
                let handle = store.nodes.insert(Position::last_of(parent), &Node::transform(local)).unwrap();
                nodes.push(handle.record());
            }
            store.update();
            assert_eq!(store.validate(), Ok(count + 1));
            // What was built in order is written along its links, without a sort.
            let sorted = store.update.clock.reconstitutions > 0;
            assert!(if deep == 1 { !sorted } else { sorted || deep == 4 });
            // Each matrix of a chain costs one product per ancestor.
            let worlds = |store: &Store| {
                nodes.iter().step_by(count / 50).all(|&id| {
                    store.world(store.nodes.handle(id)).map(|world| world.to_bits())
                        == Some(store.nodes.fresh_world(id).to_bits())
                })
            };
            assert!(worlds(&store));
            for &id in &nodes[1..] {
                let handle = store.nodes.handle(id);
                store.nodes.set_plain(handle, &Transform::from_xyz(1.0, 0.5, id.0 as f32)).unwrap();
            }
            store.update();
            assert!(worlds(&store));
            assert_eq!(store.validate(), Ok(count + 1));
        }
    }
}

/// Creates a tree in which node n is the parent of nodes 2n + 1 and 2n + 2.
fn binary_tree(count: usize) -> (Store, Vec<RecordId>) {
    let mut store = Store::new(SceneConfig { max_nodes: 256, ..SceneConfig::DEFAULT });
    let mut nodes = vec![RecordId::ROOT];
    for at in 0..count {
        let node = Node::transform(Transform::from_xyz(at as f32, 0.0, 0.0));
        nodes.push(store.nodes.insert(Position::last_of(nodes[at / 2]), &node).unwrap().record());
    }
    store.update();
    (store, nodes)
}

/// Sets the local transforms of nodes, updates, and returns the number of dirty slots.
fn computed(store: &mut Store, nodes: &[RecordId], x: f32) -> usize {
    for &node in nodes {
        store.nodes.set_local(node, Transform::from_xyz(x, 0.0, 0.0).into());
    }
    store.update();
    store.validate().unwrap();
    store.slices.list().iter().map(|slice| slice.dirty.len()).sum()
}

fn is_nested(store: &Store, node: RecordId) -> bool {
    store.slices[store.nodes.pages.location(node).slice()].order == SlotOrder::Nested
}

#[test]
fn what_is_set_to_the_same_bits_is_not_computed() {
    let (mut store, nodes) = binary_tree(100);
    // The build leaves no copies of local transforms; the first update after few transforms were set makes them.
    computed(&mut store, &nodes[10..11], 1.0);
    assert_eq!(computed(&mut store, &nodes[10..11], 1.0), 0);
    assert_eq!(computed(&mut store, &nodes[10..11], 2.0), 15);
}

#[test]
fn new_nodes_below_each_other_are_computed_without_the_copies_of_other_nodes() {
    let (mut store, nodes) = binary_tree(100);
    computed(&mut store, &nodes, 1.0);
    let node = Node::transform(Transform::from_xyz(5.0, 0.0, 0.0));
    let parent = store.nodes.insert(Position::last_of(nodes[21]), &node).unwrap().record();
    store.nodes.insert(Position::last_of(parent), &node).unwrap();
    assert_eq!(computed(&mut store, &[], 0.0), 2);
    assert!(store.slices[store.nodes.pages.location(parent).slice()].copies == Copies::Stale);
}

#[test]
fn only_slots_below_dirty_ones_are_computed_while_they_follow_them_and_afterwards() {
    let (mut store, nodes) = binary_tree(100);
    for turn in 0..3 {
        let nested = is_nested(&store, nodes[10]);
        assert_eq!(nested, turn == 0, "turn {turn}");
        let x = turn as f32;
        computed(&mut store, &nodes[10..11], x + 0.1);
        assert_eq!(computed(&mut store, &nodes[10..11], x + 0.2), 15 + usize::from(turn > 0));
        assert_eq!(computed(&mut store, &[nodes[21], nodes[10]], x + 0.3), 15 + usize::from(turn > 0));
        assert_eq!(computed(&mut store, &nodes[90..91], x + 0.3), 1);
        // Leaves follow only themselves, however many there are, if nothing else needs to be looked at.
        assert_eq!(computed(&mut store, &nodes[75..100], x + 0.4) == 25, nested);
        assert!(computed(&mut store, &nodes[1..2], x + 0.5) >= 100);
        assert!(computed(&mut store, &nodes[25..60], x + 0.6) > 70);
        if turn == 0 {
            let node = Node::transform(Transform::from_xyz(5.0, 0.0, 0.0));
            store.nodes.insert(Position::last_of(nodes[21]), &node).unwrap();
        } else {
            store.nodes.set_local(nodes[43], Mat34::from(Transform::from_xyz(0.5, 0.0, 0.0)).into());
            store.nodes.set_local(nodes[99], Mat34::IDENTITY.into());
        }
        store.update();
        store.validate().unwrap();
    }
    // A reconstitution puts the slots in order again, unless a node is anchored.
    for anchored in [false, true] {
        store.nodes.set_anchored(nodes[22], anchored);
        store.nodes.remove_local(nodes[90]);
        store.update();
        store.nodes.set_local(nodes[90], Transform::IDENTITY.into());
        store.update();
        assert_eq!(is_nested(&store, nodes[10]), !anchored);
        assert_eq!(computed(&mut store, &nodes[10..11], 7.0), if anchored { 9 } else { 16 });
    }
}

#[test]
fn copies_that_few_new_leaves_left_stale_are_made_before_they_are_needed() {
    let (mut store, nodes) = binary_tree(100);
    assert!(computed(&mut store, &nodes[..51], 3.0) >= 100);
    store.nodes.insert(Position::last_of(nodes[60]), &Node::transform(Transform::from_xyz(0.0, 1.0, 0.0))).unwrap();
    store.update();
    computed(&mut store, &nodes[2..3], 4.0);
}

#[test]
fn a_slice_is_computed_whole_if_most_of_it_was_set_and_others_are_not() {
    let (mut store, nodes) = binary_tree(2000);
    let slices = |store: &Store, nodes: &[RecordId]| -> std::collections::HashSet<SliceId> {
        nodes.iter().map(|&node| store.nodes.pages.location(node).slice()).collect()
    };
    // Two thirds of the nodes in some slices, and none in the others.
    let mut locations: Vec<_> = nodes.iter().map(|&node| (store.nodes.pages.location(node).slice(), node)).collect();
    locations.sort_by_key(|&(slice, node)| (slice, node.0));
    let last: Vec<RecordId> = locations[1100..].iter().map(|&(_, node)| node).collect();
    let set: Vec<RecordId> = last.iter().enumerate().filter(|(at, _)| at % 3 != 0).map(|(_, &node)| node).collect();
    computed(&mut store, &set, 2.5);
    let reached = slices(&store, &last);
    for (number, slice) in store.slices.list().iter().enumerate().filter(|(_, slice)| slice.home != Home::Free) {
        assert!(reached.contains(&SliceId::at(number)) || slice.dirty.len() <= slice.imports.len(), "slice {number}");
    }
}

#[test]
fn a_large_subtree_moves_with_its_slices() {
    let mut store = Store::new(SceneConfig { max_nodes: 64, ..SceneConfig::DEFAULT });
    let mut dice = Rng::with_seed(7);
    let mut nodes = vec![RecordId::ROOT];
    for at in 0..20_000 {
        let parent = nodes[dice.usize(0..nodes.len())];
        let node = Node::transform(Transform::from_xyz(at as f32, 1.0, dice.f32()));
        nodes.push(store.nodes.insert(Position::last_of(parent), &node).unwrap().record());
    }
    store.update();
    let layouts = |store: &Store| -> Vec<u64> { store.slices.list().iter().map(|slice| slice.layout).collect() };
    let before = layouts(&store);
    let counts = nodes[1..].iter().map(|&id| (store.nodes.pages.subtree(id).count(), id));
    let (count, top) = counts.filter(|&(count, _)| count < 10_000).max_by_key(|&(count, _)| count).unwrap();
    assert!(count > 64 * 30, "{count}");
    let goal = nodes.into_iter().rfind(|&id| !store.nodes.pages.is_in_subtree(id, top)).unwrap();
    store.nodes.relocate(top, Position::last_of(goal));
    store.update();
    // This also compares each world matrix with its parent's.
    assert_eq!(store.validate(), Ok(20_001));
    let written = layouts(&store).iter().filter(|layout| !before.contains(layout)).count();
    assert!(written < count / 64 / 4, "{written} slices were written");
}
