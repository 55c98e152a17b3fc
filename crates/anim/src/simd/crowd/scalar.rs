//! The kernel for any machine.

use super::{LANES, Level, POSE_LANES};
use crate::Mat34;
use crate::transform_lanes::{JointLanes, PoseBlock};

/// See [`models`](super::models).
pub(super) fn models(
    joints: &[JointLanes],
    depths: &[u16],
    binds: Option<&[Mat34]>,
    levels: &mut [Level],
    out: &mut [Mat34],
    stride: usize,
) {
    for (joint, (lanes, &depth)) in joints.iter().zip(depths).enumerate() {
        for (lane, place) in (joint..out.len()).step_by(stride).enumerate() {
            let mut model = lanes.get(lane).to_matrix();
            if depth > 0 {
                model = read(&levels[usize::from(depth) - 1], lane) * model;
            }
            write(&mut levels[usize::from(depth)], lane, &model);
            out[place] = binds.map_or(model, |binds| model * binds[joint]);
        }
    }
}

/// See [`put_poses`](super::put_poses).
pub(super) fn put_poses(poses: &[&[PoseBlock]; LANES], joints: &mut [JointLanes]) {
    for (number, joint) in joints.iter_mut().enumerate() {
        for (lane, pose) in poses.iter().enumerate() {
            joint.set(lane, &pose[number / POSE_LANES].get(number % POSE_LANES));
        }
    }
}

/// See [`take_poses`](super::take_poses).
pub(super) fn take_poses(joints: &[JointLanes], poses: &mut [&mut [PoseBlock]; LANES]) {
    for (lane, pose) in poses.iter_mut().enumerate() {
        for number in 0..joints.len().next_multiple_of(POSE_LANES) {
            let joint = joints.get(number).unwrap_or(&JointLanes::IDENTITY);
            pose[number / POSE_LANES].set(number % POSE_LANES, &joint.get(lane));
        }
    }
}

fn read(level: &Level, lane: usize) -> Mat34 {
    Mat34 { rows: core::array::from_fn(|row| core::array::from_fn(|column| level.0[4 * row + column][lane])) }
}

fn write(level: &mut Level, lane: usize, matrix: &Mat34) {
    level.0.iter_mut().zip(matrix.rows.as_flattened()).for_each(|(vector, &number)| vector[lane] = number);
}
