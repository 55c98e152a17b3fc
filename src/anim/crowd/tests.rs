//! Crowds against single poses, through any adding and removing.

use crate::{Crowd, Error, InstanceHandle, Mat34, Pose, Skeleton, SkeletonBuilder, SkeletonError, Transform};
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

/// A pose that no other seed has.
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

/// Every instance has the pose that it was given, and the matrices of that.
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
    let mut listed: Vec<_> = crowd.instances().collect();
    listed.sort_unstable();
    let mut handles: Vec<_> = expected.iter().map(|(handle, _)| *handle).collect();
    handles.sort_unstable();
    assert_eq!(listed, handles);
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
        edits in prop::collection::vec((0..5_u8, any::<prop::sample::Index>(), any::<u16>()), 0..90),
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
    assert_eq!(crowd.insert(&Pose::new(4)), Err(count.clone()));
    assert_eq!(crowd.set_pose(instance, &Pose::new(4)), Err(count));
    assert_eq!(crowd.set(instance, 3, Transform::IDENTITY), Err(unknown.clone()));
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
