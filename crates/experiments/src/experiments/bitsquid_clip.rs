//! Playing the test clip: 96 joints, 120 rotation keys each at 30 a second, played at 60 frames a second.
//!
//! - `forward`, `backward`: all joints' samples of one frame, the way to the frame included, in nanoseconds a joint;
//!   against a player of keys by track that keeps its place in each, as the source says of it. Neither side writes
//!   constant tracks again.
//! - `forward-search`: the same against a binary search in every track, for a player without places.
//! - `seek`: the same at random times, against that search; and `seek/1` to `seek/16` with jump frames so far apart, as
//!   many times the bytes of one, against the default spacing, with the bytes a key of each as `size/1` to `size/16`.
//! - `one-joint`: one joint of a player that stands at the time, in nanoseconds, as the searching one does;
//!   `one-joint-seek`: both at random times, ours from the clip.
//! - `thousand`: a thousand players of a thousand different clips, each at its own time, one frame of each in turn into
//!   a pose of its own, with their prefetch; against one player.
//! - `load`: a clip from bytes, all checks included, in nanoseconds a byte; against copying the bytes.
//! - `memory`: `forward` against the bytes that it cannot do without, touched in the same order ([`Streams`]): a frame's
//!   part of the stream read and written to the active array, all of that read, and the rotations written to the pose.
//! - `size`, `size-frames`, `size-state`: bytes of the clip with its jump frames, of the jump frames alone but for those
//!   at both ends, and of a player's active array, each a key; against the keys by track. All are counted by the
//!   allocator ([`heap`](crate::heap)), as copies without spare room.
//! - `deflate`: the clip's bytes as deflate leaves them, of which the source expects a factor of two, against the bytes
//!   as they are; `size-deflate`: the same against what deflate leaves of the keys in single precision.
//!
//! A sine without noise is kind to deflate. With `captured/` before their names `forward`, `seek` and the sizes are of
//! another clip of as many joints and keys, as motion capture leaves them ([`captured_clip`]).
//!
//! All clips have jump frames at the default spacing. Samples are compared with the searching player's: rotations may
//! be 1.1e-4 radians apart, what a compact key may be, translations as much as the report of the compilation says, and
//! constant tracks not at all. Cache misses are not counted
//! here: run under `perf stat -e cache-misses` where the machine has the counters.
#![allow(clippy::cast_possible_truncation, reason = "joints and frames are few")]

use crate::baselines::{KeyPlaces, KeyTracks};
use crate::front::{Calls, Front, Sizes, checked_elsewhere};
use crate::heap::held;
use crate::workloads::{Streams, TEST_CLIP_JOINTS, TEST_CLIP_KEYS, TOUCHED, captured_clip, swaying, test_clip};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::Quat;
use hedgerow::{
    Transform,
    anim::{Clip, ClipBuilder, Player, Pose, RawClip, clip::JumpSpacing, player::Playback},
};
use std::hint::black_box;
use std::io::Write as _;

/// Joints of all cases but `one-joint`.
const JOINTS: usize = TEST_CLIP_JOINTS;
/// Frames of a turn, at 60 a second: the whole clip.
const FRAMES: usize = 2 * (TEST_CLIP_KEYS - 1);
const FRAME: f32 = 1.0 / 60.0;
/// Clips and players of `thousand`.
const THOUSAND: Sizes<usize> = Sizes { full: 1000, short: 1000, tiny: 8 };
/// What a compact rotation key may be away from what was asked for, in radians, and as much for rounding.
const BOUND: f32 = 1.1e-4 + 1e-6;
/// How many players ahead memory is asked for.
const AHEAD: usize = 4;
const SEARCH: &str = "a search in every track";
const PLACES: &str = "keys by track, a place kept in each";
const DEFAULT: &str = "the default spacing";
const JOINT: Unit = Unit::Each("ns/joint");
const KEY: Unit = Unit::Each("B/key");
const KEYS: usize = JOINTS * TEST_CLIP_KEYS;

/// Runs the experiment.
///
/// # Errors
/// Where the sides show something else, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let raw = test_clip();
    let (clip, _) = ClipBuilder::new().build(&raw)?;
    let mut naive = Naive::new(&raw);
    compare(&clip, &naive, 0.0)?;
    let mut ours = Ours::new(&clip);
    let mut case = |name, nodes, ours_do, other| shown(front, (name, nodes), (&mut ours, &mut naive), ours_do, other);
    let forward: fn(&mut Ours<'_>) = |ours| ours.play(FRAME);
    case("forward", JOINTS, forward, (PLACES, |naive| naive.play_from_places(FRAME)))?;
    case("backward", JOINTS, |ours| ours.play(-FRAME), (PLACES, |naive| naive.play_from_places(-FRAME)))?;
    case("forward-search", JOINTS, forward, (SEARCH, |naive| naive.play(FRAME)))?;
    case("seek", JOINTS, Ours::seek, (SEARCH, Naive::seek))?;
    case("one-joint", 1, Ours::one_joint, (SEARCH, Naive::one_joint))?;
    case("one-joint-seek", 1, Ours::one_joint_seek, (SEARCH, Naive::one_joint_seek))?;

    spacings(front, &raw, &mut ours)?;
    many(front, &mut ours)?;
    load(front, &clip)?;
    let mut streams = streams(&clip);
    let calls = Calls {
        case: Case::new("memory", JOINTS, JOINT, TOUCHED),
        per: FRAMES * JOINTS,
        repeats: 1,
        sides: (&mut ours, &mut streams),
        ours: forward,
        baseline: Streams::touch,
    };
    front.calls(calls, checked_elsewhere)?;
    sizes(front, "", &raw, &clip, &naive)?;
    captured(front)
}

/// A case in which both sides show frames of one clip; `nodes` says of how many joints each.
fn shown<'c, F: Front>(
    front: &mut F,
    (name, nodes): (&str, usize),
    (ours, naive): (&mut Ours<'c>, &mut Naive),
    ours_do: fn(&mut Ours<'c>),
    (baseline, naive_does): (&str, fn(&mut Naive)),
) -> Outcome {
    let calls = Calls {
        case: Case::new(name, nodes, JOINT, baseline),
        per: FRAMES * JOINTS,
        repeats: 1,
        sides: (ours, naive),
        ours: ours_do,
        baseline: naive_does,
    };
    front.calls(calls, checked_elsewhere)
}

/// Another clip, as motion capture leaves it.
fn captured<F: Front>(front: &mut F) -> Outcome {
    let raw = captured_clip();
    let (clip, report) = ClipBuilder::new().build(&raw)?;
    let mut naive = Naive::new(&raw);
    // Rounding besides, within some metres.
    compare(&clip, &naive, report.translation_error + 1e-5)?;
    let mut ours = Ours::new(&clip);
    let mut case = |name, ours_do, other| shown(front, (name, JOINTS), (&mut ours, &mut naive), ours_do, other);
    let forward: fn(&mut Ours<'_>) = |ours| ours.play(FRAME);
    case("captured/forward", forward, (PLACES, |naive| naive.play_from_places(FRAME)))?;
    case("captured/seek", Ours::seek, (SEARCH, Naive::seek))?;
    sizes(front, "captured/", &raw, &clip, &naive)
}

/// What playing a clip reads and writes at least, frame by frame.
fn streams(clip: &Clip) -> Streams {
    let stats = clip.stats();
    let part = stats.stream_bytes / FRAMES;
    let mut read = vec![part; FRAMES];
    read.push(stats.player_bytes);
    let written = [part, JOINTS * size_of::<Quat>()];
    Streams::of(&read, &written, (0..FRAMES).flat_map(|frame| [(frame, 0), (FRAMES, 1)]))
}

/// What a clip takes, as it is and deflated.
fn sizes<F: Front>(front: &mut F, prefix: &str, raw: &RawClip, clip: &Clip, naive: &Naive) -> Outcome {
    let mut report = |name: &str, baseline, ours: usize, theirs: usize| {
        let case = Case::new(name, KEYS, KEY, baseline);
        front.report(&case, ours as f64 / KEYS as f64, theirs as f64 / KEYS as f64)
    };
    let (sparse, _) = ClipBuilder::new().jump_frames(JumpSpacing::Seconds(raw.duration())).build(raw)?;
    let [all, sparse] = [clip, &sparse].map(|clip| held(|| clip.clone()).1);
    let (_, state) = held(|| Player::new(clip));
    let (_, plain) = held(|| naive.tracks.clone());
    for (name, size) in [("size", all), ("size-frames", all.saturating_sub(sparse)), ("size-state", state)] {
        report(&format!("{prefix}{name}"), "keys by track", size, plain)?;
    }
    let [ours, theirs] = [clip.to_bytes(), &naive.tracks.to_bytes()].map(deflated);
    report(&format!("{prefix}deflate"), "the clip as it is", ours, clip.to_bytes().len())?;
    report(&format!("{prefix}size-deflate"), "plain keys, deflated", ours, theirs)
}

/// Jump frames in other distances: how long a seek takes, and how large the clip is.
fn spacings<F: Front>(front: &mut F, raw: &RawClip, ours: &mut Ours<'_>) -> Outcome {
    let default = held(|| ours.player.clip().clone()).1;
    for times in [1, 2, 4, 8, 16] {
        let (clip, _) = ClipBuilder::new().jump_frames(JumpSpacing::Frames(times as f32)).build(raw)?;
        let mut other = Ours::new(&clip);
        let name = &format!("seek/{times}");
        let calls = Calls {
            case: Case::new(name, JOINTS, JOINT, DEFAULT).against_itself(),
            per: FRAMES * JOINTS,
            repeats: 1,
            sides: (&mut other, &mut *ours),
            ours: Ours::seek,
            baseline: Ours::seek,
        };
        front.calls(calls, |other, ours| {
            if other.pose == ours.pose { Ok(()) } else { Err("jump frames change what is shown".into()) }
        })?;
        let these = held(|| clip.clone()).1;
        let name = &format!("size/{times}");
        let case = Case::new(name, KEYS, KEY, DEFAULT).against_itself();
        front.report(&case, these as f64 / KEYS as f64, default as f64 / KEYS as f64)?;
    }
    Ok(())
}

/// How many bytes deflate leaves, as gzip has it by default.
fn deflated(bytes: &[u8]) -> usize {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes all bytes").len()
}

/// A thousand players of as many clips, against one player.
fn many<F: Front>(front: &mut F, ours: &mut Ours<'_>) -> Outcome {
    let count = THOUSAND.at(front.scale());
    let clips: Result<Vec<Clip>, hedgerow::anim::Error> = (0..count)
        .map(|number| Ok(ClipBuilder::new().build(&swaying(JOINTS, TEST_CLIP_KEYS, 0.01 * number as f32))?.0))
        .collect();
    let clips = clips?;
    let mut crowd = Crowd::new(&clips);
    ours.steps = count;
    let calls = Calls {
        case: Case::new("thousand", count * JOINTS, JOINT, "one clip").against_itself(),
        per: count * JOINTS,
        repeats: 1,
        sides: (&mut crowd, ours),
        ours: Crowd::play,
        baseline: |ours| ours.frames(ours.steps, FRAME),
    };
    front.calls(calls, checked_elsewhere)
}

/// A clip from bytes, against a copy of the bytes.
fn load<F: Front>(front: &mut F, clip: &Clip) -> Outcome {
    let bytes = clip.to_bytes();
    let nodes = bytes.len();
    let calls = Calls {
        case: Case::new("load", nodes, Unit::Each("ns/byte"), "copying the bytes"),
        per: nodes,
        repeats: 10,
        sides: (&mut &*bytes, &mut &*bytes),
        ours: |bytes| _ = black_box(Clip::from_bytes(bytes.to_vec())),
        baseline: |bytes| _ = black_box(bytes.to_vec()),
    };
    front.calls(calls, |bytes, _| Ok(_ = Clip::from_bytes(bytes.to_vec())?))
}

/// Fails unless both sides show the same, forward, backward and at random times; translations within this bound.
fn compare(clip: &Clip, naive: &Naive, bound: f32) -> Outcome {
    let mut ours = Ours::new(clip);
    let (mut pose, mut kept, mut places) = (naive.pose.clone(), naive.pose.clone(), naive.places.clone());
    for step in 0..4 * FRAMES {
        match step / FRAMES {
            0 => _ = ours.player.advance(FRAME),
            1 => _ = ours.player.advance(-FRAME),
            2 => ours.player.seek(random_time(step)),
            _ => _ = ours.player.advance(2.5 * random_time(step) - 5.0),
        }
        ours.player.sample(&mut ours.pose)?;
        naive.tracks.sample(ours.player.time(), &mut pose);
        naive.tracks.sample_from(&mut places, ours.player.time(), &mut kept);
        if kept != pose {
            return Err(format!("at {} s the baseline shows something else from its places", ours.player.time()).into());
        }
        for (joint, theirs) in (0..).zip(&pose) {
            let found = ours.pose.get(joint);
            let nearer = if found.rotation.dot(theirs.rotation) < 0.0 { -theirs.rotation } else { theirs.rotation };
            let angle = 2.0 * (found.rotation - nearer).length();
            let alone = ours.player.sample_joint(joint, Transform::IDENTITY);
            let apart = (found.translation - theirs.translation).abs().max_element();
            let same = apart <= bound && found.scale == theirs.scale && alone == found;
            if angle.is_nan() || angle > BOUND || !same {
                return Err(format!("joint {joint} at {} s: {found:?} and {theirs:?}", ours.player.time()).into());
            }
            let alone = clip.sample_joint(ours.player.time(), joint, Transform::IDENTITY);
            if alone != found {
                let time = ours.player.time();
                return Err(format!("joint {joint} at {time} s: {found:?} and alone {alone:?}").into());
            }
        }
    }
    Ok(())
}

/// A time in the clip, always the same for a step.
fn random_time(step: usize) -> f32 {
    let bits = (step as u32 + 1).wrapping_mul(0x9E37_79B9).rotate_left(15).wrapping_mul(0x85EB_CA6B);
    bits as f32 / u32::MAX as f32 * (TEST_CLIP_KEYS - 1) as f32 / 30.0
}

/// One player and what it writes into.
struct Ours<'c> {
    player: Player<&'c Clip>,
    pose: Pose,
    /// The frames of a turn that is compared with many players.
    steps: usize,
}

impl<'c> Ours<'c> {
    fn new(clip: &'c Clip) -> Self {
        let mut player = Player::new(clip);
        player.set_playback(Playback::Loop);
        Self { player, pose: Pose::new(JOINTS), steps: 0 }
    }

    fn play(&mut self, seconds: f32) {
        self.frames(FRAMES, seconds);
    }

    fn frames(&mut self, count: usize, seconds: f32) {
        for _ in 0..count {
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

    /// As many joints as the other cases, one at a time.
    fn one_joint(&mut self) {
        for step in 0..FRAMES * JOINTS {
            let joint = (step % JOINTS) as u16;
            black_box(self.player.sample_joint(black_box(joint), Transform::IDENTITY));
        }
    }

    fn one_joint_seek(&mut self) {
        let clip = self.player.clip();
        for step in 0..FRAMES * JOINTS {
            black_box(clip.sample_joint(random_time(step), black_box(step % JOINTS) as u16, Transform::IDENTITY));
        }
    }
}

/// The player of keys by track, and what it writes into.
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
        let duration = (TEST_CLIP_KEYS - 1) as f32 / 30.0;
        for _ in 0..FRAMES {
            self.time = (self.time + seconds).rem_euclid(duration);
            self.tracks.sample(self.time, &mut self.pose);
            black_box(&mut self.pose);
        }
    }

    fn play_from_places(&mut self, seconds: f32) {
        let duration = (TEST_CLIP_KEYS - 1) as f32 / 30.0;
        for _ in 0..FRAMES {
            self.time = (self.time + seconds).rem_euclid(duration);
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

    fn one_joint(&mut self) {
        let mut local = Transform::IDENTITY;
        for step in 0..FRAMES * JOINTS {
            self.tracks.sample_joint(black_box(self.time), black_box(step % JOINTS), &mut local);
            black_box(&mut local);
        }
    }

    fn one_joint_seek(&mut self) {
        let mut local = Transform::IDENTITY;
        for step in 0..FRAMES * JOINTS {
            self.tracks.sample_joint(random_time(step), black_box(step % JOINTS), &mut local);
            black_box(&mut local);
        }
    }
}

/// Many players, each with its pose.
struct Crowd<'c> {
    players: Vec<Player<&'c Clip>>,
    poses: Vec<Pose>,
}

impl<'c> Crowd<'c> {
    fn new(clips: &'c [Clip]) -> Self {
        let player = |(number, clip)| {
            let mut player = Player::new(clip);
            player.set_playback(Playback::Loop);
            player.seek(random_time(number));
            player
        };
        Self { players: clips.iter().enumerate().map(player).collect(), poses: vec![Pose::new(JOINTS); clips.len()] }
    }

    fn play(&mut self) {
        for index in 0..self.players.len() {
            if let Some(ahead) = self.players.get(index + AHEAD) {
                ahead.prefetch();
            }
            self.players[index].advance(FRAME);
            self.players[index].sample(&mut self.poses[index]).expect("joints as many");
            black_box(&mut self.poses[index]);
        }
    }
}
