//! World transforms in double precision, with a bound on the error of single precision.
//!
//! The bound is a running error analysis. It grows with every rounded product, by the spectral norm of locals and the
//! Frobenius norm of worlds. A rotation has a spectral norm of 1, so each level adds little instead of a factor.

use hedgerow::glam::{DAffine3, DMat3, DVec3};
use hedgerow::{Local, Mat34};

/// The distance from 1 to the next single-precision number.
const EPSILON: f64 = f32::EPSILON as f64;
/// The roundings per level, in products of norms.
const ROUNDINGS: f64 = 12.0;
/// The error by underflow.
const TINY: f64 = 1e-36;

/// A local transform as the scene stores it, and in double precision.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub local: Local,
    /// The value in double precision.
    pub wide: DAffine3,
    /// The greatest factor by which the linear part lengthens a vector.
    pub norm: f64,
    /// The length of the translation.
    pub length: f64,
    /// Whether a scale is exactly zero, so that no world transform below has an inverse.
    pub flat: bool,
}

impl Kept {
    /// Widens a local transform.
    pub fn new(local: Local) -> Self {
        let wide = widen(&local);
        let norm = match local {
            Local::Transform(transform) => f64::from(transform.scale.abs().max_element()) * 1.000_01,
            Local::Matrix(_) => frobenius(&wide.matrix3),
        };
        let axes = [wide.matrix3.x_axis, wide.matrix3.y_axis, wide.matrix3.z_axis];
        let flat = axes.contains(&DVec3::ZERO);
        Self { local, wide, norm, length: wide.translation.length(), flat }
    }
}

/// A world transform, with bounds on the error of the scene's.
#[derive(Clone, Copy, Debug)]
pub struct World {
    pub matrix: DAffine3,
    /// The bound on the error of the linear part.
    pub linear: f64,
    /// The bound on the error of the translation.
    pub shift: f64,
}

impl World {
    /// The world transform above the root.
    pub const IDENTITY: Self = Self { matrix: DAffine3::IDENTITY, linear: 0.0, shift: 0.0 };

    pub fn below(&self, kept: &Kept) -> Self {
        let norm = frobenius(&self.matrix.matrix3);
        let far = self.matrix.translation.length();
        Self {
            matrix: self.matrix * kept.wide,
            linear: self.linear * kept.norm + ROUNDINGS * EPSILON * norm * kept.norm + TINY,
            shift: self.shift + self.linear * kept.length + ROUNDINGS * EPSILON * (norm * kept.length + far) + TINY,
        }
    }

    /// Returns whether a matrix of the scene equals this one, within the bound.
    pub fn agrees(&self, matrix: &Mat34) -> bool {
        agrees(&self.matrix, matrix, self.linear, self.shift)
    }

    /// Returns the determinant of the linear part divided by the product of its columns' lengths.
    pub fn regularity(&self) -> f64 {
        regularity(&self.matrix.matrix3)
    }

    /// Returns the local transform that gives the world transform `expected`, and the bounds on the resulting error.
    pub fn local_for(&self, expected: &Self) -> (DAffine3, f64, f64) {
        let local = self.matrix.inverse() * expected.matrix;
        let (norm, length) = (frobenius(&local.matrix3), local.translation.length());
        let own = frobenius(&self.matrix.matrix3);
        // Translation, rotation and scale may be stored if they express the matrix to within 1e-6 per column.
        let linear = expected.linear + self.linear * norm + 8e-6 * own * norm + TINY;
        let far = expected.matrix.translation.length() + self.matrix.translation.length();
        let shift =
            expected.shift + self.shift + self.linear * length + ROUNDINGS * EPSILON * (own * length + far) + TINY;
        (local, linear, shift)
    }
}

/// Returns whether a matrix of the scene equals this one, within bounds for the linear part and the translation.
pub fn agrees(wide: &DAffine3, matrix: &Mat34, linear: f64, shift: f64) -> bool {
    let columns = wide.to_cols_array_2d();
    // NaN fails the comparison.
    let near = |a: f32, b: f64, bound: f64| (f64::from(a) - b).abs() <= bound;
    matrix
        .rows
        .iter()
        .enumerate()
        .all(|(r, row)| (0..3).all(|c| near(row[c], columns[c][r], linear)) && near(row[3], columns[3][r], shift))
}

/// Returns the determinant divided by the product of the columns' lengths: 1 for a rotation, 0 if there is no inverse.
pub fn regularity(m: &DMat3) -> f64 {
    let volume = m.x_axis.length() * m.y_axis.length() * m.z_axis.length();
    if volume > 0.0 { (m.determinant() / volume).abs() } else { 0.0 }
}

/// Returns the largest cosine between two columns: 0 without shear.
pub fn skew(m: &DMat3) -> f64 {
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis].map(DVec3::normalize_or_zero);
    x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs())
}

pub fn widen_matrix(matrix: &Mat34) -> DAffine3 {
    let [x, y, z] = matrix.rows.map(|row| row.map(f64::from));
    DAffine3::from_cols(
        DVec3::new(x[0], y[0], z[0]),
        DVec3::new(x[1], y[1], z[1]),
        DVec3::new(x[2], y[2], z[2]),
        DVec3::new(x[3], y[3], z[3]),
    )
}

pub fn widen(local: &Local) -> DAffine3 {
    match local {
        Local::Matrix(matrix) => widen_matrix(matrix),
        Local::Transform(transform) => DAffine3::from_scale_rotation_translation(
            transform.scale.as_dvec3(),
            transform.rotation.as_dquat().normalize(),
            transform.translation.as_dvec3(),
        ),
    }
}

fn frobenius(m: &DMat3) -> f64 {
    (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
}
