//! Compiled clips and their players: against exact sampling, in every direction, from any bytes.

mod random;

use hedgerow::glam::Vec3;
use hedgerow::{
    Clip, ClipBuilder, Interpolation, JumpSpacing, Playback, Player, Pose, Precision, RawClip, StreamPlayer, Track,
    TrackValue, Transform,
};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::test_runner::Config;
use random::{Dice, Recipe};

/// All that a clip says at a time.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    joints: Vec<Transform>,
    channels: Vec<f32>,
}

impl Sample {
    /// As joints and channels are that no clip has touched.
    fn rest(joints: usize, channels: usize) -> Self {
        Self { joints: vec![rest(); joints], channels: vec![9.0; channels] }
    }

    fn of(pose: &Pose, channels: &[f32]) -> Self {
        Self { joints: (0..pose.len() as u16).map(|joint| pose.get(joint)).collect(), channels: channels.to_vec() }
    }

    /// What a player shows, the constant tracks included.
    fn shown(player: &Player<&Clip>) -> Self {
        let clip = player.clip();
        let (mut pose, mut channels) = (rest_pose(clip.joints()), vec![9.0; clip.channels()]);
        clip.write_constants(&mut pose, &mut channels).expect("joints as many");
        player.sample(&mut pose).expect("joints as many");
        player.sample_channels(&mut channels);
        Self::of(&pose, &channels)
    }

    /// What the tracks say exactly, as linear rotations are played.
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

    /// The bits of all numbers.
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

/// How far a sample is from the exact one: the largest difference of translations, rotations (as angles), scales and
/// channels.
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

/// Whether any step track changes so near to a time that rounding may take the other side.
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
        let mut dice = Dice::new(seed);
        let raw = random::clip(&recipe, &mut dice);
        let (clip, report) = builder.arc_error(1e-4).build(&raw).expect("a sound clip");
        let mut player = Player::new(&clip);
        // By how much a value changes at most while its key's time is wrong: keys are 0.02 s apart at least, values are at
        // most 4 apart, tangents at most 2 long.
        let slope = 4.0 / 0.02 * report.time_error;
        let keys = report.rotation_error.max(report.translation_error).max(report.scale_error).max(report.channel_error);
        let bound = 4.0 * keys + slope + 3e-4;
        for _ in 0..20 {
            let time = (dice.number() * 0.5 + 0.5) * clip.duration();
            player.seek(time);
            if !near_a_step(&raw, time, report.time_error + 1e-5) {
                let far = distance(&Sample::shown(&player), &Sample::exact(&raw, time));
                assert!(far <= bound, "{far} instead of {bound} at {time}, {report:?}");
            }
        }
        if recipe.frames {
            // Also at the very times of keys, those of steps included.
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
        let mut dice = Dice::new(seed);
        let raw = random::clip(&recipe, &mut dice);
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

    #[test]
    fn a_clip_that_is_read_while_it_plays_shows_the_same_bits(recipe in recipes(), builder in builders(), seed: u64) {
        let mut dice = Dice::new(seed);
        let raw = random::clip(&recipe, &mut dice);
        let (clip, _) = builder.build(&raw).expect("a sound clip");
        let mut stream = StreamPlayer::new(Trickle(clip.to_bytes())).expect("a sound clip");
        let mut player = Player::new(&clip);
        let (mut pose, mut channels) = (rest_pose(clip.joints()), vec![9.0; clip.channels()]);
        stream.write_constants(&mut pose, &mut channels).expect("joints as many");
        for _ in 0..40 {
            let seconds = dice.number().max(0.0) / 10.0;
            player.advance(seconds);
            stream.advance(seconds).expect("a sound stream");
            stream.sample(&mut pose).expect("joints as many");
            stream.sample_channels(&mut channels);
            assert_eq!(stream.time(), player.time());
            assert_eq!(Sample::of(&pose, &channels).bits(), Sample::shown(&player).bits());
        }
        stream.advance(1e9).expect("a sound stream");
        assert_eq!(stream.time(), clip.duration());
    }
}

/// Gives a few bytes at a time.
struct Trickle<'b>(&'b [u8]);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(7);
        self.0.read(&mut buffer[..count])
    }
}
