//! A weight for each joint.

use crate::blend::kernels::Weights;
use crate::transform_lanes::POSE_LANES as LANES;
use crate::{Error, Skeleton, skeleton::SkeletonError};

/// A weight from 0 to 1 for each joint, by which the weight of a blend is multiplied. Takes 4 bytes per joint.
///
/// ```
/// use hedgerow_anim::{SkeletonBuilder, Transform, blend::JointMask};
///
/// let mut builder = SkeletonBuilder::new();
/// builder.joint("hips", None, Transform::IDENTITY);
/// builder.joint("chest", Some(0), Transform::IDENTITY);
/// builder.joint("leg", Some(0), Transform::IDENTITY);
/// let (skeleton, _) = builder.build()?;
/// let mut upper_body = JointMask::new(skeleton.len(), 0.0)?;
/// upper_body.set_subtree(&skeleton, 1, 1.0)?;
/// upper_body.set(0, 0.5)?;
/// assert_eq!([0, 1, 2].map(|joint| upper_body.get(joint)), [0.5, 1.0, 0.0]);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointMask {
    weights: Vec<Weights>,
    joints: usize,
}

impl JointMask {
    /// Creates a mask with the same weight for each of `joints` joints.
    ///
    /// # Errors
    /// [`SkeletonError::BadWeight`] unless the weight is from 0 to 1.
    pub fn new(joints: usize, weight: f32) -> Result<Self, Error> {
        let weight = checked(weight, 1.0)?;
        Ok(Self { weights: vec![[weight; LANES]; joints.div_ceil(LANES)], joints })
    }

    /// Returns the number of joints.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.joints
    }

    /// Returns whether the mask has no joints.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.joints == 0
    }

    /// Returns the weight of a joint.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    #[must_use]
    pub fn get(&self, joint: u16) -> f32 {
        assert!(usize::from(joint) < self.joints, "joint {joint} of a mask of {} joints", self.joints);
        self.weights[usize::from(joint) / LANES][usize::from(joint) % LANES]
    }

    /// Sets the weight of a joint.
    ///
    /// # Errors
    /// [`SkeletonError::BadWeight`] unless the weight is from 0 to 1; [`SkeletonError::UnknownJoint`].
    pub fn set(&mut self, joint: u16, weight: f32) -> Result<(), Error> {
        let weight = checked(weight, 1.0)?;
        if usize::from(joint) >= self.joints {
            return Err(SkeletonError::UnknownJoint { joint, joints: self.joints }.into());
        }
        self.weights[usize::from(joint) / LANES][usize::from(joint) % LANES] = weight;
        Ok(())
    }

    /// Sets the weights of a joint and of all its descendants.
    ///
    /// # Errors
    /// The errors of [`JointMask::set`]; [`SkeletonError::JointCount`] if mask and skeleton have different numbers of
    /// joints.
    pub fn set_subtree(&mut self, skeleton: &Skeleton, joint: u16, weight: f32) -> Result<(), Error> {
        skeleton.expect_count(self.joints)?;
        skeleton.expect_joint(joint)?;
        skeleton.subtree(joint).try_for_each(|joint| self.set(joint, weight))
    }

    pub(super) fn weights(&self) -> &[Weights] {
        &self.weights
    }
}

/// Returns the weight, or an error if the weight is not between 0 and `most`.
pub(super) fn checked(weight: f32, most: f32) -> Result<f32, SkeletonError> {
    if (0.0..=most).contains(&weight) { Ok(weight) } else { Err(SkeletonError::BadWeight) }
}
