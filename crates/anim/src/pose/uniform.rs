//! Poses with one scale per transform, so that products of transforms do not shear.

use crate::{Error, Mat34, Pose, Skeleton, Transform, skeleton::SkeletonError};
use glam::{Quat, Vec3, Vec3A};

/// The transforms of all joints, with uniform scales. Products of transforms with uniform scales never shear, so
/// transforms in model space still consist of rotation, translation and scale. Takes 32 bytes per joint.
///
/// If you only need matrices, [`Pose::to_models`] accepts any pose and is three to four times as fast, because it
/// converts eight joints at a time. Source: the discussion of S. Reinalter, *Adventures in data-oriented design*, part
/// 2.
///
/// ```
/// use hedgerow_anim::{Pose, SkeletonBuilder, Transform, pose::UniformPose};
///
/// let mut builder = SkeletonBuilder::new();
/// builder.joint("giant", None, Transform::from_scale([2.0; 3].into()));
/// builder.joint("head", Some(0), Transform::from_xyz(0.0, 1.5, 0.0));
/// let (skeleton, _) = builder.build()?;
/// let locals = UniformPose::from_pose(&Pose::rest(&skeleton))?;
/// let mut globals = UniformPose::default();
/// locals.to_globals(&skeleton, &mut globals)?;
/// assert_eq!(globals.get(1).translation.y, 3.0);
/// assert_eq!(globals.get(1).scale.x, 2.0);
/// let mut models = Vec::new();
/// globals.to_matrices(&mut models);
/// assert_eq!(models[1].translation().y, 3.0);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UniformPose {
    joints: Vec<Joint>,
}

/// The rotation comes first, so that both halves are 16-byte aligned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Joint {
    rotation: Quat,
    translation: Vec3,
    scale: f32,
}

const _: () = assert!(size_of::<Joint>() == 32);

impl Joint {
    const IDENTITY: Self = Self { rotation: Quat::IDENTITY, translation: Vec3::ZERO, scale: 1.0 };

    fn transform(&self) -> Transform {
        Transform { translation: self.translation, rotation: self.rotation, scale: Vec3::splat(self.scale) }
    }

    #[inline]
    fn followed_by(&self, below: &Self) -> Self {
        let offset = self.rotation * (Vec3A::from(below.translation) * self.scale);
        Self {
            rotation: self.rotation * below.rotation,
            translation: (Vec3A::from(self.translation) + offset).into(),
            scale: self.scale * below.scale,
        }
    }
}

impl UniformPose {
    /// Converts a pose whose scales are uniform.
    ///
    /// # Errors
    /// [`SkeletonError::NotUniform`] with the first joint whose scales differ by more than a millionth.
    pub fn from_pose(pose: &Pose) -> Result<Self, Error> {
        let joint = |joint: u16| {
            let Transform { translation, rotation, scale } = pose.get(joint);
            let apart = (scale.y - scale.x).abs().max((scale.z - scale.x).abs());
            if apart <= scale.x.abs() * 1e-6 {
                Ok(Joint { rotation, translation, scale: scale.x })
            } else {
                Err(SkeletonError::NotUniform { joint }.into())
            }
        };
        Ok(Self { joints: pose.joints().map(joint).collect::<Result<_, Error>>()? })
    }

    /// Returns the number of joints.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.joints.len()
    }

    /// Returns whether the pose has no joints.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Returns the transform of a joint.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    #[must_use]
    pub fn get(&self, joint: u16) -> Transform {
        self.joints[usize::from(joint)].transform()
    }

    /// Replaces the transform of a joint.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    pub fn set(&mut self, joint: u16, translation: Vec3, rotation: Quat, scale: f32) {
        self.joints[usize::from(joint)] = Joint { rotation, translation, scale };
    }

    /// Computes transforms in model space from local transforms.
    ///
    /// Runs in **O(joints)**.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] if pose and skeleton have different numbers of joints.
    pub fn to_globals(&self, skeleton: &Skeleton, globals: &mut Self) -> Result<(), Error> {
        skeleton.expect_count(self.len())?;
        let globals = &mut globals.joints;
        globals.resize(self.len(), Joint::IDENTITY);
        globals[0] = self.joints[0];
        for (joint, (local, &parent)) in self.joints.iter().zip(skeleton.parents()).enumerate().skip(1) {
            globals[joint] = globals[usize::from(parent)].followed_by(local);
        }
        Ok(())
    }

    /// Converts each transform to a matrix. Transforms in model space become model matrices.
    ///
    /// Runs in **O(joints)**.
    pub fn to_matrices(&self, matrices: &mut Vec<Mat34>) {
        matrices.clear();
        matrices.extend(self.joints.iter().map(|joint| joint.transform().to_matrix()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SkeletonBuilder;

    #[test]
    fn globals_have_the_matrices_of_the_same_pose() {
        let mut builder = SkeletonBuilder::new();
        for joint in 0..40_u16 {
            let x = f32::from(joint);
            let rest = Transform::from_xyz(x.sin(), 1.0, x.cos())
                .with_rotation(Quat::from_euler(glam::EulerRot::XYZ, x, 0.5, -x))
                .with_scale(Vec3::splat(1.0 + 0.1 * x.sin()));
            builder.joint("", joint.checked_sub(1).map(|before| before / 2), rest);
        }
        let (skeleton, _) = builder.build().unwrap();
        let pose = Pose::rest(&skeleton);
        let (mut globals, mut found, mut expected) = (UniformPose::default(), Vec::new(), Vec::new());
        UniformPose::from_pose(&pose).unwrap().to_globals(&skeleton, &mut globals).unwrap();
        globals.to_matrices(&mut found);
        pose.to_models(&skeleton, &mut expected).unwrap();
        for (a, b) in found.iter().zip(&expected) {
            assert!(a.to_wide().abs_diff_eq(b.to_wide(), 1e-5), "{a:?} and {b:?}");
        }
    }

    #[test]
    fn a_scale_for_each_axis_is_refused_with_its_joint() {
        let mut pose = Pose::new(3);
        pose.set(2, Transform::from_scale(Vec3::new(1.0, 1.1, 1.0)));
        let refused = UniformPose::from_pose(&pose);
        assert_eq!(refused, Err(Error::Skeleton(SkeletonError::NotUniform { joint: 2 })));
    }
}
