//! Sums, fades and differences of poses, eight joints at a time.
//!
//! Loops over the lanes of a block, which the compiler turns into vectors of what it compiles for: each kernel is compiled
//! for AVX2, too, and sums are written out for it. No fused multiply-add, so that levels give the same bits.

#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};

/// A number for each of eight joints.
pub(crate) type Weights = [f32; LANES];

/// Defines each kernel as a function that runs it at the machine's best level.
macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident = $body:ident($($argument:ident: $type:ty),*);)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name($($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                return x86::$name($($argument),*);
            }
            $body($($argument),*);
        }
    )*};
}

kernels! {
    /// `sum = w · pose` and `totals = w`, with `w = weight · mask` by joint: the first of a sum.
    begin = begin_lanes(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// `sum += w · pose` and `totals += w`, with `w = weight · mask` by joint; rotations are added in the hemisphere of the sum.
    accumulate = accumulate_lanes(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// `out = sum · (1 ÷ totals)`, rotations normalised; `base` where a total is too small to be divided by.
    average = average_lanes(sum: &[PoseBlock], totals: &[Weights], base: &[PoseBlock], out: &mut [PoseBlock]);
    /// `pose += w · (to − pose)`, with `w = weight · mask` by joint; rotations go the shorter way and are normalised.
    fade = fade_lanes(pose: &mut [PoseBlock], to: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// What leads from `reference` to `pose`: translations' difference, `reference⁻¹ · pose` of rotations, scales' quotient
    /// (1 where that of the reference is zero).
    difference = difference_lanes(pose: &[PoseBlock], reference: &[PoseBlock], out: &mut [PoseBlock]);
    /// Adds `w` times such a difference, with `w = weight · mask` by joint.
    add = add_lanes(pose: &mut [PoseBlock], difference: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
}

/// The weights of the joints of one block.
#[inline(always)]
fn weights(weight: f32, mask: Option<&[Weights]>, block: usize) -> Weights {
    mask.map_or([weight; LANES], |mask| mask[block].map(|part| part * weight))
}

#[inline(always)]
fn begin_lanes(
    sum: &mut [PoseBlock],
    totals: &mut [Weights],
    pose: &[PoseBlock],
    weight: f32,
    mask: Option<&[Weights]>,
) {
    for (block, ((sum, totals), pose)) in sum.iter_mut().zip(totals).zip(pose).enumerate() {
        *totals = weights(weight, mask, block);
        let scaled = |numbers: &Weights| core::array::from_fn(|lane| totals[lane] * numbers[lane]);
        *sum = PoseBlock {
            translation: pose.translation.each_ref().map(scaled),
            rotation: pose.rotation.each_ref().map(scaled),
            scale: pose.scale.each_ref().map(scaled),
        };
    }
}

#[inline(always)]
fn accumulate_lanes(
    sum: &mut [PoseBlock],
    totals: &mut [Weights],
    pose: &[PoseBlock],
    weight: f32,
    mask: Option<&[Weights]>,
) {
    for (block, ((sum, totals), pose)) in sum.iter_mut().zip(totals).zip(pose).enumerate() {
        let w = weights(weight, mask, block);
        let turned = towards(&sum.rotation, &pose.rotation, &w);
        for lane in 0..LANES {
            totals[lane] += w[lane];
            for axis in 0..3 {
                sum.translation[axis][lane] += w[lane] * pose.translation[axis][lane];
                sum.scale[axis][lane] += w[lane] * pose.scale[axis][lane];
            }
            for part in 0..4 {
                sum.rotation[part][lane] += turned[lane] * pose.rotation[part][lane];
            }
        }
    }
}

#[inline(always)]
fn average_lanes(sum: &[PoseBlock], totals: &[Weights], base: &[PoseBlock], out: &mut [PoseBlock]) {
    for (((sum, totals), base), out) in sum.iter().zip(totals).zip(base).zip(out) {
        let share = totals.map(f32::recip);
        // Divided first, because the squares of what small weights leave would be zero.
        let mut rotation = sum.rotation;
        for lane in 0..LANES {
            rotation.iter_mut().for_each(|part| part[lane] *= share[lane]);
        }
        let lengths = lengths(&rotation);
        for lane in 0..LANES {
            let unit = 1.0 / lengths[lane];
            let some = totals[lane] >= f32::MIN_POSITIVE;
            let either = |sum: f32, by: f32, base: f32| if some { sum * by } else { base };
            for axis in 0..3 {
                let (moved, scaled) = (sum.translation[axis][lane], sum.scale[axis][lane]);
                out.translation[axis][lane] = either(moved, share[lane], base.translation[axis][lane]);
                out.scale[axis][lane] = either(scaled, share[lane], base.scale[axis][lane]);
            }
            for ((out, part), base) in out.rotation.iter_mut().zip(&rotation).zip(&base.rotation) {
                out[lane] = either(part[lane], unit, base[lane]);
            }
        }
    }
}

#[inline(always)]
fn fade_lanes(pose: &mut [PoseBlock], to: &[PoseBlock], weight: f32, mask: Option<&[Weights]>) {
    for (block, (pose, to)) in pose.iter_mut().zip(to).enumerate() {
        let w = weights(weight, mask, block);
        let signs = towards(&pose.rotation, &to.rotation, &[1.0; LANES]);
        for lane in 0..LANES {
            let fade = |from: &mut f32, to: f32| *from += w[lane] * (to - *from);
            for axis in 0..3 {
                fade(&mut pose.translation[axis][lane], to.translation[axis][lane]);
                fade(&mut pose.scale[axis][lane], to.scale[axis][lane]);
            }
            for part in 0..4 {
                fade(&mut pose.rotation[part][lane], signs[lane] * to.rotation[part][lane]);
            }
        }
        normalise(&mut pose.rotation);
    }
}

#[inline(always)]
fn difference_lanes(pose: &[PoseBlock], reference: &[PoseBlock], out: &mut [PoseBlock]) {
    for ((pose, reference), out) in pose.iter().zip(reference).zip(out) {
        for lane in 0..LANES {
            for axis in 0..3 {
                out.translation[axis][lane] = pose.translation[axis][lane] - reference.translation[axis][lane];
                let by = reference.scale[axis][lane];
                out.scale[axis][lane] = if by == 0.0 { 1.0 } else { pose.scale[axis][lane] / by };
            }
            let [x, y, z, w] = reference.rotation.map(|part| part[lane]);
            let turn = turn([-x, -y, -z, w], pose.rotation.map(|part| part[lane]));
            (0..4).for_each(|part| out.rotation[part][lane] = turn[part]);
        }
    }
}

#[inline(always)]
fn add_lanes(pose: &mut [PoseBlock], difference: &[PoseBlock], weight: f32, mask: Option<&[Weights]>) {
    for (block, (pose, difference)) in pose.iter_mut().zip(difference).enumerate() {
        let w = weights(weight, mask, block);
        let signs = towards(&PoseBlock::IDENTITY.rotation, &difference.rotation, &[1.0; LANES]);
        let mut part_way = PoseBlock::IDENTITY.rotation;
        for (part_way, turn) in part_way.iter_mut().zip(&difference.rotation) {
            for lane in 0..LANES {
                part_way[lane] += w[lane] * (signs[lane] * turn[lane] - part_way[lane]);
            }
        }
        normalise(&mut part_way);
        for lane in 0..LANES {
            for axis in 0..3 {
                pose.translation[axis][lane] += w[lane] * difference.translation[axis][lane];
                pose.scale[axis][lane] *= 1.0 + w[lane] * (difference.scale[axis][lane] - 1.0);
            }
            let turn = turn(pose.rotation.map(|part| part[lane]), part_way.map(|part| part[lane]));
            (0..4).for_each(|part| pose.rotation[part][lane] = turn[part]);
        }
    }
}

/// The weights, negative where the second rotation is nearer as its negative, which is the same rotation.
#[inline(always)]
fn towards(a: &[Weights; 4], b: &[Weights; 4], weights: &Weights) -> Weights {
    let mut signed = *weights;
    for lane in 0..LANES {
        let dot = a[0][lane] * b[0][lane] + a[1][lane] * b[1][lane] + a[2][lane] * b[2][lane] + a[3][lane] * b[3][lane];
        signed[lane] = if dot < 0.0 { -weights[lane] } else { weights[lane] };
    }
    signed
}

#[inline(always)]
fn lengths(rotation: &[Weights; 4]) -> Weights {
    let [x, y, z, w] = rotation;
    let mut lengths = [0.0; LANES];
    for lane in 0..LANES {
        let squares = x[lane] * x[lane] + y[lane] * y[lane] + z[lane] * z[lane] + w[lane] * w[lane];
        lengths[lane] = squares.sqrt();
    }
    lengths
}

#[inline(always)]
fn normalise(rotation: &mut [Weights; 4]) {
    let lengths = lengths(rotation);
    for part in rotation {
        for lane in 0..LANES {
            part[lane] /= lengths[lane];
        }
    }
}

/// The rotation `a · b`: first `b`, then `a`.
#[inline(always)]
fn turn([ax, ay, az, aw]: [f32; 4], [bx, by, bz, bw]: [f32; 4]) -> [f32; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}
