//! Who runs an experiment: a program that prints ratios, Criterion, or a test.
//!
//! An [experiment](crate::experiments) is a function that is given a front. It sets up both sides, and hands the front
//! work in one of two forms: calls, which can be repeated at once, or the rounds of a [`Trial`], in which only a part
//! is timed. The front decides how often the work is done and what is made of the times.

use crate::rounds::{Pace, Trial};
use crate::{Case, Failure, Outcome};

/// How large an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// All sizes that results are reported at.
    Full,
    /// The sizes that Criterion measures, each much longer than a single figure takes.
    Short,
    /// As small as it can be and still compute something.
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
    /// The sizes at this scale.
    pub const fn at(&self, scale: Scale) -> T {
        match scale {
            Scale::Full => self.full,
            Scale::Short => self.short,
            Scale::Tiny => self.tiny,
        }
    }
}

/// For calls whose results are checked elsewhere.
pub(crate) fn checked_elsewhere<A, B>(_: &mut A, _: &mut B) -> Outcome {
    Ok(())
}

/// Runs experiments.
pub trait Front: Sized {
    /// How large experiments are to be.
    fn scale(&self) -> Scale;

    /// Has both sides do the same work, and reports what a call of each took. Then, where both have worked as often,
    /// the check is to find that they have computed the same.
    fn calls<A, B>(
        &mut self,
        case: Case<'_>,
        sides: (&mut A, &mut B),
        ours: fn(&mut A),
        baseline: fn(&mut B),
        check: impl FnOnce(&mut A, &mut B) -> Outcome,
    ) -> Outcome;

    /// Has both ways of a trial play rounds, one part of a round for each case, and checks after each that they have
    /// computed the same. Nodes, divisor and baseline are those of the first case.
    ///
    /// Returns the medians where figures are wanted: by way, of each part, in nanoseconds, divided by [`Case::per`].
    fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        cases: &[Case<'_>; PARTS],
        pace: Pace,
        trial: &mut T,
    ) -> Result<Option<[[f64; PARTS]; 2]>, Failure>;

    /// Reports the two figures of a case. Only of use where [`rounds`](Self::rounds) returns any, and for what is
    /// counted.
    fn report(&mut self, case: &Case<'_>, ours: f64, baseline: f64) -> Outcome;

    /// [Rounds](Self::rounds), and a report of each part.
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
