//! The times of a phase, a frame each.

use std::time::Duration;

/// Durations in the order in which they were taken.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Returns the time that a share of all, from 0 to 1, does not exceed: 0.5 for the median, 1 for the worst. Zero
    /// where there are none.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let place = (sorted.len() as f64 * share) as usize;
        sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
    }

    /// Returns the middle one.
    pub(crate) fn median(&self) -> Duration {
        self.quantile(0.5)
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
