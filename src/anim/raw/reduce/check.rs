//! The error of all tracks together, measured in model space.

use super::Reduction;
use crate::anim::raw::clip::RawClip;
use crate::anim::raw::track::{Interpolation, Track};
use crate::anim::raw::value::TrackValue;
use crate::{Skeleton, Transform};
use glam::{DAffine3, DQuat, DVec3, DVec4};

/// How many model matrices are kept at most, 50 MB; a clip with more keys is not measured.
const MOST: usize = 1 << 19;

/// Into so many moments a clip is divided that has not more keys than half of them.
const DENSE: usize = 1024;

/// The original's model matrices at the times of all its keys, and between them.
#[derive(Debug)]
pub(super) struct Check<'a> {
    skeleton: &'a Skeleton,
    times: Vec<f64>,
    /// By time and joint.
    models: Vec<DAffine3>,
}

/// How straight lines between rotation keys are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    Exact,
    AsPlayed,
}

impl<'a> Check<'a> {
    /// Samples the original, unless that takes too much memory.
    pub(super) fn new(clip: &RawClip, skeleton: &'a Skeleton) -> Option<Self> {
        let times = times(clip, MOST / clip.joints().max(1))?;
        let mut models = Vec::with_capacity(times.len() * clip.joints());
        let mut sweep = Sweep::new(clip, skeleton, Lines::Exact);
        for &time in &times {
            models.extend_from_slice(sweep.models(time));
        }
        Some(Self { skeleton, times, models })
    }

    /// The greatest distance, for each joint, between its six points in a reduced clip and where the original has them.
    pub(super) fn errors(&self, reduced: &RawClip, reduction: &Reduction) -> Vec<f64> {
        let joints = reduced.joints();
        let distances: Vec<f64> = reduced.joint_numbers().map(|joint| f64::from(reduction.bound(joint).1)).collect();
        let mut most = vec![0.0_f64; joints];
        for lines in [Lines::Exact, Lines::AsPlayed] {
            let mut sweep = Sweep::new(reduced, self.skeleton, lines);
            for (&time, originals) in self.times.iter().zip(self.models.chunks_exact(joints.max(1))) {
                let found = sweep.models(time);
                for (joint, (found, original)) in found.iter().zip(originals).enumerate() {
                    most[joint] = most[joint].max(apart(found, original, distances[joint]));
                }
            }
        }
        most.iter_mut().for_each(|squared| *squared = squared.sqrt());
        most
    }
}

/// The square of the greatest distance between the same six points under two transforms.
fn apart(a: &DAffine3, b: &DAffine3, distance: f64) -> f64 {
    let shift = a.translation - b.translation;
    let axes = a.matrix3 - b.matrix3;
    let of = |axis: DVec3| {
        let axis = axis * distance;
        (shift + axis).length_squared().max((shift - axis).length_squared())
    };
    of(axes.x_axis).max(of(axes.y_axis)).max(of(axes.z_axis))
}

/// When there are keys, just before where there are steps, and between, densely where there are few; `None` where that is
/// more often than `most`.
fn times(clip: &RawClip, most: usize) -> Option<Vec<f64>> {
    fn of<V: TrackValue>(track: Option<&Track<V>>, keys: &mut Vec<f32>) {
        let Some(track) = track.filter(|track| track.len() > 1) else { return };
        keys.extend(track.times());
        if track.interpolation() == Interpolation::Step {
            keys.extend(track.times().iter().map(|time| time.next_down().max(0.0)));
        }
    }
    let mut keys = vec![0.0];
    for joint in clip.joint_numbers() {
        of(clip.translation(joint), &mut keys);
        of(clip.rotation(joint), &mut keys);
        of(clip.scale(joint), &mut keys);
        if keys.len() > 64 * most {
            return None;
        }
    }
    keys.sort_unstable_by(f32::total_cmp);
    keys.dedup();
    let parts = (DENSE / keys.len()).clamp(2, 8);
    if parts * keys.len() > most {
        return None;
    }
    let mut times = vec![f64::from(keys[0])];
    for pair in keys.windows(2) {
        let (from, until) = (f64::from(pair[0]), f64::from(pair[1]));
        times.extend((1..=parts).map(|part| from + (until - from) * (part as f64 / parts as f64)));
    }
    Some(times)
}

/// A clip sampled at ascending times, joint by joint, in double precision.
struct Sweep<'a> {
    clip: &'a RawClip,
    parents: &'a [u16],
    rest: Vec<Transform>,
    cursors: Vec<[usize; 3]>,
    lines: Lines,
    models: Vec<DAffine3>,
}

impl<'a> Sweep<'a> {
    fn new(clip: &'a RawClip, skeleton: &'a Skeleton, lines: Lines) -> Self {
        Self {
            clip,
            parents: skeleton.parents(),
            rest: clip.joint_numbers().map(|joint| skeleton.rest(joint)).collect(),
            cursors: vec![[0; 3]; clip.joints()],
            lines,
            models: Vec::with_capacity(clip.joints()),
        }
    }

    /// The model matrices of all joints.
    fn models(&mut self, time: f64) -> &[DAffine3] {
        fn at<V: TrackValue>(track: Option<&Track<V>>, rest: V, time: f64, lines: Lines, cursor: &mut usize) -> DVec4 {
            match (track, lines) {
                (None, _) => V::settle(rest.widen()),
                (Some(track), Lines::Exact) => track.at(time, cursor),
                (Some(track), Lines::AsPlayed) => track.at_as_played(time, cursor),
            }
        }
        self.models.clear();
        for joint in self.clip.joint_numbers() {
            let number = usize::from(joint);
            let (rest, [translation, rotation, scale]) = (self.rest[number], &mut self.cursors[number]);
            let translation = at(self.clip.translation(joint), rest.translation, time, self.lines, translation);
            let rotation = at(self.clip.rotation(joint), rest.rotation, time, self.lines, rotation);
            let scale = at(self.clip.scale(joint), rest.scale, time, self.lines, scale);
            let local = DAffine3::from_scale_rotation_translation(
                scale.truncate(),
                DQuat::from_vec4(rotation),
                translation.truncate(),
            );
            let parent = self.models.get(usize::from(self.parents[number]));
            let model = parent.map_or(local, |parent| *parent * local);
            self.models.push(model);
        }
        &self.models
    }
}
