//! The fronts that run an experiment: a program that prints ratios, Criterion, or a test.
//!
//! An [experiment](crate::experiments) is a function that takes a front. It sets up both sides and gives the front work
//! in one of two forms. Calls can be repeated immediately; of the rounds of a [`Trial`], only a part is timed. The
//! front decides how often the work runs and how its times are used.

use crate::rounds::{Pace, Trial};
use crate::{Case, Failure, Outcome};

/// The size of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// All sizes for which results are reported.
    Full,
    /// The sizes that Criterion measures; Criterion takes much longer than a single figure.
    Short,
    /// The smallest useful size.
    Tiny,
}

/// The sizes of an experiment by scale.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<T> {
    /// At [`Scale::Full`].
    pub full: T,
    /// At [`Scale::Short`].
    pub short: T,
    /// At [`Scale::Tiny`].
    pub tiny: T,
}

impl<T: Copy> Sizes<T> {
    /// Returns the sizes at this scale.
    pub const fn at(&self, scale: Scale) -> T {
        match scale {
            Scale::Full => self.full,
            Scale::Short => self.short,
            Scale::Tiny => self.tiny,
        }
    }
}

/// Checks nothing. Use it for calls whose results are checked elsewhere.
pub(crate) fn checked_elsewhere<A, B>(_: &mut A, _: &mut B) -> Outcome {
    Ok(())
}

/// A program that runs experiments.
pub trait Front: Sized {
    /// Returns the size of experiments to run.
    fn scale(&self) -> Scale;

    /// Runs the same work on both sides, and reports the time of a call on each side. Then both have worked equally
    /// often, and `check` must find that they computed the same.
    fn calls<A, B>(
        &mut self,
        case: Case<'_>,
        sides: (&mut A, &mut B),
        ours: fn(&mut A),
        baseline: fn(&mut B),
        check: impl FnOnce(&mut A, &mut B) -> Outcome,
    ) -> Outcome;

    /// Plays rounds of a trial in both ways; each part of a round is one case. After each round, checks that both
    /// computed the same. Nodes, divisor and baseline are those of the first case.
    ///
    /// Returns the medians if the front measures: by way and part, in nanoseconds, divided by [`Case::per`].
    fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        cases: &[Case<'_>; PARTS],
        pace: Pace,
        trial: &mut T,
    ) -> Result<Option<[[f64; PARTS]; 2]>, Failure>;

    /// Reports the two figures of a case. Use it for counts, and for figures that [`rounds`](Self::rounds) returned.
    fn report(&mut self, case: &Case<'_>, ours: f64, baseline: f64) -> Outcome;

    /// Runs [`rounds`](Self::rounds) and reports each part.
    fn play<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        cases: [Case<'_>; PARTS],
        pace: Pace,
        trial: &mut T,
    ) -> Outcome {
        if let Some([ours, theirs]) = self.rounds(&cases, pace, trial)? {
            for ((case, ours), theirs) in cases.iter().zip(ours).zip(theirs) {
                self.report(case, ours, theirs)?;
            }
        }
        Ok(())
    }
}
