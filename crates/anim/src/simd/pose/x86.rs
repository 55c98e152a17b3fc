//! The kernels for x86-64 machines with AVX2 and FMA, or with AVX-512.
#![allow(unsafe_code, reason = "loads and stores of vectors go through pointers")]

use crate::Mat34;
use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use core::arch::asm;
use core::arch::x86_64::{
    __m128, __m256, __m512, _mm_add_ps, _mm_blend_ps, _mm_fmadd_ps, _mm_load_ps, _mm_mul_ps, _mm_permute_ps,
    _mm_setzero_ps, _mm_store_ps, _mm256_add_ps, _mm256_blend_ps, _mm256_broadcast_ps, _mm256_castps256_ps128,
    _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_fnmadd_ps, _mm256_load_ps, _mm256_loadu_ps, _mm256_mul_ps,
    _mm256_permute_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_shuffle_ps, _mm256_storeu_ps, _mm256_unpackhi_ps,
    _mm256_unpacklo_ps, _mm512_add_ps, _mm512_broadcast_f32x4, _mm512_castps256_ps512, _mm512_castps512_ps256,
    _mm512_extractf32x4_ps, _mm512_fmadd_ps, _mm512_insertf32x4, _mm512_maskz_mov_ps, _mm512_mul_ps, _mm512_permute_ps,
};
use core::ops::Range;
use hedgerow_math::internal::x86::{load, multiply, store};
use std::arch::is_x86_feature_detected as has;

/// The local matrices of eight joints, three rows each.
#[repr(C, align(64))]
struct Locals([[[f32; 4]; 3]; LANES]);

/// See [`models`](super::models).
pub(super) fn models_avx2(
    blocks: &[PoseBlock],
    parents: &[u16],
    root: &Mat34,
    models: &mut [Mat34],
    range: Range<usize>,
) {
    assert!(has!("avx2") && has!("fma"), "the caller has looked for these");
    // SAFETY: the features are there, as just asserted.
    unsafe { avx2::models(blocks, parents, root, models, range) }
}

/// See [`models`](super::models).
pub(super) fn models_avx512(
    blocks: &[PoseBlock],
    parents: &[u16],
    root: &Mat34,
    models: &mut [Mat34],
    range: Range<usize>,
) {
    assert!(has!("avx2") && has!("fma") && has!("avx512f"), "the caller has looked for these");
    // SAFETY: the features are there, as just asserted.
    unsafe { avx512::models(blocks, parents, root, models, range) }
}

/// The loop, where `Model` is a matrix in registers that `take` loads, `times` multiplies and `put` stores.
///
/// Eight locals are converted at a time, then multiplied one by one, in order. A joint's parent is often the joint before:
/// then its matrix is still there and need not come back from memory, which is half of what a chain waits for.
macro_rules! body {
    ($features:literal) => {
        #[target_feature(enable = $features)]
        pub(super) fn models(
            blocks: &[PoseBlock],
            parents: &[u16],
            root: &Mat34,
            models: &mut [Mat34],
            range: Range<usize>,
        ) {
            let mut locals = Locals([[[0.0; 4]; 3]; LANES]);
            // What the first joint's parent is numbered, and nobody else's.
            let (mut last, mut model) = (usize::from(u16::MAX), take(root));
            let mut joint = range.start;
            while joint < range.end {
                let first = joint / LANES * LANES;
                let end = (first + LANES).min(range.end);
                convert(&blocks[first / LANES], &mut locals);
                let parents = &parents[joint..end];
                for ((local, &parent), to) in locals.0[joint - first..].iter().zip(parents).zip(joint..) {
                    let parent = usize::from(parent);
                    if parent != last {
                        model = take(&models[parent]);
                    }
                    model = times(model, local);
                    put(&mut models[to], model);
                    last = to;
                }
                joint = end;
            }
        }
    };
}

mod avx2 {
    use super::*;

    /// Rows x and y, and row z.
    type Model = (__m256, __m128);

    body!("avx2,fma");

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn take(matrix: &Mat34) -> Model {
        let rows = matrix.rows.as_flattened();
        // SAFETY: the first eight floats of twelve, at any alignment; and the last four, 16-byte aligned as the matrix is.
        unsafe { (_mm256_loadu_ps(rows.as_ptr()), _mm_load_ps(rows[8..].as_ptr())) }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn put(to: &mut Mat34, (xy, z): Model) {
        let rows = to.rows.as_flattened_mut();
        // SAFETY: as in `take`.
        unsafe {
            _mm256_storeu_ps(rows.as_mut_ptr(), xy);
            _mm_store_ps(rows[8..].as_mut_ptr(), z);
        }
    }

    /// For each row `a`: `(a0 * x + a1 * y) + (a2 * z + (0, 0, 0, a3))`, whose halves need not wait for each other.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn times((xy, z): Model, local: &[[f32; 4]; 3]) -> Model {
        // SAFETY: a row is four floats.
        let row = |row: &[f32; 4]| unsafe { _mm256_broadcast_ps(&*row.as_ptr().cast::<__m128>()) };
        let (b0, b1, b2) = (row(&local[0]), row(&local[1]), row(&local[2]));
        let shift = _mm256_blend_ps::<0b1000_1000>(_mm256_setzero_ps(), xy);
        let xy_z = _mm256_fmadd_ps(_mm256_permute_ps::<0b10_10_10_10>(xy), b2, shift);
        let xy_y = _mm256_mul_ps(_mm256_permute_ps::<0b01_01_01_01>(xy), b1);
        let xy_xy = _mm256_fmadd_ps(_mm256_permute_ps::<0>(xy), b0, xy_y);
        let (c0, c1, c2) = (_mm256_castps256_ps128(b0), _mm256_castps256_ps128(b1), _mm256_castps256_ps128(b2));
        let shift = _mm_blend_ps::<0b1000>(_mm_setzero_ps(), z);
        let z_z = _mm_fmadd_ps(_mm_permute_ps::<0b10_10_10_10>(z), c2, shift);
        let z_y = _mm_mul_ps(_mm_permute_ps::<0b01_01_01_01>(z), c1);
        let z_xy = _mm_fmadd_ps(_mm_permute_ps::<0>(z), c0, z_y);
        (_mm256_add_ps(xy_xy, xy_z), _mm_add_ps(z_xy, z_z))
    }
}

mod avx512 {
    use super::*;

    /// The three rows, and a fourth part that means nothing.
    type Model = __m512;

    body!("avx2,fma,avx512f");

    #[inline]
    #[target_feature(enable = "avx2,fma,avx512f")]
    fn take(matrix: &Mat34) -> Model {
        let rows = matrix.rows.as_flattened();
        // Loaded as it was stored, so that it can come from a store that is not done yet.
        // SAFETY: the first eight floats of twelve, at any alignment; and the last four, 16-byte aligned as the matrix is.
        let (xy, z) = unsafe { (_mm256_loadu_ps(rows.as_ptr()), _mm_load_ps(rows[8..].as_ptr())) };
        _mm512_insertf32x4::<2>(_mm512_castps256_ps512(xy), z)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,avx512f")]
    fn put(to: &mut Mat34, model: Model) {
        let rows = to.rows.as_flattened_mut();
        // SAFETY: as in `take`.
        unsafe {
            _mm256_storeu_ps(rows.as_mut_ptr(), _mm512_castps512_ps256(model));
            _mm_store_ps(rows[8..].as_mut_ptr(), _mm512_extractf32x4_ps::<2>(model));
        }
    }

    /// The same as with AVX2.
    #[inline]
    #[target_feature(enable = "avx2,fma,avx512f")]
    fn times(model: Model, local: &[[f32; 4]; 3]) -> Model {
        // SAFETY: a row is four floats, 16-byte aligned as `Locals` is and rows of 16 bytes in it.
        let row = |row: &[f32; 4]| _mm512_broadcast_f32x4(unsafe { _mm_load_ps(row.as_ptr()) });
        let (b0, b1, b2) = (row(&local[0]), row(&local[1]), row(&local[2]));
        let shift = _mm512_maskz_mov_ps(0b1000_1000_1000_1000, model);
        let z = _mm512_fmadd_ps(_mm512_permute_ps::<0b10_10_10_10>(model), b2, shift);
        let y = _mm512_mul_ps(_mm512_permute_ps::<0b01_01_01_01>(model), b1);
        _mm512_add_ps(_mm512_fmadd_ps(_mm512_permute_ps::<0>(model), b0, y), z)
    }
}

/// `PackedTransform::to_matrix` for the eight joints of a block, with fewer roundings.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn convert(block: &PoseBlock, locals: &mut Locals) {
    // SAFETY: eight floats, 32-byte aligned: the block is, to 64, and its vectors have 32 bytes each.
    let vector = |floats: &[f32; LANES]| unsafe { _mm256_load_ps(floats.as_ptr()) };
    let PoseBlock { translation, rotation, scale } = block;
    let (x, y, z, w) = (vector(&rotation[0]), vector(&rotation[1]), vector(&rotation[2]), vector(&rotation[3]));
    let (sx, sy, sz) = (vector(&scale[0]), vector(&scale[1]), vector(&scale[2]));
    let (tx, ty, tz) = (vector(&translation[0]), vector(&translation[1]), vector(&translation[2]));
    let (x2, y2, z2) = (_mm256_add_ps(x, x), _mm256_add_ps(y, y), _mm256_add_ps(z, z));
    let (xy, xz, yz) = (_mm256_mul_ps(x, y2), _mm256_mul_ps(x, z2), _mm256_mul_ps(y, z2));
    let one = _mm256_set1_ps(1.0);
    let (not_x, not_y) = (_mm256_fnmadd_ps(x, x2, one), _mm256_fnmadd_ps(y, y2, one));
    let m00 = _mm256_mul_ps(_mm256_fnmadd_ps(z, z2, not_y), sx);
    let m01 = _mm256_mul_ps(_mm256_fnmadd_ps(w, z2, xy), sy);
    let m02 = _mm256_mul_ps(_mm256_fmadd_ps(w, y2, xz), sz);
    let m10 = _mm256_mul_ps(_mm256_fmadd_ps(w, z2, xy), sx);
    let m11 = _mm256_mul_ps(_mm256_fnmadd_ps(z, z2, not_x), sy);
    let m12 = _mm256_mul_ps(_mm256_fnmadd_ps(w, x2, yz), sz);
    let m20 = _mm256_mul_ps(_mm256_fnmadd_ps(w, y2, xz), sx);
    let m21 = _mm256_mul_ps(_mm256_fmadd_ps(w, x2, yz), sy);
    let m22 = _mm256_mul_ps(_mm256_fnmadd_ps(y, y2, not_x), sz);
    put_row(0, m00, m01, m02, tx, locals);
    put_row(1, m10, m11, m12, ty, locals);
    put_row(2, m20, m21, m22, tz, locals);
}

/// Transposes four vectors of lanes to one row of eight matrices.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn put_row(row: usize, a: __m256, b: __m256, c: __m256, d: __m256, locals: &mut Locals) {
    let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    put_pair(0, row, _mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low), locals);
    put_pair(1, row, _mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low), locals);
    put_pair(2, row, _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high), locals);
    put_pair(3, row, _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high), locals);
}

/// Stores one row of the matrices in this lane and in that four after it.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn put_pair(lane: usize, row: usize, mut pair: __m256, locals: &mut Locals) {
    // The compiler, which knows where the pair comes from, would shuffle its halves one by one.
    // SAFETY: no instruction at all, so nothing but the operand, which stays as it is, is touched.
    unsafe { asm!("/* {0} */", inlateout(ymm_reg) pair, options(pure, nomem, nostack, preserves_flags)) };
    // SAFETY: a row is four floats, 16-byte aligned as `Locals` is and rows of 16 bytes in it.
    unsafe {
        _mm_store_ps(locals.0[lane][row].as_mut_ptr(), _mm256_castps256_ps128(pair));
        _mm_store_ps(locals.0[lane + 4][row].as_mut_ptr(), _mm256_extractf128_ps::<1>(pair));
    }
}

/// See [`palette`](super::palette).
pub(super) fn palette(models: &[Mat34], inverse_binds: &[Mat34], palette: &mut [Mat34]) {
    assert!(has!("avx2"), "the caller has looked for AVX2");
    // SAFETY: AVX2 is there, as just asserted.
    unsafe { palette_avx2(models, inverse_binds, palette) }
}

#[target_feature(enable = "avx2")]
fn palette_avx2(models: &[Mat34], inverse_binds: &[Mat34], palette: &mut [Mat34]) {
    for ((to, model), inverse_bind) in palette.iter_mut().zip(models).zip(inverse_binds) {
        store(to, multiply(model, &load(inverse_bind)));
    }
}
