//! Conversions from and to the types of `mint`, the exchange types of mathematics libraries.
//!
//! `glam` itself converts vectors and rotations.

use crate::{Mat34, Transform};
use mint::{ColumnMatrix4, IntoMint, RowMatrix3x4};

impl From<Mat34> for RowMatrix3x4<f32> {
    fn from(matrix: Mat34) -> Self {
        matrix.rows.into()
    }
}

impl From<RowMatrix3x4<f32>> for Mat34 {
    fn from(matrix: RowMatrix3x4<f32>) -> Self {
        Self { rows: matrix.into() }
    }
}

impl IntoMint for Mat34 {
    type MintType = RowMatrix3x4<f32>;
}

/// The matrix, completed with the fourth row `[0, 0, 0, 1]`.
impl From<Mat34> for ColumnMatrix4<f32> {
    fn from(matrix: Mat34) -> Self {
        glam::Mat4::from(matrix).into()
    }
}

/// The matrix of the transform.
impl From<Transform> for RowMatrix3x4<f32> {
    fn from(transform: Transform) -> Self {
        transform.to_matrix().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3, Vec4};

    #[test]
    fn a_matrix_is_the_same_behind_mint() {
        let turned = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_y(0.5));
        let rows = RowMatrix3x4::from(turned);
        assert_eq!((rows.x.w, rows.y.w, rows.z.w), (1.0, 2.0, 3.0));
        assert_eq!(Mat34::from(rows), turned.to_matrix());
        let columns = glam::Mat4::from(ColumnMatrix4::from(turned.to_matrix()));
        assert_eq!(columns.w_axis, Vec4::new(1.0, 2.0, 3.0, 1.0));
        let vector: mint::Vector3<f32> = Vec3::X.into();
        let rotation: mint::Quaternion<f32> = turned.rotation.into();
        assert_eq!((Vec3::from(vector), Quat::from(rotation)), (Vec3::X, turned.rotation));
    }
}
