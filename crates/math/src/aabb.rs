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

    /// Returns whether two boxes that matrices move have a point in common, such as parts of a machine that turn. The
    /// matrices may scale and shear. Returns false if either box is empty; an infinite box meets all others.
    ///
    /// The borders are accurate to about a millionth of the distances from the origin, so far away take matrices
    /// relative to one of the boxes. If a matrix flattens its box, the result may be true for boxes of one plane that
    /// do not meet.
    ///
    /// Source: S. Gottschalk, M. Lin, D. Manocha, "`OBBTree`", SIGGRAPH 1996, section 5, with edges of any directions.
    ///
    /// ```
    /// use hedgerow_math::glam::Quat;
    /// use hedgerow_math::{Aabb, Mat34, Transform};
    ///
    /// let (unit, place) = (Aabb::cube(1.0), Transform::from_xyz(2.1, 2.1, 0.0));
    /// let turned = place.with_rotation(Quat::from_rotation_z(0.8));
    /// assert!(unit.transformed(&turned.to_matrix()).intersects(&unit), "the box around it");
    /// assert!(!unit.intersects_moved(&Mat34::IDENTITY, &unit, &turned.to_matrix()));
    /// ```
    #[must_use]
    pub fn intersects_moved(&self, matrix: &Mat34, other: &Self, of_other: &Mat34) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        let edges = |matrix: &Mat34| [Vec3::X, Vec3::Y, Vec3::Z].map(|edge| matrix.transform_vector(edge));
        let (a, b) = (edges(matrix), edges(of_other));
        let apart = of_other.transform_point(other.center()) - matrix.transform_point(self.center());
        let sizes = [self.size(), other.size()];
        // Twice the distance of the centers along an axis, against the lengths of both boxes along it. A comparison
        // with NaN, which infinite boxes have, separates nothing.
        let separates = |axis: Vec3| {
            let length = |edges: &[Vec3; 3], size: Vec3| {
                edges.iter().zip(size.to_array()).map(|(edge, size)| (edge.dot(axis) * size).abs()).sum::<f32>()
            };
            2.0 * apart.dot(axis).abs() > length(&a, sizes[0]) + length(&b, sizes[1])
        };
        let normals = |[x, y, z]: [Vec3; 3]| [x.cross(y), y.cross(z), z.cross(x)];
        let crossed = a.iter().flat_map(|&edge| b.map(|other| edge.cross(other)));
        !normals(a).into_iter().chain(normals(b)).chain(crossed).any(separates)
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
    use crate::Transform;
    use glam::{DVec3, Quat};

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

    /// Returns the distance of two boxes that matrices move, by descent along one edge after the other.
    fn distance(boxes: [(&Aabb, &Mat34); 2]) -> f64 {
        let corner = |(bounds, matrix): (&Aabb, &Mat34)| matrix.to_wide().transform_point3(bounds.min.as_dvec3());
        let [a, b] = boxes.map(|(bounds, matrix)| {
            let edges = matrix.to_wide().matrix3.to_cols_array_2d().map(DVec3::from);
            [0, 1, 2].map(|axis| edges[axis] * f64::from(bounds.size()[axis]))
        });
        let edges = [a[0], a[1], a[2], -b[0], -b[1], -b[2]];
        let (mut apart, mut at, mut moved) = (corner(boxes[0]) - corner(boxes[1]), [0.0_f64; 6], 1.0);
        while moved > 1e-9 {
            moved = 0.0_f64;
            for (edge, at) in edges.iter().zip(&mut at).filter(|(edge, _)| edge.length_squared() > 0.0) {
                let to = (*at - apart.dot(*edge) / edge.length_squared()).clamp(0.0, 1.0);
                apart += *edge * (to - *at);
                moved = moved.max((to - *at).abs());
                *at = to;
            }
        }
        apart.length()
    }

    #[test]
    fn moved_boxes_intersect_if_their_distance_is_zero() {
        let (mut dice, mut counts) = (fastrand::Rng::with_seed(7), [0; 2]);
        let mut vector = |scale: f32| Vec3::from_array([(); 3].map(|()| (dice.f32() - 0.5) * scale));
        for round in 0..2000 {
            // Some boxes are flat, some have their edges along the axes, some matrices shear.
            let mut some = |apart: f32| {
                let flat = if round % 5 == 0 { Vec3::new(1.0, 0.0, 1.0) } else { Vec3::ONE };
                let (min, size) = (vector(1.0), vector(6.0).abs() * flat);
                let turn = Quat::from_scaled_axis(if round % 7 == 0 { Vec3::ZERO } else { vector(6.0) });
                let sheared = Transform::from_scale(if round % 3 == 0 { Vec3::new(1.0, -2.0, 0.5) } else { Vec3::ONE });
                let place = Transform::from_translation(vector(apart)).with_rotation(turn);
                let place = place.with_scale(vector(1.0) + Vec3::ONE).to_matrix();
                (Aabb::new(min, min + size), sheared.to_matrix() * place)
            };
            let [(a, of_a), (b, of_b)] = [some(0.0), some(2.5)];
            let distance = distance([(&a, &of_a), (&b, &of_b)]);
            let meet = a.intersects_moved(&of_a, &b, &of_b);
            assert_eq!(meet, b.intersects_moved(&of_b, &a, &of_a));
            assert!(meet == (distance < 1e-4) || (1e-6..1e-3).contains(&distance), "{round}: {distance}");
            counts[usize::from(meet)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
    }

    #[test]
    fn infinite_and_empty_boxes_answer_too() {
        let unit = Aabb::cube(1.0);
        assert!(Aabb::INFINITE.contains(Vec3::MAX) && Aabb::INFINITE.contains_box(&unit));
        assert!(Aabb::INFINITE.intersects(&unit) && !Aabb::INFINITE.intersects(&Aabb::EMPTY));
        assert!(!Aabb::EMPTY.contains(Vec3::ZERO) && unit.contains_box(&Aabb::EMPTY));
        assert_eq!((Aabb::EMPTY.size(), Aabb::INFINITE.size()), (Vec3::ZERO, Vec3::INFINITY));
        let far = Transform::from_xyz(9.0, 9.0, 9.0).to_matrix();
        assert!(Aabb::INFINITE.intersects_moved(&far, &unit, &Mat34::IDENTITY));
        assert!(!Aabb::EMPTY.intersects_moved(&far, &unit, &far));
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
