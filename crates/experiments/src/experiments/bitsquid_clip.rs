//! Plays the test clip: 96 joints with 120 rotation keys each, at 30 keys per second, played at 60 frames per second.
//!
//! - `forward`, `backward`: sampling all joints for one frame, including the step to it, in nanoseconds per joint. The
//!   baseline remembers its current key in each track, as the source describes. Neither side rewrites constant tracks.
//! - `seek`: the same at random times. The baseline does a binary search in every track.
//! - `size`: bytes per key of the clip with its jump frames; the baseline is the size of the keys by track. The
//!   allocator ([`heap`](crate::heap)) counts both, as copies without spare capacity.
//!
//! Samples are compared with those of the searching player. Rotations may differ by 1.1e-4 radians, the error bound of
//! a compact key; translations and scales must be equal.
#![allow(clippy::cast_possible_truncation, reason = "joints and frames are few")]

use crate::baselines::{KeyPlaces, KeyTracks};
use crate::front::{Front, checked_elsewhere};
use crate::heap::held;
use crate::workloads::{TEST_CLIP_JOINTS, TEST_CLIP_KEYS, test_clip};
use crate::{Case, Outcome, Unit};
use hedgerow::Transform;
use hedgerow_anim::{Clip, ClipBuilder, Player, Pose, RawClip, player::Playback};
use std::hint::black_box;

const JOINTS: usize = TEST_CLIP_JOINTS;
/// The number of frames in a turn, which plays the whole clip at 60 frames per second.
const FRAMES: usize = 2 * (TEST_CLIP_KEYS - 1);
const FRAME: f32 = 1.0 / 60.0;
const DURATION: f32 = (TEST_CLIP_KEYS - 1) as f32 / 30.0;
/// The error bound of a compact rotation key in radians, plus a margin for rounding.
const BOUND: f32 = 1.1e-4 + 1e-6;
const SEARCH: &str = "a search in every track";
const PLACES: &str = "keys by track, a place kept in each";
const JOINT: Unit = Unit::Each("ns/joint");

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    let raw = test_clip();
    let (clip, _) = ClipBuilder::new().build(&raw)?;
    let (mut ours, mut naive) = (Ours::new(&clip), Naive::new(&raw));
    compare(&mut ours, &naive)?;
    let mut case = |name, baseline, ours_do: fn(&mut Ours<'_>), naive_does: fn(&mut Naive)| {
        let case = Case::new(name, JOINTS, JOINT, baseline).per(FRAMES * JOINTS);
        front.calls(case, (&mut ours, &mut naive), ours_do, naive_does, checked_elsewhere)
    };
    case("forward", PLACES, |ours| ours.play(FRAME), |naive| naive.play(FRAME))?;
    case("backward", PLACES, |ours| ours.play(-FRAME), |naive| naive.play(-FRAME))?;
    case("seek", SEARCH, |ours| ours.seek(), Naive::seek)?;
    let [size, plain] = [held(|| clip.clone()).1, held(|| naive.tracks.clone()).1];
    let keys = JOINTS * TEST_CLIP_KEYS;
    let case = Case::new("size", keys, Unit::Each("B/key"), "keys by track");
    front.report(&case, size as f64 / keys as f64, plain as f64 / keys as f64)
}

/// Fails unless both sides compute the same pose forward, backward and at random times.
fn compare(ours: &mut Ours<'_>, naive: &Naive) -> Outcome {
    let (mut pose, mut kept, mut places) = (naive.pose.clone(), naive.pose.clone(), naive.places.clone());
    for step in 0..4 * FRAMES {
        match step / FRAMES {
            0 => _ = ours.player.advance(FRAME),
            1 => _ = ours.player.advance(-FRAME),
            2 => ours.player.seek(random_time(step)),
            _ => _ = ours.player.advance(2.5 * random_time(step) - 5.0),
        }
        let time = ours.player.time();
        ours.player.sample(&mut ours.pose)?;
        naive.tracks.sample(time, &mut pose);
        naive.tracks.sample_from(&mut places, time, &mut kept);
        if kept != pose {
            return Err(format!("at {time} s the baseline shows something else from its places").into());
        }
        for (joint, theirs) in (0..).zip(&pose) {
            let found = ours.pose.get(joint);
            let nearer = if found.rotation.dot(theirs.rotation) < 0.0 { -theirs.rotation } else { theirs.rotation };
            let angle = 2.0 * (found.rotation - nearer).length();
            let alone = ours.player.sample_joint(joint, Transform::IDENTITY);
            let same = found.translation == theirs.translation && found.scale == theirs.scale && alone == found;
            if angle.is_nan() || angle > BOUND || !same {
                return Err(format!("joint {joint} at {time} s: {found:?} and {theirs:?}").into());
            }
        }
    }
    Ok(())
}

/// Returns a time in the clip that depends only on `step`.
fn random_time(step: usize) -> f32 {
    let bits = (step as u32 + 1).wrapping_mul(0x9E37_79B9).rotate_left(15).wrapping_mul(0x85EB_CA6B);
    bits as f32 / u32::MAX as f32 * DURATION
}

/// Our player and its output.
struct Ours<'c> {
    player: Player<&'c Clip>,
    pose: Pose,
}

impl<'c> Ours<'c> {
    fn new(clip: &'c Clip) -> Self {
        let mut player = Player::new(clip);
        player.set_playback(Playback::Loop);
        Self { player, pose: Pose::new(JOINTS) }
    }

    fn play(&mut self, seconds: f32) {
        for _ in 0..FRAMES {
            self.player.advance(seconds);
            self.player.sample(&mut self.pose).expect("joints as many");
            black_box(&mut self.pose);
        }
    }

    fn seek(&mut self) {
        for step in 0..FRAMES {
            self.player.seek(random_time(step));
            self.player.sample(&mut self.pose).expect("joints as many");
            black_box(&mut self.pose);
        }
    }
}

/// The player of keys by track, its current keys and its output.
struct Naive {
    tracks: KeyTracks,
    places: KeyPlaces,
    pose: Vec<Transform>,
    time: f32,
}

impl Naive {
    fn new(raw: &RawClip) -> Self {
        let (tracks, mut pose) = (KeyTracks::new(raw), vec![Transform::IDENTITY; JOINTS]);
        tracks.rest(&mut pose);
        Self { places: KeyPlaces::new(&tracks), tracks, pose, time: 0.0 }
    }

    fn play(&mut self, seconds: f32) {
        for _ in 0..FRAMES {
            self.time = (self.time + seconds).rem_euclid(DURATION);
            self.tracks.sample_from(&mut self.places, self.time, &mut self.pose);
            black_box(&mut self.pose);
        }
    }

    fn seek(&mut self) {
        for step in 0..FRAMES {
            self.tracks.sample(random_time(step), &mut self.pose);
            black_box(&mut self.pose);
        }
    }
}
