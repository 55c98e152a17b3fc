//! A displacement with a turn about the up axis.

use super::Axis;
use crate::Transform;
use core::f64::consts::{PI, TAU};
use glam::{DQuat, DVec3, Vec3};
use hedgerow_math::internal::sines::sin_cos;

impl Axis {
    pub(super) const fn direction(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }
}

/// A turn about the up axis, then a displacement, in double precision: `p ↦ translation + turn(yaw) p`. Motions with
/// the same up axis form a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Planar {
    pub(super) translation: DVec3,
    /// The turn in radians, including whole turns.
    pub(super) yaw: f64,
}

impl Planar {
    /// Returns the turn by this many radians.
    pub(super) fn turn(yaw: f64, up: Axis) -> DQuat {
        let (sine, cosine) = sin_cos(0.5 * yaw);
        DQuat::from_vec4((up.direction() * sine).extend(cosine))
    }

    /// Returns this motion followed by `next`.
    pub(super) fn then(self, next: Self, up: Axis) -> Self {
        Self { translation: self.translation + Self::turn(self.yaw, up) * next.translation, yaw: self.yaw + next.yaw }
    }

    pub(super) fn inverse(self, up: Axis) -> Self {
        Self { translation: -(Self::turn(-self.yaw, up) * self.translation), yaw: -self.yaw }
    }

    /// Returns the motion repeated `times` times; `times` is an integer and may be negative. The displacements `Σ
    /// turn(k·yaw) d` for k from 0 to n − 1 are edges of a regular polygon, so their sum is a chord of its circle.
    pub(super) fn repeated(self, times: f64, up: Axis) -> Self {
        if times < 0.0 {
            return self.inverse(up).repeated(-times, up);
        }
        // Wrap to half a turn, so that a turn close to a whole turn counts as small.
        let yaw = (self.yaw + PI).rem_euclid(TAU) - PI;
        let rise = self.translation.project_onto_normalized(up.direction());
        let level = self.translation - rise;
        let half = 0.5 * yaw;
        let (sine, _) = sin_cos(half);
        let chord = if sine.abs() < 1e-12 { times } else { sin_cos(times * half).0 / sine };
        Self {
            translation: rise * times + Self::turn((times - 1.0) * half, up) * level * chord,
            yaw: (times * yaw).rem_euclid(TAU),
        }
    }

    /// Interpolates displacement and turn linearly.
    pub(super) fn lerp(self, other: Self, t: f64) -> Self {
        Self { translation: self.translation.lerp(other.translation, t), yaw: self.yaw + (other.yaw - self.yaw) * t }
    }

    pub(super) fn to_transform(self, up: Axis) -> Transform {
        Transform {
            translation: self.translation.as_vec3().clamp(Vec3::MIN, Vec3::MAX),
            rotation: Self::turn(self.yaw, up).as_quat(),
            scale: Vec3::ONE,
        }
    }
}
