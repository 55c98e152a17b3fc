//! Dice that throw the same numbers at every run.

/// An xorshift generator, whose throw is a handful of instructions. Source: G. Marsaglia, "Xorshift RNGs", 2003.
pub(crate) struct Dice(u64);

impl Dice {
    /// The seed that the paper has.
    pub(crate) const fn new() -> Self {
        Self(88_172_645_463_325_252)
    }

    /// A number from 0 to `n - 1`; 0 where `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let scaled = (u128::from(self.0) * n as u128) >> 64;
        #[expect(clippy::cast_possible_truncation, reason = "the upper half of the product is below n")]
        let number = scaled as usize;
        number
    }

    /// One of the items, of which there is at least one.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
