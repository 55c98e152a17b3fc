//! Looking up bits with AVX2: all eight at once, where a loop takes half as long again.
//!
//! 100 slots of which none are dirty: 0.65 ns a slot with this, 0.96 ns with the loop.
#![allow(unsafe_code, reason = "a gather goes through a pointer")]

use super::portable::LANES;
use core::arch::x86_64::{
    _mm256_andnot_si256, _mm256_castsi256_ps, _mm256_i32gather_epi32, _mm256_min_epi32, _mm256_movemask_ps,
    _mm256_set1_epi32, _mm256_sllv_epi32, _mm256_srli_epi32,
};
use fearless_simd::{kernel, prelude::*, u32x8};

kernel! {
    /// Which of eight slots are in a bit set, as a bit for each.
    #[inline(always)]
    pub(super) fn members(avx2: Avx2, slots: &[u32; LANES], set: &[u64]) -> u32 {
        if set.is_empty() {
            return 0;
        }
        // Two halves for each word; sets are far smaller than 2^31 halves.
        let halves = _mm256_set1_epi32(i32::try_from(set.len() * 2).unwrap_or(i32::MAX) - 1);
        let slots = u32x8::load_array_ref(avx2, slots).into();
        let inside = _mm256_min_epi32(_mm256_srli_epi32::<5>(slots), halves);
        // SAFETY: indices are not negative, having lost their five upper bits, and are limited to the halves that the
        // set has, of which there are some. A word's lower half comes first on x86-64.
        let words = unsafe { _mm256_i32gather_epi32::<4>(set.as_ptr().cast(), inside) };
        // The requested bit becomes the sign.
        let signs = _mm256_sllv_epi32(words, _mm256_andnot_si256(slots, _mm256_set1_epi32(31)));
        _mm256_movemask_ps(_mm256_castsi256_ps(signs)).cast_unsigned()
    }
}
