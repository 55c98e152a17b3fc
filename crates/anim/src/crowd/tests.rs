//! Compares crowds with single poses, through any adding and removing.

use crate::{
    Crowd, Error, Mat34, Pose, Skeleton, SkeletonBuilder, Transform, crowd::InstanceHandle, skeleton::SkeletonError,
};
use glam::{Quat, Vec3};
use proptest::prelude::*;

fn skeleton(joints: usize) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..joints {
        let parent = joint.checked_sub(1).map(|before| before - before % 3);
        let bind = Transform::from_xyz(0.1, -0.2, 0.3).with_scale(Vec3::splat(1.5)).to_matrix();
        builder.joint("", parent, Transform::IDENTITY, bind);
    }
    builder.build().expect("a tree").0
}

/// A pose that differs for each seed.
fn pose(joints: usize, seed: u16) -> Pose {
    let mut pose = Pose::new(joints);
    for joint in 0..u16::try_from(joints).unwrap() {
        let x = f32::from(seed) * 0.37 + f32::from(joint);
        let turn = Quat::from_euler(glam::EulerRot::XYZ, x.sin(), x.cos(), 0.3 * x);
        let scale = Vec3::new(1.0 + 0.1 * x.sin(), 1.0 + 0.1 * x.cos(), 0.9);
        pose.set(joint, Transform::from_xyz(x.cos(), 0.5, x.sin()).with_rotation(turn).with_scale(scale));
    }
    pose
}

fn near(a: &[Mat34], b: &[Mat34]) -> bool {
    let flat = |m: &Mat34| m.rows.as_flattened().to_vec();
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| flat(a).iter().zip(flat(b)).all(|(a, b)| (a - b).abs() < 1e-4))
}

/// Every instance has the pose that it was given, and the matrices of that pose.
fn check(crowd: &Crowd, expected: &[(InstanceHandle, Pose)]) {
    let skeleton = crowd.skeleton();
    assert_eq!(crowd.len(), expected.len());
    let (mut models, mut palettes) = (Vec::new(), Vec::new());
    crowd.models(&mut models);
    crowd.palettes(&mut palettes);
    assert_eq!(models.len(), expected.len() * skeleton.len());
    let (mut own, mut own_palette) = (Vec::new(), Vec::new());
    for (instance, pose) in expected {
        assert_eq!(&crowd.pose(*instance).unwrap(), pose);
        pose.to_models(skeleton, &mut own).unwrap();
        skeleton.palette(&own, &mut own_palette).unwrap();
        let range = crowd.range(*instance).unwrap();
        assert!(near(&models[range.clone()], &own), "models of {instance:?}");
        assert!(near(&palettes[range], &own_palette), "palette of {instance:?}");
        let last = u16::try_from(skeleton.len() - 1).unwrap();
        assert!(near(&[crowd.model(*instance, last).unwrap()], &own[own.len() - 1..]));
    }
    let mut room = Vec::new();
    let mut at = 0;
    crowd.each_models(&mut room, |instance, shown| {
        assert_eq!(crowd.range(instance), Some(at..at + shown.len()));
        assert_eq!(shown, &models[at..at + shown.len()]);
        at += shown.len();
    });
    assert_eq!(at, models.len());
    crowd.each_palette(&mut room, |instance, shown| assert_eq!(shown, &palettes[crowd.range(instance).unwrap()]));
    check_poses(crowd, &models, &palettes);
    let mut listed: Vec<_> = crowd.instances().collect();
    listed.sort_unstable();
    let mut handles: Vec<_> = expected.iter().map(|(handle, _)| *handle).collect();
    handles.sort_unstable();
    assert_eq!(listed, handles);
}

/// Poses outside a crowd, one after the other, have the same matrices as inside.
fn check_poses(crowd: &Crowd, models: &[Mat34], palettes: &[Mat34]) {
    let poses: Vec<Pose> = crowd.instances().map(|instance| crowd.pose(instance).unwrap()).collect();
    let (mut room, mut found) = (Vec::new(), Vec::new());
    let visit = |found: &mut Vec<Mat34>, index, shown: &[Mat34]| {
        assert_eq!(found.len(), index * shown.len());
        found.extend_from_slice(shown);
    };
    let (skeleton, numbered) = (crowd.skeleton(), || poses.iter().enumerate());
    skeleton.each_models(numbered(), |of| of.1, &mut room, |of, shown| visit(&mut found, of.0, shown)).unwrap();
    assert_eq!(found, models);
    found.clear();
    skeleton.each_palette(numbered(), |of| of.1, &mut room, |of, shown| visit(&mut found, of.0, shown)).unwrap();
    assert_eq!(found, palettes);
}

#[test]
fn any_number_of_instances_has_the_matrices_of_single_poses() {
    let skeleton = skeleton(11);
    let mut crowd = Crowd::new(&skeleton);
    let mut expected = Vec::new();
    for seed in 0..50 {
        check(&crowd, &expected);
        let pose = pose(11, seed);
        expected.push((crowd.insert(&pose).unwrap(), pose));
    }
    while !expected.is_empty() {
        let (instance, _) = expected.swap_remove(expected.len() / 2);
        crowd.remove(instance).unwrap();
        check(&crowd, &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn instances_keep_their_poses_through_any_edits(
        joints in 1..20_usize,
        edits in prop::collection::vec((0..7_u8, any::<prop::sample::Index>(), any::<u16>()), 0..90),
    ) {
        let skeleton = skeleton(joints);
        let mut crowd = Crowd::new(&skeleton);
        let (mut expected, mut gone): (Vec<(InstanceHandle, Pose)>, Vec<InstanceHandle>) = Default::default();
        for (edit, which, seed) in edits {
            let new = pose(joints, seed);
            match edit {
                0 if !expected.is_empty() => {
                    let (instance, _) = expected.swap_remove(which.index(expected.len()));
                    crowd.remove(instance).unwrap();
                    gone.push(instance);
                }
                1 if !expected.is_empty() => {
                    let at = which.index(expected.len());
                    crowd.set_pose(expected[at].0, &new).unwrap();
                    expected[at].1 = new;
                }
                2 if !expected.is_empty() => {
                    let at = which.index(expected.len());
                    let joint = seed % u16::try_from(joints).unwrap();
                    crowd.set(expected[at].0, joint, new.get(joint)).unwrap();
                    prop_assert_eq!(crowd.get(expected[at].0, joint).unwrap(), new.get(joint));
                    expected[at].1.set(joint, new.get(joint));
                }
                3 => {
                    // Every second one is unchanged.
                    let mut of = Vec::new();
                    crowd.change_poses(|instance, shown| {
                        let at = expected.iter().position(|(handle, _)| *handle == instance).unwrap();
                        assert_eq!(shown, &expected[at].1);
                        if at % 2 == 0 {
                            shown.clone_from(&new);
                            expected[at].1.clone_from(&new);
                        }
                        of.push(instance);
                    });
                    prop_assert!(of.into_iter().eq(crowd.instances()));
                }
                _ => expected.push((crowd.insert(&new).unwrap(), new)),
            }
        }
        check(&crowd, &expected);
        for instance in gone {
            prop_assert!(!crowd.contains(instance) && crowd.range(instance).is_none());
            prop_assert_eq!(crowd.remove(instance), Err(Error::Skeleton(SkeletonError::StaleInstance(instance))));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let skeleton = skeleton(3);
    let mut crowd = Crowd::new(&skeleton);
    let instance = crowd.insert(&pose(3, 1)).unwrap();
    let count = Error::Skeleton(SkeletonError::JointCount { expected: 3, found: 4 });
    let unknown = Error::Skeleton(SkeletonError::UnknownJoint { joint: 3, joints: 3 });
    assert_eq!(crowd.insert(&Pose::new(4)), Err(count));
    assert_eq!(crowd.set_pose(instance, &Pose::new(4)), Err(count));
    assert_eq!(crowd.set(instance, 3, Transform::IDENTITY), Err(unknown));
    assert_eq!(crowd.model(instance, 3), Err(unknown));
    check(&crowd, &[(instance, pose(3, 1))]);
}

#[test]
fn a_chain_deeper_than_usual_is_posed_too() {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..300_usize {
        builder.joint("", joint.checked_sub(1), Transform::IDENTITY, Mat34::IDENTITY);
    }
    let (skeleton, _) = builder.build().unwrap();
    let mut crowd = Crowd::new(&skeleton);
    let mut pose = Pose::new(300);
    (0..300).for_each(|joint| pose.set(joint, Transform::from_xyz(1.0, 0.0, 0.0)));
    let instance = crowd.insert(&pose).unwrap();
    let mut models = Vec::new();
    crowd.models(&mut models);
    assert_eq!(models[299].translation().x, 300.0);
    assert_eq!(crowd.model(instance, 299).unwrap().translation().x, 300.0);
}

#[test]
fn a_pose_of_another_skeleton_is_refused_after_those_before_its_sixteen_were_shown() {
    let skeleton = skeleton(5);
    let poses: Vec<Pose> = (0..40).map(|seed| pose(if seed == 20 { 4 } else { 5 }, seed)).collect();
    let mut shown = 0;
    let count = Error::Skeleton(SkeletonError::JointCount { expected: 5, found: 4 });
    let room = &mut Vec::new();
    assert_eq!(skeleton.each_models(&poses, |pose| *pose, room, |_, _| shown += 1), Err(count));
    assert_eq!(shown, 16);
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_pose_put_in_the_place_of_one_of_another_length_panics_and_changes_nothing_of_its_sixteen() {
    let skeleton = skeleton(5);
    let mut crowd = Crowd::new(&skeleton);
    let mut expected: Vec<_> = (0..20).map(|seed| (crowd.insert(&pose(5, seed)).unwrap(), pose(5, seed))).collect();
    let wrong = |_: InstanceHandle, shown: &mut Pose| *shown = Pose::new(13);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| crowd.change_poses(wrong)));
    assert!(panicked.is_err());
    check(&crowd, &expected);
    crowd.change_poses(|_, shown| shown.clone_from(&expected[3].1));
    let same = expected[3].1.clone();
    expected.iter_mut().for_each(|(_, pose)| pose.clone_from(&same));
    check(&crowd, &expected);
}

#[test]
fn a_handle_is_stale_once_its_instance_is_gone_whoever_has_its_slot_then() {
    let skeleton = skeleton(3);
    let mut crowd = Crowd::new(&skeleton);
    let first = crowd.insert(&pose(3, 1)).unwrap();
    crowd.remove(first).unwrap();
    let second = crowd.insert(&pose(3, 2)).unwrap();
    assert_eq!(crowd.remove(first), Err(Error::Skeleton(SkeletonError::StaleInstance(first))));
    assert_eq!((crowd.range(first), crowd.range(second)), (None, Some(0..3)));
    check(&crowd, &[(second, pose(3, 2))]);
}
