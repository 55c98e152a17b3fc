//! Root motion: combining the motion and the part in place gives the original, over any number of loops.

use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::{
    Error, RawClip, Transform,
    clip::ClipError,
    raw::{Interpolation, Track},
    root_motion::{Axis, RootMotion, RootMotionOptions},
};
use proptest::prelude::*;
use std::f32::consts::{FRAC_PI_2, TAU};

/// Samples the root of a clip, with an identity rest pose.
fn root(clip: &RawClip, time: f32) -> Transform {
    Transform {
        translation: clip.translation(0).map_or(Vec3::ZERO, |track| track.sample(time)),
        rotation: clip.rotation(0).map_or(Quat::IDENTITY, |track| track.sample(time)),
        scale: Vec3::ONE,
    }
}

fn below(parent: Transform, child: Transform) -> Transform {
    RootMotion::apply(child, parent)
}

fn assert_near(found: Transform, expected: Transform, error: f32, what: &str) {
    let turn = (found.rotation - expected.rotation).length().min((found.rotation + expected.rotation).length());
    let away = found.translation.distance(expected.translation) + 2.0 * turn;
    assert!(away <= error, "{what}: {found:?} is {away} away from {expected:?}, more than {error}");
}

/// Returns a clip that walks a quarter circle in a second, bobbing.
fn curve() -> RawClip {
    let mut clip = RawClip::new(1.0, 2).expect("a sound clip");
    let times: Vec<f32> = (0..=10_u8).map(|key| f32::from(key) / 10.0).collect();
    let angle = |time: &f32| time * FRAC_PI_2;
    let places = times.iter().map(|time| {
        Vec3::new(1.0 - angle(time).cos(), 1.0 + 0.1 * (time * TAU).sin(), angle(time).sin()) + Vec3::new(3.0, 0.0, 4.0)
    });
    let turns = times.iter().map(|time| Quat::from_rotation_y(angle(time)) * Quat::from_rotation_x(0.2));
    clip.set_translation(0, Track::linear(times.clone(), places.collect()).expect("sound")).expect("fits");
    clip.set_rotation(0, Track::linear(times.clone(), turns.collect()).expect("sound")).expect("fits");
    clip.set_rotation(1, Track::constant(Quat::from_rotation_z(1.0)).expect("sound")).expect("fits");
    clip
}

#[test]
fn what_is_in_place_moved_by_the_motion_is_the_original() {
    let clip = curve();
    let options = RootMotionOptions::WALK;
    let (motion, in_place) = RootMotion::extract(&clip, 0, Transform::IDENTITY, options).expect("a sound clip");
    for step in 0..=1000_u16 {
        let time = f32::from(step) / 1000.0;
        assert_near(below(motion.at(time), root(&in_place, time)), root(&clip, time), 1.1e-4, "put together");
    }
    assert_eq!(in_place.rotation(1), clip.rotation(1));
    assert_eq!((motion.duration(), motion.at(0.0)), (1.0, Transform::IDENTITY));
    assert_eq!(motion.bytes(), 20 * motion.keys());
}

#[test]
fn in_place_the_root_keeps_its_start_on_the_axes_that_went_with_the_motion() {
    let (_, in_place) =
        RootMotion::extract(&curve(), 0, Transform::IDENTITY, RootMotionOptions::WALK).expect("a sound clip");
    for step in 0..=100_u8 {
        let now = root(&in_place, f32::from(step) / 100.0);
        let height = 1.0 + 0.1 * (f32::from(step) / 100.0 * TAU).sin();
        assert!((now.translation - Vec3::new(3.0, height, 4.0)).abs().max_element() < 6e-3);
        assert!((now.translation - Vec3::new(3.0, now.translation.y, 4.0)).length() < 1e-5);
        assert!(now.rotation.angle_between(Quat::from_rotation_x(0.2)) < 2e-3);
    }
}

#[test]
fn four_quarters_of_a_circle_come_back_to_where_they_began() {
    let (motion, _) =
        RootMotion::extract(&curve(), 0, Transform::IDENTITY, RootMotionOptions::WALK).expect("a sound clip");
    assert_near(motion.delta(0.0, 4.0), Transform::IDENTITY, 1e-4, "around");
    assert_near(motion.delta(0.0, 1.0), motion.total(), 1e-5, "a quarter");
    assert_near(motion.delta(0.0, 4_001.25), motion.delta(0.0, 1.25), 4e-3, "around and around");
    assert_near(motion.delta(0.5, 2.75), motion.between(0.5, 0.75, 2), 1e-6, "told in loops");
    assert_near(motion.delta(0.5, -1.25), motion.between(0.5, 0.75, -2), 1e-6, "told in loops backward");
    assert_eq!(motion.delta(f64::NAN, f64::INFINITY), Transform::IDENTITY);
}

#[test]
fn whole_turns_within_a_clip_are_counted() {
    // Two and a half turns in three seconds.
    let times: Vec<f32> = (0..=30_u8).map(|key| f32::from(key) / 10.0).collect();
    let turns = (0..=30_u8).map(|key| Quat::from_rotation_y(f32::from(key) / 30.0 * 2.5 * TAU)).collect();
    let mut clip = RawClip::new(3.0, 1).expect("a sound clip");
    clip.set_rotation(0, Track::linear(times, turns).expect("sound")).expect("fits");
    let (motion, in_place) =
        RootMotion::extract(&clip, 0, Transform::IDENTITY, RootMotionOptions::WALK).expect("a sound clip");
    for step in 0..300_u16 {
        let time = f32::from(step) / 100.0;
        let expected = Transform::from_rotation(Quat::from_rotation_y(time / 3.0 * 2.5 * TAU));
        assert_near(motion.at(time), expected, 1e-3, "turned");
        assert_near(root(&in_place, time), Transform::IDENTITY, 1e-3, "standing");
    }
}

#[test]
fn a_motion_without_turns_leaves_rotations_to_the_bit() {
    let clip = curve();
    let options = RootMotionOptions::TRANSLATION;
    let (motion, in_place) = RootMotion::extract(&clip, 0, Transform::IDENTITY, options).expect("a sound clip");
    assert_eq!(in_place.rotation(0), clip.rotation(0));
    assert_eq!(motion.keys(), 11);
    assert_near(motion.total(), Transform::from_xyz(1.0, 0.0, 1.0), 1e-6, "the chord");
}

#[test]
fn a_clip_without_tracks_of_the_root_takes_its_rest_and_stands_still() {
    let clip = RawClip::new(2.0, 1).expect("a sound clip");
    let rest = Transform::from_xyz(0.0, 1.0, 5.0).with_rotation(Quat::from_rotation_y(1.0));
    let (motion, in_place) = RootMotion::extract(&clip, 0, rest, RootMotionOptions::WALK).expect("a sound clip");
    assert_eq!((motion.keys(), motion.total()), (2, Transform::IDENTITY));
    assert_near(root(&in_place, 1.0), rest, 1e-6, "at rest");
}

#[test]
fn any_times_and_any_number_of_loops_give_a_finite_motion() {
    let (motion, _) = RootMotion::extract(&curve(), 0, Transform::IDENTITY, RootMotionOptions::WALK).unwrap();
    let mut straight = RawClip::new(0.5, 1).unwrap();
    let places = vec![Vec3::ZERO, Vec3::new(1e38, 0.0, -1e38)];
    straight.set_translation(0, Track::linear(vec![0.0, 0.5], places).unwrap()).unwrap();
    let (far, _) = RootMotion::extract(&straight, 0, Transform::IDENTITY, RootMotionOptions::TRANSLATION).unwrap();
    let times = [0.0, -1e308, 1e308, f64::MAX, f64::MIN, f64::NAN, f64::INFINITY, 1e20, -0.3];
    for motion in [motion, far] {
        for (from, to) in times.into_iter().flat_map(|from| times.map(|to| (from, to))) {
            let found = motion.delta(from, to);
            assert!(found.is_finite(), "from {from:e} to {to:e}: {found:?}");
            assert!((found.rotation.length() - 1.0).abs() < 1e-5, "from {from:e} to {to:e}: {found:?}");
            #[expect(clippy::cast_possible_truncation, reason = "any times do")]
            let found = motion.between(from as f32, to as f32, i32::MIN);
            assert!(found.is_finite(), "between {from:e} and {to:e}: {found:?}");
        }
    }
}

#[test]
fn the_upward_axis_is_a_choice() {
    let times = vec![0.0, 1.0];
    let mut clip = RawClip::new(1.0, 1).expect("a sound clip");
    let turns = vec![Quat::IDENTITY, Quat::from_rotation_z(1.0)];
    clip.set_rotation(0, Track::linear(times.clone(), turns).expect("sound")).expect("fits");
    clip.set_translation(0, Track::linear(times, vec![Vec3::ZERO, Vec3::ONE]).expect("sound")).expect("fits");
    let options = RootMotionOptions { axes: [true, true, false], up: Axis::Z, ..RootMotionOptions::WALK };
    let (motion, in_place) = RootMotion::extract(&clip, 0, Transform::IDENTITY, options).expect("a sound clip");
    let expected = Transform::from_xyz(1.0, 1.0, 0.0).with_rotation(Quat::from_rotation_z(1.0));
    assert_near(motion.total(), expected, 1e-6, "turned about z");
    assert_near(root(&in_place, 1.0), Transform::from_xyz(0.0, 0.0, 1.0), 1e-6, "risen");
}

#[test]
fn steps_stay_steps() {
    let mut clip = RawClip::new(1.0, 1).expect("a sound clip");
    let jumps = Track::step(vec![0.0, 0.5], vec![Vec3::ZERO, Vec3::X]).expect("sound");
    clip.set_translation(0, jumps).expect("fits");
    let (motion, _) =
        RootMotion::extract(&clip, 0, Transform::IDENTITY, RootMotionOptions::WALK).expect("a sound clip");
    assert_eq!(motion.at(0.5_f32.next_down()).translation, Vec3::ZERO);
    assert_eq!(motion.at(0.5).translation, Vec3::X);
}

#[test]
fn what_is_no_joint_no_rest_or_no_error_is_refused() {
    let clip = RawClip::new(1.0, 1).expect("a sound clip");
    let extract = |joint, rest, error| {
        RootMotion::extract(&clip, joint, rest, RootMotionOptions { error, ..RootMotionOptions::WALK }).map(|_| ())
    };
    let missing = ClipError::NoSuchJoint { joint: 1, joints: 1 };
    assert_eq!(extract(1, Transform::IDENTITY, 0.1), Err(Error::Clip(missing)));
    assert!(matches!(extract(0, Transform::from_xyz(f32::NAN, 0.0, 0.0), 0.1), Err(Error::Math(_))));
    assert!(matches!(extract(0, Transform::IDENTITY, f32::NAN), Err(Error::Math(_))));
    assert!(matches!(extract(0, Transform::IDENTITY, -1.0), Err(Error::Math(_))));
    assert_eq!(extract(0, Transform::IDENTITY, 0.0), Ok(()));
}

#[test]
fn a_character_steps_where_it_looks_and_as_far_as_it_is_large() {
    let character = Transform {
        translation: Vec3::new(1.0, 2.0, 3.0),
        rotation: Quat::from_rotation_y(FRAC_PI_2),
        scale: Vec3::splat(2.0),
    };
    let step = Transform::from_xyz(0.0, 0.0, 1.0).with_rotation(Quat::from_rotation_y(0.5));
    let moved = RootMotion::apply(step, character);
    let product = character.to_matrix() * step.to_matrix();
    for (found, expected) in moved.to_matrix().rows.as_flattened().iter().zip(product.rows.as_flattened()) {
        assert!((found - expected).abs() < 1e-6);
    }
}

/// Generates clips of one joint: irregular keys that lean by less than a radian and turn arbitrarily.
fn clips() -> impl Strategy<Value = RawClip> {
    let key = (0.05_f32..0.4, -2.0_f32..2.0, -2.0_f32..2.0, -2.0_f32..2.0, -3.0_f32..3.0, -1.0_f32..1.0, -1.0_f32..1.0);
    let keys = proptest::collection::vec(key, 2..8);
    (keys, 0..3_u8, any::<bool>()).prop_map(|(keys, kind, step)| {
        let mut now = 0.0;
        let mut times = Vec::new();
        for key in &keys {
            times.push(now);
            now += key.0;
        }
        let places: Vec<Vec3> = keys.iter().map(|key| Vec3::new(key.1, key.2, key.3)).collect();
        let turns: Vec<Quat> = keys
            .iter()
            .map(|key| Quat::from_rotation_y(key.4) * Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), key.5))
            .collect();
        let translation = match kind {
            0 => Track::step(times.clone(), places),
            1 => Track::linear(times.clone(), places),
            _ => {
                let cubic =
                    places.iter().zip(&keys).flat_map(|(&place, key)| [Vec3::X * key.6, place, Vec3::Z * key.5]);
                Track::cubic(times.clone(), cubic.collect())
            }
        };
        let kind = if step { Interpolation::Step } else { Interpolation::Linear };
        let mut clip = RawClip::new(now, 1).expect("a sound clip");
        clip.set_translation(0, translation.expect("sound")).expect("fits");
        clip.set_rotation(0, Track::new(kind, times, turns).expect("sound")).expect("fits");
        clip
    })
}

fn options() -> impl Strategy<Value = RootMotionOptions> {
    (any::<[bool; 3]>(), any::<bool>(), 0..3_u8).prop_map(|(axes, yaw, error)| RootMotionOptions {
        axes,
        yaw,
        error: [1e-4, 1e-3, 1e-2][usize::from(error)],
        up: Axis::Y,
    })
}

#[test]
fn a_wide_turn_between_two_keys_has_as_many_keys_as_it_takes() {
    let times = vec![0.0, 0.05];
    let mut clip = RawClip::new(0.05, 1).expect("a sound clip");
    let turns = vec![Quat::from_rotation_y(-1.8), Quat::from_rotation_y(1.3) * Quat::from_rotation_x(0.9)];
    clip.set_rotation(0, Track::linear(times.clone(), turns).expect("sound")).expect("fits");
    let places = vec![Vec3::new(-3.0, 0.0, 0.0); 2];
    clip.set_translation(0, Track::linear(times, places).expect("sound")).expect("fits");
    let options = RootMotionOptions { axes: [false, false, true], ..RootMotionOptions::WALK };
    let (motion, in_place) = RootMotion::extract(&clip, 0, Transform::IDENTITY, options).expect("a sound clip");
    assert!((258..1024).contains(&motion.keys()), "{} keys", motion.keys());
    for step in 0..=5000_u16 {
        let time = 0.05 * f32::from(step) / 5000.0;
        let found = below(motion.at(time), root(&in_place, time));
        assert_near(found, root(&clip, time), 1.1e-4, "put together");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn playing_in_place_and_moving_is_the_original(clip in clips(), options in options()) {
        let (motion, in_place) =
            RootMotion::extract(&clip, 0, Transform::IDENTITY, options).expect("a sound clip");
        for step in 0..=500_u16 {
            let time = clip.duration() * f32::from(step) / 500.0;
            let found = below(motion.at(time), root(&in_place, time));
            // Between the tested times, the error may be slightly greater.
            assert_near(found, root(&clip, time), 1.25 * options.error + 1e-5, "put together");
        }
    }

    #[test]
    fn steps_of_any_length_add_up(
        clip in clips(), options in options(), steps in proptest::collection::vec(-3.0_f64..3.0, 1..12),
    ) {
        let (motion, _) = RootMotion::extract(&clip, 0, Transform::IDENTITY, options).expect("a sound clip");
        let duration = f64::from(clip.duration());
        let (mut now, mut character) = (0.0, Transform::IDENTITY);
        for step in steps {
            let next = now + step * duration;
            character = below(character, motion.delta(now, next));
            now = next;
            assert_near(character, motion.delta(0.0, now), 2e-3, "accumulated");
            // One loop after the other gives the same delta.
            let loops = (now / duration).floor();
            #[expect(clippy::cast_possible_truncation, reason = "few loops, and a time within one")]
            let (whole, rest) = (loops as i32, (now - loops * duration) as f32);
            let mut walked = Transform::IDENTITY;
            for _ in 0..whole.abs() {
                walked = below(walked, motion.between(0.0, 0.0, whole.signum()));
            }
            assert_near(character, below(walked, motion.at(rest)), 2e-3, "walked");
        }
    }
}
