//! Looks up eight bits at once with AVX2.
#![allow(unsafe_code, reason = "a gather goes through a pointer")]

use super::portable::LANES;
use core::arch::x86_64::{
    _mm256_andnot_si256, _mm256_castsi256_ps, _mm256_i32gather_epi32, _mm256_min_epi32, _mm256_movemask_ps,
    _mm256_set1_epi32, _mm256_sllv_epi32, _mm256_srli_epi32,
};
use fearless_simd::{kernel, prelude::*, u32x8};

kernel! {
    /// Returns the bits of eight slots.
    #[inline(always)]
    pub(super) fn members(avx2: Avx2, slots: &[u32; LANES], set: &[u64]) -> u32 {
        if set.is_empty() {
            return 0;
        }
        // A word has two 32-bit halves. Sets have far fewer than 2³¹ halves.
        let halves = _mm256_set1_epi32(i32::try_from(set.len() * 2).unwrap_or(i32::MAX) - 1);
        let slots = u32x8::load_array_ref(avx2, slots).into();
        let inside = _mm256_min_epi32(_mm256_srli_epi32::<5>(slots), halves);
        // SAFETY: the shift makes indices non-negative, the minimum keeps indices within the set's halves, and the set
        // is not empty. On x86-64, the lower half of a word comes first.
        let words = unsafe { _mm256_i32gather_epi32::<4>(set.as_ptr().cast(), inside) };
        // The requested bit becomes the sign.
        let signs = _mm256_sllv_epi32(words, _mm256_andnot_si256(slots, _mm256_set1_epi32(31)));
        _mm256_movemask_ps(_mm256_castsi256_ps(signs)).cast_unsigned()
    }
}
