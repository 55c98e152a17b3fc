//! Eight tracks side by side, each between two of its keys.

use bytemuck::Pod;
use core::fmt::Debug;

/// How many tracks a block has.
pub(crate) const LANES: usize = 8;

/// How many numbers a key has at most.
pub(crate) const NUMBERS: usize = 3;

/// What times and numbers of keys are stored as: 16 bits, or 32.
///
/// | | time | number |
/// |---|---|---|
/// | `u16` | a count of ticks | a signed count of steps from the middle of a range |
/// | `u32` | the bits of an `f32`, in seconds | the bits of an `f32` |
pub(crate) trait Word: Pod + Default + Eq + Ord + Debug + Send + Sync + 'static {
    /// Bytes of one word.
    const BYTES: usize;

    /// What a number of a rotation's key is multiplied by: [`rotation`](super::rotation) of 1 is at 32,767, or at 1.
    const PARAMETER: f32;

    /// Reads the word that the bytes begin with, little-endian; zero where they are too few.
    fn read(bytes: &[u8]) -> Self;

    /// Appends the word, little-endian.
    fn write(self, bytes: &mut Vec<u8>);

    /// The bits in which two words differ.
    #[must_use]
    fn xor(self, other: Self) -> Self;

    /// As a time.
    fn time(self) -> f32;

    /// As a number of a key.
    fn number(self) -> f32;
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
}

/// Eight lanes of the active array: the two keys that each track is between.
///
/// Four *pairs* of vectors, of the keys' times and of their numbers x, y, z; a pair is the earlier key's vector and the
/// later one's. 128 bytes, two cache lines, where words have 16 bits; otherwise 256. A jump frame is the same words, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Active<W> {
    pub(crate) pairs: [Pair<W>; 1 + NUMBERS],
}

/// One number of the earlier keys, and the same of the later ones.
pub(crate) type Pair<W> = [[W; LANES]; 2];

impl<W: Word> Active<W> {
    /// Bytes of eight lanes in a jump frame.
    pub(crate) const BYTES: usize = 2 * (1 + NUMBERS) * LANES * W::BYTES;

    /// What a jump frame says, as long as there are bytes.
    #[inline]
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let word = |index: usize| bytes.get(index * W::BYTES..).map_or(W::default(), W::read);
        let vector = |at: usize| core::array::from_fn(|lane| word(at + lane));
        Self { pairs: core::array::from_fn(|pair| [vector(2 * LANES * pair), vector(2 * LANES * pair + LANES)]) }
    }

    /// Appends what a jump frame says.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        self.pairs.as_flattened().as_flattened().iter().for_each(|word| word.write(bytes));
    }
}

impl<W: Word> Default for Active<W> {
    fn default() -> Self {
        Self { pairs: [[[W::default(); LANES]; 2]; 1 + NUMBERS] }
    }
}
