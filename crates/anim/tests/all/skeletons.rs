//! Tests the results and the errors of the skeleton builder.

use hedgerow_anim::glam::Quat;
use hedgerow_anim::{Error, Pose, Skeleton, SkeletonBuilder, Transform, skeleton::SkeletonError};

fn builder(parents: &[Option<u16>]) -> SkeletonBuilder {
    let mut builder = SkeletonBuilder::new();
    for (joint, &parent) in (0_u8..).zip(parents) {
        builder.joint(format!("j{joint}"), parent, Transform::from_xyz(f32::from(joint), 0.0, 0.0));
    }
    builder
}

fn refused(builder: &SkeletonBuilder) -> SkeletonError {
    match builder.build() {
        Err(Error::Skeleton(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn joints_in_any_order_become_depth_first_and_siblings_keep_theirs() {
    let (skeleton, map) = builder(&[Some(2), Some(0), None, Some(2), Some(0)]).build().unwrap();
    assert_eq!(skeleton.names().collect::<Vec<_>>(), ["j2", "j0", "j1", "j4", "j3"]);
    assert_eq!(skeleton.parents(), [Skeleton::NO_PARENT, 0, 1, 1, 0]);
    assert_eq!(map.as_slice(), [1, 2, 0, 4, 3]);
    assert_eq!([0, 1, 2, 3, 4].map(|joint| skeleton.subtree(joint)), [0..5, 1..4, 2..3, 3..4, 4..5]);
    assert_eq!((0..5).map(|joint| skeleton.rest(joint).translation.x).collect::<Vec<_>>(), [2.0, 0.0, 1.0, 4.0, 3.0]);
    assert_eq!(Pose::rest(&skeleton).get(3), skeleton.rest(3));
}

#[test]
fn the_first_of_joints_with_one_name_is_found() {
    let mut builder = SkeletonBuilder::new();
    for (name, parent) in [("a", None), ("", Some(0)), ("finger", Some(0)), ("finger", Some(0)), ("größe", Some(2))] {
        builder.joint(name, parent, Transform::IDENTITY);
    }
    let (skeleton, _) = builder.build().unwrap();
    assert_eq!(skeleton.names().collect::<Vec<_>>(), ["a", "", "finger", "größe", "finger"]);
    assert_eq!(["finger", "größe", "", "b"].map(|name| skeleton.find(name)), [Some(2), Some(3), Some(1), None]);
}

#[test]
fn joints_that_make_no_tree_are_refused_with_the_joint_at_fault() {
    assert_eq!(refused(&SkeletonBuilder::new()), SkeletonError::NoJoints);
    assert_eq!(refused(&builder(&[None, Some(0), None])), SkeletonError::SecondRoot { root: 0, joint: 2 });
    assert_eq!(refused(&builder(&[None, Some(7)])), SkeletonError::UnknownParent { joint: 1, parent: 7 });
    assert_eq!(refused(&builder(&[Some(0)])), SkeletonError::Cycle { joint: 0 });
    let SkeletonError::Cycle { joint } = refused(&builder(&[None, Some(2), Some(3), Some(4), Some(3)])) else {
        panic!()
    };
    assert!((3..5).contains(&joint), "joint {joint} is below the cycle, not on it");
}

#[test]
fn as_many_joints_as_numbers_name_are_taken_and_one_more_is_refused() {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..65_535_u16 {
        builder.joint("", joint.checked_sub(1), Transform::IDENTITY);
    }
    let (skeleton, _) = builder.build().unwrap();
    assert_eq!((skeleton.len(), skeleton.parents()[65_534], skeleton.subtree(0)), (65_535, 65_533, 0..65_535));
    assert_eq!(Skeleton::from_bytes(&skeleton.to_bytes()), Ok(skeleton));
    for _ in 0..2 {
        assert_eq!(builder.joint("", Some(0), Transform::IDENTITY), u16::MAX, "which is no number of a joint");
    }
    assert_eq!(refused(&builder), SkeletonError::TooManyJoints(65_537));
}

#[test]
fn numbers_that_are_not_finite_and_zero_rotations_are_refused() {
    let with = |rest: Transform| {
        let mut builder = builder(&[None]);
        builder.joint("bad", Some(0), rest);
        refused(&builder)
    };
    assert_eq!(with(Transform::from_xyz(0.0, f32::INFINITY, 0.0)), SkeletonError::NotFinite { joint: 1 });
    let zero = Transform::from_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(with(zero), SkeletonError::NotRotation { joint: 1 });
}

#[test]
fn rest_rotations_are_normalised() {
    let mut builder = SkeletonBuilder::new();
    builder.joint("", None, Transform::from_rotation(Quat::from_xyzw(0.0, 3.0, 0.0, 4.0)));
    let (skeleton, _) = builder.build().unwrap();
    assert_eq!(skeleton.rest(0).rotation, Quat::from_xyzw(0.0, 0.6, 0.0, 0.8));
}
