//! A track's curve as points that a reduction is held against.

use crate::anim::raw::track::{Interpolation, Track};
use crate::anim::raw::value::TrackValue;
use glam::DVec4;

/// How often the time between two keys is halved at most.
const HALVINGS: u32 = 10;
/// An arc with a longer chord is looked at in its middle, too.
const BENT: f64 = 0.03;

/// Points of a curve in the order of their times; those that may become keys, *stops*, and those that are keys.
#[derive(Debug)]
pub(super) struct Marks {
    pub(super) times: Vec<f64>,
    /// Settled: rotations are unit quaternions.
    pub(super) values: Vec<DVec4>,
    /// Which marks may become keys of straight lines; their times are exact in single precision.
    pub(super) stops: Vec<usize>,
    /// Which marks are the track's keys.
    pub(super) keys: Vec<usize>,
}

impl Marks {
    /// The keys of a track and what lies between them. Where `lines` are to replace the curve, there are stops enough
    /// that lines through all of them keep to a quarter of the tolerance, as far as halving and single precision go.
    pub(super) fn new<V: TrackValue>(track: &Track<V>, tolerance: f64, lines: bool) -> Self {
        let keys = track.len();
        let mut marks = Self {
            times: Vec::with_capacity(keys),
            values: Vec::with_capacity(keys),
            stops: Vec::with_capacity(keys),
            keys: Vec::with_capacity(keys),
        };
        // No tolerance is finer than what single precision can show.
        let size = track.values().iter().map(|value| value.widen().abs().max_element()).fold(0.0, f64::max);
        let fine = Fine { quarter: 0.25 * tolerance.max(1e-7 * size.min(1e30)), cursor: 0 };
        let mut curve = Curve { track, fine, marks: &mut marks };
        for key in 0..keys {
            if key > 0 {
                let (from, until) = (track.times()[key - 1], track.times()[key]);
                match track.interpolation() {
                    Interpolation::Linear if V::ROTATION && lines => curve.divide(from, until, HALVINGS),
                    Interpolation::Cubic if lines => curve.divide(from, until, HALVINGS),
                    Interpolation::Cubic => [0.25, 0.5, 0.75].iter().for_each(|part| curve.between(from, until, *part)),
                    Interpolation::Step | Interpolation::Linear => {}
                }
            }
            curve.marks.keys.push(curve.marks.times.len());
            curve.stop(track.times()[key]);
        }
        marks
    }

    /// Whether all marks from one to before another are as near to a value as asked.
    pub(super) fn hold<V: TrackValue>(&self, marks: core::ops::Range<usize>, value: DVec4, tolerance: f64) -> bool {
        self.values[marks].iter().all(|&mark| V::distance(mark, value) <= tolerance)
    }
}

struct Fine {
    quarter: f64,
    cursor: usize,
}

/// A track that marks are made of.
struct Curve<'a, V> {
    track: &'a Track<V>,
    fine: Fine,
    marks: &'a mut Marks,
}

impl<V: TrackValue> Curve<'_, V> {
    fn at(&mut self, time: f64) -> DVec4 {
        self.track.at(time, &mut self.fine.cursor)
    }

    fn mark(&mut self, time: f64) {
        let value = self.at(time);
        self.marks.times.push(time);
        self.marks.values.push(value);
    }

    fn stop(&mut self, time: f32) {
        self.marks.stops.push(self.marks.times.len());
        self.mark(f64::from(time));
    }

    fn between(&mut self, from: f32, until: f32, part: f64) {
        self.mark(f64::from(from) + (f64::from(until) - f64::from(from)) * part);
    }

    /// Marks between two times, and stops where a line between the two is not good enough.
    fn divide(&mut self, from: f32, until: f32, halvings: u32) {
        let (a, b) = (self.at(f64::from(from)), self.at(f64::from(until)));
        let cubic = self.track.interpolation() == Interpolation::Cubic;
        if !cubic && V::distance(a, b) <= BENT && self.is_even(a, b) {
            return;
        }
        let middle = from + (until - from) * 0.5;
        let is_near = |curve: &mut Self, part: f64| {
            let value = curve.at(f64::from(from) + (f64::from(until) - f64::from(from)) * part);
            V::distance(V::between(a, b, part), value) <= curve.fine.quarter
                && V::distance(V::chord(a, b, part), value) <= curve.fine.quarter
        };
        let divisible = halvings > 0 && from < middle && middle < until;
        if !divisible || [0.25, 0.5, 0.75].iter().all(|&part| is_near(self, part)) {
            self.between(from, until, 0.5);
            return;
        }
        self.divide(from, middle, halvings - 1);
        self.stop(middle);
        self.divide(middle, until, halvings - 1);
    }

    /// Whether a player's normalised sums run evenly enough along the arc, by [`unevenness`].
    fn is_even(&self, a: DVec4, b: DVec4) -> bool {
        unevenness(V::distance(a, b)) <= self.fine.quarter
    }
}

/// How far a normalised sum of two unit quaternions is at most from the point that constant speed along the arc reaches at the
/// same time, for arcs up to half a turn, by the length of the chord. The series begins with `angle³ / 6 · t (1 − t) (1 − 2 t)`,
/// at most 0.016 times the angle's cube; the factor has room for what follows, and for the arc's being longer than its chord.
pub(super) fn unevenness(chord: f64) -> f64 {
    0.03 * chord * chord * chord
}

#[cfg(test)]
mod tests {
    use super::unevenness;
    use crate::anim::raw::value::sealed::Value;
    use glam::{DQuat, DVec4, Quat};

    #[test]
    fn sums_are_no_more_uneven_than_said() {
        for step in 1..=180_u8 {
            let end = DVec4::from(DQuat::from_rotation_x(f64::from(step).to_radians()));
            let said = unevenness(Quat::distance(DVec4::W, end));
            let seen = (1..100_u8)
                .map(|part| f64::from(part) / 100.0)
                .map(|part| Quat::distance(Quat::between(DVec4::W, end, part), Quat::chord(DVec4::W, end, part)));
            let most = seen.fold(0.0, f64::max);
            assert!(most <= said && said <= 2.5 * most + 1e-12, "{most} and {said} at {step} degrees");
        }
    }
}
