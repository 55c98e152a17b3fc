//! Side tables keyed by handle.

use hedgerow::{Node, NodeHandle, Scene, data::NodeMap};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns two handles of one record: the first node is removed, and the second takes its record.
fn two_generations(scene: &mut Scene) -> (NodeHandle, NodeHandle) {
    let older = scene.insert(scene.root(), Node::group()).unwrap();
    scene.remove(older).unwrap();
    for _ in 0..100 {
        let newer = scene.insert(scene.root(), Node::group()).unwrap();
        if record_of(newer) == record_of(older) {
            return (older, newer);
        }
    }
    panic!("the record was never used again");
}

/// Returns the number of a handle's record.
fn record_of(handle: NodeHandle) -> u64 {
    handle.to_bits() >> 32
}

/// Returns the handle of a record in a block of 64, as arbitrary bits may give.
fn handle(block: u64, index: u64, generation: u64) -> NodeHandle {
    NodeHandle::from_bits((block * 64 + index) << 32 | (generation * 2 - 1)).unwrap()
}

/// Returns handles in ascending order, over several blocks, with gaps.
fn some_handles(count: u64) -> Vec<NodeHandle> {
    (0..count).map(|number| handle(number / 10 * 3, number % 10 * 2, 1 + number % 4)).collect()
}

#[test]
fn a_value_comes_back_by_its_handle_alone() {
    let mut map = NodeMap::new();
    assert_eq!(map.insert(handle(0, 3, 1), 'a'), None);
    assert_eq!(map.insert(handle(0, 3, 1), 'b'), Some((handle(0, 3, 1), 'a')));
    assert_eq!(map.get(handle(0, 3, 1)), Some(&'b'));
    for other in [handle(0, 3, 2), handle(0, 2, 1), handle(0, 4, 1), handle(1, 3, 1), handle(0xff_ffff, 3, 1)] {
        assert_eq!(map.get(other), None);
        assert_eq!(map.get_mut(other), None);
        assert_eq!(map.remove(other), None);
        assert!(!map.contains_key(other));
    }
    assert_eq!(map.len(), 1);
    assert_eq!(map.remove(handle(0, 3, 1)), Some('b'));
    assert!(map.is_empty());
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_panic_while_a_value_is_made_changes_nothing() {
    let mut map = NodeMap::from_iter([(handle(0, 0, 1), 1)]);
    for missing in [handle(0, 0, 2), handle(0, 9, 1), handle(5, 5, 5), handle(0xff_ffff, 0, 1)] {
        let result =
            catch_unwind(AssertUnwindSafe(|| map.get_or_insert_with(missing, || panic!("no value")).is_some()));
        assert!(result.is_err());
        assert!(map.iter().eq([(handle(0, 0, 1), &1)]));
    }
}

#[test]
fn handles_of_arbitrary_bits_are_keys_like_any_other() {
    let mut map = NodeMap::new();
    let mut model = BTreeMap::new();
    let mut dice = fastrand::Rng::with_seed(1);
    for value in 0..2000 {
        if let Some(handle) = NodeHandle::from_bits(dice.u64(..) & !(1 << 31) | 1) {
            assert_eq!(map.insert(handle, value), model.insert(handle, value).map(|before| (handle, before)));
        }
    }
    assert!(model.len() > 1900);
    assert_eq!(map.len(), model.len());
    assert!(map.iter().eq(model.iter().map(|(&handle, value)| (handle, value))));
    for (&handle, value) in &model {
        assert_eq!(map.get(handle), Some(value));
        assert_eq!(map.remove(handle), Some(*value));
    }
    assert!(map.is_empty());
}

#[test]
fn iterators_go_in_handle_order_and_know_their_length() {
    let handles = some_handles(95);
    let mut map: NodeMap<usize> = handles.iter().rev().copied().zip((0..95).rev()).collect();
    assert!(map.keys().eq(handles.iter().copied()));
    assert!(map.values().copied().eq(0..95));
    let mut iter = map.iter();
    for left in (0..95).rev() {
        assert!(iter.next().is_some());
        assert_eq!((iter.len(), iter.clone().count()), (left, left));
    }
    assert_eq!(iter.next(), None);
    assert_eq!(iter.next(), None);

    map.values_mut().for_each(|value| *value += 1);
    for (_, value) in &mut map {
        *value *= 2;
    }
    assert_eq!((map.iter_mut().len(), map.values_mut().len()), (95, 95));
    assert_eq!((map.keys().len(), map.values().len()), (95, 95));
    let owned = map.clone().into_iter();
    assert_eq!(owned.len(), 95);
    assert!(owned.eq(handles.into_iter().zip((1..=95).map(|value| value * 2))));
}

#[test]
fn a_drain_that_is_dropped_early_empties_the_map() {
    let mut map: NodeMap<usize> = some_handles(40).into_iter().zip(0..).collect();
    assert_eq!(map.drain().nth(6).map(|(_, value)| value), Some(6));
    assert!(map.is_empty());
    assert_eq!(map.iter().next(), None);
}

#[test]
fn a_drain_that_is_leaked_leaves_the_rest() {
    let mut map: NodeMap<usize> = some_handles(40).into_iter().zip(0..).collect();
    let mut drain = map.drain();
    assert_eq!(drain.by_ref().take(15).count(), 15);
    mem::forget(drain);
    assert_eq!(map.len(), 25);
    assert!(map.values().copied().eq(15..40));
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_panicking_closure_leaves_the_map_in_order() {
    let mut map: NodeMap<usize> = some_handles(40).into_iter().zip(0..).collect();
    let result = catch_unwind(AssertUnwindSafe(|| {
        map.retain(|_, value| if *value == 20 { panic!("in the closure") } else { value.is_multiple_of(2) });
    }));
    assert!(result.is_err());
    assert_eq!(map.len(), 30);
    assert_eq!(map.iter().count(), 30);
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_value_that_panics_when_dropped_leaves_the_map_in_order() {
    struct Fuse<'c>(bool, &'c Cell<usize>);
    impl Drop for Fuse<'_> {
        fn drop(&mut self) {
            self.1.set(self.1.get() + 1);
            assert!(!self.0, "dropped with a bang");
        }
    }

    let drops = Cell::new(0);
    let fuses = (0..40).map(|number| Fuse(number == 10, &drops));
    let mut map: NodeMap<Fuse<'_>> = some_handles(40).into_iter().zip(fuses).collect();
    assert!(catch_unwind(AssertUnwindSafe(|| map.clear())).is_err());
    assert_eq!(map.len(), map.iter().count());
    assert_eq!(map.len() + drops.get(), 40);
    map.clear();
    assert_eq!((map.len(), drops.get()), (0, 40));
}

/// An expectation that is not met is a warning.
#[test]
fn dropping_what_an_insert_displaces_is_a_warning() {
    let node = handle(3, 1, 1);
    let mut map = NodeMap::new();
    #[expect(unused_must_use, reason = "the displaced entry is dropped")]
    map.insert(node, 1);
    assert_eq!(map[node], 1);
}

#[test]
fn shrinking_changes_no_value() {
    let handles = some_handles(400);
    let mut map: NodeMap<usize> = handles.iter().copied().zip(0..).collect();
    assert_eq!(map.insert(handle(0xff_ffff, 4095, 7), 1000), None);
    map.retain(|_, value| *value < 35 || *value == 1000);
    let before = map.clone();
    map.shrink_to_fit();
    assert_eq!(map, before);
    map.extend(handles.iter().copied().zip(0..));
    assert_eq!(map.len(), 401);
    map.clear();
    map.shrink_to_fit();
    assert_eq!(map, NodeMap::new());
    let mut far = NodeMap::from_iter([(handle(0xff_ffff, 4095, 7), 1), (handle(0xff_fffe, 0, 7), 2)]);
    far.shrink_to_fit();
    assert_eq!(far.into_iter().map(|(_, value)| value).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn maps_are_equal_by_their_values_whatever_they_held_before() {
    let mut scene = Scene::new();
    let (older, newer) = two_generations(&mut scene);
    let mut left = NodeMap::from_iter([(older, 1), (handle(0xff_ffff, 7, 7), 2)]);
    let right = NodeMap::from_iter([(newer, 1)]);
    assert_ne!(left, right);
    left.remove(handle(0xff_ffff, 7, 7));
    assert_ne!(left, right);
    assert_eq!(left.insert(newer, 1), Some((older, 1)));
    assert_eq!(left, right);
    assert_eq!(format!("{left:?}"), format!("{{{newer:?}: 1}}"));
    assert_eq!(NodeMap::<String>::default(), NodeMap::new());
}

#[test]
#[should_panic(expected = "no value for this handle")]
fn indexing_without_a_value_panics() {
    let map: NodeMap<u32> = NodeMap::new();
    let _ = map[Scene::new().root()];
}

/// Removes from the model the values of earlier nodes with this handle's record. Returns `true` if the model has a
/// value of a later node. Only one node of a record lives at a time, so other live nodes keep their values.
fn make_way(model: &mut HashMap<NodeHandle, u32>, handle: NodeHandle) -> bool {
    model.retain(|&other, _| record_of(other) != record_of(handle) || other >= handle);
    model.keys().any(|&other| record_of(other) == record_of(handle) && other > handle)
}

#[derive(Clone, Debug)]
enum Step {
    InsertNode(prop::sample::Index),
    RemoveNode(prop::sample::Index),
    Insert(prop::sample::Index, u32),
    GetOrInsert(prop::sample::Index, u32),
    Remove(prop::sample::Index),
    RetainOdd,
    RemoveStale,
}

fn step() -> impl Strategy<Value = Step> {
    let which = any::<prop::sample::Index>;
    prop_oneof![
        6 => which().prop_map(Step::InsertNode),
        4 => which().prop_map(Step::RemoveNode),
        8 => (which(), 0..1000_u32).prop_map(|(which, value)| Step::Insert(which, value)),
        4 => (which(), 0..1000_u32).prop_map(|(which, value)| Step::GetOrInsert(which, value)),
        4 => which().prop_map(Step::Remove),
        1 => Just(Step::RetainOdd),
        1 => Just(Step::RemoveStale),
    ]
}

proptest! {
    #[test]
    fn a_node_map_agrees_with_a_hash_map_on_live_nodes(
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut scene = Scene::new();
        // The list holds every handle that the scene ever issued; most are stale at the end.
        let mut handles = vec![scene.root()];
        let mut map = NodeMap::new();
        let mut model: HashMap<NodeHandle, u32> = HashMap::new();
        for step in steps {
            match step {
                Step::InsertNode(which) => {
                    if let Ok(node) = scene.insert(*which.get(&handles), Node::group()) {
                        handles.push(node);
                    }
                }
                Step::RemoveNode(which) => {
                    let _ = scene.remove(*which.get(&handles));
                }
                Step::Insert(which, value) => {
                    let handle = *which.get(&handles);
                    let displaced = map.iter().find(|(held, _)| record_of(*held) == record_of(handle));
                    let displaced = displaced.map(|(held, &value)| (held, value));
                    let refused = make_way(&mut model, handle);
                    if !refused {
                        model.insert(handle, value);
                    }
                    // Of the old and the new entry, `insert` returns the one that is not in the map.
                    prop_assert_eq!(map.insert(handle, value), if refused { Some((handle, value)) } else { displaced });
                }
                Step::GetOrInsert(which, value) => {
                    let handle = *which.get(&handles);
                    let refused = make_way(&mut model, handle);
                    let held = if refused { None } else { Some(model.entry(handle).or_insert(value)) };
                    prop_assert_eq!(map.get_or_insert_with(handle, || value), held);
                }
                Step::Remove(which) => {
                    let handle = *which.get(&handles);
                    prop_assert_eq!(map.remove(handle), model.remove(&handle));
                }
                Step::RetainOdd => {
                    map.retain(|_, value| *value % 2 == 1);
                    model.retain(|_, value| *value % 2 == 1);
                }
                Step::RemoveStale => {
                    let held = model.iter().map(|(&handle, &value)| (handle, value));
                    let mut stale: Vec<_> = held.filter(|&(handle, _)| !scene.contains(handle)).collect();
                    stale.sort_unstable();
                    prop_assert_eq!(map.remove_stale(&scene), stale);
                    model.retain(|&handle, _| scene.contains(handle));
                    prop_assert!(map.keys().all(|handle| scene.contains(handle)));
                }
            }
            for handle in &handles {
                prop_assert_eq!(map.get(*handle), model.get(handle));
            }
            prop_assert_eq!(map.len(), model.len());
            prop_assert_eq!(map.iter().count(), model.len());
        }
    }
}
