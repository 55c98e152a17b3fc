//! Sums, fades and differences of poses, eight joints at a time.
//!
//! Loops over the lanes of a block, which the compiler turns into vectors of what it compiles for: each kernel is compiled
//! for AVX2, too. No fused multiply-add, so that levels give the same bits.

#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::math::{POSE_LANES as LANES, PoseBlock};

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
    /// `sum += w · pose` and `totals += w`, with `w = weight · mask` by joint; rotations are added in the hemisphere of the sum.
    accumulate = accumulate_lanes(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    /// `out = sum ÷ totals`, rotations normalised; `base` where a total is zero.
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

/// Replaces each of eight numbers: a loop that becomes an instruction for each operation.
#[inline(always)]
fn each(numbers: &mut Weights, new: impl Fn(usize, f32) -> f32) {
    numbers.iter_mut().enumerate().for_each(|(lane, number)| *number = new(lane, *number));
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
        let signed = towards(&sum.rotation, &pose.rotation, &w);
        each(totals, |lane, total| total + w[lane]);
        for axis in 0..3 {
            each(&mut sum.translation[axis], |lane, sum| sum + w[lane] * pose.translation[axis][lane]);
            each(&mut sum.scale[axis], |lane, sum| sum + w[lane] * pose.scale[axis][lane]);
        }
        for part in 0..4 {
            each(&mut sum.rotation[part], |lane, sum| sum + signed[lane] * pose.rotation[part][lane]);
        }
    }
}

#[inline(always)]
fn average_lanes(sum: &[PoseBlock], totals: &[Weights], base: &[PoseBlock], out: &mut [PoseBlock]) {
    for (((sum, totals), base), out) in sum.iter().zip(totals).zip(base).zip(out) {
        let lengths = lengths(&sum.rotation);
        let either = |out: &mut Weights, sum: &Weights, by: &Weights, base: &Weights| {
            each(out, |lane, _| if totals[lane] > 0.0 { sum[lane] / by[lane] } else { base[lane] });
        };
        for axis in 0..3 {
            either(&mut out.translation[axis], &sum.translation[axis], totals, &base.translation[axis]);
            either(&mut out.scale[axis], &sum.scale[axis], totals, &base.scale[axis]);
        }
        for part in 0..4 {
            either(&mut out.rotation[part], &sum.rotation[part], &lengths, &base.rotation[part]);
        }
    }
}

#[inline(always)]
fn fade_lanes(pose: &mut [PoseBlock], to: &[PoseBlock], weight: f32, mask: Option<&[Weights]>) {
    for (block, (pose, to)) in pose.iter_mut().zip(to).enumerate() {
        let w = weights(weight, mask, block);
        let signs = towards(&pose.rotation, &to.rotation, &[1.0; LANES]);
        for axis in 0..3 {
            each(&mut pose.translation[axis], |lane, from| from + w[lane] * (to.translation[axis][lane] - from));
            each(&mut pose.scale[axis], |lane, from| from + w[lane] * (to.scale[axis][lane] - from));
        }
        for part in 0..4 {
            each(&mut pose.rotation[part], |lane, from| {
                from + w[lane] * (signs[lane] * to.rotation[part][lane] - from)
            });
        }
        normalise(&mut pose.rotation);
    }
}

#[inline(always)]
fn difference_lanes(pose: &[PoseBlock], reference: &[PoseBlock], out: &mut [PoseBlock]) {
    for ((pose, reference), out) in pose.iter().zip(reference).zip(out) {
        for axis in 0..3 {
            each(&mut out.translation[axis], |lane, _| {
                pose.translation[axis][lane] - reference.translation[axis][lane]
            });
            each(&mut out.scale[axis], |lane, _| {
                let by = reference.scale[axis][lane];
                if by == 0.0 { 1.0 } else { pose.scale[axis][lane] / by }
            });
        }
        let [x, y, z, w] = reference.rotation;
        out.rotation = turn(&[x.map(|x| -x), y.map(|y| -y), z.map(|z| -z), w], &pose.rotation);
    }
}

#[inline(always)]
fn add_lanes(pose: &mut [PoseBlock], difference: &[PoseBlock], weight: f32, mask: Option<&[Weights]>) {
    for (block, (pose, difference)) in pose.iter_mut().zip(difference).enumerate() {
        let w = weights(weight, mask, block);
        let mut part_way = PoseBlock::IDENTITY.rotation;
        let signs = towards(&part_way, &difference.rotation, &[1.0; LANES]);
        for (part_way, turn) in part_way.iter_mut().zip(&difference.rotation) {
            each(part_way, |lane, from| from + w[lane] * (signs[lane] * turn[lane] - from));
        }
        normalise(&mut part_way);
        for axis in 0..3 {
            each(&mut pose.translation[axis], |lane, at| at + w[lane] * difference.translation[axis][lane]);
            each(&mut pose.scale[axis], |lane, by| by * (1.0 + w[lane] * (difference.scale[axis][lane] - 1.0)));
        }
        pose.rotation = turn(&pose.rotation, &part_way);
    }
}

/// The weights, negative where the second rotation is nearer as its negative, which is the same rotation.
#[inline(always)]
fn towards(a: &[Weights; 4], b: &[Weights; 4], weights: &Weights) -> Weights {
    let mut signed = *weights;
    each(&mut signed, |lane, weight| {
        let dot = a[0][lane] * b[0][lane] + a[1][lane] * b[1][lane] + a[2][lane] * b[2][lane] + a[3][lane] * b[3][lane];
        if dot < 0.0 { -weight } else { weight }
    });
    signed
}

#[inline(always)]
fn lengths([x, y, z, w]: &[Weights; 4]) -> Weights {
    let mut lengths = [0.0; LANES];
    each(&mut lengths, |lane, _| {
        (x[lane] * x[lane] + y[lane] * y[lane] + z[lane] * z[lane] + w[lane] * w[lane]).sqrt()
    });
    lengths
}

#[inline(always)]
fn normalise(rotation: &mut [Weights; 4]) {
    let lengths = lengths(rotation);
    rotation.iter_mut().for_each(|part| each(part, |lane, part| part / lengths[lane]));
}

/// The rotations `a · b`: first `b`, then `a`.
#[inline(always)]
fn turn([ax, ay, az, aw]: &[Weights; 4], [bx, by, bz, bw]: &[Weights; 4]) -> [Weights; 4] {
    let mut turned = [[0.0; LANES]; 4];
    let [x, y, z, w] = &mut turned;
    each(x, |l, _| aw[l] * bx[l] + ax[l] * bw[l] + ay[l] * bz[l] - az[l] * by[l]);
    each(y, |l, _| aw[l] * by[l] - ax[l] * bz[l] + ay[l] * bw[l] + az[l] * bx[l]);
    each(z, |l, _| aw[l] * bz[l] + ax[l] * by[l] - ay[l] * bx[l] + az[l] * bw[l]);
    each(w, |l, _| aw[l] * bw[l] - ax[l] * bx[l] - ay[l] * by[l] - az[l] * bz[l]);
    turned
}
