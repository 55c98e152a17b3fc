//! The kernels for x86-64 machines with AVX2.
#![allow(unsafe_code, reason = "loads and stores of vectors go through pointers")]

use super::scalar;
use crate::{Mat34, PackedTransform};
use core::arch::x86_64::{
    __m128, __m256, _MM_HINT_T0, _mm_add_ps, _mm_blend_ps, _mm_castpd_ps, _mm_load_ps, _mm_mul_ps, _mm_prefetch,
    _mm_set_pd, _mm_set1_ps, _mm_setzero_ps, _mm_store_ps, _mm256_add_ps, _mm256_andnot_si256, _mm256_castps128_ps256,
    _mm256_castps256_ps128, _mm256_castsi256_ps, _mm256_extractf128_ps, _mm256_i32gather_epi32, _mm256_insertf128_ps,
    _mm256_loadu_ps, _mm256_loadu_si256, _mm256_min_epi32, _mm256_movemask_ps, _mm256_mul_ps, _mm256_permute2f128_ps,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_shuffle_ps, _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_storeu_ps,
    _mm256_sub_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};
use core::ops::Range;

/// How many slots are converted at a time.
const LANES: usize = 8;

/// See [`prefetch`](super::prefetch).
#[inline(always)]
pub(super) fn prefetch<T>(array: &[T], index: usize) {
    let address = array.as_ptr().wrapping_add(index).cast::<i8>();
    // SAFETY: a prefetch of any address, mapped or not, has no effect that a program can observe; SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
}

/// See [`prefetch_whole`](super::prefetch_whole).
#[inline(always)]
pub(super) fn prefetch_whole<T>(array: &[T], index: usize) {
    const LINE: usize = 64;
    let first = array.as_ptr().wrapping_add(index).cast::<i8>();
    let last = size_of::<T>().saturating_sub(1);
    for offset in (0..last).step_by(LINE).chain([last]) {
        // SAFETY: as in `prefetch`.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(offset)) };
    }
}

/// See [`propagate`](super::propagate). Falls back to the scalar kernel for the slots that fill no vector.
pub(super) fn propagate(locals: &[PackedTransform], parents: &[u32], worlds: &mut [Mat34], range: Range<usize>) {
    let whole = range.len() / LANES * LANES;
    let middle = range.start + whole;
    let (batches, []) = locals[range.start..middle].as_chunks::<LANES>() else {
        unreachable!("the middle is a whole number of batches");
    };
    assert!(std::arch::is_x86_feature_detected!("avx2"), "the caller has looked for AVX2");
    // SAFETY: AVX2 is there, as just asserted.
    unsafe { propagate_batches(batches, &parents[range.start..middle], worlds, range.start) };
    scalar::propagate(locals, parents, worlds, middle..range.end);
}

/// Converts eight locals at a time to matrices, then multiplies these one by one, in order.
#[target_feature(enable = "avx2")]
fn propagate_batches(batches: &[[PackedTransform; LANES]], parents: &[u32], worlds: &mut [Mat34], start: usize) {
    let mut slot = start;
    let (parents, []) = parents.as_chunks::<LANES>() else { unreachable!("as many parents as locals") };
    for (batch, parents) in batches.iter().zip(parents) {
        let locals = matrices_of(columns_of(batch));
        for (local, &parent) in locals.iter().zip(parents) {
            let world = multiply(&worlds[parent as usize], local);
            store(&mut worlds[slot], world);
            slot += 1;
        }
    }
}

/// See [`propagate_dirty`](super::propagate_dirty). Falls back to the scalar kernel for the slots that fill no vector.
pub(super) fn propagate_dirty(
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    dirty: &mut [u64],
    range: Range<usize>,
) {
    // Batches begin at multiples of eight, so that their bits are a byte of the set.
    let start = range.start.next_multiple_of(LANES).min(range.end);
    let middle = start + (range.end - start) / LANES * LANES;
    scalar::propagate_dirty(locals, parents, worlds, dirty, range.start..start);
    assert!(std::arch::is_x86_feature_detected!("avx2"), "the caller has looked for AVX2");
    // SAFETY: AVX2 is there, as just asserted.
    unsafe { propagate_dirty_batches(locals, parents, worlds, dirty, start..middle) };
    scalar::propagate_dirty(locals, parents, worlds, dirty, middle..range.end);
}

/// How many slots ahead dirty ones are asked for: so many that they are there when the sweep comes to them.
const AHEAD: usize = 256;
/// With fewer dirty slots than this among eight, these are converted one by one: the others are not even loaded.
const FEW: u32 = 3;

/// Passes over eight slots at a time of which neither they nor their parents are dirty; converts and multiplies the others.
#[target_feature(enable = "avx2")]
fn propagate_dirty_batches(
    locals: &[PackedTransform],
    parents: &[u32],
    worlds: &mut [Mat34],
    dirty: &mut [u64],
    range: Range<usize>,
) {
    let (batches, []) = locals[range.clone()].as_chunks::<LANES>() else { unreachable!("whole batches") };
    let (batch_parents, []) = parents[range.clone()].as_chunks::<LANES>() else { unreachable!("whole batches") };
    for ((start, batch), parents) in range.step_by(LANES).zip(batches).zip(batch_parents) {
        prefetch_dirty(locals, worlds, dirty, start + AHEAD);
        let mut reached = u32::from(byte_of(dirty, start)) | members(parents, dirty);
        if reached == 0 {
            continue;
        }
        for (lane, &parent) in parents.iter().enumerate().skip(1) {
            // A parent may be among the eight.
            let within = (parent as usize).wrapping_sub(start);
            let bit = if within < LANES { reached >> within & 1 } else { 0 };
            reached |= bit << lane;
        }
        dirty[start / 64] |= u64::from(reached) << (start % 64);
        let converted = if reached.count_ones() < FEW { None } else { Some(matrices_of(columns_of(batch))) };
        while reached != 0 {
            let lane = reached.trailing_zeros() as usize;
            let local = converted.as_ref().map_or_else(|| rows_of_one(&batch[lane]), |locals| locals[lane]);
            let world = multiply(&worlds[parents[lane] as usize], &local);
            store(&mut worlds[start + lane], world);
            reached &= reached - 1;
        }
    }
}

/// `PackedTransform::to_matrix`, as rows.
#[inline]
#[target_feature(enable = "avx2")]
fn rows_of_one(local: &PackedTransform) -> Rows {
    load(&local.to_matrix())
}

/// The bits of the eight slots from a multiple of eight on; none beyond the set.
#[inline(always)]
fn byte_of(set: &[u64], start: usize) -> u8 {
    set.get(start / 64).map_or(0, |word| word.to_le_bytes()[start / LANES % LANES])
}

/// Asks for what the dirty ones of eight slots take.
#[inline(always)]
fn prefetch_dirty(locals: &[PackedTransform], worlds: &[Mat34], dirty: &[u64], start: usize) {
    let mut byte = byte_of(dirty, start);
    while byte != 0 {
        let slot = start + byte.trailing_zeros() as usize;
        prefetch(locals, slot);
        prefetch(worlds, slot);
        byte &= byte - 1;
    }
}

/// Which of eight slots are in a bit set, as a bit for each.
#[inline]
#[target_feature(enable = "avx2")]
fn members(slots: &[u32; LANES], set: &[u64]) -> u32 {
    // Two halves for each word; sets are far smaller than 2^31 halves.
    let halves = _mm256_set1_epi32(i32::try_from(set.len() * 2).unwrap_or(i32::MAX) - 1);
    // SAFETY: eight numbers of four bytes; the load has no alignment to keep.
    let slots = unsafe { _mm256_loadu_si256(slots.as_ptr().cast()) };
    let indices = _mm256_srli_epi32::<5>(slots);
    let inside = _mm256_min_epi32(indices, halves);
    if set.is_empty() {
        return 0;
    }
    // SAFETY: indices are not negative, having lost their five upper bits, and are limited to the halves that the set has,
    // of which there are some. A word's lower half comes first on x86-64.
    let words = unsafe { _mm256_i32gather_epi32::<4>(set.as_ptr().cast(), inside) };
    // The bit that is asked for becomes the sign.
    let signs = _mm256_sllv_epi32(words, _mm256_andnot_si256(slots, _mm256_set1_epi32(31)));
    _mm256_movemask_ps(_mm256_castsi256_ps(signs)).cast_unsigned()
}

/// Three rows of a matrix.
pub type Rows = [__m128; 3];

/// `Mat34::mul`, a row at a time.
///
/// # Safety
/// The machine has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub fn multiply(a: &Mat34, b: &Rows) -> Rows {
    let [b0, b1, b2] = *b;
    let row = |a: &[f32; 4]| {
        // SAFETY: a row of a `Mat34` is four floats, and 16-byte aligned as the matrix is.
        let whole = unsafe { _mm_load_ps(a.as_ptr()) };
        let shift = _mm_blend_ps::<0b1000>(_mm_setzero_ps(), whole);
        let linear = _mm_add_ps(_mm_mul_ps(_mm_set1_ps(a[0]), b0), _mm_mul_ps(_mm_set1_ps(a[1]), b1));
        _mm_add_ps(_mm_add_ps(linear, _mm_mul_ps(_mm_set1_ps(a[2]), b2)), shift)
    };
    let [x, y, z] = &a.rows;
    [row(x), row(y), row(z)]
}

/// A matrix as rows.
///
/// # Safety
/// The machine has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load(matrix: &Mat34) -> Rows {
    // SAFETY: a row of a `Mat34` is four floats, and 16-byte aligned as the matrix is.
    matrix.rows.each_ref().map(|row| unsafe { _mm_load_ps(row.as_ptr()) })
}

/// Writes a matrix.
///
/// # Safety
/// The machine has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store(to: &mut Mat34, rows: Rows) {
    for (to, row) in to.rows.iter_mut().zip(rows) {
        // SAFETY: a row of a `Mat34` is four floats, and 16-byte aligned as the matrix is.
        unsafe { _mm_store_ps(to.as_mut_ptr(), row) };
    }
}

/// `PackedTransform::to_matrix` for eight transforms, told by their ten columns: lanes are transforms.
///
/// # Safety
/// The machine has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub fn matrices_of([tx, ty, tz, x, y, z, w, sx, sy, sz]: [__m256; 10]) -> [Rows; LANES] {
    let (add, sub, mul) = (
        |a: __m256, b: __m256| _mm256_add_ps(a, b),
        |a: __m256, b: __m256| _mm256_sub_ps(a, b),
        |a: __m256, b: __m256| _mm256_mul_ps(a, b),
    );
    let one = _mm256_set1_ps(1.0);
    let (x2, y2, z2) = (add(x, x), add(y, y), add(z, z));
    let (xx, xy, xz) = (mul(x, x2), mul(x, y2), mul(x, z2));
    let (yy, yz, zz) = (mul(y, y2), mul(y, z2), mul(z, z2));
    let (wx, wy, wz) = (mul(w, x2), mul(w, y2), mul(w, z2));
    let first = rows_of([mul(sub(one, add(yy, zz)), sx), mul(sub(xy, wz), sy), mul(add(xz, wy), sz), tx]);
    let second = rows_of([mul(add(xy, wz), sx), mul(sub(one, add(xx, zz)), sy), mul(sub(yz, wx), sz), ty]);
    let third = rows_of([mul(sub(xz, wy), sx), mul(add(yz, wx), sy), mul(sub(one, add(xx, yy)), sz), tz]);
    core::array::from_fn(|lane| [first[lane], second[lane], third[lane]])
}

/// The ten floats of eight transforms as ten vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn columns_of(batch: &[PackedTransform; LANES]) -> [__m256; 10] {
    // A transform is ten floats: eight are loaded at once, the two that remain (scale y and z) in a pair.
    const {
        assert!(size_of::<PackedTransform>() == 40 && core::mem::offset_of!(PackedTransform, scale) == 28);
    }
    let head = |lane: usize| {
        let floats = (&raw const batch[lane]).cast::<f32>();
        // SAFETY: the transform's first eight of ten floats; `PackedTransform` is `repr(C)` and all floats. The load has no
        // alignment to keep.
        unsafe { _mm256_loadu_ps(floats) }
    };
    let pair = |lane: usize| {
        let floats = (&raw const batch[lane]).cast::<f32>();
        // SAFETY: the transform's last two of ten floats, read as one number of the same eight bytes, unaligned.
        unsafe { floats.add(8).cast::<f64>().read_unaligned() }
    };
    let pairs = |lane: usize| _mm_castpd_ps(_mm_set_pd(pair(lane + 1), pair(lane)));
    let wide = |low: __m128, high: __m128| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high);

    // An 8×8 transpose: pairs, then fours, then halves.
    let rows: [__m256; LANES] = core::array::from_fn(head);
    let low = |a: usize, b: usize| _mm256_unpacklo_ps(rows[a], rows[b]);
    let high = |a: usize, b: usize| _mm256_unpackhi_ps(rows[a], rows[b]);
    let (l01, h01, l23, h23) = (low(0, 1), high(0, 1), low(2, 3), high(2, 3));
    let (l45, h45, l67, h67) = (low(4, 5), high(4, 5), low(6, 7), high(6, 7));
    let even = |a: __m256, b: __m256| _mm256_shuffle_ps::<0b01_00_01_00>(a, b);
    let odd = |a: __m256, b: __m256| _mm256_shuffle_ps::<0b11_10_11_10>(a, b);
    let (a0, a1, a2, a3) = (even(l01, l23), odd(l01, l23), even(h01, h23), odd(h01, h23));
    let (b0, b1, b2, b3) = (even(l45, l67), odd(l45, l67), even(h45, h67), odd(h45, h67));
    let front = |a: __m256, b: __m256| _mm256_permute2f128_ps::<0x20>(a, b);
    let back = |a: __m256, b: __m256| _mm256_permute2f128_ps::<0x31>(a, b);

    let outer = wide(pairs(0), pairs(4));
    let inner = wide(pairs(2), pairs(6));
    [
        front(a0, b0),
        front(a1, b1),
        front(a2, b2),
        front(a3, b3),
        back(a0, b0),
        back(a1, b1),
        back(a2, b2),
        back(a3, b3),
        _mm256_shuffle_ps::<0b10_00_10_00>(outer, inner),
        _mm256_shuffle_ps::<0b11_01_11_01>(outer, inner),
    ]
}

/// Four vectors of eight lanes as eight rows of four.
#[inline]
#[target_feature(enable = "avx2")]
fn rows_of(vectors: [__m256; 4]) -> [__m128; LANES] {
    let quads = quads(vectors);
    core::array::from_fn(|lane| {
        let quad = quads[lane % 4];
        if lane < 4 { _mm256_castps256_ps128(quad) } else { _mm256_extractf128_ps::<1>(quad) }
    })
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

/// Eight floats as a vector.
///
/// # Safety
/// The machine has AVX.
#[inline]
#[target_feature(enable = "avx")]
pub fn load_eight(floats: &[f32; LANES]) -> __m256 {
    // SAFETY: eight floats, which is what the load asks for at any alignment.
    unsafe { _mm256_loadu_ps(floats.as_ptr()) }
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
