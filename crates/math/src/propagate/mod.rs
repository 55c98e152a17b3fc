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
use portable::{LANES, STREAMED, prefetch_batch};

/// `worlds[i] = worlds[parents[i]] * locals[i]` for the slots of `range` in ascending order, where `parents[i] < i`.
///
/// # Panics
/// If the range goes beyond an array, or a parent beyond `worlds`.
pub fn propagate(locals: &[PackedTransform], parents: &[u32], worlds: &mut [Mat34], range: Range<usize>) {
    propagate_at(level(), locals, parents, worlds, range);
}

#[inline(always)]
fn propagate_at(level: Level, locals: &[PackedTransform], parents: &[u32], worlds: &mut [Mat34], range: Range<usize>) {
    dispatch!(level, simd => portable::propagate(simd, locals, parents, worlds, range));
}

/// Asks for what [`propagate`] of all slots begins with, while something else is done. Later slots it asks for itself.
pub fn look_ahead(locals: &[PackedTransform], parents: &[u32], worlds: &[Mat34]) {
    for first in (0..STREAMED).step_by(LANES) {
        prefetch_batch(locals, worlds, first);
    }
    prefetch_many(parents, 0, STREAMED);
}

/// [`propagate`] for the slots whose bit is set in `dirty`, and for those whose parent's is, which becomes set itself.
///
/// # Panics
/// If the range goes beyond an array or the bits, or a parent beyond `worlds` or the bits.
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
