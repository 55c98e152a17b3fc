//! The effect of a track's error on points of the model.
//!
//! A point *p* of joint *n* is at `M₀ M₁ … Mₙ p`. If the transforms of the reduced clip replace the original
//! transforms, the point moves by at most the sum over the joints *i* of
//!
//! ```text
//! growth(i) · ( |Δt| + 2 |Δq| · scale(i) · reach(i) + |Δs| · reach(i) )
//! ```
//!
//! where `growth` is the product of the greatest scales above the joint. `reach` is the greatest distance from the
//! joint to a point that it moves, in the joint's space. A rotation that is off by the angle φ moves a point at the
//! distance 1 by `2 sin(φ/2) ≤ 4 sin(φ/4) = 2 |Δq|`. `|Δq|` is the distance of the two quaternions.

use super::Reduction;
use crate::raw::clip::RawClip;
use crate::raw::track::{Interpolation, Track};
use crate::raw::value::TrackValue;
use crate::raw::value::sealed::Value;
use crate::{Skeleton, raw::TrackPart};
use glam::{DVec4, Vec3};

/// The error in model space that results from an error of 1 in each part of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sensitivity {
    pub(super) translation: f64,
    pub(super) rotation: f64,
    pub(super) scale: f64,
}

impl Sensitivity {
    pub(super) const fn of(&self, part: TrackPart) -> f64 {
        match part {
            TrackPart::Translation => self.translation,
            TrackPart::Rotation => self.rotation,
            TrackPart::Scale => self.scale,
        }
    }
}

/// Computes the sensitivities of all joints.
pub(super) fn sensitivities(clip: &RawClip, skeleton: &Skeleton, reduction: &Reduction) -> Vec<Sensitivity> {
    let parents = skeleton.parents();
    let joints = clip.joint_numbers();
    let away = joints.clone().map(|joint| {
        let rest = skeleton.rest(joint);
        let length = |value: DVec4| value.length();
        let scale = |value: DVec4| value.abs().max_element();
        (largest(clip.translation(joint), rest.translation, length), largest(clip.scale(joint), rest.scale, scale))
    });
    let away: Vec<(f64, f64)> = away.collect();
    let mut reach: Vec<f64> = joints.clone().map(|joint| f64::from(reduction.bound(joint).1)).collect();
    for joint in (1..reach.len()).rev() {
        let (translation, scale) = away[joint];
        let parent = usize::from(parents[joint]);
        // The farthest point below a joint, in the joint's own space.
        reach[parent] = reach[parent].max(translation + scale * reach[joint]);
    }
    let mut growth = vec![1.0; reach.len()];
    for joint in 1..growth.len() {
        let parent = usize::from(parents[joint]);
        growth[joint] = growth[parent] * away[parent].1;
    }
    let sensitivity = |joint: usize| Sensitivity {
        translation: growth[joint],
        rotation: growth[joint] * 2.0 * away[joint].1 * reach[joint],
        scale: growth[joint] * reach[joint],
    };
    (0..reach.len()).map(sensitivity).collect()
}

/// Returns the greatest `measure` of a track, or of `rest` without one. A cubic curve lies in its Bézier points' hull.
fn largest(track: Option<&Track<Vec3>>, rest: Vec3, measure: impl Fn(DVec4) -> f64) -> f64 {
    let Some(track) = track else { return measure(rest.widen()) };
    let mut most = 0.0_f64;
    let mut see = |value: DVec4| most = most.max(measure(value));
    for key in 0..track.len() {
        see(track.value(key).widen());
        if key > 0 && track.interpolation() == Interpolation::Cubic {
            // The inner control points: a curve stays within the hull of all four.
            let third = f64::from(track.times()[key] - track.times()[key - 1]) / 3.0;
            see(track.value(key - 1).widen() + track.tangents(key - 1).1.widen() * third);
            see(track.value(key).widen() - track.tangents(key).0.widen() * third);
        }
    }
    most
}

/// Returns whether a track changes over time.
pub(super) fn moves<V: TrackValue>(track: &Track<V>) -> bool {
    let still = |key| {
        let (into, out) = track.tangents(key);
        track.value(key) == track.value(0) && into == V::ZERO && out == V::ZERO
    };
    track.len() > 1 && !(0..track.len()).all(still)
}

/// Returns whether a track bends so much between two keys that a reduction may insert keys there.
pub(super) fn is_bent<V: TrackValue>(track: &Track<V>) -> bool {
    /// The distance between the quaternions of two rotations that are 30 degrees apart.
    const WIDE: f64 = 0.26;
    let normalised = |key: usize| V::normalise(track.value(key).widen());
    match track.interpolation() {
        Interpolation::Step => false,
        Interpolation::Linear => {
            V::ROTATION && (1..track.len()).any(|key| V::distance(normalised(key - 1), normalised(key)) > WIDE)
        }
        Interpolation::Cubic => moves(track),
    }
}
