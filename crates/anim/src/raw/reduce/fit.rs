//! Finds the fewest keys of a track within the track's tolerance.

use super::marks::{Marks, Piece, tangent, unevenness};
use crate::Error;
use crate::raw::error::{ClipError, TrackName};
use crate::raw::track::{Interpolation, Track};
use crate::raw::value::TrackValue;
use bumpalo::Bump;
use glam::DVec4;

/// Two values whose relative difference is smaller than this count as equal in single precision.
const NOTHING: f64 = 1e-9;
/// Differences from the rest pose are ignored up to this fraction, which is the rounding error of normalising.
const ROUNDED: f64 = 2e-7;
/// The relative error that rounding a new key to single precision may add.
const ROUNDING: f64 = 1.2e-7;

/// The settings for fitting a track.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// The greatest distance between values of the original and the fitted track; 0 means lossless.
    pub(super) tolerance: f64,
    /// Whether a cubic track may stay cubic.
    pub(super) cubic: bool,
}

impl Fit {
    /// Returns a track with as few keys as possible, or `None` if the track always has the value `rest`. The arena
    /// holds temporary lists, and is reset first.
    pub(super) fn fit<V: TrackValue>(
        self,
        arena: &mut Bump,
        track: &Track<V>,
        rest: Option<V>,
        name: TrackName,
    ) -> Result<Option<Track<V>>, Error> {
        arena.reset();
        let arena: &Bump = arena;
        let size = size(track);
        let lossless = self.tolerance == 0.0;
        // Sampling itself rounds, so even a lossless fit needs a tolerance.
        let mut tolerance = self.tolerance.max(NOTHING * size);
        if V::ROTATION && tolerance >= core::f64::consts::SQRT_2 {
            // The quaternions of two rotations are at most √2 apart.
            tolerance = f64::INFINITY;
        }
        let of_lines = Marks::new(arena, track, tolerance, size, !lossless);
        let are_lines = of_lines.is_some();
        let marks = of_lines
            // Too many lines: marks of the keys alone are enough for steps and curves.
            .or_else(|| Marks::new(arena, track, tolerance, size, false))
            .expect("so many marks as keys ask for");
        let all = 0..marks.times.len();
        let away = tolerance.max(ROUNDED * size);
        if rest.is_some_and(|rest| marks.hold::<V>(all.clone(), V::normalise(rest.widen()), away)) {
            return Ok(None);
        }
        if marks.hold::<V>(all, marks.values[0], tolerance) {
            return Track::constant(V::narrow(marks.values[0])).map(Some);
        }
        // The values of rotation keys and of new keys are rounded.
        let rounding = ROUNDING * size;
        let rounded = V::ROTATION || track.interpolation() == Interpolation::Cubic;
        let of_lines = if rounded && tolerance > 4.0 * rounding { tolerance - rounding } else { tolerance };
        let fitted = match track.interpolation() {
            Interpolation::Step => steps(arena, &marks, of_lines)?,
            Interpolation::Linear if !are_lines => return Err(ClipError::TooManyLines(name).into()),
            Interpolation::Linear => lines(arena, &marks, of_lines, lossless)?,
            // A curve has no equal line, so a lossless fit keeps curves.
            Interpolation::Cubic if lossless || (self.cubic && !are_lines) => curves(arena, track, &marks, tolerance)?,
            Interpolation::Cubic if !are_lines => return Err(ClipError::TooManyLines(name).into()),
            Interpolation::Cubic => {
                let lines = lines(arena, &marks, of_lines, false)?;
                if !self.cubic {
                    return Ok(Some(lines));
                }
                let curves = curves(arena, track, &marks, tolerance)?;
                // Curves have three values a key, so values are compared, not keys.
                if curves.values().len() < lines.values().len() { curves } else { lines }
            }
        };
        Ok(Some(fitted))
    }
}

/// Returns the greatest length of a value of a track. A cubic curve lies in the hull of its Bézier points.
fn size<V: TrackValue>(track: &Track<V>) -> f64 {
    if V::ROTATION {
        return 1.0;
    }
    let keys = (0..track.len()).map(|key| track.value(key).widen().length());
    // A curve may swing beyond its keys, but not beyond its hull.
    let pieces = if track.interpolation() == Interpolation::Cubic { track.len() - 1 } else { 0 };
    let between = (0..pieces).flat_map(|key| Piece::new(track, key).hull()).map(DVec4::length);
    keys.chain(between).fold(0.0, f64::max)
}

/// Keeps a key if its value differs from that of the last kept key by more than the tolerance.
fn steps<V: TrackValue>(arena: &Bump, marks: &Marks<'_>, tolerance: f64) -> Result<Track<V>, Error> {
    let mut kept = bumpalo::vec![in arena; 0];
    for mark in 1..marks.times.len() {
        let last = kept[kept.len() - 1];
        if V::distance(marks.values[last], marks.values[mark]) > tolerance {
            kept.push(mark);
        }
    }
    let (times, values) = keys(marks, &kept);
    Track::step(times, values)
}

/// Fits straight lines between stops.
fn lines<V: TrackValue>(arena: &Bump, marks: &Marks<'_>, tolerance: f64, lossless: bool) -> Result<Track<V>, Error> {
    let kept = chain::<V>(arena, marks, &marks.stops, tolerance, |from, to| {
        let (a, b) = (marks.values[from], marks.values[to]);
        let (begin, span) = (marks.times[from], marks.times[to] - marks.times[from]);
        let apart = if V::ROTATION { V::distance(a, b) } else { 0.0 };
        // A player's normalised sums move along the arc at `speed` or more slowly.
        let tangent = tangent(apart);
        let speed = 2.0 * tangent / span;
        // If the speed of the sums is even enough, one test covers the sums and exact arcs. A lossless line needs only
        // the exact test, because a player's speed was just as uneven between the original keys.
        let uneven = if V::ROTATION && !lossless { unevenness(apart) } else { 0.0 };
        let even = uneven <= 0.02 * tolerance;
        let within = if even { tolerance - uneven } else { tolerance };
        (from + 1..to).all(|mark| {
            let (t, value) = ((marks.times[mark] - begin) / span, marks.values[mark]);
            let allowed = marks.allowed(mark, within, speed);
            let constant = || V::distance(V::between(a, b, t), value) <= allowed;
            // The greatest error that the change of speed between two marks causes.
            let warp = || (speed * marks.time_beside(mark)).powi(2) * tangent * 0.25;
            let played = || V::distance(V::chord(a, b, t), value) <= allowed - warp();
            if lossless || even { constant() } else { played() && constant() }
        })
    });
    let (times, values) = keys(marks, &kept);
    Track::linear(times, values)
}

/// Fits cubic curves between keys, with the existing tangents.
fn curves<V: TrackValue>(arena: &Bump, track: &Track<V>, marks: &Marks<'_>, tolerance: f64) -> Result<Track<V>, Error> {
    let key_of = |mark: usize| marks.keys.partition_point(|&key| key < mark);
    let kept = chain::<V>(arena, marks, &marks.keys, tolerance, |from, to| {
        let (first, last) = (key_of(from), key_of(to));
        let fitted = Piece::over(track, first, last);
        (first..last).all(|key| {
            let [begin, end] = [key, key + 1].map(|key| f64::from(track.times()[key]));
            // A Bézier curve lies in its hull, so control points bound the distance of curves.
            let (old, new) = (Piece::new(track, key).hull(), fitted.part(begin, end).hull());
            let apart = core::array::from_fn(|point| new[point] - old[point]);
            is_within::<V>(old, apart, tolerance, HALVINGS)
        })
    });
    let keys = kept.iter().map(|&mark| key_of(mark));
    let times = keys.clone().map(|key| track.times()[key]).collect();
    let values = keys.flat_map(|key| track.values()[3 * key..][..3].iter().copied()).collect();
    Track::cubic(times, values)
}

/// The greatest number of halvings to decide whether a curve is within a tolerance.
const HALVINGS: u32 = 8;

/// Returns whether a curve stays within a tolerance of another curve. `apart` has the Bézier points of their
/// difference. No point of a curve is farther from zero than its farthest Bézier point.
fn is_within<V: TrackValue>(curve: [DVec4; 4], apart: [DVec4; 4], tolerance: f64, halvings: u32) -> bool {
    let is_near = if V::ROTATION { are_turned(curve, apart, tolerance) } else { longest(apart) <= tolerance };
    if is_near || tolerance == f64::INFINITY {
        return true;
    }
    let end =
        |point: usize| V::distance(V::normalise(curve[point]), V::normalise(curve[point] + apart[point])) <= tolerance;
    // If an end is too far off, halving cannot help.
    if halvings == 0 || !end(0) || !end(3) {
        return false;
    }
    let ([before, behind], [apart_before, apart_behind]) = (halves(curve), halves(apart));
    is_within::<V>(before, apart_before, tolerance, halvings - 1)
        && is_within::<V>(behind, apart_behind, tolerance, halvings - 1)
}

/// Returns whether two curves are within a tolerance after normalising, given Bézier points as in [`is_within`].
///
/// Only the difference's component that is perpendicular to a quaternion *c* of the curve matters. The component
/// divided by the length of the other quaternion is the sine of the angle between the two quaternions. The code takes
/// the component perpendicular to the first *c*, and adds a bound for its angle to any other *c*.
fn are_turned(curve: [DVec4; 4], apart: [DVec4; 4], tolerance: f64) -> bool {
    let spread = longest(curve.map(|point| point - curve[0]));
    let (most, length) = (longest(apart), curve[0].length() - spread);
    // The quaternions might pass through zero, where no angle bound holds.
    if length <= most {
        return false;
    }
    let along = curve[0].normalize();
    let across = longest(apart.map(|apart| apart - along * apart.dot(along))) + most * spread / length;
    across <= tolerance * (1.0 - 0.25 * tolerance * tolerance).max(0.0).sqrt() * (length - most)
}

/// Returns the length of the longest vector.
fn longest(vectors: [DVec4; 4]) -> f64 {
    vectors.iter().map(|vector| vector.length()).fold(0.0, f64::max)
}

/// Splits a curve into halves by de Casteljau's algorithm.
fn halves([a, b, c, d]: [DVec4; 4]) -> [[DVec4; 4]; 2] {
    let middle = |a: DVec4, b: DVec4| (a + b) * 0.5;
    let (ab, bc, cd) = (middle(a, b), middle(b, c), middle(c, d));
    let (abc, bcd) = (middle(ab, bc), middle(bc, cd));
    let all = middle(abc, bcd);
    [[a, ab, abc, all], [all, bcd, cd, d]]
}

/// Selects the stops that become keys: from each key, the next key is the farthest stop that `fits` accepts. Constant
/// values before the first key and after the last key need no segment.
fn chain<'b, V: TrackValue>(
    arena: &'b Bump,
    marks: &Marks<'_>,
    stops: &[usize],
    tolerance: f64,
    fits: impl Fn(usize, usize) -> bool,
) -> bumpalo::collections::Vec<'b, usize> {
    let holds = |range, stop: usize| marks.hold::<V>(range, marks.values[stop], tolerance);
    let first = farthest(0, stops.len(), |to| holds(0..stops[to], stops[to]));
    // A track keeps its first value before its first key, so the start may be cut.
    let mut at = if holds(0..stops[first], stops[first]) { first } else { 0 };
    let mut kept = bumpalo::vec![in arena; stops[at]];
    while at + 1 < stops.len() {
        // The rest stays at this value, which a track keeps after its last key.
        if holds(stops[at]..marks.times.len(), stops[at]) {
            break;
        }
        at = farthest(at, stops.len(), |to| fits(stops[at], stops[to]));
        kept.push(stops[at]);
    }
    kept
}

/// Returns the farthest index that fits, or the next index if no index fits. Doubles the step, then bisects. Assumes
/// that indices fit up to some point and not beyond. If this assumption is wrong, the result still fits.
fn farthest(from: usize, end: usize, fits: impl Fn(usize) -> bool) -> usize {
    // Doubling steps, then halving: O(log n) tests for a run of n keys.
    let (mut good, mut bad, mut step) = (from + 1, end, 1);
    while good + 1 < bad {
        let to = (good + step).min(bad - 1);
        if fits(to) {
            good = to;
            step *= 2;
        } else {
            bad = to;
        }
        if bad < end {
            step = ((bad - good) / 2).max(1);
        }
    }
    good.min(end - 1)
}

/// Returns the times and values of the kept marks.
#[expect(clippy::cast_possible_truncation, reason = "times of keys come from single precision")]
fn keys<V: TrackValue>(marks: &Marks<'_>, kept: &[usize]) -> (Vec<f32>, Vec<V>) {
    kept.iter().map(|&mark| (marks.times[mark] as f32, V::narrow(marks.values[mark]))).unzip()
}
