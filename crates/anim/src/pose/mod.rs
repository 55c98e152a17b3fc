//! Local transforms of all joints, and model matrices.

pub(crate) mod kernels;
mod models;
#[cfg(test)]
mod tests;

use crate::clip::ClipNumber;
use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use crate::{Skeleton, Transform};
use glam::Quat;

/// The local transforms of all joints of one character. Players sample clips into poses, blends combine poses, and
/// [`Pose::to_models`] computes model matrices.
///
/// Takes 40 bytes per joint, as a structure of arrays in blocks of eight joints, so that kernels process eight joints
/// at a time.
///
/// ```
/// use hedgerow_anim::{Pose, SkeletonBuilder, Transform};
///
/// let mut builder = SkeletonBuilder::new();
/// let hip = builder.joint("hip", None, Transform::from_xyz(0.0, 1.0, 0.0));
/// builder.joint("knee", Some(hip), Transform::from_xyz(0.0, -0.5, 0.0));
/// let (skeleton, _) = builder.build()?;
///
/// let mut pose = Pose::rest(&skeleton);
/// pose.set(0, Transform::from_xyz(3.0, 1.0, 0.0));
/// let mut models = Vec::new();
/// pose.to_models(&skeleton, &mut models)?;
/// assert_eq!(models[1].translation().to_array(), [3.0, 0.5, 0.0]);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
/// A pose made by [`Pose::rest`] refers to its skeleton. So when a clip is [sampled](crate::Player::sample), parts
/// without a track come from the rest pose. Two poses are equal if their transforms are equal.
#[derive(Clone, Debug, Default)]
pub struct Pose {
    blocks: Vec<PoseBlock>,
    joints: u16,
    /// The clip whose constant tracks were written over the rest pose, followed only by its animated tracks.
    shows: Option<ClipNumber>,
    /// The skeleton whose rest pose is used; without a skeleton, joints rest at the identity.
    skeleton: Option<Skeleton>,
}

impl Pose {
    /// Creates a pose of identity transforms, which are also its rest pose.
    ///
    /// # Panics
    /// Panics if there are more than 65,535 joints.
    #[must_use]
    pub fn new(joints: usize) -> Self {
        let joints = u16::try_from(joints).expect("a skeleton has at most 65,535 joints");
        let blocks = vec![PoseBlock::IDENTITY; usize::from(joints).div_ceil(LANES)];
        Self { blocks, joints, shows: None, skeleton: None }
    }

    /// Creates the rest pose of a skeleton.
    #[must_use]
    pub fn rest(skeleton: &Skeleton) -> Self {
        let blocks = skeleton.rest_blocks().to_vec();
        Self { blocks, joints: skeleton.joints(), shows: None, skeleton: Some(skeleton.clone()) }
    }

    /// Returns the number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.joints)
    }

    /// Returns whether the pose has no joints.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints == 0
    }

    /// Returns the local transform of a joint.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    #[inline]
    #[must_use]
    pub fn get(&self, joint: u16) -> Transform {
        self.assert_has(joint);
        self.blocks[usize::from(joint) / LANES].get(usize::from(joint) % LANES)
    }

    /// Replaces the local transform of a joint, without checks: the rotation should be a unit quaternion, and all
    /// numbers finite, or matrices are wrong.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    #[inline]
    pub fn set(&mut self, joint: u16, transform: Transform) {
        self.assert_has(joint);
        self.shows = None;
        self.blocks[usize::from(joint) / LANES].set(usize::from(joint) % LANES, &transform);
    }

    /// Replaces the local rotation of a joint.
    #[inline]
    pub(crate) fn set_rotation(&mut self, joint: u16, rotation: Quat) {
        self.assert_has(joint);
        self.shows = None;
        let lane = usize::from(joint) % LANES;
        let block = &mut self.blocks[usize::from(joint) / LANES];
        block.rotation.iter_mut().zip(rotation.to_array()).for_each(|(vector, number)| vector[lane] = number);
    }

    /// Returns the blocks of eight joints. Lanes past the last joint have the identity.
    #[inline]
    pub(crate) fn blocks(&self) -> &[PoseBlock] {
        &self.blocks
    }

    /// Returns the blocks for writing. Lanes past the last joint must keep the identity.
    #[inline]
    pub(crate) fn blocks_mut(&mut self) -> &mut [PoseBlock] {
        self.shows = None;
        &mut self.blocks
    }

    /// Returns the blocks, so that a clip can write its animated tracks. If the pose does not show the clip, first sets
    /// all joints to rest and calls `write_constants`.
    #[inline]
    pub(crate) fn show(
        &mut self,
        clip: ClipNumber,
        write_constants: impl FnOnce(&mut [PoseBlock]),
    ) -> &mut [PoseBlock] {
        if self.shows != Some(clip) {
            self.go_to_rest();
            write_constants(&mut self.blocks);
            self.shows = Some(clip);
        }
        &mut self.blocks
    }

    #[cold]
    fn go_to_rest(&mut self) {
        self.shows = None;
        match &self.skeleton {
            Some(skeleton) => self.blocks.copy_from_slice(skeleton.rest_blocks()),
            None => self.blocks.fill(PoseBlock::IDENTITY),
        }
    }

    pub(crate) fn rest_of(&self, joint: u16) -> Transform {
        self.skeleton.as_ref().map_or(Transform::IDENTITY, |skeleton| skeleton.rest(joint))
    }

    #[inline]
    fn assert_has(&self, joint: u16) {
        assert!(joint < self.joints, "joint {joint} of a pose of {} joints", self.joints);
    }
}

impl PartialEq for Pose {
    fn eq(&self, other: &Self) -> bool {
        self.joints == other.joints && self.blocks == other.blocks
    }
}
