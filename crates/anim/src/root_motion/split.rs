//! Splits a clip into the root motion and the part in place.

use super::planar::Planar;
use super::{Axis, MotionKey, RootMotion, RootMotionOptions};
use crate::raw::sealed::Value;
use crate::{
    Error, RawClip, Transform,
    raw::{ClipError, Interpolation, Track, TrackValue},
};
use core::f64::consts::TAU;
use glam::{BVec3, DQuat, DVec3, DVec4, Quat, Vec3};

/// The greatest number of halvings of the time between two keys.
const HALVINGS: u32 = 10;

pub(super) fn extract(
    clip: &RawClip,
    joint: u16,
    rest: Transform,
    options: RootMotionOptions,
) -> Result<(RootMotion, RawClip), Error> {
    if usize::from(joint) >= clip.joints() {
        return Err(ClipError::NoSuchJoint { joint, joints: clip.joints() }.into());
    }
    if options.error.is_nan() || options.error < 0.0 {
        return Err(Error::Math(hedgerow_math::Error::NotFinite("the error of a root motion")));
    }
    let mut split = Split::new(clip, joint, rest.checked()?, options);
    let mut before = split.moment(0.0, None);
    split.keys.push(before);
    for time in split.times() {
        before = split.advance(before, time, HALVINGS);
    }
    split.finish(clip, joint)
}

/// The joint at one time: its original local transform, the motion so far, and the part in place.
#[derive(Clone, Copy)]
struct Moment {
    time: f32,
    motion: Planar,
    /// The in-place part, rounded as it will be stored.
    translation: DVec3,
    rotation: DQuat,
}

/// The original tracks of a joint, and the keys of both parts so far.
struct Split<'a> {
    options: RootMotionOptions,
    duration: f32,
    rest: Transform,
    translation: Option<&'a Track<Vec3>>,
    rotation: Option<&'a Track<Quat>>,
    mask: BVec3,
    /// The initial translation, which stays in the part in place.
    start: DVec3,
    start_yaw: f64,
    keys: Vec<Moment>,
}

impl<'a> Split<'a> {
    fn new(clip: &'a RawClip, joint: u16, rest: Transform, options: RootMotionOptions) -> Self {
        let mut split = Self {
            options,
            duration: clip.duration(),
            rest,
            translation: clip.translation(joint),
            rotation: clip.rotation(joint),
            mask: BVec3::from_array(options.axes),
            start: DVec3::ZERO,
            start_yaw: 0.0,
            keys: Vec::new(),
        };
        let (start, rotation) = split.original(0.0);
        split.start = start;
        split.start_yaw = twist(rotation, options.up).unwrap_or(0.0);
        split
    }

    /// Returns the times of all keys after the clip's beginning, the time of the clip's end, and a time just before
    /// each jump of a step.
    fn times(&self) -> Vec<f32> {
        fn of<V: TrackValue>(track: Option<&Track<V>>, times: &mut Vec<f32>) {
            let Some(track) = track else { return };
            times.extend(track.times());
            if track.interpolation() == Interpolation::Step {
                times.extend(track.times().iter().map(|time| time.next_down()));
            }
        }
        let mut times = vec![self.duration];
        of(self.translation, &mut times);
        of(self.rotation, &mut times);
        times.retain(|&time| time > 0.0);
        times.sort_unstable_by(f32::total_cmp);
        times.dedup();
        times
    }

    /// Returns the joint's translation and rotation in the clip.
    fn original(&self, time: f32) -> (DVec3, DQuat) {
        let time = f64::from(time);
        let translation = self.translation.map_or(self.rest.translation.widen(), |track| track.at(time, &mut 0));
        let rotation = self.rotation.map_or(self.rest.rotation.widen(), |track| track.at(time, &mut 0));
        (translation.truncate(), DQuat::from_vec4(rotation))
    }

    /// Returns both parts at a time. Whole turns are counted from `before`, a moment less than half a turn away.
    fn moment(&self, time: f32, before: Option<&Moment>) -> Moment {
        let (translation, rotation) = self.original(time);
        let up = self.options.up;
        let last = before.map_or(0.0, |before| before.motion.yaw);
        let yaw = if self.options.yaw {
            // An upside-down joint has no forward direction, so keep the turn so far.
            let yaw = twist(rotation, up).map_or(last, |yaw| yaw - self.start_yaw);
            yaw - ((yaw - last) / TAU).round() * TAU
        } else {
            0.0
        };
        let turned = translation - Planar::turn(yaw, up) * self.start;
        let moved = DVec3::select(self.mask, turned, DVec3::ZERO);
        // Round the motion first, so that the part in place compensates for the rounding.
        let motion = Planar::from(MotionKey { translation: moved.as_vec3(), yaw: narrow(yaw) });
        let back = Planar::turn(-motion.yaw, up);
        let left = back * (translation - motion.translation);
        Moment { time, motion, translation: left.as_vec3().as_dvec3(), rotation: back * rotation }
    }

    /// Adds keys between a moment and a later time, until the error is small enough.
    fn advance(&mut self, from: Moment, until: f32, halvings: u32) -> Moment {
        // Use quarters, so that turns are counted in small steps.
        let at = |part: f32| from.time + (until - from.time) * part;
        let mut steps = [from; 4];
        let mut last = from;
        for (step, time) in steps.iter_mut().zip([at(0.25), at(0.5), at(0.75), until]) {
            last = self.moment(time, Some(&last));
            *step = last;
        }
        let [quarter, half, three, end] = steps;
        let divisible = halvings > 0 && from.time < half.time && half.time < until;
        if !divisible || [quarter, half, three].iter().all(|moment| self.is_near(&from, &end, moment.time)) {
            self.keys.push(end);
            return end;
        }
        let middle = self.advance(from, half.time, halvings - 1);
        self.advance(middle, until, halvings - 1)
    }

    /// Returns whether the two parts are near the original if they are interpolated between two moments and combined.
    fn is_near(&self, from: &Moment, until: &Moment, time: f32) -> bool {
        let t = f64::from(time - from.time) / f64::from(until.time - from.time);
        let motion = from.motion.lerp(until.motion, t);
        let left = from.translation.lerp(until.translation, t);
        let rotation = Quat::between(DVec4::from(from.rotation), DVec4::from(until.rotation), t);
        let turn = Planar::turn(motion.yaw, self.options.up);
        let (translation, original) = self.original(time);
        let (composed, rotation) = (motion.translation + turn * left, turn * DQuat::from_vec4(rotation));
        let away = (composed - translation).length();
        // The error of a point at one metre is a chord, which is at most twice the distance between the quaternions.
        let turned = 2.0 * (rotation - original).length().min((rotation + original).length());
        // Keys cannot repair the rounding of single precision.
        let least = 1e-6 * (1.0 + translation.length());
        away + turned <= f64::from(self.options.error).max(least)
    }

    fn finish(self, clip: &RawClip, joint: u16) -> Result<(RootMotion, RawClip), Error> {
        let times: Vec<f32> = self.keys.iter().map(|key| key.time).collect();
        let keys: Vec<MotionKey> = self.keys.iter().map(|key| MotionKey::from(key.motion)).collect();
        if !keys.iter().all(|key| key.translation.is_finite() && key.yaw.is_finite()) {
            return Err(Error::Math(hedgerow_math::Error::NotFinite("a root motion")));
        }
        let mut in_place = clip.clone();
        let translations = self.keys.iter().map(|key| key.translation.as_vec3()).collect();
        in_place.set_translation(joint, Track::linear(times.clone(), translations)?)?;
        if self.options.yaw {
            let rotations = self.keys.iter().map(|key| key.rotation.as_quat()).collect();
            in_place.set_rotation(joint, Track::linear(times.clone(), rotations)?)?;
        }
        Ok((RootMotion { up: self.options.up, duration: self.duration, times, keys }, in_place))
    }
}

impl From<Planar> for MotionKey {
    fn from(planar: Planar) -> Self {
        Self { translation: planar.translation.as_vec3(), yaw: narrow(planar.yaw) }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
fn narrow(wide: f64) -> f32 {
    wide as f32
}

/// Returns the turn of a rotation about an axis, between −2π and 2π, or `None` if the rotation turns the axis upside
/// down.
///
/// Source: P. Dobrowolski, "Swing-twist decomposition in Clifford algebra", 2015.
fn twist(rotation: DQuat, about: Axis) -> Option<f64> {
    let sine = DVec3::new(rotation.x, rotation.y, rotation.z).dot(about.direction());
    (sine.hypot(rotation.w) > 1e-9).then(|| 2.0 * sine.atan2(rotation.w))
}
