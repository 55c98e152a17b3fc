//! Axis-aligned boxes.

use crate::{Error, Mat34};
use glam::{Vec3, Vec4};

/// An axis-aligned box, in its shape's local space or in world space.
///
/// No matrix changes the two special boxes: [`Aabb::INFINITE`] (always visible) and [`Aabb::EMPTY`] (never visible).
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
    /// The box that contains nothing: the neutral element of [`Aabb::merge`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Creates the box between two corners.
    #[must_use]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// Creates a cube around the origin with this half extent.
    #[must_use]
    pub const fn cube(half: f32) -> Self {
        Self { min: Vec3::splat(-half), max: Vec3::splat(half) }
    }

    /// Creates the smallest box around the points; [`Aabb::EMPTY`] if there are no points.
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |a, p| Self { min: a.min.min(p), max: a.max.max(p) })
    }

    /// Returns whether the box contains no point: `min` exceeds `max` on at least one axis.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Returns whether all six numbers are finite.
    #[inline]
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// Returns the centre, which is NaN for an infinite box and for [`Aabb::EMPTY`].
    #[inline]
    #[must_use]
    pub fn center(&self) -> Vec3 {
        // Halve before adding, so that large corners do not overflow.
        self.min * 0.5 + self.max * 0.5
    }

    /// Returns the length along each axis; zero if the box is empty.
    ///
    /// ```
    /// use hedgerow_math::Aabb;
    /// use hedgerow_math::glam::Vec3;
    ///
    /// let shelf = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 1.0, 4.0));
    /// assert_eq!((shelf.center(), shelf.size()), (Vec3::new(1.0, 0.5, 2.0), Vec3::new(2.0, 1.0, 4.0)));
    /// assert!(shelf.contains(Vec3::ONE) && shelf.intersects(&Aabb::cube(0.5)));
    /// assert_eq!(shelf.merge(&Aabb::cube(1.0)).min, Vec3::NEG_ONE);
    /// assert_eq!(Aabb::from_points([Vec3::ZERO, shelf.max, Vec3::ONE]), shelf);
    /// assert!(Aabb::INFINITE.contains_box(&shelf) && shelf.is_finite() && Aabb::EMPTY.is_empty());
    /// ```
    #[inline]
    #[must_use]
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.max - self.min }
    }

    /// Returns whether a point is in the box or on its border.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: Vec3) -> bool {
        (self.min.cmple(point) & point.cmple(self.max)).all()
    }

    /// Returns whether this box contains all of `other`. Every box contains an empty box.
    #[inline]
    #[must_use]
    pub fn contains_box(&self, other: &Self) -> bool {
        other.is_empty() || (self.min.cmple(other.min) & other.max.cmple(self.max)).all()
    }

    /// Returns whether the boxes, including borders, have a point in common. Returns false if either box is empty.
    #[inline]
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        let apart = self.min.cmpgt(other.max) | other.min.cmpgt(self.max);
        !(apart.any() || self.is_empty() || other.is_empty())
    }

    /// Returns the smallest box around both boxes.
    #[inline]
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns the smallest axis-aligned box around this box transformed by `matrix`.
    ///
    /// [`Aabb::INFINITE`] stays the same, an empty box becomes [`Aabb::EMPTY`], and a result that overflows becomes
    /// [`Aabb::INFINITE`]. Source: J. Arvo, "Transforming axis-aligned bounding boxes", Graphics Gems, 1990.
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

    /// Returns whether the box is finite and not empty.
    #[inline]
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        // Zero times a number is zero, or NaN if the number is infinite or NaN. Two loads of four numbers each cover
        // all six; two of the six are loaded twice.
        let (min, max) = (self.min, self.max);
        let front = Vec4::new(min.x, min.y, min.z, max.x);
        let back = Vec4::new(min.z, max.x, max.y, max.z);
        let finite = (front * 0.0 + back * 0.0).cmpeq(Vec4::ZERO).all();
        finite & !self.is_empty()
    }

    /// Returns the box in the form that scenes store: an empty box becomes [`Aabb::EMPTY`].
    ///
    /// # Errors
    /// [`Error::NotFinite`] if a number is NaN, or is infinite although the box is not one of the two special boxes.
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
    fn boxes_contain_and_intersect_as_their_points_do() {
        // All boxes, including empty ones, with corners on a 3×3 grid of points in the plane z = 0.
        let grid = |n: usize| Vec3::new((n % 3) as f32, (n / 3) as f32, 0.0);
        let boxes: Vec<Aabb> = (0..81).map(|n| Aabb::new(grid(n % 9), grid(n / 9))).collect();
        let holds = |bounds: &Aabb, n: usize| bounds.contains(grid(n));
        for a in &boxes {
            let held: Vec<usize> = (0..9).filter(|&n| holds(a, n)).collect();
            assert_eq!(held.is_empty(), a.is_empty(), "{a:?}");
            let size = a.size();
            let count = if a.is_empty() { 0.0 } else { (size.x + 1.0) * (size.y + 1.0) };
            assert_eq!(held.len() as f32, count, "{a:?}");
            for b in &boxes {
                assert_eq!(a.contains_box(b), (0..9).all(|n| !holds(b, n) || holds(a, n)), "{a:?} {b:?}");
                assert_eq!(a.intersects(b), (0..9).any(|n| holds(b, n) && holds(a, n)), "{a:?} {b:?}");
                if !(a.is_empty() || b.is_empty()) {
                    let both = a.merge(b);
                    assert!(both.contains_box(a) && both.contains_box(b));
                }
            }
        }
    }

    #[test]
    fn infinite_and_empty_boxes_answer_too() {
        let unit = Aabb::cube(1.0);
        assert!(Aabb::INFINITE.contains(Vec3::MAX) && Aabb::INFINITE.contains_box(&unit));
        assert!(Aabb::INFINITE.intersects(&unit) && !Aabb::INFINITE.intersects(&Aabb::EMPTY));
        assert!(!Aabb::EMPTY.contains(Vec3::ZERO) && unit.contains_box(&Aabb::EMPTY));
        assert_eq!((Aabb::EMPTY.size(), Aabb::INFINITE.size()), (Vec3::ZERO, Vec3::INFINITY));
        assert!(Aabb::EMPTY.center().is_nan() && Aabb::INFINITE.center().is_nan());
        assert_eq!(Aabb::new(Vec3::ZERO, Vec3::MAX).center(), Vec3::MAX * 0.5);
        assert!(!unit.contains(Vec3::NAN));
    }

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
