//! The affine 3×4 matrix in which world transforms are stored.

use crate::{Error, Transform};
use core::ops::{Mul, MulAssign};
use glam::{Affine3, Affine3A, DAffine3, DMat3, DMat4, DVec3, DVec4, Mat3, Mat4, Vec3, Vec4};

/// An affine transform as three rows of four: `rows[r] = [m_r0, m_r1, m_r2, t_r]`.
///
/// 48 bytes, 16-byte aligned: the row-major 3×4 layout of shader storage buffers and acceleration structures. The
/// matrix maps column vectors: `p' = M · (p, 1)`.
///
/// ```
/// use hedgerow_math::{Mat34, Transform};
/// use hedgerow_math::glam::Vec3;
///
/// let a = Mat34::from(Transform::from_translation(Vec3::new(1.0, 2.0, 3.0)));
/// let b = Mat34::from(Transform::from_scale(Vec3::splat(2.0)));
/// assert_eq!((a * b).transform_point(Vec3::ONE), Vec3::new(3.0, 4.0, 5.0));
/// assert_eq!(&a * &b * Vec3::ONE, Vec3::new(3.0, 4.0, 5.0));
/// assert_eq!((b.determinant(), b.is_mirrored(), b.is_finite()), (8.0, false, true));
/// ```
///
/// With the feature `bytemuck`, matrices are plain data that can be uploaded:
///
/// ```
/// # use hedgerow_math::Mat34;
/// # #[cfg(feature = "bytemuck")] {
/// let palette = vec![Mat34::IDENTITY; 64];
/// let bytes: &[u8] = bytemuck::cast_slice(&palette);
/// assert_eq!(bytes.len(), 64 * 48);
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(C, align(16))]
pub struct Mat34 {
    /// The three rows; the fourth, `[0, 0, 0, 1]`, is implied.
    pub rows: [[f32; 4]; 3],
}

impl Mat34 {
    /// The identity.
    pub const IDENTITY: Self = Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// Returns the translation column.
    #[inline]
    #[must_use]
    pub fn translation(&self) -> Vec3 {
        let [x, y, z] = &self.rows;
        Vec3::new(x[3], y[3], z[3])
    }

    /// Maps a point: applies the linear part and the translation.
    #[inline]
    #[must_use]
    pub fn transform_point(&self, point: Vec3) -> Vec3 {
        self.transform_vector(point) + self.translation()
    }

    /// Maps a direction: applies only the linear part.
    #[inline]
    #[must_use]
    pub fn transform_vector(&self, vector: Vec3) -> Vec3 {
        let dot = |row: &[f32; 4]| row[0] * vector.x + row[1] * vector.y + row[2] * vector.z;
        Vec3::new(dot(&self.rows[0]), dot(&self.rows[1]), dot(&self.rows[2]))
    }

    /// Returns the determinant of the linear part: the factor by which volumes grow, negative if the transform mirrors.
    #[inline]
    #[must_use]
    pub fn determinant(&self) -> f32 {
        let [a, b, c] = &self.rows;
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    }

    /// Returns whether the transform mirrors, and so reverses the winding of triangles.
    #[inline]
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        self.determinant() < 0.0
    }

    /// Returns whether all twelve numbers are finite.
    #[inline]
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.rows.as_flattened().iter().all(|x| x.is_finite())
    }

    /// Returns the inverse, computed in double precision. Returns `None` if a scale is zero or a number is not finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        invert_wide(&self.to_wide()).map(|inverse| Self::from_wide(&inverse)).filter(Self::is_finite)
    }

    /// Returns the rows of the matrix that transforms normals. If the transform scales, transformed normals do not have
    /// length 1: normalise them.
    ///
    /// It is the inverse transpose of the linear part, computed in double precision.
    ///
    /// If the inverse does not exist or exceeds single precision, the result is the cofactor matrix, divided by its
    /// greatest element. If the transform flattens space to a plane, the result maps normals to the plane's normal or
    /// to zero. The result is all zeros if the transform flattens space to a line or a point, or is not finite.
    ///
    /// ```
    /// use hedgerow_math::{Mat34, Transform, glam::Vec3};
    ///
    /// let wide = Mat34::from(Transform::from_scale(Vec3::new(2.0, 1.0, 4.0)));
    /// assert_eq!(wide.normal_matrix(), [[0.5, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.25]]);
    /// let flat = Mat34::from(Transform::from_scale(Vec3::new(2.0, 0.0, 4.0)));
    /// assert_eq!(flat.normal_matrix(), [[0.0; 3], [0.0, 1.0, 0.0], [0.0; 3]]);
    /// ```
    #[must_use]
    pub fn normal_matrix(&self) -> [[f32; 3]; 3] {
        let linear = self.to_wide().matrix3;
        let rounded = |rows: [DVec3; 3]| rows.map(|row| row.as_vec3().to_array());
        if let Some(DAffine3 { matrix3, .. }) = invert_wide(&DAffine3::from_mat3(linear)) {
            let rows = rounded([matrix3.x_axis, matrix3.y_axis, matrix3.z_axis]);
            if rows.as_flattened().iter().all(|part| part.is_finite()) {
                return rows;
            }
        }
        let DMat3 { x_axis: a, y_axis: b, z_axis: c } = linear.transpose();
        // A singular matrix still has cofactors: a flattened mesh keeps the normal of its plane.
        let cofactors = [b.cross(c), c.cross(a), a.cross(b)];
        let greatest = cofactors.iter().fold(0.0_f64, |greatest, row| greatest.max(row.abs().max_element()));
        // A line or a point has no normals.
        if greatest == 0.0 || !linear.is_finite() {
            return [[0.0; 3]; 3];
        }
        // The inverse transpose is the cofactor matrix divided by the determinant, which is negative for a mirror.
        let greatest = if a.dot(cofactors[0]) < 0.0 { -greatest } else { greatest };
        rounded(cofactors.map(|row| row / greatest))
    }

    /// Decomposes the matrix into translation, rotation and scale. Returns `None` if the matrix shears, if a column is
    /// zero, or if a number is not finite. Shear up to 1e-6, relative to the length of a column, is ignored.
    ///
    /// For a mirroring matrix, `scale.x` is negative.
    #[must_use]
    pub fn to_transform(&self) -> Option<Transform> {
        transform_from_wide(&self.to_wide())
    }

    /// Decomposes the matrix without its shear; `None` if it is not finite.
    ///
    /// The scale has the columns' lengths; the rotation is the one that is nearest to the columns' directions.
    ///
    /// The result equals [`to_transform`](Self::to_transform) if the matrix does not shear. Otherwise this call takes
    /// some microseconds. For a mirroring matrix, `scale.x` is negative. A zero column gives a scale of zero. If
    /// several rotations are equally near, any of them is returned.
    ///
    /// ```
    /// use hedgerow_math::{Mat34, Transform};
    ///
    /// let sheared = Mat34 { rows: [[1.0, 0.2, 0.0, 5.0], [0.2, 1.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]] };
    /// assert_eq!(sheared.to_transform(), None);
    /// let near = sheared.nearest_transform().expect("the matrix is finite");
    /// assert_eq!(near.rotation, Transform::IDENTITY.rotation);
    /// assert_eq!(near.scale.z, 3.0);
    /// ```
    #[must_use]
    pub fn nearest_transform(&self) -> Option<Transform> {
        let wide = self.to_wide();
        transform_from_wide(&wide).or_else(|| wide.is_finite().then(|| nearest_transform(&wide)))
    }

    /// Returns the matrix in double precision.
    #[must_use]
    #[inline]
    pub fn to_wide(self) -> DAffine3 {
        let [x, y, z] = self.rows.map(|row| row.map(f64::from));
        DAffine3 {
            matrix3: DMat3::from_cols_array_2d(&[[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]]),
            translation: DVec3::new(x[3], y[3], z[3]),
        }
    }

    /// Creates a matrix from double precision, rounded to single precision.
    ///
    /// ```
    /// use hedgerow_math::Mat34;
    /// use hedgerow_math::glam::{DAffine3, DVec3};
    ///
    /// let place = DAffine3::from_translation(DVec3::new(1e7, 0.1, 0.0));
    /// assert_eq!(Mat34::from_wide(&place).to_wide().translation.y, f64::from(0.1_f32));
    /// ```
    #[must_use]
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
    pub fn from_wide(wide: &DAffine3) -> Self {
        let m = wide.matrix3.to_cols_array_2d();
        let t = wide.translation.to_array();
        Self { rows: core::array::from_fn(|r| [m[0][r] as f32, m[1][r] as f32, m[2][r] as f32, t[r] as f32]) }
    }

    /// Returns the twelve numbers as bits, for exact comparisons.
    #[inline(always)]
    #[doc(hidden)]
    pub fn to_bits(self) -> [[u32; 4]; 3] {
        // This is not written with `array::map`, because closures are not always inlined across crates.
        let [x, y, z] = self.rows;
        let bits = |[a, b, c, d]: [f32; 4]| [a.to_bits(), b.to_bits(), c.to_bits(), d.to_bits()];
        [bits(x), bits(y), bits(z)]
    }

    /// Returns whether both matrices have the same bits.
    #[inline(always)]
    #[must_use]
    #[doc(hidden)]
    pub fn same_bits(&self, other: &Self) -> bool {
        // This compiles to no branch and no call of `memcmp`.
        let numbers = self.rows.as_flattened().iter().zip(other.rows.as_flattened());
        numbers.fold(0, |any, (a, b)| any | (a.to_bits() ^ b.to_bits())) == 0
    }
}

/// Returns whether single precision represents a vector to about its last digit. Subnormal numbers have fewer digits.
#[inline]
pub fn keeps(vector: DVec3) -> bool {
    loss(vector) <= vector.abs().max_element() * f64::from(f32::EPSILON)
}

/// Returns the greatest rounding error of any component in single precision.
fn loss(vector: DVec3) -> f64 {
    (vector - vector.as_vec3().as_dvec3()).abs().max_element()
}

/// Returns whether single precision represents a translation in the space of `above` closely enough. This is so if
/// almost every digit is kept, or the error times the greatest number of `above` is at most the last digit of `place`,
/// the position in the outer space, or the smallest number of single precision.
#[inline]
pub fn keeps_translation(translation: DVec3, above: &DAffine3, place: DVec3) -> bool {
    let DMat3 { x_axis, y_axis, z_axis } = above.matrix3.abs();
    let enlarged = loss(translation) * x_axis.max(y_axis).max(z_axis).max_element();
    let around = above.translation.abs().max(place.abs()).max_element();
    let resolution = (around * f64::from(f32::EPSILON)).max(f64::from(f32::from_bits(1)));
    keeps(translation) || enlarged <= resolution
}

/// Returns the inverse of `wide`, or `None` if the linear part is singular: the determinant is at most 10⁻¹² of the
/// product of the columns' lengths. A product of translation, rotation and non-zero scale always has an inverse.
pub fn invert_wide(wide: &DAffine3) -> Option<DAffine3> {
    // A small scale must not count as zero, so compare with the columns' lengths.
    let m = &wide.matrix3;
    let volume = m.x_axis.length() * m.y_axis.length() * m.z_axis.length();
    let determinant = m.determinant();
    // The volume of perpendicular axes of these lengths: the quotient does not depend on scales.
    let regular = volume > 0.0 && volume.is_finite() && determinant.abs() > volume * 1e-12;
    regular.then(|| wide.inverse()).filter(|inverse| inverse.is_finite())
}

/// Decomposes `wide` into translation, rotation and scale: see [`Mat34::to_transform`].
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
pub fn transform_from_wide(wide: &DAffine3) -> Option<Transform> {
    if !wide.is_finite() {
        return None;
    }
    let m = &wide.matrix3;
    let mut lengths = DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
    if lengths.min_element() <= 0.0 {
        return None;
    }
    // A mirror is expressed by one negative scale; x by convention.
    if m.determinant() < 0.0 {
        lengths.x = -lengths.x;
    }
    let axes = DMat3::from_cols(m.x_axis / lengths.x, m.y_axis / lengths.y, m.z_axis / lengths.z);
    let rotation = glam::DQuat::from_mat3(&axes).normalize();
    // Shear is lost in the quaternion, and shows in the difference.
    let again = DMat3::from_quat(rotation);
    let tolerance = 1e-6;
    let same = |a: DVec3, b: DVec3| (a - b).abs().max_element() <= tolerance;
    let expressed =
        same(again.x_axis, axes.x_axis) && same(again.y_axis, axes.y_axis) && same(again.z_axis, axes.z_axis);
    let transform = Transform {
        translation: wide.translation.as_vec3(),
        rotation: rotation.as_quat(),
        scale: Vec3::new(lengths.x as f32, lengths.y as f32, lengths.z as f32),
    };
    (expressed && transform.is_finite() && transform.scale.abs().min_element() > 0.0).then_some(transform)
}

/// Returns the columns' lengths and the nearest rotation. The quaternion is the eigenvector of the greatest eigenvalue
/// of a symmetric 4×4 matrix, and also exists for singular `wide`. Source: B. K. P. Horn, "Closed-form solution of
/// absolute orientation using unit quaternions", 1987, section 4.
fn nearest_transform(wide: &DAffine3) -> Transform {
    let mut axes = [wide.matrix3.x_axis, wide.matrix3.y_axis, wide.matrix3.z_axis];
    let mut lengths = DVec3::from_array(axes.map(DVec3::length)).min(DVec3::splat(f64::from(f32::MAX)));
    if wide.matrix3.determinant() < 0.0 {
        (axes[0], lengths.x) = (-axes[0], -lengths.x);
    }
    let [x, y, z] = axes.map(DVec3::normalize_or_zero);
    let (a, b, c) = (y.z - z.y, z.x - x.z, x.y - y.x);
    let (d, e, f) = (x.y + y.x, z.x + x.z, y.z + z.y);
    // Horn's matrix, with its eigenvalues shifted so that they are positive.
    let mut power = DMat4::from_cols_array_2d(&[
        [3.0 + x.x + y.y + z.z, a, b, c],
        [a, 3.0 + x.x - y.y - z.z, d, e],
        [b, d, 3.0 - x.x + y.y - z.z, f],
        [c, e, f, 3.0 - x.x - y.y + z.z],
    ]);
    // Each squaring squares the ratios of the eigenvalues, until only the eigenvector of the greatest remains.
    for _ in 0..32 {
        power *= power;
        power *= power.diagonal().element_sum().recip();
    }
    let DVec4 { x: w, y: x, z: y, w: z } = power.col(power.diagonal().max_position());
    let rotation = glam::DQuat::from_xyzw(x, y, z, w).normalize().as_quat();
    Transform { translation: wide.translation.as_vec3(), rotation, scale: lengths.as_vec3() }
}

impl Default for Mat34 {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Mul for Mat34 {
    type Output = Self;

    /// Returns the transform that applies `rhs` first, then `self`.
    ///
    /// Each row is `((a₀·b₀ + a₁·b₁) + a₂·b₂) + (0, 0, 0, a₃)`, without fused multiply-add, so it has the same bits on
    /// every machine.
    #[inline]
    fn mul(self, rhs: Self) -> Self {
        let [b0, b1, b2] = rhs.rows;
        let row = |a: [f32; 4]| -> [f32; 4] {
            let shift = [0.0, 0.0, 0.0, a[3]];
            core::array::from_fn(|c| ((a[0] * b0[c] + a[1] * b1[c]) + a[2] * b2[c]) + shift[c])
        };
        let [x, y, z] = self.rows;
        Self { rows: [row(x), row(y), row(z)] }
    }
}

impl Mul<&Self> for Mat34 {
    type Output = Self;

    #[inline]
    fn mul(self, rhs: &Self) -> Self {
        self * *rhs
    }
}

impl Mul<Mat34> for &Mat34 {
    type Output = Mat34;

    #[inline]
    fn mul(self, rhs: Mat34) -> Mat34 {
        *self * rhs
    }
}

impl Mul for &Mat34 {
    type Output = Mat34;

    #[inline]
    fn mul(self, rhs: Self) -> Mat34 {
        *self * *rhs
    }
}

impl MulAssign for Mat34 {
    #[inline]
    fn mul_assign(&mut self, rhs: Self) {
        *self = *self * rhs;
    }
}

impl Mul<Vec3> for Mat34 {
    type Output = Vec3;

    /// Maps a point, like [`Mat34::transform_point`]. For directions use [`Mat34::transform_vector`].
    #[inline]
    fn mul(self, point: Vec3) -> Vec3 {
        self.transform_point(point)
    }
}

impl Mul<Vec3> for &Mat34 {
    type Output = Vec3;

    #[inline]
    fn mul(self, point: Vec3) -> Vec3 {
        self.transform_point(point)
    }
}

impl Mul<Vec4> for Mat34 {
    type Output = Vec4;

    /// Returns the product with a column vector. Its `w`, 1 for a point and 0 for a direction, stays the same.
    #[inline]
    fn mul(self, column: Vec4) -> Vec4 {
        let mapped = self.transform_vector(column.truncate()) + self.translation() * column.w;
        mapped.extend(column.w)
    }
}

impl From<Transform> for Mat34 {
    #[inline]
    fn from(transform: Transform) -> Self {
        transform.to_matrix()
    }
}

impl From<Affine3> for Mat34 {
    fn from(affine: Affine3) -> Self {
        Affine3A::from(affine).into()
    }
}

impl From<Affine3A> for Mat34 {
    fn from(affine: Affine3A) -> Self {
        let m = Mat3::from(affine.matrix3).to_cols_array_2d();
        let t = affine.translation.to_array();
        Self { rows: core::array::from_fn(|r| [m[0][r], m[1][r], m[2][r], t[r]]) }
    }
}

/// The first three rows of a matrix whose fourth row is `[0, 0, 0, 1]`.
///
/// ```
/// use hedgerow_math::glam::camera::rh::proj::directx;
/// use hedgerow_math::glam::{Mat4, Vec3};
/// use hedgerow_math::{Error, Mat34};
///
/// let moved = Mat34::try_from(Mat4::from_translation(Vec3::X))?;
/// assert_eq!(moved.translation(), Vec3::X);
/// assert_eq!(Mat34::try_from(directx::perspective(1.0, 1.0, 0.1, 10.0)), Err(Error::NotAffine));
/// # Ok::<(), Error>(())
/// ```
impl TryFrom<Mat4> for Mat34 {
    type Error = Error;

    /// # Errors
    /// [`Error::NotAffine`] for any other fourth row, for example of a perspective projection.
    fn try_from(matrix: Mat4) -> Result<Self, Error> {
        let [x, y, z, w] = matrix.transpose().to_cols_array_2d();
        if w == [0.0, 0.0, 0.0, 1.0] { Ok(Self { rows: [x, y, z] }) } else { Err(Error::NotAffine) }
    }
}

impl From<Mat34> for DAffine3 {
    /// Returns [`Mat34::to_wide`].
    #[inline]
    fn from(matrix: Mat34) -> Self {
        matrix.to_wide()
    }
}

impl From<Mat34> for Affine3A {
    fn from(matrix: Mat34) -> Self {
        Self::from_mat4(matrix.into())
    }
}

impl From<Mat34> for Mat4 {
    fn from(matrix: Mat34) -> Self {
        let [x, y, z] = matrix.rows;
        Self::from_cols_array_2d(&[x, y, z, [0.0, 0.0, 0.0, 1.0]]).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;

    fn some() -> [Mat34; 2] {
        let turn = Quat::from_rotation_y(0.7) * Quat::from_rotation_x(-0.3);
        let a = Transform { translation: Vec3::new(1.0, -2.0, 3.0), rotation: turn, scale: Vec3::new(2.0, -1.0, 0.5) };
        let b = Transform { translation: Vec3::new(0.5, 4.0, -1.0), rotation: turn.inverse(), scale: Vec3::splat(3.0) };
        [a.into(), b.into()]
    }

    #[test]
    fn normals_stay_perpendicular_to_what_is_mapped() {
        let shear = Mat34 { rows: [[1.0, 0.5, 0.0, 7.0], [0.0, -1.0, 0.25, 0.0], [0.0, 0.0, 3.0, 0.0]] };
        let [a, b] = some();
        for matrix in [a, b, shear, a * shear * b] {
            let [x, y, z] = matrix.normal_matrix().map(Vec3::from);
            for (normal, along) in
                [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-2.0, 1.0, 0.0))]
            {
                let mapped = Vec3::new(x.dot(normal), y.dot(normal), z.dot(normal));
                assert!(mapped.dot(matrix.transform_vector(along)).abs() < 1e-5, "{matrix:?}");
                assert!((mapped.dot(matrix.transform_vector(normal)) / normal.length_squared() - 1.0).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn a_flat_transform_maps_normals_to_that_of_its_plane() {
        let scaled = |scale: [f32; 3]| Mat34::from(Transform::from_scale(scale.into()));
        let up = [[0.0; 3], [0.0, 1.0, 0.0], [0.0; 3]];
        for scale in [[2.0, 0.0, 4.0], [1e30, 0.0, 1e30], [1e-30, 0.0, 1e-30]] {
            assert_eq!(scaled(scale).normal_matrix(), up, "{scale:?}");
        }
        assert_eq!(scaled([1e-44, 1e-44, 1e-44]).normal_matrix(), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let mirror = scaled([-1e-44, 1e-44, 1e-44]).normal_matrix();
        assert_eq!(mirror, [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "as of a larger mirror");
        for scale in [[0.0, 0.0, 1.0], [0.0; 3], [f32::NAN, 1.0, 1.0], [f32::INFINITY, 1.0, 1.0]] {
            assert_eq!(scaled(scale).normal_matrix(), [[0.0; 3]; 3], "{scale:?}");
        }
    }

    #[test]
    fn the_nearest_transform_leaves_only_the_shear_out() {
        let shear = Mat34 { rows: [[1.0, 0.5, 0.0, 7.0], [0.0, -1.0, 0.25, 0.0], [0.0, 0.5, 3.0, 0.0]] };
        let flat = Mat34 { rows: [[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 0.0], [5.0, 7.0, 9.0, 1e30]] };
        let [a, b] = some();
        for (matrix, mirrored) in [(shear, true), (a * shear, false), (b * shear, true), (flat, false)] {
            let near = matrix.nearest_transform().expect("it is finite");
            let [axes, turn] = [matrix.to_wide().matrix3, DMat3::from_quat(near.rotation.as_dquat())];
            let scale = near.scale.as_dvec3();
            let lengths = DVec3::new(axes.x_axis.length(), axes.y_axis.length(), axes.z_axis.length());
            assert!(scale.abs().abs_diff_eq(lengths, 1e-6 * lengths.max_element()));
            assert_eq!((near.scale.x < 0.0, near.translation), (mirrored, matrix.translation()));
            // The other factor of a polar decomposition is symmetric. Any other rotation has a smaller trace.
            let rest = turn.transpose() * axes * DMat3::from_diagonal(scale.recip());
            assert!(rest.abs_diff_eq(rest.transpose(), 1e-6), "{rest}");
            for turned in
                [DMat3::from_rotation_x, DMat3::from_rotation_y, DMat3::from_rotation_z].map(|by| by(3.0) * rest)
            {
                assert!(turned.diagonal().element_sum() < rest.diagonal().element_sum());
            }
        }
        for scale in [[2.0, 0.0, 4.0], [1e-40, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0; 3]] {
            let lost = Mat34::from(Transform { scale: scale.into(), ..b.to_transform().expect("no shear") });
            let near = Mat34::from(lost.nearest_transform().expect("it is finite"));
            assert!(Mat4::from(near).abs_diff_eq(lost.into(), 3e-6), "{near:?} {lost:?}");
        }
        assert_eq!(Mat34 { rows: [[f32::NAN; 4]; 3] }.nearest_transform(), None);
        assert!(Mat34 { rows: [[f32::MAX; 4]; 3] }.nearest_transform().is_some_and(|near| near.is_finite()));
    }

    #[test]
    #[expect(clippy::op_ref, reason = "products of references are what is tested")]
    fn products_by_value_and_by_reference_are_the_same() {
        let [a, b] = some();
        let product = a * b;
        let mut assigned = a;
        assigned *= b;
        for other in [&a * b, a * &b, &a * &b, assigned] {
            assert_eq!(other.to_bits(), product.to_bits());
        }
        let wide = Mat4::from(a) * Mat4::from(b);
        assert!(wide.abs_diff_eq(product.into(), 1e-5));
    }

    #[test]
    #[expect(clippy::op_ref, reason = "products of references are what is tested")]
    fn vectors_are_mapped_as_by_glam() {
        let [a, _] = some();
        let (wide, v) = (Mat4::from(a), Vec3::new(0.3, -0.7, 2.0));
        assert!((a * v).abs_diff_eq(wide.transform_point3(v), 1e-5));
        assert_eq!(&a * v, a.transform_point(v));
        assert_eq!((a * v.extend(0.0)).truncate(), a.transform_vector(v));
        assert!((a * v.extend(2.0)).abs_diff_eq(wide * v.extend(2.0), 1e-5));
    }

    #[test]
    fn an_affine_matrix_goes_to_glam_and_back() {
        for matrix in some() {
            assert_eq!(Mat34::try_from(Mat4::from(matrix)), Ok(matrix));
            assert_eq!(Mat34::from(Affine3A::from(matrix)), matrix);
        }
        let mut projective = Mat4::IDENTITY;
        projective.x_axis.w = 1e-9;
        assert_eq!(Mat34::try_from(projective), Err(Error::NotAffine));
        assert_eq!(Mat34::try_from(Mat4::ZERO), Err(Error::NotAffine));
    }
}
