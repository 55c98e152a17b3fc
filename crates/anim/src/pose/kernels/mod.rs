//! Model matrices and the palette of one pose.
//!
//! Model matrices are computed with fused multiply-add where the machine has it (AVX2, AVX-512, NEON), which takes a
//! seventh off their time and rounds less: these levels give the same bits, and differ from those without it by less
//! than 2e-6 of the largest sum of products for each joint on the way from the root. Palettes are the same bits
//! everywhere.

mod portable;
#[cfg(test)]
mod tests;

use crate::Mat34;
use crate::transform_lanes::PoseBlock;
use core::ops::Range;
use fearless_simd::{Level, dispatch};
use hedgerow_math::internal::level::level;

/// `models[j] = models[parents[j]] * local(j)` for the joints of `range` in ascending order, where `parents[j] < j`;
/// for joint 0, whose parent is numbered `u16::MAX`, `root * local(0)`.
///
/// # Panics
/// If the range goes beyond an array, or a parent beyond `models`.
pub(crate) fn models(blocks: &[PoseBlock], parents: &[u16], root: &Mat34, models: &mut [Mat34], range: Range<usize>) {
    models_at(level(), blocks, parents, root, models, range);
}

#[inline(always)]
fn models_at(
    level: Level,
    blocks: &[PoseBlock],
    parents: &[u16],
    root: &Mat34,
    models: &mut [Mat34],
    range: Range<usize>,
) {
    dispatch!(level, simd => portable::models(simd, blocks, parents, root, models, range));
}

/// `palette[i] = models[joints[i]] * inverse_binds[i]`.
///
/// # Panics
/// If joints, inverse bind matrices and palette are not as many, or a joint has no model matrix.
pub(crate) fn palette(models: &[Mat34], joints: &[u16], inverse_binds: &[Mat34], palette: &mut [Mat34]) {
    palette_at(level(), models, joints, inverse_binds, palette);
}

#[inline(always)]
fn palette_at(level: Level, models: &[Mat34], joints: &[u16], inverse_binds: &[Mat34], palette: &mut [Mat34]) {
    assert!(joints.len() == inverse_binds.len() && joints.len() == palette.len());
    dispatch!(level, simd => portable::palette(simd, models, joints, inverse_binds, palette));
}
