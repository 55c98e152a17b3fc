//! Model matrices and palettes of sixteen characters at a time: lane = character.
//!
//! Joints come in depth-first order, so of all matrices only those on the way down from the root are needed again: the
//! kernels keep one for each depth, which stay in the first-level cache, and nothing else in lanes. What leaves is
//! transposed to a [`Mat34`] for each joint of each character. On the way in, sixteen poses are transposed to whole
//! lines of lanes.
//!
//! With fused multiply-add, levels differ by rounding: by less than 1e-6 of a matrix's largest sum of products for each
//! joint on the way from the root.

mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::skin::Slot;
use crate::transform_lanes::{CROWD_LANES as LANES, JointLanes, POSE_LANES, PoseBlock};
use crate::{Mat34, Skin};
use fearless_simd::dispatch;
use hedgerow_math::internal::level::{level, level_up_to_avx2};

/// The model matrices of one joint of sixteen characters: a vector for each of the twelve numbers, row by row.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Level(pub(super) [[f32; LANES]; 12]);

impl Level {
    /// What is written over before it is read.
    pub(crate) const ZERO: Self = Self([[0.0; LANES]; 12]);
}

/// What is written of the joints of a character.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Output<'o> {
    /// The model matrix of each joint, in order.
    Models,
    /// The palette of a skin: for each slot, the model matrix of its joint times its inverse bind matrix, stored at the
    /// slot's index in the palette. Slots are sorted by joint.
    Palette { slots: &'o [Slot], binds: &'o [Mat34] },
}

impl<'o> Output<'o> {
    pub(crate) fn of(skin: &'o Skin) -> Self {
        Self::Palette { slots: skin.slots(), binds: skin.inverse_binds() }
    }

    /// How many matrices a character of so many joints has.
    pub(crate) const fn matrices(self, joints: usize) -> usize {
        match self {
            Self::Models => joints,
            Self::Palette { binds, .. } => binds.len(),
        }
    }
}

/// Some joints in a row, and what is written of them.
#[derive(Clone, Copy, Debug)]
struct Part<'p> {
    lanes: &'p [JointLanes],
    depths: &'p [u16],
    /// The first joint's number.
    first: usize,
    /// Of a palette, the slots of these joints.
    output: Output<'p>,
    /// How far lanes are apart in what is written: the number of matrices of a character.
    stride: usize,
}

impl<'p> Part<'p> {
    /// Takes the slots of a joint from the start of a list.
    #[inline(always)]
    fn slots_of(joint: usize, slots: &mut &'p [Slot]) -> &'p [Slot] {
        let count = slots.iter().take_while(|slot| usize::from(slot.joint) == joint).count();
        let (own, others) = slots.split_at(count);
        *slots = others;
        own
    }
}

/// For each joint, in order: `level[depth] = level[depth - 1] * local`, and what the output asks for of `level[depth]`
/// goes to `out[lane * matrices + place]`, for as many lanes as there is room for in `out`.
///
/// # Panics
/// If `depths` are not as many as joints; if they begin with another than 0, or do not fit in `levels`; if `out` is no
/// whole number of characters, or more than sixteen.
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

/// The same from poses, that of lane `l` at `poses[l]`, of which eight joints at a time are transposed to lanes that
/// stay in the first-level cache.
///
/// # Panics
/// As [`models`], or if a pose has fewer blocks than joints need.
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
/// If a pose has fewer blocks than joints need.
pub(crate) fn put_poses(poses: &[&[PoseBlock]; LANES], joints: &mut [JointLanes]) {
    put_poses_at(level_up_to_avx2(), poses, joints);
}

#[inline(always)]
fn put_poses_at(level: fearless_simd::Level, poses: &[&[PoseBlock]; LANES], joints: &mut [JointLanes]) {
    let blocks = joints.len().div_ceil(POSE_LANES);
    let poses = poses.map(|pose| &pose[..blocks]);
    dispatch!(level, simd => portable::put_poses(simd, &poses, joints));
}

/// All lanes of all joints, as [`put_poses`] was given them. Lanes of joints beyond the last hold the identity.
///
/// # Panics
/// As [`put_poses`].
pub(crate) fn take_poses(joints: &[JointLanes], poses: &mut [&mut [PoseBlock]; LANES]) {
    take_poses_at(level_up_to_avx2(), joints, poses);
}

#[inline(always)]
fn take_poses_at(level: fearless_simd::Level, joints: &[JointLanes], poses: &mut [&mut [PoseBlock]; LANES]) {
    let blocks = joints.len().div_ceil(POSE_LANES);
    poses.iter_mut().for_each(|pose| assert!(pose.len() >= blocks, "a pose of as many joints"));
    dispatch!(level, simd => portable::take_poses(simd, joints, poses));
}

/// Replaces one lane of all joints by a pose. Ten cache lines a joint are written to, whatever the machine: sixteen
/// poses at once cost hardly more than one.
///
/// # Panics
/// If the pose has fewer blocks than joints need, or there is no such lane.
pub(crate) fn put_pose(pose: &[PoseBlock], lane: usize, joints: &mut [JointLanes]) {
    assert!(lane < LANES && pose.len() >= joints.len().div_ceil(POSE_LANES));
    for (block, joints) in pose.iter().zip(joints.chunks_mut(POSE_LANES)) {
        joints.iter_mut().enumerate().for_each(|(from, joint)| joint.set(lane, &block.get(from)));
    }
}

/// The pose in one lane of all joints, as [`put_pose`] was given it.
///
/// # Panics
/// As [`put_pose`].
pub(crate) fn take_pose(joints: &[JointLanes], lane: usize, pose: &mut [PoseBlock]) {
    assert!(lane < LANES && pose.len() >= joints.len().div_ceil(POSE_LANES));
    for (block, joints) in pose.iter_mut().zip(joints.chunks(POSE_LANES)) {
        joints.iter().enumerate().for_each(|(to, joint)| block.set(to, &joint.get(lane)));
    }
}
