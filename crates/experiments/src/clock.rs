//! Clocks and medians.

use std::time::Instant;

/// How long one call takes, in nanoseconds.
pub fn nanoseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

/// The median; the mean of two in the middle. Sorts the samples.
pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    let last = samples.len() - 1;
    f64::midpoint(samples[last / 2], samples[last - last / 2])
}

/// The first and the third quartile: samples, of which as many lie below the first as above the third. Where there are
/// few, they are rather too far apart than too near. Sorts the samples.
pub fn quartiles(samples: &mut [f64]) -> [f64; 2] {
    samples.sort_unstable_by(f64::total_cmp);
    let last = samples.len() - 1;
    [samples[last / 4], samples[last - last / 4]]
}
