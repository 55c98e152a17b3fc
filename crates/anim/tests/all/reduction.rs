//! Reduced clips: the bound in model space holds at all times, and unnecessary keys are removed.

mod dense;

use hedgerow_anim::glam::{DAffine3, DQuat, DVec3, Quat, Vec3};
use hedgerow_anim::{
    ClipBuilder, Error, Player, Pose, RawClip, Skeleton, SkeletonBuilder, Transform,
    clip::{ClipError, Precision},
    raw::{Interpolation, Reduction, Track},
};
use hedgerow_experiments::workloads::swaying;
use proptest::prelude::*;

/// Returns a skeleton in which each joint is a tenth of a metre from its parent.
fn skeleton(parents: &[u16]) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    builder.joint("root", None, Transform::from_xyz(0.0, 1.0, 0.0));
    for (joint, &parent) in (1..).zip(parents) {
        builder.joint(format!("{joint}").as_str(), Some(parent), Transform::from_xyz(0.0, 0.1, 0.0));
    }
    builder.build().expect("a tree").0
}

fn chain(joints: u16) -> Skeleton {
    skeleton(&(0..joints - 1).collect::<Vec<_>>())
}

/// Composes the model matrices of a pose in double precision.
fn models(skeleton: &Skeleton, pose: &Pose) -> Vec<DAffine3> {
    let mut models: Vec<DAffine3> = Vec::new();
    for (joint, &parent) in (0..).zip(skeleton.parents()) {
        let Transform { translation, rotation, scale } = pose.get(joint);
        let (rotation, translation): (DQuat, DVec3) = (rotation.as_dquat().normalize(), translation.as_dvec3());
        let local = DAffine3::from_scale_rotation_translation(scale.as_dvec3(), rotation, translation);
        models.push(models.get(usize::from(parent)).map_or(local, |parent| *parent * local));
    }
    models
}

/// Returns, for each joint, the greatest distance of six points from their original positions.
fn errors(clip: &RawClip, reduced: &RawClip, skeleton: &Skeleton, reduction: &Reduction, moments: u16) -> Vec<f64> {
    let mut most = vec![0.0_f64; skeleton.len()];
    for moment in 0..=moments {
        let time = clip.duration() * f32::from(moment) / f32::from(moments);
        let (mut exact, mut fewer, mut played) = (Pose::rest(skeleton), Pose::rest(skeleton), Pose::rest(skeleton));
        clip.sample(time, &mut exact).unwrap();
        reduced.sample(time, &mut fewer).unwrap();
        reduced.sample_as_played(time, &mut played).unwrap();
        let exact = models(skeleton, &exact);
        for found in [models(skeleton, &fewer), models(skeleton, &played)] {
            for (joint, (found, exact)) in (0_u16..).zip(found.iter().zip(&exact)) {
                let distance = f64::from(reduction.bound(joint).1);
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    for point in [axis * distance, axis * -distance] {
                        let away = found.transform_point3(point).distance(exact.transform_point3(point));
                        most[usize::from(joint)] = most[usize::from(joint)].max(away);
                    }
                }
            }
        }
    }
    most
}

fn assert_bound(clip: &RawClip, reduced: &RawClip, skeleton: &Skeleton, reduction: &Reduction, moments: u16) {
    for (joint, error) in (0..).zip(errors(clip, reduced, skeleton, reduction, moments)) {
        let bound = f64::from(reduction.bound(joint).0);
        // Samples are rounded to single precision in coordinates of a few metres.
        assert!(error <= bound + 3e-6, "joint {joint} is off by {error}, more than {bound}");
    }
}

#[test]
fn a_character_loses_most_of_its_keys_within_the_bound() {
    // Twelve limbs of eight joints below a root.
    let parents: Vec<u16> = (0..96).map(|joint| if joint % 8 == 0 { 0 } else { joint }).collect();
    let (clip, skeleton) = (swaying(97, 120, 0.0), skeleton(&parents));
    let reduction = Reduction::new(5e-3, 0.03);
    let reduced = clip.reduced(&skeleton, &reduction).expect("sound input");
    assert_bound(&clip, &reduced, &skeleton, &reduction, 500);
    assert!(reduced.keys() * 2 < clip.keys(), "{} of {} keys are left", reduced.keys(), clip.keys());
    assert_eq!((reduced.duration(), reduced.joints()), (clip.duration(), clip.joints()));
}

#[test]
fn a_larger_bound_and_a_shorter_chain_need_fewer_keys() {
    let keys = |joints: u16, error| {
        let (clip, reduction) = (swaying(joints.into(), 120, 0.0), Reduction::new(error, 0.03));
        clip.reduced(&chain(joints), &reduction).expect("sound input").keys() / usize::from(joints)
    };
    let tens: Vec<usize> = [1e-5, 1e-4, 1e-3, 1e-2].map(|error| keys(10, error)).to_vec();
    assert!(tens.is_sorted_by(|more, fewer| more > fewer), "{tens:?}");
    assert!(keys(1, 1e-4) < keys(40, 1e-4));
}

#[test]
fn a_constant_track_has_one_key_and_one_at_rest_none_if_asked() {
    let skeleton = chain(2);
    let times: Vec<f32> = (0..60_u8).map(|key| f32::from(key) / 30.0).collect();
    let mut clip = RawClip::new(2.0, 2).expect("a sound clip");
    let still = vec![Vec3::new(0.0, 0.1, 0.0); 60];
    clip.set_translation(0, Track::linear(times.clone(), still.clone()).expect("sound")).expect("fits");
    clip.set_translation(1, Track::linear(times.clone(), still).expect("sound")).expect("fits");
    clip.set_rotation(1, Track::linear(times.clone(), vec![Quat::IDENTITY; 60]).expect("sound")).expect("fits");
    clip.set_scale(1, Track::step(times, vec![Vec3::splat(2.0); 60]).expect("sound")).expect("fits");
    let mut reduction = Reduction::LOSSLESS;
    let reduced = clip.reduced(&skeleton, &reduction).expect("sound input");
    assert_eq!(reduced.keys(), 4);
    assert_eq!(reduced.translation(1).expect("a track").sample(1.0), Vec3::new(0.0, 0.1, 0.0));
    reduction.drop_rest = true;
    let reduced = clip.reduced(&skeleton, &reduction).expect("sound input");
    // Joint 0 has another rest pose.
    assert!(reduced.translation(0).is_some() && reduced.scale(1).is_some());
    assert_eq!((reduced.translation(1), reduced.rotation(1)), (None, None));
    assert_bound(&clip, &reduced, &skeleton, &reduction, 10);
}

#[test]
fn what_stands_still_before_and_after_a_movement_needs_no_keys() {
    let times: Vec<f32> = (0..=100_u8).map(|key| f32::from(key) / 10.0).collect();
    let values = times.iter().map(|time| Vec3::X * (time - 4.0).clamp(0.0, 1.0)).collect();
    let mut clip = RawClip::new(10.0, 1).expect("a sound clip");
    clip.set_translation(0, Track::linear(times, values).expect("sound")).expect("fits");
    let reduced = clip.reduced(&chain(1), &Reduction::new(1e-4, 0.1)).expect("sound input");
    assert_eq!(reduced.translation(0).expect("a track").times(), [4.0, 5.0]);
}

#[test]
fn steps_keep_the_keys_whose_value_is_new() {
    let times: Vec<f32> = (0..9_u8).map(f32::from).collect();
    let weights = [0.0, 0.0, 0.5, 0.5, 0.5005, 0.5, 1.0, 1.0, 0.0];
    let mut clip = RawClip::new(8.0, 1).expect("a sound clip");
    clip.add_channel("blink", Track::step(times, weights.to_vec()).expect("sound")).expect("fits");
    let mut reduction = Reduction::new(1e-4, 0.1);
    let reduced = clip.reduced(&chain(1), &reduction).expect("sound input");
    assert_eq!((reduced.channel(0).times(), reduced.channel_name(0)), (&[0.0, 2.0, 6.0, 8.0][..], "blink"));
    reduction.channel_error = 0.0;
    let reduced = clip.reduced(&chain(1), &reduction).expect("sound input");
    assert_eq!(reduced.channel(0).times(), [0.0, 2.0, 4.0, 5.0, 6.0, 8.0]);
}

#[test]
fn wide_turns_get_keys_where_a_player_would_run_unevenly() {
    let mut clip = RawClip::new(1.0, 1).expect("a sound clip");
    let keys = vec![Quat::IDENTITY, Quat::from_rotation_x(3.0)];
    clip.set_rotation(0, Track::linear(vec![0.0, 1.0], keys).expect("sound")).expect("fits");
    let reduction = Reduction::new(1e-3, 0.5);
    let reduced = clip.reduced(&chain(1), &reduction).expect("sound input");
    assert!((3..=17).contains(&reduced.keys()), "{} keys", reduced.keys());
    assert_bound(&clip, &reduced, &chain(1), &reduction, 1000);
    assert_eq!(clip.reduced(&chain(1), &Reduction::LOSSLESS).expect("sound input").keys(), 2);
}

#[test]
fn a_cubic_track_stays_cubic_where_that_is_smaller() {
    // A cubic track with many keys on one polynomial: two keys suffice.
    let times: Vec<f32> = (0..=16_u8).map(|key| f32::from(key) / 4.0).collect();
    let slope = |x: f32| Vec3::Y * (3.0 * x * x - 4.0 * x);
    let values = times.iter().flat_map(|&x| [slope(x), Vec3::Y * (x * x * x - 2.0 * x * x), slope(x)]).collect();
    let mut clip = RawClip::new(4.0, 1).expect("a sound clip");
    clip.set_translation(0, Track::cubic(times, values).expect("sound")).expect("fits");
    let skeleton = chain(1);
    let kept = |reduction: &Reduction| {
        let reduced = clip.reduced(&skeleton, reduction).expect("sound input");
        assert_bound(&clip, &reduced, &skeleton, reduction, 1000);
        let track = reduced.translation(0).expect("a track").clone();
        (track.interpolation(), track.len())
    };
    assert_eq!(kept(&Reduction::new(1e-3, 0.1)), (Interpolation::Cubic, 2));
    assert_eq!(kept(&Reduction::new(40.0, 0.1)).1, 1);
    let mut lines = Reduction::new(1e-3, 0.1);
    lines.cubic = false;
    let (interpolation, keys) = kept(&lines);
    assert_eq!(interpolation, Interpolation::Linear);
    assert!((20..400).contains(&keys), "{keys} lines");
    assert_eq!(kept(&Reduction::LOSSLESS), (Interpolation::Cubic, 2));
}

#[test]
fn a_joint_with_a_finer_bound_of_its_own_has_it() {
    let (clip, skeleton) = (swaying(8, 60, 0.0), chain(8));
    let coarse = Reduction::new(1e-2, 0.05);
    let sword = coarse.clone().with_joint(7, 1.0, 1.0).with_joint(7, 1e-4, 1.0);
    let [plain, finer] = [&coarse, &sword].map(|reduction| {
        let reduced = clip.reduced(&skeleton, reduction).expect("sound input");
        assert_bound(&clip, &reduced, &skeleton, reduction, 500);
        reduced.keys()
    });
    assert!(plain < finer);
}

#[test]
fn the_last_bound_that_is_given_for_a_joint_counts() {
    // The greatest number of joints, each listed three times: the time does not depend on their order.
    let joints: Vec<u16> = (0..u16::MAX).map(|joint| joint.wrapping_mul(40_503)).collect();
    let mut reduction = Reduction::default();
    for round in 1..=3_u8 {
        for &joint in &joints {
            reduction = reduction.with_joint(joint, f32::from(joint), f32::from(round));
        }
    }
    assert!(joints.iter().all(|&joint| reduction.bound(joint) == (f32::from(joint), 3.0)));
    let left_out = u16::MAX.wrapping_mul(40_503);
    assert_eq!(reduction.bound(left_out), Reduction::default().bound(0));
    let (one, other) =
        (Reduction::default().with_joint(1, 0.1, 0.2), Reduction::default().with_joint(1, f32::NAN, 0.0));
    assert_eq!(other.with_joint(1, 0.1, 0.2), one);
}

#[test]
fn what_no_point_hangs_on_keeps_a_key() {
    // A scale of zero moves all descendants to one point, and the root's rotation moves no point at distance zero.
    let mut clip = swaying(2, 30, 0.0);
    clip.set_scale(0, Track::constant(Vec3::ZERO).expect("finite")).expect("fits");
    let reduction = Reduction::new(1e-3, 0.0);
    let reduced = clip.reduced(&chain(2), &reduction).expect("sound input");
    assert_eq!(reduced.keys(), 6);
    assert_bound(&clip, &reduced, &chain(2), &reduction, 100);
}

#[test]
fn a_clip_with_too_many_moments_to_be_measured_keeps_the_bound_all_the_same() {
    // Two hundred joints in limbs of four, each with its own key times.
    let parents: Vec<u16> = (0..199).map(|joint| if joint % 4 == 0 { 0 } else { joint }).collect();
    let skeleton = skeleton(&parents);
    let mut clip = RawClip::new(1.0, 200).expect("a sound clip");
    for joint in 0..200_u8 {
        let offset = f32::from(joint) / 256.0 / 20.0;
        let times: Vec<f32> = (0..20_u8).map(|key| f32::from(key) / 20.0 + offset).collect();
        let turns = times.iter().map(|time| Quat::from_rotation_x((3.0 * time + f32::from(joint)).sin())).collect();
        clip.set_rotation(joint.into(), Track::linear(times, turns).expect("sound")).expect("fits");
    }
    let reduction = Reduction::new(1e-2, 0.05);
    let reduced = clip.reduced(&skeleton, &reduction).expect("sound input");
    assert_bound(&clip, &reduced, &skeleton, &reduction, 200);
    assert!(reduced.keys() * 4 < clip.keys() * 3, "{} of {} keys are left", reduced.keys(), clip.keys());
}

#[test]
fn bounds_that_are_none_and_other_skeletons_are_refused() {
    let clip = swaying(3, 4, 0.0);
    let refusal = |joints, reduction: &Reduction| clip.reduced(&chain(joints), reduction).map(|_| ());
    let refused = |error| Err(Error::Clip(error));
    assert_eq!(refusal(2, &Reduction::default()), refused(ClipError::JointCount { clip: 3, skeleton: 2 }));
    let endless = Reduction::new(f32::INFINITY, 1.0);
    assert_eq!(refusal(3, &endless), refused(ClipError::Bound { field: "error", found: f32::INFINITY }));
    let negative = Reduction::default().with_joint(1, 1e-4, -1.0);
    assert_eq!(refusal(3, &negative), refused(ClipError::Bound { field: "distance", found: -1.0 }));
    let mut channels = Reduction::default();
    channels.channel_error = f32::NEG_INFINITY;
    let expected = ClipError::Bound { field: "channel_error", found: f32::NEG_INFINITY };
    assert_eq!(refusal(3, &channels), refused(expected));
    let missing = Reduction::default().with_joint(3, 1e-4, 1.0);
    assert_eq!(refusal(3, &missing), refused(ClipError::NoSuchJoint { joint: 3, joints: 3 }));
}

#[test]
fn channels_are_sampled_by_number() {
    let mut clip = RawClip::new(1.0, 0).expect("a sound clip");
    for (name, end) in [("smile", 1.0), ("frown", -1.0)] {
        let track = Track::linear(vec![0.0, 1.0], vec![0.0, end]).expect("sound");
        clip.add_channel(name, track).expect("fits");
    }
    let mut weights = [9.0; 2];
    clip.sample_channels(0.5, &mut weights).unwrap();
    assert_eq!(weights, [0.5, -0.5]);
}

#[test]
fn what_a_clip_has_no_track_for_rests_or_stays_as_it_is() {
    let mut clip = RawClip::new(1.0, 2).expect("a sound clip");
    clip.set_rotation(1, Track::constant(Quat::from_rotation_x(1.0)).expect("finite")).expect("fits");
    let mut pose = Pose::rest(&chain(2));
    let away = Transform::from_xyz(5.0, 0.0, 0.0);
    pose.set(0, away);
    clip.sample_over(0.5, &mut pose).unwrap();
    assert_eq!(pose.get(0), away);
    clip.sample(0.5, &mut pose).unwrap();
    assert_eq!(pose.get(0), Transform::from_xyz(0.0, 1.0, 0.0));
    let expected = Transform::from_xyz(0.0, 0.1, 0.0).with_rotation(Quat::from_rotation_x(1.0));
    assert_eq!(pose.get(1), expected);
    assert_eq!(clip.sample_joint(0.5, 1, Transform::from_xyz(0.0, 0.1, 0.0)), expected);
}

/// The contents of a track: waves sampled evenly, or arbitrary keys.
#[derive(Clone, Debug)]
struct Curve {
    kind: Interpolation,
    waves: bool,
    rate: f32,
    phase: f32,
    size: f32,
    seeds: Vec<f32>,
}

impl Curve {
    /// Returns a number that varies over time, by component.
    fn number(&self, component: usize, time: f32, key: usize) -> f32 {
        let offset = 1.7 * f32::from(u8::try_from(component).expect("few"));
        if self.waves {
            self.size * (self.rate * time + self.phase + offset).sin()
        } else {
            self.size * (self.seeds[key % self.seeds.len()] * 50.0 + offset).sin()
        }
    }

    fn track<V: hedgerow_anim::raw::TrackValue>(
        &self,
        value: impl Fn([f32; 3]) -> V,
        tangent: impl Fn([f32; 3]) -> V,
    ) -> Track<V> {
        let mut now = 0.0;
        let mut times = Vec::new();
        while now <= 1.0 {
            times.push(now);
            now += if self.waves { 1.0 / 30.0 } else { 0.02 + 0.2 * self.seeds[times.len() % self.seeds.len()] };
        }
        let at = |time, key| core::array::from_fn(|component| self.number(component, time, key));
        let values = times.iter().enumerate().flat_map(|(key, &time)| {
            let around = if self.waves { 1.0 / 64.0 } else { 0.5 };
            let (before, after): ([f32; 3], [f32; 3]) = (at(time - around, key + 1), at(time + around, key + 2));
            let slope = tangent(core::array::from_fn(|number| (after[number] - before[number]) / (2.0 * around)));
            let value = value(at(time, key));
            if self.kind == Interpolation::Cubic { vec![slope, value, slope] } else { vec![value] }
        });
        let values = values.collect();
        Track::new(self.kind, times, values).expect("sound")
    }
}

fn curves() -> impl Strategy<Value = Curve> {
    let kind = prop_oneof![
        1 => Just(Interpolation::Step), 3 => Just(Interpolation::Linear), 2 => Just(Interpolation::Cubic)
    ];
    let seeds = proptest::collection::vec(0.0_f32..1.0, 5..12);
    (kind, proptest::bool::weighted(0.7), 0.5_f32..12.0, 0.0_f32..6.0, 0.01_f32..0.6, seeds)
        .prop_map(|(kind, waves, rate, phase, size, seeds)| Curve { kind, waves, rate, phase, size, seeds })
}

type Joint = (u16, Option<Curve>, Option<Curve>, Option<Curve>);

/// A skeleton and a clip, printed as the values they were made from.
struct Character {
    joints: Vec<Joint>,
    skeleton: Skeleton,
    clip: RawClip,
}

impl std::fmt::Debug for Character {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.joints.fmt(f)
    }
}

fn characters() -> impl Strategy<Value = Character> {
    let joint = (
        any::<prop::sample::Index>(),
        proptest::option::of(curves()),
        proptest::option::weighted(0.8, curves()),
        proptest::option::weighted(0.3, curves()),
    );
    proptest::collection::vec(joint, 1..9).prop_map(|joints| {
        let joints: Vec<Joint> = (joints.into_iter().enumerate())
            .map(|(joint, (parent, t, r, s))| {
                let parent = if joint == 0 { 0 } else { parent.index(joint) };
                (u16::try_from(parent).expect("few"), t, r, s)
            })
            .collect();
        let skeleton = skeleton(&joints[1..].iter().map(|joint| joint.0).collect::<Vec<_>>());
        let mut clip = RawClip::new(1.0, joints.len()).expect("a sound clip");
        for (number, (_, translation, rotation, scale)) in (0..).zip(&joints) {
            if let Some(curve) = translation {
                let track = curve.track(Vec3::from_array, Vec3::from_array);
                clip.set_translation(number, track).expect("fits");
            }
            if let Some(curve) = rotation {
                let turn = |[x, y, z]: [f32; 3]| Quat::from_xyzw(x, y, z, 1.0).normalize();
                let slope = |[x, y, z]: [f32; 3]| Quat::from_xyzw(x, y, z, 0.0);
                clip.set_rotation(number, curve.track(turn, slope)).expect("fits");
            }
            if let Some(curve) = scale {
                let track = curve.track(|sizes| Vec3::ONE + Vec3::from_array(sizes) * 0.5, Vec3::from_array);
                clip.set_scale(number, track).expect("fits");
            }
        }
        Character { joints, skeleton, clip }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_bound_holds_at_every_moment(
        Character { skeleton, clip, .. } in characters(),
        error in prop_oneof![Just(1e-4_f32), Just(1e-3), Just(1e-2)],
        distance in 0.01_f32..1.0,
        cubic in any::<bool>(),
        drop_rest in any::<bool>(),
    ) {
        let mut reduction = Reduction::new(error, distance).with_joint(0, 0.5 * error, 0.3);
        (reduction.cubic, reduction.drop_rest) = (cubic, drop_rest);
        let reduced = clip.reduced(&skeleton, &reduction).expect("sound input");
        assert_bound(&clip, &reduced, &skeleton, &reduction, 700);
        for joint in 0..u16::try_from(clip.joints()).expect("few") {
            let lines = reduced.rotation(joint).is_none_or(|track| track.interpolation() != Interpolation::Cubic);
            prop_assert!(cubic || lines);
        }
    }

    #[test]
    fn without_a_bound_nothing_is_lost(Character { skeleton, clip, .. } in characters()) {
        let reduced = clip.reduced(&skeleton, &Reduction::LOSSLESS).expect("sound input");
        prop_assert!(reduced.keys() <= clip.keys());
        let (mut before, mut after) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
        for moment in 0..=300_u16 {
            let time = f32::from(moment) / 300.0;
            clip.sample(time, &mut before).unwrap();
            reduced.sample(time, &mut after).unwrap();
            for joint in 0..u16::try_from(clip.joints()).expect("few") {
                let (before, after) = (before.get(joint), after.get(joint));
                let turned = (before.rotation - after.rotation).length().min((before.rotation + after.rotation).length());
                prop_assert!(before.translation.distance(after.translation) < 2e-7);
                prop_assert!(before.scale.distance(after.scale) < 4e-7);
                prop_assert!(turned < 4e-7, "{before:?} {after:?}");
            }
        }
    }
}

#[test]
fn what_a_player_shows_of_a_reduced_clip_is_within_the_bound() {
    let skeleton = skeleton(&[0, 1, 2, 3, 1, 5, 6]);
    let clip = swaying(8, 60, 0.3);
    let reduction = Reduction::new(1e-3, 0.05);
    let builder = ClipBuilder::new().precision(Precision::Tight);
    let (compiled, report) = builder.build_reduced(&clip, &skeleton, &reduction).unwrap();
    let (_, whole) = builder.build(&clip).unwrap();
    assert!(report.keys < whole.keys * 9 / 10, "{} of {} keys are left", report.keys, whole.keys);
    assert_eq!(report.inserted_keys, 0);

    let mut player = Player::new(&compiled);
    let (mut played, mut exact) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
    for moment in 0..=500_u16 {
        let time = clip.duration() * f32::from(moment) / 500.0;
        player.seek(time);
        player.sample(&mut played).unwrap();
        clip.sample(time, &mut exact).unwrap();
        for (found, expected) in models(&skeleton, &played).iter().zip(models(&skeleton, &exact)) {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z] {
                let away = found.transform_point3(axis * 0.05).distance(expected.transform_point3(axis * 0.05));
                // Tight words add less than 1 %.
                assert!(away < 1.01e-3, "{away} at {time}");
            }
        }
    }
}

#[test]
fn a_half_turn_of_a_reduced_clip_goes_the_way_it_went() {
    // After rounding to words, the other arc may be as short.
    for tilt in (0..40_u8).map(|tilt| f32::from(tilt) * 0.1) {
        let axis = Vec3::new(tilt.sin(), tilt.cos(), 0.3).normalize();
        let turns = [0.0, 0.999_97 * core::f32::consts::PI].map(|angle| Quat::from_axis_angle(axis, angle)).to_vec();
        let mut clip = RawClip::new(2.0, 1).expect("a sound clip");
        clip.set_rotation(0, Track::linear(vec![0.0, 2.0], turns).expect("sound")).expect("fits");
        for (reduction, bound) in [(Reduction::LOSSLESS, 2e-3), (Reduction::new(0.5, 0.5), 0.501)] {
            let (compiled, report) = ClipBuilder::new().build_reduced(&clip, &chain(1), &reduction).unwrap();
            for moment in 0..=20_u8 {
                let time = f32::from(moment) / 10.0;
                let shown = compiled.sample_joint(time, 0, Transform::IDENTITY).rotation;
                let exact = clip.rotation(0).expect("a track").sample(time);
                for arm in [Vec3::X, Vec3::Y, Vec3::Z] {
                    let away = (shown * arm).distance(exact * arm) * if bound > 0.1 { 0.5 } else { 1.0 };
                    assert!(away <= bound, "{away} at {time}, {report:?}");
                }
            }
        }
    }
}
