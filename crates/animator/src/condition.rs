//! When a transition is taken.

use crate::Fade;
use crate::machine::{Parameter, State, Trigger};
use core::ops::RangeInclusive;

/// What must hold for a [`Transition`]: a comparison of a parameter ([`Parameter::above`], [`Parameter::below`]), a
/// [`Trigger`], or a place in the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition(pub(crate) Test);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Test {
    /// The parameter, whether it must be above or below, and the number.
    Compare(Parameter, bool, f32),
    Trigger(Trigger),
    Moment(Moment),
}

/// A place in the motion of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Moment {
    /// Between two phases.
    Phase(f64, f64),
    /// The seconds left to the end.
    Left(f64),
}

impl Condition {
    /// Holds while the state's phase is in a range from 0 to 1: its time divided by its duration. A step never jumps
    /// over the range: it is cut where it enters, so `0.5..=0.5` holds once in each round.
    #[must_use]
    pub const fn phase(range: RangeInclusive<f64>) -> Self {
        Self(Test::Moment(Moment::Phase(*range.start(), *range.end())))
    }

    /// Holds at the end of the motion; of a loop, each time that it comes round.
    #[must_use]
    pub const fn end() -> Self {
        Self::before_end(0.0)
    }

    /// Holds when at most this many seconds of the motion are left at its present speed, so that a fade of this length ends
    /// with it.
    #[must_use]
    pub const fn before_end(seconds: f32) -> Self {
        Self(Test::Moment(Moment::Left(seconds as f64)))
    }
}

impl From<Trigger> for Condition {
    fn from(trigger: Trigger) -> Self {
        Self(Test::Trigger(trigger))
    }
}

impl Parameter {
    /// Holds while the parameter is greater than a number.
    #[must_use]
    pub const fn above(self, number: f32) -> Condition {
        Condition(Test::Compare(self, true, number))
    }

    /// Holds while the parameter is less than a number.
    #[must_use]
    pub const fn below(self, number: f32) -> Condition {
        Condition(Test::Compare(self, false, number))
    }
}

/// A change to another state, taken as soon as all its conditions hold. Of several, the first that was added to the
/// machine is taken.
#[derive(Clone, Debug)]
pub struct Transition {
    pub(crate) from: Source,
    pub(crate) to: State,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) fade: Fade,
    pub(crate) waits: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    State(State),
    Any,
}

impl Transition {
    /// Creates a transition between two states of a layer, without conditions and fade.
    #[must_use]
    pub const fn new(from: State, to: State) -> Self {
        Self { from: Source::State(from), to, conditions: Vec::new(), fade: Fade::CUT, waits: false }
    }

    /// Creates a transition from all other states of a layer.
    #[must_use]
    pub fn from_any(to: State) -> Self {
        Self { from: Source::Any, ..Self::new(to, to) }
    }

    /// Adds a condition.
    #[must_use]
    pub fn when(mut self, condition: impl Into<Condition>) -> Self {
        self.conditions.push(condition.into());
        self
    }

    /// Sets the fade: a [`Fade`], or the seconds of a linear crossfade.
    #[must_use]
    pub fn fade(self, fade: impl Into<Fade>) -> Self {
        Self { fade: fade.into(), ..self }
    }

    /// Waits until a fade of the layer is over, instead of interrupting it.
    #[must_use]
    pub fn after_fade(self) -> Self {
        Self { waits: true, ..self }
    }
}
