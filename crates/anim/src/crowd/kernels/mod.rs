//! Model matrices and palettes of sixteen characters at a time, with one lane per character.
//!
//! Joints are in depth-first order, so each joint needs only the matrices on the path from the root to its parent. The
//! kernels keep one matrix per depth, in lanes in the first-level cache. Results are transposed to a [`Mat34`] for each
//! joint of each character. The input is either lanes or sixteen poses, which are transposed to lanes.
//!
//! Levels with and without fused multiply-add round differently. With each joint on the path from the root, the
//! difference grows by less than 1e-6 of a matrix's largest sum of products.

mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::skin::Slot;
use crate::transform_lanes::{CROWD_LANES as LANES, JointLanes, POSE_LANES, PoseBlock};
use crate::{Mat34, Skin};
use hedgerow_math::internal::level::{dispatch, dispatch_up_to_avx2, level};

/// One joint's model matrices for sixteen characters: a vector for each of the twelve numbers, in row order.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Level(pub(super) [[f32; LANES]; 12]);

impl Level {
    /// The initial value, which is overwritten before it is read. Not zero: the compiler would have the general `memset`
    /// clear the matrices, with four times the instructions.
    pub(crate) const SCRATCH: Self = Self([[1.0; LANES]; 12]);
}

/// The matrices that are written for each character.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Output<'o> {
    /// The model matrix of each joint, in order.
    Models,
    /// The palette of a skin: for each slot, the joint's model matrix times the inverse bind matrix. Slots are sorted
    /// by joint, and each slot stores its index in the palette.
    Palette { slots: &'o [Slot], binds: &'o [Mat34] },
}

impl<'o> Output<'o> {
    pub(crate) fn of(skin: &'o Skin) -> Self {
        Self::Palette { slots: skin.slots(), binds: skin.inverse_binds() }
    }

    pub(crate) const fn matrices(self, joints: usize) -> usize {
        match self {
            Self::Models => joints,
            Self::Palette { binds, .. } => binds.len(),
        }
    }
}

/// A range of joints, and their output.
#[derive(Clone, Copy, Debug)]
struct Part<'p> {
    lanes: &'p [JointLanes],
    depths: &'p [u16],
    /// The first joint's number.
    first: usize,
    /// The output; if it is a palette, it has only the slots of these joints.
    output: Output<'p>,
    /// The distance between adjacent lanes in the output: the number of matrices per character.
    stride: usize,
}

impl<'p> Part<'p> {
    /// Removes the slots of a joint from the start of a list and returns them.
    #[inline(always)]
    fn slots_of(joint: usize, slots: &mut &'p [Slot]) -> &'p [Slot] {
        let count = slots.iter().take_while(|slot| usize::from(slot.joint) == joint).count();
        let (own, others) = slots.split_at(count);
        *slots = others;
        own
    }
}

/// Computes `level[depth] = level[depth - 1] * local` for each joint in order. Writes the output of `level[depth]` to
/// `out[lane * matrices + place]`, for as many characters as `out` has room for.
///
/// # Panics
/// Panics if `depths` has the wrong length, does not begin with 0 or exceeds `levels`. Panics unless `out` holds a
/// whole number of characters, at most sixteen.
pub(crate) fn models(
    lanes: &[JointLanes],
    depths: &[u16],
    output: Output<'_>,
    levels: &mut [Level],
    out: &mut [Mat34],
) {
    let part = Part { lanes, depths, first: 0, output, stride: output.matrices(lanes.len()) };
    part_at(level(), &part, levels, out);
}

/// Like [`models`], but lane `l` is the pose `poses[l]`. Transposes eight joints at a time to lanes, which stay in the
/// first-level cache.
///
/// # Panics
/// Panics like [`models`], and if a pose has too few blocks.
pub(crate) fn models_of_poses(
    poses: &[&[PoseBlock]; LANES],
    depths: &[u16],
    output: Output<'_>,
    levels: &mut [Level],
    out: &mut [Mat34],
) {
    let stride = output.matrices(depths.len());
    let level = level();
    let mut lanes = [JointLanes::IDENTITY; POSE_LANES];
    let mut left = output;
    for (block, depths) in depths.chunks(POSE_LANES).enumerate() {
        let first = block * POSE_LANES;
        let lanes = &mut lanes[..depths.len()];
        put_poses(&poses.map(|pose| &pose[block..]), lanes);
        let mut output = left;
        if let (Output::Palette { slots, .. }, Output::Palette { slots: left, .. }) = (&mut output, &mut left) {
            let end = first + depths.len();
            (*slots, *left) = left.split_at(left.partition_point(|slot| usize::from(slot.joint) < end));
        }
        part_at(level, &Part { lanes, depths, first, output, stride }, levels, out);
    }
}

#[inline(always)]
fn part_at(level: fearless_simd::Level, part: &Part<'_>, levels: &mut [Level], out: &mut [Mat34]) {
    let stride = part.stride;
    assert!(part.depths.len() == part.lanes.len() && out.len() <= LANES * stride);
    if out.is_empty() {
        return;
    }
    assert!(out.len().is_multiple_of(stride));
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(avx512) = level.as_avx512() {
            return x86::avx512::models(avx512, part, levels, out);
        }
        if let Some(avx2) = level.as_avx2() {
            return x86::avx2::models(avx2, part, levels, out);
        }
    }
    dispatch!(level, simd => portable::models(simd, part, levels, out));
}

/// Replaces all lanes of all joints: lane `l` becomes the pose at `poses[l]`.
///
/// # Panics
/// Panics if a pose has too few blocks for the joints.
pub(crate) fn put_poses(poses: &[&[PoseBlock]; LANES], joints: &mut [JointLanes]) {
    put_poses_at(level(), poses, joints);
}

#[inline(always)]
fn put_poses_at(level: fearless_simd::Level, poses: &[&[PoseBlock]; LANES], joints: &mut [JointLanes]) {
    let blocks = joints.len().div_ceil(POSE_LANES);
    let poses = poses.map(|pose| &pose[..blocks]);
    dispatch_up_to_avx2!(level, simd => portable::put_poses(simd, &poses, joints));
}

/// Writes all lanes of all joints to `poses`: the inverse of [`put_poses`]. Lanes past the last joint get the identity.
///
/// # Panics
/// Panics like [`put_poses`].
pub(crate) fn take_poses(joints: &[JointLanes], poses: &mut [&mut [PoseBlock]; LANES]) {
    take_poses_at(level(), joints, poses);
}

#[inline(always)]
fn take_poses_at(level: fearless_simd::Level, joints: &[JointLanes], poses: &mut [&mut [PoseBlock]; LANES]) {
    let blocks = joints.len().div_ceil(POSE_LANES);
    poses.iter_mut().for_each(|pose| assert!(pose.len() >= blocks, "a pose of as many joints"));
    dispatch_up_to_avx2!(level, simd => portable::take_poses(simd, joints, poses));
}

/// Replaces one lane of all joints by a pose. Writes ten cache lines per joint, so [`put_poses`] costs hardly more.
///
/// # Panics
/// Panics if the pose has too few blocks, or if there is no such lane.
pub(crate) fn put_pose(pose: &[PoseBlock], lane: usize, joints: &mut [JointLanes]) {
    assert!(lane < LANES && pose.len() >= joints.len().div_ceil(POSE_LANES));
    for (block, joints) in pose.iter().zip(joints.chunks_mut(POSE_LANES)) {
        joints.iter_mut().enumerate().for_each(|(from, joint)| joint.set(lane, &block.get(from)));
    }
}

/// Writes one lane of all joints to a pose: the inverse of [`put_pose`].
///
/// # Panics
/// Panics like [`put_pose`].
pub(crate) fn take_pose(joints: &[JointLanes], lane: usize, pose: &mut [PoseBlock]) {
    assert!(lane < LANES && pose.len() >= joints.len().div_ceil(POSE_LANES));
    for (block, joints) in pose.iter_mut().zip(joints.chunks(POSE_LANES)) {
        joints.iter().enumerate().for_each(|(to, joint)| block.set(to, &joint.get(lane)));
    }
}
