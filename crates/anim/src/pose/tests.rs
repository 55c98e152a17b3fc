//! Tests setting and getting transforms of poses, lanes beyond the last joint, and model matrices.

use crate::blend::{JointMask, PoseSum};
use crate::{Error, Mat34, Pose, Skeleton, SkeletonBuilder, Transform, skeleton::SkeletonError};
use glam::{EulerRot, Quat};

#[test]
fn what_is_set_is_read_and_other_joints_keep_theirs() {
    let mut pose = Pose::new(19);
    for joint in 0..19_u16 {
        pose.set(joint, Transform::from_xyz(f32::from(joint), 2.0, 3.0).with_scale([4.0, 5.0, 6.0].into()));
    }
    for joint in 0..19 {
        assert_eq!(pose.get(joint), Transform::from_xyz(f32::from(joint), 2.0, 3.0).with_scale([4.0, 5.0, 6.0].into()));
    }
    assert_eq!(pose.blocks()[2].get(3), Transform::IDENTITY, "a lane beyond the last joint");
}

#[test]
#[should_panic(expected = "joint 9 of a pose of 9 joints")]
fn a_lane_beyond_the_last_joint_is_no_joint() {
    let _ = Pose::new(9).get(9);
}

#[test]
fn lanes_beyond_the_last_joint_keep_the_identity() {
    let mut a = Pose::new(5);
    (0..5).for_each(|joint| a.set(joint, Transform::from_xyz(1.0, 2.0, 3.0)));
    let mut out = Pose::new(5);
    let mut sum = PoseSum::new(5);
    for weight in [0.3, 0.7, 1.1] {
        sum.add(&a, weight, Some(&JointMask::new(5, 0.9).unwrap())).unwrap();
    }
    sum.finish(&a, &mut out).unwrap();
    out.crossfade(&a, 0.3, None).unwrap();
    let mut difference = Pose::new(5);
    out.difference(&a, &mut difference).unwrap();
    out.add(&difference, 0.6, None).unwrap();
    for pose in [&out, &difference] {
        (5..8).for_each(|lane| assert_eq!(pose.blocks()[0].get(lane), Transform::IDENTITY));
    }
}

fn tree(joints: u16) -> (Skeleton, Pose) {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..joints {
        builder.joint("", joint.checked_sub(1).map(|before| before - before % 4), Transform::IDENTITY);
    }
    let (skeleton, _) = builder.build().unwrap();
    let mut pose = Pose::rest(&skeleton);
    for joint in 0..joints {
        let x = f32::from(joint);
        let turn = Quat::from_euler(EulerRot::XYZ, x, 1.0, -x);
        pose.set(
            joint,
            Transform::from_xyz(x.sin(), x.cos(), 1.0).with_rotation(turn).with_scale([1.1, 0.9, 1.0].into()),
        );
    }
    (skeleton, pose)
}

#[test]
fn a_moved_limb_is_all_that_is_left_to_do() {
    let root = Transform::from_xyz(5.0, 6.0, 7.0).to_matrix();
    for joints in [1, 5, 8, 23] {
        let (skeleton, pose) = tree(joints);
        for moved in 0..joints {
            let (mut pose, mut models, mut expected) = (pose.clone(), Vec::new(), Vec::new());
            pose.to_models_at(&skeleton, &root, &mut models).unwrap();
            pose.set(moved, Transform::from_xyz(1.0, 2.0, 3.0));
            pose.update_models(&skeleton, &root, moved, &mut models).unwrap();
            pose.to_models_at(&skeleton, &root, &mut expected).unwrap();
            assert_eq!(models, expected, "joint {moved} of {joints}");
        }
    }
}

#[test]
fn what_does_not_fit_the_skeleton_is_refused() {
    let (skeleton, pose) = tree(9);
    let refused = |result: Result<(), Error>| match result {
        Err(Error::Skeleton(error)) => error,
        other => panic!("{other:?}"),
    };
    let root = Mat34::IDENTITY;
    let count = |found| SkeletonError::JointCount { expected: 9, found };
    assert_eq!(refused(Pose::new(8).to_models(&skeleton, &mut Vec::new())), count(8));
    assert_eq!(refused(pose.update_models(&skeleton, &root, 0, &mut [root; 10])), count(10));
    let unknown = SkeletonError::UnknownJoint { joint: 9, joints: 9 };
    assert_eq!(refused(pose.update_models(&skeleton, &root, 9, &mut [root; 9])), unknown);
}
