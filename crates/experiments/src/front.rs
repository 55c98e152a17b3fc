//! Who runs an experiment: a program that prints ratios, Criterion, or a test.
//!
//! An [experiment](crate::experiments) is a function that is given a front. It sets up both sides, and hands the front
//! work in one of two forms: [`Calls`], which can be repeated at once, or [`Rounds`], in which only a part is timed.
//! The front decides how often the work is done and what is made of the times.

use crate::rounds::{Rounds, Trial};
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
    #[must_use]
    pub const fn at(&self, scale: Scale) -> T {
        match scale {
            Scale::Full => self.full,
            Scale::Short => self.short,
            Scale::Tiny => self.tiny,
        }
    }
}

/// Two ways to compute the same, each a call that may be repeated at once and is timed as a whole.
#[derive(Debug)]
pub struct Calls<'c, A, B> {
    /// The name of the case, its unit, and what it is compared with.
    pub case: Case<'c>,
    /// What the time of a call is divided by.
    pub per: usize,
    /// So many calls come after one another in a turn.
    pub repeats: usize,
    /// What the two sides work on.
    pub sides: (&'c mut A, &'c mut B),
    /// A call of ours.
    pub ours: fn(&mut A),
    /// A call of the baseline.
    pub baseline: fn(&mut B),
}

/// For calls whose results are checked elsewhere.
///
/// # Errors
/// Never.
pub(crate) fn checked_elsewhere<A, B>(_: &mut A, _: &mut B) -> Outcome {
    Ok(())
}

/// Runs experiments.
pub trait Front: Sized {
    /// How large experiments are to be.
    fn scale(&self) -> Scale;

    /// Has both sides do the same work, and reports what a call of each took. Then, where both have worked, the check
    /// is to find that they have computed the same.
    ///
    /// # Errors
    /// What the check finds, or that the report cannot be written.
    fn calls<A, B>(&mut self, calls: Calls<'_, A, B>, check: impl FnOnce(&mut A, &mut B) -> Outcome) -> Outcome;

    /// Has all ways of a trial play rounds, and checks after each that they have computed the same.
    ///
    /// Returns the medians where figures are wanted: by way, of each part, in nanoseconds, divided by
    /// [`per`](Rounds::per).
    ///
    /// # Errors
    /// What the checks find, and what goes wrong in a trial.
    fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        rounds: &Rounds<'_, PARTS>,
        trial: &mut T,
    ) -> Result<Option<Vec<[f64; PARTS]>>, Failure>;

    /// Work that is compared with nothing: `per` elements a call. Only Criterion times it.
    fn alone(&mut self, name: &str, nodes: usize, per: usize, work: impl FnMut());

    /// Reports the two figures of a case. Only of use where [`rounds`](Self::rounds) returns any, and for what is
    /// counted.
    ///
    /// # Errors
    /// That the report cannot be written.
    fn report(&mut self, case: &Case<'_>, ours: f64, baseline: f64) -> Outcome;

    /// Reports figures that belong together in an order of their own, by frame or by share, as a chart draws them. They
    /// are dropped where nothing is done with them.
    ///
    /// # Errors
    /// That the report cannot be written.
    fn curve(&mut self, case: &Case<'_>, ours: &[f64], baseline: &[f64]) -> Outcome {
        let _ = (case, ours, baseline);
        Ok(())
    }

    /// Does something with no other thread to share the work with.
    ///
    /// # Errors
    /// That of the work, or that there is no thread.
    fn on_one_thread(&mut self, work: impl FnOnce(&mut Self) -> Result<(), String> + Send) -> Outcome;
}
