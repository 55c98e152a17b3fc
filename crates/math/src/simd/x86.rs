//! The kernels for x86-64 machines with AVX2.
#![allow(unsafe_code, reason = "loads and stores of vectors go through pointers")]

use core::arch::x86_64::{
    __m128, __m256, _MM_HINT_T0, _mm_prefetch, _mm256_castps128_ps256, _mm256_insertf128_ps, _mm256_shuffle_ps,
    _mm256_storeu_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};
/// How many lanes a vector has.
const LANES: usize = 8;

/// See [`prefetch`](super::prefetch).
#[inline(always)]
pub fn prefetch<T>(array: &[T], index: usize) {
    let address = array.as_ptr().wrapping_add(index).cast::<i8>();
    // SAFETY: a prefetch of any address, mapped or not, has no effect that a program can observe; SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
}

/// See [`prefetch_whole`](super::prefetch_whole).
#[inline(always)]
pub fn prefetch_whole<T>(array: &[T], index: usize) {
    const LINE: usize = 64;
    let first = array.as_ptr().wrapping_add(index).cast::<i8>();
    let last = size_of::<T>().saturating_sub(1);
    for offset in (0..last).step_by(LINE).chain([last]) {
        // SAFETY: as in `prefetch`.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(offset)) };
    }
}

/// Eight rows of four as four vectors of eight lanes.
///
/// # Safety
/// The machine has AVX.
#[inline]
#[target_feature(enable = "avx")]
pub fn columns(rows: [__m128; LANES]) -> [__m256; 4] {
    quads(core::array::from_fn(|lane| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(rows[lane]), rows[lane + 4])))
}

/// Transposes each half of four vectors: the k-th answer has what was the k-th of each, and of each from the fifth on.
#[inline]
#[target_feature(enable = "avx")]
fn quads([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    [
        _mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low),
        _mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low),
        _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
        _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
    ]
}

/// A vector as eight floats.
///
/// # Safety
/// The machine has AVX.
#[inline]
#[target_feature(enable = "avx")]
pub fn store_eight(to: &mut [f32; LANES], vector: __m256) {
    // SAFETY: eight floats, which is what the store asks for at any alignment.
    unsafe { _mm256_storeu_ps(to.as_mut_ptr(), vector) };
}
