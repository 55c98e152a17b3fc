//! Limits of joints, without angles: by sines and cosines of half of them.

use super::math::{Number, Q, V, half_angle, within};
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
pub(super) struct Bound {
    rest: Q,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Free,
    /// The axis in the joint's space, and the rotation at rest after a half turn about it.
    Hinge {
        axis: V,
        half: Q,
        range: Range,
    },
    Cone {
        swing: (f32, f32),
        range: Range,
    },
}

/// The sines and cosines of the halves of two angles between which a turn stays.
#[derive(Clone, Copy, Debug)]
struct Range([(f32, f32); 2]);

impl Range {
    fn new(least: f32, most: f32) -> Self {
        let most = within(most, -PI, PI);
        Self([within(least, -PI, most), most].map(half_angle))
    }

    /// Returns the nearest half angle, given its sine and cosine.
    #[inline]
    fn nearest(&self, (sine, cosine): (f32, f32)) -> (f32, f32) {
        let [least, most] = self.0;
        // Selected, not branched on: processors guess such branches wrong.
        let cosine = if sine < least.0 { least.1 } else { cosine };
        let cosine = if sine > most.0 { most.1 } else { cosine };
        (sine.at_least(least.0).at_most(most.0), cosine)
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
        let kind = match limit {
            Limit::Free => Kind::Free,
            Limit::Hinge { axis, least, most } => {
                let axis = V::from(axis).unit_or(V::X);
                Kind::Hinge { axis, half: rest * Q { v: axis, w: 0.0 }, range: Range::new(least, most) }
            }
            Limit::Cone { swing, twist } => {
                let twist = twist.max(0.0);
                Kind::Cone { swing: Range::new(0.0, swing.max(0.0)).0[1], range: Range::new(-twist, twist) }
            }
        };
        Self { rest, kind }
    }

    pub(super) fn is_free(&self) -> bool {
        matches!(self.kind, Kind::Free)
    }

    /// Returns the rotation within the limits that turns `from` nearest to `to`, given the present rotation and the
    /// bone's direction. Only `to` is in the space of the joint's parent.
    #[inline]
    pub(super) fn aim(&self, turn: Q, from: V, to: V, bone: V) -> Q {
        if let Kind::Hinge { axis, half: turned, range } = self.kind {
            // The angle between the parts across the hinge. What does not wait for `from` comes first.
            let to = self.rest.inverse() * to;
            let (x, y) = (from.dot(to.across(axis)), from.dot(to.cross(axis)));
            let square = x * x + y * y;
            // Where one of both is along the hinge, turns about it move nothing, and rounding would choose one.
            if square <= 1e-10 * from.square() * to.square() {
                return turn;
            }
            let size = square.sqrt();
            let (sine, cosine) = if x < 0.0 { (size - x, y) } else { (y, size + x) };
            let (sine, cosine) = range.nearest(half(sine, cosine));
            return self.rest.times(cosine) + turned.times(sine);
        }
        let unit = to * (from.square() * to.square()).over_root();
        let turned = turn.then_shortest_if_exact(from, unit, 1.0);
        self.nearest(turned.unwrap_or_else(|| aim_far(turn, from, to)), bone)
    }

    /// Returns the rotation within the limits that is nearest, given a multiple of a rotation and the bone's direction.
    #[inline]
    pub(super) fn nearest(&self, rotation: Q, bone: V) -> Q {
        match self.kind {
            Kind::Free => rotation.unit(),
            Kind::Hinge { axis, half: turned, range } => {
                let old = self.rest.inverse() * rotation;
                let (sine, cosine) = range.nearest(half(old.v.dot(axis), old.w));
                self.rest.times(cosine) + turned.times(sine)
            }
            Kind::Cone { swing, range } => {
                let turned = self.rest.inverse() * rotation;
                // First the twist about the bone, then the swing of the bone.
                let (sine, cosine) = half(turned.v.dot(bone), turned.w);
                let lean = turned * Q { v: bone * -sine, w: cosine };
                let lean = lean.times(turned.dot(turned).over_root()).near(Q::IDENTITY);
                let lean = if lean.w < swing.1 {
                    Q { v: lean.v.unit_or(bone.any_across()) * swing.0, w: swing.1 }
                } else {
                    lean
                };
                let (sine, cosine) = range.nearest((sine, cosine));
                self.rest * (lean * Q { v: bone * sine, w: cosine })
            }
        }
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
