//! Raw clips: errors, and exact sampling.

use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::{
    Error, RawClip, Transform,
    clip::ClipError,
    raw::{Interpolation, Track, TrackName, TrackPart},
};
use hedgerow_experiments::baselines::{KeyPlaces, KeyTracks};
use hedgerow_experiments::workloads::{TEST_CLIP_JOINTS, TEST_CLIP_KEYS, TEST_CLIP_RATE, test_clip};

fn refusal<T>(result: Result<T, Error>) -> ClipError {
    match result {
        Err(Error::Clip(error)) => error,
        Err(other) => panic!("{other:?} is no error of a clip"),
        Ok(_) => panic!("the input was accepted"),
    }
}

#[test]
fn a_clip_lasts_a_finite_time_above_zero() {
    for duration in [0.0, -0.0, -1.0, f32::INFINITY] {
        assert_eq!(refusal(RawClip::new(duration, 1)), ClipError::Duration(duration));
    }
    assert!(matches!(refusal(RawClip::new(f32::NAN, 1)), ClipError::Duration(found) if found.is_nan()));
    assert!(RawClip::new(1.0, 65_535).is_ok());
    assert_eq!(refusal(RawClip::new(1.0, 65_536)), ClipError::TooManyJoints(65_536));
}

#[test]
fn a_track_names_the_key_that_it_is_refused_for() {
    let three = || vec![1.0_f32, 2.0, 3.0];
    assert_eq!(refusal(Track::<f32>::linear(vec![], vec![])), ClipError::NoKeys);
    let counts = ClipError::ValueCount { keys: 2, per_key: 1, values: 3 };
    assert_eq!(refusal(Track::linear(vec![0.0, 1.0], three())), counts);
    let counts = ClipError::ValueCount { keys: 3, per_key: 3, values: 3 };
    assert_eq!(refusal(Track::cubic(vec![0.0, 1.0, 2.0], three())), counts);
    let duplicate = ClipError::TimeOrder { key: 2, before: 1.0, time: 1.0 };
    assert_eq!(refusal(Track::step(vec![0.0, 1.0, 1.0], three())), duplicate);
    let backward = ClipError::TimeOrder { key: 1, before: 1.0, time: 0.5 };
    assert_eq!(refusal(Track::step(vec![1.0, 0.5, 2.0], three())), backward);
    assert_eq!(refusal(Track::step(vec![-1.0, 0.5, 2.0], three())), ClipError::Time { key: 0, time: -1.0 });
    assert!(matches!(
        refusal(Track::step(vec![0.0, f32::NAN, 2.0], three())),
        ClipError::Time { key: 1, time } if time.is_nan()
    ));
    let endless = vec![0.0, 1.0, f32::INFINITY];
    assert_eq!(refusal(Track::step(endless, three())), ClipError::Time { key: 2, time: f32::INFINITY });
}

#[test]
fn numbers_that_are_not_finite_are_refused_in_values_and_tangents() {
    let infinite = vec![Vec3::ONE, Vec3::new(0.0, f32::INFINITY, 0.0)];
    assert_eq!(refusal(Track::linear(vec![0.0, 1.0], infinite)), ClipError::NotFinite { key: 1 });
    let nan = Quat::from_xyzw(0.0, f32::NAN, 0.0, 1.0);
    assert_eq!(refusal(Track::constant(nan)), ClipError::NotFinite { key: 0 });
    for bad in 0..6 {
        let mut values = vec![0.0; 6];
        values[bad] = f32::NAN;
        assert_eq!(refusal(Track::cubic(vec![0.0, 1.0], values)), ClipError::NotFinite { key: bad / 3 });
    }
    // A tangent is multiplied by the ten seconds to the neighbouring key. Tangents at the ends do not matter.
    for (bad, key) in [(0, None), (2, Some(0)), (3, Some(1)), (5, None)] {
        let mut values = vec![0.0; 6];
        values[bad] = -1e38;
        let refused = Track::cubic(vec![0.0, 10.0], values).err().map(|refused| refusal::<f32>(Err(refused)));
        assert_eq!(refused, key.map(|key| ClipError::NotFinite { key }));
    }
}

#[test]
fn a_zero_quaternion_is_no_rotation_but_may_be_a_tangent() {
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let values = vec![Quat::IDENTITY, zero];
    assert_eq!(refusal(Track::linear(vec![0.0, 1.0], values)), ClipError::NotRotation { key: 1 });
    let cubic = Track::cubic(vec![0.0], vec![zero, Quat::from_rotation_x(1.0), zero]).expect("sound keys");
    assert_eq!(cubic.tangents(0), (zero, zero));
    assert_eq!(refusal(Track::cubic(vec![0.0], vec![Quat::IDENTITY, zero, zero])), ClipError::NotRotation { key: 0 });
    let least = Quat::from_xyzw(0.0, 0.0, f32::from_bits(1), 0.0);
    assert_eq!(Track::constant(least).expect("a direction").sample(0.0), Quat::from_xyzw(0.0, 0.0, 1.0, 0.0));
}

#[test]
fn a_clip_names_the_track_that_it_refuses_and_stays_as_it_was() {
    let mut clip = RawClip::new(1.0, 2).expect("a sound clip");
    let late = Track::linear(vec![0.5, 1.0, 1.25], vec![Vec3::ZERO; 3]).expect("sound keys");
    for (part, result) in [
        (TrackPart::Translation, clip.set_translation(1, late.clone())),
        (TrackPart::Scale, clip.set_scale(1, late.clone())),
    ] {
        let track = TrackName::Joint(1, part);
        assert_eq!(refusal(result), ClipError::BeyondEnd { track, key: 2, time: 1.25, duration: 1.0 });
    }
    let late = Track::linear(vec![2.0], vec![0.0]).expect("sound keys");
    let error = refusal(clip.add_channel("smile", late));
    assert_eq!(error, ClipError::BeyondEnd { track: TrackName::Channel(0), key: 0, time: 2.0, duration: 1.0 });
    let turn = Track::constant(Quat::IDENTITY).expect("a sound key");
    assert_eq!(refusal(clip.set_rotation(2, turn)), ClipError::NoSuchJoint { joint: 2, joints: 2 });
    assert_eq!(clip, RawClip::new(1.0, 2).expect("a sound clip"));
}

#[test]
fn errors_say_where_and_what_to_do() {
    let track = TrackName::Joint(3, TrackPart::Rotation);
    let said = Error::from(ClipError::BeyondEnd { track, key: 7, time: 2.0, duration: 1.5 }).to_string();
    let expected =
        "key 7 of the rotation of joint 3 is at 2 seconds, after the clip's end at 1.5; make the clip longer";
    assert_eq!(said, expected);
}

#[test]
fn tracks_are_set_answered_and_taken() {
    let mut clip = RawClip::new(1.0, 1).expect("a sound clip");
    let (first, second) = (Track::constant(Vec3::X).expect("finite"), Track::constant(Vec3::Y).expect("finite"));
    assert_eq!(clip.set_translation(0, first.clone()), Ok(None));
    assert_eq!(clip.set_translation(0, second.clone()), Ok(Some(first)));
    assert_eq!(clip.keys(), 1);
    assert_eq!(clip.take_translation(0), Some(second));
    assert_eq!(clip.take_scale(0), None);
    assert_eq!((clip.translation(0), clip.rotation(9)), (None, None));
    let weight = Track::constant(0.5).expect("finite");
    assert_eq!(clip.add_channel("frown", weight.clone()), Ok(0));
    assert_eq!(clip.add_channel("smile", weight), Ok(1));
    assert_eq!((clip.find_channel("smile"), clip.find_channel("yawn")), (Some(1), None));
    assert_eq!((clip.channels(), clip.channel_name(0)), (2, "frown"));
}

#[test]
fn before_the_first_key_and_after_the_last_a_track_stands_still() {
    for interpolation in [Interpolation::Step, Interpolation::Linear, Interpolation::Cubic] {
        let values = match interpolation {
            Interpolation::Cubic => vec![9.0, 1.0, 9.0, 9.0, 2.0, 9.0],
            _ => vec![1.0, 2.0],
        };
        let track = Track::new(interpolation, vec![1.0, 2.0], values).expect("sound keys");
        for (time, expected) in [(-1.0, 1.0), (0.0, 1.0), (1.0, 1.0), (2.0, 2.0), (3.0, 2.0), (f32::INFINITY, 2.0)] {
            assert_eq!(track.sample(time), expected, "{interpolation:?} at {time}");
        }
        assert_eq!(track.sample(f32::NAN), 1.0);
        assert_eq!(track.sample(f32::NEG_INFINITY), 1.0);
    }
}

#[test]
fn a_step_lasts_until_the_next_key() {
    let track = Track::step(vec![0.0, 1.0], vec![1.0, 2.0]).expect("sound keys");
    assert_eq!(track.sample(1.0_f32.next_down()), 1.0);
    assert_eq!(track.sample(1.0), 2.0);
}

#[test]
fn a_cubic_track_goes_the_polynomial_that_its_tangents_are_of() {
    // f(x) = x³ − 2x² + 3, f'(x) = 3x² − 4x. Tangents per second reproduce it for any spacing of the keys.
    let (f, slope) = (|x: f32| x * x * x - 2.0 * x * x + 3.0, |x: f32| 3.0 * x * x - 4.0 * x);
    let times = vec![0.0, 0.5, 2.0, 2.25];
    let values = times.iter().flat_map(|&x| [slope(x), f(x), slope(x)]).collect();
    let track = Track::cubic(times, values).expect("sound keys");
    for step in 0..=90_u8 {
        let x = f32::from(step) / 40.0;
        assert!((track.sample(x) - f(x)).abs() < 2e-6, "{} is not {} at {x}", track.sample(x), f(x));
    }
}

#[test]
fn linear_rotations_turn_at_constant_speed_along_the_shorter_arc() {
    let keys = vec![Quat::from_rotation_z(0.3), -Quat::from_rotation_z(2.3)];
    let track = Track::linear(vec![0.0, 1.0], keys).expect("sound keys");
    for step in 0..=16_u8 {
        let t = f32::from(step) / 16.0;
        let expected = Quat::from_rotation_z(0.3 + 2.0 * t);
        assert!(track.sample(t).dot(expected).abs() > 1.0 - 1e-7);
        assert!(track.sample(t).is_normalized());
        // A player's normalised sum is on the same arc, off by less than two degrees in this turn of 115 degrees.
        assert!(track.sample_as_played(t).angle_between(track.sample(t)) < 0.035);
    }
    assert!(track.sample_as_played(0.25).angle_between(track.sample(0.25)) > 0.005);
}

#[test]
fn rotations_that_are_not_unit_are_normalised_where_they_are_evaluated() {
    let keys = vec![Quat::IDENTITY * 3.0, Quat::from_rotation_x(1.0) * 0.5];
    let long = Track::linear(vec![0.0, 1.0], keys.clone()).expect("sound keys");
    assert_eq!(long.values(), keys);
    let half = Quat::from_rotation_x(0.5);
    assert!((long.sample(0.5) - half).length() < 1e-7);
    assert!((long.sample_as_played(0.5) - half).length() < 1e-7);
    let cubic: Vec<Quat> = keys.iter().flat_map(|&key| [key * 0.0, key, key * 0.0]).collect();
    let cubic = Track::cubic(vec![0.0, 1.0], cubic).expect("sound keys");
    // As in glTF, components are interpolated, then normalised.
    let expected = (keys[0] + keys[1]).normalize();
    assert!((cubic.sample(0.5) - expected).length() < 1e-7);
}

#[test]
fn the_player_that_searches_tracks_plays_the_test_clip() {
    let clip = test_clip();
    assert_eq!((clip.joints(), clip.keys()), (TEST_CLIP_JOINTS, TEST_CLIP_JOINTS * (TEST_CLIP_KEYS + 2)));
    let tracks = KeyTracks::new(&clip);
    let mut pose = vec![Transform::IDENTITY; TEST_CLIP_JOINTS];
    tracks.rest(&mut pose);
    let (mut kept, mut places) = (pose.clone(), KeyPlaces::new(&tracks));
    for frame in 0..=480_u16 {
        let time = f32::from(frame) / 120.0;
        tracks.sample(time, &mut pose);
        tracks.sample_from(&mut places, time, &mut kept);
        assert_eq!(kept, pose);
        // Seeks also after jumps, and backward.
        let mut far = (KeyPlaces::new(&tracks), pose.clone());
        tracks.sample_from(&mut far.0, 4.0 - time, &mut far.1);
        tracks.sample_from(&mut far.0, time, &mut far.1);
        assert_eq!(far.1, pose);
        for joint in 0..96_u16 {
            let found = pose[usize::from(joint)];
            let expected = clip.rotation(joint).expect("a track").sample_as_played(time);
            assert!((found.rotation - expected).length() < 1e-6);
            assert_eq!((found.translation, found.scale), (Vec3::new(0.0, 0.1, 0.0), Vec3::ONE));
        }
    }
    let key = clip.rotation(5).expect("a track").value(17);
    assert!(key.angle_between(Quat::from_rotation_y((1.7_f32 + 5.0).sin())) < 1e-3);
    assert_eq!(clip.duration(), 119.0 / TEST_CLIP_RATE);
}
