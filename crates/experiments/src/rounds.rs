//! Rounds of work in which only parts are timed.

use std::time::Duration;

use crate::Outcome;

/// Repeatable work that can be done in two ways: way 0 is ours, way 1 is the baseline.
///
/// A round begins with the work common to both ways; then each way is prepared and played. It gives `PARTS` figures.
pub trait Trial<const PARTS: usize> {
    /// Starts the `number`-th trial.
    fn renew(&mut self, number: usize) -> Outcome {
        let _ = number;
        Ok(())
    }

    /// Begins a round; not timed.
    fn begin(&mut self) {}

    /// Prepares the timed part of one way; not timed.
    fn prepare(&mut self, way: usize) {
        let _ = way;
    }

    /// Plays the round in one way and returns the nanoseconds of each part.
    fn play(&mut self, way: usize) -> [f64; PARTS];

    /// After a round that both ways played, fails unless both computed the same.
    fn check(&mut self) -> Outcome {
        Ok(())
    }

    /// Fails unless both ways computed the same, after the last round.
    fn check_last(&mut self) -> Outcome {
        Ok(())
    }
}

/// The number and order of the rounds in a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The number of times that the trial is played from the beginning.
    pub trials: usize,
    /// The least number of rounds of each trial.
    pub least: usize,
    /// The greatest number of rounds of each trial.
    pub most: usize,
    /// The time after which no turn begins, except to reach the least number of rounds.
    pub budget: Duration,
    /// The number of consecutive rounds of one way.
    pub turn: usize,
    /// The number of rounds at the start of a turn for which the second way is only prepared, not played.
    pub skipped: usize,
    /// Whether the ways alternate in playing first.
    pub alternates: bool,
}

impl Pace {
    /// Creates the pace of one trial with `rounds` rounds; the first way always plays first.
    pub const fn fixed(rounds: usize) -> Self {
        let (least, most, budget) = (rounds, rounds, Duration::ZERO);
        Self { trials: 1, least, most, budget, turn: 1, skipped: 0, alternates: false }
    }

    /// Creates the pace of one trial with as many rounds as time allows; the ways alternate in playing first.
    pub const fn timed(least: usize, most: usize, milliseconds: u64) -> Self {
        Self { least, most, budget: Duration::from_millis(milliseconds), alternates: true, ..Self::fixed(least) }
    }
}
