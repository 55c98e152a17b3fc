//! From local transforms to model matrices.

use crate::math::POSE_LANES as LANES;
use crate::{Error, Mat34, Pose, Skeleton, SkeletonError};

impl Pose {
    /// Computes each joint's model matrix, which maps from the joint's space to the model's: its parent's times its own
    /// local one. `models` is given the skeleton's length.
    ///
    /// Computes in **O(joints)**.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] where pose and skeleton have different numbers of joints.
    pub fn to_models(&self, skeleton: &Skeleton, models: &mut Vec<Mat34>) -> Result<(), Error> {
        if self.len() != skeleton.len() {
            return Err(SkeletonError::JointCount { expected: skeleton.len(), found: self.len() }.into());
        }
        models.resize(skeleton.len(), Mat34::IDENTITY);
        for (joint, &parent) in skeleton.parents().iter().enumerate() {
            let local = self.blocks()[joint / LANES].get(joint % LANES).to_matrix();
            models[joint] = if parent == Skeleton::NO_PARENT { local } else { models[usize::from(parent)] * local };
        }
        Ok(())
    }
}
