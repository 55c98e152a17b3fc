//! Medians of sides that alternate.

use crate::report::Report;
use hedgerow_experiments::clock::{median, nanoseconds, quartiles};
use hedgerow_experiments::front::Scale;
use hedgerow_experiments::rounds::{Pace, Trial};
use hedgerow_experiments::{Case, Failure, Front, Outcome};
use std::time::{Duration, Instant};

/// The least number of turns of each side for a median.
const MIN_TURNS: usize = 7;
/// The limits of calls: a number of turns of each side and a time, whichever is reached first.
const MAX_TURNS: usize = 201;
const BUDGET: Duration = Duration::from_millis(700);

/// Runs the sides of each case in turns, and prints the median of each.
pub(crate) struct Turns {
    report: Report,
    scale: Scale,
    /// The medians of the last calls or rounds with their quartiles, which a report finds by the median's value.
    spreads: Vec<(f64, [f64; 2])>,
}

impl Turns {
    /// Creates a front that prints to this report, at this scale.
    pub(crate) const fn new(report: Report, scale: Scale) -> Self {
        Self { report, scale, spreads: Vec::new() }
    }

    /// Returns the median of samples divided by `per`, and stores their quartiles.
    fn figure(&mut self, samples: &mut [f64], per: f64) -> f64 {
        let middle = median(samples) / per;
        let quartiles = quartiles(samples).map(|quartile| quartile / per);
        self.spreads.push((middle, quartiles));
        middle
    }
}

impl Front for Turns {
    fn scale(&self) -> Scale {
        self.scale
    }

    /// Runs one uncounted turn of each side first.
    fn calls<A, B>(
        &mut self,
        case: Case<'_>,
        (a, b): (&mut A, &mut B),
        ours: fn(&mut A),
        baseline: fn(&mut B),
        check: impl FnOnce(&mut A, &mut B) -> Outcome,
    ) -> Outcome {
        let turn_a = |a: &mut A| nanoseconds(|| (0..case.repeats).for_each(|_| ours(a)));
        let turn_b = |b: &mut B| nanoseconds(|| (0..case.repeats).for_each(|_| baseline(b)));
        turn_a(a);
        turn_b(b);
        let start = Instant::now();
        let (mut samples_a, mut samples_b) = (Vec::new(), Vec::new());
        while samples_a.len() < MIN_TURNS || (samples_a.len() < MAX_TURNS && start.elapsed() < BUDGET) {
            samples_a.push(turn_a(a));
            samples_b.push(turn_b(b));
        }
        check(a, b)?;
        let per = (case.per * case.repeats) as f64;
        self.spreads.clear();
        let [ours, theirs] = [&mut samples_a, &mut samples_b].map(|samples| self.figure(samples, per));
        self.report(&case, ours, theirs)
    }

    fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        cases: &[Case<'_>; PARTS],
        pace: Pace,
        trial: &mut T,
    ) -> Result<Option<[[f64; PARTS]; 2]>, Failure> {
        let mut times = [const { Vec::new() }; 2];
        let mut order = [0, 1];
        for number in 0..pace.trials {
            if number > 0 {
                trial.renew(number)?;
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
                trial.check()?;
                played += pace.turn;
                if pace.alternates {
                    order.reverse();
                }
            }
            trial.check_last()?;
        }
        self.spreads.clear();
        Ok(Some(times.map(|times| {
            core::array::from_fn(|part| {
                let mut samples: Vec<f64> = times.iter().map(|times: &[f64; PARTS]| times[part]).collect();
                self.figure(&mut samples, cases[part].per as f64)
            })
        })))
    }

    fn report(&mut self, case: &Case<'_>, ours: f64, baseline: f64) -> Outcome {
        let spread = [ours, baseline].map(|figure| {
            let known = self.spreads.iter().find(|(median, _)| *median == figure);
            known.map(|(_, quartiles)| *quartiles)
        });
        Ok(self.report.case(case, [ours, baseline], spread)?)
    }
}
