//! A clip player with keys sorted by track and then by time, in single precision.
//!
//! Source: the Bitsquid blog, *Low Level Animation, part 2*. The blog calls this the most natural layout, and avoids
//! searches by keeping the current key of each track. This player does both: with [`KeyPlaces`], and with searches.

use hedgerow::Transform;
use hedgerow::glam::{Quat, Vec3};
use hedgerow_anim::{
    RawClip,
    raw::{Interpolation, Track, TrackValue},
};

/// A clip as arrays of keys, grouped by track. Only [`rest`](Self::rest) writes constant tracks, which have one key.
#[derive(Clone, Debug)]
pub struct KeyTracks {
    translations: Keys<Vec3>,
    rotations: Keys<Quat>,
    scales: Keys<Vec3>,
}

/// The first key of a track and the end of its keys; an empty range if the track is missing.
type Range = [u32; 2];

/// All keys of one kind. Times and values are separate arrays, so that a search touches few cache lines.
#[derive(Clone, Debug)]
struct Keys<V> {
    times: Vec<f32>,
    values: Vec<V>,
    /// By joint.
    tracks: Vec<Range>,
    /// The tracks with more than one key, each with its joint.
    moving: Vec<(u32, Range)>,
}

/// A player's current key in each track of the three kinds: of the two keys around the player's time, the later one.
#[derive(Clone, Debug)]
pub struct KeyPlaces([Vec<u32>; 3]);

impl KeyPlaces {
    /// Starts at the beginning of each track.
    pub fn new(tracks: &KeyTracks) -> Self {
        let KeyTracks { translations, rotations, scales } = tracks;
        let moving = [&translations.moving, &rotations.moving, &scales.moving];
        Self(moving.map(|moving| moving.iter().map(|(_, [begin, _])| begin + 1).collect()))
    }
}

impl KeyTracks {
    /// Copies the tracks of all joints, which must be linear.
    pub fn new(clip: &RawClip) -> Self {
        let joints = || 0..u16::try_from(clip.joints()).expect("joints have 16 bits");
        Self {
            translations: Keys::new(joints().map(|joint| clip.translation(joint)), |value| value),
            rotations: Keys::new(joints().map(|joint| clip.rotation(joint)), Quat::normalize),
            scales: Keys::new(joints().map(|joint| clip.scale(joint)), |value| value),
        }
    }

    /// Writes the values of all constant tracks. Call it once for each new pose.
    pub fn rest(&self, pose: &mut [Transform]) {
        for (joint, local) in pose.iter_mut().enumerate() {
            local.translation = self.translations.constant(joint).unwrap_or(local.translation);
            local.rotation = self.rotations.constant(joint).unwrap_or(local.rotation);
            local.scale = self.scales.constant(joint).unwrap_or(local.scale);
        }
    }

    /// Samples all moving tracks at the given time, with a binary search in each. Constant tracks are left as they are.
    #[inline(never)]
    pub fn sample(&self, time: f32, pose: &mut [Transform]) {
        self.translations.each(time, Vec3::lerp, |joint, value| pose[joint].translation = value);
        self.rotations.each(time, Quat::lerp, |joint, value| pose[joint].rotation = value);
        self.scales.each(time, Vec3::lerp, |joint, value| pose[joint].scale = value);
    }

    /// Samples all moving tracks at the given time, searching from the player's current key in each.
    #[inline(never)]
    pub fn sample_from(&self, places: &mut KeyPlaces, time: f32, pose: &mut [Transform]) {
        let KeyPlaces([translations, rotations, scales]) = places;
        self.translations.each_from(translations, time, Vec3::lerp, |joint, value| pose[joint].translation = value);
        self.rotations.each_from(rotations, time, Quat::lerp, |joint, value| pose[joint].rotation = value);
        self.scales.each_from(scales, time, Vec3::lerp, |joint, value| pose[joint].scale = value);
    }
}

impl<V: TrackValue> Keys<V> {
    fn new<'t>(joints: impl Iterator<Item = Option<&'t Track<V>>>, kept: fn(V) -> V) -> Self
    where
        V: 't,
    {
        let mut keys = Self { times: Vec::new(), values: Vec::new(), tracks: Vec::new(), moving: Vec::new() };
        for (joint, track) in (0..).zip(joints) {
            let length = |times: &Vec<f32>| u32::try_from(times.len()).expect("fewer than 2^32 keys");
            let begin = length(&keys.times);
            if let Some(track) = track {
                assert!(track.len() == 1 || track.interpolation() == Interpolation::Linear, "a linear track");
                keys.times.extend(track.times());
                keys.values.extend((0..track.len()).map(|key| kept(track.value(key))));
            }
            let range = [begin, length(&keys.times)];
            keys.tracks.push(range);
            if range[1] - range[0] > 1 {
                keys.moving.push((joint, range));
            }
        }
        keys
    }

    /// Returns the value of a track that has one key.
    fn constant(&self, joint: usize) -> Option<V> {
        let [begin, end] = self.tracks[joint];
        (end - begin == 1).then(|| self.values[begin as usize])
    }

    #[inline]
    fn each(&self, time: f32, line: fn(V, V, f32) -> V, mut put: impl FnMut(usize, V)) {
        for &(joint, [begin, end]) in &self.moving {
            let times = &self.times[begin as usize..end as usize];
            let next = begin as usize + times.partition_point(|&key| key <= time).clamp(1, times.len() - 1);
            put(joint as usize, self.between(next, time, line));
        }
    }

    #[inline]
    fn each_from(&self, places: &mut [u32], time: f32, line: fn(V, V, f32) -> V, mut put: impl FnMut(usize, V)) {
        for (&(joint, [begin, end]), place) in self.moving.iter().zip(places) {
            let mut next = *place;
            while next + 1 < end && self.times[next as usize] <= time {
                next += 1;
            }
            while next > begin + 1 && self.times[next as usize - 1] > time {
                next -= 1;
            }
            *place = next;
            put(joint as usize, self.between(next as usize, time, line));
        }
    }

    #[inline]
    fn between(&self, next: usize, time: f32, line: fn(V, V, f32) -> V) -> V {
        let [from, to] = [self.times[next - 1], self.times[next]];
        line(self.values[next - 1], self.values[next], ((time - from) / (to - from)).clamp(0.0, 1.0))
    }
}
