//! World matrices from local transforms, parents before children. Every SIMD level gives the same bits.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::simd::level::{dispatch, level};
use crate::simd::prefetch_many;
use crate::{Mat34, PackedTransform};
use core::ops::Range;
use fearless_simd::Level;

/// The arrays that the next call will read, possibly empty. The current call prefetches their first elements at its
/// end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Upcoming<'a> {
    /// Local transforms.
    pub locals: &'a [PackedTransform],
    /// The parents' slots.
    pub parents: &'a [u32],
    /// World matrices.
    pub worlds: &'a [Mat34],
}

/// Computes `worlds[i] = worlds[parents[i]] * locals[i]` for the slots of `range` in ascending order, where `parents[i]
/// < i`.
///
/// # Panics
/// Panics if the range ends past the end of an array, or if a parent is past the end of `worlds`.
pub fn propagate(
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    range: Range<usize>,
    upcoming: Upcoming<'_>,
) {
    propagate_at(level(), locals, parents, worlds, range, upcoming);
}

#[inline(always)]
fn propagate_at(
    level: Level,
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    range: Range<usize>,
    upcoming: Upcoming<'_>,
) {
    dispatch!(level, simd => portable::propagate(simd, locals, parents, worlds, range, upcoming));
}

/// Like [`propagate`], but `locals` starts with the first slot of the range and ends with the last.
///
/// # Panics
/// Panics if `locals` is not as long as the range, and in the same cases as [`propagate`].
pub fn propagate_block(block: &[PackedTransform], parents: &[u32], worlds: &mut [Mat34], range: Range<usize>) {
    propagate_block_at(level(), block, parents, worlds, range);
}

#[inline(always)]
fn propagate_block_at(
    level: Level,
    block: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    range: Range<usize>,
) {
    assert_eq!(block.len(), range.len(), "a local transform for each slot");
    let ask = |worlds: &[Mat34], slot: usize| prefetch_many(worlds, slot, 8);
    dispatch!(level, simd => portable::propagate_block(simd, block, parents, worlds, range, ask));
}

/// Like [`propagate`], but only for the slots of a list, in its order.
///
/// # Panics
/// Panics if a slot, or its parent, is past the end of an array.
pub fn propagate_listed(locals: &[PackedTransform], parents: &[u32], worlds: &mut [Mat34], slots: &[u16]) {
    propagate_listed_at(level(), locals, parents, worlds, slots);
}

#[inline(always)]
fn propagate_listed_at(level: Level, locals: &[PackedTransform], parents: &[u32], worlds: &mut [Mat34], slots: &[u16]) {
    dispatch!(level, simd => portable::propagate_listed(simd, locals, parents, worlds, slots));
}

/// Adds each slot of a range, in ascending order, to a set of slots, if its parent is in the set. `set` has a bit for
/// each slot.
///
/// # Panics
/// Panics if the range ends past the end of `parents` or of `set`. May also panic if a parent is past the end of `set`.
pub fn reach(parents: &[u32], set: &mut [u64], range: Range<usize>) {
    reach_at(level(), parents, set, range);
}

#[inline(always)]
fn reach_at(level: Level, parents: &[u32], set: &mut [u64], range: Range<usize>) {
    dispatch!(level, simd => portable::reach(simd, parents, set, range));
}
