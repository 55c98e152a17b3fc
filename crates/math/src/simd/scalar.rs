//! The kernels for any machine.

use crate::{Mat34, PackedTransform};
use core::ops::Range;

/// See [`propagate_dirty`](super::propagate_dirty).
pub(super) fn propagate_dirty(
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    dirty: &mut [u64],
    range: Range<usize>,
) {
    let links = locals[range.clone()].iter().zip(&parents[range.clone()]);
    for (slot, (local, &parent)) in range.zip(links) {
        let bit = |slot: usize| dirty[slot / 64] >> (slot % 64) & 1;
        if bit(slot) | bit(parent as usize) != 0 {
            dirty[slot / 64] |= 1 << (slot % 64);
            worlds[slot] = worlds[parent as usize] * local.to_matrix();
        }
    }
}

/// See [`propagate`](super::propagate).
pub(super) fn propagate(locals: &[PackedTransform], parents: &[u32], worlds: &mut [Mat34], range: Range<usize>) {
    let links = locals[range.clone()].iter().zip(&parents[range.clone()]);
    for (slot, (local, &parent)) in range.zip(links) {
        worlds[slot] = worlds[parent as usize] * local.to_matrix();
    }
}
