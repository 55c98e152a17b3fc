//! Rounds of work of which only parts are timed.

use std::time::Duration;

use crate::Outcome;

/// Something that can be done in two ways, again and again: ours is way 0, the baseline way 1.
///
/// A round begins with what is the same for both. Then each way that takes part is prepared and plays. `PARTS` is the
/// number of figures that a round gives.
pub trait Trial<const PARTS: usize> {
    /// Starts from the beginning, after so many others that did: anew, where rounds use a trial up or where one way has
    /// played without the other. Not called before the first rounds.
    fn renew(&mut self, number: usize) -> Outcome {
        let _ = number;
        Ok(())
    }

    /// Begins a round. Not timed.
    fn begin(&mut self) {}

    /// Leads one way to where its timed part begins.
    fn prepare(&mut self, way: usize) {
        let _ = way;
    }

    /// Plays the round in one way, and returns the nanoseconds of each part.
    fn play(&mut self, way: usize) -> [f64; PARTS];

    /// Fails unless both ways have come to the same, after a round that both played.
    fn check(&mut self) -> Outcome {
        Ok(())
    }

    /// The same after the last round.
    fn check_last(&mut self) -> Outcome {
        Ok(())
    }
}

/// How often the ways of a trial take turns where figures are taken.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How often the trial is played from the beginning.
    pub trials: usize,
    /// Each time it has at least so many rounds.
    pub least: usize,
    /// And at most so many.
    pub most: usize,
    /// Beyond the least number of rounds no turn begins after this time.
    pub budget: Duration,
    /// So many rounds of one way come after one another.
    pub turn: usize,
    /// Of the second way so many at the beginning of a turn are prepared only, and not played.
    pub skipped: usize,
    /// Whether the ways take turns at being the first.
    pub alternates: bool,
    /// A trial is of no use after this many rounds, if there is such a number.
    pub lasts: Option<usize>,
}

impl Pace {
    /// One trial of so many rounds, the first way always being the first.
    pub const fn fixed(rounds: usize) -> Self {
        let (least, most, budget) = (rounds, rounds, Duration::ZERO);
        Self { trials: 1, least, most, budget, turn: 1, skipped: 0, alternates: false, lasts: None }
    }

    /// One trial of some rounds, as many as there is time for, the ways by turns being the first.
    pub const fn timed(least: usize, most: usize, milliseconds: u64) -> Self {
        Self { least, most, budget: Duration::from_millis(milliseconds), alternates: true, ..Self::fixed(least) }
    }
}
