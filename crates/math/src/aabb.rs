//! Axis-aligned boxes.

use crate::{Error, Mat34};
use glam::{Vec3, Vec4};

/// An axis-aligned box, in its shape's local space or in world space.
///
/// Two special boxes are never transformed by a matrix: [`Aabb::INFINITE`] ("always visible") and [`Aabb::EMPTY`]
/// ("never visible").
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct Aabb {
    /// The least corner.
    pub min: Vec3,
    /// The greatest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box that contains everything.
    pub const INFINITE: Self = Self { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    /// The box that contains nothing: the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The box between two corners.
    #[must_use]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The cube of the given half extent about the origin.
    #[must_use]
    pub const fn cube(half: f32) -> Self {
        Self { min: Vec3::splat(-half), max: Vec3::splat(half) }
    }

    /// The smallest box around the points; [`Aabb::EMPTY`] for none.
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |a, p| Self { min: a.min.min(p), max: a.max.max(p) })
    }

    /// Whether the box contains no point: some `min` is above its `max`.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Whether all six numbers are finite.
    #[inline]
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// The smallest box around both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The smallest axis-aligned box around this box transformed by `matrix`.
    ///
    /// [`Aabb::INFINITE`] and empty boxes are not transformed. A result that overflows is [`Aabb::INFINITE`]. Source:
    /// J. Arvo, "Transforming axis-aligned bounding boxes", Graphics Gems, 1990.
    #[inline]
    #[must_use]
    pub fn transformed(&self, matrix: &Mat34) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        if *self == Self::INFINITE {
            return *self;
        }
        let mut min = matrix.translation();
        let mut max = min;
        for (row, (low, high)) in matrix.rows.iter().zip(min.as_mut().iter_mut().zip(max.as_mut().iter_mut())) {
            let linear = Vec3::new(row[0], row[1], row[2]);
            let (a, b) = (linear * self.min, linear * self.max);
            *low += a.min(b).element_sum();
            *high += a.max(b).element_sum();
        }
        let moved = Self { min, max };
        if moved.is_finite() { moved } else { Self::INFINITE }
    }

    /// Whether the box is finite and not empty.
    #[inline]
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        // Zero times a number is zero unless that is infinite or not a number. Two numbers come twice, so that the six
        // are two loads of four.
        let (min, max) = (self.min, self.max);
        let front = Vec4::new(min.x, min.y, min.z, max.x);
        let back = Vec4::new(min.z, max.x, max.y, max.z);
        let finite = (front * 0.0 + back * 0.0).cmpeq(Vec4::ZERO).all();
        finite & !self.is_empty()
    }

    /// The box as a scene stores it: finite, fully infinite, or, if it is empty, exactly [`Aabb::EMPTY`].
    ///
    /// # Errors
    /// [`Error::NotFinite`] for NaN and for a box that is partly infinite.
    pub fn checked(self) -> Result<Self, Error> {
        if self.min.is_nan() || self.max.is_nan() {
            return Err(Error::NotFinite("a bounding box"));
        }
        if self == Self::EMPTY || self == Self::INFINITE {
            return Ok(self);
        }
        if !self.is_finite() {
            return Err(Error::NotFinite("a bounding box that is not infinite throughout"));
        }
        Ok(if self.is_empty() { Self::EMPTY } else { self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_box_is_finite_and_not_empty_whatever_the_numbers() {
        let numbers = [0.0, -0.0, 1.5, -f32::MAX, f32::MIN_POSITIVE, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let count = numbers.len();
        for pick in 0..count.pow(6) {
            let six = [0, 1, 2, 3, 4, 5].map(|place| numbers[pick / count.pow(place) % count]);
            let bounds = Aabb { min: Vec3::from_slice(&six[..3]), max: Vec3::from_slice(&six[3..]) };
            assert_eq!(bounds.is_plain(), bounds.is_finite() && !bounds.is_empty(), "{bounds:?}");
        }
    }
}
