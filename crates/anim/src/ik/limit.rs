//! Limits of joints, without angles: by sines and cosines of half of them.

use super::math::{Q, V, half_angle, within};
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
    /// The axis in the joint's space, and in its parent's, where no turn about it moves it.
    Hinge {
        axis: V,
        fixed: V,
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

    /// Returns the nearest half angle, given multiples of its sine and cosine; 0 if both are 0.
    #[inline]
    fn nearest(&self, sine: f32, cosine: f32) -> (f32, f32) {
        let square = sine * sine + cosine * cosine;
        if !(square > 1e-30 && square < 1e30) {
            return self.nearest(0.0, 1.0);
        }
        // The half of an angle from −π to π has a cosine above 0, and its sine rises with it.
        let back = if cosine < 0.0 { -1.0 } else { 1.0 } / square.sqrt();
        let (sine, cosine) = (sine * back, cosine * back);
        let [least, most] = self.0;
        if sine < least.0 {
            least
        } else if sine > most.0 {
            most
        } else {
            (sine, cosine)
        }
    }
}

impl Bound {
    pub(super) fn new(rest: Q, limit: Limit) -> Self {
        let kind = match limit {
            Limit::Free => Kind::Free,
            Limit::Hinge { axis, least, most } => {
                let axis = V::from(axis).unit_or(V::X);
                Kind::Hinge { axis, fixed: rest * axis, range: Range::new(least, most) }
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

    /// Returns the rotation within the limits that turns `from` nearest to `to`, given the present rotation. `from` is
    /// turned by it; all are in the space of the joint's parent.
    #[inline]
    pub(super) fn aim(&self, turn: Q, from: V, to: V, bone: V) -> Q {
        if let Kind::Hinge { axis, fixed, range } = self.kind {
            // The angle between the parts across the hinge, then half of it, added to half of the present angle.
            let (x, y) = (from.dot(to) - from.dot(fixed) * to.dot(fixed), fixed.dot(from.cross(to)));
            let size = (x * x + y * y).sqrt();
            // Where one of both is along the hinge, turns about it move nothing, and rounding would choose one.
            if size * size <= 1e-10 * from.square() * to.square() {
                return turn;
            }
            let (sine, cosine) = if x < 0.0 { (size - x, y) } else { (y, size + x) };
            let old = self.rest.inverse() * turn;
            let (s, c) = (old.v.dot(axis), old.w);
            let (sine, cosine) = range.nearest(s * cosine + c * sine, c * cosine - s * sine);
            return self.rest * Q { v: axis * sine, w: cosine };
        }
        let size = (from.square() * to.square()).sqrt();
        let cosine = size + from.dot(to);
        let arc = if cosine > 0.2 * size && size < 1e30 {
            Q { v: from.cross(to), w: cosine }
        } else if let (Some(from), Some(to)) = (from.polar().1, to.polar().1) {
            Q::shortest(from, to, || turn * V::new(0.0, 0.0, 1.0))
        } else {
            Q::IDENTITY
        };
        self.nearest(arc * turn, bone)
    }

    /// Returns the rotation within the limits that is nearest, given a multiple of a rotation and the bone's direction.
    #[inline]
    pub(super) fn nearest(&self, rotation: Q, bone: V) -> Q {
        match self.kind {
            Kind::Free => rotation.unit(),
            Kind::Hinge { axis, range, .. } => {
                let turned = self.rest.inverse() * rotation;
                let (sine, cosine) = range.nearest(turned.v.dot(axis), turned.w);
                self.rest * Q { v: axis * sine, w: cosine }
            }
            Kind::Cone { swing, range } => {
                let turned = (self.rest.inverse() * rotation).unit();
                // First the twist about the bone, then the swing of the bone.
                let free = Range([(-1.0, 0.0), (1.0, 0.0)]);
                let (sine, cosine) = free.nearest(turned.v.dot(bone), turned.w);
                let lean = (turned * Q { v: bone * -sine, w: cosine }).near(Q::IDENTITY);
                let lean = if lean.w < swing.1 {
                    Q { v: lean.v.unit_or(bone.any_across()) * swing.0, w: swing.1 }
                } else {
                    lean
                };
                let (sine, cosine) = range.nearest(sine, cosine);
                (self.rest * (lean * Q { v: bone * sine, w: cosine })).unit()
            }
        }
    }
}
