//! Two bones, the quick path: bent bones that are parent, child and grandchild, with an even scale of the start joint,
//! and a goal that is not near the singular direction. All in the space of the start joint's parent, where rotations
//! are rigid whatever scales are above.

use super::math::{M, Number, Q, V};
use fearless_simd::{Level, Simd, f32x4, prelude::*};
use hedgerow_math::internal::level::dispatch;
use hedgerow_math::internal::vectors::columns;

/// The number of limbs that are solved at a time.
pub(super) const LANES: usize = 8;

/// The numbers of a limb, by their first places:
///
/// | place | numbers |
/// |---|---|
/// | 0 | the rows of the parent's model matrix |
/// | 12 | the goal in model space, relative to the parent's place |
/// | 15 | the softening |
/// | 16 | the pole, as the goal if it is a point |
/// | 19 | 1 if the pole is a point, 0 if it is a direction, −1 if it is the pose's plane |
/// | 20 | the translation of the start joint, and one number that is not used |
/// | 24, 28 | the rotations of the start and of the middle joint |
/// | 32, 36 | the bones before rotations, with all scales; each with a number that is not used |
pub(super) const NUMBERS: usize = 40;

/// The numbers of a [`Solved`].
const RESULTS: usize = 11;

/// The numbers of eight solutions.
pub(super) type Results = [[f32; LANES]; RESULTS];

/// The local rotations that bring the end to the goal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved<T = f32> {
    pub(super) start: Q<T>,
    pub(super) middle: Q<T>,
    /// The distances from the start joint to the goal and to the end.
    pub(super) far: T,
    pub(super) span: T,
    /// Above zero if the result is exact.
    pub(super) margin: T,
}

/// Solves one limb, or eight in lanes, given its [`NUMBERS`].
///
/// Finds the elbow by the triangle's sides. The first rotation is read off the frames of bone and normal, posed and
/// solved; the second is about the normal, by the halves of the angles at the elbow. Neither waits for the other.
///
/// `posed` says whether any pole is the pose's plane.
#[inline(always)]
fn solve<T: Number>(n: impl Fn(usize) -> T, posed: bool) -> Solved<T> {
    // Numbers are taken where they are needed, so that they do not wait in registers.
    let vector = |at: usize| V::new(n(at), n(at + 1), n(at + 2));
    let column = |at: usize| V::new(n(at), n(at + 4), n(at + 8));
    let quaternion = |at: usize| Q { v: vector(at), w: n(at + 3) };
    let number = |x| n(0).all(x);
    let (zero, one) = (number(0.0), number(1.0));
    let (into, determinant) = M([column(0), column(1), column(2)]).inverse_and_determinant();
    let (place, kind) = (vector(20), n(19));
    let target = into * vector(12) - place;
    let pole = into * vector(16) - place * kind.at_least(zero);

    // The bones in the start joint's space, and the normal of their plane.
    let (upper, lower) = (vector(32), vector(36));
    let bent = quaternion(28) * lower;
    let (l1, l2) = (upper.square().sqrt(), lower.square().sqrt());
    let (fold, cosine, product) = (upper.cross(bent), upper.dot(bent), l1 * l2);
    let fold_square = fold.square();
    let sine = fold_square.sqrt();
    let normal = fold * (one / sine);

    // The normal of the solved plane does not wait for the axis.
    let far_square = target.square();
    let far = far_square.sqrt();
    let axis = target * (one / far);
    let mut across = pole.cross(target);
    let mut bends = across.square() - pole.square() * far_square * number(2e-3);
    if posed {
        // The shortest turn from the posed axis to the new one, applied to the normal, which is across the former.
        let old = quaternion(24) * (upper + bent);
        let old = old * (one / old.square().sqrt());
        let old_normal = quaternion(24) * normal;
        let sum = one + old.dot(axis);
        let carried = old_normal - (old + axis) * (old_normal.dot(axis) / sum);
        across = V::if_less(kind, zero, carried, across);
        bends = kind.if_less(zero, sum - number(0.1), bends);
    }
    let new_normal = across * across.square().over_root();
    let side = axis.cross(new_normal);
    let span = span(far, l1, l2, n(15));
    let Triangle { along, height, half_sine, half_cosine } = Triangle::new(l1, l2, span);
    let elbow = axis * along + side * height;
    let turn = M::frame(elbow, new_normal) * M::frame(upper * (one / l1), normal).transpose();
    let (start, back) = turn.rotation().unit_near(quaternion(24));

    // Multiples of the half angle's cosine and sine before; both terms are sums of numbers above zero.
    let is_acute = |yes, no| cosine.if_less(zero, no, yes);
    let (c, s) = (is_acute(product + cosine, sine), is_acute(sine, product - cosine));
    let bend = Q { v: normal * (half_sine * c - half_cosine * s), w: half_cosine * c + half_sine * s };
    let middle = bend * quaternion(28);
    let middle_back = middle.dot(middle).over_root();
    let middle = middle.times(middle_back);
    let invertible = determinant * determinant - number(1e-24);
    let margin = invertible
        .at_most(fold_square - product * product * number(0.04))
        .at_most(span - (l1 + l2) * number(0.02))
        .at_most(product - number(1e-14))
        // Very short poles have few digits.
        .at_most(bends - number(1e-30));
    // No number, if one of these is not finite, as where one above is no number.
    let margin = margin + (back + middle_back + far) * zero;
    Solved { start, middle, far, span, margin }
}

/// Returns the distance to which the end goes: that of the goal, but from the difference of the bones to their sum, and
/// near both, if softened, so that the end lags behind and joints turn at bounded speed.
///
/// From a distance `rest` before a limit on, the way left is `rest (4 ÷ (4 + x))⁴`, where `x rest` is how far the goal is
/// beyond that distance. The curve has slope 1 at its start; ozz' one with 3 in place of 4 has 4/3.
#[inline(always)]
pub(super) fn span<T: Number>(far: T, l1: T, l2: T, soften: T) -> T {
    let (length, longer) = (l1 + l2, l1.at_least(l2));
    let least = longer - l1.at_most(l2);
    let outer = (length * soften).at_least(longer);
    let inner = (least * (far.all(3.0) - soften - soften)).at_most(longer);
    let rest = far.if_less(inner, inner - least, length - outer);
    if !(far.any_less(inner) || outer.any_less(far)) {
        return far;
    }
    let four = rest * far.all(4.0);
    let ratio = four / (far.if_less(inner, inner - far, far - outer) + four);
    let square = ratio * ratio;
    let left = rest * (square * square);
    let soft = far.if_less(inner, least + left, length - left);
    far.if_less(inner, soft, outer.if_less(far, soft, far))
}

/// The triangle of two bones and the way to the end, by Heron's factors, which have all digits for flat triangles.
pub(super) struct Triangle<T> {
    /// The elbow's place along the way and beside it, as shares of the first bone.
    pub(super) along: T,
    pub(super) height: T,
    /// Multiples of the sine and the cosine of half of the angle by which the second bone leaves the first one's line.
    half_sine: T,
    half_cosine: T,
}

impl<T: Number> Triangle<T> {
    #[inline(always)]
    pub(super) fn new(l1: T, l2: T, span: T) -> Self {
        let zero = span.all(0.0);
        let half = span.all(0.5) / (span * l1);
        // The first difference has all digits if the second bone is the longer one.
        let (less, more) = (l2 - span, l2 + span);
        let (a, b, c) = ((l1 + less).at_least(zero), (l1 - less).at_least(zero), (more - l1).at_least(zero));
        let (half_sine, half_cosine) = (((more + l1) * a).sqrt(), (b * c).sqrt());
        Self { along: span.all(1.0) - a * c * half, height: half_sine * half_cosine * half, half_sine, half_cosine }
    }
}

/// Solves eight limbs at once, with the same bits as one after the other. The results have a lane for each limb.
pub(super) fn solve_lanes(level: Level, limbs: &[[f32; NUMBERS]; LANES], posed: bool, solved: &mut Results) {
    dispatch!(level, simd => lanes(simd, limbs, posed, solved));
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, limbs: &[[f32; NUMBERS]; LANES], posed: bool, solved: &mut Results) {
    let four = |at| {
        let mut rows = [f32x4::splat(simd, 0.0); LANES];
        for (row, limb) in rows.iter_mut().zip(limbs) {
            *row = f32x4::load_array_ref(simd, &limb.as_chunks().0[at]);
        }
        columns(simd, rows)
    };
    let all = [four(0), four(1), four(2), four(3), four(4), four(5), four(6), four(7), four(8), four(9)];
    let all = solve(|at| all[at / 4][at % 4], posed).numbers();
    for (numbers, to) in all.into_iter().zip(solved) {
        numbers.store_array(to);
    }
}

/// Solves one limb, with a vector for each number: of scalars, the compiler packs some, and moves more than it computes.
#[inline(always)]
pub(super) fn solve_one<S: Simd>(simd: S, numbers: &[f32; NUMBERS], posed: bool) -> Solved {
    let solved = solve(|at| f32x4::splat(simd, numbers[at]), posed).numbers();
    Solved::from_numbers(|at| solved[at].as_array()[0])
}

impl<T: Copy> Solved<T> {
    #[inline(always)]
    fn numbers(&self) -> [T; RESULTS] {
        let Self { start: p, middle: q, far, span, margin } = *self;
        [p.v.x, p.v.y, p.v.z, p.w, q.v.x, q.v.y, q.v.z, q.w, far, span, margin]
    }

    #[inline(always)]
    pub(super) fn from_numbers(n: impl Fn(usize) -> T) -> Self {
        let quaternion = |at: usize| Q { v: V::new(n(at), n(at + 1), n(at + 2)), w: n(at + 3) };
        Self { start: quaternion(0), middle: quaternion(4), far: n(8), span: n(9), margin: n(10) }
    }
}
