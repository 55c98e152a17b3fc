//! World matrices from local transforms, parents before children.
//!
//! The same bits at every level.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::simd::level::level;
use crate::simd::prefetch_many;
use crate::{Mat34, PackedTransform};
use core::ops::Range;
use fearless_simd::{Level, dispatch};

/// The arrays that the next call will read from their beginnings, or none. Towards its end, a call prefetches their
/// first elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Upcoming<'a> {
    /// Local transforms.
    pub locals: &'a [PackedTransform],
    /// The slots of their parents.
    pub parents: &'a [u32],
    /// World matrices.
    pub worlds: &'a [Mat34],
}

/// `worlds[i] = worlds[parents[i]] * locals[i]` for the slots of `range` in ascending order, where `parents[i] < i`.
///
/// # Panics
/// If the range goes beyond an array, or a parent beyond `worlds`.
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

/// Like [`propagate`], but `locals` only has the local transforms of the range, beginning with its first slot.
///
/// # Panics
/// If the number of local transforms is not that of the slots in the range, or if the range is beyond an array or a
/// parent beyond `worlds`.
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

/// Like [`propagate`], but only for the slots whose bit is set in `dirty`, and for those whose parent's bit is set.
/// Sets the bits of the latter.
///
/// # Panics
/// If a slot that it computes, or its parent, is beyond an array or the bits. It may also panic if other slots are.
pub fn propagate_dirty(
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    dirty: &mut [u64],
    range: Range<usize>,
) {
    propagate_dirty_at(level(), locals, parents, worlds, dirty, range);
}

#[inline(always)]
fn propagate_dirty_at(
    level: Level,
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    dirty: &mut [u64],
    range: Range<usize>,
) {
    dispatch!(level, simd => portable::propagate_dirty(simd, locals, parents, worlds, dirty, range));
}
