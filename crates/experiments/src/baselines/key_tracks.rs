//! A clip player that searches every track: keys in single precision, sorted by track and then by time.

use hedgerow::glam::{Quat, Vec3};
use hedgerow::{
    Transform,
    anim::{
        RawClip,
        raw::{Interpolation, Track, TrackValue},
    },
};

/// A clip as arrays of keys, those of a track side by side, and no state beside them: each sample finds its place in
/// each track by binary search. Tracks with a single key are not searched.
#[derive(Clone, Debug)]
pub struct KeyTracks {
    joints: Vec<JointKeys>,
    translations: Keys<Vec3>,
    rotations: Keys<Quat>,
    scales: Keys<Vec3>,
}

/// Where the three tracks of a joint lie in their arrays; an empty range where there is no track.
#[derive(Clone, Copy, Debug)]
struct JointKeys {
    translation: Range,
    rotation: Range,
    scale: Range,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    begin: u32,
    end: u32,
}

/// All keys of one kind. The times are apart from the values, so that a search touches few cache lines.
#[derive(Clone, Debug)]
struct Keys<V> {
    times: Vec<f32>,
    values: Vec<V>,
}

impl KeyTracks {
    /// The tracks of a clip's joints.
    ///
    /// # Panics
    /// Panics where a track has several keys and is not linear, or where there are 2³² keys.
    #[must_use]
    pub fn new(clip: &RawClip) -> Self {
        let (mut translations, mut rotations, mut scales) = (Keys::new(), Keys::new(), Keys::new());
        let joints = (0..u16::try_from(clip.joints()).expect("joints have 16 bits")).map(|joint| JointKeys {
            translation: translations.append(clip.translation(joint), |value| value),
            rotation: rotations.append(clip.rotation(joint), Quat::normalize),
            scale: scales.append(clip.scale(joint), |value| value),
        });
        let joints = joints.collect();
        Self { joints, translations, rotations, scales }
    }

    /// The pose at a time; what the clip has no track for stays as it is.
    ///
    /// # Panics
    /// Panics where the pose has fewer joints than the clip.
    #[inline(never)]
    pub fn sample(&self, time: f32, pose: &mut [Transform]) {
        for (keys, local) in self.joints.iter().zip(&mut pose[..self.joints.len()]) {
            self.sample_keys(keys, time, local);
        }
    }

    /// One joint of the pose at a time.
    ///
    /// # Panics
    /// Panics where the clip has no such joint.
    #[inline(never)]
    pub fn sample_joint(&self, time: f32, joint: usize, local: &mut Transform) {
        self.sample_keys(&self.joints[joint], time, local);
    }

    #[inline]
    fn sample_keys(&self, keys: &JointKeys, time: f32, local: &mut Transform) {
        if let Some(translation) = self.translations.sample(keys.translation, time, Vec3::lerp) {
            local.translation = translation;
        }
        if let Some(rotation) = self.rotations.sample(keys.rotation, time, Quat::lerp) {
            local.rotation = rotation;
        }
        if let Some(scale) = self.scales.sample(keys.scale, time, Vec3::lerp) {
            local.scale = scale;
        }
    }

    /// The bytes of all keys and of the table that finds them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.joints) + self.translations.bytes() + self.rotations.bytes() + self.scales.bytes()
    }
}

impl<V: TrackValue> Keys<V> {
    const fn new() -> Self {
        Self { times: Vec::new(), values: Vec::new() }
    }

    fn append(&mut self, track: Option<&Track<V>>, kept: fn(V) -> V) -> Range {
        let length = |times: &Vec<f32>| u32::try_from(times.len()).expect("fewer than 2^32 keys");
        let begin = length(&self.times);
        if let Some(track) = track {
            assert!(track.len() == 1 || track.interpolation() == Interpolation::Linear, "a linear track");
            self.times.extend(track.times());
            self.values.extend((0..track.len()).map(|key| kept(track.value(key))));
        }
        Range { begin, end: length(&self.times) }
    }

    #[inline]
    fn sample(&self, range: Range, time: f32, line: fn(V, V, f32) -> V) -> Option<V> {
        let keys = range.begin as usize..range.end as usize;
        let (times, values) = (&self.times[keys.clone()], &self.values[keys]);
        if times.len() <= 1 {
            return values.first().copied();
        }
        let next = times.partition_point(|&key| key <= time).clamp(1, times.len() - 1);
        let t = (time - times[next - 1]) / (times[next] - times[next - 1]);
        Some(line(values[next - 1], values[next], t.clamp(0.0, 1.0)))
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.times) + size_of_val(&*self.values)
    }
}
