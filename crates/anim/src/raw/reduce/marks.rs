//! The points of a track's curve at which a reduction is compared with the curve, and the tolerance at each point.
//!
//! A line within a tolerance at two marks may exceed it between the marks. So the tolerance at a mark is reduced:
//!
//! - Between two marks, the curve deviates from the straight line by at most the *bend*. For a cubic *c*, the bend is
//!   `h² / 8 · max |c″|`, where *h* is the time between the marks; `c″` is greatest at a mark. A line that is off by at
//!   most *e* at both marks is off by at most `e + bend` from the curve between the marks.
//! - For rotations, lines are arcs. If the ends of two arcs of at most the angle *2γ* are *e* apart, the arcs are at
//!   most `e (1 / cos γ + sin γ / cos² γ) ≤ e / (1 − γ)` apart. A cubic *c* of quaternions is normalised, so the bend
//!   of *c* is divided by the least length of *c*. Two terms are added, one for unequal lengths at the marks and one
//!   for the uneven speed of a normalised sum.

use crate::raw::track::{Interpolation, Track, hermite};
use crate::raw::value::TrackValue;
use bumpalo::Bump;
use bumpalo::collections::Vec;
use core::ops::Range;
use glam::DVec4;

/// The greatest number of stops in addition to a track's keys, which bounds memory and time.
const MOST_LINES: usize = 1 << 20;
/// The greatest angle between the quaternions of two marks, in radians.
const ARC: f64 = 0.05;

/// Points of a curve in ascending order of time. *Stops* are the points that may become keys.
#[derive(Debug)]
pub(super) struct Marks<'b> {
    pub(super) times: Vec<'b, f64>,
    /// The normalised values: rotations are unit quaternions.
    pub(super) values: Vec<'b, DVec4>,
    /// The surroundings of each mark.
    beside: Vec<'b, Beside>,
    /// The marks that may become keys of straight lines; their times are exact in single precision.
    pub(super) stops: Vec<'b, usize>,
    /// The marks at the track's keys.
    pub(super) keys: Vec<'b, usize>,
}

/// The greater of two values: that of the interval before a mark, and that of the interval after the mark.
#[derive(Clone, Copy, Debug, Default)]
struct Beside {
    /// The deviation of the curve from the straight line, or from the arc at constant speed.
    bend: f64,
    /// The angle between the quaternions of a rotation, in radians.
    arc: f64,
    /// The length of the interval, in seconds.
    time: f64,
}

impl<'b> Marks<'b> {
    /// Marks a track's keys and points between them. If `lines`, adds stops at single-precision times until the lines
    /// between stops are within a quarter of the tolerance. Returns `None` if that takes too many stops.
    pub(super) fn new<V: TrackValue>(
        arena: &'b Bump,
        track: &Track<V>,
        tolerance: f64,
        size: f64,
        lines: bool,
    ) -> Option<Self> {
        let keys = track.len();
        let mut marks = Self {
            times: Vec::with_capacity_in(keys, arena),
            values: Vec::with_capacity_in(keys, arena),
            beside: Vec::with_capacity_in(keys, arena),
            stops: Vec::with_capacity_in(keys, arena),
            keys: Vec::with_capacity_in(keys, arena),
        };
        // A tolerance cannot be finer than single precision.
        let quarter = 0.25 * tolerance.max(1e-7 * size.min(1e30));
        let mut curve = Curve { track, piece: None, quarter, cursor: 0, marks: &mut marks };
        for key in 0..keys {
            if key > 0 {
                let (from, until) = (track.times()[key - 1], track.times()[key]);
                curve.piece = (track.interpolation() == Interpolation::Cubic).then(|| Piece::new(track, key - 1));
                match track.interpolation() {
                    Interpolation::Linear if V::ROTATION && lines => curve.divide(from, until),
                    Interpolation::Cubic if lines => curve.divide(from, until),
                    Interpolation::Cubic => curve.between(from, until, 4),
                    Interpolation::Step | Interpolation::Linear => {}
                }
            }
            curve.stop(track.times()[key]);
            let last = curve.marks.times.len() - 1;
            curve.marks.keys.push(last);
            if curve.is_full() {
                return None;
            }
        }
        Some(marks)
    }

    /// Returns whether the curve around a range of marks stays within the tolerance of a value.
    pub(super) fn hold<V: TrackValue>(&self, marks: Range<usize>, value: DVec4, tolerance: f64) -> bool {
        marks.into_iter().all(|mark| V::distance(self.values[mark], value) <= self.allowed(mark, tolerance, 0.0))
    }

    /// Returns how far a line may be from a mark and still stay within the tolerance up to the neighbouring marks. For
    /// a rotation, the line is an arc with this speed: the angle between quaternions, in radians per second.
    pub(super) fn allowed(&self, mark: usize, tolerance: f64, speed: f64) -> f64 {
        let Beside { bend, arc, time } = self.beside[mark];
        if tolerance == f64::INFINITY { tolerance } else { (tolerance - bend) * (1.0 - 0.5 * arc.max(speed * time)) }
    }

    /// Returns the time from a mark to the farther of its two neighbours, in seconds.
    pub(super) fn time_beside(&self, mark: usize) -> f64 {
        self.beside[mark].time
    }
}

/// A cubic track between two neighbouring keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    begin: f64,
    span: f64,
    /// The first value, both tangents for the whole piece, and the last value.
    hermite: [DVec4; 4],
}

impl Piece {
    /// Returns the piece after a key.
    pub(super) fn new<V: TrackValue>(track: &Track<V>, key: usize) -> Self {
        Self::over(track, key, key + 1)
    }

    /// Returns the curve from one key to another, ignoring the keys between them.
    pub(super) fn over<V: TrackValue>(track: &Track<V>, from: usize, until: usize) -> Self {
        let [begin, end] = [from, until].map(|key| f64::from(track.times()[key]));
        let span = end - begin;
        let (out, into) = (track.tangents(from).1.widen() * span, track.tangents(until).0.widen() * span);
        Self { begin, span, hermite: [track.value(from).widen(), out, into, track.value(until).widen()] }
    }

    /// Returns the part between two times.
    pub(super) fn part(&self, from: f64, until: f64) -> Self {
        let span = until - from;
        let [out, into] = [from, until].map(|time| self.slope(time) * span);
        Self { begin: from, span, hermite: [self.at(from), out, into, self.at(until)] }
    }

    /// Returns the Bézier control points.
    pub(super) fn hull(&self) -> [DVec4; 4] {
        let [a, out, into, b] = self.hermite;
        [a, a + out / 3.0, b - into / 3.0, b]
    }

    fn share(&self, time: f64) -> f64 {
        (time - self.begin) / self.span
    }

    fn at(&self, time: f64) -> DVec4 {
        let [a, out, into, b] = self.hermite;
        hermite(a, out, into, b, self.share(time))
    }

    /// Returns the first derivative, per second.
    fn slope(&self, time: f64) -> DVec4 {
        let ([a, out, into, b], t) = (self.hermite, self.share(time));
        let sum =
            (b - a) * (6.0 * t * (1.0 - t)) + out * (3.0 * t * t - 4.0 * t + 1.0) + into * (3.0 * t * t - 2.0 * t);
        sum / self.span
    }

    /// Returns the second derivative, per second squared.
    fn curvature(&self, time: f64) -> DVec4 {
        let ([a, out, into, b], t) = (self.hermite, self.share(time));
        ((b - a) * (6.0 - 12.0 * t) + out * (6.0 * t - 4.0) + into * (6.0 * t - 2.0)) / (self.span * self.span)
    }

    /// Returns the greatest deviation from the straight line, or from an arc at constant speed, between two times.
    fn bend<V: TrackValue>(&self, from: f64, until: f64) -> f64 {
        let time = until - from;
        // The greatest distance of a curve from its chord is h²/8 times its greatest second derivative.
        let bend = time * time / 8.0 * self.curvature(from).length().max(self.curvature(until).length());
        if !V::ROTATION {
            return bend;
        }
        // A lower bound for the length of the quaternions on the line from `a` to `b`.
        let (a, b) = (self.at(from), self.at(until));
        let least = 0.5 * ((a + b).length() - (b - a).length());
        // The quaternion may vanish between both ends.
        if bend >= least {
            return f64::INFINITY;
        }
        let apart = V::distance(V::normalise(a), V::normalise(b));
        // A sum of quaternions of different lengths is nearer to the longer quaternion.
        let (short, long) = (a.length().min(b.length()), a.length().max(b.length()));
        let shift = (long - short) / (4.0 * short) * 2.0 * tangent(apart);
        bend / (least - 0.5 * bend) + shift + unevenness(apart)
    }
}

/// A track and the marks that are made from it.
struct Curve<'a, 'b, V> {
    track: &'a Track<V>,
    /// The piece between the current keys, if the track is cubic.
    piece: Option<Piece>,
    quarter: f64,
    cursor: usize,
    marks: &'a mut Marks<'b>,
}

impl<V: TrackValue> Curve<'_, '_, V> {
    /// Returns whether there are more stops than allowed.
    fn is_full(&self) -> bool {
        self.marks.stops.len() > self.track.len() + MOST_LINES
    }

    fn at(&mut self, time: f64) -> DVec4 {
        self.track.at(time, &mut self.cursor)
    }

    fn mark(&mut self, time: f64) {
        let value = self.at(time);
        let mut beside = Beside::default();
        if let (Some(&last), Some(&from)) = (self.marks.times.last(), self.marks.values.last()) {
            if V::ROTATION && self.track.interpolation() != Interpolation::Step {
                beside.arc = angle(V::distance(from, value));
            }
            beside.time = time - last;
            // Between two adjacent single-precision times there is nothing to sample.
            if !are_neighbours(last, time) {
                beside.bend = self.piece.map_or(0.0, |piece| piece.bend::<V>(last, time));
            }
            let before = self.marks.beside.last_mut().expect("one a mark");
            // A mark stands for both of its sides.
            before.bend = before.bend.max(beside.bend);
            before.arc = before.arc.max(beside.arc);
            before.time = before.time.max(beside.time);
        }
        self.marks.times.push(time);
        self.marks.values.push(value);
        self.marks.beside.push(beside);
    }

    fn stop(&mut self, time: f32) {
        self.marks.stops.push(self.marks.times.len());
        self.mark(f64::from(time));
    }

    /// Adds marks that divide the time between two stops into this many parts.
    fn between(&mut self, from: f32, until: f32, parts: u32) {
        let (from, until) = (f64::from(from), f64::from(until));
        (1..parts).for_each(|part| self.mark(from + (until - from) * f64::from(part) / f64::from(parts)));
    }

    /// Adds marks between two times. Also adds stops where one line is not accurate enough.
    fn divide(&mut self, from: f32, until: f32) {
        let middle = from + (until - from) * 0.5;
        // Adjacent floats have no middle, which bounds the recursion to the bits of a float.
        if !(from < middle && middle < until) || self.is_full() {
            return;
        }
        let (begin, end) = (f64::from(from), f64::from(until));
        let (a, b) = (self.at(begin), self.at(end));
        let apart = V::distance(a, b);
        // A player interpolates rotations by normalised sums.
        let uneven = if V::ROTATION { unevenness(apart) } else { 0.0 };
        let bend = self.piece.map_or(0.0, |piece| piece.bend::<V>(begin, end));
        if bend + uneven > self.quarter {
            self.divide(from, middle);
            self.stop(middle);
            self.divide(middle, until);
            return;
        }
        // Halving the distance between marks reduces the bend to a quarter.
        let least = if self.piece.is_some() { 2 } else { 1 };
        let arcs = if V::ROTATION { (angle(apart) / ARC).ceil() } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an angle is small")]
        self.between(from, until, least.max(arcs as u32));
    }
}

/// Returns whether at most one single-precision time lies between two times.
fn are_neighbours(from: f64, until: f64) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
    let (from, until) = (from as f32, until as f32);
    until <= from.next_up()
}

/// Returns the angle between two unit quaternions at this distance from each other, in radians.
fn angle(distance: f64) -> f64 {
    2.0 * (0.5 * distance).min(1.0).asin()
}

/// Returns the tangent of half the angle between two unit quaternions at this distance, which is capped at √2.
pub(super) fn tangent(distance: f64) -> f64 {
    let half = 0.5 * distance.min(core::f64::consts::SQRT_2);
    half / (1.0 - half * half).sqrt()
}

/// Returns a bound for how far a normalised sum of two unit quaternions deviates from constant speed along the arc,
/// given the chord's length. The arc is at most half a turn. The series starts with `angle³ / 6 · t (1 − t) (1 − 2 t)`,
/// at most 0.016 times the angle cubed. The factor 0.03 also covers later terms, and arcs longer than the chord.
pub(super) fn unevenness(chord: f64) -> f64 {
    0.03 * chord * chord * chord
}

#[cfg(test)]
mod tests {
    use super::unevenness;
    use crate::raw::value::sealed::Value;
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
