//! View frusta.

use crate::Error;
use crate::boxes::kernels;
use crate::{Aabb, BoxGroup};
use glam::{DVec3, DVec4, Mat4, Vec4};

/// The visible space of a camera: the space inside six planes.
///
/// A box *touches* the frustum unless it is entirely outside at least one plane. This six-plane test keeps a few boxes
/// near the edges that a finer test would drop. It never drops a box that the frustum reaches, not even by rounding:
/// see [`Frustum::touches`].
///
/// ```
/// use hedgerow_math::glam::Vec3;
/// use hedgerow_math::glam::camera::rh;
/// use hedgerow_math::{Aabb, Frustum};
///
/// let projection = rh::proj::directx::perspective_infinite_reverse(1.0, 16.0 / 9.0, 0.1);
/// let view = rh::view::look_at_mat4(Vec3::ZERO, Vec3::NEG_Z, Vec3::Y);
/// let frustum = Frustum::from_view_projection(&(projection * view))?;
/// assert!(frustum.touches(&Aabb::new(Vec3::new(-1.0, -1.0, -9.0), Vec3::new(1.0, 1.0, -8.0))));
/// assert!(!frustum.touches(&Aabb::new(Vec3::new(-1.0, -1.0, 8.0), Vec3::new(1.0, 1.0, 9.0))));
/// # Ok::<(), hedgerow_math::Error>(())
/// ```
///
/// Source of the planes: G. Gribb, K. Hartmann, "Fast extraction of viewing frustum planes from the
/// world-view-projection matrix", 2001.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// `[x, y, z, d]`: a unit normal that points inwards, and a distance that is enlarged by the rounding error. Only
    /// the first `count` planes are used.
    planes: [[f32; 4]; 6],
    /// The number of planes in use.
    count: u8,
}

/// The relative tolerance of the kernels. A box is outside a plane only if its distance exceeds this factor times the
/// sum of its greatest absolute coordinates on the three axes.
///
/// Let `u = 2⁻²⁴`, half a unit in the last place. A plane's normal, its distance and each product are rounded once, and
/// there are three sums: `x·n` has at most five roundings, `d` three. Since `|n_i| <= 1`, the error is at most `5.1u ·
/// (|x| + |y| + |z| + |d|)`. `8u = 2⁻²¹` covers this and the rounding of the sum itself. `Frustum::of` adds the term of
/// `d` to each plane's distance, and `UNDERFLOW` for subnormal products.
pub(crate) const TOLERANCE: f32 = 1.0 / 2_097_152.0;

/// An upper bound for the error of three products that round to subnormal numbers, 3 · 2⁻¹⁵⁰.
const UNDERFLOW: f64 = 1e-37;

/// The length below which a normal is rounding noise, relative to the two matrix rows of the plane.
const NOISE: f64 = 4.0 / 16_777_216.0;

impl Frustum {
    /// Creates the frustum of a world-to-clip matrix with depths from 0 to 1: Direct3D, Vulkan, Metal, WebGPU.
    ///
    /// Depth may be reversed, and the far plane may be infinite. Depths from `0` to `w` are visible, whichever end is
    /// near.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a matrix with NaN or infinities.
    pub fn from_view_projection(matrix: &Mat4) -> Result<Self, Error> {
        let [x, y, z, w] = rows(matrix)?;
        Ok(Self::of([sum(w, x), difference(w, x), sum(w, y), difference(w, y), sum(z, DVec4::ZERO), difference(w, z)]))
    }

    /// Creates the frustum of a world-to-clip matrix with depths from −1 to 1: OpenGL.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a matrix with NaN or infinities.
    pub fn from_view_projection_gl(matrix: &Mat4) -> Result<Self, Error> {
        let [x, y, z, w] = rows(matrix)?;
        Ok(Self::of([sum(w, x), difference(w, x), sum(w, y), difference(w, y), sum(w, z), difference(w, z)]))
    }

    /// Creates the frustum of all points `p` with `x·p.x + y·p.y + z·p.z + w >= 0` for each plane `(x, y, z, w)`.
    /// Normals may have any length.
    ///
    /// A plane with a zero normal has no effect, so pass `Vec4::ZERO` for planes that you do not need.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a plane with NaN or infinities.
    pub fn from_planes(planes: [Vec4; 6]) -> Result<Self, Error> {
        if planes.iter().all(|plane| plane.is_finite()) {
            Ok(Self::of(planes.map(|plane| (plane.as_dvec4(), 0.0))))
        } else {
            Err(Error::NotFinite("a plane"))
        }
    }

    /// Returns whether a box touches the frustum: `false` if it is entirely outside at least one plane. Infinite boxes
    /// and boxes with NaN always touch; empty boxes never do.
    ///
    /// The result is never `false` for a box that touches in exact arithmetic. It may be `true` for a box that misses
    /// the frustum by about a millionth of the box's distance from the origin, at most 2.5 millionths.
    #[must_use]
    pub fn touches(&self, bounds: &Aabb) -> bool {
        kernels::in_frustum(&[BoxGroup::of(bounds)], self).0 != 0
    }

    /// Returns the planes in the form that the kernels test.
    #[inline]
    #[doc(hidden)]
    pub fn planes(&self) -> &[[f32; 4]] {
        &self.planes[..usize::from(self.count)]
    }

    /// Normalises the planes and moves them outwards. Skips a plane if its normal is no longer than the given noise.
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what the tolerance is for")]
    fn of(planes: [(DVec4, f64); 6]) -> Self {
        let mut frustum = Self { planes: [[0.0; 4]; 6], count: 0 };
        for (plane, noise) in planes {
            let length = plane.truncate().length();
            if length <= noise {
                continue;
            }
            let unit: DVec3 = plane.truncate() / length;
            let distance = plane.w / length;
            let outwards = distance + distance.abs() * f64::from(TOLERANCE) + UNDERFLOW;
            frustum.planes[usize::from(frustum.count)] = [unit.x as f32, unit.y as f32, unit.z as f32, outwards as f32];
            frustum.count += 1;
        }
        frustum
    }
}

/// Returns the four rows of a finite matrix, in double precision.
fn rows(matrix: &Mat4) -> Result<[DVec4; 4], Error> {
    if !matrix.is_finite() {
        return Err(Error::NotFinite("a view-projection matrix"));
    }
    Ok(core::array::from_fn(|row| matrix.row(row).as_dvec4()))
}

fn sum(a: DVec4, b: DVec4) -> (DVec4, f64) {
    (a + b, noise(a, b))
}

fn difference(a: DVec4, b: DVec4) -> (DVec4, f64) {
    (a - b, noise(a, b))
}

/// Returns the length up to which a sum or difference of two rows is only rounding error.
fn noise(a: DVec4, b: DVec4) -> f64 {
    if b == DVec4::ZERO { 0.0 } else { NOISE * (a.truncate().length() + b.truncate().length()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use glam::camera::{lh, rh};

    /// Compares the frustum with the clip volume of each kind of projection: every API, left- and right-handed, both
    /// depth directions.
    #[test]
    fn points_are_in_the_frustum_that_their_projection_shows() {
        let eye = Vec3::new(3.0, -2.0, 7.0);
        let right = rh::view::look_at_mat4(eye, Vec3::ZERO, Vec3::Y);
        let left = lh::view::look_at_mat4(eye, Vec3::ZERO, Vec3::Y);
        let (fov, aspect, near, far) = (1.0, 1.5, 0.5, 12.0);
        let parallel = [-4.0, 4.0, -3.0, 3.0];
        let [l, r, b, t] = parallel;
        let zero_to_one = [
            rh::proj::directx::perspective(fov, aspect, near, far) * right,
            rh::proj::directx::perspective(fov, aspect, far, near) * right,
            rh::proj::directx::perspective_infinite(fov, aspect, near) * right,
            rh::proj::directx::perspective_infinite_reverse(fov, aspect, near) * right,
            rh::proj::directx::orthographic(l, r, b, t, near, far) * right,
            rh::proj::directx::orthographic(l, r, b, t, far, near) * right,
            rh::proj::vulkan::perspective(fov, aspect, near, far) * right,
            lh::proj::directx::perspective(fov, aspect, near, far) * left,
            lh::proj::directx::perspective_infinite_reverse(fov, aspect, near) * left,
            lh::proj::directx::orthographic(l, r, b, t, near, far) * left,
        ];
        let gl = [
            rh::proj::opengl::perspective(fov, aspect, near, far) * right,
            rh::proj::opengl::orthographic(l, r, b, t, near, far) * right,
            lh::proj::opengl::perspective(fov, aspect, near, far) * left,
        ];
        let frusta = zero_to_one.map(|matrix| (matrix, 0.0, Frustum::from_view_projection(&matrix).unwrap()));
        let gl = gl.map(|matrix| (matrix, -1.0, Frustum::from_view_projection_gl(&matrix).unwrap()));
        for (number, (matrix, least, frustum)) in frusta.into_iter().chain(gl).enumerate() {
            let (mut inside, mut outside) = (0, 0);
            for place in 0..21_i32.pow(3) {
                let [x, y, z] = [1, 21, 441].map(|step| (place / step % 21 - 10) as f32 * 1.37 + 0.011);
                let clip = matrix * Vec4::new(x, y, z, 1.0);
                // The distances from the planes, positive inside. A point on a plane may count as inside or outside.
                let depths = [clip.w - clip.x, clip.w + clip.x, clip.w - clip.y, clip.w + clip.y];
                let margin =
                    depths.into_iter().chain([clip.z - least * clip.w, clip.w - clip.z]).fold(f32::MAX, f32::min);
                let point = Vec3::new(x, y, z);
                if margin.abs() > 1e-4 {
                    assert_eq!(frustum.touches(&Aabb::new(point, point)), margin > 0.0, "matrix {number}, {point}");
                    if margin > 0.0 { inside += 1 } else { outside += 1 }
                }
            }
            assert!(inside > 20 && outside > 1000, "matrix {number} shows {inside} points, and not {outside}");
        }
    }

    fn at(z: f32) -> Aabb {
        Aabb::new(Vec3::new(-1.0, -1.0, z), Vec3::new(1.0, 1.0, z + 1.0))
    }

    #[test]
    fn every_depth_convention_gives_the_same_near_and_far() {
        let zero_to_one = [
            (rh::proj::directx::perspective(1.0, 1.5, 0.5, 100.0), true),
            (rh::proj::directx::perspective(1.0, 1.5, 100.0, 0.5), true),
            (rh::proj::directx::perspective_infinite(1.0, 1.5, 0.5), false),
            (rh::proj::directx::perspective_infinite_reverse(1.0, 1.5, 0.5), false),
        ];
        let frusta = zero_to_one.map(|(matrix, far)| (Frustum::from_view_projection(&matrix).unwrap(), far));
        let gl = Frustum::from_view_projection_gl(&rh::proj::opengl::perspective(1.0, 1.5, 0.5, 100.0)).unwrap();
        for (frustum, has_far) in frusta.into_iter().chain([(gl, true)]) {
            assert!(frustum.touches(&at(-50.0)));
            assert!(!frustum.touches(&at(1.0)), "behind the camera");
            assert_eq!(!frustum.touches(&at(-200.0)), has_far);
            assert!(!frustum.touches(&Aabb::new(Vec3::new(90.0, 0.0, -50.0), Vec3::new(91.0, 1.0, -49.0))));
            assert!(frustum.touches(&Aabb::INFINITE) && !frustum.touches(&Aabb::EMPTY));
        }
    }

    #[test]
    fn a_matrix_of_zeros_bounds_nothing() {
        let frustum = Frustum::from_view_projection(&Mat4::ZERO).unwrap();
        assert!(frustum.touches(&at(1e30)) && !frustum.touches(&Aabb::EMPTY));
    }

    #[test]
    fn a_camera_far_out_with_an_infinite_far_plane_sees_what_is_before_it() {
        let eye = Vec3::new(3e5, 2e5, -7e5);
        let view = rh::view::look_at_mat4(eye, Vec3::ZERO, Vec3::Y);
        let frustum =
            Frustum::from_view_projection(&(rh::proj::directx::perspective_infinite(1.0, 1.0, 0.01) * view)).unwrap();
        let ahead = Aabb::new(-eye - 10.0, -eye + 10.0);
        assert!(frustum.touches(&ahead));
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        let mut matrix = Mat4::IDENTITY;
        matrix.x_axis.y = f32::NAN;
        assert!(matches!(Frustum::from_view_projection(&matrix), Err(Error::NotFinite(_))));
        assert!(matches!(Frustum::from_view_projection_gl(&matrix), Err(Error::NotFinite(_))));
        assert!(matches!(Frustum::from_planes([Vec4::INFINITY; 6]), Err(Error::NotFinite(_))));
    }
}
