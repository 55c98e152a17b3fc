//! Model matrices and palettes of sixteen characters at a time: lane = character.
//!
//! Joints come in depth-first order, so of all matrices only those on the way down from the root are needed again: the
//! kernels keep one for each depth, which stay in the first-level cache, and nothing else in lanes. What leaves is
//! transposed to a [`Mat34`] for each joint of each character.
//!
//! With fused multiply-add, levels differ by rounding: by less than 1e-6 of a matrix's largest sum of products for each
//! joint on the way from the root.

mod scalar;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::math::{CROWD_LANES as LANES, JointLanes, Mat34};

/// The model matrices of one joint of sixteen characters: a vector for each of the twelve numbers, row by row.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Level(pub(super) [[f32; LANES]; 12]);

impl Level {
    /// What is written over before it is read.
    pub(crate) const ZERO: Self = Self([[0.0; LANES]; 12]);
}

/// For each joint, in order: `level[depth] = level[depth - 1] * local`, and `level[depth]`, times the joint's matrix of
/// `binds` if there are any, goes to `out[lane * joints + joint]` for as many lanes as there is room for in `out`.
///
/// # Panics
/// If `depths`, or `binds` where there are any, are not as many as joints; if depths begin with another than 0, or do not
/// fit in `levels`; if `out` is no whole number of characters, or more than sixteen.
pub(crate) fn models(
    joints: &[JointLanes],
    depths: &[u16],
    binds: Option<&[Mat34]>,
    levels: &mut [Level],
    out: &mut [Mat34],
) {
    let count = joints.len();
    assert!(depths.len() == count && binds.is_none_or(|binds| binds.len() == count));
    assert!(out.len().is_multiple_of(count) && out.len() <= LANES * count);
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512dq") {
            return x86::models_avx512(joints, depths, binds, levels, out);
        }
        if has!("avx2") && has!("fma") {
            return x86::models_avx2(joints, depths, binds, levels, out);
        }
    }
    scalar::models(joints, depths, binds, levels, out);
}
