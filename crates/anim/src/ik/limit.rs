//! Limits of joints, and the ways in which joints may turn within them. In double precision.

use super::math::{M, Number, Q, V, within};
use crate::glam::Vec3;
use core::f32::consts::PI;
use core::f64::consts::{FRAC_PI_2, TAU};
use hedgerow_math::internal::sines::sin_cos;

/// How far a joint of a [`Chain`](crate::ik::Chain) may turn from its rotation at rest. Angles are in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Limit {
    /// In any way.
    #[default]
    Free,
    /// About one axis in the joint's space, between two angles from −π to π; both together are no limit.
    Hinge {
        /// The axis.
        axis: Vec3,
        /// The least angle.
        least: f32,
        /// The greatest angle.
        most: f32,
    },
    /// The bone to the next joint swings by at most one angle, and twists about itself by at most another.
    Cone {
        /// The greatest angle between the bone and its direction at rest, from 0 to π.
        swing: f32,
        /// The greatest twist in both directions, from 0 to π.
        twist: f32,
    },
}

/// A limit of one joint, ready for use.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Free,
    Hinge(Hinge),
    Cone(Cone),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    rest: Q<f64>,
    /// The sines and cosines of half the greatest angles.
    swing: (f64, f64),
    twist: (f64, f64),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Hinge {
    /// In the space of the joint's parent.
    pub(super) axis: V<f64>,
    /// The rotation at rest, and after a half turn about the axis.
    turns: [Q<f64>; 2],
    /// The limits; infinite if they are a whole turn apart.
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Hinge {
    fn new(rest: Q<f64>, axis: Vec3, least: f32, most: f32) -> Self {
        let axis = V::from(axis).unit_or(V::X).all(1.0_f64);
        let axis = axis * axis.square().over_root();
        let most = within(most, -PI, PI);
        let least = within(least, -PI, most);
        let (least, most) = if most - least < 2.0 * PI { (least, most) } else { (f32::NEG_INFINITY, f32::INFINITY) };
        let turns = [rest, rest * Q { v: axis, w: 0.0 }];
        Self { axis: rest * axis, turns, least: least.into(), most: most.into() }
    }

    /// Returns the nearest angle, not yet within the limits.
    pub(super) fn angle(&self, rotation: Q<f64>) -> f64 {
        let [rest, turned] = self.turns.map(|turn| turn.dot(rotation));
        let angle = 2.0 * if rest < 0.0 { arc(-rest, -turned) } else { arc(rest, turned) };
        let middle = 0.5 * (self.least + self.most);
        // The same angle may be a turn away.
        if middle.is_finite() { near(angle, middle) } else { angle }
    }

    /// Returns the rotation by the nearest angle within the limits, with that angle.
    #[inline(always)]
    pub(super) fn turn(&self, angle: f64) -> (Q<f64>, f64) {
        let angle = angle.clamp(self.least, self.most);
        let (sine, cosine) = sin_cos(0.5 * angle);
        let [rest, turned] = self.turns;
        (rest.times(cosine) + turned.times(sine), angle)
    }

    /// Returns an angle by its share of the way from the least to the greatest.
    pub(super) fn at(&self, share: f64) -> f64 {
        if self.least.is_finite() { self.least + (self.most - self.least) * share } else { TAU * (share - 0.5) }
    }
}

/// Returns the same angle, at most a half turn from another.
fn near(angle: f64, other: f64) -> f64 {
    angle - TAU * ((angle - other) / TAU).round()
}

/// Returns the angle, from a quarter turn back to a quarter turn, of multiples of its cosine and sine; 0 if both are 0.
pub(super) fn arc(cosine: f64, sine: f64) -> f64 {
    let length = (cosine * cosine + sine * sine).sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return 0.0;
    }
    // A circle drawn as a diamond is at most 0.07 off, and Newton's step leaves a sixth of the cube.
    let mut angle = sine / (cosine + sine.abs()) * FRAC_PI_2;
    for _ in 0..2 {
        let (own_sine, own_cosine) = sin_cos(angle);
        angle += (sine * own_cosine - cosine * own_sine) / length;
    }
    angle
}

impl Bound {
    pub(super) fn new(rest: Q, limit: Limit) -> Self {
        let rest = rest.all(1.0_f64).unit();
        match limit {
            Limit::Free => Self::Free,
            Limit::Hinge { axis, least, most } => Self::Hinge(Hinge::new(rest, axis, least, most)),
            Limit::Cone { swing, twist } => {
                let [swing, twist] = [swing, twist].map(|most| sin_cos(0.5 * f64::from(within(most, 0.0, PI))));
                Self::Cone(Cone { rest, swing, twist })
            }
        }
    }

    pub(super) fn is_free(&self) -> bool {
        matches!(self, Self::Free)
    }

    /// Goes from `posed` to `turn`, which is within the limits, given the bone. Stays within them if `posed` is.
    pub(super) fn mix(&self, posed: Q, turn: Q, bone: V, weight: f32) -> Q {
        if weight >= 1.0 {
            return turn;
        }
        let wide = posed.all(1.0_f64).unit();
        let (nearest, mixed) = match self {
            Self::Free => return Q::mix(posed, turn, weight),
            Self::Hinge(hinge) => {
                let ((nearest, from), to) = (hinge.turn(hinge.angle(wide)), hinge.angle(turn.all(1.0)));
                // With limits not the short way, which may lead through what they exclude.
                let to = if hinge.least.is_finite() { to } else { near(to, from) };
                (nearest, hinge.turn(from + (to - from) * f64::from(weight)).0)
            }
            Self::Cone(cone) => {
                let basis = cone.basis(bone.unit_or(V::X));
                let nearest = cone.nearest(wide, &basis);
                (nearest, cone.nearest(Q::mix(nearest.first(), turn, weight).all(1.0), &basis))
            }
        };
        // A pose beyond the limits comes back little by little, so that no joint jumps when the weight leaves 0.
        let beyond = Q::mix((wide * nearest.inverse()).first(), Q::IDENTITY, weight);
        (beyond * mixed.first()).unit().near(posed)
    }
}

impl Cone {
    /// Returns the rotation at rest, then after half turns about the bone and about two axes across it, given the
    /// bone's direction. All rotations are sums of multiples of these four.
    pub(super) fn basis(&self, bone: V) -> [Q<f64>; 4] {
        // In double precision, or `nearest` would move each pose a little, even within the limits.
        let unit = |v: V<f64>| v * v.square().over_root();
        let (across, bone) = (bone.any_across().all(1.0_f64), unit(bone.all(1.0)));
        let M([x, y, z]) = M::frame(unit(across.across(bone)), bone);
        let [x, y, z] = [z, x, y].map(|axis| self.rest * Q { v: axis, w: 0.0 });
        [self.rest, x, y, z]
    }

    /// Returns the rotation within the limits that is nearest, given a multiple of a rotation, and the basis.
    ///
    /// In terms of the basis, w and x are the twist about the bone, y and z the swing that follows: as complex numbers
    /// C e^{iτ} and S e^{i(σ − τ)}, where C and S are cosine and sine of half the swing.
    #[inline(always)]
    pub(super) fn nearest(&self, rotation: Q<f64>, [a, b, c, d]: &[Q<f64>; 4]) -> Q<f64> {
        let (w, x, y, z) = (a.dot(rotation), b.dot(rotation), c.dot(rotation), d.dot(rotation));
        // After a swing by half a turn, the twist may be any.
        let (w, x) = if w * w + x * x > 1e-30 { (w, x) } else { (1e-15, 0.0) };
        let ((most_sine, most_cosine), (swing_sine, swing_cosine)) = (self.twist, self.swing);
        let (along, across) = (w * w + x * x, y * y + z * z);
        // Selected, not branched on: processors guess such branches wrong. Roots and quotients are waited for once.
        let pick = |condition: bool, yes: f64, no: f64| if condition { yes } else { no };
        let twists = x * x > most_sine * most_sine * along;
        let swings = across * (swing_cosine * swing_cosine) > along * (swing_sine * swing_sine) && across > 1e-30;
        let (back, all_back) = (along.over_root(), pick(swings, across, along + across).over_root());
        let (real, imaginary) = (pick(twists, most_cosine.copysign(w), w), pick(twists, most_sine.copysign(x), x));
        let (cosine, sine) = (w * real + x * imaginary, x * real - w * imaginary);
        let (cosine, sine) = (pick(twists, cosine, 1.0), pick(twists, sine, 0.0));
        let twist = pick(swings, swing_cosine * back, all_back) * pick(twists, along * back, 1.0);
        let swing = pick(swings, swing_sine * all_back, all_back) * pick(twists, back, 1.0);
        let (y, z) = (y * cosine - z * sine, y * sine + z * cosine);
        (a.times(twist * real) + b.times(twist * imaginary)) + (c.times(swing * y) + d.times(swing * z))
    }

    /// Returns the axes of twist, of swing away from rest, and across both, in the space of the joint's parent, each
    /// with whether the joint may turn backward and forward; given a rotation within the limits, the basis and the
    /// bone's direction.
    pub(super) fn axes(&self, rotation: Q<f64>, [a, b, c, d]: &[Q<f64>; 4], bone: V) -> [(V<f64>, [bool; 2]); 3] {
        let [w, x, y, z] = [a, b, c, d].map(|turn| turn.dot(rotation));
        let ((most_sine, _), (swing_sine, swing_cosine)) = (self.twist, self.swing);
        let (along, across) = (w * w + x * x, y * y + z * z);
        let twists = x * x < most_sine * most_sine * along * (1.0 - 1e-9);
        let swings = swing_sine > 1e-6;
        let swings_on = across * (swing_cosine * swing_cosine) < along * (swing_sine * swing_sine) * (1.0 - 1e-9);
        let now = rotation * bone.all(1.0);
        let fold = (self.rest * bone.all(1.0)).cross(now);
        let square = fold.square();
        let fold = if square > 1e-12 { fold * square.over_root() } else { now.first().any_across().all(1.0) };
        [
            (now, [twists || x * w > 0.0, twists || x * w < 0.0]),
            (fold, [swings, swings && swings_on]),
            (now.cross(fold), [swings; 2]),
        ]
    }
}

/// Returns a multiple of the rotation that turns `from` to `to`, also near half turns; the present one if either vector
/// has no direction.
#[cold]
pub(super) fn aim_far(turn: Q, from: V, to: V) -> Q {
    match (from.polar().1, to.polar().1) {
        (Some(from), Some(to)) => Q::shortest(turn * from, to, || turn * V::new(0.0, 0.0, 1.0)) * turn,
        _ => turn,
    }
}
