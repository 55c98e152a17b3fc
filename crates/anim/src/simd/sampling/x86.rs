//! The kernels for x86-64 machines with AVX2, eight lanes at a time.
#![allow(unsafe_code, reason = "loads and stores of vectors go through pointers")]

use super::lanes::{Active, LANES, NUMBERS, Pair, Word};
use super::record::{PLACES, Record};
use super::scalar::{self, block};
use super::{PLAIN, Ranges, Target};
use crate::transform_lanes::PoseBlock;
use core::arch::x86_64::{
    __m128i, __m256, __m256i, _CMP_LE_OQ, _mm_add_epi8, _mm_loadl_epi64, _mm_loadu_si128, _mm_set1_epi16,
    _mm_shuffle_epi8, _mm_unpacklo_epi8, _mm256_add_ps, _mm256_and_ps, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_blendv_ps, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cmpeq_epi16, _mm256_cmpeq_epi32,
    _mm256_cvtepi16_epi32, _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32, _mm256_cvtepu16_epi32, _mm256_div_ps,
    _mm256_inserti128_si256, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps,
    _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_setr_epi16, _mm256_setr_epi32, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_sqrt_ps, _mm256_storeu_si256,
    _mm256_sub_ps, _mm256_xor_ps, _mm256_xor_si256, _mm256_zextsi128_si256,
};
use core::ops::Range;
use hedgerow_math::internal::x86::{load_eight as load, store_eight};

/// Asserts that the machine has AVX2, which the caller has found out already.
macro_rules! door {
    ($kernel:expr) => {{
        assert!(std::arch::is_x86_feature_detected!("avx2"), "the caller has looked for AVX2");
        // SAFETY: AVX2 is there, as just asserted.
        unsafe { $kernel }
    }};
}

pub(super) fn turn<W: Word, const FORWARD: bool>(
    bytes: &[u8],
    range: Range<usize>,
    active: &mut [Active<W>],
    singles: usize,
) -> bool {
    door!(turn_group::<W, FORWARD>(bytes, range, active, singles))
}

pub(super) fn restore<W: Word>(frame: &[u8], active: &mut [Active<W>]) {
    const { assert!(size_of::<Active<W>>() == Active::<W>::BYTES) };
    let count = (frame.len() / size_of::<Active<W>>()).min(active.len());
    // SAFETY: `count` blocks lie within both, which cannot overlap, one being borrowed mutably. Blocks are words without
    // padding, as just asserted, for which any bits are valid, since they are plain, in the order and with the bytes of a frame:
    // the machine is little-endian.
    unsafe {
        core::ptr::copy_nonoverlapping(
            frame.as_ptr(),
            active.as_mut_ptr().cast::<u8>(),
            count * size_of::<Active<W>>(),
        );
    }
}

pub(super) fn rotations<W: Word>(active: &[Active<W>], targets: &[Target], time: f32, pose: &mut [PoseBlock]) {
    door!(rotation_blocks(active, targets, time, pose));
}

pub(super) fn vectors<W: Word, const SCALE: bool>(
    active: &[Active<W>],
    targets: &[Target],
    ranges: &[Ranges],
    time: f32,
    pose: &mut [PoseBlock],
) {
    door!(vector_blocks::<W, SCALE>(active, targets, ranges, time, pose));
}

/// Eight words of 16 bits that lie at this place, or the first half of eight of 32.
#[inline]
#[target_feature(enable = "avx2")]
fn half(bytes: &[u8], at: usize) -> __m128i {
    let bytes: &[u8; 16] = bytes[at..].first_chunk().expect("the caller has looked for padding");
    // SAFETY: sixteen bytes; the load has no alignment to keep.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn whole(bytes: &[u8], at: usize) -> __m256i {
    let bytes: &[u8; 32] = bytes[at..].first_chunk().expect("the caller has looked for padding");
    // SAFETY: 32 bytes; the load has no alignment to keep.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// A place for each lane: where in the list of the set's members it is found.
#[inline]
#[target_feature(enable = "avx2")]
fn places(lanes: u8) -> __m128i {
    // SAFETY: eight bytes; the load has no alignment to keep.
    unsafe { _mm_loadl_epi64(PLACES[usize::from(lanes)].as_ptr().cast()) }
}

/// Which lanes a record has keys of: what puts its words into lanes, and which lanes these are.
struct Spread {
    places: __m128i,
    lanes: u8,
}

impl Spread {
    /// Fetches one number into a pair of vectors, or takes it back: `words` are those of the lanes, in ascending order.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn exchange_16<const FORWARD: bool>(&self, pair: &mut Pair<u16>, words: __m128i) {
        let at = pair.as_mut_ptr().cast::<__m256i>();
        // SAFETY: a pair of eight words of 16 bits each has 32 bytes; the load has no alignment to keep.
        let old = unsafe { _mm256_loadu_si256(at) };
        let exchanged = _mm256_permute4x64_epi64::<0b01_00_11_10>(old);
        let change = |words: __m128i| {
            if FORWARD {
                _mm256_inserti128_si256::<1>(_mm256_setzero_si256(), words)
            } else {
                _mm256_zextsi128_si256(words)
            }
        };
        let new = if self.lanes == u8::MAX {
            _mm256_xor_si256(exchanged, change(words))
        } else {
            // Byte 2 p and the one behind it, for each place p.
            let twice = _mm_unpacklo_epi8(self.places, self.places);
            let bytes = _mm_add_epi8(_mm_add_epi8(twice, twice), _mm_set1_epi16(0x0100));
            let new = _mm256_xor_si256(exchanged, change(_mm_shuffle_epi8(words, bytes)));
            let bits = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128);
            let lanes = _mm256_and_si256(_mm256_set1_epi16(i16::from(self.lanes)), bits);
            _mm256_blendv_epi8(old, new, _mm256_cmpeq_epi16(lanes, bits))
        };
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(at, new) };
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn exchange_32<const FORWARD: bool>(&self, pair: &mut Pair<u32>, words: __m256i) {
        let [from_at, to_at] = pair.each_mut().map(|vector| vector.as_mut_ptr().cast::<__m256i>());
        // SAFETY: eight words of 32 bits have 32 bytes; the loads have no alignment to keep.
        let (from, to) = unsafe { (_mm256_loadu_si256(from_at), _mm256_loadu_si256(to_at)) };
        let words = _mm256_permutevar8x32_epi32(words, _mm256_cvtepu8_epi32(self.places));
        let (new_from, new_to) =
            if FORWARD { (to, _mm256_xor_si256(from, words)) } else { (_mm256_xor_si256(to, words), from) };
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let lanes = _mm256_and_si256(_mm256_set1_epi32(i32::from(self.lanes)), bits);
        let mask = _mm256_cmpeq_epi32(lanes, bits);
        // SAFETY: as above.
        unsafe {
            _mm256_storeu_si256(from_at, _mm256_blendv_epi8(from, new_from, mask));
            _mm256_storeu_si256(to_at, _mm256_blendv_epi8(to, new_to, mask));
        }
    }
}

#[target_feature(enable = "avx2")]
fn turn_group<W: Word, const FORWARD: bool>(
    bytes: &[u8],
    range: Range<usize>,
    active: &mut [Active<W>],
    singles: usize,
) -> bool {
    let Range { start: mut at, end } = range;
    if bytes.len() < end {
        return false;
    }
    while at < end {
        let Some(head) = Record::<W>::read(&bytes[at..end]) else { return false };
        let index = usize::from(head.block);
        let numbers = Record::<W>::numbers(index >= singles);
        let Some(block) = active.get_mut(index) else { return false };
        let stride = head.keys() * W::BYTES;
        let first = at + Record::<W>::HEAD;
        let next = first + numbers * stride;
        if next > end {
            return false;
        }
        if first + (numbers - 1) * stride + LANES * W::BYTES > bytes.len() {
            // So near to the end of the bytes, vectors cannot be loaded whole.
            return scalar::turn::<W, FORWARD>(bytes, at..end, active, singles);
        }
        let spread = Spread { places: places(head.lanes), lanes: head.lanes };
        if W::BYTES == 2 {
            let block = narrow(block);
            let time = u16::read(&bytes[at + 3..]);
            spread.exchange_16::<FORWARD>(&mut block.pairs[0], _mm_set1_epi16(time.cast_signed()));
            for number in 0..numbers {
                spread.exchange_16::<FORWARD>(&mut block.pairs[1 + number], half(bytes, first + number * stride));
            }
        } else {
            let block = wide(block);
            let time = u32::read(&bytes[at + 3..]);
            spread.exchange_32::<FORWARD>(&mut block.pairs[0], _mm256_set1_epi32(time.cast_signed()));
            for number in 0..numbers {
                spread.exchange_32::<FORWARD>(&mut block.pairs[1 + number], whole(bytes, first + number * stride));
            }
        }
        at = next;
    }
    true
}

/// A block of words that are known to have 16 bits.
#[inline]
fn narrow<W: Word>(active: &mut Active<W>) -> &mut Active<u16> {
    assert!(size_of::<W>() == size_of::<u16>());
    // SAFETY: both have the same layout, as words of the same size, and any bits are valid in both.
    unsafe { &mut *core::ptr::from_mut(active).cast() }
}

/// A block of words that are known to have 32 bits.
#[inline]
fn wide<W: Word>(active: &mut Active<W>) -> &mut Active<u32> {
    assert!(size_of::<W>() == size_of::<u32>());
    // SAFETY: as above.
    unsafe { &mut *core::ptr::from_mut(active).cast() }
}

/// [`Word::number`] of eight words, or [`Word::time`].
#[inline]
#[target_feature(enable = "avx2")]
fn floats<W: Word, const TIME: bool>(words: &[W; LANES]) -> __m256 {
    const { assert!(size_of::<W>() == W::BYTES && (W::BYTES == 2 || W::BYTES == 4)) };
    if W::BYTES == 2 {
        // SAFETY: eight words of 16 bits; the load has no alignment to keep.
        let words = unsafe { _mm_loadu_si128(words.as_ptr().cast()) };
        _mm256_cvtepi32_ps(if TIME { _mm256_cvtepu16_epi32(words) } else { _mm256_cvtepi16_epi32(words) })
    } else {
        // SAFETY: eight words of 32 bits; the load has no alignment to keep.
        unsafe { _mm256_loadu_ps(words.as_ptr().cast()) }
    }
}

/// Stores the lanes of the mask, which may be known to be all.
#[inline]
#[target_feature(enable = "avx2")]
fn store(numbers: &mut [f32; LANES], from: __m256, mask: __m256, all: bool) {
    store_eight(numbers, if all { from } else { _mm256_blendv_ps(load(numbers), from, mask) });
}

/// All bits of the lanes that are in the set.
#[inline]
#[target_feature(enable = "avx2")]
fn mask(lanes: u8) -> __m256 {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let lanes = _mm256_and_si256(_mm256_set1_epi32(i32::from(lanes)), bits);
    _mm256_castsi256_ps(_mm256_cmpeq_epi32(lanes, bits))
}

/// [`scalar::share`] of eight lanes, some of them step tracks.
#[inline]
#[target_feature(enable = "avx2")]
fn shares<W: Word>(active: &Active<W>, time: __m256, step: u8) -> __m256 {
    let [from, to] = &active.pairs[0];
    let (from, to) = (floats::<W, true>(from), floats::<W, true>(to));
    let one = _mm256_set1_ps(1.0);
    let share = _mm256_div_ps(_mm256_sub_ps(time, from), _mm256_sub_ps(to, from));
    let share = _mm256_min_ps(_mm256_max_ps(share, _mm256_setzero_ps()), one);
    if step == 0 {
        return share;
    }
    _mm256_blendv_ps(share, _mm256_and_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(to, time), one), mask(step))
}

/// The sum of `a[i] * b[i]`, from the first on.
#[inline]
#[target_feature(enable = "avx2")]
fn dot<const N: usize>(a: [__m256; N], b: [__m256; N]) -> __m256 {
    let mut sum = _mm256_mul_ps(a[0], b[0]);
    for index in 1..N {
        sum = _mm256_add_ps(sum, _mm256_mul_ps(a[index], b[index]));
    }
    sum
}

/// [`scalar::rotation`] of eight lanes' keys, the earlier or the later ones.
#[inline]
#[target_feature(enable = "avx2")]
fn quaternions<W: Word, const KEY: usize>(active: &Active<W>) -> [__m256; 4] {
    let number = |index: usize| {
        let number = floats::<W, false>(&active.pairs[1 + index][KEY]);
        if W::BYTES == 2 { _mm256_mul_ps(number, _mm256_set1_ps(W::PARAMETER)) } else { number }
    };
    let p = [number(0), number(1), number(2)];
    let one = _mm256_set1_ps(1.0);
    let twice = _mm256_div_ps(_mm256_set1_ps(2.0), _mm256_add_ps(one, dot(p, p)));
    let [x, y, z] = p;
    [_mm256_mul_ps(x, twice), _mm256_mul_ps(y, twice), _mm256_mul_ps(z, twice), _mm256_sub_ps(twice, one)]
}

#[target_feature(enable = "avx2")]
fn rotation_blocks<W: Word>(active: &[Active<W>], targets: &[Target], time: f32, pose: &mut [PoseBlock]) {
    let time = _mm256_set1_ps(time);
    let one = _mm256_set1_ps(1.0);
    for (active, &target) in active.iter().zip(targets) {
        let Some(pose) = pose.get_mut(block(target)) else { continue };
        let [.., live, step] = target;
        let share = shares(active, time, step);
        let (from, to) = (quaternions::<W, 0>(active), quaternions::<W, 1>(active));
        let sign = _mm256_and_ps(dot(from, to), _mm256_set1_ps(-0.0));
        let (rest, toward) = (_mm256_sub_ps(one, share), _mm256_xor_ps(share, sign));
        let mut sum = from;
        for (sum, to) in sum.iter_mut().zip(to) {
            *sum = _mm256_add_ps(_mm256_mul_ps(rest, *sum), _mm256_mul_ps(toward, to));
        }
        let inverse = _mm256_div_ps(one, _mm256_sqrt_ps(dot(sum, sum)));
        let mask = mask(live);
        for (numbers, sum) in pose.rotation.iter_mut().zip(sum) {
            store(numbers, _mm256_mul_ps(sum, inverse), mask, live == u8::MAX);
        }
    }
}

#[target_feature(enable = "avx2")]
fn vector_blocks<W: Word, const SCALE: bool>(
    active: &[Active<W>],
    targets: &[Target],
    ranges: &[Ranges],
    time: f32,
    pose: &mut [PoseBlock],
) {
    let time = _mm256_set1_ps(time);
    for (index, (active, &target)) in active.iter().zip(targets).enumerate() {
        let Some(pose) = pose.get_mut(block(target)) else { continue };
        let (ranges, _) = ranges.get(index).unwrap_or(&PLAIN).as_chunks::<{ 4 * LANES }>();
        let [.., live, step] = target;
        let share = shares(active, time, step);
        let rest = _mm256_sub_ps(_mm256_set1_ps(1.0), share);
        let mask = mask(live);
        let vectors = if SCALE { &mut pose.scale } else { &mut pose.translation };
        for (index, vector) in vectors.iter_mut().enumerate() {
            let [from, to] = &active.pairs[1 + index];
            let (from, to) = (floats::<W, false>(from), floats::<W, false>(to));
            let sum = _mm256_add_ps(_mm256_mul_ps(rest, from), _mm256_mul_ps(share, to));
            let (middle, step) = (range(&ranges[index]), range(&ranges[NUMBERS + index]));
            store(vector, _mm256_add_ps(middle, _mm256_mul_ps(step, sum)), mask, live == u8::MAX);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn range(bytes: &[u8; 4 * LANES]) -> __m256 {
    // SAFETY: the bytes of eight floats; the load has no alignment to keep.
    unsafe { _mm256_loadu_ps(bytes.as_ptr().cast()) }
}
