//! How a transition passes from one state to the next.

/// How a transition passes from one state to the next. A number of seconds is a linear crossfade.
///
/// Nothing jumps, whenever a fade begins. A crossfade shows both states, and the old one plays on; if it interrupts
/// another fade, it begins at the pose of this moment, which is held. An inertial fade shows the new state alone, plus
/// the difference to the old pose, which keeps its velocity and vanishes: so it also suits interruptions in full motion,
/// and costs one state less to sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fade {
    pub(crate) seconds: f32,
    pub(crate) curve: Curve,
    pub(crate) inertial: bool,
}

/// The progress of a crossfade over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Curve {
    /// Even.
    #[default]
    Linear,
    /// Slow at the beginning.
    EaseIn,
    /// Slow at the end.
    EaseOut,
    /// Slow at both ends.
    Smooth,
}

impl Curve {
    /// Returns the progress, 0 to 1, at a share of the time.
    pub(crate) fn at(self, share: f64) -> f64 {
        match self {
            Self::Linear => share,
            Self::EaseIn => share * share,
            Self::EaseOut => share * (2.0 - share),
            Self::Smooth => share * share * (3.0 - 2.0 * share),
        }
    }

    /// Returns the mean progress between two shares of the time: by Simpson's rule, which is exact for cubic curves.
    pub(crate) fn mean(self, from: f64, to: f64) -> f64 {
        (self.at(from) + 4.0 * self.at(0.5 * (from + to)) + self.at(to)) / 6.0
    }
}

impl Fade {
    /// Changes at once.
    pub const CUT: Self = Self::cross(0.0);

    /// A linear crossfade. If `seconds` is not positive and finite, it changes at once. More than 10⁹ seconds count as 10⁹.
    #[must_use]
    pub const fn cross(seconds: f32) -> Self {
        Self {
            seconds: if seconds > 0.0 && seconds.is_finite() { seconds.min(1e9) } else { 0.0 },
            curve: Curve::Linear,
            inertial: false,
        }
    }

    /// A fade without the old motion: the difference between old and new pose ends after `seconds`. Where a layer has
    /// no pose before or after, it is a crossfade.
    ///
    /// Each number of the difference follows a quintic that begins with the old velocity, and ends at rest (D. Bollo,
    /// *Inertialization*, GDC 2018). Differences that vanish fast by themselves end earlier, after a quarter of the
    /// time at the earliest.
    #[must_use]
    pub const fn inertial(seconds: f32) -> Self {
        Self { inertial: true, ..Self::cross(seconds) }
    }

    /// Sets the progress of a crossfade over time.
    #[must_use]
    pub const fn curve(self, curve: Curve) -> Self {
        Self { curve, ..self }
    }
}

impl From<f32> for Fade {
    fn from(seconds: f32) -> Self {
        Self::cross(seconds)
    }
}
