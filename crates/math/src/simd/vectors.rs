//! Transposes, and matrices row by row.
//!
//! All functions are `#[inline(always)]`, because otherwise they would be compiled without the kernel's instruction set
//! and be ten times slower.
//!
//! Vectors of eight floats are transposed half by half, since most machines have vectors of four.

use crate::Mat34;
use fearless_simd::{f32x4, f32x8, prelude::*, u32x4};

/// The three rows of a matrix.
pub type Rows<S> = [f32x4<S>; 3];

/// Loads a matrix as rows.
#[inline(always)]
pub fn load<S: Simd>(simd: S, matrix: &Mat34) -> Rows<S> {
    let [x, y, z] = &matrix.rows;
    [f32x4::load_array_ref(simd, x), f32x4::load_array_ref(simd, y), f32x4::load_array_ref(simd, z)]
}

/// Stores rows as a matrix.
#[inline(always)]
pub fn store<S: Simd>([x, y, z]: Rows<S>, to: &mut Mat34) {
    x.store_array(&mut to.rows[0]);
    y.store_array(&mut to.rows[1]);
    z.store_array(&mut to.rows[2]);
}

/// Multiplies like `Mat34::mul`, a row at a time, with the same bits.
#[inline(always)]
pub fn multiply<S: Simd>(simd: S, a: &Mat34, b: &Rows<S>) -> Rows<S> {
    let [x, y, z] = &a.rows;
    [multiply_row(simd, x, b), multiply_row(simd, y, b), multiply_row(simd, z, b)]
}

#[inline(always)]
fn multiply_row<S: Simd>(simd: S, a: &[f32; 4], [b0, b1, b2]: &Rows<S>) -> f32x4<S> {
    let fourth = u32x4::load_array(simd, [0, 0, 0, u32::MAX]);
    let shift = f32x4::from_bits(f32x4::load_array_ref(simd, a).to_bits() & fourth);
    let [x, y, z] = [f32x4::splat(simd, a[0]), f32x4::splat(simd, a[1]), f32x4::splat(simd, a[2])];
    ((x * *b0 + y * *b1) + z * *b2) + shift
}

/// Returns the greater number in each lane, or the second number if either is NaN or both are zero.
///
/// x86 has an instruction for this. On other machines the native maximum differs, so lanes are compared.
#[inline(always)]
pub fn max<S: Simd, V: SimdFloat<S>>(simd: S, a: V, b: V) -> V {
    if cfg!(target_arch = "x86_64") && !simd.level().is_fallback() { a.max(b) } else { a.simd_gt(b).select(a, b) }
}

/// Returns the lesser number in each lane, with the same exceptions as [`max`].
#[inline(always)]
pub fn min<S: Simd, V: SimdFloat<S>>(simd: S, a: V, b: V) -> V {
    if cfg!(target_arch = "x86_64") && !simd.level().is_fallback() { a.min(b) } else { a.simd_lt(b).select(a, b) }
}

/// Returns the columns of four rows.
#[inline(always)]
pub fn transpose<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac_low, ac_high) = (a.zip_low(c), a.zip_high(c));
    let (bd_low, bd_high) = (b.zip_low(d), b.zip_high(d));
    [ac_low.zip_low(bd_low), ac_low.zip_high(bd_low), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)]
}

/// Transposes eight rows of four floats to four vectors of eight lanes.
#[inline(always)]
pub fn columns<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: [f32x4<S>; 8]) -> [f32x8<S>; 4] {
    transpose_halves(simd, [a.combine(e), b.combine(f), c.combine(g), d.combine(h)])
}

/// Transposes four vectors of eight lanes to eight rows of four floats.
#[inline(always)]
pub fn rows<S: Simd>(simd: S, vectors: [f32x8<S>; 4]) -> [f32x4<S>; 8] {
    let [a, b, c, d] = transpose_halves(simd, vectors);
    let [a, b, c, d] = [opaque(simd, a), opaque(simd, b), opaque(simd, c), opaque(simd, d)];
    let ((a, e), (b, f), (c, g), (d, h)) = (a.split(), b.split(), c.split(), d.split());
    [a, b, c, d, e, f, g, h]
}

/// Hides the origin of a vector from the compiler. Otherwise the compiler would shuffle each half separately, and model
/// matrices would take 4 to 25 % longer.
#[inline(always)]
fn opaque<S: Simd>(simd: S, vector: f32x8<S>) -> f32x8<S> {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = simd.level().as_avx2() {
        return x86::opaque(avx2, vector.into()).simd_into(simd);
    }
    let _ = simd;
    vector
}

/// Transposes each half of four vectors: result k has element k of each lower half, then element k of each upper half.
#[inline(always)]
pub fn transpose_halves<S: Simd>(simd: S, [a, b, c, d]: [f32x8<S>; 4]) -> [f32x8<S>; 4] {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = simd.level().as_avx2() {
        let [a, b, c, d] = x86::transpose_halves(avx2, a.into(), b.into(), c.into(), d.into());
        return [a.simd_into(simd), b.simd_into(simd), c.simd_into(simd), d.simd_into(simd)];
    }
    let _ = simd;
    let ((a0, a1), (b0, b1), (c0, c1), (d0, d1)) = (a.split(), b.split(), c.split(), d.split());
    let ([a, b, c, d], [e, f, g, h]) = (transpose([a0, b0, c0, d0]), transpose([a1, b1, c1, d1]));
    [a.combine(e), b.combine(f), c.combine(g), d.combine(h)]
}

/// Shuffles within the halves of a vector. The portable shuffles cross the halves and take twice as many instructions.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "assembly without an instruction")]
mod x86 {
    use core::arch::asm;
    use core::arch::x86_64::{__m256, _mm256_shuffle_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps};
    use fearless_simd::kernel;

    kernel! {
        #[inline(always)]
        pub fn transpose_halves(avx2: Avx2, a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
            let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
            [
                _mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low),
                _mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low),
                _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
                _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
            ]
        }
    }

    kernel! {
        #[inline(always)]
        pub fn opaque(avx2: Avx2, vector: __m256) -> __m256 {
            let mut vector = vector;
            // SAFETY: the assembly is empty; it reads and writes only the operand, and leaves it unchanged.
            unsafe { asm!("/* {0} */", inlateout(ymm_reg) vector, options(pure, nomem, nostack, preserves_flags)) };
            vector
        }
    }
}
