//! Tests of eight boxes at a time, and eight world boxes from matrices and local boxes.
//!
//! Tests take up to eight groups, a block of 64 boxes, and return a bit for each box. Empty boxes are never hit,
//! infinite ones always. All tests are monotone to the bit: what a box hits is hit by every box that holds it, so a
//! hierarchy of boxes gives the same result as testing all.
//!
//! No fused multiply-add, so that levels give the same bits. Rays are tested with AVX2 where there is AVX-512, too,
//! which takes 0.70 ns a box in place of 1.06.

mod portable;
#[cfg(test)]
mod tests;

use crate::simd::level::{level, level_up_to_avx2};
use crate::{Aabb, BLOCK, BoxGroup, Frustum, GROUP, Mat34, Ray, Sphere};
use fearless_simd::{Level, dispatch};

/// More than the relative error of a squared distance (five roundings) or of where a ray meets a slab (three).
const WIDER: f32 = 1.0 + 1.0 / 1_048_576.0;

/// The boxes that are not entirely outside any plane of the frustum, as a bit mask. The second word is zero.
///
/// # Panics
/// For more than eight groups. The same is true for the other tests of a block.
#[inline]
pub fn in_frustum(groups: &[BoxGroup], frustum: &Frustum) -> (u64, u64) {
    frustum_block::<false>(groups, frustum)
}

/// The boxes that are not entirely outside any plane of the frustum, and those of them that are entirely inside all
/// planes, so that everything in them is hit too. Both are bit masks.
#[inline]
pub fn inside_frustum(groups: &[BoxGroup], frustum: &Frustum) -> (u64, u64) {
    frustum_block::<true>(groups, frustum)
}

#[inline(always)]
fn frustum_block<const INSIDE: bool>(groups: &[BoxGroup], frustum: &Frustum) -> (u64, u64) {
    frustum_at::<INSIDE>(level(), groups, frustum.planes())
}

#[inline(always)]
fn frustum_at<const INSIDE: bool>(level: Level, groups: &[BoxGroup], planes: &[[f32; 4]]) -> (u64, u64) {
    assert!(groups.len() <= BLOCK / GROUP);
    dispatch!(level, simd => portable::frustum::<_, INSIDE>(simd, groups, planes))
}

/// Appends the numbers of all boxes that are not entirely outside any plane of the frustum to a list, in ascending
/// order. There may be any number of groups; their boxes are numbered from `first`.
pub fn list_in_frustum(groups: &[BoxGroup], first: u32, frustum: &Frustum, visible: &mut Vec<u32>) {
    list_in_frustum_at(level(), groups, first, frustum.planes(), visible);
}

#[inline(always)]
fn list_in_frustum_at(level: Level, groups: &[BoxGroup], first: u32, planes: &[[f32; 4]], visible: &mut Vec<u32>) {
    dispatch!(level, simd => portable::list_in_frustum(simd, groups, first, planes, visible));
}

/// The boxes that touch the sphere.
#[inline]
pub fn in_sphere(groups: &[BoxGroup], sphere: &Sphere) -> u64 {
    in_sphere_at(level(), groups, sphere)
}

#[inline(always)]
fn in_sphere_at(level: Level, groups: &[BoxGroup], sphere: &Sphere) -> u64 {
    assert!(groups.len() <= BLOCK / GROUP);
    let (center, square) = (sphere.center().to_array(), sphere.radius() * sphere.radius() * WIDER + f32::MIN_POSITIVE);
    dispatch!(level, simd => portable::sphere(simd, groups, &center, square))
}

/// The boxes that share a point with this box, and those that are inside it. An empty box shares none.
#[inline]
pub fn in_box(groups: &[BoxGroup], bounds: &Aabb) -> (u64, u64) {
    in_box_at(level(), groups, bounds)
}

#[inline(always)]
fn in_box_at(level: Level, groups: &[BoxGroup], bounds: &Aabb) -> (u64, u64) {
    assert!(groups.len() <= BLOCK / GROUP);
    if bounds.is_empty() {
        return (0, 0);
    }
    dispatch!(level, simd => portable::overlap(simd, groups, bounds))
}

/// The boxes that the ray hits.
#[inline]
pub fn on_ray(groups: &[BoxGroup], ray: &Ray) -> u64 {
    on_ray_at(level_up_to_avx2(), groups, ray)
}

#[inline(always)]
fn on_ray_at(level: Level, groups: &[BoxGroup], ray: &Ray) -> u64 {
    assert!(groups.len() <= BLOCK / GROUP);
    dispatch!(level, simd => portable::ray(simd, groups, ray))
}

/// The distance from a ray's origin to a box that it hits; zero if the origin is inside.
#[inline]
pub fn distance(bounds: &Aabb, ray: &Ray) -> f32 {
    slabs(bounds, ray).0
}

/// The distances at which a ray enters and leaves a box; it misses if the first is greater than the second.
///
/// An axis along which the ray does not move says whether its origin lies between the planes, and nothing about where.
pub(crate) fn slabs(bounds: &Aabb, ray: &Ray) -> (f32, f32) {
    let (mut near, mut far) = (0.0, ray.length());
    let mut between = true;
    for axis in 0..3 {
        let (low, high) = (bounds.min[axis], bounds.max[axis]);
        let (origin, inverse) = (ray.origin()[axis], ray.inverse()[axis]);
        if inverse == 0.0 {
            between &= low <= origin && high >= origin;
            continue;
        }
        let (first, last) = if inverse > 0.0 { (low, high) } else { (high, low) };
        let (enter, leave) = ((first - origin) * inverse, (last - origin) * inverse);
        near = if enter > near { enter } else { near };
        far = if leave < far { leave } else { far };
    }
    (near, if between { far * WIDER } else { f32::NEG_INFINITY })
}

/// [`Aabb::transformed`] for eight boxes: the lanes of `to` whose bit is set in `live` are transformed by the matrix in
/// their slot; the others become the empty box.
///
/// # Panics
/// If a slot is beyond `worlds`, even in a lane that is not live.
#[inline]
pub fn transformed(worlds: &[Mat34], slots: &[u32; GROUP], locals: &[Aabb; GROUP], live: u8, to: &mut BoxGroup) {
    // The compiler spreads numbers over wide vectors by shuffles there: AVX-512 would take longer.
    transformed_at(level_up_to_avx2(), worlds, slots, locals, live, to);
}

#[inline(always)]
fn transformed_at(
    level: Level,
    worlds: &[Mat34],
    slots: &[u32; GROUP],
    locals: &[Aabb; GROUP],
    live: u8,
    to: &mut BoxGroup,
) {
    let [a, b, c, d, e, f, g, h] = *slots;
    let of = |slot: u32| &worlds[slot as usize];
    let matrices = [of(a), of(b), of(c), of(d), of(e), of(f), of(g), of(h)];
    dispatch!(level, simd => portable::transformed(simd, &matrices, locals, live, to));
}
