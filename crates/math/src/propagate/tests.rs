//! Checks that the kernels of all levels give the same bits.

use super::*;
use crate::simd::level::levels;
use fastrand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Computes the same as the first kernel, without vectors.
fn propagate_plainly(locals: &[PackedTransform], parents: &[u32], worlds: &mut [Mat34], range: Range<usize>) {
    for slot in range {
        worlds[slot] = worlds[parents[slot] as usize] * locals[slot].to_matrix();
    }
}

fn propagate_dirty_plainly(
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    dirty: &mut [u64],
    range: Range<usize>,
) {
    let is_dirty = |dirty: &[u64], slot: usize| dirty[slot / 64] >> (slot % 64) & 1 != 0;
    for slot in range {
        let parent = parents[slot] as usize;
        if is_dirty(dirty, slot) || is_dirty(dirty, parent) {
            dirty[slot / 64] |= 1 << (slot % 64);
            worlds[slot] = worlds[parent] * locals[slot].to_matrix();
        }
    }
}

/// Reaches the slots below dirty ones, and computes those that are dirty.
fn propagate_dirty_at(
    level: Level,
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    dirty: &mut [u64],
    range: Range<usize>,
) {
    reach_at(level, parents, dirty, range.clone());
    let list: Vec<u16> = range.filter(|slot| dirty[slot / 64] >> (slot % 64) & 1 != 0).map(short).collect();
    propagate_listed_at(level, locals, parents, worlds, &list);
}

fn short(slot: usize) -> u16 {
    u16::try_from(slot).unwrap()
}

fn bits(worlds: &[Mat34]) -> Vec<[[u32; 4]; 3]> {
    worlds.iter().map(|world| world.to_bits()).collect()
}

fn number(dice: &mut Rng) -> f32 {
    4.0 * dice.f32() - 2.0
}

fn transforms(count: u32, dice: &mut Rng) -> Vec<PackedTransform> {
    (0..count)
        .map(|_| PackedTransform {
            translation: core::array::from_fn(|_| number(dice)),
            rotation: core::array::from_fn(|_| number(dice)),
            scale: core::array::from_fn(|_| number(dice)),
        })
        .collect()
}

/// Returns matrices that all differ, so that a kernel cannot mistake a matrix for a product.
fn matrices(count: u32, dice: &mut Rng) -> Vec<Mat34> {
    transforms(count, dice).into_iter().map(PackedTransform::to_matrix).collect()
}

fn assert_same_bits(
    locals: &[PackedTransform],
    parents: &[u32],
    before: &[Mat34],
    range: Range<usize>,
    upcoming: Upcoming<'_>,
    what: &str,
) {
    let mut expected = before.to_vec();
    propagate_plainly(locals, parents, &mut expected, range.clone());
    let expected = bits(&expected);
    for level in levels() {
        let mut found = before.to_vec();
        propagate_at(level, locals, parents, &mut found, range.clone(), upcoming);
        assert_eq!(expected, bits(&found), "{what}, slots {range:?} at {level:?}");
        let mut found = before.to_vec();
        propagate_block_at(level, &locals[range.clone()], parents, &mut found, range.clone());
        assert_eq!(expected, bits(&found), "{what}, a block of slots {range:?} at {level:?}");
        let mut found = before.to_vec();
        let list: Vec<u16> = range.clone().map(short).collect();
        propagate_listed_at(level, locals, parents, &mut found, &list);
        assert_eq!(expected, bits(&found), "{what}, a list of slots {range:?} at {level:?}");
    }
}

#[test]
fn every_level_gives_the_same_bits_for_every_length_and_start() {
    let mut dice = Rng::with_seed(7);
    let count = 71;
    let (locals, before) = (transforms(count, &mut dice), matrices(count, &mut dice));
    let parents: Vec<u32> = (0..count).map(|slot| if slot % 3 == 0 { slot / 2 } else { slot.max(1) - 1 }).collect();
    for (start, end) in (1..20).flat_map(|start| (start..start + 40).map(move |end| (start, end))) {
        assert_same_bits(&locals, &parents, &before, start..end, Upcoming::default(), "limbs");
    }
}

#[test]
fn chains_longer_than_a_batch_have_the_same_bits_at_every_level() {
    let mut dice = Rng::with_seed(13);
    let count = 75;
    let (locals, before) = (transforms(count, &mut dice), matrices(count, &mut dice));
    // From slot `from` on, each parent is `distance` slots before the child; a distance of 1 gives chains.
    for (from, distance) in [(1, 1), (20, 1), (21, 5), (40, 16)] {
        let parents: Vec<u32> = (0..count).map(|slot| if slot < from { 0 } else { slot - distance }).collect();
        for start in 1..25 {
            let range = start..count as usize;
            let what = format!("from {from}, {distance} apart");
            assert_same_bits(&locals, &parents, &before, range.clone(), Upcoming::default(), &what);
            for level in levels() {
                let (mut found, mut dirty) = (before.clone(), [1 << start, 0]);
                let (mut expected, mut expected_dirty) = (found.clone(), dirty);
                propagate_dirty_at(level, &locals, &parents, &mut found, &mut dirty, range.clone());
                propagate_dirty_plainly(&locals, &parents, &mut expected, &mut expected_dirty, range.clone());
                assert_eq!(dirty, expected_dirty, "from {from}, {distance} apart, below slot {start} at {level:?}");
                assert_eq!(
                    bits(&expected),
                    bits(&found),
                    "from {from}, {distance} apart, below slot {start} at {level:?}"
                );
            }
        }
    }
}

#[test]
fn slots_below_the_one_before_and_others_have_the_same_bits_at_every_level_however_many_are_which() {
    let mut dice = Rng::with_seed(17);
    let count = 260;
    let (locals, before) = (transforms(count, &mut dice), matrices(count, &mut dice));
    for tenths in (0..=10).step_by(2) {
        let mut parent_of = |slot: u32| match slot {
            0 => 0,
            _ if dice.u32(..10) < tenths => slot - 1,
            _ => dice.u32(..slot),
        };
        let parents: Vec<u32> = (0..count).map(&mut parent_of).collect();
        for start in 1..18 {
            let range = start..count as usize;
            let upcoming = Upcoming { locals: &locals, parents: &parents, worlds: &before };
            assert_same_bits(&locals, &parents, &before, range, upcoming, &format!("{tenths} tenths"));
        }
    }
}

#[test]
fn every_level_reaches_the_same_slots_below_dirty_ones() {
    let mut dice = Rng::with_seed(11);
    let count = 203;
    let (locals, before) = (transforms(count, &mut dice), matrices(count, &mut dice));
    for round in 0..200_u32 {
        let parents: Vec<u32> = (0..count)
            .map(|slot: u32| {
                let near = slot.saturating_sub(1 + dice.u32(..8));
                if round % 2 == 0 { near } else { near / 2 }
            })
            .collect();
        let mut dirty = [0_u64; 4];
        for _ in 0..round % 5 {
            let slot = dice.usize(..100) + 1;
            dirty[slot / 64] |= 1 << (slot % 64);
        }
        let (mut expected, mut expected_dirty) = (before.clone(), dirty);
        let range = 1 + round as usize % 17..count as usize - round as usize % 13;
        propagate_dirty_plainly(&locals, &parents, &mut expected, &mut expected_dirty, range.clone());
        for level in levels() {
            let (mut found, mut found_dirty) = (before.clone(), dirty);
            propagate_dirty_at(level, &locals, &parents, &mut found, &mut found_dirty, range.clone());
            assert_eq!(expected_dirty, found_dirty, "round {round} at {level:?}");
            assert_eq!(bits(&expected), bits(&found), "round {round} at {level:?}");
        }
    }
}

#[test]
fn dirty_slots_beyond_the_end_of_a_range_stay_as_they_are() {
    let mut dice = Rng::with_seed(17);
    let count = 100;
    let (locals, start) = (transforms(count, &mut dice), matrices(count, &mut dice));
    let parents: Vec<u32> = (0..count).map(|slot| slot.saturating_sub(1 + slot % 3)).collect();
    for end in 1..count {
        let beyond = [end, end.saturating_sub(64)].map(|end| u64::MAX.checked_shl(end).unwrap_or(0));
        let end = end as usize;
        for first in [None, Some(1), Some(end / 2)].map(|first| first.filter(|&first| first < end)) {
            let mut before = beyond;
            if let Some(first) = first {
                before[first / 64] |= 1 << (first % 64);
            }
            let (mut expected, mut expected_dirty) = (start.clone(), before);
            propagate_dirty_plainly(&locals, &parents, &mut expected, &mut expected_dirty, 1..end);
            for level in levels() {
                let (mut found, mut dirty) = (start.clone(), before);
                propagate_dirty_at(level, &locals, &parents, &mut found, &mut dirty, 1..end);
                assert_eq!(dirty, expected_dirty, "{first:?} and all from {end} on at {level:?}");
                assert_eq!(bits(&found), bits(&expected), "{first:?} and all from {end} on at {level:?}");
                assert!(first.is_some() || dirty == beyond, "to {end} at {level:?}");
                assert_eq!(bits(&found[end..]), bits(&start[end..]), "to {end} at {level:?}");
            }
        }
    }
}

#[test]
fn a_parent_beyond_the_matrices_is_refused_at_every_level() {
    if cfg!(not(panic = "unwind")) {
        return;
    }
    const COUNT: u32 = 40;
    let locals = transforms(COUNT, &mut Rng::with_seed(19));
    for (level, slot) in levels().into_iter().flat_map(|level| (1..COUNT as usize).map(move |slot| (level, slot))) {
        for parent in [COUNT, COUNT + 8, 64, 1 << 16, u32::MAX] {
            // All slots form a chain, except this one.
            let mut parents: Vec<u32> = (0..COUNT).map(|slot| slot.saturating_sub(1)).collect();
            parents[slot] = parent;
            let mut worlds = [Mat34::IDENTITY; COUNT as usize];
            let all = catch_unwind(AssertUnwindSafe(|| {
                propagate_at(level, &locals, &parents, &mut worlds, 1..COUNT as usize, Upcoming::default());
            }));
            let listed = catch_unwind(AssertUnwindSafe(|| {
                propagate_listed_at(level, &locals, &parents, &mut worlds, &[short(slot)]);
            }));
            assert!(all.is_err() && listed.is_err(), "slot {slot} below {parent} at {level:?}");
        }
    }
}

#[test]
fn slots_beyond_the_set_are_not_reached_at_any_level() {
    if cfg!(not(panic = "unwind")) {
        return;
    }
    for level in levels() {
        let reached = |parents: &[u32], words: usize, range: Range<usize>| {
            let mut set = vec![0; words];
            let reached = catch_unwind(AssertUnwindSafe(|| reach_at(level, parents, &mut set, range)));
            reached.is_ok().then_some(set)
        };
        assert_eq!(reached(&[0; 128], 2, 0..128), Some(vec![0; 2]), "at {level:?}");
        // The last slot is reached by itself, or in a whole batch.
        for end in [129, 136] {
            assert_eq!(reached(&[0; 128], 3, 0..end), None, "parents at {level:?}");
            assert_eq!(reached(&[0; 136], 2, 0..end), None, "slots at {level:?}");
        }
        // A word too far; more than the gather's offsets hold.
        for parent in [192, u32::MAX] {
            let mut parents = [0; 128];
            parents[77] = parent;
            let set = reached(&parents, 2, 0..128);
            assert!(set.is_none_or(|set| set == [0; 2]), "below {parent} at {level:?}");
        }
    }
}

#[test]
fn locals_may_lie_at_any_address_that_floats_may() {
    #[repr(C, align(8))]
    struct Shifted(f32, [PackedTransform; 9]);
    let shifted = Shifted(0.0, [PackedTransform { scale: [2.0, 3.0, 4.0], ..PackedTransform::IDENTITY }; 9]);
    assert_eq!(shifted.1.as_ptr().addr() % 8, 4);
    let mut worlds = [Mat34::IDENTITY; 9];
    propagate(&shifted.1, &[0; 9], &mut worlds, 1..9, Upcoming::default());
    assert!(worlds[1..].iter().all(|world| world.rows[1][1] == 3.0 && world.rows[2][2] == 4.0));
    assert_eq!(shifted.0, 0.0);
}

#[test]
fn no_slots_are_no_work_at_any_level() {
    for level in levels() {
        propagate_at(level, &[], &[], &mut [], 0..0, Upcoming::default());
        propagate_listed_at(level, &[], &[], &mut [], &[]);
        reach_at(level, &[], &mut [], 0..0);
        let mut worlds = [Mat34::IDENTITY];
        propagate_at(level, &[PackedTransform::IDENTITY], &[0], &mut worlds, 1..1, Upcoming::default());
        assert_eq!(worlds, [Mat34::IDENTITY], "at {level:?}");
    }
}

#[test]
#[should_panic(expected = "out of range")]
fn a_range_beyond_the_arrays_is_refused() {
    let mut worlds = [Mat34::IDENTITY; 20];
    propagate(&[PackedTransform::IDENTITY; 19], &[0; 20], &mut worlds, 1..20, Upcoming::default());
}

#[test]
fn listed_slots_beyond_the_arrays_are_refused_at_every_level() {
    if cfg!(not(panic = "unwind")) {
        return;
    }
    let one_too_short = [[19, 20, 20], [20, 19, 20], [20, 20, 19]];
    // The last slot is computed by itself, with others, and in a whole batch.
    let lists: [&[u16]; 3] = [&[1, 19], &[1, 2, 3, 19], &[1, 2, 3, 4, 5, 6, 7, 19]];
    for ((level, list), [locals, parents, worlds]) in levels()
        .into_iter()
        .flat_map(|level| lists.map(|list| (level, list)))
        .flat_map(|case| one_too_short.map(|lengths| (case, lengths)))
    {
        let mut worlds = vec![Mat34::IDENTITY; worlds];
        let refused = catch_unwind(AssertUnwindSafe(|| {
            let (locals, parents) = (vec![PackedTransform::IDENTITY; locals], vec![0; parents]);
            propagate_listed_at(level, &locals, &parents, &mut worlds, list);
        }));
        assert!(refused.is_err(), "{list:?} at {level:?}");
    }
}
