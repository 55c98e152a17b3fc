//! The frustum test for x86-64 machines with AVX-512, sixteen boxes at a time.
#![allow(unsafe_code, reason = "loads and stores of vectors go through pointers")]

use crate::math::{BLOCK, BoxGroup, GROUP, TOLERANCE};
use core::arch::x86_64::{
    __m512, __m512i, _CMP_GE_OQ, _CMP_LE_OQ, _CMP_NLT_UQ, _mm256_castps_pd, _mm256_loadu_ps, _mm512_add_epi32,
    _mm512_add_ps, _mm512_castpd_ps, _mm512_castps_pd, _mm512_castps256_ps512, _mm512_cmp_ps_mask, _mm512_insertf64x4,
    _mm512_mask_cmp_ps_mask, _mm512_maskz_compress_epi32, _mm512_max_ps, _mm512_mul_ps, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setr_epi32, _mm512_setzero_ps, _mm512_storeu_si512, _mm512_sub_ps,
};

/// How many boxes are tested at a time: two groups.
const LANES: usize = 2 * GROUP;

/// See [`inside_frustum`](super::inside_frustum).
#[inline]
pub(super) fn frustum<const INSIDE: bool>(groups: &[BoxGroup], planes: &[[f32; 4]]) -> (u64, u64) {
    assert!(std::arch::is_x86_feature_detected!("avx512f"), "the caller has looked for AVX-512");
    // SAFETY: AVX-512F is there, as just asserted.
    unsafe { frustum_groups::<INSIDE>(groups, planes) }
}

/// See [`list_in_frustum`](super::list_in_frustum).
#[inline]
pub(super) fn list_in_frustum(groups: &[BoxGroup], planes: &[[f32; 4]], visible: &mut Vec<u32>) {
    assert!(std::arch::is_x86_feature_detected!("avx512f"), "the caller has looked for AVX-512");
    // SAFETY: AVX-512F is there, as just asserted.
    unsafe { list_groups(groups, planes, visible) };
}

/// The same column of two groups.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(low: &[f32; GROUP], high: &[f32; GROUP]) -> __m512 {
    // SAFETY: eight floats each; the loads have no alignment to keep.
    let (low, high) = unsafe { (_mm256_loadu_ps(low.as_ptr()), _mm256_loadu_ps(high.as_ptr())) };
    let low = _mm512_castps_pd(_mm512_castps256_ps512(low));
    _mm512_castpd_ps(_mm512_insertf64x4::<1>(low, _mm256_castps_pd(high)))
}

#[target_feature(enable = "avx512f")]
fn frustum_groups<const INSIDE: bool>(groups: &[BoxGroup], planes: &[[f32; 4]]) -> (u64, u64) {
    let (mut hits, mut inside, mut at) = (0, 0, 0);
    let (pairs, rest) = groups.as_chunks::<2>();
    let mut gather = |low: &BoxGroup, high: &BoxGroup| {
        let (touched, held) = frustum_pair::<INSIDE>(low, high, planes);
        hits |= u64::from(touched) << at;
        inside |= u64::from(held) << at;
        at += LANES;
    };
    pairs.iter().for_each(|[low, high]| gather(low, high));
    if let [last] = rest {
        gather(last, &BoxGroup::EMPTY);
    }
    (hits, if INSIDE { hits & inside } else { 0 })
}

/// Writes the numbers of what is hit behind each other, sixteen at a time, of which the next sixteen overwrite those
/// that are none.
#[target_feature(enable = "avx512f")]
fn list_groups(groups: &[BoxGroup], planes: &[[f32; 4]], visible: &mut Vec<u32>) {
    let mut indices = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let step = _mm512_set1_epi32(
        const {
            assert!(LANES == 16);
            16
        },
    );
    for block in groups.chunks(BLOCK / GROUP) {
        visible.reserve(BLOCK);
        let (pairs, rest) = block.as_chunks::<2>();
        for [low, high] in pairs {
            append(visible, indices, frustum_pair::<false>(low, high, planes).0);
            indices = _mm512_add_epi32(indices, step);
        }
        if let [last] = rest {
            append(visible, indices, frustum_pair::<false>(last, &BoxGroup::EMPTY, planes).0);
        }
    }
}

/// Appends the chosen ones of sixteen numbers.
#[inline]
#[target_feature(enable = "avx512f")]
fn append(list: &mut Vec<u32>, numbers: __m512i, chosen: u16) {
    let spare = list.spare_capacity_mut();
    assert!(spare.len() >= LANES);
    // SAFETY: the store writes sixteen numbers into as many spare places, as just asserted; it has no alignment to keep.
    unsafe { _mm512_storeu_si512(spare.as_mut_ptr().cast(), _mm512_maskz_compress_epi32(chosen, numbers)) };
    let len = list.len() + chosen.count_ones() as usize;
    // SAFETY: at most sixteen more, all of them written.
    unsafe { list.set_len(len) };
}

/// All planes, one after the other; columns that do not fit in registers come from the first-level cache.
#[inline]
#[target_feature(enable = "avx512f")]
fn frustum_pair<const INSIDE: bool>(low: &BoxGroup, high: &BoxGroup, planes: &[[f32; 4]]) -> (u16, u16) {
    let zero = _mm512_setzero_ps();
    let corners: [[__m512; 3]; 2] = [
        core::array::from_fn(|axis| load(&low.min[axis], &high.min[axis])),
        core::array::from_fn(|axis| load(&low.max[axis], &high.max[axis])),
    ];
    let [min, max] = &corners;
    // The greatest absolute coordinate: of an empty box, which is out anyway, less than nothing.
    let negated = |a: __m512| _mm512_sub_ps(_mm512_set1_ps(-0.0), a);
    let reach = |axis: usize| _mm512_max_ps(max[axis], negated(min[axis]));
    let sum = _mm512_add_ps(_mm512_add_ps(reach(0), reach(1)), reach(2));
    let tolerance = _mm512_mul_ps(sum, _mm512_set1_ps(-TOLERANCE));
    let mut kept = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(min[0], max[0]);
    let mut within = kept;
    for &[x, y, z, d] in planes {
        let distance = |inner: bool| {
            let term =
                |axis: usize, n: f32| _mm512_mul_ps(_mm512_set1_ps(n), corners[usize::from((n >= 0.0) == inner)][axis]);
            _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(term(0, x), term(1, y)), term(2, z)), _mm512_set1_ps(d))
        };
        kept = _mm512_mask_cmp_ps_mask::<_CMP_NLT_UQ>(kept, distance(true), tolerance);
        if INSIDE {
            within = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(within, distance(false), zero);
        }
    }
    (kept, within)
}
