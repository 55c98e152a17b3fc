//! The kernels of eight lanes at a time.

use super::lanes::{Active, LANES, NUMBERS, Pair, Word};
use super::scalar;
use crate::clip::format::{PLAIN, Ranges, Record, Target, block_of as block};
use crate::transform_lanes::PoseBlock;
use core::ops::Range;
use fearless_simd::{f32x8, mask32x8, prelude::*, u32x8};
use hedgerow_math::internal::vectors::{max, min};

/// See [`turn`](super::turn).
#[inline(always)]
pub(super) fn turn<S: Simd, W: Word, const FORWARD: bool>(
    simd: S,
    bytes: &[u8],
    range: Range<usize>,
    active: &mut [Active<W>],
    singles: usize,
) -> bool {
    let Range { start: mut at, end } = range;
    if bytes.len() < end {
        return false;
    }
    while at < end {
        let Some(head) = Record::<W>::read(&bytes[at..end]) else { return false };
        let index = usize::from(head.block);
        let numbers = Record::<W>::numbers(index >= singles);
        let Some(block) = active.get_mut(index) else { return false };
        let stride = head.keys() * W::BYTES;
        let first = at + Record::<W>::HEAD;
        let next = first + numbers * stride;
        // The padding after the last group has room for whole vectors.
        if next > end || first + (numbers - 1) * stride + LANES * W::BYTES > bytes.len() {
            return false;
        }
        if head.lanes != u8::MAX && !W::spreads(simd) {
            scalar::turn_one::<W, FORWARD>(block, head, &bytes[first..next]);
            at = next;
            continue;
        }
        exchange::<S, W, FORWARD>(simd, &mut block.pairs[0], W::Vector::splat(simd, head.time), head.lanes);
        for number in 0..numbers {
            let words = W::eight(simd, &bytes[first + number * stride..]);
            let words = if head.lanes == u8::MAX { words } else { W::spread(simd, words, head.lanes) };
            exchange::<S, W, FORWARD>(simd, &mut block.pairs[1 + number], words, head.lanes);
        }
        at = next;
    }
    true
}

/// Fetches one number of each lane in a set, or takes the number back.
#[inline(always)]
fn exchange<S: Simd, W: Word, const FORWARD: bool>(simd: S, pair: &mut Pair<W>, bits: W::Vector<S>, lanes: u8) {
    let (from, to) = (W::Vector::load_array_ref(simd, &pair[0]), W::Vector::load_array_ref(simd, &pair[1]));
    let (mut new_from, mut new_to) = if FORWARD { (to, from ^ bits) } else { (to ^ bits, from) };
    if lanes != u8::MAX {
        let lanes = lanes_of::<S, W>(simd, lanes);
        (new_from, new_to) = (lanes.select(new_from, from), lanes.select(new_to, to));
    }
    new_from.store_array(&mut pair[0]);
    new_to.store_array(&mut pair[1]);
}

/// Converts a set of lanes to a mask.
#[inline(always)]
fn lanes_of<S: Simd, W: Word>(simd: S, lanes: u8) -> <W::Vector<S> as SimdBase<S>>::Mask {
    SimdMask::from_bitmask(simd, u64::from(lanes))
}

/// See [`restore`](super::restore).
#[inline(always)]
pub(super) fn restore<S: Simd, W: Word>(simd: S, frame: &[u8], active: &mut [Active<W>]) {
    for (active, bytes) in active.iter_mut().zip(frame.chunks_exact(Active::<W>::BYTES)) {
        let vectors = active.pairs.as_flattened_mut().iter_mut();
        for (vector, bytes) in vectors.zip(bytes.chunks_exact(LANES * W::BYTES)) {
            W::eight(simd, bytes).store_array(vector);
        }
    }
}

/// See [`rotations`](super::rotations).
#[inline(always)]
pub(super) fn rotations<S: Simd, W: Word>(
    simd: S,
    active: &[Active<W>],
    targets: &[Target],
    time: f32,
    pose: &mut [PoseBlock],
) {
    let (time, one) = (f32x8::splat(simd, time), f32x8::splat(simd, 1.0));
    let minus = u32x8::splat(simd, 0x8000_0000);
    for (active, &target) in active.iter().zip(targets) {
        let Some(pose) = pose.get_mut(block(target)) else { continue };
        let [.., live, step] = target;
        let share = shares(simd, active, time, step);
        let (from, to) = (quaternions::<S, W, 0>(simd, active), quaternions::<S, W, 1>(simd, active));
        let sign = dot(from, to).to_bits() & minus;
        let (rest, toward) = (one - share, f32x8::from_bits(share.to_bits() ^ sign));
        let sum = [
            rest * from[0] + toward * to[0],
            rest * from[1] + toward * to[1],
            rest * from[2] + toward * to[2],
            rest * from[3] + toward * to[3],
        ];
        let inverse = one / dot(sum, sum).sqrt();
        for (numbers, sum) in pose.rotation.iter_mut().zip(sum) {
            store(simd, sum * inverse, live, numbers);
        }
    }
}

/// See [`vectors`](super::vectors).
#[inline(always)]
pub(super) fn vectors<S: Simd, W: Word, const SCALE: bool>(
    simd: S,
    active: &[Active<W>],
    targets: &[Target],
    ranges: &[Ranges],
    time: f32,
    pose: &mut [PoseBlock],
) {
    let time = f32x8::splat(simd, time);
    for (index, (active, &target)) in active.iter().zip(targets).enumerate() {
        let Some(pose) = pose.get_mut(block(target)) else { continue };
        let (ranges, _) = ranges.get(index).unwrap_or(&PLAIN).as_chunks::<{ 4 * LANES }>();
        let [.., live, step] = target;
        let share = shares(simd, active, time, step);
        let rest = f32x8::splat(simd, 1.0) - share;
        let vectors = if SCALE { &mut pose.scale } else { &mut pose.translation };
        for (index, vector) in vectors.iter_mut().enumerate() {
            let [from, to] = &active.pairs[1 + index];
            let sum = rest * W::eight_numbers(simd, from) + share * W::eight_numbers(simd, to);
            let (middle, step) = (range(simd, &ranges[index]), range(simd, &ranges[NUMBERS + index]));
            store(simd, middle + step * sum, live, vector);
        }
    }
}

/// Computes [`LaneKeys::share`](super::lane::LaneKeys::share) of eight lanes. `step` is the set of step tracks.
#[inline(always)]
fn shares<S: Simd, W: Word>(simd: S, active: &Active<W>, time: f32x8<S>, step: u8) -> f32x8<S> {
    let [from, to] = &active.pairs[0];
    let (from, to) = (W::eight_times(simd, from), W::eight_times(simd, to));
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let share = (time - from) / (to - from);
    let share = min(simd, max(simd, share, zero), one);
    if step == 0 {
        return share;
    }
    mask(simd, step).select(to.simd_le(time).select(one, zero), share)
}

/// Computes [`scalar::rotation`] of the earlier or the later keys of eight lanes.
#[inline(always)]
fn quaternions<S: Simd, W: Word, const KEY: usize>(simd: S, active: &Active<W>) -> [f32x8<S>; 4] {
    let (parameter, one) = (f32x8::splat(simd, W::PARAMETER), f32x8::splat(simd, 1.0));
    let x = W::eight_numbers(simd, &active.pairs[1][KEY]) * parameter;
    let y = W::eight_numbers(simd, &active.pairs[2][KEY]) * parameter;
    let z = W::eight_numbers(simd, &active.pairs[3][KEY]) * parameter;
    let twice = f32x8::splat(simd, 2.0) / (one + ((x * x + y * y) + z * z));
    [x * twice, y * twice, z * twice, twice - one]
}

/// Returns the sum of `a[i] * b[i]`. Adds the products from first to last.
#[inline(always)]
fn dot<S: Simd>(a: [f32x8<S>; 4], b: [f32x8<S>; 4]) -> f32x8<S> {
    ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]
}

/// Stores the lanes of a set.
#[inline(always)]
fn store<S: Simd>(simd: S, numbers: f32x8<S>, live: u8, to: &mut [f32; LANES]) {
    if live == u8::MAX {
        numbers.store_array(to);
    } else {
        mask(simd, live).select(numbers, f32x8::load_array_ref(simd, to)).store_array(to);
    }
}

#[inline(always)]
fn mask<S: Simd>(simd: S, lanes: u8) -> mask32x8<S> {
    mask32x8::from_bitmask(simd, u64::from(lanes))
}

/// Loads eight little-endian floats.
#[inline(always)]
fn range<S: Simd>(simd: S, bytes: &[u8; 4 * LANES]) -> f32x8<S> {
    f32x8::from_bits(u32::eight(simd, bytes))
}
