//! Translation, rotation and scale: the local transform of a node.

use crate::{Error, Mat34};
use glam::{Quat, Vec3, Vec4};

/// A local transform: scale first, then rotation, then translation.
///
/// The scale may be negative (a mirror) or zero. A scene checks a transform when it is set: all ten numbers must be
/// finite, and the rotation must not be zero and is normalised.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Transform {
    /// The position of the node's origin in its parent's space.
    pub translation: Vec3,
    /// The rotation of the node: a unit quaternion.
    pub rotation: Quat,
    /// The factor along each of the node's own axes.
    pub scale: Vec3,
}

impl Transform {
    /// The identity.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// A translation only.
    #[inline]
    #[must_use]
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// A translation by the three distances.
    #[inline]
    #[must_use]
    pub const fn from_xyz(x: f32, y: f32, z: f32) -> Self {
        Self::from_translation(Vec3::new(x, y, z))
    }

    /// A rotation only.
    #[inline]
    #[must_use]
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// A scale only.
    #[inline]
    #[must_use]
    pub const fn from_scale(scale: Vec3) -> Self {
        Self { scale, ..Self::IDENTITY }
    }

    /// The same transform with another translation.
    #[inline]
    #[must_use]
    pub const fn with_translation(self, translation: Vec3) -> Self {
        Self { translation, ..self }
    }

    /// The same transform with another rotation.
    #[inline]
    #[must_use]
    pub const fn with_rotation(self, rotation: Quat) -> Self {
        Self { rotation, ..self }
    }

    /// The same transform with another scale.
    #[inline]
    #[must_use]
    pub const fn with_scale(self, scale: Vec3) -> Self {
        Self { scale, ..self }
    }

    /// Whether all ten numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }

    /// The 3×4 matrix: columns of the rotation times the scale, then the translation.
    #[inline]
    #[must_use]
    pub fn to_matrix(&self) -> Mat34 {
        PackedTransform::from(*self).to_matrix()
    }

    /// Whether a scene surely stores the transform unchanged. False if that needs a closer look.
    #[inline]
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        // Zero times a number is zero unless the number is infinite or NaN. Two numbers are used twice, so that the six
        // are two loads of four.
        let (translation, scale) = (self.translation, self.scale);
        let front = Vec4::new(translation.x, translation.y, translation.z, scale.x);
        let back = Vec4::new(translation.z, scale.x, scale.y, scale.z);
        let finite = (front * 0.0 + back * 0.0).cmpeq(Vec4::ZERO).all();
        finite & ((self.rotation.length_squared() - 1.0).abs() < 5e-7)
    }

    /// The transform as a scene stores it: with a normalised rotation.
    ///
    /// # Errors
    /// [`Error::NotFinite`] if a number is not finite, [`Error::NotRotation`] if the rotation is zero.
    #[inline]
    pub fn checked(self) -> Result<Self, Error> {
        if self.is_plain() { Ok(self) } else { self.checked_closely() }
    }

    #[cold]
    fn checked_closely(mut self) -> Result<Self, Error> {
        if !self.is_finite() {
            return Err(Error::NotFinite("a transform"));
        }
        let wide = self.rotation.as_dquat();
        let length_squared = wide.length_squared();
        // A quaternion that is already a unit in single precision keeps its bits, so that setting a transform that was
        // read changes nothing.
        if (length_squared - 1.0).abs() > 1e-6 {
            if length_squared == 0.0 {
                return Err(Error::NotRotation);
            }
            self.rotation = (wide * length_squared.sqrt().recip()).as_quat();
        }
        Ok(self)
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A [`Transform`] as a column keeps it: ten floats, 40 bytes, where glam's aligned quaternion would make it 48.
///
/// Of two types that hold the same, [`Transform`] is for computing and this one for storing and uploading: it has no
/// padding, and with the feature `bytemuck` it is plain data.
///
/// ```
/// use hedgerow_math::{PackedTransform, Transform};
///
/// let packed = PackedTransform::from(Transform::from_xyz(1.0, 2.0, 3.0));
/// assert_eq!(packed.translation, [1.0, 2.0, 3.0]);
/// assert_eq!(Transform::from(packed), Transform::from_xyz(1.0, 2.0, 3.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct PackedTransform {
    /// x, y, z.
    pub translation: [f32; 3],
    /// The unit quaternion: x, y, z, w.
    pub rotation: [f32; 4],
    /// x, y, z.
    pub scale: [f32; 3],
}

impl PackedTransform {
    /// The identity.
    pub const IDENTITY: Self = Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// Whether all ten numbers are finite and the rotation is normalised, as precisely as in a scene. Without branches,
    /// so that a column is tested eight at a time.
    #[inline]
    #[must_use]
    pub fn is_sound(&self) -> bool {
        // Zero times a number is zero unless the number is infinite or NaN.
        let zero: f32 = self.translation.iter().chain(&self.scale).map(|number| number * 0.0).sum();
        let length_squared: f32 = self.rotation.iter().map(|number| number * number).sum();
        (zero == 0.0) & ((length_squared - 1.0).abs() < 4e-6)
    }

    /// The 3×4 matrix. The SIMD paths evaluate the same expressions in the same order.
    #[inline(always)]
    #[must_use]
    pub fn to_matrix(self) -> Mat34 {
        let [x, y, z, w] = self.rotation;
        let [sx, sy, sz] = self.scale;
        let [tx, ty, tz] = self.translation;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        Mat34 {
            rows: [
                [(1.0 - (yy + zz)) * sx, (xy - wz) * sy, (xz + wy) * sz, tx],
                [(xy + wz) * sx, (1.0 - (xx + zz)) * sy, (yz - wx) * sz, ty],
                [(xz - wy) * sx, (yz + wx) * sy, (1.0 - (xx + yy)) * sz, tz],
            ],
        }
    }
}

impl From<Transform> for PackedTransform {
    #[inline]
    fn from(transform: Transform) -> Self {
        Self {
            translation: transform.translation.to_array(),
            rotation: transform.rotation.to_array(),
            scale: transform.scale.to_array(),
        }
    }
}

impl From<PackedTransform> for Transform {
    #[inline]
    fn from(packed: PackedTransform) -> Self {
        Self {
            translation: Vec3::from_array(packed.translation),
            rotation: Quat::from_array(packed.rotation),
            scale: Vec3::from_array(packed.scale),
        }
    }
}
