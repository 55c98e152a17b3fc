//! The fewest keys of a track within a tolerance of its own.

use super::marks::{Marks, unevenness};
use crate::Error;
use crate::anim::raw::track::{Interpolation, Track, hermite};
use crate::anim::raw::value::TrackValue;

/// What is smaller than this, beside the values of a track, no sample in single precision shows.
const NOTHING: f64 = 1e-9;
/// How far a single value may be from the rest pose and still be it, beside the value: what normalising rounds.
const ROUNDED: f64 = 2e-7;

/// What marks take of the tolerance: a bent curve keeps to a quarter of it from lines through all stops, so to a sixteenth
/// from lines through the marks halfway between, too.
const BETWEEN: f64 = 15.0 / 16.0;

/// How a track is to be fitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// The greatest distance between the values of both tracks; 0 loses nothing.
    pub(super) tolerance: f64,
    /// Whether a cubic track may stay cubic.
    pub(super) cubic: bool,
}

impl Fit {
    /// A track with as few keys as will do, or none where it never leaves `rest`.
    pub(super) fn fit<V: TrackValue>(self, track: &Track<V>, rest: Option<V>) -> Result<Option<Track<V>>, Error> {
        let size = track.values().iter().map(|value| value.widen().length()).fold(0.0, f64::max);
        let tolerance = self.tolerance.max(NOTHING * size);
        let lossless = self.tolerance == 0.0;
        let marks = Marks::new(track, tolerance, !lossless);
        let all = 0..marks.times.len();
        let away = tolerance.max(ROUNDED * size);
        if rest.is_some_and(|rest| marks.hold::<V>(all.clone(), V::settle(rest.widen()), away)) {
            return Ok(None);
        }
        if marks.hold::<V>(all, marks.values[0], tolerance) {
            return Track::constant(V::narrow(marks.values[0])).map(Some);
        }
        let bent = track.interpolation() == Interpolation::Cubic || marks.stops.len() > marks.keys.len();
        let tolerance = if bent { BETWEEN * tolerance } else { tolerance };
        let fitted = match track.interpolation() {
            Interpolation::Step => steps(&marks, tolerance)?,
            Interpolation::Linear => lines(&marks, tolerance, lossless)?,
            Interpolation::Cubic if lossless => curves(track, &marks, tolerance)?,
            Interpolation::Cubic => {
                let lines = lines(&marks, tolerance, false)?;
                match curves(track, &marks, tolerance)? {
                    curves if self.cubic && curves.values().len() < lines.values().len() => curves,
                    _ => lines,
                }
            }
        };
        Ok(Some(fitted))
    }
}

/// Keeps the keys whose value is new.
fn steps<V: TrackValue>(marks: &Marks, tolerance: f64) -> Result<Track<V>, Error> {
    let mut kept = vec![0];
    for mark in 1..marks.times.len() {
        let last = kept[kept.len() - 1];
        if V::distance(marks.values[last], marks.values[mark]) > tolerance {
            kept.push(mark);
        }
    }
    let (times, values) = keys(marks, &kept);
    Track::step(times, values)
}

/// Straight lines between stops.
fn lines<V: TrackValue>(marks: &Marks, tolerance: f64, lossless: bool) -> Result<Track<V>, Error> {
    let kept = chain::<V>(marks, &marks.stops, tolerance, |from, to| {
        let (a, b) = (marks.values[from], marks.values[to]);
        let (begin, span) = (marks.times[from], marks.times[to] - marks.times[from]);
        // Where a player's sums run evenly enough, one look serves both. A line that loses nothing is one at constant
        // speed; how a player goes it is as it was between the keys.
        let uneven = if V::ROTATION && !lossless { unevenness(V::distance(a, b)) } else { 0.0 };
        let even = uneven <= 0.02 * tolerance;
        let within = if even { tolerance - uneven } else { tolerance };
        (from + 1..to).all(|mark| {
            let (t, value) = ((marks.times[mark] - begin) / span, marks.values[mark]);
            let constant = || V::distance(V::between(a, b, t), value) <= within;
            let played = || V::distance(V::chord(a, b, t), value) <= within;
            if lossless { constant() } else { played() && (even || constant()) }
        })
    });
    let (times, values) = keys(marks, &kept);
    Track::linear(times, values)
}

/// Cubic curves between keys, with the tangents that they have.
fn curves<V: TrackValue>(track: &Track<V>, marks: &Marks, tolerance: f64) -> Result<Track<V>, Error> {
    let key_of = |mark: usize| marks.keys.partition_point(|&key| key < mark);
    let kept = chain::<V>(marks, &marks.keys, tolerance, |from, to| {
        let (first, last) = (key_of(from), key_of(to));
        let (begin, span) = (marks.times[from], marks.times[to] - marks.times[from]);
        let (a, b) = (track.value(first).widen(), track.value(last).widen());
        let (out, into) = (track.tangents(first).1.widen() * span, track.tangents(last).0.widen() * span);
        (from + 1..to).all(|mark| {
            let curve = V::settle(hermite(a, out, into, b, (marks.times[mark] - begin) / span));
            V::distance(curve, marks.values[mark]) <= tolerance
        })
    });
    let keys = kept.iter().map(|&mark| key_of(mark));
    let times = keys.clone().map(|key| track.times()[key]).collect();
    let values = keys.flat_map(|key| track.values()[3 * key..][..3].iter().copied()).collect();
    Track::cubic(times, values)
}

/// The marks that stay keys, out of those that may: from each as far as `fits` says that one segment serves. What stands
/// still before the first and after the last needs no segment.
fn chain<V: TrackValue>(
    marks: &Marks,
    stops: &[usize],
    tolerance: f64,
    fits: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let holds = |range, stop: usize| marks.hold::<V>(range, marks.values[stop], tolerance);
    let first = farthest(0, stops.len(), |to| holds(0..stops[to], stops[to]));
    let mut at = if holds(0..stops[first], stops[first]) { first } else { 0 };
    let mut kept = vec![stops[at]];
    while at + 1 < stops.len() {
        if holds(stops[at]..marks.times.len(), stops[at]) {
            break;
        }
        at = farthest(at, stops.len(), |to| fits(stops[at], stops[to]));
        kept.push(stops[at]);
    }
    kept
}

/// The farthest that fits, by steps of doubling length and then by halving what is left; the next one where none does.
/// What fits is taken to fit up to some point and no more beyond, which is nearly so: where it is not, the answer fits
/// all the same.
fn farthest(from: usize, end: usize, fits: impl Fn(usize) -> bool) -> usize {
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

/// Times and values of marks that are kept.
#[expect(clippy::cast_possible_truncation, reason = "times of keys come from single precision")]
fn keys<V: TrackValue>(marks: &Marks, kept: &[usize]) -> (Vec<f32>, Vec<V>) {
    kept.iter().map(|&mark| (marks.times[mark] as f32, V::narrow(marks.values[mark]))).unzip()
}
