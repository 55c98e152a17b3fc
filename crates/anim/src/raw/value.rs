//! The types of key values.

use glam::{DQuat, DVec3, DVec4, Quat, Vec3};

/// The type of the values in a [`Track`](crate::raw::Track): [`Vec3`], [`Quat`] or `f32`.
///
/// The trait is sealed and has no public methods.
pub trait TrackValue: Copy + core::fmt::Debug + PartialEq + Send + Sync + 'static + sealed::Value {}

impl TrackValue for Vec3 {}
impl TrackValue for Quat {}
impl TrackValue for f32 {}

pub(crate) mod sealed {
    /// The arithmetic of values in double precision, with four numbers each; unused numbers are zero.
    pub trait Value: Copy {
        /// Whether values are rotations, which are interpolated along arcs.
        const ROTATION: bool;
        /// The value with 0 in each component: a tangent without effect.
        const ZERO: Self;
        /// Converts to double precision, without normalising.
        fn widen(self) -> glam::DVec4;
        /// Rounds to single precision.
        fn narrow(wide: glam::DVec4) -> Self;
        /// Normalises the result of an interpolation if it is a rotation.
        fn normalise(wide: glam::DVec4) -> glam::DVec4;
        /// Interpolates two normalised values as glTF does: rotations along the shorter arc at constant speed.
        fn between(a: glam::DVec4, b: glam::DVec4, t: f64) -> glam::DVec4;
        /// Interpolates as a player does: rotations along the shorter arc by normalised sums.
        fn chord(a: glam::DVec4, b: glam::DVec4, t: f64) -> glam::DVec4;
        /// Returns the distance between two normalised values; for rotations, from `a` to the nearer of `b` and `-b`.
        fn distance(a: glam::DVec4, b: glam::DVec4) -> f64;
        /// Returns whether a key may have this value; a rotation must not be zero.
        fn is_sound(self) -> bool;
    }
}

/// Implements the methods that numbers and vectors share.
macro_rules! plain {
    () => {
        const ROTATION: bool = false;

        fn distance(a: DVec4, b: DVec4) -> f64 {
            (a - b).length()
        }

        fn normalise(wide: DVec4) -> DVec4 {
            wide
        }

        fn between(a: DVec4, b: DVec4, t: f64) -> DVec4 {
            a + (b - a) * t
        }

        fn chord(a: DVec4, b: DVec4, t: f64) -> DVec4 {
            a + (b - a) * t
        }

        fn is_sound(self) -> bool {
            true
        }
    };
}

impl sealed::Value for f32 {
    const ZERO: Self = 0.0;

    fn widen(self) -> DVec4 {
        DVec4::new(f64::from(self), 0.0, 0.0, 0.0)
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
    fn narrow(wide: DVec4) -> Self {
        wide.x as Self
    }

    plain!();
}

impl sealed::Value for Vec3 {
    const ZERO: Self = Self::ZERO;

    fn widen(self) -> DVec4 {
        DVec3::from(self).extend(0.0)
    }

    fn narrow(wide: DVec4) -> Self {
        wide.truncate().as_vec3()
    }

    plain!();
}

impl sealed::Value for Quat {
    const ROTATION: bool = true;
    const ZERO: Self = Self::from_xyzw(0.0, 0.0, 0.0, 0.0);

    fn distance(a: DVec4, b: DVec4) -> f64 {
        (nearer(a, b) - a).length()
    }

    fn widen(self) -> DVec4 {
        self.as_dquat().into()
    }

    fn narrow(wide: DVec4) -> Self {
        DQuat::from_vec4(wide).as_quat()
    }

    fn normalise(wide: DVec4) -> DVec4 {
        // A cubic curve may pass through zero, where any direction will do.
        let length = wide.length();
        if length > 0.0 { wide / length } else { DVec4::W }
    }

    fn between(a: DVec4, b: DVec4, t: f64) -> DVec4 {
        let b = nearer(a, b);
        // Computes the angle from its sine and cosine, because an arc cosine alone loses half of the digits near zero.
        let angle = 2.0 * (b - a).length().atan2((a + b).length());
        let sine = angle.sin();
        if sine < 1e-9 {
            return Self::normalise(a + (b - a) * t);
        }
        Self::normalise((a * ((1.0 - t) * angle).sin() + b * (t * angle).sin()) / sine)
    }

    fn chord(a: DVec4, b: DVec4, t: f64) -> DVec4 {
        Self::normalise(a + (nearer(a, b) - a) * t)
    }

    fn is_sound(self) -> bool {
        self.widen().length_squared() > 0.0
    }
}

/// Returns `b` or `-b`, whichever is nearer to `a`.
fn nearer(a: DVec4, b: DVec4) -> DVec4 {
    if a.dot(b) < 0.0 { -b } else { b }
}
