//! Sums, fades and differences of poses, eight joints at a time.
//!
//! No kernel uses fused multiply-add, so all levels give the same bits.

mod portable;
#[cfg(test)]
mod tests;

use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use hedgerow_math::internal::level::{dispatch, level};

/// A number for each of eight joints.
pub(crate) type Weights = [f32; LANES];

/// Defines one function per kernel, which runs the kernel at the machine's best level.
macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*);)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name($($argument: $type),*) {
            dispatch!(level(), simd => portable::$name(simd, $($argument),*));
        }
    )*};
}

kernels! {
    /// Starts a sum: `sum = w · pose` and `totals = w`, where `w = weight · mask` for each joint.
    begin(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// Continues a sum: `sum += w · pose` and `totals += w`. Rotations are flipped to the sum's hemisphere first.
    accumulate(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// Writes `out = sum · (1 ÷ totals)` with normalised rotations; `out = base` if a total is too small to divide by.
    average(sum: &[PoseBlock], totals: &[Weights], base: &[PoseBlock], out: &mut [PoseBlock]);
    /// Fades: `pose += w · (to − pose)`. Rotations take the shorter arc and are normalised.
    fade(pose: &mut [PoseBlock], to: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// Writes the difference of the translations, the rotation `reference⁻¹ · pose`, and the quotient of the scales (1
    /// if the quotient is not finite).
    difference(pose: &[PoseBlock], reference: &[PoseBlock], out: &mut [PoseBlock]);
    /// Adds `w` times a pose that `difference` computed.
    add(pose: &mut [PoseBlock], difference: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
}
