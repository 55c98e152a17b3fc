//! Fetching keys into a player's active array, and computing a pose from the array, eight tracks at a time.
//!
//! Every level evaluates the same expressions in the same order, without fused multiply-add. So the same inputs give
//! the same bits on every level.
//!
//! Let `t0` and `t1` be the times of a track's two current keys, and `a` and `b` their numbers:
//!
//! ```text
//! share     s = min(max((t - t0) / (t1 - t0), 0), 1); of a step track 1 where t1 <= t, else 0
//! vector    v = middle + step * ((1 - s) * a + s * b)
//! rotation  q(p) = (p * d, d - 1) where d = 2 / (1 + p·p), p = a * PARAMETER
//!           r = (1 - s) * q(a) ± s * q(b), the sign that of q(a)·q(b); then r / |r|
//! ```
//!
//! A rotation's three numbers are its quaternion's stereographic projection `xyz / (1 + w)`, whose length is at most 1
//! if w ≥ 0. The inverse takes one division.

mod lane;
mod lanes;
mod portable;
mod scalar;
#[cfg(test)]
mod tests;

pub(crate) use lane::{LaneKeys, in_range};
pub(crate) use lanes::{Active, LANES, NUMBERS, Word};
pub(crate) use scalar::{rotation, singles};

use crate::clip::format::{Ranges, Target};
use crate::transform_lanes::PoseBlock;
use core::ops::Range;
use hedgerow_math::internal::level::{dispatch, level};

/// Fetches the keys of a group of [records](crate::clip::format::Record) at `range` in `bytes`, or takes them back if
/// not `FORWARD`.
///
/// A record is a key XOR the key two places earlier in its track. Forward, keys (a, b) become (b, a ^ record);
/// backward, they become (b ^ record, a). Blocks from `singles` on have one number per key. Returns whether all records
/// are sound, and stops at the first unsound record, or at one that has no [padding](crate::clip::format::PADDING).
pub(crate) fn turn<W: Word, const FORWARD: bool>(
    bytes: &[u8],
    range: Range<usize>,
    active: &mut [Active<W>],
    singles: usize,
) -> bool {
    dispatch!(level(), simd => portable::turn::<_, W, FORWARD>(simd, bytes, range, active, singles))
}

/// Reads a jump frame: the blocks that both the frame and the array have.
pub(crate) fn restore<W: Word>(frame: &[u8], active: &mut [Active<W>]) {
    dispatch!(level(), simd => portable::restore(simd, frame, active));
}

/// Samples the rotations of the blocks that both `active` and `targets` have. Skips blocks that the pose does not have.
pub(crate) fn rotations<W: Word>(active: &[Active<W>], targets: &[Target], time: f32, pose: &mut [PoseBlock]) {
    dispatch!(level(), simd => portable::rotations(simd, active, targets, time, pose));
}

/// Samples translations or scales, like [`rotations`]. Blocks without `ranges` use
/// [`PLAIN`](crate::clip::format::PLAIN).
pub(crate) fn vectors<W: Word, const SCALE: bool>(
    active: &[Active<W>],
    targets: &[Target],
    ranges: &[Ranges],
    time: f32,
    pose: &mut [PoseBlock],
) {
    dispatch!(level(), simd => portable::vectors::<_, W, SCALE>(simd, active, targets, ranges, time, pose));
}
