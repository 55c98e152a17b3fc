//! Clips. Built clips are compared with their raw clips at any time, in either direction and after seeks. The root
//! motion is split and recombined. Changed bytes are refused or play.

use crate::checksum::set_checksum;
use crate::clips::{APART, Recipe, raw_clip};
use crate::dice::Dice;
use crate::forged;
use hedgerow_anim::clip::{JumpSpacing, Precision};
use hedgerow_anim::player::Playback;
use hedgerow_anim::raw::{Interpolation, Track, TrackValue};
use hedgerow_anim::root_motion::{Axis, RootMotion, RootMotionOptions};
use hedgerow_anim::{Clip, ClipBuilder, Player, Pose, RawClip};
use hedgerow_math::Transform;
use hedgerow_math::glam::{Quat, Vec3};

/// Settings, and steps of a player with changes of the bytes.
pub type Input = crate::Input<16, { 1 + forged::BEND_BYTES }>;

/// The greatest number of steps; more steps find no more faults.
const MOST_STEPS: usize = 64;

/// All values of a clip at one time.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    joints: Vec<Transform>,
    channels: Vec<f32>,
}

impl Sample {
    /// Samples a player.
    fn of(player: &Player<&Clip>) -> Self {
        let mut pose = Pose::new(player.clip().joints());
        let mut channels = vec![0.0; player.clip().channels()];
        player.sample(&mut pose).expect("as many joints");
        player.sample_channels(&mut channels).expect("as many channels");
        Self { joints: (0..pose.len()).map(|joint| pose.get(number(joint))).collect(), channels }
    }

    /// Samples the tracks, with linear rotations at constant speed.
    fn exact(raw: &RawClip, time: f32) -> Self {
        let mut pose = Pose::new(raw.joints());
        raw.sample(time, &mut pose).expect("as many joints");
        let mut channels = vec![0.0; raw.channels()];
        raw.sample_channels(time, &mut channels).expect("as many channels");
        Self { joints: (0..pose.len()).map(|joint| pose.get(number(joint))).collect(), channels }
    }

    fn bits(&self) -> Vec<u32> {
        let joints = self.joints.iter().flat_map(|joint| {
            let [a, b] = [joint.translation, joint.scale].map(|vector| vector.to_array());
            a.into_iter().chain(b).chain(joint.rotation.to_array())
        });
        joints.chain(self.channels.iter().copied()).map(f32::to_bits).collect()
    }

    /// Returns the greatest difference of translations, rotations, scales and channels.
    fn distance(&self, other: &Self) -> f32 {
        let joints = self.joints.iter().zip(&other.joints).map(|(a, b)| {
            let to = if a.rotation.dot(b.rotation) < 0.0 { -b.rotation } else { b.rotation };
            let rotation = 2.0 * (a.rotation - to).length();
            (a.translation - b.translation).length().max((a.scale - b.scale).length()).max(rotation)
        });
        let channels = self.channels.iter().zip(&other.channels).map(|(a, b)| (a - b).abs());
        joints.chain(channels).fold(0.0, f32::max)
    }
}

fn number(joint: usize) -> u16 {
    u16::try_from(joint).expect("few joints")
}

pub fn run(input: &Input) {
    let mut dice = Dice::new(&input.head);
    let [.., joints, channels, keys, _, _, _, _, _] = input.head;
    let recipe = Recipe {
        joints: usize::from(joints % 20),
        channels: usize::from(channels % 20),
        keys: 1 + u32::from(keys % 40),
        frames: false,
    };
    let raw = raw_clip(&recipe, &mut dice);
    let (tight, spacing) = (input.head[11] & 1 == 1, spacing(&mut dice, input.head[12]));
    let precision = if tight { Precision::Tight } else { Precision::Compact };
    let builder = ClipBuilder::new().precision(precision).jump_frames(spacing);
    let (clip, report) = builder.build(&raw).expect("a sound clip");
    assert_eq!((clip.joints(), clip.channels(), report.bytes), (raw.joints(), raw.channels(), clip.to_bytes().len()));
    let read = Clip::from_bytes(clip.to_bytes().to_vec()).expect("what was written is read");
    assert_eq!(read, clip);

    let steps = &input.steps[..input.steps.len().min(MOST_STEPS)];
    play(&raw, &read, steps);
    if raw.joints() > 0 {
        take_motion(&mut dice, &raw);
    }
    let mut bytes = clip.to_bytes().to_vec();
    for [kind, how @ ..] in steps.iter().filter(|step| step[0] & 1 == 1) {
        forged::bend(&mut bytes, *how);
        set_checksum(&mut bytes);
        match Clip::from_bytes(bytes.clone()) {
            Ok(bent) => live_on(&bent, *kind, steps),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

fn spacing(dice: &mut Dice, how: u8) -> JumpSpacing {
    match how % 4 {
        0 => JumpSpacing::default(),
        1 => JumpSpacing::Bytes(1 + dice.below(2000)),
        2 => JumpSpacing::Seconds(0.01 + dice.share()),
        _ => JumpSpacing::Seconds(f32::INFINITY),
    }
}

/// Returns how far a player may be from the tracks. Words of 16 bits over a range of at most 4, on three axes, are off
/// by 6e-5, rotations by 1.1e-4. Words of 32 bits are as exact as single precision. A key's time is off by half a tick,
/// which is 1/65,535 of at most three seconds, or by single precision. Values change by at most 4 between keys,
/// tangents are at most 2, and long turns are uneven by 1e-3 or 1e-5 radians.
fn bound(clip: &Clip) -> f32 {
    let (keys, tick, arc) = match clip.precision() {
        Precision::Compact => (2.5e-4, clip.duration() / 65_535.0, 1e-3),
        Precision::Tight => (1e-5, 1e-6, 1e-5),
    };
    4.0 * keys + 4.0 / APART * tick + 2.0 * arc
}

/// Plays a clip by the steps and compares it with the tracks. The bits at a time do not depend on the way there.
fn play(raw: &RawClip, clip: &Clip, steps: &[[u8; 1 + forged::BEND_BYTES]]) {
    let mut player = Player::new(clip);
    for step in steps {
        drive(&mut player, step);
        let (time, shown) = (player.time(), Sample::of(&player));
        assert!((0.0..=clip.duration()).contains(&time), "a time of {time}");
        if !near_a_step(raw, time, clip.duration() / 60_000.0 + 1e-5) {
            let exact = Sample::exact(raw, time);
            let (off, most) = (shown.distance(&exact), bound(clip));
            assert!(off <= most, "{off} off at {time}, above {most}: {shown:?}, not {exact:?}");
        }
        let mut direct = Player::new(clip);
        direct.seek(time);
        assert_eq!(Sample::of(&direct).bits(), shown.bits(), "another way to {time} shows other bits");
        for (joint, &expected) in shown.joints.iter().enumerate() {
            let rest = Transform::IDENTITY;
            let alone = [player.sample_joint(number(joint), rest), clip.sample_joint(time, number(joint), rest)];
            assert!(alone.iter().all(|&alone| alone == expected), "joint {joint} alone is {alone:?}, not {expected:?}");
        }
    }
}

fn drive(player: &mut Player<&Clip>, step: &[u8]) {
    let [kind, playback, a, b, ..] = *step else { return };
    let duration = player.clip().duration();
    let share = f32::from(u16::from_le_bytes([a, b])) / 65_535.0;
    if playback >= 200 {
        player.set_playback([Playback::Clamp, Playback::Loop, Playback::PingPong][usize::from(playback % 3)]);
    }
    match kind >> 1 {
        0..=31 => drop(player.advance(share * 0.1)),
        32..=63 => drop(player.advance(-share * 0.1)),
        64..=79 => drop(player.advance((share - 0.5) * 20.0 * duration)),
        80..=111 => player.seek(share * duration),
        112..=115 => player.seek(duration),
        116..=119 => player.seek(0.0),
        120..=122 => drop(player.advance(f32::NAN)),
        123..=124 => player.seek(f32::INFINITY),
        _ => drop(player.advance(1e30)),
    }
}

/// Returns whether a step track changes so close to a time that rounding may choose the other side.
fn near_a_step(raw: &RawClip, time: f32, by: f32) -> bool {
    fn near<V: TrackValue>(track: &Track<V>, time: f32, by: f32) -> bool {
        track.interpolation() == Interpolation::Step && track.times().iter().any(|key| (key - time).abs() <= by)
    }
    let of_joint = |joint: u16| {
        raw.translation(joint).is_some_and(|track: &Track<Vec3>| near(track, time, by))
            || raw.rotation(joint).is_some_and(|track: &Track<Quat>| near(track, time, by))
            || raw.scale(joint).is_some_and(|track| near(track, time, by))
    };
    (0..number(raw.joints())).any(of_joint) || (0..raw.channels()).any(|channel| near(raw.channel(channel), time, by))
}

/// Splits the root motion of a joint from a clip. At the keys, the two parts combine to the original with any options,
/// and the motion has exactly the chosen axes.
fn take_motion(dice: &mut Dice, raw: &RawClip) {
    const NEAR: f32 = 2e-5;
    let joint = number(dice.index(raw.joints()));
    let options = RootMotionOptions {
        axes: [(); 3].map(|()| dice.one_of(2)),
        yaw: dice.one_of(2),
        up: [Axis::X, Axis::Y, Axis::Z][dice.index(3)],
        error: [1e-4, 1e-2, 1.0][dice.index(3)],
    };
    let rest = dice.transform();
    let (motion, in_place) = RootMotion::extract(raw, joint, rest, options).expect("a joint, and a finite clip");
    assert_eq!((motion.duration(), in_place.duration()), (raw.duration(), raw.duration()));
    assert_eq!(motion.at(0.0), Transform::IDENTITY);
    let shown = |clip: &RawClip, time: f32| Transform {
        translation: clip.translation(joint).map_or(rest.translation, |track| track.sample(time)),
        rotation: clip.rotation(joint).map_or(rest.rotation, |track| track.sample(time)),
        scale: Vec3::ONE,
    };
    let assert_near = |found: Transform, expected: Transform, time: f32| {
        let [found_pose, expected_pose] =
            [found, expected].map(|joint| Sample { joints: vec![joint], channels: Vec::new() });
        let is_near = found.checked().is_ok() && found_pose.distance(&expected_pose) <= NEAR;
        assert!(is_near, "{found:?}, not {expected:?}, at {time}: joint {joint}, {options:?}, {rest:?}");
    };
    let start = shown(&in_place, 0.0);
    let translations = raw.translation(joint).map_or(&[][..], |track| track.times());
    let rotations = raw.rotation(joint).map_or(&[][..], |track| track.times());
    for &time in translations.iter().chain(rotations).chain(&[0.0, raw.duration()]) {
        let (moved, left) = (motion.at(time), shown(&in_place, time));
        assert_near(RootMotion::apply(left, moved), shown(raw, time), time);
        assert_near(motion.between(0.0, time, 0), moved, time);
        assert!(motion.delta(f64::from(time), f64::from(dice.number()) * 1e3).checked().is_ok());
        for (axis, goes) in options.axes.into_iter().enumerate() {
            assert!(goes || moved.translation[axis] == 0.0, "moved along axis {axis} at {time}: {options:?}");
            // A turn about the up axis mixes axes, which matters unless all of them are chosen.
            if goes && (!options.yaw || options.axes == [true; 3]) {
                let off = (left.translation[axis] - start.translation[axis]).abs();
                assert!(off <= NEAR, "{off} off in place along axis {axis} at {time}: {options:?}");
            }
        }
        assert!(options.yaw || moved.rotation == Quat::IDENTITY, "turned at {time}: {options:?}");
    }
    for other in 0..number(raw.joints()) {
        assert!(other == joint || in_place.translation(other) == raw.translation(other), "joint {other} moved");
        let is_left = other != joint || !options.yaw;
        assert!(!is_left || in_place.rotation(other) == raw.rotation(other), "joint {other} turned");
        assert_eq!(in_place.scale(other), raw.scale(other));
    }
}

/// Plays a clip of changed bytes at any time, in either direction and after seeks, without a panic.
fn live_on(clip: &Clip, kind: u8, steps: &[[u8; 1 + forged::BEND_BYTES]]) {
    assert!(clip.duration().is_finite() && clip.duration() > 0.0, "a duration of {}", clip.duration());
    let _ = clip.stats();
    for name in (0..clip.channels()).filter_map(|channel| clip.channel_name(channel)) {
        assert!(clip.find_channel(name).is_some(), "a channel is not found by its name");
    }
    // Forged bytes may declare any number of joints; the clip's size bounds the cost.
    let mut player = Player::new(clip);
    let mut pose = Pose::new(clip.joints());
    let mut channels = vec![0.0; clip.channels()];
    for step in steps.iter().take(12) {
        drive(&mut player, step);
        player.sample(&mut pose).expect("as many joints");
        player.sample_over(&mut pose).expect("as many joints");
        player.sample_channels(&mut channels).expect("as many channels");
        let joint = u16::from(kind) % number(clip.joints().max(1));
        let _ = player.sample_joint(joint, Transform::IDENTITY);
        let _ = clip.sample_joint(player.time(), joint, Transform::IDENTITY);
    }
}
