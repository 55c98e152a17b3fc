//! The kernels for any machine, a box at a time.

use super::WIDER;
use crate::{Aabb, BoxGroup, GROUP, Mat34, Ray, TOLERANCE};

/// A bit for each box of which the predicate holds.
fn mask(groups: &[BoxGroup], mut holds: impl FnMut(&BoxGroup, usize) -> bool) -> u64 {
    let mut mask = 0;
    for (index, group) in groups.iter().enumerate() {
        for lane in 0..GROUP {
            mask |= u64::from(holds(group, lane)) << (index * GROUP + lane);
        }
    }
    mask
}

fn is_present(group: &BoxGroup, lane: usize) -> bool {
    group.min[0][lane] <= group.max[0][lane]
}

/// The greater one; the second if either is NaN, as the processor has it.
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// See [`inside_frustum`](super::inside_frustum).
pub(super) fn frustum<const INSIDE: bool>(groups: &[BoxGroup], planes: &[[f32; 4]]) -> (u64, u64) {
    // How far beyond the plane the corner is that lies furthest in, or, of the box turned over, furthest out.
    let distance = |group: &BoxGroup, lane: usize, &[x, y, z, d]: &[f32; 4], inner: bool| {
        let corner = |axis: usize, n: f32| {
            if (n >= 0.0) == inner { group.max[axis][lane] } else { group.min[axis][lane] }
        };
        ((x * corner(0, x) + y * corner(1, y)) + z * corner(2, z)) + d
    };
    let hits = mask(groups, |group, lane| {
        let reach = |axis: usize| max(group.max[axis][lane], -group.min[axis][lane]);
        let tolerance = ((reach(0) + reach(1)) + reach(2)) * -TOLERANCE;
        is_present(group, lane) && !planes.iter().any(|plane| distance(group, lane, plane, true) < tolerance)
    });
    if !INSIDE {
        return (hits, 0);
    }
    let inside = mask(groups, |group, lane| planes.iter().all(|plane| distance(group, lane, plane, false) >= 0.0));
    (hits, hits & inside)
}

/// See [`in_sphere`](super::in_sphere).
pub(super) fn sphere(groups: &[BoxGroup], center: &[f32; 3], square: f32) -> u64 {
    mask(groups, |group, lane| {
        let away = |axis: usize| {
            let c = center[axis];
            max(max(group.min[axis][lane] - c, c - group.max[axis][lane]), 0.0)
        };
        let (x, y, z) = (away(0), away(1), away(2));
        is_present(group, lane) && (x * x + y * y) + z * z <= square
    })
}

/// See [`in_box`](super::in_box).
pub(super) fn overlap(groups: &[BoxGroup], bounds: &Aabb) -> (u64, u64) {
    let axes = || 0..3_usize;
    let hits = mask(groups, |group, lane| {
        let meets =
            |axis: usize| group.min[axis][lane] <= bounds.max[axis] && group.max[axis][lane] >= bounds.min[axis];
        is_present(group, lane) && axes().all(meets)
    });
    let inside = mask(groups, |group, lane| {
        axes().all(|axis| group.min[axis][lane] >= bounds.min[axis] && group.max[axis][lane] <= bounds.max[axis])
    });
    (hits, hits & inside)
}

/// See [`on_ray`](super::on_ray).
pub(super) fn ray(groups: &[BoxGroup], ray: &Ray) -> u64 {
    mask(groups, |group, lane| {
        let (near, far) = slabs(group, lane, ray);
        near <= far
    })
}

/// Where a ray enters and leaves a box; it misses where the first is behind the second.
///
/// An axis along which the ray does not move says whether its origin lies between the planes, and nothing about where.
pub(super) fn slabs(group: &BoxGroup, lane: usize, ray: &Ray) -> (f32, f32) {
    let (mut near, mut far) = (0.0, ray.length());
    let mut between = true;
    for axis in 0..3 {
        let (low, high) = (group.min[axis][lane], group.max[axis][lane]);
        let (origin, inverse) = (ray.origin()[axis], ray.inverse()[axis]);
        if inverse == 0.0 {
            between &= low <= origin && high >= origin;
            continue;
        }
        let (first, last) = if inverse > 0.0 { (low, high) } else { (high, low) };
        near = max((first - origin) * inverse, near);
        far = min((last - origin) * inverse, far);
    }
    (near, if between { far * WIDER } else { f32::NEG_INFINITY })
}

/// See [`transformed`](super::transformed).
pub(super) fn transformed(matrices: &[&Mat34; GROUP], locals: &[Aabb; GROUP], live: u8) -> BoxGroup {
    let mut group = BoxGroup::EMPTY;
    for lane in (0..GROUP).filter(|lane| live >> lane & 1 != 0) {
        group.set(lane, &locals[lane].transformed(matrices[lane]));
    }
    group
}
