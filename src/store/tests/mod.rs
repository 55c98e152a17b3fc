//! Storage internals; arbitrary edits are tested against a model in `tests/all`.

mod bytes;
mod validate;

use crate::store::record::RecordId;
use crate::store::{Position, Store};
use crate::{Node, SceneConfig, Transform};
use core::ops::ControlFlow;
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
                let handle = store.insert(Position::last_of(parent), &Node::transform(local)).unwrap();
                nodes.push(handle.record());
            }
            store.update();
            assert_eq!(store.validate(), Ok(count + 1));
            // Each matrix of a chain costs one product per ancestor.
            let worlds = |store: &Store| {
                nodes.iter().step_by(count / 50).all(|&id| {
                    store.world(store.handle(id)).map(|world| world.to_bits()) == Some(store.fresh_world(id).to_bits())
                })
            };
            assert!(worlds(&store));
            for &id in &nodes[1..] {
                let handle = store.handle(id);
                store.set_plain(handle, &Transform::from_xyz(1.0, 0.5, id.0 as f32)).unwrap();
            }
            store.update();
            assert!(worlds(&store));
            assert_eq!(store.validate(), Ok(count + 1));
        }
    }
}

#[test]
fn what_is_set_to_the_same_bits_is_not_computed() {
    let mut store = Store::new(SceneConfig::DEFAULT);
    let mut nodes = vec![RecordId::ROOT];
    for at in 0..100 {
        let node = Node::transform(Transform::from_xyz(at as f32, 0.0, 0.0));
        nodes.push(store.insert(Position::last_of(nodes[at / 2]), &node).unwrap().record());
    }
    store.update();
    // The build leaves no copies of local transforms; the first update after few transforms were set makes them.
    for (x, computed) in [(1.0, None), (1.0, Some(0)), (2.0, Some(15))] {
        store.set_local(nodes[10], Transform::from_xyz(x, 0.0, 0.0).into());
        store.update();
        let dirty: usize = store.slices.slices.iter().map(|slice| slice.dirty.len()).sum();
        assert!(computed.is_none_or(|computed| dirty == computed), "{dirty}");
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
        nodes.push(store.insert(Position::last_of(parent), &node).unwrap().record());
    }
    store.update();
    let layouts = |store: &Store| -> Vec<u64> { store.slices.slices.iter().map(|slice| slice.layout).collect() };
    let before = layouts(&store);
    let counts = nodes[1..].iter().map(|&id| (store.pages.subtree(id).count(), id));
    let (count, top) = counts.filter(|&(count, _)| count < 10_000).max_by_key(|&(count, _)| count).unwrap();
    assert!(count > 64 * 30, "{count}");
    let goal = nodes.into_iter().rfind(|&id| !store.pages.is_in_subtree(id, top)).unwrap();
    store.relocate(top, Position::last_of(goal));
    store.update();
    // This also compares each world matrix with its parent's.
    assert_eq!(store.validate(), Ok(20_001));
    let written = layouts(&store).iter().filter(|layout| !before.contains(layout)).count();
    assert!(written < count / 64 / 4, "{written} slices were written");
}

#[test]
fn imports_are_copied_although_a_visitor_has_computed_a_slice_that_is_then_split() {
    let mut store = Store::new(SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT });
    let add =
        |store: &mut Store, parent, node: &Node<'_>| store.insert(Position::last_of(parent), node).unwrap().record();
    let moved = |x| Node::transform(Transform::from_xyz(x, 0.0, 0.0));
    let top = add(&mut store, RecordId::ROOT, &moved(1.0));
    let first = add(&mut store, top, &moved(2.0));
    // The group has the slot of `top`. Its last children are in other slices.
    let group = add(&mut store, top, &Node::group());
    (0..20).for_each(|_| _ = add(&mut store, group, &moved(3.0)));
    store.update();
    store.set_local(top, Transform::from_xyz(4.0, 0.0, 0.0).into());
    let _ = store.show_each(|mut slice| {
        slice.propagate(false);
        ControlFlow::Break(())
    });
    // Then the group is in a slice that imports `top`.
    (0..10).for_each(|_| _ = add(&mut store, first, &moved(5.0)));
    store.update();
    assert_ne!(store.pages.spot(group).slice(), store.pages.spot(top).slice());
    assert_eq!(store.validate(), Ok(34));
}
