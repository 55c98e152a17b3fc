//! From the model matrices of joints to the matrices that move vertices.

use crate::skin::SkinError;
use crate::{Error, Mat34};

/// The joints of a skeleton that a mesh follows, and their transforms when the mesh was bound.
///
/// The influences of a [`SkinnedMesh`](crate::SkinnedMesh) use the numbers of the skin: influence 3 is that of
/// `joints()[3]`. They are multiplied by the *palette*: for each joint of the skin,
/// `palette[i] = models[joints[i]] * inverse_binds[i]`. 50 bytes for each joint.
///
/// ```
/// use hedgerow_anim::{Mat34, Skin, Transform, glam::Vec3};
///
/// // The mesh was bound to joint 2 when that stood at x = 1.
/// let bound = Mat34::from(Transform::from_xyz(1.0, 0.0, 0.0));
/// let skin = Skin::new(vec![2], vec![bound.inverse().unwrap()])?;
///
/// let models = [Mat34::IDENTITY, Mat34::IDENTITY, Transform::from_xyz(1.0, 5.0, 0.0).to_matrix()];
/// let mut palette = Vec::new();
/// skin.palette(&models, &mut palette)?;
/// assert_eq!(palette[0].transform_point(Vec3::ZERO), Vec3::new(0.0, 5.0, 0.0));
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    joints: Vec<u16>,
    inverse_binds: Vec<Mat34>,
    /// How many model matrices a palette needs at least: one more than the greatest joint.
    models: usize,
}

impl Skin {
    /// A skin of these joints, each with the inverse of its model matrix at the time of binding.
    ///
    /// A joint may be listed more than once. These are `joints` and `inverseBindMatrices` of glTF, with the identity if
    /// a file omits the latter.
    ///
    /// # Errors
    /// [`SkinError::InverseBinds`] unless there are as many matrices as joints, [`SkinError::TooManyJoints`] for more
    /// than 65,536, [`SkinError::InverseBind`] if a number is not finite.
    pub fn new(joints: Vec<u16>, inverse_binds: Vec<Mat34>) -> Result<Self, Error> {
        if joints.len() != inverse_binds.len() {
            let (joints, found) = (joints.len(), inverse_binds.len());
            return Err(SkinError::InverseBinds { joints, found }.into());
        }
        if joints.len() > Self::MAX_JOINTS {
            return Err(SkinError::TooManyJoints { joints: joints.len() }.into());
        }
        if let Some(joint) = inverse_binds.iter().position(|matrix| !matrix.is_finite()) {
            return Err(SkinError::InverseBind { joint }.into());
        }
        let models = joints.iter().max().map_or(0, |&joint| usize::from(joint) + 1);
        Ok(Self { joints, inverse_binds, models })
    }

    /// The greatest number of joints in a skin.
    pub const MAX_JOINTS: usize = 1 << 16;

    /// The number of joints in the skin, and of matrices in its palette.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether the skin has no joints.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// The skeleton's joints, in the order of the skin's numbers.
    #[must_use]
    pub fn joints(&self) -> &[u16] {
        &self.joints
    }

    /// The inverse bind matrices, in the same order.
    #[must_use]
    pub fn inverse_binds(&self) -> &[Mat34] {
        &self.inverse_binds
    }

    /// Computes the palette for these model matrices of a skeleton's joints. Replaces the contents of the list.
    ///
    /// Runs in **O(joints of the skin)**, and allocates only if the list has no room.
    ///
    /// # Errors
    /// [`SkinError::Models`] if there is no matrix for some joint; the list is unchanged.
    pub fn palette(&self, models: &[Mat34], palette: &mut Vec<Mat34>) -> Result<(), Error> {
        self.check(models)?;
        palette.clear();
        palette.extend(self.matrices(models));
        Ok(())
    }

    /// Like [`palette`](Self::palette), into part of a larger array, such as that of a
    /// [`SkinBatch`](crate::skin::SkinBatch).
    ///
    /// # Errors
    /// [`SkinError::Models`] as above, [`SkinError::Palette`] unless the part has exactly one place for each joint;
    /// nothing was written.
    pub fn palette_into(&self, models: &[Mat34], palette: &mut [Mat34]) -> Result<(), Error> {
        self.check(models)?;
        if palette.len() != self.len() {
            return Err(SkinError::Palette { expected: self.len(), found: palette.len() }.into());
        }
        for (place, matrix) in palette.iter_mut().zip(self.matrices(models)) {
            *place = matrix;
        }
        Ok(())
    }

    fn check(&self, models: &[Mat34]) -> Result<(), SkinError> {
        let (expected, found) = (self.models, models.len());
        if found < expected { Err(SkinError::Models { expected, found }) } else { Ok(()) }
    }

    fn matrices(&self, models: &[Mat34]) -> impl ExactSizeIterator<Item = Mat34> {
        let joints = self.joints.iter().zip(&self.inverse_binds);
        joints.map(|(&joint, &inverse_bind)| models[usize::from(joint)] * inverse_bind)
    }
}
