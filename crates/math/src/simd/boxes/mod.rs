//! Tests of eight boxes at a time, and eight world boxes from matrices and local boxes.
//!
//! Tests take up to eight groups, a block of 64 boxes, and answer a bit for each box. Empty boxes are never hit, infinite
//! ones always. All tests are monotone to the bit: what a box hits is hit by every box that holds it, so a hierarchy of
//! boxes gives the same answer as testing all.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{Aabb, BLOCK, BoxGroup, Frustum, GROUP, Mat34, Ray, Sphere};

/// More than the relative error of a squared distance (five roundings) or of where a ray meets a slab (three).
const WIDER: f32 = 1.0 + 1.0 / 1_048_576.0;

/// Runs a kernel at the machine's best level.
macro_rules! dispatch {
    ($kernel:ident $(::<$flag:ident>)? ($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return x86::$kernel$(::<$flag>)?($($argument),*);
        }
        scalar::$kernel$(::<$flag>)?($($argument),*)
    }};
}

/// Which boxes are not wholly outside any plane of the frustum; the second word is zero.
///
/// # Panics
/// For more than eight groups, as all tests of a block here.
#[inline]
pub fn in_frustum(groups: &[BoxGroup], frustum: &Frustum) -> (u64, u64) {
    frustum_block::<false>(groups, frustum)
}

/// Which boxes are not wholly outside any plane of the frustum, and which of these are wholly inside all: whatever such
/// a box holds is hit too.
#[inline]
pub fn inside_frustum(groups: &[BoxGroup], frustum: &Frustum) -> (u64, u64) {
    frustum_block::<true>(groups, frustum)
}

#[inline]
fn frustum_block<const INSIDE: bool>(groups: &[BoxGroup], frustum: &Frustum) -> (u64, u64) {
    assert!(groups.len() <= BLOCK / GROUP);
    #[cfg(target_arch = "x86_64")]
    if avx512::is_there() {
        return avx512::frustum::<INSIDE>(groups, frustum.planes());
    }
    dispatch!(frustum::<INSIDE>(groups, frustum.planes()))
}

/// Adds the numbers of all boxes that are not wholly outside any plane of the frustum to a list, in ascending order. Any
/// number of groups; their boxes are numbered from `first` on.
pub fn list_in_frustum(groups: &[BoxGroup], first: u32, frustum: &Frustum, visible: &mut Vec<u32>) {
    #[cfg(target_arch = "x86_64")]
    if avx512::is_there() {
        return avx512::list_in_frustum(groups, first, frustum.planes(), visible);
    }
    list_by_bits(groups, first, visible, |groups| in_frustum(groups, frustum).0);
}

/// Adds the numbers of all boxes whose bit a test of blocks sets.
fn list_by_bits(groups: &[BoxGroup], first: u32, found: &mut Vec<u32>, test: impl Fn(&[BoxGroup]) -> u64) {
    for (block, groups) in (first..).step_by(BLOCK).zip(groups.chunks(BLOCK / GROUP)) {
        let mut hits = test(groups);
        let (mut numbers, mut count) = ([0; BLOCK], 0);
        while hits != 0 {
            numbers[count] = block + hits.trailing_zeros();
            hits &= hits - 1;
            count += 1;
        }
        found.extend_from_slice(&numbers[..count]);
    }
}

/// Which boxes come as near to the sphere's centre as its radius.
#[inline]
pub fn in_sphere(groups: &[BoxGroup], sphere: &Sphere) -> u64 {
    assert!(groups.len() <= BLOCK / GROUP);
    let square = sphere.radius() * sphere.radius() * WIDER + f32::MIN_POSITIVE;
    dispatch!(sphere(groups, &sphere.center().to_array(), square))
}

/// Which boxes share a point with this one, and which lie inside it. An empty one shares none.
#[inline]
pub fn in_box(groups: &[BoxGroup], bounds: &Aabb) -> (u64, u64) {
    assert!(groups.len() <= BLOCK / GROUP);
    if bounds.is_empty() {
        return (0, 0);
    }
    dispatch!(overlap(groups, bounds))
}

/// Which boxes the ray meets.
#[inline]
pub fn on_ray(groups: &[BoxGroup], ray: &Ray) -> u64 {
    assert!(groups.len() <= BLOCK / GROUP);
    dispatch!(ray(groups, ray))
}

/// How far from its origin a ray comes to a box that it meets; zero inside.
pub fn distance(bounds: &Aabb, ray: &Ray) -> f32 {
    scalar::slabs(&BoxGroup::of(bounds), 0, ray).0
}

/// [`Aabb::transformed`] for eight boxes: each lane that is `live` has the box in it moved by the matrix in its slot, the
/// others have the empty box.
///
/// # Panics
/// If a slot goes beyond `worlds`, that of a lane that is not live too.
#[inline]
pub fn transformed(worlds: &[Mat34], slots: &[u32; GROUP], locals: &[Aabb; GROUP], live: u8) -> BoxGroup {
    let matrices = slots.map(|slot| &worlds[slot as usize]);
    dispatch!(transformed(&matrices, locals, live))
}

#[cfg(test)]
mod tests;
