//! Translation, rotation and scale: the local transform of a node.

use crate::mat34::{invert_wide, transform_from_wide};
use crate::{Error, Mat34};
use core::ops::Mul;
use glam::{DMat3, DQuat, DVec3, Quat, Vec3, Vec4};

/// A local transform: scale first, then rotation, then translation.
///
/// The scale may be negative (a mirror) or zero. When a transform is set, a scene checks that all ten numbers are
/// finite and that the rotation is not zero, and normalises the rotation.
///
/// Transforms are multiplied like matrices: `a * b` applies `b` first. A product of a non-uniform scale and a rotation
/// shears, but a transform cannot represent shear: see [`Transform::mul`].
///
/// ```
/// use hedgerow_math::Transform;
/// use hedgerow_math::glam::Vec3;
///
/// let tower = Transform::from_xyz(0.0, 10.0, 0.0).looking_at(Vec3::new(5.0, 10.0, 0.0), Vec3::Y);
/// let barrel = tower * Transform::from_xyz(0.0, 0.0, -2.0);   // two units ahead
/// assert!(barrel.translation.abs_diff_eq(Vec3::new(2.0, 10.0, 0.0), 1e-6));
/// assert!((tower * Vec3::NEG_Z).abs_diff_eq(Vec3::new(1.0, 10.0, 0.0), 1e-6));
///
/// let halfway = Transform::IDENTITY.lerp(tower, 0.5);
/// assert_eq!(halfway.translation, Vec3::new(0.0, 5.0, 0.0));
/// let back = tower.inverse().expect("a scale of one") * tower;
/// assert!(back.is_finite() && back.translation.length() < 1e-6);
/// assert_eq!(tower.looking_to(Vec3::X * 3.0, Vec3::Y), tower);
/// ```
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

    /// Creates a transform that only translates.
    #[inline]
    #[must_use]
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Creates a transform that only translates.
    #[inline]
    #[must_use]
    pub const fn from_xyz(x: f32, y: f32, z: f32) -> Self {
        Self::from_translation(Vec3::new(x, y, z))
    }

    /// Creates a transform that only rotates.
    #[inline]
    #[must_use]
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// Creates a transform that only scales.
    #[inline]
    #[must_use]
    pub const fn from_scale(scale: Vec3) -> Self {
        Self { scale, ..Self::IDENTITY }
    }

    /// Returns the same transform with another translation.
    #[inline]
    #[must_use]
    pub const fn with_translation(self, translation: Vec3) -> Self {
        Self { translation, ..self }
    }

    /// Returns the same transform with another rotation.
    #[inline]
    #[must_use]
    pub const fn with_rotation(self, rotation: Quat) -> Self {
        Self { rotation, ..self }
    }

    /// Returns the same transform with another scale.
    #[inline]
    #[must_use]
    pub const fn with_scale(self, scale: Vec3) -> Self {
        Self { scale, ..self }
    }

    /// Returns the same transform, rotated so that its −Z axis points at `target` and its +Y axis towards `up`.
    ///
    /// `target` and `up` are in the space that the transform maps to; for a node, this is the parent's space. If the
    /// target equals the translation, or a number is not finite, the rotation stays the same. If `up` is zero or
    /// parallel to the direction, a perpendicular axis replaces `up`. Negative scales along Y and Z are taken into
    /// account. In a scene, `NodeMut::look_at` works in world space.
    #[must_use]
    pub fn looking_at(self, target: Vec3, up: Vec3) -> Self {
        self.looking_to(target - self.translation, up)
    }

    /// Like [`Transform::looking_at`], with a direction of any length instead of a target.
    #[must_use]
    pub fn looking_to(self, direction: Vec3, up: Vec3) -> Self {
        match look_rotation(direction.as_dvec3(), up.as_dvec3(), self.scale) {
            Some(rotation) => Self { rotation, ..self },
            None => self,
        }
    }

    /// Interpolates from this transform at `t` = 0 to `other` at `t` = 1: translation and scale linearly, rotation
    /// along the shorter arc at constant speed.
    ///
    /// Values of `t` outside 0 to 1 extrapolate.
    #[must_use]
    pub fn lerp(self, other: Self, t: f32) -> Self {
        Self {
            translation: self.translation.lerp(other.translation, t),
            rotation: self.rotation.slerp(other.rotation, t),
            scale: self.scale.lerp(other.scale, t),
        }
    }

    /// Maps a point: applies scale, rotation and translation.
    #[inline]
    #[must_use]
    pub fn transform_point(&self, point: Vec3) -> Vec3 {
        self.transform_vector(point) + self.translation
    }

    /// Maps a direction: applies scale and rotation.
    #[inline]
    #[must_use]
    pub fn transform_vector(&self, vector: Vec3) -> Vec3 {
        self.rotation * (self.scale * vector)
    }

    /// Returns the inverse transform. Returns `None` if a scale is zero, a number is not finite, or the inverse shears.
    /// The inverse of a rotation with a non-uniform scale usually shears; use [`Mat34::inverse`] then.
    ///
    /// If the scale is not uniform, the inverse is computed in double precision.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        // A uniform scale commutes with the rotation, so the inverse has the same form.
        let Vec3 { x, y, z } = self.scale;
        if x == y && y == z {
            let (rotation, scale) = (self.rotation.conjugate(), self.scale.recip());
            let translation = rotation * (-self.translation * scale);
            let inverse = Self { translation, rotation, scale };
            return Some(inverse).filter(Self::is_finite);
        }
        let wide = invert_wide(&self.to_matrix().to_wide())?;
        transform_from_wide(&wide)
    }

    /// Returns whether all ten numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }

    /// Returns the 3×4 matrix: the columns of the rotation times the scale, then the translation.
    #[inline]
    #[must_use]
    pub fn to_matrix(&self) -> Mat34 {
        PackedTransform::from(*self).to_matrix()
    }

    /// Returns true if a scene certainly stores the transform unchanged, and false if only a closer check can tell.
    #[inline]
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        // Zero times a number is zero, or NaN if the number is infinite or NaN. Two loads of four numbers each cover
        // all six; two of the six are loaded twice.
        let (translation, scale) = (self.translation, self.scale);
        let front = Vec4::new(translation.x, translation.y, translation.z, scale.x);
        let back = Vec4::new(translation.z, scale.x, scale.y, scale.z);
        let zeros = front * 0.0 + back * 0.0;
        // With `zeros` added, the length is not finite if any number is not finite, so a single comparison finds it.
        ((Vec4::from(self.rotation) + zeros).length_squared() - 1.0).abs() < 5e-7
    }

    /// Normalises the rotation, as a scene does.
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
        // A quaternion that is normalised in single precision keeps its bits, so reading a transform and writing it
        // back changes nothing.
        if (length_squared - 1.0).abs() > 1e-6 {
            // In double precision the square of no other quaternion underflows.
            if length_squared == 0.0 {
                return Err(Error::NotRotation);
            }
            self.rotation = (wide * length_squared.sqrt().recip()).as_quat();
        }
        Ok(self)
    }
}

/// Returns the rotation that turns the scaled −Z axis to a direction and the scaled +Y axis towards `up`. Returns
/// `None` if the direction is zero or not finite.
#[doc(hidden)]
pub fn look_rotation(direction: DVec3, up: DVec3, scale: Vec3) -> Option<Quat> {
    let back = (-direction).try_normalize()?;
    let right = up.normalize_or_zero().cross(back);
    // Up is along the view: any perpendicular direction serves.
    let right = if right.length_squared() > 1e-12 { right.normalize() } else { back.any_orthonormal_vector() };
    // A negative scale reverses an axis, so reverse the axis beforehand.
    let sign = |scale: f32| if scale < 0.0 { -1.0 } else { 1.0 };
    let y = back.cross(right) * sign(scale.y);
    let z = back * sign(scale.z);
    let axes = DMat3::from_cols(y.cross(z), y, z);
    Some(DQuat::from_mat3(&axes).normalize().as_quat())
}

impl Mul for Transform {
    type Output = Self;

    /// Returns the transform that applies `rhs` first, then `self`.
    ///
    /// The result is exact, up to rounding, if the scale of `self` is uniform or `rhs` does not rotate. Otherwise the
    /// true product shears, and the result has the right translation but no shear. Multiply the matrices
    /// ([`Transform::to_matrix`]) for the true product.
    #[inline]
    fn mul(self, rhs: Self) -> Self {
        Self {
            translation: self.transform_point(rhs.translation),
            rotation: self.rotation * rhs.rotation,
            scale: self.scale * rhs.scale,
        }
    }
}

impl Mul<Vec3> for Transform {
    type Output = Vec3;

    /// Maps a point, like [`Transform::transform_point`].
    #[inline]
    fn mul(self, point: Vec3) -> Vec3 {
        self.transform_point(point)
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A [`Transform`] in the form that columns store: ten floats, 40 bytes instead of 48.
///
/// Use [`Transform`] to compute. Use `PackedTransform` to store and upload: it has no padding and, with the feature
/// `bytemuck`, is plain data.
///
/// ```
/// use hedgerow_math::{PackedTransform, Transform};
///
/// let packed = PackedTransform::from(Transform::from_xyz(1.0, 2.0, 3.0));
/// assert_eq!(packed.translation, [1.0, 2.0, 3.0]);
/// assert!(packed.is_sound() && Transform::from(packed) == Transform::from_xyz(1.0, 2.0, 3.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct PackedTransform {
    /// The unit quaternion: x, y, z, w.
    pub rotation: [f32; 4],
    /// x, y, z.
    pub translation: [f32; 3],
    /// x, y, z.
    pub scale: [f32; 3],
}

impl PackedTransform {
    /// The identity.
    pub const IDENTITY: Self = Self { rotation: [0.0, 0.0, 0.0, 1.0], translation: [0.0; 3], scale: [1.0; 3] };

    /// Returns whether both have the same bits. Zeros of different signs differ.
    #[inline]
    #[must_use]
    pub fn same_bits(&self, other: &Self) -> bool {
        let Self { rotation: [a, b, c, d], translation: [e, f, g], scale: [h, i, j] } = *self;
        let Self { rotation: [k, l, m, n], translation: [o, p, q], scale: [r, s, t] } = *other;
        let pairs = [(a, k), (b, l), (c, m), (d, n), (e, o), (f, p), (g, q), (h, r), (i, s), (j, t)];
        pairs.into_iter().fold(0, |any, (a, b): (f32, f32)| any | (a.to_bits() ^ b.to_bits())) == 0
    }

    /// Returns whether all ten numbers are finite and the rotation is normalised as precisely as in a scene. The code
    /// has no branches, so in a loop the compiler can test eight transforms at a time.
    #[inline]
    #[must_use]
    pub fn is_sound(&self) -> bool {
        // Zero times a number is zero, or NaN if the number is infinite or NaN.
        let zero: f32 = self.translation.iter().chain(&self.scale).map(|number| number * 0.0).sum();
        let length_squared: f32 = self.rotation.iter().map(|number| number * number).sum();
        (zero == 0.0) & ((length_squared - 1.0).abs() < 4e-6)
    }

    /// Returns the 3×4 matrix. The SIMD paths evaluate the same expressions in the same order.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns transforms with uniform, non-uniform and mirroring scales.
    fn some() -> Vec<Transform> {
        let scales =
            [Vec3::ONE, Vec3::splat(2.5), Vec3::splat(-0.5), Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 1.0, 1.0)];
        let turns = [Quat::IDENTITY, Quat::from_rotation_y(2.0), Quat::from_euler(glam::EulerRot::XYZ, 0.3, -1.0, 2.5)];
        let mut list = Vec::new();
        for scale in scales {
            for rotation in turns {
                list.push(Transform { translation: Vec3::new(1.0, -2.0, 0.5) * scale.x, rotation, scale });
            }
        }
        list
    }

    fn assert_near(a: &Mat34, b: &Mat34, what: &str) {
        let off =
            a.rows.as_flattened().iter().zip(b.rows.as_flattened()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-5, "{what}: {a:?} is not {b:?}");
    }

    #[test]
    fn a_product_is_that_of_the_matrices_where_nothing_shears() {
        let mut exact = 0;
        for a in some() {
            for b in some() {
                let (product, true_one) = (a * b, a.to_matrix() * b.to_matrix());
                assert!(product.translation.abs_diff_eq(true_one.translation(), 1e-5));
                if a.scale == Vec3::splat(a.scale.x) || b.rotation == Quat::IDENTITY {
                    assert_near(&product.to_matrix(), &true_one, "a product");
                    exact += 1;
                }
            }
            let point = Vec3::new(0.2, 0.4, -3.0);
            assert!((a * point).abs_diff_eq(a.to_matrix() * point, 1e-5));
            assert!(a.transform_vector(point).abs_diff_eq(a.to_matrix().transform_vector(point), 1e-5));
        }
        assert!(exact > 100);
    }

    #[test]
    fn an_inverse_takes_back_or_there_is_none() {
        let mut none = 0;
        for a in some() {
            let uneven = a.scale != Vec3::splat(a.scale.x);
            match a.inverse() {
                Some(inverse) => {
                    assert_near(&(inverse.to_matrix() * a.to_matrix()), &Mat34::IDENTITY, "inverse first");
                    assert_near(&(a.to_matrix() * inverse.to_matrix()), &Mat34::IDENTITY, "inverse last");
                }
                None => {
                    assert!(uneven && a.rotation != Quat::IDENTITY, "{a:?} has an inverse");
                    none += 1;
                }
            }
        }
        assert!(none > 0);
        for scale in [Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), Vec3::NAN] {
            assert_eq!(Transform::from_scale(scale).inverse(), None);
        }
    }

    #[test]
    fn a_transform_is_plain_if_all_numbers_are_finite_and_the_rotation_is_normalised() {
        let of = |numbers: [f32; 10]| {
            let [tx, ty, tz, x, y, z, w, sx, sy, sz] = numbers;
            Transform {
                translation: Vec3::new(tx, ty, tz),
                rotation: Quat::from_xyzw(x, y, z, w),
                scale: Vec3::new(sx, sy, sz),
            }
        };
        let good = [1e38, -0.0, -3e38, -0.5, 0.5, 0.5, -0.5, 3e38, -1e-40, 0.0];
        assert!(of(good).is_plain());
        for at in 0..10 {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut numbers = good;
                numbers[at] = bad;
                assert!(!of(numbers).is_plain(), "{bad} at {at}");
            }
        }
        for (length, plain) in [(1.0 + 2e-7, true), (1.0 - 2e-7, true), (1.0 + 3e-7, false), (1.0 - 3e-7, false)] {
            assert_eq!(Transform::from_rotation(Quat::from_xyzw(0.0, length, 0.0, 0.0)).is_plain(), plain, "{length}");
        }
    }

    #[test]
    fn lerp_goes_from_one_to_the_other_by_the_shorter_arc() {
        for (a, b) in some().into_iter().zip(some().into_iter().rev()) {
            assert_near(&a.lerp(b, 0.0).to_matrix(), &a.to_matrix(), "the start");
            assert_near(&a.lerp(b, 1.0).to_matrix(), &b.to_matrix(), "the end");
        }
        let turn = |angle: f32| Transform::from_rotation(Quat::from_rotation_z(angle));
        // The negated quaternion is the same rotation.
        let other = Transform::from_rotation(-Quat::from_rotation_z(0.8));
        assert!(turn(0.0).lerp(other, 0.25).rotation.angle_between(turn(0.2).rotation) < 1e-3);
    }

    #[test]
    fn looking_at_points_the_negative_z_axis() {
        for a in some() {
            for target in [Vec3::new(5.0, 1.0, -2.0), Vec3::new(-3.0, 0.0, 8.0)] {
                let looks = a.looking_at(target, Vec3::Y);
                assert_eq!((looks.translation, looks.scale), (a.translation, a.scale));
                let (ahead, up) = (looks.transform_vector(Vec3::NEG_Z), looks.transform_vector(Vec3::Y));
                let wanted = (target - a.translation).normalize();
                assert!(ahead.normalize().abs_diff_eq(wanted, 1e-5), "{a:?}: {ahead} for {wanted}");
                assert!(up.y > 0.0 && up.dot(wanted).abs() < 1e-4, "{a:?}: up is {up}");
                assert_eq!(a.looking_to(target - a.translation, Vec3::Y), looks);
            }
            // Tests a direction straight up, for which any right axis will do, and a zero direction.
            let up = a.looking_to(Vec3::Y * 3.0, Vec3::Y);
            assert!(up.transform_vector(Vec3::NEG_Z).normalize().abs_diff_eq(Vec3::Y, 1e-5));
            assert_eq!(a.looking_at(a.translation, Vec3::Y), a);
            assert_eq!(a.looking_to(Vec3::NAN, Vec3::Y), a);
        }
    }
}
