//! Sums, fades and differences of poses, eight joints at a time.
//!
//! No fused multiply-add, so that levels give the same bits.

mod portable;
#[cfg(test)]
mod tests;

use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use fearless_simd::{Level, dispatch};
use hedgerow_math::internal::level::level;

/// A number for each of eight joints.
pub(crate) type Weights = [f32; LANES];

/// Defines each kernel as a function that runs it at the machine's best level.
macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident, $at:ident($($argument:ident: $type:ty),*);)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name($($argument: $type),*) {
            $at(level(), $($argument),*);
        }

        #[inline(always)]
        fn $at(level: Level, $($argument: $type),*) {
            dispatch!(level, simd => portable::$name(simd, $($argument),*));
        }
    )*};
}

kernels! {
    /// `sum = w · pose` and `totals = w`, with `w = weight · mask` by joint: the first of a sum.
    begin, begin_at(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// `sum += w · pose` and `totals += w`, with `w = weight · mask` by joint; rotations are added in the hemisphere of
    /// the sum.
    accumulate, accumulate_at(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// `out = sum · (1 ÷ totals)`, rotations normalised; `base` where a total is too small to be divided by.
    average, average_at(sum: &[PoseBlock], totals: &[Weights], base: &[PoseBlock], out: &mut [PoseBlock]);
    /// `pose += w · (to − pose)`, with `w = weight · mask` by joint; rotations go the shorter way and are normalised.
    fade, fade_at(pose: &mut [PoseBlock], to: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// What leads from `reference` to `pose`: translations' difference, `reference⁻¹ · pose` of rotations, scales'
    /// quotient (1 where that is not finite, since that of the reference is about zero).
    difference, difference_at(pose: &[PoseBlock], reference: &[PoseBlock], out: &mut [PoseBlock]);
    /// Adds `w` times a `difference`, with `w = weight · mask` per joint.
    add, add_at(pose: &mut [PoseBlock], difference: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
}
