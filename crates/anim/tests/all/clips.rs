//! Compares compiled clips with exact sampling, in every direction, and loads arbitrary bytes.
#![allow(clippy::cast_possible_truncation, reason = "joints and frames are few")]

mod crowded;
mod whole;

use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::{
    Clip, ClipBuilder, Error, Player, Pose, RawClip, Transform,
    clip::{ClipError, JumpSpacing, Precision},
    player::Playback,
    raw::{Interpolation, Track, TrackValue},
    skeleton::SkeletonError,
};
use hedgerow_experiments::workloads::test_clip;
use hedgerow_testkit::Dice;
use hedgerow_testkit::clips::{Recipe, raw_clip};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::test_runner::Config;

/// All values of a clip at one time.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    joints: Vec<Transform>,
    channels: Vec<f32>,
}

impl Sample {
    /// Returns the values before a clip writes any.
    fn rest(joints: usize, channels: usize) -> Self {
        Self { joints: vec![rest(); joints], channels: vec![9.0; channels] }
    }

    fn of(pose: &Pose, channels: &[f32]) -> Self {
        Self { joints: (0..pose.len() as u16).map(|joint| pose.get(joint)).collect(), channels: channels.to_vec() }
    }

    /// Samples a player, including constant tracks.
    fn shown(player: &Player<&Clip>) -> Self {
        let clip = player.clip();
        let (mut pose, mut channels) = (rest_pose(clip.joints()), vec![9.0; clip.channels()]);
        player.sample_over(&mut pose).expect("joints as many");
        player.sample_channels(&mut channels).expect("channels as many");
        Self::of(&pose, &channels)
    }

    /// Samples the tracks exactly, but linear rotations as a player does.
    fn exact(clip: &RawClip, time: f32) -> Self {
        let mut sample = Self::rest(clip.joints(), clip.channels());
        for (joint, found) in (0..).zip(&mut sample.joints) {
            put(clip.translation(joint), time, &mut found.translation);
            put(clip.rotation(joint), time, &mut found.rotation);
            put(clip.scale(joint), time, &mut found.scale);
        }
        for (channel, found) in sample.channels.iter_mut().enumerate() {
            *found = clip.channel(channel).sample(time);
        }
        sample
    }

    fn bits(&self) -> Vec<u32> {
        let joints = self.joints.iter().flat_map(|joint| {
            let [a, b] = [joint.translation, joint.scale].map(|vector| vector.to_array());
            a.into_iter().chain(b).chain(joint.rotation.to_array())
        });
        joints.chain(self.channels.iter().copied()).map(f32::to_bits).collect()
    }
}

fn put<V: TrackValue>(track: Option<&Track<V>>, time: f32, found: &mut V) {
    if let Some(track) = track {
        *found = track.sample(time);
    }
}

fn rest() -> Transform {
    Transform::from_xyz(3.0, 4.0, 5.0).with_scale(Vec3::splat(2.0))
}

fn rest_pose(joints: usize) -> Pose {
    let mut pose = Pose::new(joints);
    (0..joints as u16).for_each(|joint| pose.set(joint, rest()));
    pose
}

/// Returns the greatest difference of translations, rotations (as angles), scales and channels.
fn distance(a: &Sample, b: &Sample) -> f32 {
    let joints = a.joints.iter().zip(&b.joints).map(|(a, b)| {
        let to = if a.rotation.dot(b.rotation) < 0.0 { -b.rotation } else { b.rotation };
        let rotation = 2.0 * (a.rotation - to).length();
        (a.translation - b.translation).length().max((a.scale - b.scale).length()).max(rotation)
    });
    let channels = a.channels.iter().zip(&b.channels).map(|(a, b)| (a - b).abs());
    joints.chain(channels).fold(0.0, f32::max)
}

fn recipes() -> impl Strategy<Value = Recipe> {
    (0..20_usize, 0..20_usize, 1..40_u32, any::<bool>()).prop_map(|(joints, channels, keys, frames)| Recipe {
        joints,
        channels,
        keys,
        frames,
    })
}

fn builders() -> impl Strategy<Value = ClipBuilder> {
    let spacings = prop_oneof![
        Just(JumpSpacing::default()),
        (1..2000_u32).prop_map(JumpSpacing::Bytes),
        (0.01..1.0_f32).prop_map(JumpSpacing::Seconds),
        Just(JumpSpacing::Seconds(f32::INFINITY)),
    ];
    let precisions = prop_oneof![Just(Precision::Compact), Just(Precision::Tight)];
    (spacings, precisions).prop_map(|(spacing, precision)| ClipBuilder::new().jump_frames(spacing).precision(precision))
}

/// The greatest errors of a key's value and time that the documentation of [`Clip`] promises.
struct Promised {
    key: f32,
    time: f32,
}

impl Promised {
    fn of(clip: &Clip) -> Self {
        match clip.precision() {
            // Numbers other than rotations lie in a range of 2, and their error is below 1/131,000 of the range.
            Precision::Compact => Self { key: 1.1e-4, time: (clip.duration() / 65_500.0).min(1e-3) },
            Precision::Tight => Self { key: 1e-6, time: 0.0 },
        }
    }
}

/// Returns whether a step track changes within `by` of a time, where rounding decides.
fn near_a_step(clip: &RawClip, time: f32, by: f32) -> bool {
    fn near<V: TrackValue>(track: &Track<V>, time: f32, by: f32) -> bool {
        track.interpolation() == Interpolation::Step && track.times().iter().any(|key| (key - time).abs() <= by)
    }
    let of_joint = |joint: u16| {
        clip.translation(joint).is_some_and(|track| near(track, time, by))
            || clip.rotation(joint).is_some_and(|track| near(track, time, by))
            || clip.scale(joint).is_some_and(|track| near(track, time, by))
    };
    (0..clip.joints() as u16).any(of_joint) || (0..clip.channels()).any(|channel| near(clip.channel(channel), time, by))
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(60) })]

    #[test]
    fn a_player_shows_what_the_tracks_say(recipe in recipes(), builder in builders(), seed: u64) {
        let mut dice = Dice::with_seed(seed);
        let raw = raw_clip(&recipe, &mut dice);
        let (clip, report) = builder.arc_error(1e-4).build(&raw).expect("a sound clip");
        let mut player = Player::new(&clip);
        // Tests the promise of the documentation, not the builder's report.
        let promised = Promised::of(&clip);
        let keys = [report.rotation_error, report.translation_error, report.scale_error, report.channel_error];
        assert!(keys.iter().all(|&error| error <= promised.key) && report.time_error <= promised.time, "{report:?}");
        // The error of a value due to the error of its time: keys are at least 0.02 s apart, values at most 4, tangents
        // at most 2.
        let slope = 4.0 / 0.02 * promised.time;
        // A cubic is a sum of two values and two tangents. Arcs add 1e-4, and rounding adds less than 2e-4.
        let bound = 4.0 * promised.key + slope + 3e-4;
        for _ in 0..20 {
            let time = (dice.number() * 0.5 + 0.5) * clip.duration();
            player.seek(time);
            if !near_a_step(&raw, time, report.time_error + 1e-5) {
                let far = distance(&Sample::shown(&player), &Sample::exact(&raw, time));
                assert!(far <= bound, "{far} instead of {bound} at {time}, {report:?}");
            }
        }
        if recipe.frames {
            // Samples also at the exact times of keys, including steps.
            for frame in 0..(clip.duration() * 30.0) as u32 {
                let time = frame as f32 / 30.0;
                player.seek(time);
                let far = distance(&Sample::shown(&player), &Sample::exact(&raw, time));
                assert!(far <= bound, "{far} instead of {bound} at frame {frame}, {report:?}");
            }
        }
    }

    #[test]
    fn however_a_player_comes_to_a_time_it_shows_the_same_bits(recipe in recipes(), builder in builders(), seed: u64) {
        let mut dice = Dice::with_seed(seed);
        let raw = raw_clip(&recipe, &mut dice);
        let (clip, _) = builder.build(&raw).expect("a sound clip");
        let (plain, _) = builder.jump_frames(JumpSpacing::Seconds(f32::INFINITY)).build(&raw).expect("a sound clip");
        let mut player = Player::new(&clip);
        for _ in 0..60 {
            match dice.below(8) {
                0 => player.seek((dice.number() + 0.5) * clip.duration()),
                1 => player.set_playback([Playback::Clamp, Playback::Loop, Playback::PingPong][dice.below(3) as usize]),
                2 => _ = player.advance(dice.number() * 1000.0),
                3 => _ = player.advance(dice.number() * clip.duration()),
                _ => _ = player.advance(dice.number() / 20.0),
            }
            let mut direct = Player::new(&plain);
            assert_eq!(direct.advance(player.time()), 0);
            assert_eq!(direct.time(), player.time());
            let shown = Sample::shown(&player);
            assert_eq!(shown.bits(), Sample::shown(&direct).bits(), "at {}", player.time());
            for joint in 0..raw.joints() as u16 {
                let alone = player.sample_joint(joint, rest());
                let far = distance(
                    &Sample { joints: vec![alone], channels: vec![] },
                    &Sample { joints: vec![shown.joints[usize::from(joint)]], channels: vec![] },
                );
                assert!(far == 0.0, "joint {joint} alone is {alone:?}");
            }
        }
    }
}

#[test]
fn the_test_clip_is_small_with_its_jump_frames() {
    let raw = test_clip();
    let (clip, report) = ClipBuilder::new().build(&raw).expect("a sound clip");
    let stats = clip.stats();
    assert!(stats.bytes <= 124_108, "{stats:?}");
    assert!(stats.jump_frames > 8 && stats.jump_frame_bytes * 3 < stats.stream_bytes, "{stats:?}");
    assert_eq!((report.bytes, report.keys, report.constant_tracks), (stats.bytes, 96 * 122, 192));
    assert!(report.rotation_error < 1.1e-4 && report.time_error < 1e-6, "{report:?}");
}

#[test]
fn jump_frames_trade_memory_for_the_way_of_a_seek() {
    let raw = test_clip();
    let stats = |spacing| ClipBuilder::new().jump_frames(spacing).build(&raw).expect("a sound clip").0.stats();
    let (few, some, many) =
        (stats(JumpSpacing::Seconds(2.0)), stats(JumpSpacing::Bytes(8000)), stats(JumpSpacing::Frames(1.0)));
    assert!(few.bytes < some.bytes && some.bytes < many.bytes);
    assert!(few.seek_bytes > some.seek_bytes && some.seek_bytes > many.seek_bytes);
    assert_eq!((few.stream_bytes, few.player_bytes), (many.stream_bytes, many.player_bytes));
}

#[test]
fn tracks_that_are_constant_cost_nothing_while_playing() {
    let mut raw = RawClip::new(1.0, 3).expect("a sound clip");
    let turn = Quat::from_rotation_x(0.3);
    raw.set_rotation(1, Track::linear(vec![0.0, 0.5, 1.0], vec![turn; 3]).expect("keys")).expect("a joint");
    raw.set_translation(2, Track::constant(Vec3::X).expect("a value")).expect("a joint");
    raw.add_channel("still", Track::step(vec![0.2, 0.4], vec![0.25; 2]).expect("keys")).expect("a channel");
    let (clip, report) = ClipBuilder::new().build(&raw).expect("a sound clip");
    assert_eq!((report.constant_tracks, clip.stats().player_bytes, clip.stats().groups), (3, 0, 0));
    let shown = Sample::shown(&Player::new(&clip));
    let expected = [rest(), rest().with_rotation(turn), Transform { translation: Vec3::X, ..rest() }];
    assert_eq!(shown, Sample { joints: expected.to_vec(), channels: vec![0.25] });
}

#[test]
fn any_duration_any_step_and_large_curves_play_finite() {
    for (duration, number) in [1e-45, 1e-38, 1.0, 1e30, f32::MAX].into_iter().flat_map(|d| [(d, 1.0), (d, 1e25)]) {
        let mut raw = RawClip::new(duration, 2).unwrap();
        let (times, slope) = (vec![0.0, duration], (number / duration).min(1e25));
        let curve = vec![Vec3::ZERO, Vec3::splat(number), Vec3::splat(slope), Vec3::ZERO, Vec3::X, Vec3::ZERO];
        raw.set_translation(0, Track::cubic(times.clone(), curve).unwrap()).unwrap();
        let turn = |x: f32| Quat::from_xyzw(x, 0.0, 0.0, x);
        let turns = vec![turn(0.0), turn(number), turn(slope), turn(0.0), turn(-number), turn(0.0)];
        raw.set_rotation(1, Track::cubic(times, turns).unwrap()).unwrap();
        let (clip, _) = ClipBuilder::new().build(&raw).unwrap();
        for playback in [Playback::Clamp, Playback::Loop, Playback::PingPong] {
            let mut player = Player::new(&clip);
            player.set_playback(playback);
            for step in [0.0, 0.3, -0.7, 1.5, 1e-45, -1e-45, f32::MAX, f32::MIN, f32::INFINITY] {
                player.advance(step * if step.abs() < 2.0 { duration } else { 1.0 });
                let (mut pose, mut same) = (Pose::new(2), Pose::new(2));
                player.sample(&mut pose).unwrap();
                let mut seeking = Player::new(&clip);
                seeking.seek(player.time());
                seeking.sample(&mut same).unwrap();
                assert_eq!(pose, same);
                let (moved, turned) = (pose.get(0), pose.get(1).rotation);
                let what = format!("{duration:e}, {number:e}, {playback:?}, {step:e}: {moved:?}, {turned}");
                assert!(moved.is_finite() && (turned.length() - 1.0).abs() < 1e-4, "{what}");
            }
        }
    }
}

#[test]
fn an_empty_clip_leaves_everything_as_it_is() {
    let (clip, _) = ClipBuilder::new().build(&RawClip::new(1.0, 2).expect("a sound clip")).expect("a sound clip");
    let mut player = Player::new(&clip);
    player.set_playback(Playback::Loop);
    assert_eq!(player.advance(-2.5), -3);
    assert_eq!(Sample::shown(&player), Sample::rest(2, 0));
}

#[test]
fn long_arcs_are_cut_so_that_their_speed_is_even() {
    let mut raw = RawClip::new(2.0, 1).expect("a sound clip");
    let turns = [0.0, 1.5, 3.0].map(Quat::from_rotation_z).to_vec();
    raw.set_rotation(0, Track::linear(vec![0.0, 1.0, 2.0], turns).expect("keys")).expect("a joint");
    let furthest = |error: f32| {
        let builder = ClipBuilder::new().precision(Precision::Tight).arc_error(error);
        let (clip, report) = builder.build(&raw).expect("a sound clip");
        let mut player = Player::new(&clip);
        let far = (0..200).map(|step| {
            player.seek(step as f32 / 100.0);
            distance(&Sample::shown(&player), &Sample::exact(&raw, player.time()))
        });
        (far.fold(0.0, f32::max), report.inserted_keys)
    };
    let (loose, none) = furthest(1.0);
    let (tight, some) = furthest(1e-4);
    assert!(none == 0 && loose > 5e-3, "{loose} with {none} keys");
    assert!(some > 4 && tight < 1.05e-4, "{tight} with {some} keys");
}

#[test]
fn a_compact_clip_that_ticks_cannot_count_becomes_a_tight_one() {
    let clip = |duration: f32, times: Vec<f32>| {
        let mut raw = RawClip::new(duration, 0).expect("a sound clip");
        let values = times.iter().map(|time| time.sin()).collect();
        raw.add_channel("sway", Track::linear(times, values).expect("keys")).expect("a channel");
        ClipBuilder::new().build(&raw).expect("a sound clip").0.precision()
    };
    assert_eq!(clip(60.0, vec![0.0, 0.123_4, 7.1, 59.9]), Precision::Compact);
    assert_eq!(clip(600.0, vec![0.0, 0.123_4, 7.1, 599.9]), Precision::Tight);
    assert_eq!(clip(600.0, (0..6000).map(|tenth| tenth as f32 / 10.0).collect()), Precision::Compact);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let raw = RawClip::new(1.0, 1).expect("a sound clip");
    let refusal = |builder: ClipBuilder| match builder.build(&raw) {
        Err(Error::Clip(error)) => error,
        other => panic!("{other:?} is no refusal"),
    };
    for spacing in [0.0, -1.0, f32::NEG_INFINITY] {
        let builder = ClipBuilder::new();
        assert_eq!(refusal(builder.jump_frames(JumpSpacing::Seconds(spacing))), ClipError::JumpSpacing(spacing));
        assert_eq!(refusal(builder.jump_frames(JumpSpacing::Frames(spacing))), ClipError::JumpSpacing(spacing));
        assert_eq!(refusal(builder.arc_error(spacing)), ClipError::ArcError(spacing));
    }
    assert_eq!(refusal(ClipBuilder::new().jump_frames(JumpSpacing::Bytes(0))), ClipError::JumpSpacing(0.0));
    let nan = refusal(ClipBuilder::new().arc_error(f32::NAN));
    assert!(matches!(nan, ClipError::ArcError(found) if found.is_nan()));
    assert!(nan.to_string().ends_with("pass a number above zero"));
}

#[test]
fn a_pose_of_another_skeleton_is_refused() {
    let raw = RawClip::new(1.0, 3).expect("a sound clip");
    let (clip, _) = ClipBuilder::new().build(&raw).expect("a sound clip");
    let refused = Err(Error::Skeleton(SkeletonError::JointCount { expected: 3, found: 4 }));
    let player = Player::new(&clip);
    assert_eq!(player.sample(&mut Pose::new(4)), refused);
    assert_eq!(player.sample_over(&mut Pose::new(4)), refused);
    assert_eq!(raw.sample(0.0, &mut Pose::new(4)), refused);
    assert_eq!(raw.sample_over(0.0, &mut Pose::new(4)), refused);
    assert_eq!(raw.sample_as_played(0.0, &mut Pose::new(4)), refused);
}

#[test]
fn numbers_for_more_or_fewer_channels_are_refused() {
    let mut raw = RawClip::new(1.0, 0).expect("a sound clip");
    raw.add_channel("blink", Track::constant(0.5).expect("a value")).expect("a channel");
    raw.add_channel("smile", Track::linear(vec![0.0, 1.0], vec![0.0, 1.0]).expect("keys")).expect("a channel");
    let (clip, _) = ClipBuilder::new().build(&raw).expect("a sound clip");
    let player = Player::new(&clip);
    let mut numbers = [9.0; 3];
    for count in [0, 1, 3] {
        let refused = Err(Error::Clip(ClipError::ChannelCount { expected: 2, found: count }));
        assert_eq!(player.sample_channels(&mut numbers[..count]), refused);
        assert_eq!(raw.sample_channels(0.0, &mut numbers[..count]), refused);
        assert_eq!(numbers, [9.0; 3]);
    }
    for built in [false, true] {
        numbers = [9.0; 3];
        let channels = &mut numbers[..2];
        let result = if built { player.sample_channels(channels) } else { raw.sample_channels(0.0, channels) };
        assert_eq!((result, numbers), (Ok(()), [0.5, 0.0, 9.0]), "constant channels are written too");
    }
}
