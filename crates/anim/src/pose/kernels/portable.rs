//! The kernels: eight locals are converted at a time, lane = joint, then multiplied one by one, in order.

use crate::Mat34;
use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use core::ops::Range;
use fearless_simd::{f32x4, f32x8, f32x16, prelude::*, u8x16, u8x64, u32x16};
use hedgerow_math::internal::vectors::{load, multiply, rows, store};

/// The local matrices of eight joints.
#[repr(C, align(64))]
struct Locals([[[f32; 4]; 3]; LANES]);

/// A matrix in registers: the three rows, and a fourth that means nothing.
type Model<S> = f32x16<S>;

/// See [`models`](super::models()).
///
/// A joint's parent is often the joint before: then its matrix is still there and need not come back from memory, which
/// is half of what a chain waits for.
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
    // What the first joint's parent is numbered, and nobody else's.
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
        store(multiply(simd, &models[usize::from(joint)], &load(simd, inverse_bind)), to);
    }
}

/// Loads a matrix as it was stored, so that it can come from a store that is not done yet.
#[inline(always)]
fn take<S: Simd>(simd: S, matrix: &Mat34) -> Model<S> {
    let rows = matrix.rows.as_flattened();
    let z = f32x4::from_slice(simd, &rows[8..]);
    f32x8::from_slice(simd, &rows[..8]).combine(z.combine(z))
}

#[inline(always)]
fn put<S: Simd>(model: Model<S>, to: &mut Mat34) {
    let rows = to.rows.as_flattened_mut();
    let (xy, z) = model.split();
    xy.store_slice(&mut rows[..8]);
    z.split().0.store_slice(&mut rows[8..]);
}

/// For each row `a`: `(a0 * x + a1 * y) + (a2 * z + (0, 0, 0, a3))`, whose halves need not wait for each other.
#[inline(always)]
fn times<S: Simd>(simd: S, model: Model<S>, [x, y, z]: &[[f32; 4]; 3]) -> Model<S> {
    let (x, y, z) = (row(simd, x), row(simd, y), row(simd, z));
    let fourths = [0, 0, 0, u32::MAX, 0, 0, 0, u32::MAX, 0, 0, 0, u32::MAX, 0, 0, 0, u32::MAX];
    let shift = f32x16::from_bits(model.to_bits() & u32x16::load_array(simd, fourths));
    let a2 = spread::<S, 2>(simd, model).mul_add(z, shift);
    spread::<S, 0>(simd, model).mul_add(x, spread::<S, 1>(simd, model) * y) + a2
}

/// A row, in each quarter.
#[inline(always)]
fn row<S: Simd>(simd: S, row: &[f32; 4]) -> f32x16<S> {
    f32x16::block_splat(f32x4::load_array_ref(simd, row))
}

/// In each row one number, in all its places.
#[inline(always)]
fn spread<S: Simd, const AT: u8>(simd: S, model: Model<S>) -> Model<S> {
    let [a, b, c, d] = const { [4 * AT, 4 * AT + 1, 4 * AT + 2, 4 * AT + 3] };
    let places = u8x16::load_array(simd, [a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d]);
    model.swizzle_dyn_within_blocks(u8x64::block_splat(places))
}

/// `PackedTransform::to_matrix` for the eight joints of a block, with fewer roundings.
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

/// Stores one row of eight matrices.
#[inline(always)]
fn put_row<S: Simd, const ROW: usize>(rows: [f32x4<S>; LANES], locals: &mut Locals) {
    for (row, to) in rows.into_iter().zip(&mut locals.0) {
        row.store_array(&mut to[ROW]);
    }
}
