//! Clocks and medians.

use std::time::Instant;

/// How long one call takes, in nanoseconds.
pub fn nanoseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

/// The median; the upper one of two. Reorders the samples.
///
/// # Panics
/// If there are none.
pub fn median(samples: &mut [f64]) -> f64 {
    let middle = samples.len() / 2;
    *samples.select_nth_unstable_by(middle, f64::total_cmp).1
}
