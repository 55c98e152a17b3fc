//! What runs an experiment: both sides in turns, their medians, and the report.
//!
//! An [experiment](crate::experiments) is a function that takes a [`Front`]. It sets up both sides and gives the front
//! work in one of two forms. Calls can be repeated immediately; of the rounds of a [`Trial`], only a part is timed.

use crate::clock::{median, nanoseconds, quartiles};
use crate::report::Report;
use crate::rounds::{Pace, Trial};
use crate::{Case, Failure, Outcome};
use std::time::{Duration, Instant};

/// The least number of turns of each side for a median.
const MIN_TURNS: usize = 7;
/// The limits of calls: a number of turns of each side and a time, whichever is reached first.
const MAX_TURNS: usize = 201;
const BUDGET: Duration = Duration::from_millis(700);

/// The sizes of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<T> {
    /// All sizes for which results are reported.
    pub full: T,
    /// The smallest useful size, at which both sides are only compared.
    pub tiny: T,
}

impl<T: Copy> Sizes<T> {
    /// Returns the sizes that this front runs.
    pub(crate) const fn at(&self, front: &Front) -> T {
        if front.tiny { self.tiny } else { self.full }
    }
}

/// Checks nothing. Use it for calls whose results are checked elsewhere.
pub(crate) fn checked_elsewhere<A, B>(_: &mut A, _: &mut B) -> Outcome {
    Ok(())
}

/// Runs the sides of each case in turns, and prints the median of each.
#[derive(Debug)]
pub struct Front {
    report: Report,
    tiny: bool,
    /// The medians of the last calls or rounds with their quartiles, which a report finds by the median's value.
    spreads: Vec<(f64, [f64; 2])>,
}

impl Front {
    /// Creates a front that prints to this report; if `tiny`, it runs the smallest sizes, and each side only a few
    /// times, so that figures say nothing.
    pub const fn new(report: Report, tiny: bool) -> Self {
        Self { report, tiny, spreads: Vec::new() }
    }

    /// Returns whether the front runs the smallest sizes.
    pub(crate) const fn is_tiny(&self) -> bool {
        self.tiny
    }

    /// Returns the median of samples divided by `per`, and stores their quartiles.
    fn figure(&mut self, samples: &mut [f64], per: f64) -> f64 {
        let middle = median(samples) / per;
        let quartiles = quartiles(samples).map(|quartile| quartile / per);
        self.spreads.push((middle, quartiles));
        middle
    }

    /// Runs the same work on both sides, and reports the time of a call on each side. Then both have worked equally
    /// often, and `check` must find that they computed the same. One turn of each side is not counted.
    pub(crate) fn calls<A, B>(
        &mut self,
        case: Case<'_>,
        (a, b): (&mut A, &mut B),
        ours: fn(&mut A),
        baseline: fn(&mut B),
        check: impl FnOnce(&mut A, &mut B) -> Outcome,
    ) -> Outcome {
        let (repeats, least, most) = if self.tiny { (1, 1, 1) } else { (case.repeats, MIN_TURNS, MAX_TURNS) };
        let turn_a = |a: &mut A| nanoseconds(|| (0..repeats).for_each(|_| ours(a)));
        let turn_b = |b: &mut B| nanoseconds(|| (0..repeats).for_each(|_| baseline(b)));
        turn_a(a);
        turn_b(b);
        let start = Instant::now();
        let (mut samples_a, mut samples_b) = (Vec::new(), Vec::new());
        while samples_a.len() < least || (samples_a.len() < most && start.elapsed() < BUDGET) {
            samples_a.push(turn_a(a));
            samples_b.push(turn_b(b));
        }
        check(a, b).map_err(|error| named(&case, error))?;
        let per = (case.per * repeats) as f64;
        self.spreads.clear();
        let [ours, theirs] = [&mut samples_a, &mut samples_b].map(|samples| self.figure(samples, per));
        self.report(&case, ours, theirs)
    }

    /// Plays rounds of a trial in both ways; each part of a round is one case. After each round, checks that both
    /// computed the same. Nodes, divisor and baseline are those of the first case.
    ///
    /// Returns the medians: by way and part, in nanoseconds, divided by [`Case::per`].
    pub(crate) fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        cases: &[Case<'_>; PARTS],
        pace: Pace,
        trial: &mut T,
    ) -> Result<[[f64; PARTS]; 2], Failure> {
        let pace = if self.tiny { Pace { trials: 2, ..Pace::fixed(2) } } else { pace };
        let named = |error| named(&cases[0], error);
        let mut times = [const { Vec::new() }; 2];
        let mut order = [0, 1];
        for number in 0..pace.trials {
            if number > 0 {
                trial.renew(number).map_err(named)?;
            }
            let (mut played, start) = (0, Instant::now());
            while played < pace.least || (played < pace.most && start.elapsed() < pace.budget) {
                trial.begin();
                for way in order {
                    let skipped = if way == 1 { pace.skipped } else { 0 };
                    for round in 0..pace.turn {
                        trial.prepare(way);
                        if round >= skipped {
                            times[way].push(trial.play(way));
                        }
                    }
                }
                trial.check().map_err(named)?;
                played += pace.turn;
                if pace.alternates {
                    order.reverse();
                }
            }
            trial.check_last().map_err(named)?;
        }
        self.spreads.clear();
        Ok(times.map(|times| {
            core::array::from_fn(|part| {
                let mut samples: Vec<f64> = times.iter().map(|times: &[f64; PARTS]| times[part]).collect();
                self.figure(&mut samples, cases[part].per as f64)
            })
        }))
    }

    /// Reports the two figures of a case. Use it for counts, and for figures that [`rounds`](Self::rounds) returned.
    pub(crate) fn report(&mut self, case: &Case<'_>, ours: f64, baseline: f64) -> Outcome {
        let spread = [ours, baseline].map(|figure| {
            let known = self.spreads.iter().find(|(median, _)| *median == figure);
            known.map(|(_, quartiles)| *quartiles)
        });
        Ok(self.report.case(case, [ours, baseline], spread)?)
    }

    /// Runs [`rounds`](Self::rounds) and reports each part.
    pub(crate) fn play<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        cases: [Case<'_>; PARTS],
        pace: Pace,
        trial: &mut T,
    ) -> Outcome {
        let [ours, theirs] = self.rounds(&cases, pace, trial)?;
        for ((case, ours), theirs) in cases.iter().zip(ours).zip(theirs) {
            self.report(case, ours, theirs)?;
        }
        Ok(())
    }
}

/// Returns the failure with the name of its case.
fn named(case: &Case<'_>, error: Failure) -> Failure {
    format!("{}: {error}", case.name).into()
}
