//! Model matrices from local transforms.

use crate::pose::kernels;
use crate::{Error, Mat34, Pose, Skeleton, skeleton::SkeletonError};

impl Pose {
    /// Computes each joint's model matrix, which maps from joint space to model space: the parent's model matrix times
    /// the joint's local matrix. Replaces the contents of `models`.
    ///
    /// Runs in **O(joints)**: eight local transforms at a time are converted to matrices, which are then multiplied in
    /// order. Source: S. Reinalter, *Adventures in data-oriented design*, part 2.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] if pose and skeleton have different numbers of joints.
    pub fn to_models(&self, skeleton: &Skeleton, models: &mut Vec<Mat34>) -> Result<(), Error> {
        self.to_models_at(skeleton, &Mat34::IDENTITY, models)
    }

    /// Like [`Pose::to_models`], but multiplies each result by `root` from the left. With the character's world matrix
    /// as `root`, the results map to world space.
    ///
    /// # Errors
    /// The errors of [`Pose::to_models`].
    pub fn to_models_at(&self, skeleton: &Skeleton, root: &Mat34, models: &mut Vec<Mat34>) -> Result<(), Error> {
        models.resize(skeleton.len(), Mat34::IDENTITY);
        self.update_models(skeleton, root, 0, models)
    }

    /// Recomputes the matrices of a joint and its descendants, for example after a change of one limb. All other
    /// matrices must be up to date.
    ///
    /// `root` is used only for joint 0. Pass the matrix that was passed to [`Pose::to_models_at`], otherwise the
    /// identity. Runs in **O(descendants)**.
    ///
    /// ```
    /// use hedgerow_anim::{Mat34, Pose, SkeletonBuilder, Transform};
    ///
    /// let mut builder = SkeletonBuilder::new();
    /// builder.joint("body", None, Transform::from_xyz(0.0, 1.0, 0.0));
    /// builder.joint("head", Some(0), Transform::from_xyz(0.0, 0.5, 0.0));
    /// let (skeleton, _) = builder.build()?;
    /// let (mut pose, mut models) = (Pose::rest(&skeleton), Vec::new());
    /// let world = Mat34::from(Transform::from_xyz(3.0, 0.0, 0.0));
    /// pose.to_models_at(&skeleton, &world, &mut models)?;
    /// pose.set(1, Transform::from_xyz(0.5, 0.5, 0.0));
    /// pose.update_models(&skeleton, &world, 1, &mut models)?;
    /// assert_eq!(models[1].translation().to_array(), [3.5, 1.5, 0.0]);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] if pose, skeleton and models have different numbers of joints;
    /// [`SkeletonError::UnknownJoint`] if the skeleton has no such joint.
    pub fn update_models(
        &self,
        skeleton: &Skeleton,
        root: &Mat34,
        joint: u16,
        models: &mut [Mat34],
    ) -> Result<(), Error> {
        skeleton.expect_count(self.len())?;
        skeleton.expect_count(models.len())?;
        let range = skeleton.subtree_range(joint)?;
        kernels::models(self.blocks(), skeleton.parents(), root, models, range);
        Ok(())
    }
}

impl Skeleton {
    /// Returns an error unless there are as many items as joints.
    pub(crate) fn expect_count(&self, found: usize) -> Result<(), Error> {
        let expected = self.len();
        if found == expected { Ok(()) } else { Err(SkeletonError::JointCount { expected, found }.into()) }
    }
}
