//! Converts the times and numbers of keys to words of 16 or 32 bits.

use super::Precision;
use crate::sampling::{NUMBERS, Word, rotation};
use glam::DQuat;

/// The middle of the range of a track's number, and the size of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Range {
    pub(super) middle: f32,
    pub(super) step: f32,
}

/// The number of steps from the middle of a range to either end.
const STEPS: f32 = 32_767.0;

impl Range {
    /// The range of numbers that are stored unchanged.
    pub(super) const PLAIN: Self = Self { middle: 0.0, step: 1.0 };

    /// The range of a rotation's three numbers, each at most 1.
    pub(super) const ROTATION: Self = Self { middle: 0.0, step: <u16 as Word>::PARAMETER };

    /// Returns the range that covers these numbers.
    pub(super) fn of(numbers: impl Iterator<Item = f32>) -> Self {
        let (least, most) = numbers
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), number| (least.min(number), most.max(number)));
        // Halve first, because the distance between the ends may overflow.
        let (least, most) = (least * 0.5, most * 0.5);
        let (middle, mut step) = (least + most, (most - least) / STEPS);
        // Rounding must not make an end of a very wide range infinite.
        while !(middle.abs() + step * STEPS).is_finite() {
            step = step.next_down();
        }
        Self { middle, step }
    }
}

/// A word that stores a time or a number.
pub(super) trait Quantise: Word {
    /// The precision of a clip with these words.
    const PRECISION: Precision;

    /// Converts a track's times to strictly ascending words, at `rate` units per second. Returns `None` if times are so
    /// close together that a word would be off by more than a unit.
    fn times(times: &[f32], duration: f32, rate: f32) -> Option<Vec<Self>>;

    /// Counts the words above `from`, up to and including `to`.
    fn steps(from: Self, to: Self) -> u32;

    /// Returns the word nearest to the fraction `part / parts` of an interval, and the fraction at which the word lies.
    fn part(from: Self, to: Self, part: u32, parts: u32) -> (Self, f64);

    /// Returns the times that divide `from..to` into parts, in ascending order, each with its fraction of the interval.
    /// If there are too few words between `from` and `to`, returns fewer times.
    fn between(from: Self, to: Self, parts: u32) -> impl Iterator<Item = (Self, f64)> {
        let parts = parts.min(Self::steps(from, to));
        let mut last = from;
        (1..parts).map(move |part| Self::part(from, to, part, parts)).filter(move |&(time, _)| {
            // Words are not always equally spaced, so two parts may get the same word.
            let is_new = last < time && time < to;
            last = if is_new { time } else { last };
            is_new
        })
    }

    /// Returns the range of a track's numbers.
    fn range(numbers: impl Iterator<Item = f32>) -> Range;

    /// Converts a number in a range to a word.
    fn quantise(number: f32, range: Range) -> Self;

    /// Converts a word back to a number in a range.
    fn restore(self, range: Range) -> f32 {
        range.middle + range.step * self.number()
    }
}

impl Quantise for u16 {
    const PRECISION: Precision = Precision::Compact;

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "conversions saturate")]
    fn times(times: &[f32], duration: f32, rate: f32) -> Option<Vec<Self>> {
        let ticks = |time: f32| f64::from(time) * f64::from(rate);
        // Each key's last possible tick: within a tick of its time, before the next key, not after the clip's end.
        let mut end = ticks(duration).round().min(f64::from(Self::MAX)) + 1.0;
        let mut latest: Vec<f64> = times
            .iter()
            .rev()
            .map(|&time| {
                end = (ticks(time) + 1.0).floor().min(end - 1.0);
                end
            })
            .collect();
        latest.reverse();
        // The nearest allowed tick after the previous key's tick.
        let mut free = 0.0_f64;
        let tick = |(&time, latest): (&f32, f64)| {
            let wanted = ticks(time);
            let earliest = free.max((wanted - 1.0).ceil());
            let tick = wanted.round().max(earliest).min(latest);
            free = tick + 1.0;
            (earliest <= latest).then_some(tick as Self)
        };
        times.iter().zip(latest).map(tick).collect()
    }

    fn steps(from: Self, to: Self) -> u32 {
        u32::from(to.saturating_sub(from))
    }

    fn part(from: Self, to: Self, part: u32, parts: u32) -> (Self, f64) {
        let span = Self::steps(from, to);
        let offset = (span * part + parts / 2) / parts;
        let tick = from.saturating_add(Self::try_from(offset).unwrap_or(Self::MAX));
        (tick, f64::from(offset) / f64::from(span))
    }

    fn range(numbers: impl Iterator<Item = f32>) -> Range {
        Range::of(numbers)
    }

    #[expect(clippy::cast_possible_truncation, reason = "conversions saturate")]
    fn quantise(number: f32, range: Range) -> Self {
        // All numbers are equal; the middle restores them.
        if range.step == 0.0 {
            return 0;
        }
        let steps = (f64::from(number) - f64::from(range.middle)) / f64::from(range.step);
        (steps.round().clamp(-f64::from(STEPS), f64::from(STEPS)) as i16).cast_unsigned()
    }
}

impl Quantise for u32 {
    const PRECISION: Precision = Precision::Tight;

    fn times(times: &[f32], _: f32, _: f32) -> Option<Vec<Self>> {
        // Negative zero counts as zero.
        Some(times.iter().map(|time| (time + 0.0).to_bits()).collect())
    }

    fn steps(from: Self, to: Self) -> u32 {
        to.saturating_sub(from)
    }

    fn part(from: Self, to: Self, part: u32, parts: u32) -> (Self, f64) {
        let (start, end) = (f64::from(from.time()), f64::from(to.time()));
        #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
        let time = (start + (end - start) * f64::from(part) / f64::from(parts)) as f32;
        (time.to_bits(), (f64::from(time) - start) / (end - start))
    }

    fn range(_: impl Iterator<Item = f32>) -> Range {
        Range::PLAIN
    }

    fn quantise(number: f32, _: Range) -> Self {
        number.to_bits()
    }
}

/// Returns a rotation's three numbers: `xyz / (1 + w)` of its quaternion with w ≥ 0.
pub(super) fn parameters(quaternion: DQuat) -> [f32; NUMBERS] {
    // Of q and −q, the one with w ≥ 0 has parameters of length 1 at most.
    let quaternion = if quaternion.w < 0.0 { -quaternion } else { quaternion };
    (quaternion.xyz() / (1.0 + quaternion.w)).as_vec3().to_array()
}

/// Returns the angle between a rotation and the rotation with these three numbers, in radians.
pub(super) fn angle_to(wanted: DQuat, numbers: [f32; NUMBERS]) -> f32 {
    let [x, y, z, w] = rotation(numbers).map(f64::from);
    let found = DQuat::from_xyzw(x, y, z, w).normalize();
    let found = if wanted.dot(found) < 0.0 { -found } else { found };
    // It is computed from the distance, because the arc cosine of a number near 1 loses half of the digits.
    #[expect(clippy::cast_possible_truncation, reason = "an error is told in single precision")]
    let angle = (4.0 * ((wanted - found).length() * 0.5).clamp(0.0, 1.0).asin()) as f32;
    angle
}

/// Returns into how many parts to split an arc, so that normalised sums are within `error` radians of constant speed.
///
/// A turn of nearly 180° gets at least two parts, because rounding the ends of one arc might reverse its direction.
pub(super) fn parts(angle: f64, error: f32) -> u32 {
    const MOST: u32 = 1024;
    /// The angle between the quaternions of two rotations half a turn apart, minus about a hundred rounding errors.
    const NEARLY_HALF: f64 = core::f64::consts::FRAC_PI_2 - 0.01;
    let least = if angle > NEARLY_HALF { 2 } else { 1 };
    // A quick upper bound, which is enough for most keys.
    if angle * angle * angle * 2.0 / 50.0 <= f64::from(error) {
        return least;
    }
    (least..MOST).find(|&parts| unevenness(angle / f64::from(parts)) <= f64::from(error)).unwrap_or(MOST)
}

/// Returns by how many radians normalised sums deviate from constant speed, given the angle between two quaternions.
///
/// If the angle is φ, the sum at the fraction s is at `atan2(s sin φ, 1 - s + s cos φ)` instead of s φ. The angles
/// differ most near s = (1 ∓ 1/√3) / 2, by about φ³ / 62 for small φ. A rotation's angle is twice its quaternion's.
pub(super) fn unevenness(angle: f64) -> f64 {
    [0.18, 0.2, 0.21, 0.2113].into_iter().fold(0.0_f64, |most, share: f64| {
        let sum = (share * angle.sin()).atan2(1.0 - share + share * angle.cos());
        most.max(2.0 * (sum - share * angle).abs())
    })
}

/// Returns the ticks per second at which times up to `duration` fit 16 bits.
///
/// Divides the smallest gap by each integer from 1 to 12. If all times are multiples of a quotient, a tick is the
/// quotient divided by the greatest integer that fits. Otherwise a tick is 1/65,534 of the duration. Returns `None` if
/// such a tick is longer than a millisecond, or if a rate is not finite.
pub(super) fn rate(times: &[f32], duration: f32) -> Option<f32> {
    const MOST: f64 = 65_534.0;
    const COARSEST: f64 = 1e-3;
    let duration = f64::from(duration);
    // No tick of a regular grid is longer than the shortest gap.
    let gap = times.windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0])).fold(duration, f64::min);
    // If two times are adjacent floats, even a tick of the whole gap is too fine.
    for part in 1..=12 {
        let tick = gap / f64::from(part);
        if duration / tick > MOST {
            break;
        }
        // Rounding makes the gap inexact, so each time on the grid gives a better estimate of the tick.
        let mut tick_now = tick;
        let on_grid = times.iter().all(|&time| {
            let time = f64::from(time);
            let count = (time / tick_now).round();
            let near = (time - count * tick_now).abs() <= 2e-3 * tick;
            if near && count > 0.0 {
                tick_now = time / count;
            }
            near
        });
        if on_grid {
            // Finer ticks that still hit the grid leave room for inserted keys.
            let split = (MOST * tick_now / duration).floor().max(1.0);
            #[expect(clippy::cast_possible_truncation, reason = "the rate is kept in single precision")]
            return Some((split / tick_now) as f32).filter(|rate| rate.is_finite());
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "the rate is kept in single precision")]
    let rate = (MOST / duration) as f32;
    (duration / MOST <= COARSEST && rate.is_finite()).then_some(rate)
}
