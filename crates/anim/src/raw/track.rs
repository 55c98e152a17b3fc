//! Tracks: the keys of one value over time.

use super::error::ClipError;
use super::value::TrackValue;
use crate::Error;
use glam::DVec4;

/// The interpolation between two keys of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// The value of the earlier key, until the time of the later key.
    Step,
    /// A straight line or, for rotations, the shorter arc at constant speed (slerp).
    Linear,
    /// The cubic Hermite spline of glTF. Each key has an *in-tangent*, a *value* and an *out-tangent*; tangents are per
    /// second. Rotations are interpolated by component and then normalised.
    Cubic,
}

impl Interpolation {
    /// Returns the number of values per key: 1, or 3 if cubic (in-tangent, value, out-tangent).
    #[must_use]
    pub const fn values_per_key(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::Cubic => 3,
        }
    }
}

/// One value over time: a list of keys and the interpolation between them.
///
/// A track is immutable, and checked when it is made: times are finite, not negative and strictly ascending, and values
/// are finite. Before the first key, a track has its first value; after the last key, it has its last value.
///
/// Rotations are stored as given, because files round quaternions to a few digits. Linear interpolation normalises both
/// keys first. A cubic curve is normalised after it is computed from the unnormalised keys, to which the tangents
/// belong.
///
/// ```
/// use hedgerow_anim::raw::{Interpolation, Track};
/// use hedgerow_anim::glam::Vec3;
///
/// let track = Track::new(Interpolation::Linear, vec![0.0, 2.0], vec![Vec3::ZERO, Vec3::X])?;
/// assert_eq!(track.sample(0.5), Vec3::X * 0.25);
/// assert_eq!(track.sample(9.0), Vec3::X);
/// assert_eq!(track.sample_as_played(0.5), track.sample(0.5)); // differs for rotations only
/// assert_eq!((track.interpolation().values_per_key(), Interpolation::Cubic.values_per_key()), (1, 3));
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Track<V> {
    interpolation: Interpolation,
    times: Vec<f32>,
    values: Vec<V>,
}

impl<V: TrackValue> Track<V> {
    /// Makes a track from key times in seconds and from values: three per key if the interpolation is cubic, else one.
    ///
    /// Runs in **O(keys)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoKeys`], [`ClipError::ValueCount`], [`ClipError::Time`],
    /// [`ClipError::TimeOrder`], [`ClipError::NotFinite`] or [`ClipError::NotRotation`].
    pub fn new(interpolation: Interpolation, times: Vec<f32>, values: Vec<V>) -> Result<Self, Error> {
        let (keys, per_key) = (times.len(), interpolation.values_per_key());
        if keys == 0 {
            return Err(ClipError::NoKeys.into());
        }
        if keys.checked_mul(per_key) != Some(values.len()) {
            return Err(ClipError::ValueCount { keys, per_key, values: values.len() }.into());
        }
        for (key, &time) in times.iter().enumerate() {
            if !(time.is_finite() && time >= 0.0) {
                return Err(ClipError::Time { key, time }.into());
            }
            if key > 0 && time <= times[key - 1] {
                return Err(ClipError::TimeOrder { key, before: times[key - 1], time }.into());
            }
        }
        for (key, of_key) in values.chunks_exact(per_key).enumerate() {
            if !of_key.iter().all(|value| value.widen().is_finite()) {
                return Err(ClipError::NotFinite { key }.into());
            }
            if !of_key[per_key / 2].is_sound() {
                return Err(ClipError::NotRotation { key }.into());
            }
            // The spline multiplies tangents by the time between keys, so check the products.
            if let [into, _, out] = of_key {
                let gap = |from: usize| times.get(from..from + 2).map_or(0.0, |pair| f64::from(pair[1] - pair[0]));
                let tangents = [into.widen() * key.checked_sub(1).map_or(0.0, gap), out.widen() * gap(key)];
                if !tangents.into_iter().all(|tangent| tangent.as_vec4().is_finite()) {
                    return Err(ClipError::NotFinite { key }.into());
                }
            }
        }
        Ok(Self { interpolation, times, values })
    }

    /// Makes a track whose value changes only at the keys.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn step(times: Vec<f32>, values: Vec<V>) -> Result<Self, Error> {
        Self::new(Interpolation::Step, times, values)
    }

    /// Makes a track with straight lines between keys, or with the shorter arcs for rotations.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn linear(times: Vec<f32>, values: Vec<V>) -> Result<Self, Error> {
        Self::new(Interpolation::Linear, times, values)
    }

    /// Makes a track of cubic curves: `values` has in-tangent, value and out-tangent of each key.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn cubic(times: Vec<f32>, values: Vec<V>) -> Result<Self, Error> {
        Self::new(Interpolation::Cubic, times, values)
    }

    /// Makes a track with one value at all times.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NotFinite`] or [`ClipError::NotRotation`].
    pub fn constant(value: V) -> Result<Self, Error> {
        Self::new(Interpolation::Step, vec![0.0], vec![value])
    }

    /// Returns the interpolation between keys.
    #[must_use]
    pub const fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Returns the key times in seconds: at least one, strictly ascending, never negative.
    #[must_use]
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// Returns the values as given, one per key. If the track is cubic, each key has in-tangent, value and out-tangent.
    #[must_use]
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// Returns the number of keys, which is never 0.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a track is never empty")]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Returns the value of a key, without its tangents.
    ///
    /// # Panics
    /// Panics if there is no such key.
    #[must_use]
    pub fn value(&self, key: usize) -> V {
        let per_key = self.interpolation.values_per_key();
        self.values[key * per_key + per_key / 2]
    }

    /// Returns the in-tangent and the out-tangent of a key, per second; both are zero if the track is not cubic.
    ///
    /// # Panics
    /// Panics if there is no such key.
    #[must_use]
    pub fn tangents(&self, key: usize) -> (V, V) {
        match self.interpolation {
            Interpolation::Step | Interpolation::Linear => (V::ZERO, V::ZERO),
            Interpolation::Cubic => (self.values[3 * key], self.values[3 * key + 2]),
        }
    }

    /// Returns the value at a time in seconds, computed in double precision and rounded once.
    ///
    /// Runs in **O(log keys)**. NaN counts as a time before the first key.
    #[must_use]
    pub fn sample(&self, time: f32) -> V {
        V::narrow(self.at(f64::from(time), &mut 0))
    }

    /// Samples like [`sample`](Self::sample), but interpolates linear rotation keys as a player does: by normalised
    /// sums (nlerp), which follow the same arc at an uneven speed.
    ///
    /// `build` inserts keys into long arcs, so a player of the built clip agrees with `sample` within the builder's
    /// tolerance.
    ///
    /// Runs in **O(log keys)**.
    #[must_use]
    pub fn sample_as_played(&self, time: f32) -> V {
        V::narrow(self.at_as_played(f64::from(time), &mut 0))
    }

    /// Samples in double precision. The cursor is the number of the last key at or before the previous time. Look-ups
    /// are fast if times ascend.
    pub(crate) fn at(&self, time: f64, cursor: &mut usize) -> DVec4 {
        self.evaluate(time, cursor, V::between)
    }

    /// Computes [`sample_as_played`](Self::sample_as_played) in double precision, with a cursor.
    pub(crate) fn at_as_played(&self, time: f64, cursor: &mut usize) -> DVec4 {
        self.evaluate(time, cursor, V::chord)
    }

    fn evaluate(&self, time: f64, cursor: &mut usize, line: fn(DVec4, DVec4, f64) -> DVec4) -> DVec4 {
        let key = self.last_key_until(time, cursor);
        let value = |key| self.value(key).widen();
        let begin = f64::from(self.times[key]);
        if key + 1 == self.times.len() || time.is_nan() || time <= begin {
            return V::normalise(value(key));
        }
        let span = f64::from(self.times[key + 1]) - begin;
        let t = (time - begin) / span;
        match self.interpolation {
            Interpolation::Step => V::normalise(value(key)),
            Interpolation::Linear => line(V::normalise(value(key)), V::normalise(value(key + 1)), t),
            Interpolation::Cubic => {
                let (out, into) = (self.tangents(key).1.widen(), self.tangents(key + 1).0.widen());
                V::normalise(hermite(value(key), out * span, into * span, value(key + 1), t))
            }
        }
    }

    /// Returns the last key at or before a time, or the first key if all keys are later.
    fn last_key_until(&self, time: f64, cursor: &mut usize) -> usize {
        let (mut low, mut high) = (0, self.times.len());
        // First compare the cursor's key and the next two, to narrow the search.
        for near in [*cursor, *cursor + 1, *cursor + 2] {
            if near < high && near >= low {
                if f64::from(self.times[near]) <= time {
                    low = near;
                } else {
                    high = near;
                }
            }
        }
        *cursor = low + self.times[low..high].partition_point(|&key| f64::from(key) <= time).max(1) - 1;
        *cursor
    }
}

/// Evaluates the cubic Hermite spline from `a` to `b` at `t` from 0 to 1, with tangents for the whole interval.
pub(super) fn hermite(a: DVec4, out: DVec4, into: DVec4, b: DVec4, t: f64) -> DVec4 {
    let (t2, t3) = (t * t, t * t * t);
    a * (2.0 * t3 - 3.0 * t2 + 1.0) + out * (t3 - 2.0 * t2 + t) + b * (3.0 * t2 - 2.0 * t3) + into * (t3 - t2)
}
