//! View frusta.

use crate::Error;
use crate::boxes::kernels;
use crate::mat34::invert_wide;
use crate::{Aabb, BoxGroup, Mat34};
use glam::{DVec3, DVec4, Mat4, Vec2, Vec4};

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
    /// Creates the frustum of a world-to-clip matrix with depths from 0 to 1, as for Direct3D, Vulkan, Metal and
    /// WebGPU, not from −1 to 1 as for OpenGL.
    ///
    /// Depth may be reversed, and the far plane may be infinite. Depths from `0` to `w` are visible, whichever end is
    /// near.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a matrix with NaN or infinities.
    pub fn from_view_projection(matrix: &Mat4) -> Result<Self, Error> {
        Self::from_view_projection_rect(matrix, Vec2::NEG_ONE, Vec2::ONE)
    }

    /// Creates the frustum of a world-to-clip matrix with depths from −1 to 1: OpenGL.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a matrix with NaN or infinities.
    pub fn from_view_projection_gl(matrix: &Mat4) -> Result<Self, Error> {
        Self::from_view_projection_rect_gl(matrix, Vec2::NEG_ONE, Vec2::ONE)
    }

    /// Creates the part of a [view frustum](Self::from_view_projection) that a rectangle of the screen shows, to find
    /// what a selection rectangle touches.
    ///
    /// `min` and `max` are in normalised device coordinates, as in [`Ray::from_ndc`](crate::Ray::from_ndc): −1 to 1
    /// from left to right and from bottom to top. A drag from `a` to `b` selects from `a.min(b)` to `a.max(b)`. The
    /// rectangle may be a line or a point, and may reach beyond the screen.
    ///
    /// # Errors
    /// [`Error::NotFinite`], also for an empty rectangle: `min` exceeds `max` on an axis.
    ///
    /// ```
    /// use hedgerow_math::glam::camera::rh;
    /// use hedgerow_math::glam::{Vec2, Vec3};
    /// use hedgerow_math::{Aabb, Frustum};
    ///
    /// let camera = rh::proj::directx::perspective_infinite_reverse(1.0, 1.0, 0.1);
    /// let [right, left] = [3.0, -3.0].map(|x| Aabb::from_points([Vec3::new(x, 0.0, -9.0)]));
    /// // A drag of the mouse from the bottom right corner to the middle:
    /// let (from, to) = (Vec2::new(1.0, -1.0), Vec2::new(0.0, 0.1));
    /// let selection = Frustum::from_view_projection_rect(&camera, from.min(to), from.max(to))?;
    /// assert!(selection.touches(&right) && !selection.touches(&left));
    /// # Ok::<(), hedgerow_math::Error>(())
    /// ```
    pub fn from_view_projection_rect(matrix: &Mat4, min: Vec2, max: Vec2) -> Result<Self, Error> {
        let [sides @ .., z, w] = rows(matrix)?;
        let [left, right, bottom, top] = sides_of(sides, w, min, max)?;
        Ok(Self::of([left, right, bottom, top, sum(z, DVec4::ZERO), difference(w, z)]))
    }

    /// Like [`Frustum::from_view_projection_rect`], for a matrix with depths from −1 to 1: OpenGL.
    ///
    /// # Errors
    /// The errors of [`Frustum::from_view_projection_rect`].
    pub fn from_view_projection_rect_gl(matrix: &Mat4, min: Vec2, max: Vec2) -> Result<Self, Error> {
        let [sides @ .., z, w] = rows(matrix)?;
        let [left, right, bottom, top] = sides_of(sides, w, min, max)?;
        Ok(Self::of([left, right, bottom, top, sum(w, z), difference(w, z)]))
    }

    /// Creates the frustum of all points `p` with `x·p.x + y·p.y + z·p.z + w >= 0` for each plane `(x, y, z, w)`.
    /// Normals may have any length.
    ///
    /// A plane with a zero normal has no effect, so pass `Vec4::ZERO` for planes that you do not need.
    ///
    /// What either eye of a headset sees, to cull both at once, if the displays are parallel and equally high:
    ///
    /// ```
    /// use hedgerow_math::glam::camera::rh::{proj::directx, view};
    /// use hedgerow_math::glam::{Vec3, Vec4};
    /// use hedgerow_math::{Aabb, Frustum};
    ///
    /// let projection = directx::perspective_infinite_reverse(1.0, 1.0, 0.1);
    /// let [l, r] = [-0.03, 0.03].map(|x| projection * view::look_to_mat4(Vec3::X * x, Vec3::NEG_Z, Vec3::Y));
    /// let [left, right] = [l.row(3) + l.row(0), r.row(3) - r.row(0)];
    /// let [below, above, near] = [l.row(3) + l.row(1), l.row(3) - l.row(1), l.row(3) - l.row(2)];
    /// let both = Frustum::from_planes([left, right, below, above, near, Vec4::ZERO])?;
    ///
    /// // The left eye sees as far as −5.493, the right one as far as −5.433.
    /// let [seen, missed] = [-5.48, -5.5].map(|x| Aabb::from_points([Vec3::new(x, 0.0, -10.0)]));
    /// assert!(both.touches(&seen) && !both.touches(&missed));
    /// # Ok::<(), hedgerow_math::Error>(())
    /// ```
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

    /// Creates the space of a box that a matrix moves, such as a turned trigger or a part of a machine, for queries.
    /// They test the boxes along the axes of the world around what they find; [`Aabb::intersects_moved`] is exact for a
    /// pair.
    ///
    /// # Errors
    /// [`Error::NotFinite`], also for an empty box and for a matrix without an inverse.
    ///
    /// ```
    /// use hedgerow_math::glam::{Quat, Vec3};
    /// use hedgerow_math::{Aabb, Frustum, Transform};
    ///
    /// let turned = Transform::IDENTITY.with_rotation(Quat::from_rotation_y(0.8)).to_matrix();
    /// let door = Frustum::from_box(&Aabb::new(Vec3::new(0.0, 0.0, -0.1), Vec3::new(4.0, 2.0, 0.1)), &turned)?;
    /// let [along, across] = [-2.0, 2.0].map(|z| Aabb::from_points([Vec3::new(2.0, 1.0, z)]));
    /// assert!(door.touches(&along) && !door.touches(&across));
    /// # Ok::<(), hedgerow_math::Error>(())
    /// ```
    pub fn from_box(bounds: &Aabb, matrix: &Mat34) -> Result<Self, Error> {
        let [min, max] = [bounds.min, bounds.max].map(|corner| corner.as_dvec3());
        let inverse = invert_wide(&matrix.to_wide()).filter(|_| min.cmple(max).all() && (max - min).is_finite());
        let inverse = inverse.ok_or(Error::NotFinite("a box, and its place"))?;
        let rows = inverse.matrix3.transpose();
        let planes = [0, 1, 2].map(|axis| {
            let (row, at) = (rows.col(axis), inverse.translation[axis]);
            [row.extend(at - min[axis]), (-row).extend(max[axis] - at)].map(|plane| (plane, 0.0))
        });
        let [[a, b], [c, d], [e, f]] = planes;
        Ok(Self::of([a, b, c, d, e, f]))
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

/// Returns the planes through the four sides of a rectangle of the screen: left, right, bottom, top.
fn sides_of([x, y]: [DVec4; 2], w: DVec4, min: Vec2, max: Vec2) -> Result<[(DVec4, f64); 4], Error> {
    if !(min.is_finite() && max.is_finite() && min.cmple(max).all()) {
        return Err(Error::NotFinite("a rectangle of the screen, with a min up to its max,"));
    }
    let (min, max) = (min.as_dvec2(), max.as_dvec2());
    Ok([difference(x, w * min.x), difference(w * max.x, x), difference(y, w * min.y), difference(w * max.y, y)])
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
    /// depth directions, the whole screen and parts of it.
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
        let screen = (Vec2::NEG_ONE, Vec2::ONE);
        let rects = [screen, (Vec2::new(-0.4, 0.0), Vec2::new(0.3, 0.8)), (Vec2::new(0.2, -2.0), Vec2::new(0.9, -0.1))];
        let frusta = zero_to_one.iter().flat_map(|matrix| {
            assert_eq!(
                Frustum::from_view_projection(matrix),
                Frustum::from_view_projection_rect(matrix, screen.0, screen.1)
            );
            let part = |(min, max)| (matrix, 0.0, (min, max), Frustum::from_view_projection_rect(matrix, min, max));
            rects.map(part)
        });
        let gl = gl.iter().flat_map(|matrix| {
            rects.map(|(min, max)| (matrix, -1.0, (min, max), Frustum::from_view_projection_rect_gl(matrix, min, max)))
        });
        for (number, (&matrix, least, (min, max), frustum)) in frusta.chain(gl).enumerate() {
            let (frustum, mut inside, mut outside) = (frustum.unwrap(), 0, 0);
            for place in 0..13_i32.pow(3) {
                let [x, y, z] = [1, 13, 169].map(|step| (place / step % 13 - 6) as f32 * 2.28 + 0.011);
                let clip = matrix * Vec4::new(x, y, z, 1.0);
                // The distances from the planes, positive inside. A point on a plane may count as inside or outside.
                let [below, above] =
                    [clip.truncate().truncate() - min * clip.w, max * clip.w - clip.truncate().truncate()];
                let depths = (clip.z - least * clip.w).min(clip.w - clip.z);
                let margin = below.min(above).min_element().min(depths);
                let point = Vec3::new(x, y, z);
                if margin.abs() > 1e-4 {
                    assert_eq!(frustum.touches(&Aabb::new(point, point)), margin > 0.0, "matrix {number}, {point}");
                    if margin > 0.0 { inside += 1 } else { outside += 1 }
                }
            }
            assert!(inside > 2 && outside > 1000, "matrix {number} shows {inside} points, and not {outside}");
        }
    }

    fn at(z: f32) -> Aabb {
        Aabb::new(Vec3::new(-1.0, -1.0, z), Vec3::new(1.0, 1.0, z + 1.0))
    }

    #[test]
    fn a_rectangle_without_area_selects_what_its_ray_meets() {
        let matrix = rh::proj::directx::perspective_infinite_reverse(1.0, 1.5, 0.5);
        let ndc = Vec2::new(0.3, -0.2);
        let frustum = Frustum::from_view_projection_rect(&matrix, ndc, ndc).unwrap();
        let ray = crate::Ray::from_ndc(&matrix, ndc).unwrap();
        for step in 1..20 {
            let on = ray.origin() + ray.direction() * 3.0 * step as f32;
            let off = on + Vec3::new(0.5, 0.0, 0.0);
            let around = |point: Vec3| Aabb::new(point - 0.01, point + 0.01);
            assert!(frustum.touches(&around(on)) && !frustum.touches(&around(off)), "step {step}");
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
        let rect = |min, max| Frustum::from_view_projection_rect(&Mat4::IDENTITY, min, max);
        for (min, max) in [(Vec2::ONE, Vec2::new(2.0, 0.9)), (Vec2::NAN, Vec2::ONE), (Vec2::ZERO, Vec2::INFINITY)] {
            assert!(matches!(rect(min, max), Err(Error::NotFinite(_))), "{min} to {max}");
        }
    }
}
