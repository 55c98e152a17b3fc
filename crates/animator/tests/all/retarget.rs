//! Poses and clips of one skeleton on another.

use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::raw::Track;
use hedgerow_anim::{Mat34, Pose, RawClip, Skeleton, SkeletonBuilder, Transform};
use hedgerow_animator::{Error, Retarget, RetargetOptions};

const BONES: [(&str, Option<u16>, Vec3); 12] = [
    ("root", None, Vec3::ZERO),
    ("hips", Some(0), Vec3::new(0.0, 1.0, 0.0)),
    ("spine", Some(1), Vec3::new(0.0, 0.3, 0.0)),
    ("head", Some(2), Vec3::new(0.0, 0.4, 0.05)),
    ("arm.l", Some(2), Vec3::new(0.2, 0.3, 0.0)),
    ("elbow.l", Some(4), Vec3::new(0.3, 0.0, 0.0)),
    ("hand.l", Some(5), Vec3::new(0.25, 0.0, 0.02)),
    ("arm.r", Some(2), Vec3::new(-0.2, 0.3, 0.0)),
    ("elbow.r", Some(7), Vec3::new(-0.3, 0.0, 0.0)),
    ("hand.r", Some(8), Vec3::new(-0.25, 0.0, 0.02)),
    ("leg.l", Some(1), Vec3::new(0.1, -0.1, 0.0)),
    ("foot.l", Some(10), Vec3::new(0.0, -0.9, 0.0)),
];

fn any_rotation(dice: &mut fastrand::Rng) -> Quat {
    let mut part = || dice.f32() * 2.0 - 1.0;
    Quat::from_xyzw(part(), part(), part(), part()).normalize()
}

/// Returns a figure of this size. Its joints have axes of their own, and its arms are turned down by an angle.
fn figure(size: f32, dice: Option<&mut fastrand::Rng>, down: f32) -> Skeleton {
    let mut turns = vec![Quat::IDENTITY; BONES.len()];
    if let Some(dice) = dice {
        turns.iter_mut().for_each(|turn| *turn = any_rotation(dice));
    }
    let mut joints = SkeletonBuilder::new();
    for (at, &(name, parent, offset)) in BONES.iter().enumerate() {
        let side = if name.ends_with(".l") { -1.0 } else { 1.0 };
        let arm = parent.is_some_and(|parent| matches!(BONES[usize::from(parent)].0, "arm.l" | "arm.r"));
        let forearm = parent.is_some_and(|parent| matches!(BONES[usize::from(parent)].0, "elbow.l" | "elbow.r"));
        let lowered = if arm || forearm { Quat::from_rotation_z(side * down) } else { Quat::IDENTITY };
        let above = parent.map_or(Quat::IDENTITY, |parent| turns[usize::from(parent)]);
        let rest = Transform::from_translation(above.inverse() * (size * (lowered * offset)));
        joints.joint(name, parent, rest.with_rotation(above.inverse() * turns[at]));
    }
    joints.build().unwrap().0
}

fn retarget(source: &Skeleton, target: &Skeleton) -> Retarget {
    let pairs = Retarget::pairs(source, target, Some);
    assert_eq!(pairs.len(), BONES.len());
    Retarget::new(source, target, &pairs, &RetargetOptions::default()).unwrap()
}

fn models(skeleton: &Skeleton, pose: &Pose) -> Vec<Mat34> {
    let mut models = Vec::new();
    pose.to_models(skeleton, &mut models).unwrap();
    models
}

/// Returns the direction of each bone in the space of the model.
fn directions(skeleton: &Skeleton, pose: &Pose) -> Vec<Vec3> {
    let models = models(skeleton, pose);
    let bones = (0..).zip(skeleton.parents()).filter(|&(_, &parent)| parent != Skeleton::NO_PARENT);
    bones
        .map(|(joint, &parent): (usize, _)| {
            (models[joint].translation() - models[usize::from(parent)].translation()).normalize()
        })
        .collect()
}

fn random_pose(skeleton: &Skeleton, dice: &mut fastrand::Rng) -> Pose {
    let mut pose = Pose::rest(skeleton);
    for joint in 0..u16::try_from(skeleton.len()).unwrap() {
        let rest = pose.get(joint);
        pose.set(joint, rest.with_rotation(any_rotation(dice)));
    }
    pose
}

#[test]
fn a_pose_of_the_same_skeleton_stays_as_it_is() {
    let mut dice = fastrand::Rng::with_seed(1);
    let skeleton = figure(1.0, Some(&mut dice), 0.0);
    let retarget = retarget(&skeleton, &skeleton);
    assert!((retarget.scale() - 1.0).abs() < 1e-6);
    for _ in 0..100 {
        let mut from = random_pose(&skeleton, &mut dice);
        let moved = from.get(1).translation + Vec3::new(0.3, -0.2, 0.5);
        from.set(1, from.get(1).with_translation(moved));
        let mut to = Pose::rest(&skeleton);
        retarget.apply(&from, &mut to).unwrap();
        for (a, b) in models(&skeleton, &from).iter().zip(models(&skeleton, &to)) {
            assert!(a.rows.iter().flatten().zip(b.rows.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-5));
        }
    }
}

#[test]
fn bones_point_as_those_of_the_source_whatever_axes_sizes_and_rest_poses_are() {
    let mut dice = fastrand::Rng::with_seed(2);
    for round in 0..100 {
        let source = figure(1.0, Some(&mut dice), 0.0);
        // Arms spread in one, and down in the other.
        let (size, down) = (0.5 + dice.f32(), if round % 2 == 0 { 0.8 } else { 0.0 });
        let target = figure(size, Some(&mut dice), down);
        let retarget = retarget(&source, &target);
        let from = random_pose(&source, &mut dice);
        let mut to = Pose::rest(&target);
        retarget.apply(&from, &mut to).unwrap();
        let pairs = directions(&source, &from).into_iter().zip(directions(&target, &to)).enumerate();
        for (bone, (is, should)) in pairs {
            assert!(is.abs_diff_eq(should, 1e-4), "{}: {is} {should}", BONES[bone + 1].0);
        }
    }
}

#[test]
fn without_alignment_differences_of_rest_poses_stay() {
    let (source, target) = (figure(1.0, None, 0.0), figure(1.0, None, 0.8));
    let pairs = Retarget::pairs(&source, &target, Some);
    let options = RetargetOptions { align: false, ..RetargetOptions::default() };
    let retarget = Retarget::new(&source, &target, &pairs, &options).unwrap();
    let mut to = Pose::rest(&target);
    retarget.apply(&Pose::rest(&source), &mut to).unwrap();
    for joint in 0..12 {
        assert!(to.get(joint).rotation.abs_diff_eq(target.rest(joint).rotation, 1e-6));
    }
}

#[test]
fn hips_and_what_is_above_them_move_by_size_and_the_rest_keeps_its_lengths() {
    let (source, target) = (figure(1.0, None, 0.0), figure(2.0, None, 0.0));
    let retarget = retarget(&source, &target);
    assert!((retarget.scale() - 2.0).abs() < 1e-6);
    let (mut from, mut to) = (Pose::rest(&source), Pose::rest(&target));
    from.set(0, Transform::from_xyz(1.0, 0.0, 3.0));
    from.set(1, Transform::from_xyz(0.0, 0.8, 0.0));
    from.set(3, Transform::from_xyz(0.0, 9.0, 0.0));
    retarget.apply(&from, &mut to).unwrap();
    assert!(to.get(0).translation.abs_diff_eq(Vec3::new(2.0, 0.0, 6.0), 1e-5));
    assert!(to.get(1).translation.abs_diff_eq(Vec3::new(0.0, 1.6, 0.0), 1e-5));
    assert_eq!(to.get(3).translation, target.rest(3).translation);
}

#[test]
fn joints_without_a_partner_keep_their_transforms() {
    let (source, target) = (figure(1.0, None, 0.0), figure(1.0, None, 0.0));
    let pairs = Retarget::pairs(&source, &target, |name| (!name.starts_with("elbow")).then_some(name));
    let retarget = Retarget::new(&source, &target, &pairs, &RetargetOptions::default()).unwrap();
    let (mut from, mut to) = (Pose::rest(&source), Pose::rest(&target));
    from.set(4, from.get(4).with_rotation(Quat::from_rotation_y(1.0)));
    let bent = to.get(5).with_rotation(Quat::from_rotation_y(0.5));
    to.set(5, bent);
    retarget.apply(&from, &mut to).unwrap();
    assert_eq!(to.get(5), bent);
    // The hand has its partner's rotation in the model, whatever the elbow does.
    let hands = [models(&source, &from)[6], models(&target, &to)[6]].map(|hand| hand.transform_vector(Vec3::X));
    assert!(hands[0].abs_diff_eq(hands[1], 1e-6));
}

#[test]
fn axes_of_the_model_may_differ() {
    let (source, mut target) = (figure(1.0, None, 0.0), SkeletonBuilder::new());
    // The same figure with z up.
    let turn = Quat::from_rotation_x(core::f32::consts::FRAC_PI_2);
    for &(name, parent, offset) in &BONES {
        target.joint(name, parent, Transform::from_translation(turn * offset));
    }
    let target = target.build().unwrap().0;
    let pairs = Retarget::pairs(&source, &target, Some);
    let from = random_pose(&source, &mut fastrand::Rng::with_seed(5));
    for given in [Some(turn), None] {
        let options = RetargetOptions { turn: given, ..RetargetOptions::default() };
        let retarget = Retarget::new(&source, &target, &pairs, &options).unwrap();
        assert!(retarget.turn().dot(turn).abs() > 1.0 - 1e-6);
        let mut to = Pose::rest(&target);
        retarget.apply(&from, &mut to).unwrap();
        for (is, of) in directions(&target, &to).into_iter().zip(directions(&source, &from)) {
            assert!(is.abs_diff_eq(turn * of, 1e-5));
        }
    }
}

#[test]
fn a_clip_has_the_poses_and_the_events_of_its_source() {
    let mut dice = fastrand::Rng::with_seed(7);
    let (source, target) = (figure(1.0, Some(&mut dice), 0.0), figure(1.4, Some(&mut dice), 0.5));
    let retarget = retarget(&source, &target);
    let mut clip = RawClip::new(1.5, source.len()).unwrap();
    let times = vec![0.0, 0.4, 1.5];
    for joint in 0..12 {
        let keys = (0..3).map(|_| any_rotation(&mut dice)).collect();
        clip.set_rotation(joint, Track::linear(times.clone(), keys).unwrap()).unwrap();
    }
    let places = vec![Vec3::Y, Vec3::new(0.0, 0.8, 0.4), Vec3::new(0.0, 1.0, 1.0)];
    clip.set_translation(1, Track::linear(times, places).unwrap()).unwrap();
    clip.add_event(0.7, 3, "step").unwrap();
    let made = retarget.clip(&clip, 60.0).unwrap();
    assert_eq!(made.duration(), 1.5);
    let events: Vec<_> = made.events().map(|event| (event.time, event.number, event.name.to_owned())).collect();
    assert_eq!(events, [(0.7, 3, "step".to_owned())]);
    let (mut from, mut to, mut own) = (Pose::rest(&source), Pose::rest(&target), Pose::rest(&target));
    for key in 0..=90_u8 {
        let time = f32::from(key) / 60.0;
        clip.sample(time, &mut from).unwrap();
        retarget.apply(&from, &mut to).unwrap();
        made.sample(time, &mut own).unwrap();
        for joint in 0..12 {
            let (a, b) = (to.get(joint), own.get(joint));
            assert!(a.rotation.dot(b.rotation).abs() > 1.0 - 1e-4, "joint {joint} at {time}");
            assert!(a.translation.abs_diff_eq(b.translation, 1e-4));
        }
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let skeleton = figure(1.0, None, 0.0);
    let new = |pairs: &[(u16, u16)], options: &RetargetOptions<'_>| {
        Retarget::new(&skeleton, &skeleton, pairs, options).map(drop)
    };
    let options = RetargetOptions::default();
    assert_eq!(new(&[], &options), Err(Error::Pairs));
    assert_eq!(new(&[(0, 1), (2, 1)], &options), Err(Error::Pairs));
    assert!(matches!(new(&[(12, 1)], &options), Err(Error::Anim(_))));
    assert!(matches!(new(&[(1, 12)], &options), Err(Error::Anim(_))));
    let turn = RetargetOptions { turn: Some(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), ..options };
    assert!(matches!(new(&[(1, 1)], &turn), Err(Error::Number { what: "turn", .. })));
    let turn = RetargetOptions { turn: Some(Quat::from_xyzw(0.0, 0.0, 0.0, 1e20)), ..options };
    assert!(matches!(new(&[(1, 1)], &turn), Err(Error::Number { what: "turn", .. })));
    let mut still = Pose::rest(&skeleton);
    still.set(2, still.get(2).with_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)));
    let rest = RetargetOptions { target_rest: Some(&still), ..options };
    assert!(matches!(new(&[(1, 1)], &rest), Err(Error::Number { what: "rest pose", .. })));
    assert_eq!(new(&[(1, 1)], &RetargetOptions { hips: Some(2), ..options }), Err(Error::Pairs));
    for scale in [0.0, -1.0, f32::NAN] {
        let options = RetargetOptions { scale: Some(scale), ..options };
        assert!(matches!(new(&[(1, 1)], &options), Err(Error::Number { what: "scale", .. })));
    }
    let other = Pose::new(3);
    assert!(matches!(new(&[(1, 1)], &RetargetOptions { target_rest: Some(&other), ..options }), Err(Error::Anim(_))));
    let retarget = Retarget::new(&skeleton, &skeleton, &[(1, 1)], &options).unwrap();
    assert!(retarget.apply(&other, &mut Pose::rest(&skeleton)).is_err());
    assert!(retarget.apply(&Pose::rest(&skeleton), &mut Pose::new(3)).is_err());
    assert!(retarget.clip(&RawClip::new(1.0, 12).unwrap(), 0.0).is_err());
    for seconds in [1e4, 1e9, f32::MAX] {
        assert!(matches!(retarget.clip(&RawClip::new(seconds, 12).unwrap(), 1000.0), Err(Error::Number { .. })));
    }
}

#[test]
fn the_hips_move_whatever_is_mapped_beside_them() {
    // As in rigs with joints for goals below the root, and in those of upper bodies.
    let (source, target) = (figure(1.0, None, 0.0), figure(2.0, None, 0.0));
    let of = |names: &[&str]| {
        let pairs = Retarget::pairs(&source, &target, |name| Some(name).filter(|name| names.contains(name)));
        let retarget = Retarget::new(&source, &target, &pairs, &RetargetOptions::default()).unwrap();
        let (mut from, mut to) = (Pose::rest(&source), Pose::rest(&target));
        from.set(1, Transform::from_xyz(0.0, 0.5, 0.0));
        from.set(2, Transform::from_xyz(0.0, 0.1, 0.0));
        retarget.apply(&from, &mut to).unwrap();
        [1, 2].map(|joint| to.get(joint).translation.y)
    };
    for names in [&["root", "hips", "head"][..], &["hips", "spine", "arm.l", "arm.r"]] {
        let [hips, spine] = of(names);
        assert!((hips - 1.0).abs() < 1e-5 && (spine - 0.6).abs() < 1e-5, "{hips} {spine}");
    }
}

#[test]
fn a_name_pairs_only_one_joint_and_no_name_pairs_none() {
    let mut joints = SkeletonBuilder::new();
    let top = joints.joint("a", None, Transform::IDENTITY);
    for name in ["a", "", ""] {
        joints.joint(name, Some(top), Transform::IDENTITY);
    }
    let skeleton = joints.build().unwrap().0;
    assert_eq!(Retarget::pairs(&skeleton, &skeleton, Some), [(0, 0)]);
}

#[test]
fn one_arm_tells_nothing_of_the_axes_of_a_model() {
    let (source, target) = (figure(1.0, None, 1.5), figure(1.0, None, 0.0));
    let pairs = [(4, 4), (5, 5), (6, 6)];
    let retarget = Retarget::new(&source, &target, &pairs, &RetargetOptions::default()).unwrap();
    assert_eq!(retarget.turn(), Quat::IDENTITY);
    let mut to = Pose::rest(&target);
    retarget.apply(&Pose::rest(&source), &mut to).unwrap();
    assert!(directions(&target, &to)[4].abs_diff_eq(directions(&source, &Pose::rest(&source))[4], 1e-5));
}
