//! Rays and spheres.

use crate::mat34::invert_wide;
use crate::{Aabb, Error};
use glam::{DAffine3, DVec3, DVec4, Mat4, Vec2, Vec3};

/// A half line, or a line segment of a given length.
///
/// ```
/// use hedgerow_math::Ray;
/// use hedgerow_math::glam::Vec3;
///
/// let ray = Ray::new(Vec3::new(0.0, 2.0, 0.0), Vec3::new(0.0, -4.0, 0.0))?.up_to(10.0)?;
/// assert_eq!((ray.direction(), ray.length()), (Vec3::NEG_Y, 10.0));
/// # Ok::<(), hedgerow_math::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: Vec3,
    direction: Vec3,
    inverse: [f32; 3],
    length: f32,
}

/// A component of a direction counts as zero below this share of the length, so that reciprocals are finite.
const PARALLEL: f64 = 1e-30;

impl Ray {
    /// Creates an infinite ray. The direction may have any length.
    ///
    /// The direction is normalised in double precision. A component below 10⁻³⁰ of the length counts as zero.
    ///
    /// # Errors
    /// [`Error::NotFinite`]; [`Error::NotRotation`] if the direction is zero.
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
    pub fn new(origin: Vec3, direction: Vec3) -> Result<Self, Error> {
        if !(origin.is_finite() && direction.is_finite()) {
            return Err(Error::NotFinite("a ray"));
        }
        let wide = direction.as_dvec3();
        let length = wide.length();
        if length == 0.0 {
            return Err(Error::NotRotation);
        }
        let unit = (wide / length).to_array().map(|x| if x.abs() < PARALLEL { 0.0 } else { x as f32 });
        // 0 marks an axis that the ray is parallel to; slabs would yield 0 · ∞.
        let inverse = unit.map(|x| if x == 0.0 { 0.0 } else { 1.0 / x });
        Ok(Self { origin, direction: Vec3::from_array(unit), inverse, length: f32::INFINITY })
    }

    /// Creates the ray through a point of the screen, starting at the near plane. The world-to-clip matrix has depths
    /// from 0 to 1: Direct3D, Vulkan, Metal, WebGPU.
    ///
    /// `ndc` is in normalised device coordinates: −1 to 1 from left to right and from bottom to top (from top to bottom
    /// if the matrix flips y). For a window with its origin at the top left, `x = 2 px / width - 1` and `y = 1 - 2 py /
    /// height`.
    ///
    /// A perspective matrix may have reversed depth and an infinite far plane. An orthographic matrix does not say
    /// which end is near, so the ray goes from depth 0 to depth 1. For reversed orthographic depth, pass `flip *
    /// matrix`, where `flip` maps z to 1 − z. If the matrix is too imprecise to tell the near plane from the eye, the
    /// ray starts at the eye. For a ray that always starts at the eye, call `Ray::new(eye, ray.direction())`.
    ///
    /// # Errors
    /// [`Error::NotFinite`]; [`Error::Singular`] if there is no line of points that the matrix maps to `ndc`.
    ///
    /// ```
    /// use hedgerow_math::Ray;
    /// use hedgerow_math::glam::camera::rh;
    /// use hedgerow_math::glam::{Vec2, Vec3};
    ///
    /// let projection = rh::proj::directx::perspective_infinite_reverse(1.0, 16.0 / 9.0, 0.5);
    /// let view = rh::view::look_at_mat4(Vec3::new(0.0, 2.0, 10.0), Vec3::new(0.0, 2.0, 0.0), Vec3::Y);
    /// let ray = Ray::from_ndc(&(projection * view), Vec2::ZERO)?;
    /// assert!(ray.origin().abs_diff_eq(Vec3::new(0.0, 2.0, 9.5), 1e-5));
    /// assert!(ray.direction().abs_diff_eq(Vec3::NEG_Z, 1e-6));
    /// let opengl = Ray::from_ndc_gl(&(rh::proj::opengl::perspective(1.0, 16.0 / 9.0, 0.5, 100.0) * view), Vec2::ZERO)?;
    /// assert!(opengl.origin().abs_diff_eq(ray.origin(), 1e-4));
    /// # Ok::<(), hedgerow_math::Error>(())
    /// ```
    pub fn from_ndc(view_projection: &Mat4, ndc: Vec2) -> Result<Self, Error> {
        Self::unprojected(view_projection, ndc, 0.0)
    }

    /// Like [`Ray::from_ndc`], for a matrix with depths from −1 to 1: OpenGL.
    ///
    /// # Errors
    /// The errors of [`Ray::from_ndc`].
    pub fn from_ndc_gl(view_projection: &Mat4, ndc: Vec2) -> Result<Self, Error> {
        Self::unprojected(view_projection, ndc, -1.0)
    }

    /// Creates the ray through a point of the screen for depths from `least` to 1.
    fn unprojected(view_projection: &Mat4, ndc: Vec2, least: f64) -> Result<Self, Error> {
        if !(view_projection.is_finite() && ndc.is_finite()) {
            return Err(Error::NotFinite("a view-projection matrix and a point of the screen"));
        }
        let matrix = view_projection.as_dmat4();
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| matrix.row(row));
        // The points with these coordinates are a line, where two planes meet. Its point nearest to zero is `point`.
        let (side, height) = (x - w * f64::from(ndc.x), y - w * f64::from(ndc.y));
        let [across, up] = [side, height].map(DVec4::truncate);
        let line = across.cross(up);
        let point = (up.cross(line) * -side.w + line.cross(across) * -height.w) / line.length_squared();
        // Forward is the direction in which w grows (perspective) or depth grows (orthographic).
        let parallel = w.truncate().dot(line) == 0.0;
        let forward = if parallel { z } else { w }.truncate().dot(line).signum();
        let line = line.normalize() * forward;
        // A linear function along the line: its value at `point`, and where it is zero.
        let value = |row: DVec4| row.dot(point.extend(1.0));
        let zero = |row: DVec4| -value(row) / row.truncate().dot(line);
        let [first, last] = [least, 1.0].map(|depth| zero(z - w * depth));
        let near = if parallel {
            if value(w) > 0.0 { first } else { f64::NAN }
        } else {
            // w is zero at the eye, and the near end is the end that is closer to the eye. Because of rounding, the
            // near end may be behind the eye, and the far end beyond infinity.
            let eye = zero(w);
            let away = |end: f64| if end.is_nan() { f64::INFINITY } else { (end - eye).abs() };
            let near = if away(first) <= away(last) { first } else { last };
            let rounding = 1e-6 * (eye.abs() + point.length());
            if eye - near <= rounding { near.max(eye) } else { f64::NAN }
        };
        let origin = point + line * near;
        if origin.is_finite() { Self::new(origin.as_vec3(), line.as_vec3()) } else { Err(Error::Singular) }
    }

    /// Returns the same ray with this length. Infinity means that the ray has no end.
    ///
    /// # Errors
    /// [`Error::NotFinite`] if the length is NaN or negative.
    pub fn up_to(self, length: f32) -> Result<Self, Error> {
        if length >= 0.0 { Ok(Self { length, ..self }) } else { Err(Error::NotFinite("a ray's length, from 0 on,")) }
    }

    /// Returns the start of the ray.
    #[must_use]
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Returns the direction, a unit vector.
    #[must_use]
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// Returns the length; infinity if the ray has no end.
    #[must_use]
    pub fn length(&self) -> f32 {
        self.length
    }

    /// Returns the distance from the origin to the point where the ray enters a box: 0 if the ray starts inside, `None`
    /// if it misses.
    ///
    /// A box that the ray misses by no more than rounding errors counts as hit.
    ///
    /// ```
    /// use hedgerow_math::{Aabb, Ray};
    /// use hedgerow_math::glam::Vec3;
    ///
    /// let ray = Ray::new(Vec3::ZERO, Vec3::Z)?;
    /// let far = Aabb::new(Vec3::new(-1.0, -1.0, 4.0), Vec3::new(1.0, 1.0, 6.0));
    /// assert_eq!(ray.distance_to(&far), Some(4.0));
    /// assert_eq!(ray.up_to(3.0)?.distance_to(&far), None);
    /// # Ok::<(), hedgerow_math::Error>(())
    /// ```
    #[must_use]
    pub fn distance_to(&self, bounds: &Aabb) -> Option<f32> {
        let (near, far) = crate::boxes::kernels::slabs(bounds, self);
        (near <= far).then_some(near)
    }

    /// Returns the ray in the local space of a world transform, for example to test a node's triangles.
    ///
    /// Distances stay those of the world: the local direction has any length, so the same `t` leads to the same point
    /// in both spaces. The inverse is computed in double precision. If the ray is relative to an eye, subtract the eye
    /// from the transform's translation first.
    ///
    /// Returns `None` if the transform has no inverse, for example because a scale is zero, or is not finite.
    ///
    /// ```
    /// use hedgerow_math::glam::{DVec3, Vec3};
    /// use hedgerow_math::{Mat34, Ray, Transform};
    ///
    /// let ray = Ray::new(Vec3::new(5.0, 0.0, 0.0), Vec3::Z)?;
    /// let world = Mat34::from(Transform::from_xyz(5.0, 0.0, 8.0).with_scale(Vec3::splat(2.0)));
    /// let local = ray.to_local(world).expect("no scale is zero");
    /// assert_eq!(local.direction, DVec3::new(0.0, 0.0, 0.5));
    /// assert_eq!(local.at(8.0), DVec3::ZERO, "the node is eight metres away");
    /// # Ok::<(), hedgerow_math::Error>(())
    /// ```
    #[must_use]
    pub fn to_local(&self, world: impl Into<DAffine3>) -> Option<LocalRay> {
        let inverse = invert_wide(&world.into())?;
        let origin = inverse.transform_point3(self.origin.as_dvec3());
        let direction = inverse.transform_vector3(self.direction.as_dvec3());
        (origin.is_finite() && direction.is_finite()).then_some(LocalRay { origin, direction })
    }

    /// Returns the reciprocal of each component of the direction; zero if the component is zero.
    #[doc(hidden)]
    pub fn inverse(&self) -> &[f32; 3] {
        &self.inverse
    }
}

/// A ray in the local space of a node: see [`Ray::to_local`]. It has no end; tests take the limit as an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalRay {
    /// The start of the ray.
    pub origin: DVec3,
    /// The direction. Its length is the local length of one unit of the world along the ray.
    pub direction: DVec3,
}

impl LocalRay {
    /// Returns the point at a distance from the origin, measured in the world.
    #[inline]
    #[must_use]
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + self.direction * t
    }

    /// Returns where the ray enters and leaves the box between two corners, at 0 or later. It misses if the second is less
    /// than the first. A box that it misses by no more than rounding errors counts as hit.
    #[doc(hidden)]
    #[must_use]
    pub fn slabs(&self, min: DVec3, max: DVec3) -> (f64, f64) {
        let (low, high) = (min - self.origin, max - self.origin);
        let (mut near, mut far) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let (low, high, direction) = (low[axis], high[axis], self.direction[axis]);
            if direction == 0.0 {
                // Beside the box, or between its faces.
                far = if low <= 0.0 && high >= 0.0 { far } else { f64::NEG_INFINITY };
                continue;
            }
            // By the sign, so that an empty box is entered after it is left.
            let (first, last) = if direction > 0.0 { (low, high) } else { (high, low) };
            near = near.max(first / direction);
            far = far.min(last / direction);
        }
        // Three roundings each.
        (near * (1.0 - 1e-15), far * (1.0 + 1e-15))
    }
}

/// All points up to a distance from a centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    center: Vec3,
    radius: f32,
}

impl Sphere {
    /// Creates a sphere. A radius of zero makes a point.
    ///
    /// # Errors
    /// [`Error::NotFinite`], also for a negative radius.
    pub fn new(center: Vec3, radius: f32) -> Result<Self, Error> {
        let sensible = center.is_finite() && radius.is_finite() && radius >= 0.0;
        if sensible { Ok(Self { center, radius }) } else { Err(Error::NotFinite("a sphere, with a radius from 0 on,")) }
    }

    /// Returns the centre.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Returns the radius.
    #[must_use]
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::camera::{lh, rh};

    /// Projects points in front of the camera to the screen. Each point must lie on the ray through its projection.
    #[test]
    fn what_is_drawn_at_a_point_lies_on_its_ray() {
        let (eye, target) = (Vec3::new(3.0, -2.0, 7.0), Vec3::new(-1.0, 0.5, -4.0));
        let right = rh::view::look_at_mat4(eye, target, Vec3::Y);
        let left = lh::view::look_at_mat4(eye, target, Vec3::Y);
        // Maps depth to 1 - depth.
        let flip = Mat4::from_cols_array_2d(&[
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0, 1.0],
        ]);
        let parallel = rh::proj::directx::orthographic(-4.0, 4.0, -3.0, 3.0, 0.5, 60.0);
        let matrices = [
            (rh::proj::directx::perspective(1.0, 1.5, 0.5, 60.0) * right, false),
            (rh::proj::directx::perspective(1.0, 1.5, 60.0, 0.5) * right, false),
            (rh::proj::directx::perspective_infinite(1.0, 1.5, 0.5) * right, false),
            (rh::proj::directx::perspective_infinite_reverse(1.0, 1.5, 0.5) * right, false),
            (rh::proj::vulkan::perspective(1.0, 1.5, 0.5, 60.0) * right, false),
            (lh::proj::directx::perspective(1.0, 1.5, 0.5, 60.0) * left, false),
            (parallel * right, false),
            (flip * (flip * parallel) * right, false),
            (rh::proj::opengl::perspective(1.0, 1.5, 0.5, 60.0) * right, true),
            (rh::proj::opengl::orthographic(-4.0, 4.0, -3.0, 3.0, 0.5, 60.0) * right, true),
        ];
        let forward = (target - eye).normalize();
        for (number, (matrix, gl)) in matrices.into_iter().enumerate() {
            for step in 1..20 {
                let across = Vec3::new(0.1, 0.05, -0.07) * (step as f32 - 10.0);
                let point = eye + forward * (1.0 + 2.0 * step as f32) + across;
                let ndc = matrix.project_point3(point).truncate();
                let ray = if gl { Ray::from_ndc_gl(&matrix, ndc) } else { Ray::from_ndc(&matrix, ndc) }.unwrap();
                let to = point - ray.origin();
                let off = (to - ray.direction() * to.dot(ray.direction())).length();
                assert!(
                    off < 1e-3 && to.dot(ray.direction()) > 0.0,
                    "matrix {number}, step {step}: {off} off, {ray:?}"
                );
                let before = (ray.origin() - eye).dot(forward);
                assert!((before - 0.5).abs() < 1e-3, "matrix {number} starts {before} before the eye");
            }
        }
    }

    #[test]
    fn an_eye_far_away_has_rays_of_the_right_direction() {
        let mut dice = fastrand::Rng::with_seed(9);
        for round in 0..300_u32 {
            let mut part = |scale: f32| (dice.f32() - 0.5) * scale;
            let far = [1e2, 1e4, 1e6, 1e7][round as usize % 4];
            let eye = Vec3::new(part(far), part(far), part(far));
            let forward = Vec3::new(part(1.0), part(1.0), part(1.0)).normalize();
            let (view, ndc) = (rh::view::look_to_mat4(eye, forward, Vec3::Y), Vec2::new(part(2.0), part(2.0)));
            let [right, up] = [0, 1].map(|row| view.row(row).truncate());
            let expected = (forward + right * (ndc.x * 0.5_f32.tan() * 1.5) + up * (ndc.y * 0.5_f32.tan())).normalize();
            for projection in [
                rh::proj::directx::perspective_infinite(1.0, 1.5, 0.01),
                rh::proj::directx::perspective_infinite_reverse(1.0, 1.5, 0.01),
                rh::proj::directx::perspective(1.0, 1.5, 0.01, 1000.0),
                rh::proj::directx::perspective(1.0, 1.5, 1000.0, 0.01),
            ] {
                let ray = Ray::from_ndc(&(projection * view), ndc).unwrap();
                assert!((ray.direction() - expected).length() < 1e-5, "{round}: {ray:?}, not {expected}");
                let off = (ray.origin() - eye).length();
                assert!(off < 0.05 + 1e-6 * far, "{round}: {off} from the eye");
            }
        }
    }

    #[test]
    fn what_is_behind_the_eye_is_on_no_ray() {
        let projection = rh::proj::directx::perspective(1.0, 1.5, 0.5, 60.0);
        assert!(Ray::from_ndc(&projection, Vec2::ZERO).is_ok());
        assert_eq!(Ray::from_ndc(&(-1.0 * projection), Vec2::ZERO), Err(Error::Singular));
        assert_eq!(Ray::from_ndc(&(-1.0 * Mat4::IDENTITY), Vec2::ZERO), Err(Error::Singular));
    }

    #[test]
    fn a_matrix_without_an_inverse_shows_nothing() {
        assert_eq!(Ray::from_ndc(&Mat4::ZERO, Vec2::ZERO), Err(Error::Singular));
        assert!(matches!(Ray::from_ndc(&Mat4::IDENTITY, Vec2::NAN), Err(Error::NotFinite(_))));
        let ray = Ray::from_ndc(&Mat4::IDENTITY, Vec2::new(0.5, -0.5)).unwrap();
        assert_eq!((ray.origin(), ray.direction()), (Vec3::new(0.5, -0.5, 0.0), Vec3::Z));
    }

    #[test]
    fn the_same_distance_leads_to_the_same_point_in_each_space() {
        let mut dice = fastrand::Rng::with_seed(5);
        for round in 0..1000 {
            let scale = [1.0, 1e-6, 1e6, 1e3][round % 4];
            let mut part = |scale: f64| (dice.f64() - 0.5) * scale;
            let columns = [(); 3].map(|()| DVec3::new(part(scale), part(scale), part(scale)));
            let place = DVec3::new(part(1e5), part(1e5), part(1e5));
            let world =
                DAffine3 { matrix3: glam::DMat3::from_cols_array_2d(&columns.map(Into::into)), translation: place };
            let [origin, direction] =
                [1e4, 1.0].map(|scale| DVec3::new(part(scale), part(scale), part(scale)).as_vec3());
            let ray = Ray::new(origin, direction).unwrap();
            let local = ray.to_local(world).unwrap();
            for t in [0.0, 7.0, 1e5] {
                let expected = ray.origin().as_dvec3() + ray.direction().as_dvec3() * t;
                let off = (world.transform_point3(local.at(t)) - expected).length();
                assert!(off < 1e-6, "{round}: {off} off at {t}");
            }
        }
        let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
        let flat = glam::DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0));
        for world in [DAffine3::from_mat3(flat), DAffine3::from_translation(DVec3::NAN)] {
            assert_eq!(ray.to_local(world), None);
        }
        assert_eq!(ray.to_local(crate::Mat34 { rows: [[1.0; 4]; 3] }), None);
    }

    #[test]
    fn a_direction_of_any_length_becomes_a_unit_vector() {
        for length in [1e-38_f32, 1e-20, 1.0, 1e20, 2e38] {
            let ray = Ray::new(Vec3::ONE, Vec3::new(0.6, 0.0, -0.8) * length).unwrap();
            assert!((ray.direction() - Vec3::new(0.6, 0.0, -0.8)).length() < 1e-6, "{length}: {ray:?}");
            assert!(ray.inverse().iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn what_is_no_ray_and_no_sphere_is_refused() {
        assert_eq!(Ray::new(Vec3::ZERO, Vec3::ZERO), Err(Error::NotRotation));
        assert!(matches!(Ray::new(Vec3::NAN, Vec3::X), Err(Error::NotFinite(_))));
        assert!(matches!(Ray::new(Vec3::ZERO, Vec3::INFINITY), Err(Error::NotFinite(_))));
        let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
        assert!(ray.up_to(f32::NAN).is_err() && ray.up_to(-1.0).is_err() && ray.up_to(f32::INFINITY).is_ok());
        assert!(Sphere::new(Vec3::ZERO, -1.0).is_err() && Sphere::new(Vec3::ZERO, f32::NAN).is_err());
        assert!(Sphere::new(Vec3::NAN, 1.0).is_err() && Sphere::new(Vec3::ZERO, 0.0).is_ok());
    }
}
