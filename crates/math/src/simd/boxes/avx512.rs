//! The frustum test for x86-64 machines with AVX-512, sixteen boxes at a time.
#![allow(unsafe_code, reason = "loads and stores of vectors go through pointers")]

use crate::{BLOCK, BoxGroup, GROUP, TOLERANCE};
use core::arch::x86_64::{
    __m512, __m512i, _CMP_GE_OQ, _CMP_LE_OQ, _CMP_NLT_UQ, _mm256_castps_pd, _mm256_loadu_ps, _mm512_add_epi32,
    _mm512_add_ps, _mm512_castpd_ps, _mm512_castps_pd, _mm512_castps256_ps512, _mm512_cmp_ps_mask, _mm512_insertf64x4,
    _mm512_mask_cmp_ps_mask, _mm512_maskz_compress_epi32, _mm512_max_ps, _mm512_mul_ps, _mm512_set1_epi32,
    _mm512_set1_ps, _mm512_setr_epi32, _mm512_setzero_ps, _mm512_storeu_si512, _mm512_sub_ps,
};

/// How many boxes are tested at a time: two groups.
const LANES: usize = 2 * GROUP;

/// Where the columns of maxima begin. Between them and those of minima one is left out, so that a bit tells them apart.
const MAX: usize = 4;

/// Whether the machine has what the kernels here are compiled for.
#[inline]
pub(super) fn is_there() -> bool {
    std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("popcnt")
}

/// A plane, and for each axis which column has the corner that lies furthest in: a minimum (0 to 2) or a maximum (4 to 6).
struct Side {
    plane: [f32; 4],
    inner: [usize; 3],
}

impl Side {
    /// The planes of a frustum, and how many there are.
    fn all(planes: &[[f32; 4]]) -> ([Self; 6], usize) {
        let side = |index: usize| {
            let plane = planes.get(index).copied().unwrap_or_default();
            Self { plane, inner: core::array::from_fn(|axis| axis + if plane[axis] >= 0.0 { MAX } else { 0 }) }
        };
        (core::array::from_fn(side), planes.len())
    }
}

/// See [`inside_frustum`](super::inside_frustum).
#[inline]
pub(super) fn frustum<const INSIDE: bool>(groups: &[BoxGroup], planes: &[[f32; 4]]) -> (u64, u64) {
    assert!(is_there(), "the caller has looked for AVX-512");
    // SAFETY: the features are there, as just asserted.
    unsafe { frustum_groups::<INSIDE>(groups, planes) }
}

/// See [`list_in_frustum`](super::list_in_frustum).
#[inline]
pub(super) fn list_in_frustum(groups: &[BoxGroup], first: u32, planes: &[[f32; 4]], visible: &mut Vec<u32>) {
    assert!(is_there(), "the caller has looked for AVX-512");
    // SAFETY: the features are there, as just asserted.
    unsafe { list_groups(groups, first, planes, visible) };
}

/// The same column of two groups.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn load(low: &[f32; GROUP], high: &[f32; GROUP]) -> __m512 {
    // SAFETY: eight floats each; the loads have no alignment to keep.
    let (low, high) = unsafe { (_mm256_loadu_ps(low.as_ptr()), _mm256_loadu_ps(high.as_ptr())) };
    let low = _mm512_castps_pd(_mm512_castps256_ps512(low));
    _mm512_castpd_ps(_mm512_insertf64x4::<1>(low, _mm256_castps_pd(high)))
}

#[target_feature(enable = "avx512f,popcnt")]
fn frustum_groups<const INSIDE: bool>(groups: &[BoxGroup], planes: &[[f32; 4]]) -> (u64, u64) {
    let (sides, count) = Side::all(planes);
    let sides = &sides[..count];
    let (mut hits, mut inside, mut at) = (0, 0, 0);
    let (pairs, rest) = groups.as_chunks::<2>();
    let mut gather = |low: &BoxGroup, high: &BoxGroup| {
        let (touched, held) = frustum_pair::<INSIDE>(low, high, sides);
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
#[target_feature(enable = "avx512f,popcnt")]
fn list_groups(groups: &[BoxGroup], first: u32, planes: &[[f32; 4]], visible: &mut Vec<u32>) {
    let (sides, count) = Side::all(planes);
    let sides = &sides[..count];
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let mut indices = _mm512_add_epi32(lanes, _mm512_set1_epi32(first.cast_signed()));
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
            append(visible, indices, frustum_pair::<false>(low, high, sides).0);
            indices = _mm512_add_epi32(indices, step);
        }
        if let [last] = rest {
            append(visible, indices, frustum_pair::<false>(last, &BoxGroup::EMPTY, sides).0);
        }
    }
}

/// Appends the chosen ones of sixteen numbers.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn append(list: &mut Vec<u32>, numbers: __m512i, chosen: u16) {
    let spare = list.spare_capacity_mut();
    assert!(spare.len() >= LANES);
    // SAFETY: the store writes sixteen numbers into as many spare places, as just asserted; it has no alignment to keep.
    unsafe { _mm512_storeu_si512(spare.as_mut_ptr().cast(), _mm512_maskz_compress_epi32(chosen, numbers)) };
    let len = list.len() + chosen.count_ones() as usize;
    // SAFETY: at most sixteen more, all of them written.
    unsafe { list.set_len(len) };
}

/// All planes, one after the other. The columns are in the first-level cache, where a plane finds the corner that it asks
/// for without choosing between registers.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn frustum_pair<const INSIDE: bool>(low: &BoxGroup, high: &BoxGroup, sides: &[Side]) -> (u16, u16) {
    let columns: [__m512; 2 * MAX] = core::array::from_fn(|column| match (column / MAX, column % MAX) {
        (_, 3) => _mm512_setzero_ps(),
        (0, axis) => load(&low.min[axis], &high.min[axis]),
        (_, axis) => load(&low.max[axis], &high.max[axis]),
    });
    // The greatest absolute coordinate: of an empty box, which is out anyway, less than nothing.
    let reach = |axis: usize| _mm512_max_ps(columns[axis + MAX], _mm512_sub_ps(_mm512_set1_ps(-0.0), columns[axis]));
    let sum = _mm512_add_ps(_mm512_add_ps(reach(0), reach(1)), reach(2));
    let tolerance = _mm512_mul_ps(sum, _mm512_set1_ps(-TOLERANCE));
    let mut kept = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(columns[0], columns[MAX]);
    let mut within = kept;
    for Side { plane: [x, y, z, d], inner: [column_x, column_y, column_z] } in sides {
        let distance = |turn: usize| {
            let term = |n: f32, column: usize| _mm512_mul_ps(_mm512_set1_ps(n), columns[(column ^ turn) % (2 * MAX)]);
            let sum = _mm512_add_ps(term(*x, *column_x), term(*y, *column_y));
            _mm512_add_ps(_mm512_add_ps(sum, term(*z, *column_z)), _mm512_set1_ps(*d))
        };
        kept = _mm512_mask_cmp_ps_mask::<_CMP_NLT_UQ>(kept, distance(0), tolerance);
        if INSIDE {
            within = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(within, distance(MAX), _mm512_setzero_ps());
        }
    }
    (kept, within)
}
