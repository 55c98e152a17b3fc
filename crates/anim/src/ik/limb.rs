//! Two bones, the quick path: bent bones that are parent, child and grandchild, with an even scale of the start joint, and
//! a goal that is not near the singular direction. All in the space of the start joint's parent, where rotations are rigid whatever scales are above.

use super::math::{M, Number, Q, V};
use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};

/// The number of limbs that are solved at a time.
pub(super) const LANES: usize = 8;

/// The numbers of a [`Limb`].
pub(super) const NUMBERS: usize = 34;

/// The numbers of a [`Solved`].
const RESULTS: usize = 11;

/// One limb, or eight in lanes.
#[derive(Clone, Copy)]
pub(super) struct Limb<T = f32> {
    /// The model matrix of the parent, without its translation.
    pub(super) above: M<T>,
    /// In model space, relative to the parent's place.
    pub(super) goal: V<T>,
    pub(super) pole: V<T>,
    /// 1 if the pole is a point, 0 if it is a direction, −1 if it is the pose's plane.
    pub(super) kind: T,
    /// The translation of the start joint.
    pub(super) place: V<T>,
    pub(super) start: Q<T>,
    pub(super) middle: Q<T>,
    /// The bones before rotations, with all scales.
    pub(super) upper: V<T>,
    pub(super) lower: V<T>,
    pub(super) soften: T,
}

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

impl Solved {
    pub(super) fn is_exact(&self) -> bool {
        self.margin > 0.0 && self.start.is_finite() && self.middle.is_finite() && self.far.is_finite()
    }
}

impl<T: Number> Limb<T> {
    /// Finds the elbow by the triangle's sides, then reads both rotations off the places. The second starts from where
    /// the first, as rounded, brought the elbow, so that the end has no error of the first.
    ///
    /// `posed` says whether any pole is the pose's plane.
    #[inline(always)]
    pub(super) fn solve(&self, posed: bool) -> Solved<T> {
        let number = |x| self.soften.all(x);
        let one = number(1.0);
        let (into, determinant) = self.above.inverse_and_determinant();
        let target = into * self.goal - self.place;
        let pole = into * self.pole - self.place * self.kind.at_least(number(0.0));

        // The bones in the start joint's space, and the normal of their plane.
        let bent = self.middle * self.lower;
        let (upper, l1, l2) = (self.upper, self.upper.square().sqrt(), bent.square().sqrt());
        let u = upper * (one / l1);
        let w = bent * (one / l2);
        let fold = u.cross(w);
        let fold_square = fold.square();
        let normal = fold * (one / fold_square.sqrt());

        // The normal of the solved plane does not wait for the axis.
        let far = target.square().sqrt();
        let axis = target * (one / far);
        let mut across = pole.cross(target);
        let mut bends = across.square() - pole.square() * (far * far) * number(2e-3);
        if posed {
            // The shortest turn from the posed axis to the new one, applied to the normal, which is across the former.
            let old = self.start * (upper + bent);
            let old = old * (one / old.square().sqrt());
            let old_normal = self.start * normal;
            let sum = one + old.dot(axis);
            let carried = old_normal - (old + axis) * (old_normal.dot(axis) / sum);
            let zero = number(0.0);
            across = V::if_less(self.kind, zero, carried, across);
            bends = self.kind.if_less(zero, sum - number(0.1), bends);
        }
        let new_normal = across * (one / across.square().sqrt());
        let side = axis.cross(new_normal);
        let span = span(far, l1, l2, self.soften);
        let elbow = triangle(axis, side, l1, l2, span);

        let turn = (M::frame(elbow, new_normal) * M::frame(u, normal).transpose()).rotation();
        let left = (turn.inverse() * (axis * span) - upper) * (one / l2);
        let middle = (Q::arc(w, left, normal) * self.middle).unit();
        let invertible = determinant * determinant - number(1e-24);
        let margin = invertible
            .at_most(fold_square - number(0.04))
            .at_most(span - (l1 + l2) * number(0.02))
            .at_most(l1.at_most(l2) - number(1e-7))
            .at_most(number(1e7) - l1.at_least(l2))
            // The last, so that it stays if it is no number: of poles that are very long. Very short ones have few digits.
            .at_most(bends - number(1e-30));
        let start = turn.near(self.start);
        Solved { start, middle, far, span, margin }
    }
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
    if far.is_less(inner) == Some(false) && outer.is_less(far) == Some(false) {
        return far;
    }
    let four = rest * far.all(4.0);
    let ratio = four / (far.if_less(inner, inner - far, far - outer) + four);
    let square = ratio * ratio;
    let left = rest * (square * square);
    let soft = far.if_less(inner, least + left, length - left);
    far.if_less(inner, soft, outer.if_less(far, soft, far))
}

/// Returns the direction to the elbow. The height is Heron's, which has all digits for flat triangles.
#[inline(always)]
pub(super) fn triangle<T: Number>(axis: V<T>, side: V<T>, l1: T, l2: T, span: T) -> V<T> {
    let zero = span.all(0.0);
    let half = span.all(0.5) / (span * l1);
    let along = ((span - l2) * (span + l2) + l1 * l1) * half;
    let (a, b, c) = (l1 + l2 - span, span + l1 - l2, span - l1 + l2);
    let area = (l1 + l2 + span) * a.at_least(zero) * (b.at_least(zero) * c.at_least(zero));
    axis * along + side * (area.sqrt() * half)
}

/// The numbers of eight limbs, each limb in one lane, or of eight solutions.
pub(super) type Numbers<const COUNT: usize> = [[f32; LANES]; COUNT];

/// Solves eight limbs at once, with the same bits as one after the other.
pub(super) fn solve_lanes(level: Level, limbs: &Numbers<NUMBERS>, posed: bool) -> Numbers<RESULTS> {
    let mut solved = [[0.0; LANES]; RESULTS];
    dispatch!(level, simd => lanes(simd, limbs, posed, &mut solved));
    solved
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, limbs: &Numbers<NUMBERS>, posed: bool, solved: &mut Numbers<RESULTS>) {
    let Solved { start: p, middle: q, far, span, margin } =
        Limb::from_numbers(|at| f32x8::load_array_ref(simd, &limbs[at])).solve(posed);
    let all = [p.v.x, p.v.y, p.v.z, p.w, q.v.x, q.v.y, q.v.z, q.w, far, span, margin];
    for (numbers, to) in all.into_iter().zip(solved) {
        numbers.store_array(to);
    }
}

impl Solved {
    #[inline]
    pub(super) fn of_lane(n: &Numbers<RESULTS>, lane: usize) -> Self {
        let quaternion = |at: usize| Q { v: V::new(n[at][lane], n[at + 1][lane], n[at + 2][lane]), w: n[at + 3][lane] };
        Self { start: quaternion(0), middle: quaternion(4), far: n[8][lane], span: n[9][lane], margin: n[10][lane] }
    }
}

impl<T: Copy> Limb<T> {
    #[inline(always)]
    pub(super) fn numbers(&self) -> [T; NUMBERS] {
        let Self { above: M([a, b, c]), goal, pole, kind, place, start: p, middle: q, upper, lower, soften } = *self;
        let [pv, qv] = [p.v, q.v];
        [
            a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, goal.x, goal.y, goal.z, pole.x, pole.y, pole.z, place.x,
            place.y, place.z, pv.x, pv.y, pv.z, p.w, qv.x, qv.y, qv.z, q.w, upper.x, upper.y, upper.z, lower.x,
            lower.y, lower.z, kind, soften,
        ]
    }

    #[inline(always)]
    fn from_numbers(n: impl Fn(usize) -> T) -> Self {
        let vector = |at: usize| V::new(n(at), n(at + 1), n(at + 2));
        Self {
            above: M([vector(0), vector(3), vector(6)]),
            goal: vector(9),
            pole: vector(12),
            place: vector(15),
            start: Q { v: vector(18), w: n(21) },
            middle: Q { v: vector(22), w: n(25) },
            upper: vector(26),
            lower: vector(29),
            kind: n(32),
            soften: n(33),
        }
    }
}
