//! A track's curve as points that a reduction is held against, and how far it may be from straight lines between these.
//!
//! What is within a tolerance at two marks need not be so between them. How much less is allowed at a mark, so that it is:
//!
//! - The curve leaves the line between two marks by at most its *bend*. For a cubic *c* that is `h² / 8 · max |c″|` over the
//!   time *h* between the marks, and `c″` is greatest at one of them. A straight line that is off by at most *e* at both marks
//!   is so between them, too, so it is off by at most `e + bend` from the curve.
//! - Of rotations, lines are arcs. Two arcs on a sphere, of at most the angle *2γ*, whose ends are *e* apart, are at most
//!   `e (1 / cos γ + sin γ / cos² γ) ≤ e / (1 − γ)` apart in between. A cubic *c* of quaternions is normalised: its bend is that
//!   of *c* over the least length that it has, and what its greater length at one mark and a normalised sum add to it.

use crate::raw::track::{Interpolation, Track, hermite};
use crate::raw::value::TrackValue;
use core::ops::Range;
use glam::DVec4;

/// How many stops a track may have besides its keys, so that memory and time have an end.
const MOST_LINES: usize = 1 << 20;
/// The widest angle between two marks of a rotation.
const ARC: f64 = 0.05;

/// Points of a curve in the order of their times; those that may become keys, *stops*, and those that are keys.
#[derive(Debug)]
pub(super) struct Marks {
    pub(super) times: Vec<f64>,
    /// Normalised: rotations are unit quaternions.
    pub(super) values: Vec<DVec4>,
    /// What lies beside each mark.
    beside: Vec<Beside>,
    /// Which marks may become keys of straight lines; their times are exact in single precision.
    pub(super) stops: Vec<usize>,
    /// Which marks are the track's keys.
    pub(super) keys: Vec<usize>,
}

/// What lies between a mark and its two neighbours: the greater of both.
#[derive(Clone, Copy, Debug, Default)]
struct Beside {
    /// How far the curve leaves the straight line, or the arc at constant speed.
    bend: f64,
    /// Of a rotation, how far it turns: the angle between the quaternions.
    arc: f64,
    /// The time.
    time: f64,
}

impl Marks {
    /// The keys of a track and what lies between them. Where `lines` are to replace the curve, there are stops enough
    /// that lines through all of them keep to a quarter of the tolerance wherever single precision has a time; none are
    /// the marks if that takes too many.
    pub(super) fn new<V: TrackValue>(track: &Track<V>, tolerance: f64, size: f64, lines: bool) -> Option<Self> {
        let keys = track.len();
        let mut marks = Self {
            times: Vec::with_capacity(keys),
            values: Vec::with_capacity(keys),
            beside: Vec::with_capacity(keys),
            stops: Vec::with_capacity(keys),
            keys: Vec::with_capacity(keys),
        };
        // No tolerance is finer than what single precision can show.
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

    /// Whether all marks from one to before another are so near to a value that the curve beside them is within the tolerance.
    pub(super) fn hold<V: TrackValue>(&self, marks: Range<usize>, value: DVec4, tolerance: f64) -> bool {
        marks.into_iter().all(|mark| V::distance(self.values[mark], value) <= self.allowed(mark, tolerance, 0.0))
    }

    /// How far a line may be from a mark, so that it is within the tolerance up to the marks beside it, too. Of a rotation the
    /// line is an arc, gone at so many radians of quaternions a second.
    pub(super) fn allowed(&self, mark: usize, tolerance: f64, speed: f64) -> f64 {
        let Beside { bend, arc, time } = self.beside[mark];
        if tolerance == f64::INFINITY { tolerance } else { (tolerance - bend) * (1.0 - 0.5 * arc.max(speed * time)) }
    }

    /// The longer time from a mark to one beside it.
    pub(super) fn time_beside(&self, mark: usize) -> f64 {
        self.beside[mark].time
    }
}

/// A cubic track between two of its keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    begin: f64,
    span: f64,
    /// Value, tangents for the whole piece, value.
    hermite: [DVec4; 4],
}

impl Piece {
    /// What follows a key.
    pub(super) fn new<V: TrackValue>(track: &Track<V>, key: usize) -> Self {
        Self::over(track, key, key + 1)
    }

    /// The curve from one key to another one, as if there were none between.
    pub(super) fn over<V: TrackValue>(track: &Track<V>, from: usize, until: usize) -> Self {
        let [begin, end] = [from, until].map(|key| f64::from(track.times()[key]));
        let span = end - begin;
        let (out, into) = (track.tangents(from).1.widen() * span, track.tangents(until).0.widen() * span);
        Self { begin, span, hermite: [track.value(from).widen(), out, into, track.value(until).widen()] }
    }

    /// Its part between two times.
    pub(super) fn part(&self, from: f64, until: f64) -> Self {
        let span = until - from;
        let [out, into] = [from, until].map(|time| self.slope(time) * span);
        Self { begin: from, span, hermite: [self.at(from), out, into, self.at(until)] }
    }

    /// As the control points of Bézier.
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

    /// By how much it changes in a second.
    fn slope(&self, time: f64) -> DVec4 {
        let ([a, out, into, b], t) = (self.hermite, self.share(time));
        let sum =
            (b - a) * (6.0 * t * (1.0 - t)) + out * (3.0 * t * t - 4.0 * t + 1.0) + into * (3.0 * t * t - 2.0 * t);
        sum / self.span
    }

    /// By how much its slope changes in a second.
    fn curvature(&self, time: f64) -> DVec4 {
        let ([a, out, into, b], t) = (self.hermite, self.share(time));
        ((b - a) * (6.0 - 12.0 * t) + out * (6.0 * t - 4.0) + into * (6.0 * t - 2.0)) / (self.span * self.span)
    }

    /// By how much at most it leaves the straight line between two times, or of rotations the arc at constant speed.
    fn bend<V: TrackValue>(&self, from: f64, until: f64) -> f64 {
        let time = until - from;
        let bend = time * time / 8.0 * self.curvature(from).length().max(self.curvature(until).length());
        if !V::ROTATION {
            return bend;
        }
        // The least length of the line between the two.
        let (a, b) = (self.at(from), self.at(until));
        let least = 0.5 * ((a + b).length() - (b - a).length());
        if bend >= least {
            return f64::INFINITY;
        }
        let apart = V::distance(V::normalise(a), V::normalise(b));
        // A sum of quaternions of different lengths is nearer to the longer one.
        let (short, long) = (a.length().min(b.length()), a.length().max(b.length()));
        let shift = (long - short) / (4.0 * short) * 2.0 * tangent(apart);
        bend / (least - 0.5 * bend) + shift + unevenness(apart)
    }
}

/// A track that marks are made of.
struct Curve<'a, V> {
    track: &'a Track<V>,
    /// Between the two keys that are at hand, where it is cubic.
    piece: Option<Piece>,
    quarter: f64,
    cursor: usize,
    marks: &'a mut Marks,
}

impl<V: TrackValue> Curve<'_, V> {
    /// Whether there are more stops than are looked at.
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
            // Nothing is seen between two times that are next to each other in single precision.
            if !are_neighbours(last, time) {
                beside.bend = self.piece.map_or(0.0, |piece| piece.bend::<V>(last, time));
            }
            let before = self.marks.beside.last_mut().expect("one a mark");
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

    /// Marks that cut the time between two stops in so many parts.
    fn between(&mut self, from: f32, until: f32, parts: u32) {
        let (from, until) = (f64::from(from), f64::from(until));
        (1..parts).for_each(|part| self.mark(from + (until - from) * f64::from(part) / f64::from(parts)));
    }

    /// Marks between two times, and stops where a line between the two is not good enough.
    fn divide(&mut self, from: f32, until: f32) {
        let middle = from + (until - from) * 0.5;
        if !(from < middle && middle < until) || self.is_full() {
            return;
        }
        let (begin, end) = (f64::from(from), f64::from(until));
        let (a, b) = (self.at(begin), self.at(end));
        let apart = V::distance(a, b);
        // A player goes rotations by normalised sums.
        let uneven = if V::ROTATION { unevenness(apart) } else { 0.0 };
        let bend = self.piece.map_or(0.0, |piece| piece.bend::<V>(begin, end));
        if bend + uneven > self.quarter {
            self.divide(from, middle);
            self.stop(middle);
            self.divide(middle, until);
            return;
        }
        // Between marks twice as near a curve is bent a quarter as much.
        let least = if self.piece.is_some() { 2 } else { 1 };
        let arcs = if V::ROTATION { (angle(apart) / ARC).ceil() } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an angle is small")]
        self.between(from, until, least.max(arcs as u32));
    }
}

/// Whether two times have at most one between them in single precision.
fn are_neighbours(from: f64, until: f64) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
    let (from, until) = (from as f32, until as f32);
    until <= from.next_up()
}

/// The angle between two unit quaternions at a distance.
fn angle(distance: f64) -> f64 {
    2.0 * (0.5 * distance).min(1.0).asin()
}

/// The tangent of half the angle between two unit quaternions at a distance, of those two that are nearer to each other.
pub(super) fn tangent(distance: f64) -> f64 {
    let half = 0.5 * distance.min(core::f64::consts::SQRT_2);
    half / (1.0 - half * half).sqrt()
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
