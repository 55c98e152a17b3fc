//! Kernels that test eight boxes at a time or transform eight boxes at a time.
//!
//! Tests return one bit for each box of up to eight groups, which are a block of 64 boxes. Empty boxes are never hit;
//! infinite boxes are always hit. If a box is hit, every box that contains it is hit too, despite rounding. So a
//! hierarchy of boxes gives the same result as testing all boxes.
//!
//! No kernel uses fused multiply-add, so all levels give the same bits. Rays use AVX2 even if the machine has AVX-512,
//! because a box then takes 0.70 ns instead of 1.06 ns.

mod portable;
#[cfg(test)]
mod tests;

use crate::simd::level::{dispatch, dispatch_up_to_avx2, level};
use crate::{Aabb, BLOCK, BoxGroup, Frustum, GROUP, Mat34, Ray, Sphere};
use fearless_simd::Level;

/// A factor that covers the relative error of a squared distance (five roundings) or a slab distance (three).
const WIDER: f32 = 1.0 + 1.0 / 1_048_576.0;

/// Returns a bit mask of the boxes that touch the frustum. The second word of the result is always zero.
///
/// # Panics
/// Panics if there are more than eight groups. So do the other tests of a block.
#[inline]
pub fn in_frustum(groups: &[BoxGroup], frustum: &Frustum) -> (u64, u64) {
    frustum_block::<false>(groups, frustum)
}

/// Returns two bit masks: the boxes that touch the frustum, and the boxes that are entirely inside all planes.
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

/// Appends the indices of all boxes that touch the frustum to `visible`, in ascending order. The first box has the
/// index `first`; there may be any number of groups.
pub fn list_in_frustum(groups: &[BoxGroup], first: u32, frustum: &Frustum, visible: &mut Vec<u32>) {
    list_in_frustum_at(level(), groups, first, frustum.planes(), visible);
}

#[inline(always)]
fn list_in_frustum_at(level: Level, groups: &[BoxGroup], first: u32, planes: &[[f32; 4]], visible: &mut Vec<u32>) {
    dispatch!(level, simd => portable::list_in_frustum(simd, groups, first, planes, visible));
}

/// Returns a bit mask of the boxes that touch the sphere.
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

/// Returns two bit masks: the boxes that share a point with `bounds`, and the boxes that are inside `bounds`.
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

/// Returns a bit mask of the boxes that the ray hits.
#[inline]
pub fn on_ray(groups: &[BoxGroup], ray: &Ray) -> u64 {
    assert!(groups.len() <= BLOCK / GROUP);
    dispatch_up_to_avx2!(level(), simd => portable::ray(simd, (groups, None), (ray, 0.0), &mut []))
}

/// Like [`on_ray`], for boxes that are wider by `slack` on each side. Stores the distance to each box that is hit.
///
/// With `around`, whose boxes contain those of one group each, the groups whose boxes are missed are not tested.
#[inline]
pub fn enter(of: (&[BoxGroup], Option<&BoxGroup>), ray: &Ray, slack: f32, nears: &mut [f32; BLOCK]) -> u64 {
    enter_at(level(), of, (ray, slack), nears)
}

#[inline(always)]
fn enter_at(level: Level, of: (&[BoxGroup], Option<&BoxGroup>), ray: (&Ray, f32), nears: &mut [f32; BLOCK]) -> u64 {
    assert!(of.0.len() <= BLOCK / GROUP);
    let nears = nears.as_chunks_mut().0;
    dispatch_up_to_avx2!(level, simd => portable::ray(simd, of, ray, nears))
}

/// Returns the distance from a ray's origin to a box that it hits; zero if the origin is inside.
#[inline]
pub fn distance(bounds: &Aabb, ray: &Ray) -> f32 {
    slabs(bounds, ray).0
}

/// Returns the distances at which a ray enters and leaves a box. The ray misses if the first is greater than the
/// second.
///
/// If the ray is parallel to two faces, it hits only if its origin lies between them.
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

/// Computes [`Aabb::transformed`] for eight boxes: lane `l` of `to` becomes `locals[l]` transformed by
/// `worlds[slots[l]]`, or the empty box if bit `l` of `live` is not set.
///
/// # Panics
/// Panics if a slot is past the end of `worlds`, even in a lane that is not live.
#[inline]
pub fn transformed(worlds: &[Mat34], slots: &[u32; GROUP], locals: &[Aabb; GROUP], live: u8, to: &mut BoxGroup) {
    // AVX-512 would take longer, because the compiler fills the wide vectors by shuffles.
    transformed_at(level(), worlds, slots, locals, live, to);
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
    dispatch_up_to_avx2!(level, simd => portable::transformed(simd, &matrices, locals, live, to));
}
