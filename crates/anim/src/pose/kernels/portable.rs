//! The kernels: eight local transforms at a time are converted to matrices, which are then multiplied in order.

use crate::Mat34;
use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use core::ops::Range;
use fearless_simd::{f32x4, f32x8, prelude::*};
use hedgerow_math::internal::vectors::rows;
use hedgerow_math::internal::whole::{Product, Whole, each_row, put, shift, spread, take};

/// The local matrices of eight joints.
#[repr(C, align(64))]
struct Locals([[[f32; 4]; 3]; LANES]);

/// See [`models`](super::models()).
///
/// If a joint's parent is the previous joint, the parent's matrix is still in registers. In a chain, this saves half of
/// the waiting time.
#[inline(always)]
pub(super) fn models<S: Simd>(
    simd: S,
    blocks: &[PoseBlock],
    parents: &[u16],
    root: &Mat34,
    models: &mut [Mat34],
    range: Range<usize>,
) {
    let mut locals = Locals([[[0.0; 4]; 3]; LANES]);
    // Only joint 0 has this number as its parent.
    let (mut last, mut model) = (usize::from(u16::MAX), take(simd, root));
    let mut joint = range.start;
    while joint < range.end {
        let first = joint / LANES * LANES;
        let end = (first + LANES).min(range.end);
        convert(simd, &blocks[first / LANES], &mut locals);
        let parents = &parents[joint..end];
        for ((local, &parent), to) in locals.0[joint - first..].iter().zip(parents).zip(joint..) {
            let parent = usize::from(parent);
            if parent != last {
                model = take(simd, &models[parent]);
            }
            model = times(simd, model, local);
            put(model, &mut models[to]);
            last = to;
        }
        joint = end;
    }
}

/// See [`palette`](super::palette).
#[inline(always)]
pub(super) fn palette<S: Simd>(
    simd: S,
    models: &[Mat34],
    joints: &[u16],
    inverse_binds: &[Mat34],
    palette: &mut [Mat34],
) {
    for ((to, &joint), inverse_bind) in palette.iter_mut().zip(joints).zip(inverse_binds) {
        Product::of(simd, &models[usize::from(joint)], inverse_bind).put(to);
    }
}

/// Computes each row `a` as `(a0 * x + a1 * y) + (a2 * z + (0, 0, 0, a3))`, so that the two halves are independent.
#[inline(always)]
fn times<S: Simd>(simd: S, model: Whole<S>, [x, y, z]: &[[f32; 4]; 3]) -> Whole<S> {
    let (x, y, z) = (each_row(simd, x), each_row(simd, y), each_row(simd, z));
    let a2 = spread::<S, 2>(simd, model).mul_add(z, shift(simd, model));
    spread::<S, 0>(simd, model).mul_add(x, spread::<S, 1>(simd, model) * y) + a2
}

/// Computes `PackedTransform::to_matrix` for the eight joints of a block, with fewer roundings.
#[inline(always)]
fn convert<S: Simd>(simd: S, PoseBlock { translation, rotation, scale }: &PoseBlock, locals: &mut Locals) {
    let [x, y, z, w] =
        [lanes(simd, &rotation[0]), lanes(simd, &rotation[1]), lanes(simd, &rotation[2]), lanes(simd, &rotation[3])];
    let [sx, sy, sz] = [lanes(simd, &scale[0]), lanes(simd, &scale[1]), lanes(simd, &scale[2])];
    let [tx, ty, tz] = [lanes(simd, &translation[0]), lanes(simd, &translation[1]), lanes(simd, &translation[2])];
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (minus_x2, minus_y2, minus_z2) = (-x2, -y2, -z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let one = f32x8::splat(simd, 1.0);
    let (not_x, not_y) = (x.mul_add(minus_x2, one), y.mul_add(minus_y2, one));
    let first = [z.mul_add(minus_z2, not_y) * sx, w.mul_add(minus_z2, xy) * sy, w.mul_add(y2, xz) * sz, tx];
    let second = [w.mul_add(z2, xy) * sx, z.mul_add(minus_z2, not_x) * sy, w.mul_add(minus_x2, yz) * sz, ty];
    let third = [w.mul_add(minus_y2, xz) * sx, w.mul_add(x2, yz) * sy, y.mul_add(minus_y2, not_x) * sz, tz];
    put_row::<S, 0>(rows(simd, first), locals);
    put_row::<S, 1>(rows(simd, second), locals);
    put_row::<S, 2>(rows(simd, third), locals);
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, numbers: &[f32; LANES]) -> f32x8<S> {
    f32x8::load_array_ref(simd, numbers)
}

#[inline(always)]
fn put_row<S: Simd, const ROW: usize>(rows: [f32x4<S>; LANES], locals: &mut Locals) {
    for (row, to) in rows.into_iter().zip(&mut locals.0) {
        row.store_array(&mut to[ROW]);
    }
}
