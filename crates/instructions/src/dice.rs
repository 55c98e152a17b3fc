//! Random numbers, the same in every run.

/// An xorshift generator, which takes a handful of instructions. Source: G. Marsaglia, "Xorshift RNGs", 2003.
pub(crate) struct Dice(u64);

impl Dice {
    /// Starts with the seed of the paper.
    pub(crate) const fn new() -> Self {
        Self(88_172_645_463_325_252)
    }

    /// Returns a number from 0 to `n - 1`; 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let scaled = (u128::from(self.0) * n as u128) >> 64;
        #[expect(clippy::cast_possible_truncation, reason = "the upper half of the product is below n")]
        let number = scaled as usize;
        number
    }

    /// Returns one of the items; there must be at least one.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
