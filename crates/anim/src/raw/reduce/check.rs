//! Measures the error of all tracks together, in model space.

use crate::Skeleton;
use crate::raw::clip::RawClip;
use crate::raw::track::{Interpolation, Track};
use crate::raw::value::TrackValue;
use glam::{DAffine3, DQuat, DVec3, DVec4, Quat, Vec3};

/// The greatest number of model matrices in memory (50 MB). A clip that needs more is not measured.
const MOST: usize = 1 << 19;

/// The desired number of measured times; each interval between keys gets two to eight of them.
const DENSE: usize = 1024;

/// The model matrices of the original clip, at and between the times of all keys.
#[derive(Debug)]
pub(super) struct Check<'a> {
    skeleton: &'a Skeleton,
    times: Vec<f64>,
    /// The matrices of all joints at the first time, then at the next time, and so on.
    models: Vec<DAffine3>,
}

/// The interpolation of rotations between keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    Exact,
    AsPlayed,
}

impl<'a> Check<'a> {
    /// Samples the original. Returns `None` if that would take too much memory.
    pub(super) fn new(clip: &RawClip, skeleton: &'a Skeleton) -> Option<Self> {
        let times = times(clip, MOST / clip.joints().max(1))?;
        let mut models = Vec::with_capacity(times.len() * clip.joints());
        let mut sweep = Sweep::new(clip, skeleton, Lines::Exact);
        for &time in &times {
            models.extend_from_slice(sweep.models(time));
        }
        Some(Self { skeleton, times, models })
    }

    /// Returns the greatest distance of each joint's six points in a reduced clip from their positions in the original.
    /// Measures the clip as played. If all points are within their limits, also measures exact samples.
    pub(super) fn errors(&self, reduced: &RawClip, distances: &[f64], limits: &[f64]) -> Vec<f64> {
        let mut most = vec![0.0; limits.len()];
        self.measure(reduced, Lines::AsPlayed, distances, &mut most);
        // Exact arcs are only measured once the played form holds: most rounds end before.
        if most.iter().zip(limits).all(|(error, limit)| error <= limit) {
            self.measure(reduced, Lines::Exact, distances, &mut most);
        }
        most
    }

    fn measure(&self, reduced: &RawClip, lines: Lines, distances: &[f64], most: &mut [f64]) {
        let mut sweep = Sweep::new(reduced, self.skeleton, lines);
        // Squares are compared, so that the root is taken once a joint.
        most.iter_mut().for_each(|error| *error *= *error);
        for (&time, originals) in self.times.iter().zip(self.models.chunks_exact(most.len().max(1))) {
            for (joint, (found, original)) in sweep.models(time).iter().zip(originals).enumerate() {
                most[joint] = most[joint].max(apart(found, original, distances[joint]));
            }
        }
        most.iter_mut().for_each(|squared| *squared = squared.sqrt());
    }
}

/// Returns the square of the greatest distance between the six points under two transforms.
fn apart(a: &DAffine3, b: &DAffine3, distance: f64) -> f64 {
    let shift = a.translation - b.translation;
    let axes = a.matrix3 - b.matrix3;
    let of = |axis: DVec3| {
        let axis = axis * distance;
        (shift + axis).length_squared().max((shift - axis).length_squared())
    };
    of(axes.x_axis).max(of(axes.y_axis)).max(of(axes.z_axis))
}

/// Returns the times of keys, times just before steps, and times between keys; `None` if there are more than `most`.
fn times(clip: &RawClip, most: usize) -> Option<Vec<f64>> {
    fn of<V: TrackValue>(track: Option<&Track<V>>, keys: &mut Vec<f32>) {
        let Some(track) = track.filter(|track| track.len() > 1) else { return };
        keys.extend(track.times());
        if track.interpolation() == Interpolation::Step {
            // A step's old value is seen last just before its key.
            keys.extend(track.times().iter().map(|time| time.next_down().max(0.0)));
        }
    }
    let mut keys = vec![0.0];
    for joint in clip.joint_numbers() {
        of(clip.translation(joint), &mut keys);
        of(clip.rotation(joint), &mut keys);
        of(clip.scale(joint), &mut keys);
        // Stops long before the memory of a hostile clip would matter.
        if keys.len() > 64 * most {
            return None;
        }
    }
    keys.sort_unstable_by(f32::total_cmp);
    keys.dedup();
    // Few keys are far apart, and errors peak between them.
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
    parents: &'a [u16],
    joints: Vec<[Part<'a>; 3]>,
    lines: Lines,
    models: Vec<DAffine3>,
}

/// One part of a joint: a constant value, or a track and its cursor.
enum Part<'a> {
    Still(DVec4),
    Vector(&'a Track<Vec3>, usize),
    Rotation(&'a Track<Quat>, usize),
}

impl<'a> Sweep<'a> {
    fn new(clip: &'a RawClip, skeleton: &'a Skeleton, lines: Lines) -> Self {
        fn part<'a, V: TrackValue>(
            track: Option<&'a Track<V>>,
            rest: V,
            moving: fn(&'a Track<V>, usize) -> Part<'a>,
        ) -> Part<'a> {
            match track {
                Some(track) if track.len() > 1 => moving(track, 0),
                Some(track) => Part::Still(V::normalise(track.value(0).widen())),
                None => Part::Still(V::normalise(rest.widen())),
            }
        }
        let joints = clip.joint_numbers().map(|joint| {
            let rest = skeleton.rest(joint);
            [
                part(clip.translation(joint), rest.translation, Part::Vector),
                part(clip.rotation(joint), rest.rotation, Part::Rotation),
                part(clip.scale(joint), rest.scale, Part::Vector),
            ]
        });
        let joints: Vec<_> = joints.collect();
        Self { parents: skeleton.parents(), models: Vec::with_capacity(joints.len()), joints, lines }
    }

    /// Computes the model matrices of all joints.
    fn models(&mut self, time: f64) -> &[DAffine3] {
        self.models.clear();
        for (parts, &parent) in self.joints.iter_mut().zip(self.parents) {
            let [translation, rotation, scale] = parts.each_mut().map(|part| part.at(time, self.lines));
            let local = DAffine3::from_scale_rotation_translation(
                scale.truncate(),
                DQuat::from_vec4(rotation),
                translation.truncate(),
            );
            // A root's parent is out of range.
            let model = self.models.get(usize::from(parent)).map_or(local, |parent| *parent * local);
            self.models.push(model);
        }
        &self.models
    }
}

impl Part<'_> {
    fn at(&mut self, time: f64, lines: Lines) -> DVec4 {
        match (self, lines) {
            (Self::Still(value), _) => *value,
            (Self::Vector(track, cursor), _) => track.at(time, cursor),
            (Self::Rotation(track, cursor), Lines::Exact) => track.at(time, cursor),
            (Self::Rotation(track, cursor), Lines::AsPlayed) => track.at_as_played(time, cursor),
        }
    }
}
