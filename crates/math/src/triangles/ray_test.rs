//! Tests of triangles against a ray: four at a time in single precision, which only rejects, then in double precision.
//!
//! Source: S. Woop, C. Benthin, I. Wald, "Watertight ray/triangle intersection", 2013. Triangles that share an edge
//! compute the same products for it with opposite signs, so the ray passes on one side for both, or on both.

use super::{Faces, TriangleHit, Triangles};
use crate::LocalRay;
use crate::simd::level::{dispatch_up_to_avx2, level};
use crate::simd::vectors::{max, min};
use fearless_simd::{f32x4, prelude::*};
use glam::{DVec3, Vec3};

/// The number of triangles that are tested at once.
const LANES: usize = 4;

/// A ray as triangles are tested against it.
#[derive(Clone, Copy, Debug)]
pub struct RayTest {
    ray: LocalRay,
    /// The axis along which the ray is longest, last, and the two others.
    axes: [usize; 3],
    /// How far the ray moves along the first two axes for one unit along the third, and the inverse of the third.
    shear: [f64; 3],
    faces: Faces,
}

impl RayTest {
    /// Prepares a ray. Returns `None` if it hits nothing: a number is not finite or above 10¹⁵⁰, or the direction is shorter
    /// than 10⁻¹⁵⁰. Distances of more than 10¹⁰⁰ may leave double precision, and are then no hits.
    #[must_use]
    pub fn new(ray: &LocalRay, faces: Faces) -> Option<Self> {
        let d = ray.direction;
        let z = d.abs().max_position();
        let sound = ray.origin.is_finite() && d.is_finite() && ray.origin.abs().max_element() < 1e150;
        let sound = sound && (1e-150..1e150).contains(&d[z].abs());
        let axes = [(z + 1) % 3, (z + 2) % 3, z];
        let shear = [d[axes[0]] / d[z], d[axes[1]] / d[z], 1.0 / d[z]];
        sound.then_some(Self { ray: *ray, axes, shear, faces })
    }

    /// Returns the hit on a triangle at a distance from 0 to `limit`. A ray within the triangle's plane misses it.
    #[inline]
    #[must_use]
    pub fn hit(&self, corners: [Vec3; 3], triangle: u32, limit: f64) -> Option<TriangleHit> {
        let [x, y, z] = self.axes;
        let wide = corners.map(Vec3::as_dvec3);
        let [a, b, c] = wide.map(|corner| {
            let p = corner - self.ray.origin;
            [p[x] - self.shear[0] * p[z], p[y] - self.shear[1] * p[z], p[z]]
        });
        let (u, v, w) = (cross(c, b), cross(a, c), cross(b, a));
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let sum = u + v + w;
        let front = (sum > 0.0) == (self.shear[2] > 0.0);
        let t = (u * a[2] + v * b[2] + w * c[2]) / sum * self.shear[2];
        // NaN fails the comparisons: a sum of zero, or numbers beyond double precision.
        let met = t >= 0.0 && t <= limit && t.is_finite() && sum != 0.0;
        let shown = self.faces == Faces::Both || front == (self.faces == Faces::Front);
        (met && shown).then(|| TriangleHit {
            t,
            triangle,
            barycentric: weights([u, v, w], sum),
            normal: normal(wide),
            front,
        })
    }

    /// Prepares the test of four triangles at a time around `near`, a point on the ray. All corners are at most `size`
    /// away from it on each axis.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "what rounding loses is part of the error")]
    pub fn sieve(&self, near: DVec3, size: f64) -> Sieve {
        let [x, y, z] = self.axes;
        let from = near.as_vec3();
        let off = near - from.as_dvec3();
        let rest = [off[x] - self.shear[0] * off[z], off[y] - self.shear[1] * off[z]];
        // What `near` itself has lost, if the ray comes from far away: 10⁻¹⁵ of the distance.
        let size = size.max((near - self.ray.origin).abs().max_element() * 1e-9);
        Sieve {
            from: [from[x], from[y], from[z]],
            axes: self.axes,
            shear: [self.shear[0] as f32, self.shear[1] as f32],
            rest: rest.map(|rest| rest as f32),
            error: ((size + rest[0].abs().max(rest[1].abs())) * 1e-6) as f32 + f32::MIN_POSITIVE,
        }
    }
}

/// Tests the listed triangles of a mesh. Returns the nearest hit up to `limit`, and of equally near ones the triangle with
/// the lowest number. The numbers need not be sorted.
#[must_use]
pub fn cast_listed(
    test: &RayTest,
    sieve: &Sieve,
    mesh: Triangles<'_>,
    listed: &[u32],
    limit: f64,
) -> Option<TriangleHit> {
    dispatch_up_to_avx2!(level(), simd => nearest(simd, test, sieve, mesh, listed, limit))
}

#[inline(always)]
fn nearest<S: Simd>(
    simd: S,
    test: &RayTest,
    sieve: &Sieve,
    mesh: Triangles<'_>,
    listed: &[u32],
    mut limit: f64,
) -> Option<TriangleHit> {
    let mut best = None::<TriangleHit>;
    for four in listed.chunks(LANES) {
        let mut may_hit = sieve.may_hit(simd, mesh, four);
        while may_hit != 0 {
            let triangle = four[may_hit.trailing_zeros() as usize];
            may_hit &= may_hit - 1;
            let Some(hit) = mesh.corners(triangle).and_then(|corners| test.hit(corners, triangle, limit)) else {
                continue;
            };
            if best.is_none_or(|best| hit.precedes(&best)) {
                (best, limit) = (Some(hit), hit.t);
            }
        }
    }
    best
}

/// Returns the cross product of the first two coordinates. Nearly all its digits are right, and it is zero only for
/// vectors along one line: otherwise the noise of a triangle that is seen edge-on would look like a hit anywhere.
#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (left, right) = (a[0] * b[1], a[1] * b[0]);
    let difference = left - right;
    if difference.abs() > (left.abs() + right.abs()) * 1e-8 {
        return difference;
    }
    difference + (lost(a[0], b[1], left) - lost(a[1], b[0], right))
}

/// Returns what rounding took from a product. Source: T. J. Dekker, "A floating-point technique for extending the
/// available precision", 1971.
fn lost(a: f64, b: f64, product: f64) -> f64 {
    let halves = |x: f64| {
        let scaled = x * 134_217_729.0;
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let ((a, a_low), (b, b_low)) = (halves(a), halves(b));
    ((a * b - product) + a * b_low + a_low * b) + a_low * b_low
}

#[expect(clippy::cast_possible_truncation, reason = "weights need no more")]
fn weights(parts: [f64; 3], sum: f64) -> [f32; 3] {
    parts.map(|part| (part / sum) as f32)
}

/// Returns the unit normal of a triangle, or zero if it has no area.
fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

/// A ray near a mesh, in single precision. It lets through every triangle that [`RayTest::hit`] may accept.
#[derive(Clone, Copy, Debug)]
pub struct Sieve {
    from: [f32; 3],
    axes: [usize; 3],
    shear: [f32; 2],
    /// What rounding took from `from`, sheared.
    rest: [f32; 2],
    /// An upper bound for the rounding error of a sheared coordinate: eight roundings are less than 10⁻⁶ of the size.
    error: f32,
}

impl Sieve {
    /// Returns a bit for each of up to four triangles that may be hit. Triangles that are not in the mesh are let through.
    #[inline(always)]
    pub fn may_hit<S: Simd>(&self, simd: S, mesh: Triangles<'_>, listed: &[u32]) -> u32 {
        let mut lanes = [[[0.0_f32; LANES]; 3]; 3];
        for (lane, &triangle) in listed.iter().enumerate().take(LANES) {
            let Some(vertices) = mesh.indices.get(triangle as usize) else { continue };
            for (corner, &vertex) in lanes.iter_mut().zip(vertices) {
                let Some(position) = mesh.positions.get(vertex as usize) else { continue };
                corner[0][lane] = position[self.axes[0]];
                corner[1][lane] = position[self.axes[1]];
                corner[2][lane] = position[self.axes[2]];
            }
        }
        let [a, b, c] = &lanes;
        let (a, b, c) = (self.sheared(simd, a), self.sheared(simd, b), self.sheared(simd, c));
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        let x = max(simd, a[0].abs(), max(simd, b[0].abs(), c[0].abs()));
        let y = max(simd, a[1].abs(), max(simd, b[1].abs(), c[1].abs()));
        let (far, error) = (max(simd, x, y), f32x4::splat(simd, self.error));
        // Two products of coordinates with errors, and their own roundings.
        // Where a product may overflow, so does the slack.
        let product = far * far * f32x4::splat(simd, 1e-6) + far * (error * f32x4::splat(simd, 4.0));
        let slack = product + (error * error * f32x4::splat(simd, 2.0) + f32x4::splat(simd, f32::MIN_POSITIVE));
        let (least, most) = (min(simd, u, min(simd, v, w)), max(simd, u, max(simd, v, w)));
        // Both comparisons are false for NaN and infinities.
        let outside = least.simd_lt(-slack) & most.simd_gt(slack);
        #[expect(clippy::cast_possible_truncation, reason = "four bits")]
        let outside = outside.to_bitmask() as u32;
        !outside & ((1 << listed.len().min(LANES)) - 1)
    }

    /// Returns corners as the ray sees them: on the plane across it.
    #[inline(always)]
    fn sheared<S: Simd>(&self, simd: S, [x, y, z]: &[[f32; LANES]; 3]) -> [f32x4<S>; 2] {
        let along = f32x4::load_array_ref(simd, z) - f32x4::splat(simd, self.from[2]);
        let x = (f32x4::load_array_ref(simd, x) - f32x4::splat(simd, self.from[0])) - f32x4::splat(simd, self.rest[0]);
        let y = (f32x4::load_array_ref(simd, y) - f32x4::splat(simd, self.from[1])) - f32x4::splat(simd, self.rest[1]);
        [x - f32x4::splat(simd, self.shear[0]) * along, y - f32x4::splat(simd, self.shear[1]) * along]
    }
}
