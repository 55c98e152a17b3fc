//! Poses: what is set is read, and what models they make.

use crate::{Mat34, Pose, SkeletonBuilder, Transform};

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
fn a_model_matrix_is_the_parents_times_the_local_one() {
    let mut builder = SkeletonBuilder::new();
    let root = builder.joint("root", None, Transform::from_scale([2.0; 3].into()), Mat34::IDENTITY);
    builder.joint("tip", Some(root), Transform::from_xyz(1.0, 2.0, 3.0), Mat34::IDENTITY);
    let (skeleton, _) = builder.build().unwrap();
    let mut models = Vec::new();
    Pose::rest(&skeleton).to_models(&skeleton, &mut models).unwrap();
    assert_eq!(models[1].translation().to_array(), [2.0, 4.0, 6.0]);
}
