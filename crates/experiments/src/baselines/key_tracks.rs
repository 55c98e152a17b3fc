//! A clip player with keys sorted by track and then by time, in single precision.
//!
//! Source: the Bitsquid blog, *Low Level Animation, part 2*, which calls this the most natural way, and says of it that
//! the present position in each track is kept, so that it need not be searched. Here are both: with [`KeyPlaces`], and
//! with a search in each track.

use hedgerow::glam::{Quat, Vec3};
use hedgerow::{
    Transform,
    anim::{
        RawClip,
        raw::{Interpolation, Track, TrackValue},
    },
};

/// A clip as arrays of keys, those of a track side by side. Tracks with a single key are constant: they are written
/// once ([`rest`](Self::rest)), and not again in each frame.
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
    /// The tracks with more than one key, each with its joint.
    moving: Vec<(u32, Range)>,
}

/// The place that a player has in each track: the later one of the two keys that it stands between.
#[derive(Clone, Debug)]
pub struct KeyPlaces {
    translations: Vec<u32>,
    rotations: Vec<u32>,
    scales: Vec<u32>,
}

impl KeyPlaces {
    /// At the beginning of each track.
    #[must_use]
    pub fn new(tracks: &KeyTracks) -> Self {
        let first = |moving: &[(u32, Range)]| moving.iter().map(|(_, range)| range.begin + 1).collect();
        Self {
            translations: first(&tracks.translations.moving),
            rotations: first(&tracks.rotations.moving),
            scales: first(&tracks.scales.moving),
        }
    }
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
            translation: translations.append(joint, clip.translation(joint), |value| value),
            rotation: rotations.append(joint, clip.rotation(joint), Quat::normalize),
            scale: scales.append(joint, clip.scale(joint), |value| value),
        });
        let joints = joints.collect();
        Self { joints, translations, rotations, scales }
    }

    /// Writes the values of all constant tracks: what a pose begins with.
    ///
    /// # Panics
    /// Panics where the pose has fewer joints than the clip.
    pub fn rest(&self, pose: &mut [Transform]) {
        for (keys, local) in self.joints.iter().zip(&mut pose[..self.joints.len()]) {
            local.translation = self.translations.constant(keys.translation).unwrap_or(local.translation);
            local.rotation = self.rotations.constant(keys.rotation).unwrap_or(local.rotation);
            local.scale = self.scales.constant(keys.scale).unwrap_or(local.scale);
        }
    }

    /// The pose at a time, found by a binary search in each track; what has no track that moves stays as it is.
    ///
    /// # Panics
    /// Panics where the pose has fewer joints than the clip.
    #[inline(never)]
    pub fn sample(&self, time: f32, pose: &mut [Transform]) {
        let pose = &mut pose[..self.joints.len()];
        self.translations.each(time, Vec3::lerp, |joint, value| pose[joint].translation = value);
        self.rotations.each(time, Quat::lerp, |joint, value| pose[joint].rotation = value);
        self.scales.each(time, Vec3::lerp, |joint, value| pose[joint].scale = value);
    }

    /// The same, from where the player stood before in each track.
    ///
    /// # Panics
    /// Panics where the pose has fewer joints than the clip.
    #[inline(never)]
    pub fn sample_from(&self, places: &mut KeyPlaces, time: f32, pose: &mut [Transform]) {
        let pose = &mut pose[..self.joints.len()];
        let KeyPlaces { translations, rotations, scales } = places;
        self.translations.each_from(translations, time, Vec3::lerp, |joint, value| pose[joint].translation = value);
        self.rotations.each_from(rotations, time, Quat::lerp, |joint, value| pose[joint].rotation = value);
        self.scales.each_from(scales, time, Vec3::lerp, |joint, value| pose[joint].scale = value);
    }

    /// One joint of the pose at a time, with the values of its constant tracks.
    ///
    /// # Panics
    /// Panics where the clip has no such joint.
    #[inline(never)]
    pub fn sample_joint(&self, time: f32, joint: usize, local: &mut Transform) {
        let keys = &self.joints[joint];
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

    /// All keys as bytes, the times of each kind before its values.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut all = |numbers: &[f32]| bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        for (times, values) in
            [(&self.translations.times, &self.translations.values), (&self.scales.times, &self.scales.values)]
        {
            all(times);
            values.iter().for_each(|value| all(&value.to_array()));
        }
        all(&self.rotations.times);
        self.rotations.values.iter().for_each(|value| all(&value.to_array()));
        bytes
    }
}

impl<V: TrackValue> Keys<V> {
    const fn new() -> Self {
        Self { times: Vec::new(), values: Vec::new(), moving: Vec::new() }
    }

    fn append(&mut self, joint: u16, track: Option<&Track<V>>, kept: fn(V) -> V) -> Range {
        let length = |times: &Vec<f32>| u32::try_from(times.len()).expect("fewer than 2^32 keys");
        let begin = length(&self.times);
        if let Some(track) = track {
            assert!(track.len() == 1 || track.interpolation() == Interpolation::Linear, "a linear track");
            self.times.extend(track.times());
            self.values.extend((0..track.len()).map(|key| kept(track.value(key))));
        }
        let range = Range { begin, end: length(&self.times) };
        if range.end - range.begin > 1 {
            self.moving.push((u32::from(joint), range));
        }
        range
    }

    /// The value of a track that has one key.
    fn constant(&self, range: Range) -> Option<V> {
        (range.end - range.begin == 1).then(|| self.values[range.begin as usize])
    }

    #[inline]
    fn each(&self, time: f32, line: fn(V, V, f32) -> V, mut put: impl FnMut(usize, V)) {
        for &(joint, range) in &self.moving {
            put(joint as usize, self.between(self.search(range, time), time, line));
        }
    }

    #[inline]
    fn each_from(&self, places: &mut [u32], time: f32, line: fn(V, V, f32) -> V, mut put: impl FnMut(usize, V)) {
        for (&(joint, range), place) in self.moving.iter().zip(places) {
            let mut next = *place as usize;
            while next + 1 < range.end as usize && self.times[next] <= time {
                next += 1;
            }
            while next > range.begin as usize + 1 && self.times[next - 1] > time {
                next -= 1;
            }
            #[expect(clippy::cast_possible_truncation, reason = "keys are counted in 32 bits")]
            let kept = next as u32;
            *place = kept;
            put(joint as usize, self.between(next, time, line));
        }
    }

    #[inline]
    fn sample(&self, range: Range, time: f32, line: fn(V, V, f32) -> V) -> Option<V> {
        match range.end - range.begin {
            0 => None,
            1 => self.constant(range),
            _ => Some(self.between(self.search(range, time), time, line)),
        }
    }

    /// The later one of the two keys that a time lies between, of a track with at least two.
    #[inline]
    fn search(&self, Range { begin, end }: Range, time: f32) -> usize {
        let times = &self.times[begin as usize..end as usize];
        begin as usize + times.partition_point(|&key| key <= time).clamp(1, times.len() - 1)
    }

    #[inline]
    fn between(&self, next: usize, time: f32, line: fn(V, V, f32) -> V) -> V {
        let [from, to] = [self.times[next - 1], self.times[next]];
        line(self.values[next - 1], self.values[next], ((time - from) / (to - from)).clamp(0.0, 1.0))
    }
}
