//! Random numbers: the same seed gives the same numbers on every machine.

/// A generator of [`fastrand`] with the methods that the examples need.
pub(crate) struct Dice(fastrand::Rng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// Returns a number from 0 to `n - 1`; 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // Always 64 bits, because a 32-bit `usize` would give other numbers.
        if n == 0 { 0 } else { usize::try_from(self.0.u64(..n as u64)).expect("it is less than n") }
    }

    /// Returns a number from `low` up to `high`.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.0.f32()
    }

    /// Returns `true` with the given probability.
    pub(crate) fn chance(&mut self, probability: f32) -> bool {
        self.between(0.0, 1.0) < probability
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
