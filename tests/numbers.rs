//! A hash and random numbers for the tests `same_bits`: the same on every machine.

use hedgerow_math::Mat34;
use hedgerow_math::glam::Vec3;

/// The 64-bit hash FNV-1a. Source: G. Fowler, L. C. Noll, K.-P. Vo, "The FNV Non-Cryptographic Hash Algorithm".
#[derive(Clone, Copy)]
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    pub(crate) fn floats(&mut self, floats: &[f32]) {
        floats.iter().for_each(|float| self.bytes(&float.to_bits().to_le_bytes()));
    }

    pub(crate) fn matrix(&mut self, matrix: &Mat34) {
        self.floats(matrix.rows.as_flattened());
    }
}

/// An xorshift generator. Source: G. Marsaglia, "Xorshift RNGs", 2003.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 33) % end as u64).unwrap()
    }

    /// Returns a number from −1 to 1.
    pub(crate) fn signed(&mut self) -> f32 {
        self.below(1 << 20) as f32 / 524_288.0 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}
