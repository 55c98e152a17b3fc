//! Palettes: the matrices that move vertices, computed from the model matrices of joints.

use crate::pose::kernels;
use crate::skin::{SkinError, SkinId};
use crate::{Error, Mat34, Pose, Skeleton};
use core::ops::Deref;

/// The joints that a mesh follows in a skeleton, and their inverse bind matrices.
///
/// A skin has its own joint numbers, which the influences of a [`SkinnedMesh`](crate::SkinnedMesh) use: joint 3 of an
/// influence is the skeleton's joint `joints()[3]`. Model matrices use the skeleton's numbers. The *palette* connects
/// both numberings: for each joint of the skin, `palette[i] = models[joints[i]] * inverse_binds[i]`.
///
/// Takes 50 bytes per joint. Inverse bind matrices are in skins only, since a skeleton may have many skins.
///
/// ```
/// use hedgerow_anim::{Mat34, Skin, Transform, glam::Vec3};
///
/// // The mesh was bound when joint 2 was at x = 1.
/// let bound = Mat34::from(Transform::from_xyz(1.0, 0.0, 0.0));
/// let skin = Skin::new(vec![2], vec![bound.inverse().unwrap()])?;
/// assert_eq!((skin.len(), Skin::MAX_JOINTS), (1, 65_536));
///
/// let models = [Mat34::IDENTITY, Mat34::IDENTITY, Transform::from_xyz(1.0, 5.0, 0.0).to_matrix()];
/// let mut room = Vec::new();
/// let palette = skin.palette(&models, &mut room)?;
/// assert_eq!(palette[0].transform_point(Vec3::ZERO), Vec3::new(0.0, 5.0, 0.0));
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    joints: Vec<u16>,
    inverse_binds: Vec<Mat34>,
    /// The least number of model matrices that a palette needs: the greatest joint number plus one.
    models: usize,
    id: SkinId,
}

impl Skin {
    /// Creates a skin of these joints, each with the inverse of its model matrix at the time of binding.
    ///
    /// A joint may be listed more than once. The arguments correspond to `joints` and `inverseBindMatrices` of glTF; if
    /// a file has no inverse bind matrices, pass identities.
    ///
    /// # Errors
    /// [`SkinError::InverseBinds`] unless there are as many matrices as joints, [`SkinError::TooManyJoints`] for more
    /// than [`MAX_JOINTS`](Self::MAX_JOINTS). [`SkinError::InverseBind`] if a number is not finite,
    /// [`SkinError::AllocationFailed`] if an allocation fails.
    pub fn new(joints: Vec<u16>, inverse_binds: Vec<Mat34>) -> Result<Self, Error> {
        if joints.len() != inverse_binds.len() {
            let (joints, found) = (joints.len(), inverse_binds.len());
            return Err(SkinError::InverseBinds { joints, found }.into());
        }
        if joints.len() > Self::MAX_JOINTS {
            return Err(SkinError::TooManyJoints { joints: joints.len() }.into());
        }
        if let Some((joint, _)) = (0..=u16::MAX).zip(&inverse_binds).find(|(_, matrix)| !matrix.is_finite()) {
            return Err(SkinError::InverseBind { joint }.into());
        }
        let models = joints.iter().max().map_or(0, |&joint| usize::from(joint) + 1);
        let id = SkinId::of(&joints, &inverse_binds)?;
        Ok(Self { joints, inverse_binds, models, id })
    }

    /// Creates a skin of all joints of a skeleton, in order, for a mesh that was modelled around the rest pose.
    /// Computes the inverse bind matrices from the rest pose.
    ///
    /// Runs in **O(joints)**.
    ///
    /// ```
    /// use hedgerow_anim::{Skin, SkeletonBuilder, Transform};
    ///
    /// let mut builder = SkeletonBuilder::new();
    /// let hip = builder.joint("hip", None, Transform::from_xyz(0.0, 1.0, 0.0));
    /// builder.joint("head", Some(hip), Transform::from_xyz(0.0, 0.5, 0.0));
    /// let skin = Skin::at_rest(&builder.build()?.0)?;
    /// assert_eq!(skin.inverse_binds()[1].translation().to_array(), [0.0, -1.5, 0.0]);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`SkinError::InverseBind`] if a joint's model matrix in the rest pose has no inverse, because a scale is zero.
    pub fn at_rest(skeleton: &Skeleton) -> Result<Self, Error> {
        let mut models = Vec::new();
        Pose::rest(skeleton).to_models(skeleton, &mut models)?;
        let inverse = |(joint, model): (u16, &Mat34)| model.inverse().ok_or(SkinError::InverseBind { joint });
        let inverse_binds = (0..=u16::MAX).zip(&models).map(inverse).collect::<Result<_, _>>()?;
        Self::new((0..skeleton.joints()).collect(), inverse_binds)
    }

    /// Creates a skin of joint 0 only, bound at the origin, for meshes that are morphed but follow no joints.
    #[must_use]
    pub fn rigid() -> Self {
        Self::new(vec![0], vec![Mat34::IDENTITY]).expect("one joint with the identity")
    }

    /// The greatest number of joints in a skin.
    pub const MAX_JOINTS: usize = 1 << 16;

    /// Returns the number of joints in the skin, which is also the number of matrices in its palette.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Returns whether the skin has no joints.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Returns the joints of the skeleton, indexed by the skin's numbers.
    #[must_use]
    pub fn joints(&self) -> &[u16] {
        &self.joints
    }

    /// Returns the inverse bind matrices, indexed by the skin's numbers.
    #[must_use]
    pub fn inverse_binds(&self) -> &[Mat34] {
        &self.inverse_binds
    }

    /// Returns the id by which palettes and meshes refer to this skin. Equal skins have equal ids, even after loading.
    #[must_use]
    pub const fn id(&self) -> SkinId {
        self.id
    }

    /// Computes the palette from the model matrices of a skeleton's joints. Replaces the contents of `room`.
    ///
    /// Runs in **O(joints of the skin)**, and allocates only if the capacity of `room` is too small.
    ///
    /// # Errors
    /// [`SkinError::Models`] if a joint has no model matrix; `room` is then unchanged.
    pub fn palette<'p>(&self, models: &[Mat34], room: &'p mut Vec<Mat34>) -> Result<Palette<'p>, Error> {
        self.expect_models(models.len())?;
        room.resize(self.len(), Mat34::IDENTITY);
        self.palette_into(models, room)
    }

    /// Computes the palette into a part of a larger array.
    ///
    /// # Errors
    /// [`SkinError::Models`] if a joint has no matrix, [`SkinError::Palette`] unless `part` has an element for each
    /// joint. An error writes nothing.
    pub fn palette_into<'p>(&self, models: &[Mat34], part: &'p mut [Mat34]) -> Result<Palette<'p>, Error> {
        self.expect_models(models.len())?;
        let (expected, found) = (self.len(), part.len());
        if found != expected {
            return Err(SkinError::Palette { expected, found }.into());
        }
        kernels::palette(models, &self.joints, &self.inverse_binds, part);
        Ok(Palette { matrices: part, skin: self.id })
    }

    /// Returns an error if `found` is too small: the number of model matrices, or of joints in a skeleton.
    pub(crate) fn expect_models(&self, found: usize) -> Result<(), SkinError> {
        let expected = self.models;
        if found < expected { Err(SkinError::Models { expected, found }) } else { Ok(()) }
    }
}

impl Default for Skin {
    /// Creates a skin without joints.
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new()).expect("as many matrices as joints")
    }
}

/// The matrices that move the vertices of a mesh, one for each joint of a skin, in the skin's order.
///
/// A palette has the id of its skin, so a mesh of another skin refuses the palette even if the numbers of joints match.
/// A palette borrows its matrices and dereferences to a slice.
///
/// ```
/// use hedgerow_anim::skin::{Palette, SkinError, SkinOutput};
/// use hedgerow_anim::{Error, Mat34, Skin, SkinnedMesh};
///
/// // Two skins of the same two joints in different orders.
/// let [skin, other] = [[0, 1], [1, 0]].map(|joints| Skin::new(joints.to_vec(), vec![Mat34::IDENTITY; 2]));
/// let (skin, other) = (skin?, other?);
/// let mut mesh = SkinnedMesh::builder(&[[0.0; 3]]).build(&skin)?;
///
/// let (models, mut room, mut positions) = ([Mat34::IDENTITY; 2], Vec::new(), [[0.0_f32; 3]]);
/// let refused = mesh.skin(other.palette(&models, &mut room)?, SkinOutput::new(&mut positions[..]));
/// assert!(matches!(refused, Err(Error::Skin(SkinError::OtherSkin { .. }))));
/// mesh.set_skin(&other)?; // follows joint 1 from here on
/// assert_eq!(mesh.skin_id(), other.id());
/// mesh.skin(other.palette(&models, &mut room)?, SkinOutput::new(&mut positions[..]))?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette<'p> {
    matrices: &'p [Mat34],
    skin: SkinId,
}

impl<'p> Palette<'p> {
    /// Makes a palette of this skin from matrices that were computed elsewhere.
    ///
    /// # Errors
    /// [`SkinError::Palette`] unless there is a matrix for each joint of the skin.
    pub fn of(skin: &Skin, matrices: &'p [Mat34]) -> Result<Self, Error> {
        let (expected, found) = (skin.len(), matrices.len());
        if found == expected {
            Ok(Self { matrices, skin: skin.id })
        } else {
            Err(SkinError::Palette { expected, found }.into())
        }
    }

    /// Makes a palette of matrices that were just computed for this skin.
    pub(crate) const fn new(matrices: &'p [Mat34], skin: SkinId) -> Self {
        Self { matrices, skin }
    }

    /// Returns the matrices, ready for upload: 48 bytes each.
    #[must_use]
    pub const fn matrices(self) -> &'p [Mat34] {
        self.matrices
    }

    /// Returns the id of the palette's skin.
    #[must_use]
    pub const fn skin(self) -> SkinId {
        self.skin
    }
}

impl Deref for Palette<'_> {
    type Target = [Mat34];

    fn deref(&self) -> &[Mat34] {
        self.matrices
    }
}
