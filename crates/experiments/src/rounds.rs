//! Rounds of work of which only parts are timed.

use std::time::Duration;

use crate::Outcome;

/// Something that can be done in several ways, again and again.
///
/// A round begins with what is the same for all ways. Then each way that takes part is prepared and plays. `PARTS` is
/// the number of figures that a round gives.
pub trait Trial<const PARTS: usize> {
    /// Starts from the beginning, after so many others that did: anew, where rounds use a trial up or where one way has
    /// played without the others. Not called before the first rounds.
    ///
    /// # Errors
    /// What goes wrong in that.
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

    /// Fails unless all ways have come to the same, after a round that all of them played.
    ///
    /// # Errors
    /// Says what differs.
    fn check(&mut self) -> Outcome {
        Ok(())
    }

    /// The same after the last round.
    ///
    /// # Errors
    /// Says what differs.
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
}

impl Pace {
    /// One trial of so many rounds, the first way always being the first.
    #[must_use]
    pub const fn fixed(rounds: usize) -> Self {
        Self { trials: 1, least: rounds, most: rounds, budget: Duration::ZERO, turn: 1, skipped: 0, alternates: false }
    }

    /// One trial of some rounds, as many as there is time for.
    #[must_use]
    pub const fn timed(least: usize, most: usize, budget: Duration) -> Self {
        Self { least, most, budget, ..Self::fixed(least) }
    }
}

/// What is played, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Rounds<'r, const PARTS: usize> {
    /// How many nodes the tree has.
    pub nodes: usize,
    /// What times are divided by.
    pub per: usize,
    /// What the parts of a round are called.
    pub parts: [&'r str; PARTS],
    /// What the ways are called.
    pub ways: &'r [&'r str],
    /// How often they take turns.
    pub pace: Pace,
    /// A trial is of no use after this many rounds, if there is such a number.
    pub lasts: Option<usize>,
}
