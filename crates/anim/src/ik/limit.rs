//! Limits of joints, without angles: by their sines and cosines, or those of half of them.

use super::math::{M, Number, Q, V, half_angle, within};
use crate::glam::Vec3;
use core::f32::consts::PI;

/// How far a joint of a [`Chain`](crate::ik::Chain) may turn from its rotation at rest. Angles are in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Limit {
    /// In any way.
    #[default]
    Free,
    /// About one axis in the joint's space, between two angles from −π to π.
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
    rest: Q,
    /// The sines and cosines of half the greatest angles.
    swing: (f32, f32),
    twist: (f32, f32),
}

/// A hinge, in a frame whose third axis is its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hinge {
    /// The axes of the frame in the joint's space.
    own: M,
    /// The same at rest, in the space of the joint's parent.
    rest: M,
    /// The rotation at rest, and after a half turn about the axis.
    turns: [Q; 2],
    /// The limits, each with its [rank](Angle::rank).
    least: (Angle, f32),
    most: (Angle, f32),
}

/// An angle from −π to π: its cosine and sine, or multiples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Angle {
    x: f32,
    y: f32,
}

impl Angle {
    pub(super) const ZERO: Self = Self { x: 1.0, y: 0.0 };

    fn new(angle: f32) -> Self {
        let (y, x) = half_angle(2.0 * angle);
        // Single precision has no π, and the nearest number is beyond it.
        Self { x, y: if angle < 0.0 { y.min(-0.0) } else { y.max(0.0) } }
    }

    const fn opposite(self) -> Self {
        Self { x: self.x, y: -self.y }
    }

    /// Returns a number from −2 to 2 that rises with the angle: the sine where a circle is drawn as a diamond.
    #[inline(always)]
    fn rank(self) -> f32 {
        let part = self.y / (self.x.abs() + self.y.abs());
        if self.x < 0.0 { 2_f32.copysign(self.y) - part } else { part }
    }

    /// Returns the vector, turned about the third axis.
    #[inline(always)]
    fn turn(self, v: V) -> V {
        V::new(self.x * v.x - self.y * v.y, self.y * v.x + self.x * v.y, v.z)
    }
}

impl Hinge {
    fn new(rest: Q, axis: Vec3, least: f32, most: f32) -> Self {
        let axis = V::from(axis).unit_or(V::X);
        let most = within(most, -PI, PI);
        let [least, most] = [within(least, -PI, most), most].map(Angle::new).map(|angle| (angle, angle.rank()));
        let own = M::frame(axis.any_across(), axis);
        Self { own, rest: M(own.0.map(|axis| rest * axis)), turns: [rest, rest * Q { v: axis, w: 0.0 }], least, most }
    }

    /// Returns the nearest angle within the limits, given multiples of its cosine and sine, and the factor that undoes
    /// them.
    #[inline(always)]
    fn nearest(&self, angle: Angle, back: f32) -> Angle {
        // Half a turn is π, not −π. What depends on the angle is selected: processors guess such branches wrong.
        let rank = Angle { x: angle.x, y: angle.y + 0.0 }.rank();
        let pick = |own: f32, least: f32, most: f32| {
            let own = if rank < self.least.1 { least } else { own * back };
            if rank > self.most.1 { most } else { own }
        };
        let (least, most) = (self.least.0, self.most.0);
        Angle { x: pick(angle.x, least.x, most.x), y: pick(angle.y, least.y, most.y) }
    }

    /// Returns the nearest angle within the limits, given a multiple of a rotation.
    pub(super) fn angle(&self, rotation: Q) -> Angle {
        let [rest, turned] = self.turns.map(|turn| turn.dot(rotation));
        let (sine, cosine) = half(turned, rest);
        self.nearest(Angle { x: cosine * cosine - sine * sine, y: 2.0 * sine * cosine }, 1.0)
    }

    pub(super) fn rotation(&self, angle: Angle) -> Q {
        let Angle { x, y } = angle;
        let (sine, cosine) = if x < 0.0 { half(1.0 - x, y) } else { half(y, 1.0 + x) };
        let [rest, turned] = self.turns;
        rest.times(cosine) + turned.times(sine)
    }

    /// Takes a vector from the joint's space to that of its parent.
    #[inline(always)]
    pub(super) fn turn(&self, angle: Angle, from: V) -> V {
        self.rest * angle.turn(self.own.transpose() * from)
    }

    /// Takes a vector from the space of the joint's parent to the frame at rest.
    #[inline(always)]
    pub(super) fn at_rest(&self, to: V) -> V {
        self.rest.transpose() * to
    }

    /// Takes a vector from the frame at rest to the joint's space.
    #[inline(always)]
    pub(super) fn turn_back(&self, angle: Angle, to: V) -> V {
        self.own * angle.opposite().turn(to)
    }

    /// Returns the angle within the limits that turns `from` nearest to `to`, and where it brings `from`. Only `to` is
    /// in the frame at rest.
    #[inline(always)]
    pub(super) fn aim(&self, angle: Angle, from: V, to: V) -> (Angle, V) {
        let from = self.own.transpose() * from;
        let way = Angle { x: from.x * to.x + from.y * to.y, y: from.x * to.y - from.y * to.x };
        let square = way.x * way.x + way.y * way.y;
        // Where one of both is along the hinge, turns about it move nothing, and rounding would choose one.
        let moves = square > 1e-10 * from.square() * to.square() && square > 1e-30 && square < 1e30;
        let angle = if moves { self.nearest(way, square.over_root()) } else { angle };
        (angle, self.rest * angle.turn(from))
    }
}

/// Returns the sine and the cosine of the half of an angle from −π to π, given multiples; of 0 if both are 0. The
/// cosine is above 0, and the sine rises with the angle.
#[inline]
fn half(sine: f32, cosine: f32) -> (f32, f32) {
    let square = sine * sine + cosine * cosine;
    if !(square > 1e-30 && square < 1e30) {
        return (0.0, 1.0);
    }
    let back = square.over_root();
    let back = if cosine < 0.0 { -back } else { back };
    (sine * back, cosine * back)
}

impl Bound {
    pub(super) fn new(rest: Q, limit: Limit) -> Self {
        match limit {
            Limit::Free => Self::Free,
            Limit::Hinge { axis, least, most } => Self::Hinge(Hinge::new(rest, axis, least, most)),
            Limit::Cone { swing, twist } => {
                let [swing, twist] = [swing, twist].map(|most| half_angle(within(most, 0.0, PI)));
                Self::Cone(Cone { rest, swing, twist })
            }
        }
    }

    pub(super) fn is_free(&self) -> bool {
        matches!(self, Self::Free)
    }
}

impl Cone {
    /// Returns the rotation at rest, then after half turns about the bone and about two axes across it, given the bone's
    /// direction. All rotations are sums of multiples of these four.
    pub(super) fn basis(&self, bone: V) -> [Q; 4] {
        let M([x, y, z]) = M::frame(bone.any_across(), bone);
        let [x, y, z] = [z, x, y].map(|axis| self.rest * Q { v: axis, w: 0.0 });
        [self.rest, x, y, z]
    }

    /// Returns the rotation within the limits that is nearest, given a multiple of a rotation, and the basis.
    ///
    /// In terms of the basis, w and x are the twist about the bone, y and z the swing that follows: as complex numbers
    /// C e^{iτ} and S e^{i(σ − τ)}, where C and S are cosine and sine of half the swing.
    #[inline(always)]
    pub(super) fn nearest(&self, rotation: Q, [a, b, c, d]: &[Q; 4]) -> Q {
        let (w, x, y, z) = (a.dot(rotation), b.dot(rotation), c.dot(rotation), d.dot(rotation));
        // After a swing by half a turn, the twist may be any.
        let (w, x) = if w * w + x * x > 1e-30 { (w, x) } else { (1e-15, 0.0) };
        let ((most_sine, most_cosine), (swing_sine, swing_cosine)) = (self.twist, self.swing);
        let (along, across) = (w * w + x * x, y * y + z * z);
        // Selected, not branched on: processors guess such branches wrong. Roots and quotients are waited for once.
        let pick = |condition: bool, yes: f32, no: f32| if condition { yes } else { no };
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
}

/// Returns a multiple of the rotation that turns `from` to the unit vector `to`, given the present one, which stays if
/// `to` is zero. Only `to` is in the space of the joint's parent.
#[inline(always)]
pub(super) fn aim(turn: Q, from: V, to: V) -> Q {
    turn.then_shortest_if_exact(from, to, from.square().sqrt()).unwrap_or_else(|| aim_far(turn, from, to))
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
