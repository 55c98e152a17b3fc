//! The times of a phase, one for each frame.

use std::time::Duration;

/// Durations in frame order.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Returns a quantile: 0.5 for the median, 1 for the maximum. Zero without times.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let place = (sorted.len() as f64 * share) as usize;
        sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
    }

    pub(crate) fn median(&self) -> Duration {
        self.quantile(0.5)
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
