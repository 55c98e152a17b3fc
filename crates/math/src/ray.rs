//! Rays and spheres: queries of a scene besides boxes and frusta.

use crate::Error;
use glam::Vec3;

/// A half line from a point, or its part up to a length.
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

/// A direction's component below this share of its length counts as zero, so that its inverse is finite.
const PARALLEL: f64 = 1e-30;

impl Ray {
    /// The ray from `origin` in a direction of any length, without an end.
    ///
    /// The direction is normalised in double precision; a component below 10⁻³⁰ of its length counts as zero.
    ///
    /// # Errors
    /// [`Error::NotFinite`]; [`Error::NotRotation`] for a direction of length zero.
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
        let inverse = unit.map(|x| if x == 0.0 { 0.0 } else { 1.0 / x });
        Ok(Self { origin, direction: Vec3::from_array(unit), inverse, length: f32::INFINITY })
    }

    /// The same ray, with an end at a distance from its origin. Infinity means no end.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for NaN and for lengths below zero.
    pub fn up_to(self, length: f32) -> Result<Self, Error> {
        if length >= 0.0 { Ok(Self { length, ..self }) } else { Err(Error::NotFinite("a ray's length, from 0 on,")) }
    }

    /// The start of the ray.
    #[must_use]
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// The direction: a unit vector.
    #[must_use]
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// The length; infinity if it has no end.
    #[must_use]
    pub fn length(&self) -> f32 {
        self.length
    }

    /// The inverses of the direction's components, and zero for zero.
    #[doc(hidden)]
    pub fn inverse(&self) -> &[f32; 3] {
        &self.inverse
    }
}

/// All points up to a distance from a centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    center: Vec3,
    radius: f32,
}

impl Sphere {
    /// The sphere of this centre and radius; a radius of zero is a point.
    ///
    /// # Errors
    /// [`Error::NotFinite`], also for a radius below zero.
    pub fn new(center: Vec3, radius: f32) -> Result<Self, Error> {
        let sensible = center.is_finite() && radius.is_finite() && radius >= 0.0;
        if sensible { Ok(Self { center, radius }) } else { Err(Error::NotFinite("a sphere, with a radius from 0 on,")) }
    }

    /// The centre.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// The radius.
    #[must_use]
    pub fn radius(&self) -> f32 {
        self.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
