//! Vectors, rotations and matrices of one number type: `f32`, `f64`, or a vector of `f32` with a lane for each character.
//!
//! Only sums, products, quotients and square roots, in a fixed order. So every machine and every lane has the same bits,
//! unlike with `glam`, whose rotations use the machine's vectors.

use crate::{Mat34, glam};
use core::ops::{Add, Div, Mul, Neg, Sub};
use fearless_simd::{Simd, f32x4, f32x8, prelude::*};
use hedgerow_math::internal::sines::sin_cos;
use hedgerow_math::internal::vectors;

/// A number, or a vector of numbers.
pub(super) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Returns a number in all lanes.
    fn all(self, number: f32) -> Self;

    /// Returns the number in the first lane.
    fn first(self) -> f32;

    fn sqrt(self) -> Self;

    /// Returns one over the square root. Root and quotient do not wait for each other.
    #[inline(always)]
    fn over_root(self) -> Self {
        self.all(1.0) / self * self.sqrt()
    }

    /// Returns `yes` in the lanes in which `self < other`, otherwise `no`.
    fn if_less(self, other: Self, yes: Self, no: Self) -> Self;

    /// Returns whether `self < other` in any lane, to skip what is seldom needed.
    fn any_less(self, other: Self) -> bool;

    /// Returns the smaller number; `other` if one is no number.
    fn at_most(self, other: Self) -> Self;

    /// Returns the greater number; `other` if one is no number.
    fn at_least(self, other: Self) -> Self;
}

macro_rules! scalars {
    ($($name:ident)*) => {$(
        impl Number for $name {
            #[inline(always)]
            fn all(self, number: f32) -> Self {
                number.into()
            }

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "what leaves a solver has single precision")]
            fn first(self) -> f32 {
                self as f32
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self::sqrt(self)
            }

            #[inline(always)]
            fn if_less(self, other: Self, yes: Self, no: Self) -> Self {
                if self < other { yes } else { no }
            }

            #[inline(always)]
            fn any_less(self, other: Self) -> bool {
                self < other
            }

            #[inline(always)]
            fn at_most(self, other: Self) -> Self {
                if self < other { self } else { other }
            }

            #[inline(always)]
            fn at_least(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
        }
    )*};
}

scalars! { f32 f64 }

macro_rules! lanes {
    ($($name:ident)*) => {$(
        impl<S: Simd> Number for $name<S> {
            #[inline(always)]
            fn all(self, number: f32) -> Self {
                Self::splat(self.simd, number)
            }

            #[inline(always)]
            fn first(self) -> f32 {
                self.as_array()[0]
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                SimdFloat::sqrt(self)
            }

            #[inline(always)]
            fn if_less(self, other: Self, yes: Self, no: Self) -> Self {
                self.simd_lt(other).select(yes, no)
            }

            #[inline(always)]
            fn any_less(self, other: Self) -> bool {
                self.simd_lt(other).any_true()
            }

            #[inline(always)]
            fn at_most(self, other: Self) -> Self {
                vectors::min(self.simd, self, other)
            }

            #[inline(always)]
            fn at_least(self, other: Self) -> Self {
                vectors::max(self.simd, self, other)
            }
        }
    )*};
}

lanes! { f32x4 f32x8 }

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct V<T = f32> {
    pub(super) x: T,
    pub(super) y: T,
    pub(super) z: T,
}

/// A rotation as a unit quaternion: its vector part and its real part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Q<T = f32> {
    pub(super) v: V<T>,
    pub(super) w: T,
}

/// The inverse of a matrix: rows times a number.
#[derive(Clone, Copy)]
pub(super) struct Inverse<T = f32> {
    rows: [V<T>; 3],
    back: T,
}

/// A matrix of three columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct M<T = f32>(pub(super) [V<T>; 3]);

impl<T> V<T> {
    #[inline(always)]
    pub(super) const fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }
}

macro_rules! operator {
    ($name:ident, $call:ident, $other:ty, |$a:ident, $b:ident| $result:expr) => {
        impl<T: Number> $name<$other> for V<T> {
            type Output = Self;

            #[inline(always)]
            fn $call(self, $b: $other) -> Self {
                let $a = self;
                $result
            }
        }
    };
}

operator!(Add, add, Self, |a, b| Self::new(a.x + b.x, a.y + b.y, a.z + b.z));
operator!(Sub, sub, Self, |a, b| Self::new(a.x - b.x, a.y - b.y, a.z - b.z));
operator!(Mul, mul, T, |a, b| Self::new(a.x * b, a.y * b, a.z * b));

impl<T: Number> V<T> {
    /// Returns the vector of the first lane.
    #[inline(always)]
    pub(super) fn first(self) -> V {
        V::new(self.x.first(), self.y.first(), self.z.first())
    }

    #[inline(always)]
    pub(super) fn dot(self, b: Self) -> T {
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    #[inline(always)]
    pub(super) fn square(self) -> T {
        self.dot(self)
    }

    #[inline(always)]
    pub(super) fn cross(self, b: Self) -> Self {
        Self::new(self.y * b.z - self.z * b.y, self.z * b.x - self.x * b.z, self.x * b.y - self.y * b.x)
    }

    /// Multiplies by component.
    #[inline(always)]
    pub(super) fn scaled(self, b: Self) -> Self {
        Self::new(self.x * b.x, self.y * b.y, self.z * b.z)
    }

    /// Returns the part across a unit vector.
    #[inline(always)]
    pub(super) fn across(self, axis: Self) -> Self {
        self - axis * self.dot(axis)
    }

    #[inline(always)]
    pub(super) fn if_less(a: T, b: T, yes: Self, no: Self) -> Self {
        Self::new(a.if_less(b, yes.x, no.x), a.if_less(b, yes.y, no.y), a.if_less(b, yes.z, no.z))
    }
}

impl V {
    pub(super) const ZERO: Self = Self::new(0.0, 0.0, 0.0);
    pub(super) const X: Self = Self::new(1.0, 0.0, 0.0);

    /// Returns the vector in all lanes, as many as `number` has.
    #[inline(always)]
    pub(super) fn all<T: Number>(self, number: T) -> V<T> {
        V::new(number.all(self.x), number.all(self.y), number.all(self.z))
    }

    pub(super) fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// Returns whether the numbers are equal, as those of an even scale.
    #[inline]
    pub(super) fn is_even(self) -> bool {
        self.x == self.y && self.y == self.z
    }

    /// Returns the length and the direction. Zero and vectors that are not finite have no direction.
    #[inline]
    pub(super) fn polar(self) -> (f32, Option<Self>) {
        let square = self.square();
        if (1e-30..1e30).contains(&square) {
            return (square.sqrt(), Some(self * square.over_root()));
        }
        self.polar_at_length()
    }

    #[cold]
    fn polar_at_length(self) -> (f32, Option<Self>) {
        let most = self.x.abs().max(self.y.abs()).max(self.z.abs());
        if !(most > 0.0 && self.is_finite()) {
            return (0.0, None);
        }
        // Divides twice, because the inverse of the smallest numbers overflows.
        let part = Self::new(self.x / most, self.y / most, self.z / most);
        let length = part.square().sqrt();
        (length * most, Some(part * (1.0 / length)))
    }

    #[inline]
    pub(super) fn unit_or(self, other: Self) -> Self {
        self.polar().1.unwrap_or(other)
    }

    /// Returns a unit vector across this unit vector.
    pub(super) fn any_across(self) -> Self {
        let axis = if self.x * self.x < 0.5 { Self::X } else { Self::new(0.0, 1.0, 0.0) };
        axis.across(self).unit_or(Self::X)
    }

    /// Returns the unit vector across the unit vector `axis` that is nearest to this vector; any if it is along `axis`.
    #[inline]
    pub(super) fn unit_across(self, axis: Self) -> Self {
        let whole = self.unit_or(Self::ZERO);
        let flat = whole.across(axis);
        // Twice, because the first difference may be small, and then has few right digits.
        if flat.square() > 1e-10 { flat.unit_or(axis).across(axis).unit_or(axis) } else { axis.any_across() }
    }
}

impl From<glam::Vec3> for V {
    #[inline(always)]
    fn from(v: glam::Vec3) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<V> for glam::Vec3 {
    #[inline(always)]
    fn from(v: V) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl<T: Number> Mul for Q<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self { v: b.v * self.w + self.v * b.w + self.v.cross(b.v), w: self.w * b.w - self.v.dot(b.v) }
    }
}

impl<T: Number> Mul<V<T>> for Q<T> {
    type Output = V<T>;

    #[inline(always)]
    fn mul(self, b: V<T>) -> V<T> {
        let t = self.v.cross(b);
        let t = t + t;
        b + t * self.w + self.v.cross(t)
    }
}

impl<T: Number> Add for Q<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { v: self.v + b.v, w: self.w + b.w }
    }
}

impl<T: Number> Q<T> {
    /// Returns the rotation of the first lane.
    #[inline(always)]
    pub(super) fn first(self) -> Q {
        Q { v: self.v.first(), w: self.w.first() }
    }

    #[inline(always)]
    pub(super) fn inverse(self) -> Self {
        Self { v: V::new(-self.v.x, -self.v.y, -self.v.z), w: self.w }
    }

    #[inline(always)]
    pub(super) fn dot(self, b: Self) -> T {
        self.v.dot(b.v) + self.w * b.w
    }

    #[inline(always)]
    pub(super) fn times(self, b: T) -> Self {
        Self { v: self.v * b, w: self.w * b }
    }

    #[inline(always)]
    pub(super) fn unit(self) -> Self {
        self.times(self.dot(self).over_root())
    }

    /// Returns the unit quaternion of this rotation that is nearer to `b`, and the factor by which it was multiplied.
    #[inline(always)]
    pub(super) fn unit_near(self, b: Self) -> (Self, T) {
        let (dot, back) = (self.dot(b), self.dot(self).over_root());
        let back = dot.if_less(dot.all(0.0), -back, back);
        (self.times(back), back)
    }

    /// Returns a multiple of this rotation, then the shortest one from where it brings `from` to `to`, given the
    /// product of their lengths. Its length is that of this quaternion times the product, times √(2 (1 + cos θ)).
    #[inline(always)]
    pub(super) fn then_shortest(self, from: V<T>, to: V<T>, product: T) -> Self {
        // For vectors a and b, the rotation is the quaternion |a| |b| - b a, and a is this rotation q of `from`. So,
        // without a: |a| |b| q - b q `from`.
        let half = Self { v: to * self.w + to.cross(self.v), w: -to.dot(self.v) };
        Self { v: self.v * product - from * half.w - half.v.cross(from), w: self.w * product + half.v.dot(from) }
    }

    #[inline(always)]
    pub(super) fn if_less(a: T, b: T, yes: Self, no: Self) -> Self {
        Self { v: V::if_less(a, b, yes.v, no.v), w: a.if_less(b, yes.w, no.w) }
    }

    /// Returns this or the opposite quaternion, which is the same rotation: whichever is nearer to `b`.
    #[inline(always)]
    pub(super) fn near(self, b: Self) -> Self {
        let dot = self.dot(b);
        Self::if_less(dot, dot.all(0.0), self.times(dot.all(-1.0)), self)
    }
}

impl Q {
    pub(super) const IDENTITY: Self = Self { v: V::ZERO, w: 1.0 };

    /// Returns the rotation in all lanes, as many as `number` has.
    #[inline(always)]
    pub(super) fn all<T: Number>(self, number: T) -> Q<T> {
        Q { v: self.v.all(number), w: number.all(self.w) }
    }

    pub(super) fn is_finite(self) -> bool {
        self.v.is_finite() && self.w.is_finite()
    }

    /// Returns a multiple of the shortest rotation between unit vectors; if they are opposite, a half turn about the part
    /// of `axis` across them.
    #[inline]
    pub(super) fn shortest(from: V, to: V, axis: impl FnOnce() -> V) -> Self {
        let (cosine, sine) = (from.dot(to), from.cross(to));
        if cosine > -0.8 {
            return Self { v: sine, w: 1.0 + cosine };
        }
        // The real part 1 + cos θ loses its digits near half turns. There, the arc from the opposite of `from` follows a
        // half turn about an axis that is exactly across `from`. Noise of the cross product turns about `to` only.
        let axis = if sine.square() > 1e-10 { sine } else { axis() }.unit_across(from);
        Self { v: axis * (1.0 - cosine) + axis.cross(sine), w: axis.dot(sine) }
    }

    /// Returns [`then_shortest`](Self::then_shortest), but `None` near half turns, where the shortest rotation has few
    /// digits, and if a number is not finite.
    #[inline(always)]
    pub(super) fn then_shortest_if_exact(self, from: V, to: V, product: f32) -> Option<Self> {
        let all = self.then_shortest(from, to, product);
        let part = product * product;
        (0.1 * part..8.0 * part).contains(&all.dot(all)).then_some(all)
    }

    /// Goes from `a` to `b` the short way, with the same bits at the ends.
    pub(super) fn mix(a: Self, b: Self, weight: f32) -> Self {
        if weight >= 1.0 {
            return b;
        }
        if weight.is_nan() || weight <= 0.0 {
            return a;
        }
        let b = b.near(a);
        Self { v: a.v + (b.v - a.v) * weight, w: a.w + (b.w - a.w) * weight }.unit()
    }
}

impl From<glam::Quat> for Q {
    #[inline(always)]
    fn from(q: glam::Quat) -> Self {
        Self { v: V::new(q.x, q.y, q.z), w: q.w }
    }
}

impl From<Q> for glam::Quat {
    #[inline(always)]
    fn from(q: Q) -> Self {
        Self::from_xyzw(q.v.x, q.v.y, q.v.z, q.w)
    }
}

impl<T: Number> Mul<V<T>> for M<T> {
    type Output = V<T>;

    #[inline(always)]
    fn mul(self, b: V<T>) -> V<T> {
        let [x, y, z] = self.0;
        x * b.x + y * b.y + z * b.z
    }
}

impl<T: Number> Mul<V<T>> for Inverse<T> {
    type Output = V<T>;

    #[inline(always)]
    fn mul(self, v: V<T>) -> V<T> {
        let [a, b, c] = self.rows;
        V::new(a.dot(v), b.dot(v), c.dot(v)) * self.back
    }
}

impl<T: Number> Mul for M<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // Not by `map`, which is not compiled for the vectors of its caller.
        let [x, y, z] = b.0;
        Self([self * x, self * y, self * z])
    }
}

impl<T: Number> M<T> {
    #[inline(always)]
    pub(super) fn transpose(self) -> Self {
        let [a, b, c] = self.0;
        Self([V::new(a.x, b.x, c.x), V::new(a.y, b.y, c.y), V::new(a.z, b.z, c.z)])
    }

    /// Returns the inverse, by its rows, and the determinant.
    #[inline(always)]
    pub(super) fn inverse_and_determinant(self) -> (Inverse<T>, T) {
        let [x, y, z] = self.0;
        let (a, b, c) = (y.cross(z), z.cross(x), x.cross(y));
        let determinant = x.dot(a);
        (Inverse { rows: [a, b, c], back: determinant.all(1.0) / determinant }, determinant)
    }

    /// Returns the matrix of a right-handed frame: unit vectors `x` and `z`, across each other.
    #[inline(always)]
    pub(super) fn frame(x: V<T>, z: V<T>) -> Self {
        Self([x, z.cross(x), z])
    }

    /// Returns a multiple of the rotation that a rotation matrix stands for. Source: S. W. Shepperd, "Quaternion from
    /// rotation matrix", 1978: a number that is not small is computed first, so that none loses digits.
    #[inline(always)]
    pub(super) fn rotation(self) -> Q<T> {
        let [a, b, c] = self.0;
        let one = a.x.all(1.0);
        let (wx, wy, wz) = (b.z - c.y, c.x - a.z, a.y - b.x);
        let w = Q { v: V::new(wx, wy, wz), w: one + a.x + b.y + c.z };
        let limit = a.x.all(0.25);
        if !w.w.any_less(limit) {
            return w;
        }
        let (xy, xz, yz) = (a.y + b.x, c.x + a.z, b.z + c.y);
        let x = Q { v: V::new(one + a.x - b.y - c.z, xy, xz), w: wx };
        let y = Q { v: V::new(xy, one - a.x + b.y - c.z, yz), w: wy };
        let z = Q { v: V::new(xz, yz, one - a.x - b.y + c.z), w: wz };
        let first = Q::if_less(x.v.x, y.v.y, y, x);
        let first = Q::if_less(x.v.x.at_least(y.v.y), z.v.z, z, first);
        Q::if_less(w.w, limit, first, w)
    }
}

/// Returns the nearest number within the limits; the least for NaN.
pub(super) fn within(number: f32, least: f32, most: f32) -> f32 {
    if number > least { if number < most { number } else { most } } else { least }
}

/// Returns the nearest number from 0 to 1; 0 for NaN.
pub(super) fn share(number: f32) -> f32 {
    within(number, 0.0, 1.0)
}

pub(super) fn smooth(from: f32, to: f32, x: f32) -> f32 {
    let t = share((x - from) / (to - from));
    t * t * (3.0 - 2.0 * t)
}

/// Returns the sine and the cosine of half an angle in radians.
pub(super) fn half_angle(angle: f32) -> (f32, f32) {
    let (sine, cosine) = sin_cos(0.5 * f64::from(angle));
    #[expect(clippy::cast_possible_truncation, reason = "the result has single precision")]
    (sine as f32, cosine as f32)
}

impl M {
    pub(super) const IDENTITY: Self = Self([V::X, V::new(0.0, 1.0, 0.0), V::new(0.0, 0.0, 1.0)]);

    /// Returns the matrix of a rotation that follows a scale.
    pub(super) fn of_local(rotation: Q, scale: V) -> Self {
        let column = |axis: V, scale: f32| rotation * (axis * scale);
        let [x, y, z] = Self::IDENTITY.0;
        Self([column(x, scale.x), column(y, scale.y), column(z, scale.z)])
    }

    /// Returns whether the matrix scales evenly: whether it turns or mirrors, times a number.
    pub(super) fn is_even(self) -> bool {
        let [x, y, z] = self.0;
        let near = 4e-6 * x.square();
        let differences = [x.square() - y.square(), x.square() - z.square(), x.dot(y), y.dot(z), z.dot(x)];
        differences.into_iter().all(|difference| difference.abs() <= near)
    }

    /// The linear part of a matrix.
    pub(super) fn of(matrix: &Mat34) -> Self {
        let [x, y, z] = &matrix.rows;
        Self([V::new(x[0], y[0], z[0]), V::new(x[1], y[1], z[1]), V::new(x[2], y[2], z[2])])
    }

    /// Returns the inverse, unless there is none to single precision.
    #[inline]
    pub(super) fn inverse(self) -> Option<Inverse> {
        let [x, y, z] = self.0;
        let square = x.square() + y.square() + z.square();
        let (inverse, determinant) = self.inverse_and_determinant();
        let is_sound = (1e-20..1e20).contains(&square) && determinant.abs() > 1e-9 * square * square.sqrt();
        is_sound.then_some(inverse)
    }

    /// Returns the rotation of a matrix that may scale, shear or mirror: its first two axes, or their opposites if it
    /// mirrors. So the rotation of `m * r` is that of `m` times `r`, for all `m` with even scale.
    pub(super) fn nearest_rotation(self) -> Option<Q> {
        let [x, y, z] = self.0;
        let sign = if x.cross(y).dot(z) < 0.0 { -1.0 } else { 1.0 };
        let x = (x * sign).polar().1?;
        let y = (y * sign).polar().1?.across(x).polar().1?;
        Some(Self([x, y, x.cross(y)]).rotation().unit())
    }
}
