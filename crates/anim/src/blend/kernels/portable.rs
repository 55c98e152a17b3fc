//! The kernels: each vector holds one number of a transform, with a lane for each of the eight joints of a block.

use super::Weights;
use crate::transform_lanes::PoseBlock;
use fearless_simd::{f32x8, prelude::*};

/// Eight rotations: one vector each for x, y, z and w.
type Rotations<S> = [f32x8<S>; 4];

/// See [`begin`](super::begin).
#[inline(always)]
pub(super) fn begin<S: Simd>(
    simd: S,
    sum: &mut [PoseBlock],
    totals: &mut [Weights],
    pose: &[PoseBlock],
    weight: f32,
    mask: Option<&[Weights]>,
) {
    for (block, ((sum, totals), pose)) in sum.iter_mut().zip(totals).zip(pose).enumerate() {
        let w = weights(simd, weight, mask, block);
        w.store_array(totals);
        for axis in 0..3 {
            (w * load(simd, &pose.translation[axis])).store_array(&mut sum.translation[axis]);
            (w * load(simd, &pose.scale[axis])).store_array(&mut sum.scale[axis]);
        }
        for part in 0..4 {
            (w * load(simd, &pose.rotation[part])).store_array(&mut sum.rotation[part]);
        }
    }
}

/// See [`accumulate`](super::accumulate).
#[inline(always)]
pub(super) fn accumulate<S: Simd>(
    simd: S,
    sum: &mut [PoseBlock],
    totals: &mut [Weights],
    pose: &[PoseBlock],
    weight: f32,
    mask: Option<&[Weights]>,
) {
    for (block, ((sum, totals), pose)) in sum.iter_mut().zip(totals).zip(pose).enumerate() {
        let w = weights(simd, weight, mask, block);
        (load(simd, totals) + w).store_array(totals);
        for axis in 0..3 {
            let (moved, scaled) = (load(simd, &pose.translation[axis]), load(simd, &pose.scale[axis]));
            let (to_moved, to_scaled) = (&mut sum.translation[axis], &mut sum.scale[axis]);
            (load(simd, to_moved) + w * moved).store_array(to_moved);
            (load(simd, to_scaled) + w * scaled).store_array(to_scaled);
        }
        let (old, turn) = (load_rotations(simd, &sum.rotation), load_rotations(simd, &pose.rotation));
        let turned = towards(simd, old, turn, w);
        for part in 0..4 {
            (old[part] + turned * turn[part]).store_array(&mut sum.rotation[part]);
        }
    }
}

/// See [`average`](super::average).
#[inline(always)]
pub(super) fn average<S: Simd>(
    simd: S,
    sum: &[PoseBlock],
    totals: &[Weights],
    base: &[PoseBlock],
    out: &mut [PoseBlock],
) {
    let one = f32x8::splat(simd, 1.0);
    for (((sum, totals), base), out) in sum.iter().zip(totals).zip(base).zip(out) {
        let total = load(simd, totals);
        // The reciprocal of a smaller weight may overflow.
        let some = total.simd_ge(f32x8::splat(simd, f32::MIN_POSITIVE));
        let share = one / total;
        for axis in 0..3 {
            let (moved, scaled) = (load(simd, &sum.translation[axis]), load(simd, &sum.scale[axis]));
            let (base_moved, base_scaled) = (load(simd, &base.translation[axis]), load(simd, &base.scale[axis]));
            some.select(moved * share, base_moved).store_array(&mut out.translation[axis]);
            some.select(scaled * share, base_scaled).store_array(&mut out.scale[axis]);
        }
        // Divide before normalising, because the squares of the sums would round to zero if the weights are small.
        let [x, y, z, w] = load_rotations(simd, &sum.rotation);
        let turn = [x * share, y * share, z * share, w * share];
        let unit = one / dot(turn, turn).sqrt();
        for ((out, base), turn) in out.rotation.iter_mut().zip(&base.rotation).zip(turn) {
            some.select(turn * unit, load(simd, base)).store_array(out);
        }
    }
}

/// See [`fade`](super::fade).
#[inline(always)]
pub(super) fn fade<S: Simd>(simd: S, pose: &mut [PoseBlock], to: &[PoseBlock], weight: f32, mask: Option<&[Weights]>) {
    for (block, (pose, to)) in pose.iter_mut().zip(to).enumerate() {
        let w = weights(simd, weight, mask, block);
        for axis in 0..3 {
            let (from, to) = (load(simd, &pose.translation[axis]), load(simd, &to.translation[axis]));
            (from + w * (to - from)).store_array(&mut pose.translation[axis]);
        }
        for axis in 0..3 {
            let (from, to) = (load(simd, &pose.scale[axis]), load(simd, &to.scale[axis]));
            (from + w * (to - from)).store_array(&mut pose.scale[axis]);
        }
        let (from, to) = (load_rotations(simd, &pose.rotation), load_rotations(simd, &to.rotation));
        let signs = towards(simd, from, to, f32x8::splat(simd, 1.0));
        store_rotations(part_way(from, to, signs, w), &mut pose.rotation);
    }
}

/// See [`difference`](super::difference).
#[inline(always)]
pub(super) fn difference<S: Simd>(simd: S, pose: &[PoseBlock], reference: &[PoseBlock], out: &mut [PoseBlock]) {
    let (one, most) = (f32x8::splat(simd, 1.0), f32x8::splat(simd, f32::MAX));
    for ((pose, reference), out) in pose.iter().zip(reference).zip(out) {
        for axis in 0..3 {
            let (to, from) = (load(simd, &pose.translation[axis]), load(simd, &reference.translation[axis]));
            (to - from).store_array(&mut out.translation[axis]);
            let (scale, by) = (load(simd, &pose.scale[axis]), load(simd, &reference.scale[axis]));
            let quotient = scale / by;
            // A reference without size has no quotient: NaN and infinity become one.
            quotient.abs().simd_le(most).select(quotient, one).store_array(&mut out.scale[axis]);
        }
        let [x, y, z, w] = load_rotations(simd, &reference.rotation);
        // The conjugate of a unit quaternion is its inverse.
        let turned = turn([-x, -y, -z, w], load_rotations(simd, &pose.rotation));
        store_rotations(turned, &mut out.rotation);
    }
}

/// See [`add`](super::add).
#[inline(always)]
pub(super) fn add<S: Simd>(
    simd: S,
    pose: &mut [PoseBlock],
    difference: &[PoseBlock],
    weight: f32,
    mask: Option<&[Weights]>,
) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let identity = [zero, zero, zero, one];
    for (block, (pose, difference)) in pose.iter_mut().zip(difference).enumerate() {
        let w = weights(simd, weight, mask, block);
        for axis in 0..3 {
            let to = &mut pose.translation[axis];
            (load(simd, to) + w * load(simd, &difference.translation[axis])).store_array(to);
            let to = &mut pose.scale[axis];
            (load(simd, to) * (one + w * (load(simd, &difference.scale[axis]) - one))).store_array(to);
        }
        let whole = load_rotations(simd, &difference.rotation);
        // The shorter way, or half a difference could turn the long way round.
        let signs = towards(simd, identity, whole, one);
        let part = part_way(identity, whole, signs, w);
        store_rotations(turn(load_rotations(simd, &pose.rotation), part), &mut pose.rotation);
    }
}

#[inline(always)]
fn weights<S: Simd>(simd: S, weight: f32, mask: Option<&[Weights]>, block: usize) -> f32x8<S> {
    let weight = f32x8::splat(simd, weight);
    match mask {
        Some(mask) => load(simd, &mask[block]) * weight,
        None => weight,
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, numbers: &Weights) -> f32x8<S> {
    f32x8::load_array_ref(simd, numbers)
}

#[inline(always)]
fn load_rotations<S: Simd>(simd: S, [x, y, z, w]: &[Weights; 4]) -> Rotations<S> {
    [load(simd, x), load(simd, y), load(simd, z), load(simd, w)]
}

#[inline(always)]
fn store_rotations<S: Simd>(rotations: Rotations<S>, to: &mut [Weights; 4]) {
    for (number, to) in rotations.into_iter().zip(to) {
        number.store_array(to);
    }
}

/// Returns the dot product `a · b`. Adds the products from first to last.
#[inline(always)]
fn dot<S: Simd>(a: Rotations<S>, b: Rotations<S>) -> f32x8<S> {
    ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]
}

/// Returns the weights, negated in each lane where `a` is nearer to −`b` than to `b`; −`b` is the same rotation.
#[inline(always)]
fn towards<S: Simd>(simd: S, a: Rotations<S>, b: Rotations<S>, weights: f32x8<S>) -> f32x8<S> {
    dot(a, b).simd_lt(f32x8::splat(simd, 0.0)).select(-weights, weights)
}

/// Returns `a + w · (sign · b − a)`, normalised.
#[inline(always)]
fn part_way<S: Simd>(a: Rotations<S>, b: Rotations<S>, signs: f32x8<S>, w: f32x8<S>) -> Rotations<S> {
    let sum = [
        a[0] + w * (signs * b[0] - a[0]),
        a[1] + w * (signs * b[1] - a[1]),
        a[2] + w * (signs * b[2] - a[2]),
        a[3] + w * (signs * b[3] - a[3]),
    ];
    let length = dot(sum, sum).sqrt();
    [sum[0] / length, sum[1] / length, sum[2] / length, sum[3] / length]
}

/// Returns the rotation `a · b`, which applies `b` first.
#[inline(always)]
fn turn<S: Simd>([ax, ay, az, aw]: Rotations<S>, [bx, by, bz, bw]: Rotations<S>) -> Rotations<S> {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}
