//! The kernels for any machine.

use crate::math::{Mat34, PackedTransform};
use core::ops::Range;

/// See [`propagate`](super::propagate).
pub(super) fn propagate(locals: &[PackedTransform], parents: &[u32], worlds: &mut [Mat34], range: Range<usize>) {
    let links = locals[range.clone()].iter().zip(&parents[range.clone()]);
    for (slot, (local, &parent)) in range.zip(links) {
        worlds[slot] = worlds[parent as usize] * local.to_matrix();
    }
}
