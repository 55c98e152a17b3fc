//! What a ray hits.

use super::node::{CHILDREN, Child, Node, power};
use super::{SLACK, TriangleTree, WAITING};
use fearless_simd::{Level, f32x8, i32x8, prelude::*};
use hedgerow_math::glam::DVec3;
use hedgerow_math::internal::level::{dispatch_up_to_avx2, level};
use hedgerow_math::internal::{RayTest, vectors};
use hedgerow_math::{Faces, LocalRay, TriangleHit, Triangles};

impl TriangleTree {
    /// Returns the nearest hit of a ray at a distance from 0 to `limit`, and of equally near ones the triangle with the
    /// lowest number.
    ///
    /// A ray hits nothing if it lies in the plane of a triangle, if its direction is zero (shorter than 10⁻¹⁵⁰), or if a
    /// number is not finite or above 10¹⁵⁰. The limit may be infinite.
    #[must_use]
    pub fn cast(&self, mesh: Triangles<'_>, ray: &LocalRay, limit: f64, faces: Faces) -> Option<TriangleHit> {
        cast_at::<false>(level(), self, mesh, ray, limit, faces)
    }

    /// Returns whether a ray hits anything at a distance from 0 to `limit`, in less time than [`TriangleTree::cast`]
    /// takes. For lines of sight and shadows.
    #[must_use]
    pub fn hits(&self, mesh: Triangles<'_>, ray: &LocalRay, limit: f64, faces: Faces) -> bool {
        cast_at::<true>(level(), self, mesh, ray, limit, faces).is_some()
    }
}

#[inline(always)]
fn cast_at<const ANY: bool>(
    level: Level,
    tree: &TriangleTree,
    mesh: Triangles<'_>,
    ray: &LocalRay,
    limit: f64,
    faces: Faces,
) -> Option<TriangleHit> {
    // Most rays that miss a mesh miss the box around it.
    let (path, test) = (Path::new(tree, ray)?, RayTest::new(ray, faces)?);
    let reached = !tree.is_empty() && path.start <= limit;
    if reached {
        dispatch_up_to_avx2!(level, simd => walk::<_, ANY>(simd, tree, mesh, (&test, &path), limit))
    } else {
        None
    }
}

/// A ray as boxes are tested against it: in the space of the tree, from where it enters the box around everything.
struct Path {
    from: [f32; 3],
    inverse: [f32; 3],
    /// What distances on each axis may be wrong by.
    slack: [f32; 3],
    /// The distance from the ray's origin to `from`, in units of its direction.
    start: f64,
    /// The length of the direction in the space of the tree.
    length: f64,
    /// The point in the mesh's space, and the greatest distance of a triangle from it on an axis.
    near: DVec3,
    size: f64,
}

impl Path {
    #[expect(clippy::cast_possible_truncation, reason = "the slack is for what rounding loses")]
    fn new(tree: &TriangleTree, ray: &LocalRay) -> Option<Self> {
        let (center, half) = (tree.frame.center.as_dvec3(), tree.frame.half.as_dvec3());
        let scale = f64::from(tree.frame.scale());
        let local = ray.origin - center;
        let (start, end) = LocalRay { origin: local, direction: ray.direction }.slabs(-half, half);
        if start > end || !start.is_finite() {
            return None;
        }
        let length = ray.direction.length();
        let at = local + ray.direction * start;
        let from = (at * scale).as_vec3().to_array();
        // An axis that the ray is nearly parallel to gets a great inverse, so that no product is NaN.
        let inverse = (ray.direction / length).as_vec3().to_array();
        let inverse = inverse.map(|x| 1.0 / if x.abs() < 1e-20 { 1e-20_f32.copysign(x) } else { x });
        // An origin far away has lost digits already.
        let lost = (local.abs().max_element() * scale * 1e-15) as f32 + SLACK;
        let slack = inverse.map(|x| x.abs() * lost);
        let size = 2.0 * half.max_element();
        Some(Self { from, inverse, slack, start, length: length * scale, near: center + at, size })
    }

    /// Converts a distance along the ray to one from `from` on, rounded up.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "enlarged by more than rounding loses")]
    fn along(&self, t: f64) -> f32 {
        ((t - self.start) * self.length) as f32 * 1.000_001 + f32::MIN_POSITIVE
    }
}

#[inline(always)]
fn walk<S: Simd, const ANY: bool>(
    simd: S,
    tree: &TriangleTree,
    mesh: Triangles<'_>,
    (test, path): (&RayTest, &Path),
    mut limit: f64,
) -> Option<TriangleHit> {
    let sieve = test.sieve(path.near, path.size);
    let (mut best, mut most) = (None::<TriangleHit>, path.along(limit));
    let mut waiting = [(0_u32, 0.0_f32); WAITING];
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let (at, near) = waiting[count];
        if near > most {
            continue;
        }
        let node = &tree.nodes[at as usize];
        let (nears, mut touched) = touched(simd, node, path, most);
        let base = count;
        while touched != 0 {
            let n = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            match node.child(node.tags[n]) {
                Child::Node(child) => {
                    // Sorted, so that the nearest is searched first.
                    let mut place = count;
                    while place > base && waiting[place - 1].1 < nears[n] {
                        waiting[place] = waiting[place - 1];
                        place -= 1;
                    }
                    waiting[place] = (child, nears[n]);
                    count += 1;
                }
                Child::Leaf(range) if nears[n] <= most => {
                    let listed = &tree.order[range];
                    let mut may_hit = sieve.may_hit(simd, mesh, listed);
                    while may_hit != 0 {
                        let triangle = listed[may_hit.trailing_zeros() as usize];
                        may_hit &= may_hit - 1;
                        let Some(corners) = mesh.corners(triangle) else { continue };
                        let Some(hit) = test.hit(corners, triangle, limit) else { continue };
                        if ANY {
                            return Some(hit);
                        }
                        if best.is_none_or(|best| hit.precedes(&best)) {
                            (best, limit, most) = (Some(hit), hit.t, path.along(hit.t));
                        }
                    }
                }
                Child::Leaf(_) => {}
            }
        }
    }
    best
}

/// Returns where the ray enters the boxes of the children, and a bit for each box that it touches before `most`.
#[inline(always)]
fn touched<S: Simd>(simd: S, node: &Node, path: &Path, most: f32) -> ([f32; CHILDREN], u32) {
    let (mut near, mut far) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, most));
    for axis in 0..3 {
        let inverse = path.inverse[axis];
        let scale = f32x8::splat(simd, power(node.step[axis]) * inverse);
        let base = (node.origin[axis] - path.from[axis]) * inverse;
        let (low, high) = (steps(simd, &node.low[axis]) * scale, steps(simd, &node.high[axis]) * scale);
        // The sign of the direction says which end comes first.
        let enter = vectors::min(simd, low, high) + f32x8::splat(simd, base - path.slack[axis]);
        let leave = vectors::max(simd, low, high) + f32x8::splat(simd, base + path.slack[axis]);
        near = vectors::max(simd, enter, near);
        far = vectors::min(simd, leave, far);
    }
    let mut nears = [0.0; CHILDREN];
    near.store_array(&mut nears);
    #[expect(clippy::cast_possible_truncation, reason = "eight bits")]
    let mask = near.simd_le(far * f32x8::splat(simd, 1.000_001)).to_bitmask() as u32;
    (nears, mask & ((1 << node.children) - 1))
}

#[inline(always)]
fn steps<S: Simd>(simd: S, ends: &[u8; CHILDREN]) -> f32x8<S> {
    let [a, b, c, d, e, f, g, h] = *ends;
    i32x8::load_array(simd, [a.into(), b.into(), c.into(), d.into(), e.into(), f.into(), g.into(), h.into()]).to_float()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_math::internal::level::levels;
    use hedgerow_testkit::Dice;
    use hedgerow_testkit::triangles::{boxes, cast_all};

    #[test]
    fn every_level_of_the_machine_finds_the_same() {
        let (soup, mut dice) = (boxes(2000), Dice::with_seed(1));
        let tree = TriangleTree::build(soup.mesh()).unwrap();
        for _ in 0..200 {
            let ray = soup.ray(&mut dice);
            let expected = cast_all(soup.mesh(), &ray, f64::INFINITY, Faces::Both);
            for level in levels() {
                assert_eq!(cast_at::<false>(level, &tree, soup.mesh(), &ray, f64::INFINITY, Faces::Both), expected);
            }
        }
    }
}
