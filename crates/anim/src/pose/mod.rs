//! Local transforms of all joints, and their matrices.

pub(crate) mod kernels;
mod models;
#[cfg(test)]
mod tests;
mod uniform;

pub use uniform::UniformPose;

use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use crate::{Skeleton, Transform};

/// The local transforms of all joints of one character: clips are sampled into it, blends combine it, and model
/// matrices are computed from it.
///
/// A structure of arrays in blocks of eight joints, 40 bytes for each joint: see [`Pose::to_models`] for the reason.
///
/// ```
/// use hedgerow_anim::{Mat34, Pose, SkeletonBuilder, Transform};
///
/// let mut builder = SkeletonBuilder::new();
/// let hip = builder.joint("hip", None, Transform::from_xyz(0.0, 1.0, 0.0), Mat34::IDENTITY);
/// builder.joint("knee", Some(hip), Transform::from_xyz(0.0, -0.5, 0.0), Mat34::IDENTITY);
/// let (skeleton, _) = builder.build()?;
///
/// let mut pose = Pose::rest(&skeleton);
/// pose.set(0, Transform::from_xyz(3.0, 1.0, 0.0));
/// let mut models = Vec::new();
/// pose.to_models(&skeleton, &mut models)?;
/// assert_eq!(models[1].translation().to_array(), [3.0, 0.5, 0.0]);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    blocks: Vec<PoseBlock>,
    joints: u16,
}

impl Pose {
    /// A pose of this many joints, each with the identity.
    ///
    /// # Panics
    /// For more than 65,535 joints.
    #[must_use]
    pub fn new(joints: usize) -> Self {
        let joints = u16::try_from(joints).expect("a skeleton has at most 65,535 joints");
        Self { blocks: vec![PoseBlock::IDENTITY; usize::from(joints).div_ceil(LANES)], joints }
    }

    /// The skeleton's rest pose, as it was given to the builder.
    #[must_use]
    pub fn rest(skeleton: &Skeleton) -> Self {
        Self { blocks: skeleton.rest_blocks().to_vec(), joints: skeleton.joints() }
    }

    /// How many joints the pose has.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.joints)
    }

    /// Whether the pose has no joints.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints == 0
    }

    /// The local transform of a joint.
    ///
    /// # Panics
    /// If there is no such joint.
    #[inline]
    #[must_use]
    pub fn get(&self, joint: u16) -> Transform {
        self.assert_has(joint);
        self.blocks[usize::from(joint) / LANES].get(usize::from(joint) % LANES)
    }

    /// Replaces the local transform of a joint. The rotation should be a unit quaternion and all numbers finite; this
    /// is not checked, and wrong numbers give wrong matrices.
    ///
    /// # Panics
    /// If there is no such joint.
    #[inline]
    pub fn set(&mut self, joint: u16, transform: Transform) {
        self.assert_has(joint);
        self.blocks[usize::from(joint) / LANES].set(usize::from(joint) % LANES, &transform);
    }

    /// The numbers of all joints.
    pub(crate) const fn joints(&self) -> core::ops::Range<u16> {
        0..self.joints
    }

    /// Blocks of eight joints. Lanes past the last joint have the identity.
    #[inline]
    pub(crate) fn blocks(&self) -> &[PoseBlock] {
        &self.blocks
    }

    /// Blocks of eight joints, mutable. Writers must keep the identity in lanes past the last joint.
    #[inline]
    pub(crate) fn blocks_mut(&mut self) -> &mut [PoseBlock] {
        &mut self.blocks
    }

    #[inline]
    fn assert_has(&self, joint: u16) {
        assert!(joint < self.joints, "joint {joint} of a pose of {} joints", self.joints);
    }
}
