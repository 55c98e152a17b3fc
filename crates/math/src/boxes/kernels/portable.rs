//! The kernels: a vector has one lane for each of eight or sixteen boxes.

use super::WIDER;
use crate::simd::floats::floats;
use crate::simd::vectors::{columns, max as greater, min as lesser};
use crate::{Aabb, BLOCK, BoxGroup, GROUP, Mat34, Ray, TOLERANCE};
use fearless_simd::{f32x4, f32x8, f32x16, mask32x8, prelude::*, u32x16};

/// The index of the first column of maxima. Column 3 is unused, so bit 2 of an index tells maxima from minima.
const MAX: usize = 4;

/// A plane, and for each axis the column of the box corner furthest inside: a minimum (0 to 2) or a maximum (4 to 6).
struct Side {
    plane: [f32; 4],
    inner: [usize; 3],
}

impl Side {
    /// Returns a side for each plane. The sides after the last plane must not be used.
    #[inline(always)]
    fn all(planes: &[[f32; 4]]) -> [Self; 6] {
        [
            Self::of(planes, 0),
            Self::of(planes, 1),
            Self::of(planes, 2),
            Self::of(planes, 3),
            Self::of(planes, 4),
            Self::of(planes, 5),
        ]
    }

    #[inline(always)]
    fn of(planes: &[[f32; 4]], index: usize) -> Self {
        let plane = planes.get(index).copied().unwrap_or_default();
        let [x, y, z] = [plane[0] >= 0.0, plane[1] >= 0.0, plane[2] >= 0.0];
        Self { plane, inner: [usize::from(x) * MAX, 1 + usize::from(y) * MAX, 2 + usize::from(z) * MAX] }
    }
}

/// See [`in_frustum`](super::in_frustum) and [`inside_frustum`](super::inside_frustum).
#[inline(always)]
pub(super) fn frustum<S: Simd, const INSIDE: bool>(simd: S, groups: &[BoxGroup], planes: &[[f32; 4]]) -> (u64, u64) {
    // Narrow vectors test four groups plane by plane, to load each plane once.
    if !INSIDE && !is_wide::<S>() {
        return (touched(simd, groups, planes), 0);
    }
    let sides = Side::all(planes);
    let sides = &sides[..planes.len()];
    let (mut hits, mut inside, mut at) = (0, 0, 0);
    let (pairs, rest) = groups.as_chunks::<2>();
    for pair in pairs {
        let (touched, held) = by_columns::<S, f32x16<S>, INSIDE, true>(simd, two(simd, pair), sides);
        hits |= touched.to_bitmask() << at;
        inside |= held.to_bitmask() << at;
        at += 2 * GROUP;
    }
    if let [last] = rest {
        let (touched, held) = by_columns::<S, f32x8<S>, INSIDE, true>(simd, one(simd, last), sides);
        hits |= touched.to_bitmask() << at;
        inside |= held.to_bitmask() << at;
    }
    (hits, if INSIDE { hits & inside } else { 0 })
}

/// Returns whether a native vector has sixteen floats, so that sixteen boxes are tested at a time.
#[inline(always)]
fn is_wide<S: Simd>() -> bool {
    S::f32s::LEN >= 2 * GROUP
}

/// The number of indices that are collected before they are appended to a list.
const LISTED: usize = 4 * BLOCK;

/// See [`list_in_frustum`](super::list_in_frustum).
#[inline(always)]
pub(super) fn list_in_frustum<S: Simd>(
    simd: S,
    groups: &[BoxGroup],
    first: u32,
    planes: &[[f32; 4]],
    visible: &mut Vec<u32>,
) {
    let mut found = [0; LISTED + 2 * GROUP];
    if !is_wide::<S>() {
        for (block, groups) in (first..).step_by(BLOCK).zip(groups.chunks(BLOCK / GROUP)) {
            let (mut hits, mut count) = (touched(simd, groups, planes), 0);
            while hits != 0 {
                found[count] = block + hits.trailing_zeros();
                hits &= hits - 1;
                count += 1;
            }
            visible.extend_from_slice(&found[..count]);
        }
        return;
    }
    // Each step writes sixteen indices, those of hit boxes first. The next step overwrites the others.
    let sides = Side::all(planes);
    let sides = &sides[..planes.len()];
    let numbers = u32x16::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    let mut numbers = numbers + u32x16::splat(simd, first);
    let step = u32x16::splat(simd, 16);
    for part in groups.chunks(LISTED / GROUP) {
        let mut count = 0;
        let (pairs, rest) = part.as_chunks::<2>();
        for pair in pairs {
            count += put_pair(simd, pair, sides, numbers, &mut found[count..count + 2 * GROUP]);
            numbers += step;
        }
        if let [last] = rest {
            // Empty boxes touch nothing.
            let pair = [*last, BoxGroup::EMPTY];
            count += put_pair(simd, &pair, sides, numbers, &mut found[count..count + 2 * GROUP]);
        }
        visible.extend_from_slice(&found[..count]);
    }
}

/// Writes the indices of the boxes that are hit among sixteen boxes, and returns how many are hit.
#[inline(always)]
fn put_pair<S: Simd>(simd: S, pair: &[BoxGroup; 2], sides: &[Side], numbers: u32x16<S>, found: &mut [u32]) -> usize {
    let (kept, _) = by_columns::<S, f32x16<S>, false, false>(simd, two(simd, pair), sides);
    numbers.compress(kept).store_slice(found);
    kept.to_bitmask().count_ones() as usize
}

/// The number of groups that are tested at a time, few enough that all masks and tolerances fit in registers.
const FEW: usize = 4;

/// Returns a bit mask of the boxes that touch the frustum.
#[inline(always)]
fn touched<S: Simd>(simd: S, groups: &[BoxGroup], planes: &[[f32; 4]]) -> u64 {
    let (mut hits, mut at) = (0, 0);
    let (fours, rest) = groups.as_chunks::<FEW>();
    for four in fours {
        hits |= touched_few(simd, four, planes) << at;
        at += FEW * GROUP;
    }
    for one in rest {
        hits |= touched_few(simd, core::array::from_ref(one), planes) << at;
        at += GROUP;
    }
    hits
}

/// Tests all groups against one plane after the other, so that each plane is loaded once. Stops if all boxes are
/// outside.
#[inline(always)]
fn touched_few<S: Simd, const N: usize>(simd: S, groups: &[BoxGroup; N], planes: &[[f32; 4]]) -> u64 {
    let all = mask32x8::splat(simd, true);
    let (mut out, mut tolerances) = ([all; N], [f32x8::splat(simd, 0.0); N]);
    for index in 0..N {
        let [min, max] = one(simd, &groups[index]);
        tolerances[index] = tolerance(simd, min, max);
        out[index] = !min[0].simd_le(max[0]);
    }
    for &[x, y, z, d] in planes {
        let upper = [x >= 0.0, y >= 0.0, z >= 0.0];
        let plane = [f32x8::splat(simd, x), f32x8::splat(simd, y), f32x8::splat(simd, z), f32x8::splat(simd, d)];
        let mut gone = all;
        for index in 0..N {
            let BoxGroup { min, max } = &groups[index];
            // The corner farthest along the plane's normal: if it is outside, so is the box.
            let a = load(simd, if upper[0] { &max[0] } else { &min[0] });
            let b = load(simd, if upper[1] { &max[1] } else { &min[1] });
            let c = load(simd, if upper[2] { &max[2] } else { &min[2] });
            let distance = ((plane[0] * a + plane[1] * b) + plane[2] * c) + plane[3];
            out[index] |= distance.simd_lt(tolerances[index]);
            gone &= out[index];
        }
        // All boxes are outside of some plane; the other planes cannot bring them back.
        if gone.all_true() {
            return 0;
        }
    }
    let mut hits = 0;
    for (index, out) in out.into_iter().enumerate() {
        hits |= (out.to_bitmask() ^ 0xff) << (index * GROUP);
    }
    hits
}

/// Returns bit masks of the boxes that touch the frustum, and of the boxes that are entirely inside all planes. With
/// `EARLY`, stops if all boxes are outside. Loads the corner for a plane by index, without choosing between registers.
#[inline(always)]
fn by_columns<S: Simd, V: SimdFloat<S, Element = f32>, const INSIDE: bool, const EARLY: bool>(
    simd: S,
    [min, max]: [[V; 3]; 2],
    sides: &[Side],
) -> (V::Mask, V::Mask) {
    let zero = V::splat(simd, 0.0);
    let columns: [V; 2 * MAX] = [min[0], min[1], min[2], zero, max[0], max[1], max[2], zero];
    let tolerance = tolerance(simd, min, max);
    let mut out = !min[0].simd_le(max[0]);
    let mut within = V::Mask::splat(simd, true);
    for side in sides {
        out |= distance(simd, &columns, side, 0).simd_lt(tolerance);
        if INSIDE {
            within &= distance(simd, &columns, side, MAX).simd_ge(zero);
        }
        if EARLY && out.all_true() {
            break;
        }
    }
    (!out, within)
}

/// Returns the least signed distance at which a box touches, despite rounding: −[`TOLERANCE`] times the sum of the
/// box's greatest absolute coordinates. For an empty box, which is outside anyway, the result is meaningless.
#[inline(always)]
fn tolerance<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S, min: [V; 3], max: [V; 3]) -> V {
    let reach = (greater(simd, max[0], -min[0]) + greater(simd, max[1], -min[1])) + greater(simd, max[2], -min[2]);
    reach * V::splat(simd, -TOLERANCE)
}

/// Returns the signed distance from a plane to the box corner furthest inside; if `turn` is `MAX`, to the corner
/// furthest outside.
#[inline(always)]
fn distance<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S, columns: &[V; 2 * MAX], side: &Side, turn: usize) -> V {
    let Side { plane: [x, y, z, d], inner: [a, b, c] } = side;
    let [a, b, c] = [(a ^ turn) % (2 * MAX), (b ^ turn) % (2 * MAX), (c ^ turn) % (2 * MAX)];
    let sum = V::splat(simd, *x) * columns[a] + V::splat(simd, *y) * columns[b];
    (sum + V::splat(simd, *z) * columns[c]) + V::splat(simd, *d)
}

/// Returns the corners of a group's boxes.
#[inline(always)]
fn one<S: Simd>(simd: S, group: &BoxGroup) -> [[f32x8<S>; 3]; 2] {
    let [min_x, min_y, min_z] = &group.min;
    let [max_x, max_y, max_z] = &group.max;
    [
        [load(simd, min_x), load(simd, min_y), load(simd, min_z)],
        [load(simd, max_x), load(simd, max_y), load(simd, max_z)],
    ]
}

/// Returns the corners of two groups' boxes.
#[inline(always)]
fn two<S: Simd>(simd: S, [low, high]: &[BoxGroup; 2]) -> [[f32x16<S>; 3]; 2] {
    let ([a, b], [c, d]) = (one(simd, low), one(simd, high));
    [
        [a[0].combine(c[0]), a[1].combine(c[1]), a[2].combine(c[2])],
        [b[0].combine(d[0]), b[1].combine(d[1]), b[2].combine(d[2])],
    ]
}

/// See [`in_sphere`](super::in_sphere).
#[inline(always)]
pub(super) fn sphere<S: Simd>(simd: S, groups: &[BoxGroup], center: &[f32; 3], square: f32) -> u64 {
    let (mut word, square) = (0, f32x8::splat(simd, square));
    for (index, group) in groups.iter().enumerate() {
        let x = away(simd, group, center, 0);
        let y = away(simd, group, center, 1);
        let z = away(simd, group, center, 2);
        let near = ((x * x + y * y) + z * z).simd_le(square);
        word |= (present(simd, group) & near).to_bitmask() << (index * GROUP);
    }
    word
}

/// Returns how far each of eight boxes is from a point along an axis; zero if the point is between the box's sides.
#[inline(always)]
fn away<S: Simd>(simd: S, group: &BoxGroup, center: &[f32; 3], axis: usize) -> f32x8<S> {
    let center = f32x8::splat(simd, center[axis]);
    let (below, above) = (load(simd, &group.min[axis]) - center, center - load(simd, &group.max[axis]));
    greater(simd, greater(simd, below, above), f32x8::splat(simd, 0.0))
}

/// See [`in_box`](super::in_box).
#[inline(always)]
pub(super) fn overlap<S: Simd>(simd: S, groups: &[BoxGroup], bounds: &Aabb) -> (u64, u64) {
    let (mut hits, mut inside) = (0, 0);
    for (index, group) in groups.iter().enumerate() {
        let mut hit = present(simd, group);
        let mut held = hit;
        for axis in 0..3 {
            let (low, high) = (f32x8::splat(simd, bounds.min[axis]), f32x8::splat(simd, bounds.max[axis]));
            let (min, max) = (load(simd, &group.min[axis]), load(simd, &group.max[axis]));
            hit &= min.simd_le(high) & max.simd_ge(low);
            held &= min.simd_ge(low) & max.simd_le(high);
        }
        hits |= hit.to_bitmask() << (index * GROUP);
        inside |= held.to_bitmask() << (index * GROUP);
    }
    (hits, hits & inside)
}

/// See [`enter`](super::enter). Stores the distances to the boxes of as many groups as `nears` has room for.
#[inline(always)]
pub(super) fn ray<S: Simd>(
    simd: S,
    of: (&[BoxGroup], Option<&BoxGroup>),
    (ray, slack): (&Ray, f32),
    nears: &mut [[f32; GROUP]],
) -> u64 {
    // Few rays are parallel to an axis; others go without its branches.
    if ray.inverse().contains(&0.0) {
        along::<S, true>(simd, of, (ray, slack), nears)
    } else {
        along::<S, false>(simd, of, (ray, slack), nears)
    }
}

#[inline(always)]
fn along<S: Simd, const PARALLEL: bool>(
    simd: S,
    (groups, around): (&[BoxGroup], Option<&BoxGroup>),
    (ray, slack): (&Ray, f32),
    nears: &mut [[f32; GROUP]],
) -> u64 {
    let slabs = Slabs::new(simd, ray, slack);
    let Some(around) = around else {
        let mut word = 0;
        for (index, group) in groups.iter().enumerate() {
            let (near, met) = slabs.meet::<PARALLEL>(simd, group);
            word |= met << (index * GROUP);
            if let Some(to) = nears.get_mut(index) {
                near.store_array(to);
            }
        }
        return word;
    };
    let (mut word, mut left) = (0, slabs.meet::<PARALLEL>(simd, around).1);
    while left != 0 {
        let index = left.trailing_zeros() as usize;
        left &= left - 1;
        // The box around a group that is not there is empty, and not met.
        let (Some(group), Some(to)) = (groups.get(index), nears.get_mut(index)) else { break };
        let (near, met) = slabs.meet::<PARALLEL>(simd, group);
        word |= met << (index * GROUP);
        near.store_array(to);
    }
    word
}

/// A ray as boxes are tested against it.
struct Slabs<'r, S: Simd> {
    ray: &'r Ray,
    before: [f32x8<S>; 3],
    behind: [f32x8<S>; 3],
    inverses: [f32x8<S>; 3],
    rising: [mask32x8<S>; 3],
}

impl<'r, S: Simd> Slabs<'r, S> {
    #[inline(always)]
    fn new(simd: S, ray: &'r Ray, slack: f32) -> Self {
        let start = f32x8::splat(simd, 0.0);
        let (mut before, mut behind, mut inverses) = ([start; 3], [start; 3], [start; 3]);
        let mut rising = [mask32x8::splat(simd, true); 3];
        for axis in 0..3 {
            let (origin, inverse) = (ray.origin()[axis], ray.inverse()[axis]);
            // A box begins earlier and ends later on the way of the ray.
            let slack = slack.copysign(inverse);
            before[axis] = f32x8::splat(simd, origin + slack);
            behind[axis] = f32x8::splat(simd, origin - slack);
            inverses[axis] = f32x8::splat(simd, inverse);
            rising[axis] = inverses[axis].simd_gt(start);
        }
        Self { ray, before, behind, inverses, rising }
    }

    /// Returns the distances to eight boxes, and a bit for each box that the ray meets.
    #[inline(always)]
    fn meet<const PARALLEL: bool>(&self, simd: S, group: &BoxGroup) -> (f32x8<S>, u64) {
        let (mut near, mut far) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, self.ray.length()));
        let mut between = mask32x8::splat(simd, true);
        for axis in 0..3 {
            let (before, behind, inverse) = (self.before[axis], self.behind[axis], self.inverses[axis]);
            let (low, high) = (load(simd, &group.min[axis]), load(simd, &group.max[axis]));
            // Parallel to this slab: the ray is between its planes everywhere or nowhere.
            if PARALLEL && self.ray.inverse()[axis] == 0.0 {
                between &= low.simd_le(before) & high.simd_ge(behind);
                continue;
            }
            // By the sign, so that an empty box is entered after it is left.
            let (first, last) = (self.rising[axis].select(low, high), self.rising[axis].select(high, low));
            near = greater(simd, (first - before) * inverse, near);
            far = lesser(simd, (last - behind) * inverse, far);
        }
        let meets = near.simd_le(far * f32x8::splat(simd, WIDER));
        (near, (between & meets).to_bitmask())
    }
}

/// See [`transformed`](super::transformed).
#[inline(always)]
pub(super) fn transformed<S: Simd>(
    simd: S,
    matrices: &[&Mat34; GROUP],
    locals: &[Aabb; GROUP],
    live: u8,
    to: &mut BoxGroup,
) {
    // A box is six floats, loaded as the first four and the last four.
    let [min_x, min_y, min_z, _] = columns(simd, corners::<S, 0>(simd, locals));
    let [_, max_x, max_y, max_z] = columns(simd, corners::<S, 2>(simd, locals));
    let (low, high) = ([min_x, min_y, min_z], [max_x, max_y, max_z]);
    let absent = min_x.simd_gt(max_x) | min_y.simd_gt(max_y) | min_z.simd_gt(max_z);
    let absent = absent | !mask32x8::from_bitmask(simd, u64::from(live));

    let (infinity, negative) = (f32x8::splat(simd, f32::INFINITY), f32x8::splat(simd, f32::NEG_INFINITY));
    let (mut mins, mut maxs, mut finite) = ([negative; 3], [infinity; 3], mask32x8::splat(simd, true));
    for row in 0..3 {
        let [a, b, c, d, e, f, g, h] = *matrices;
        let rows = [
            f32x4::load_array_ref(simd, &a.rows[row]),
            f32x4::load_array_ref(simd, &b.rows[row]),
            f32x4::load_array_ref(simd, &c.rows[row]),
            f32x4::load_array_ref(simd, &d.rows[row]),
            f32x4::load_array_ref(simd, &e.rows[row]),
            f32x4::load_array_ref(simd, &f.rows[row]),
            f32x4::load_array_ref(simd, &g.rows[row]),
            f32x4::load_array_ref(simd, &h.rows[row]),
        ];
        let [x, y, z, shift] = columns(simd, rows);
        // Each product has its extremes at the ends of the interval, whatever the sign of the factor.
        let ((ax, bx), (ay, by), (az, bz)) =
            ((x * low[0], x * high[0]), (y * low[1], y * high[1]), (z * low[2], z * high[2]));
        let least = shift + ((lesser(simd, ax, bx) + lesser(simd, ay, by)) + lesser(simd, az, bz));
        let greatest = shift + ((greater(simd, ax, bx) + greater(simd, ay, by)) + greater(simd, az, bz));
        // An overflow on one axis makes the whole box infinite, never too small.
        finite &= least.abs().simd_lt(infinity) & greatest.abs().simd_lt(infinity);
        (mins[row], maxs[row]) = (least, greatest);
    }
    for axis in 0..3 {
        let (least, greatest) = (finite.select(mins[axis], negative), finite.select(maxs[axis], infinity));
        absent.select(infinity, least).store_array(&mut to.min[axis]);
        absent.select(negative, greatest).store_array(&mut to.max[axis]);
    }
}

/// Returns four of the six floats of eight boxes.
#[inline(always)]
fn corners<S: Simd, const FIRST: usize>(simd: S, locals: &[Aabb; GROUP]) -> [f32x4<S>; GROUP] {
    let [a, b, c, d, e, f, g, h] = locals;
    [
        four::<S, FIRST>(simd, a),
        four::<S, FIRST>(simd, b),
        four::<S, FIRST>(simd, c),
        four::<S, FIRST>(simd, d),
        four::<S, FIRST>(simd, e),
        four::<S, FIRST>(simd, f),
        four::<S, FIRST>(simd, g),
        four::<S, FIRST>(simd, h),
    ]
}

#[inline(always)]
fn four<S: Simd, const FIRST: usize>(simd: S, bounds: &Aabb) -> f32x4<S> {
    f32x4::from_slice(simd, &floats(bounds)[FIRST..FIRST + 4])
}

#[inline(always)]
fn load<S: Simd>(simd: S, numbers: &[f32; GROUP]) -> f32x8<S> {
    f32x8::load_array_ref(simd, numbers)
}

#[inline(always)]
fn present<S: Simd>(simd: S, group: &BoxGroup) -> mask32x8<S> {
    load(simd, &group.min[0]).simd_le(load(simd, &group.max[0]))
}
