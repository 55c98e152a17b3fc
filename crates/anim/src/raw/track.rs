//! Keys of one value over time.

use super::error::ClipError;
use super::value::TrackValue;
use crate::Error;
use glam::DVec4;

/// The interpolation between two keys of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// The value of the earlier key, until the time of the later key.
    Step,
    /// A straight line; for rotations the shorter arc at constant speed (slerp).
    Linear,
    /// The cubic Hermite spline of glTF: each key has three values, an *in-tangent*, its *value* and an *out-tangent*;
    /// tangents are per second. Rotations are computed component by component and then normalised.
    Cubic,
}

impl Interpolation {
    /// How many values belong to a key: 3 (in-tangent, value, out-tangent) if cubic, else 1.
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
/// A track is checked when it is made and cannot be changed: its times are finite, not negative and strictly ascending,
/// and all its numbers are finite. Before the first key it has the first key's value, and after the last key the last
/// one's.
///
/// Rotations are stored as given and normalised when they are evaluated (glTF demands unit quaternions, but files round
/// them to a few digits). Linear interpolation normalises both keys first. A cubic curve is computed from the
/// unnormalised keys, since its tangents belong to these, and its result is normalised.
///
/// ```
/// use hedgerow_anim::raw::{Interpolation, Track};
/// use hedgerow_anim::glam::Vec3;
///
/// let track = Track::new(Interpolation::Linear, vec![0.0, 2.0], vec![Vec3::ZERO, Vec3::X])?;
/// assert_eq!(track.sample(0.5), Vec3::X * 0.25);
/// assert_eq!(track.sample(9.0), Vec3::X);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Track<V> {
    interpolation: Interpolation,
    times: Vec<f32>,
    values: Vec<V>,
}

impl<V: TrackValue> Track<V> {
    /// Makes a track of keys: their times in seconds, and their values, three for each key if the interpolation is
    /// cubic.
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
            // A curve has tangents times the distance between keys.
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

    /// A track whose value changes only at the keys.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn step(times: Vec<f32>, values: Vec<V>) -> Result<Self, Error> {
        Self::new(Interpolation::Step, times, values)
    }

    /// A track with straight lines between keys; for rotations, with shortest arcs.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn linear(times: Vec<f32>, values: Vec<V>) -> Result<Self, Error> {
        Self::new(Interpolation::Linear, times, values)
    }

    /// A track of cubic curves: `values` are in-tangent, value and out-tangent of the first key, then of the second,
    /// and so on.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn cubic(times: Vec<f32>, values: Vec<V>) -> Result<Self, Error> {
        Self::new(Interpolation::Cubic, times, values)
    }

    /// A track with one value at all times.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NotFinite`] or [`ClipError::NotRotation`].
    pub fn constant(value: V) -> Result<Self, Error> {
        Self::new(Interpolation::Step, vec![0.0], vec![value])
    }

    /// The interpolation between keys.
    #[must_use]
    pub const fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The keys' times in seconds: at least one, strictly ascending, never negative.
    #[must_use]
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// The keys' values as given: one for each key, or in-tangent, value and out-tangent if cubic.
    #[must_use]
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// How many keys there are; never 0.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a track is never empty")]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// The value of a key, without its tangents.
    ///
    /// # Panics
    /// Panics if there is no such key.
    #[must_use]
    pub fn value(&self, key: usize) -> V {
        let per_key = self.interpolation.values_per_key();
        self.values[key * per_key + per_key / 2]
    }

    /// The in-tangent and the out-tangent of a key, per second; zero if the track is not cubic.
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

    /// The value at a time in seconds, computed in double precision and rounded once.
    ///
    /// Runs in **O(log keys)**. NaN counts as a time before the first key.
    #[must_use]
    pub fn sample(&self, time: f32) -> V {
        V::narrow(self.at(f64::from(time), &mut 0))
    }

    /// The value at a time as a player would compute it between these keys: like [`sample`](Self::sample), but with
    /// normalised sums (nlerp) for linear rotations. These follow the same arc at an uneven speed. A player of a built
    /// clip shows what `sample` returns, within the builder's tolerance: `build` inserts keys into long arcs.
    ///
    /// Runs in **O(log keys)**.
    #[must_use]
    pub fn sample_as_played(&self, time: f32) -> V {
        V::narrow(self.at_as_played(f64::from(time), &mut 0))
    }

    /// [`sample`](Self::sample) in double precision, with a cursor: the number of the last key at or before the last
    /// sampled time. Ascending times make each look-up short.
    pub(crate) fn at(&self, time: f64, cursor: &mut usize) -> DVec4 {
        self.evaluate(time, cursor, V::between)
    }

    /// [`sample_as_played`](Self::sample_as_played) in double precision, with a cursor.
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

    /// The last key at or before a time, or the first key if there is none.
    fn last_key_until(&self, time: f64, cursor: &mut usize) -> usize {
        let (mut low, mut high) = (0, self.times.len());
        // First tries the cursor's key and the next ones; the results bound the search in any case.
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

/// The cubic Hermite spline from `a` to `b` at `t` of 0 to 1, with tangents for the whole interval.
pub(super) fn hermite(a: DVec4, out: DVec4, into: DVec4, b: DVec4, t: f64) -> DVec4 {
    let (t2, t3) = (t * t, t * t * t);
    a * (2.0 * t3 - 3.0 * t2 + 1.0) + out * (t3 - 2.0 * t2 + t) + b * (3.0 * t2 - 2.0 * t3) + into * (t3 - t2)
}
