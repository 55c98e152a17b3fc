//! Clocks and medians.

use std::time::Instant;

/// How long one call takes, in nanoseconds.
pub fn nanoseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

/// The median; the mean of two in the middle. Sorts the samples.
///
/// # Panics
/// If there are none.
pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    let last = samples.len() - 1;
    f64::midpoint(samples[last / 2], samples[last - last / 2])
}

/// The first and the third quartile: samples, of which as many lie below the first as above the third. Where there are
/// few, they are rather too far apart than too near. Sorts the samples.
///
/// # Panics
/// If there are none.
pub fn quartiles(samples: &mut [f64]) -> [f64; 2] {
    samples.sort_unstable_by(f64::total_cmp);
    let last = samples.len() - 1;
    [samples[last / 4], samples[last - last / 4]]
}

#[cfg(test)]
mod tests {
    use super::{median, quartiles};

    #[test]
    fn medians_and_quartiles_lie_as_far_from_either_end() {
        for count in 1..40_u32 {
            let samples: Vec<f64> = (0..count).map(|place| f64::from(place * 7 % count.max(8))).collect();
            let (mut once, mut mirrored) = (samples.clone(), samples.iter().map(|sample| -sample).collect::<Vec<_>>());
            assert_eq!(median(&mut once), -median(&mut mirrored), "{count}");
            let ([low, high], [mirrored_low, mirrored_high]) = (quartiles(&mut once), quartiles(&mut mirrored));
            assert_eq!([low, high], [-mirrored_high, -mirrored_low], "{count}");
            assert!(low <= median(&mut once) && median(&mut once) <= high);
        }
        assert_eq!(quartiles(&mut [3.0, 1.0, 2.0]), [1.0, 3.0], "the slowest of three is not left out");
        assert_eq!(quartiles(&mut [5.0, 3.0, 1.0, 2.0, 4.0]), [2.0, 4.0]);
        assert_eq!(median(&mut [4.0, 1.0]), 2.5);
    }
}
