//! Clocks and medians.

use std::time::Instant;

/// Returns the duration of one call in nanoseconds.
pub fn nanoseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

/// Returns the median; for an even number of samples, the mean of the middle two. Sorts the samples.
pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    let last = samples.len() - 1;
    f64::midpoint(samples[last / 2], samples[last - last / 2])
}

/// Returns the first and the third quartile: as many samples are below the first as above the third. If there are few
/// samples, the range is more likely to be too wide than too narrow. Sorts the samples.
pub fn quartiles(samples: &mut [f64]) -> [f64; 2] {
    samples.sort_unstable_by(f64::total_cmp);
    let last = samples.len() - 1;
    [samples[last / 4], samples[last - last / 4]]
}
