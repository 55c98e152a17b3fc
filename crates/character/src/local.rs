//! Quickly converts matrices to the form in which a scene stores local transforms.

use hedgerow::glam::{Mat3, Quat, Vec3};
use hedgerow::{Local, Mat34, Transform};

/// The greatest cosine of the angle between two axes that count as perpendicular.
///
/// Products of rotations deviate by about a ten-millionth per joint, so this limit suffices for a hundred joints.
const SKEW: f32 = 1e-5;

/// The range of axis lengths for which squares, and products of squares, are normal numbers.
const LENGTHS: core::ops::RangeInclusive<f32> = 1e-9..=1e9;

/// Returns a matrix as a local transform: as translation, rotation and scale if its axes are perpendicular to within
/// 1e-5, otherwise as the matrix itself, which the scene decomposes in double precision if it can. Decomposing turns no
/// axis by more than 1e-5. Returns `None` if a number is not finite.
///
/// Decomposes nearly all matrices, in a few nanoseconds.
#[inline]
pub(super) fn local_of(matrix: Mat34) -> Option<Local> {
    let [x, y, z] = matrix.rows;
    let mut axes: [Vec3; 3] = core::array::from_fn(|axis| Vec3::new(x[axis], y[axis], z[axis]));
    let mut scale = Vec3::from_array(axes.map(Vec3::length));
    let regular = LENGTHS.contains(&scale.min_element()) && LENGTHS.contains(&scale.max_element());
    let translation = matrix.translation();
    if !(regular && translation.is_finite()) {
        return matrix.is_finite().then_some(Local::Matrix(matrix));
    }
    for axis in 0..3 {
        axes[axis] /= scale[axis];
    }
    let [a, b, c] = axes;
    // Negated, so that NaN is taken as sheared.
    if !(a.dot(b).abs() <= SKEW && b.dot(c).abs() <= SKEW && c.dot(a).abs() <= SKEW) {
        return Some(Local::Matrix(matrix));
    }
    let mut first = a;
    // A mirror becomes a negative scale along x.
    if a.cross(b).dot(c) < 0.0 {
        (first, scale.x) = (-a, -scale.x);
    }
    let rotation = unit(Quat::from_mat3(&Mat3::from_cols(first, b, c)));
    Some(Local::Transform(Transform { translation, rotation, scale }))
}

/// Normalises a quaternion. (`Quat::normalize` adds in an order that depends on the machine's vectors.)
#[inline]
fn unit(rotation: Quat) -> Quat {
    let [x, y, z, w] = rotation.to_array();
    let inverse = (x * x + y * y + z * z + w * w).sqrt().recip();
    Quat::from_xyzw(x * inverse, y * inverse, z * inverse, w * inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    fn rotation(dice: &mut Rng) -> Quat {
        loop {
            let some = Quat::from_array([(); 4].map(|()| dice.f32() * 2.0 - 1.0));
            if some.length() > 1e-3 {
                return some.normalize();
            }
        }
    }

    fn difference(a: &Mat34, b: &Mat34) -> f32 {
        let pairs = a.rows.as_flattened().iter().zip(b.rows.as_flattened());
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn products_of_rotations_and_uniform_scales_become_transforms() {
        let mut dice = Rng::with_seed(7);
        for _ in 0..2000 {
            let mut matrix = Mat34::IDENTITY;
            for _ in 0..dice.usize(1..60) {
                let rotation = rotation(&mut dice);
                let turn = Transform { translation: Vec3::new(0.1, 0.2, -0.1), rotation, scale: Vec3::ONE };
                matrix *= turn.to_matrix();
            }
            let (scale, sign) = (0.01 + 100.0 * dice.f32(), if dice.bool() { -1.0 } else { 1.0 });
            matrix *= Transform::from_scale(Vec3::new(scale * sign, scale, scale)).to_matrix();
            let local = local_of(matrix).unwrap();
            assert!(local.transform().is_some_and(|transform| transform.checked() == Ok(transform)));
            let off = difference(&local.to_matrix(), &matrix);
            assert!(off <= 1e-5 * scale.max(1.0), "{off}");
        }
    }

    #[test]
    fn matrices_that_shear_stay_what_they_are() {
        let mut dice = Rng::with_seed(8);
        for _ in 0..2000 {
            let turn = Transform::from_rotation(rotation(&mut dice)).to_matrix();
            let mut shear = Mat34::IDENTITY;
            shear.rows[0][1] = 1e-4 + 2.0 * dice.f32();
            assert_eq!(local_of(turn * shear), Some(Local::Matrix(turn * shear)));
        }
    }

    #[test]
    fn flat_tiny_and_huge_matrices_are_left_to_the_scene() {
        for scale in [Vec3::new(1.0, 0.0, 1.0), Vec3::splat(1e-12), Vec3::splat(1e12)] {
            let matrix = Transform { scale, ..Transform::from_rotation(Quat::from_rotation_y(1.0)) }.to_matrix();
            assert_eq!(local_of(matrix), Some(Local::Matrix(matrix)));
        }
        let mut broken = Mat34::IDENTITY;
        broken.rows[1][3] = f32::NAN;
        assert_eq!(local_of(broken), None);
        broken.rows[1] = [0.0, f32::INFINITY, 0.0, 0.0];
        assert_eq!(local_of(broken), None);
    }
}
