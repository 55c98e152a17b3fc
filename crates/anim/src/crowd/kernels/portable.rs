//! The kernels, with vectors of four lanes, one lane per character; poses are transposed in blocks of eight joints.

use super::{LANES, Level, Output, POSE_LANES, Part};
use crate::Mat34;
use crate::transform_lanes::{JointLanes, PoseBlock};
use fearless_simd::{f32x4, f32x8, prelude::*};
use hedgerow_math::internal::vectors::{columns, transpose};

const WIDTH: usize = 4;

/// Four matrices: a vector for each of the twelve numbers, in row order.
type Matrices<S> = [f32x4<S>; 12];

/// See [`models`](super::models).
#[inline(always)]
pub(super) fn models<S: Simd>(
    simd: S,
    &Part { lanes, depths, first, output, stride }: &Part<'_>,
    levels: &mut [Level],
    out: &mut [Mat34],
) {
    let (mut slots, binds) = match output {
        Output::Models => (&[][..], None),
        Output::Palette { slots, binds } => (slots, Some(binds)),
    };
    for (joint, (lanes, &depth)) in (first..).zip(lanes.iter().zip(depths)) {
        let own = Part::slots_of(joint, &mut slots);
        for first in (0..LANES).step_by(WIDTH) {
            let mut model = local(simd, lanes, first);
            if let Some(above) = usize::from(depth).checked_sub(1) {
                model = product(simd, &levels[above], first, &model);
            }
            let level = &mut levels[usize::from(depth)];
            for (number, to) in model.iter().zip(&mut level.0) {
                number.store_slice(&mut to[first..first + WIDTH]);
            }
            let Some(binds) = binds else {
                if let Some(out) = out.get_mut(joint + first * stride..) {
                    write(model, out, stride);
                }
                continue;
            };
            for place in own.iter().map(|slot| usize::from(slot.place)) {
                if let Some(out) = out.get_mut(place + first * stride..) {
                    write(bound(simd, &model, &binds[place]), out, stride);
                }
            }
        }
    }
}

/// Writes the matrix of each lane `l` to `out[l * stride]`, if `out` is long enough.
#[inline(always)]
fn write<S: Simd>([a, b, c, d, e, f, g, h, i, j, k, l]: Matrices<S>, out: &mut [Mat34], stride: usize) {
    let (x, y, z) = (transpose([a, b, c, d]), transpose([e, f, g, h]), transpose([i, j, k, l]));
    for lane in 0..WIDTH {
        if let Some(to) = out.get_mut(lane * stride) {
            x[lane].store_array(&mut to.rows[0]);
            y[lane].store_array(&mut to.rows[1]);
            z[lane].store_array(&mut to.rows[2]);
        }
    }
}

/// Computes `PackedTransform::to_matrix` with fewer roundings.
#[inline(always)]
fn local<S: Simd>(simd: S, lanes: &JointLanes, first: usize) -> Matrices<S> {
    let JointLanes { translation, rotation, scale } = lanes;
    let (x, y) = (vector(simd, &rotation[0], first), vector(simd, &rotation[1], first));
    let (z, w) = (vector(simd, &rotation[2], first), vector(simd, &rotation[3], first));
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (minus_x2, minus_y2, minus_z2) = (-x2, -y2, -z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let one = f32x4::splat(simd, 1.0);
    let (not_x, not_y) = (x.mul_add(minus_x2, one), y.mul_add(minus_y2, one));
    let (sx, sy) = (vector(simd, &scale[0], first), vector(simd, &scale[1], first));
    let sz = vector(simd, &scale[2], first);
    [
        z.mul_add(minus_z2, not_y) * sx,
        w.mul_add(minus_z2, xy) * sy,
        w.mul_add(y2, xz) * sz,
        vector(simd, &translation[0], first),
        w.mul_add(z2, xy) * sx,
        z.mul_add(minus_z2, not_x) * sy,
        w.mul_add(minus_x2, yz) * sz,
        vector(simd, &translation[1], first),
        w.mul_add(minus_y2, xz) * sx,
        w.mul_add(x2, yz) * sy,
        y.mul_add(minus_y2, not_x) * sz,
        vector(simd, &translation[2], first),
    ]
}

/// Computes `above * local`.
#[inline(always)]
fn product<S: Simd>(simd: S, above: &Level, first: usize, local: &Matrices<S>) -> Matrices<S> {
    let [a00, a01, a02, a03] = row_of_product(simd, &above.0, 0, first, local);
    let [a10, a11, a12, a13] = row_of_product(simd, &above.0, 4, first, local);
    let [a20, a21, a22, a23] = row_of_product(simd, &above.0, 8, first, local);
    [a00, a01, a02, a03, a10, a11, a12, a13, a20, a21, a22, a23]
}

#[inline(always)]
fn row_of_product<S: Simd>(
    simd: S,
    above: &[[f32; LANES]; 12],
    row: usize,
    first: usize,
    [b00, b01, b02, b03, b10, b11, b12, b13, b20, b21, b22, b23]: &Matrices<S>,
) -> [f32x4<S>; 4] {
    let (a0, a1) = (vector(simd, &above[row], first), vector(simd, &above[row + 1], first));
    let (a2, shift) = (vector(simd, &above[row + 2], first), vector(simd, &above[row + 3], first));
    [
        a0.mul_add(*b00, a1.mul_add(*b10, a2 * *b20)),
        a0.mul_add(*b01, a1.mul_add(*b11, a2 * *b21)),
        a0.mul_add(*b02, a1.mul_add(*b12, a2 * *b22)),
        a0.mul_add(*b03, a1.mul_add(*b13, a2.mul_add(*b23, shift))),
    ]
}

/// Computes `model * bind`, with the same `bind` for all lanes.
#[inline(always)]
fn bound<S: Simd>(
    simd: S,
    &[a00, a01, a02, a03, a10, a11, a12, a13, a20, a21, a22, a23]: &Matrices<S>,
    bind: &Mat34,
) -> Matrices<S> {
    let [c00, c01, c02, c03] = row_of_bound(simd, a00, a01, a02, a03, bind);
    let [c10, c11, c12, c13] = row_of_bound(simd, a10, a11, a12, a13, bind);
    let [c20, c21, c22, c23] = row_of_bound(simd, a20, a21, a22, a23, bind);
    [c00, c01, c02, c03, c10, c11, c12, c13, c20, c21, c22, c23]
}

#[inline(always)]
fn row_of_bound<S: Simd>(
    simd: S,
    a0: f32x4<S>,
    a1: f32x4<S>,
    a2: f32x4<S>,
    shift: f32x4<S>,
    bind: &Mat34,
) -> [f32x4<S>; 4] {
    let [b0, b1, b2] = &bind.rows;
    [
        a0.mul_add(f32x4::splat(simd, b0[0]), a1.mul_add(f32x4::splat(simd, b1[0]), a2 * f32x4::splat(simd, b2[0]))),
        a0.mul_add(f32x4::splat(simd, b0[1]), a1.mul_add(f32x4::splat(simd, b1[1]), a2 * f32x4::splat(simd, b2[1]))),
        a0.mul_add(f32x4::splat(simd, b0[2]), a1.mul_add(f32x4::splat(simd, b1[2]), a2 * f32x4::splat(simd, b2[2]))),
        a0.mul_add(
            f32x4::splat(simd, b0[3]),
            a1.mul_add(f32x4::splat(simd, b1[3]), a2.mul_add(f32x4::splat(simd, b2[3]), shift)),
        ),
    ]
}

#[inline(always)]
fn vector<S: Simd>(simd: S, numbers: &[f32; LANES], first: usize) -> f32x4<S> {
    f32x4::from_slice(simd, &numbers[first..first + WIDTH])
}

/// Calls `$work!` with the field and the index of each of the ten numbers of a transform.
macro_rules! each_number {
    ($work:ident) => {
        $work!(translation 0);
        $work!(translation 1);
        $work!(translation 2);
        $work!(rotation 0);
        $work!(rotation 1);
        $work!(rotation 2);
        $work!(rotation 3);
        $work!(scale 0);
        $work!(scale 1);
        $work!(scale 2);
    };
}

/// See [`put_poses`](super::put_poses).
#[inline(always)]
pub(super) fn put_poses<S: Simd>(simd: S, poses: &[&[PoseBlock]; LANES], joints: &mut [JointLanes]) {
    for (block, joints) in joints.chunks_mut(POSE_LANES).enumerate() {
        for (half, poses) in poses.as_chunks::<8>().0.iter().enumerate() {
            let [a, b, c, d, e, f, g, h] = poses;
            let poses = [&a[block], &b[block], &c[block], &d[block], &e[block], &f[block], &g[block], &h[block]];
            macro_rules! put {
                ($number:ident $index:literal) => {
                    let [a, b, c, d, e, f, g, h] = &poses;
                    let columns = transposed(
                        simd,
                        [
                            &a.$number[$index],
                            &b.$number[$index],
                            &c.$number[$index],
                            &d.$number[$index],
                            &e.$number[$index],
                            &f.$number[$index],
                            &g.$number[$index],
                            &h.$number[$index],
                        ],
                    );
                    for (joint, column) in joints.iter_mut().zip(columns) {
                        column.store_array(&mut joint.$number[$index].as_chunks_mut::<8>().0[half]);
                    }
                };
            }
            each_number!(put);
        }
    }
}

/// See [`take_poses`](super::take_poses).
#[inline(always)]
pub(super) fn take_poses<S: Simd>(simd: S, joints: &[JointLanes], poses: &mut [&mut [PoseBlock]; LANES]) {
    static NONE: JointLanes = JointLanes::IDENTITY;
    for (block, joints) in joints.chunks(POSE_LANES).enumerate() {
        let mut eight = [&NONE; POSE_LANES];
        eight.iter_mut().zip(joints).for_each(|(to, joint)| *to = joint);
        for (half, poses) in poses.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            macro_rules! take {
                ($number:ident $index:literal) => {
                    let [a, b, c, d, e, f, g, h] = &eight;
                    let columns = transposed(
                        simd,
                        [
                            &a.$number[$index].as_chunks::<8>().0[half],
                            &b.$number[$index].as_chunks::<8>().0[half],
                            &c.$number[$index].as_chunks::<8>().0[half],
                            &d.$number[$index].as_chunks::<8>().0[half],
                            &e.$number[$index].as_chunks::<8>().0[half],
                            &f.$number[$index].as_chunks::<8>().0[half],
                            &g.$number[$index].as_chunks::<8>().0[half],
                            &h.$number[$index].as_chunks::<8>().0[half],
                        ],
                    );
                    for (pose, column) in poses.iter_mut().zip(columns) {
                        column.store_array(&mut pose[block].$number[$index]);
                    }
                };
            }
            each_number!(take);
        }
    }
}

#[inline(always)]
fn transposed<S: Simd>(simd: S, rows: [&[f32; 8]; 8]) -> [f32x8<S>; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (four::<S, 0>(simd, rows), four::<S, 4>(simd, rows));
    [a, b, c, d, e, f, g, h]
}

/// Returns four columns of eight rows, from column `FIRST` on.
#[inline(always)]
fn four<S: Simd, const FIRST: usize>(simd: S, [a, b, c, d, e, f, g, h]: [&[f32; 8]; 8]) -> [f32x8<S>; 4] {
    let rows = [
        part::<S, FIRST>(simd, a),
        part::<S, FIRST>(simd, b),
        part::<S, FIRST>(simd, c),
        part::<S, FIRST>(simd, d),
        part::<S, FIRST>(simd, e),
        part::<S, FIRST>(simd, f),
        part::<S, FIRST>(simd, g),
        part::<S, FIRST>(simd, h),
    ];
    columns(simd, rows)
}

#[inline(always)]
fn part<S: Simd, const FIRST: usize>(simd: S, row: &[f32; 8]) -> f32x4<S> {
    f32x4::from_slice(simd, &row[FIRST..FIRST + 4])
}
