//! A pose with its model matrices.

use super::math::{M, Q, V};
use crate::glam::Vec3;
use crate::{Error, Mat34, Pose, Skeleton};

/// A pose and its model matrices, for solvers, which change both.
///
/// Goals are in the space of the matrices. Solve from the root outwards: a solver reads the matrix of the parent of its
/// first joint, and local transforms. The matrices of a solved joint's descendants are computed anew.
///
/// ```
/// use hedgerow_anim::{Mat34, Pose, SkeletonBuilder, Transform, ik::Rig};
///
/// let mut builder = SkeletonBuilder::new();
/// builder.joint("hip", None, Transform::from_xyz(0.0, 1.0, 0.0));
/// let (skeleton, _) = builder.build()?;
/// let (mut pose, mut models) = (Pose::rest(&skeleton), Vec::new());
/// pose.to_models(&skeleton, &mut models)?;
/// let rig = Rig::new(&skeleton, &mut pose, &mut models)?;
/// assert_eq!(rig.position(0).y, 1.0);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Debug)]
pub struct Rig<'a> {
    skeleton: &'a Skeleton,
    pose: &'a mut Pose,
    models: &'a mut [Mat34],
    root: Mat34,
}

/// The local transform of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub(super) translation: V,
    pub(super) rotation: Q,
    pub(super) scale: V,
}

impl Local {
    pub(super) fn linear(&self) -> M {
        M::of_local(self.rotation, self.scale)
    }
}

impl<'a> Rig<'a> {
    /// Joins a pose and the matrices that [`Pose::to_models`] computed from it.
    ///
    /// After a solve the pose no longer [shows](crate::Player::sample) a clip, so the next sample into it also writes
    /// the rest pose and constant tracks.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`](crate::skeleton::SkeletonError::JointCount) if pose, skeleton and matrices have
    /// different numbers of joints.
    pub fn new(skeleton: &'a Skeleton, pose: &'a mut Pose, models: &'a mut [Mat34]) -> Result<Self, Error> {
        skeleton.expect_count(pose.len())?;
        skeleton.expect_count(models.len())?;
        Ok(Self { skeleton, pose, models, root: Mat34::IDENTITY })
    }

    /// Sets the matrix that was passed to [`Pose::to_models_at`]. Goals are then in the space that it maps to. Far from
    /// the origin, matrices of single precision make results less exact: better convert goals to model space.
    #[must_use]
    pub fn with_root(mut self, root: &Mat34) -> Self {
        self.root = *root;
        self
    }

    /// Returns the model matrices.
    #[must_use]
    pub fn models(&self) -> &[Mat34] {
        self.models
    }

    /// Returns the pose.
    #[must_use]
    pub fn pose(&self) -> &Pose {
        self.pose
    }

    /// Returns the place of a joint, from its model matrix.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    #[must_use]
    pub fn position(&self, joint: u16) -> Vec3 {
        self.models[usize::from(joint)].translation()
    }

    /// Computes the matrices of a joint and its descendants anew. Only needed after `solve_locals`.
    ///
    /// Runs in **O(descendants)**.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    pub fn update(&mut self, joint: u16) {
        let done = self.pose.update_models(self.skeleton, &self.root, joint, self.models);
        debug_assert!(done.is_ok() || usize::from(joint) >= self.models.len(), "counts were compared");
        assert!(usize::from(joint) < self.models.len(), "joint {joint} of {} joints", self.models.len());
    }

    /// Returns the matrix of the joint's parent: linear part and translation.
    #[inline]
    pub(super) fn above(&self, joint: u16) -> (M, V) {
        self.matrix(self.parent(joint))
    }

    /// Returns the matrix of a joint, or the root's for [`Skeleton::NO_PARENT`].
    #[inline]
    pub(super) fn matrix(&self, joint: u16) -> (M, V) {
        let matrix = self.model(joint);
        (M::of(matrix), matrix.translation().into())
    }

    #[inline]
    pub(super) fn model(&self, joint: u16) -> &Mat34 {
        self.models.get(usize::from(joint)).unwrap_or(&self.root)
    }

    #[inline]
    pub(super) fn parent(&self, joint: u16) -> u16 {
        self.skeleton.parents()[usize::from(joint)]
    }

    #[inline]
    pub(super) fn local(&self, joint: u16) -> Local {
        let local = self.pose.get(joint);
        Local { translation: local.translation.into(), rotation: local.rotation.into(), scale: local.scale.into() }
    }

    #[inline]
    pub(super) fn set_rotation(&mut self, joint: u16, rotation: Q) {
        self.pose.set_rotation(joint, rotation.into());
    }

    #[inline]
    pub(super) fn set_translation(&mut self, joint: u16, translation: V) {
        let local = self.pose.get(joint);
        self.pose.set(joint, local.with_translation(translation.into()));
    }

    #[inline]
    pub(super) fn translation(&self, joint: u16) -> V {
        self.pose.get(joint).translation.into()
    }

    /// Returns the matrix from a joint's space to that of an ancestor, or `None` if it is no ancestor.
    pub(super) fn path(&self, ancestor: u16, joint: u16) -> Option<(M, V)> {
        let (mut linear, mut place) = (M::IDENTITY, V::ZERO);
        let mut at = joint;
        while at != ancestor {
            let local = self.local(at);
            let own = local.linear();
            (linear, place) = (own * linear, own * place + local.translation);
            at = self.parent(at);
            if at == Skeleton::NO_PARENT {
                return None;
            }
        }
        Some((linear, place))
    }
}
