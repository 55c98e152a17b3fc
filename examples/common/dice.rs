//! The dice of the example: the same seed throws the same numbers on every machine.

/// A `SplitMix64` generator. Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
/// generators", 2014.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n - 1`; 0 where `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let scaled = (u128::from(self.bits()) * n as u128) >> 64;
        usize::try_from(scaled).expect("the upper half of the product is below n")
    }

    /// A number from `low` up to `high`.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        let unit = (self.bits() >> 40) as f32 / (1 << 24) as f32;
        low + (high - low) * unit
    }

    /// True with the given probability.
    pub(crate) fn chance(&mut self, probability: f32) -> bool {
        self.between(0.0, 1.0) < probability
    }

    /// One of the choices.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
