//! Eight tracks in lanes, each with its two current keys.

use bytemuck::Pod;
use core::fmt::Debug;
use core::ops::BitXor;
use fearless_simd::{f32x8, i16x8, i32x8, mask32x8, prelude::*, u8x16, u8x32, u16x8, u32x8};
use hedgerow_math::internal::level::has_avx2;

/// The number of tracks in a block.
pub(crate) const LANES: usize = 8;

/// How many numbers a key has at most.
pub(crate) const NUMBERS: usize = 3;

/// The stored form of a key's times and numbers: words of 16 or 32 bits.
///
/// | | time | number |
/// |---|---|---|
/// | `u16` | a count of ticks | a signed count of steps from the middle of a range |
/// | `u32` | the bits of an `f32`, in seconds | the bits of an `f32` |
pub(crate) trait Word: Pod + SimdIntElement + Eq + Ord + Send + Sync + 'static {
    /// The size of a word, in bytes.
    const BYTES: usize;

    /// The factor that turns a rotation key's number into a parameter of [`rotation`](super::rotation): 16-bit words
    /// store 1 as 32,767, and 32-bit words store 1 as 1.
    const PARAMETER: f32;

    /// Reads the first little-endian word, or returns zero if there are too few bytes.
    fn read(bytes: &[u8]) -> Self;

    /// Appends the word, little-endian.
    fn write(self, bytes: &mut Vec<u8>);

    /// Returns the bits in which two words differ.
    #[must_use]
    fn xor(self, other: Self) -> Self;

    /// Converts the word to a time.
    fn time(self) -> f32;

    /// Decodes a word to a key component.
    fn number(self) -> f32;

    /// A key as one integer: the time in the lowest bits, then x, y, z.
    type Key: Copy + Debug + Eq + BitXor<Output = Self::Key>;

    /// Packs four words to a key.
    fn pack(words: [Self; 1 + NUMBERS]) -> Self::Key;

    /// Unpacks a key.
    fn unpack(key: Self::Key) -> [Self; 1 + NUMBERS];

    /// A vector of eight words.
    type Vector<S: Simd>: SimdInt<S, Element = Self, Array = [Self; LANES]>;

    /// Reads the first eight words, little-endian.
    ///
    /// # Panics
    /// Panics if there are fewer bytes.
    fn eight<S: Simd>(simd: S, bytes: &[u8]) -> Self::Vector<S>;

    /// Returns whether [`spread`](Self::spread) is faster than moving words one by one.
    fn spreads<S: Simd>(simd: S) -> bool;

    /// Moves the first words to the lanes in a set, in ascending order. Other lanes are unspecified.
    fn spread<S: Simd>(simd: S, words: Self::Vector<S>, lanes: u8) -> Self::Vector<S>;

    /// Computes [`time`](Self::time) of eight words.
    fn eight_times<S: Simd>(simd: S, words: &[Self; LANES]) -> f32x8<S>;

    /// Computes [`number`](Self::number) of eight words.
    fn eight_numbers<S: Simd>(simd: S, words: &[Self; LANES]) -> f32x8<S>;
}

impl Word for u16 {
    const BYTES: usize = 2;
    const PARAMETER: f32 = 1.0 / 32_767.0;

    #[inline]
    fn read(bytes: &[u8]) -> Self {
        bytes.first_chunk().map_or(0, |bytes| Self::from_le_bytes(*bytes))
    }

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline]
    fn time(self) -> f32 {
        f32::from(self)
    }

    #[inline]
    fn number(self) -> f32 {
        f32::from(self.cast_signed())
    }

    type Key = u64;

    #[inline]
    fn pack([time, x, y, z]: [Self; 1 + NUMBERS]) -> u64 {
        u64::from(time) | u64::from(x) << 16 | u64::from(y) << 32 | u64::from(z) << 48
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the word that begins there")]
    fn unpack(key: u64) -> [Self; 1 + NUMBERS] {
        [key as Self, (key >> 16) as Self, (key >> 32) as Self, (key >> 48) as Self]
    }

    type Vector<S: Simd> = u16x8<S>;

    #[inline(always)]
    fn eight<S: Simd>(simd: S, bytes: &[u8]) -> u16x8<S> {
        if cfg!(target_endian = "little") {
            u8x16::from_slice(simd, &bytes[..16]).bitcast()
        } else {
            u16x8::load_array(simd, core::array::from_fn(|lane| Self::read(&bytes[2 * lane..])))
        }
    }

    #[inline(always)]
    fn spreads<S: Simd>(simd: S) -> bool {
        #[cfg(target_arch = "x86_64")]
        return has_avx2(simd);
        #[cfg(not(target_arch = "x86_64"))]
        return !simd.level().is_fallback();
    }

    #[inline(always)]
    fn spread<S: Simd>(simd: S, words: u16x8<S>, lanes: u8) -> u16x8<S> {
        let places = u8x16::load_array_ref(simd, &PLACES[usize::from(lanes)]);
        words.bitcast::<u8x16<S>>().swizzle_dyn_within_blocks(places).bitcast()
    }

    #[inline(always)]
    fn eight_times<S: Simd>(simd: S, words: &[Self; LANES]) -> f32x8<S> {
        // Via signed integers, whose conversion every instruction set has; 16 bits always fit.
        let (low, high) = u16x8::load_array_ref(simd, words).widen();
        low.combine(high).bitcast::<i32x8<S>>().to_float()
    }

    #[inline(always)]
    fn eight_numbers<S: Simd>(simd: S, words: &[Self; LANES]) -> f32x8<S> {
        let (low, high) = u16x8::load_array_ref(simd, words).bitcast::<i16x8<S>>().widen();
        low.combine(high).to_float()
    }
}

impl Word for u32 {
    const BYTES: usize = 4;
    const PARAMETER: f32 = 1.0;

    #[inline]
    fn read(bytes: &[u8]) -> Self {
        bytes.first_chunk().map_or(0, |bytes| Self::from_le_bytes(*bytes))
    }

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline]
    fn time(self) -> f32 {
        f32::from_bits(self)
    }

    #[inline]
    fn number(self) -> f32 {
        f32::from_bits(self)
    }

    type Key = u128;

    #[inline]
    fn pack([time, x, y, z]: [Self; 1 + NUMBERS]) -> u128 {
        u128::from(time) | u128::from(x) << 32 | u128::from(y) << 64 | u128::from(z) << 96
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the word that begins there")]
    fn unpack(key: u128) -> [Self; 1 + NUMBERS] {
        [key as Self, (key >> 32) as Self, (key >> 64) as Self, (key >> 96) as Self]
    }

    type Vector<S: Simd> = u32x8<S>;

    #[inline(always)]
    fn eight<S: Simd>(simd: S, bytes: &[u8]) -> u32x8<S> {
        if cfg!(target_endian = "little") {
            u8x32::from_slice(simd, &bytes[..32]).bitcast()
        } else {
            u32x8::load_array(simd, core::array::from_fn(|lane| Self::read(&bytes[4 * lane..])))
        }
    }

    #[inline(always)]
    fn spreads<S: Simd>(simd: S) -> bool {
        has_avx2(simd)
    }

    #[inline(always)]
    fn spread<S: Simd>(simd: S, words: u32x8<S>, lanes: u8) -> u32x8<S> {
        words.expand(mask32x8::from_bitmask(simd, u64::from(lanes)))
    }

    #[inline(always)]
    fn eight_times<S: Simd>(simd: S, words: &[Self; LANES]) -> f32x8<S> {
        f32x8::from_bits(u32x8::load_array_ref(simd, words))
    }

    #[inline(always)]
    fn eight_numbers<S: Simd>(simd: S, words: &[Self; LANES]) -> f32x8<S> {
        f32x8::from_bits(u32x8::load_array_ref(simd, words))
    }
}

/// Eight lanes of the active array: for each track, the keys before and after the current time.
///
/// Four *pairs* of vectors, for the time, x, y and z. A pair consists of a vector of the earlier keys and a vector of
/// the later keys. Takes 128 bytes with words of 16 bits, otherwise 256: two or four cache lines. A jump frame has the
/// same words, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Active<W> {
    pub(crate) pairs: [Pair<W>; 1 + NUMBERS],
}

/// One number of the earlier keys, and of the later keys.
pub(crate) type Pair<W> = [[W; LANES]; 2];

impl<W: Word> Default for Active<W> {
    fn default() -> Self {
        Self { pairs: [[[W::default(); LANES]; 2]; 1 + NUMBERS] }
    }
}

/// The byte shuffles of [`Word::spread`] for words of 16 bits: for each set of lanes, the two source bytes of each
/// lane. Lanes outside the set are unspecified.
static PLACES: [[u8; 2 * LANES]; 256] = {
    let mut places = [[0; 2 * LANES]; 256];
    let mut lanes = 0;
    while lanes < 256 {
        let (mut lane, mut place) = (0, 0);
        while lane < LANES {
            (places[lanes][2 * lane], places[lanes][2 * lane + 1]) = (place, place + 1);
            if lanes >> lane & 1 == 1 && place < 14 {
                place += 2;
            }
            lane += 1;
        }
        lanes += 1;
    }
    places
};
