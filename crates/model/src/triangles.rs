//! Meshes made of triangles, and tests of every triangle in double precision, to compare trees with.

use crate::Dice;
use hedgerow_math::glam::{DVec3, Quat, Vec3};
use hedgerow_math::internal::RayTest;
use hedgerow_math::{Faces, LocalRay, TriangleHit, Triangles};

/// A mesh that owns its lists.
#[derive(Clone, Debug, Default)]
pub struct Soup {
    pub positions: Vec<[f32; 3]>,
    pub indices: Vec<[u32; 3]>,
}

impl Soup {
    pub fn mesh(&self) -> Triangles<'_> {
        Triangles::new(&self.positions, &self.indices)
    }

    /// Returns the corners of the box around all positions.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let points = self.positions.iter().map(|&position| Vec3::from(position));
        points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), point| (min.min(point), max.max(point)))
    }

    /// Returns a ray from a sphere around the mesh to a point of its box.
    pub fn ray(&self, dice: &mut Dice) -> LocalRay {
        let (min, max) = self.bounds();
        let origin = (min + max) * 0.5 + dice.vector().normalize_or(Vec3::X) * (max - min).length();
        let target = min + (max - min) * Vec3::new(dice.share(), dice.share(), dice.share());
        LocalRay { origin: origin.as_dvec3(), direction: (target - origin).normalize_or(Vec3::X).as_dvec3() }
    }
}

/// A closed sphere with bumps, of about `count` triangles, around zero. Fronts are outside.
pub fn sphere(count: usize) -> Soup {
    let rings = ((count as f32 / 4.0).sqrt() as usize).max(3);
    let sides = rings * 2;
    let mut soup = Soup::default();
    let bump = |p: Vec3| p * (1.0 + 0.05 * (9.0 * p.x).sin() * (7.0 * p.y).cos() + 0.02 * (40.0 * p.z).sin());
    soup.positions.push(bump(Vec3::Y).into());
    for ring in 1..rings {
        let (sin, cos) = (core::f32::consts::PI * ring as f32 / rings as f32).sin_cos();
        for side in 0..sides {
            let (s, c) = (core::f32::consts::TAU * side as f32 / sides as f32).sin_cos();
            soup.positions.push(bump(Vec3::new(sin * c, cos, sin * s)).into());
        }
    }
    soup.positions.push(bump(Vec3::NEG_Y).into());
    let number = |index: usize| u32::try_from(index).expect("few vertices");
    let at = |ring: usize, side: usize| number(1 + (ring - 1) * sides + side % sides);
    let last = number(soup.positions.len() - 1);
    for side in 0..sides {
        soup.indices.push([0, at(1, side + 1), at(1, side)]);
        soup.indices.push([last, at(rings - 1, side), at(rings - 1, side + 1)]);
        for ring in 1..rings - 1 {
            let [a, b, c, d] = [at(ring, side), at(ring, side + 1), at(ring + 1, side), at(ring + 1, side + 1)];
            soup.indices.extend([[a, b, d], [a, d, c]]);
        }
    }
    soup
}

/// Hills of about `count` triangles.
pub fn terrain(count: usize) -> Soup {
    let side = ((count as f32 / 2.0).sqrt() as usize).max(2);
    let mut soup = Soup::default();
    for place in 0..(side + 1) * (side + 1) {
        let [u, v] = [place % (side + 1), place / (side + 1)].map(|at| at as f32 / side as f32 * 100.0);
        let y = 4.0 * (u * 0.13).sin() * (v * 0.11).cos() + 0.8 * (u * 0.9 + v * 0.4).sin();
        soup.positions.push([u, y, v]);
    }
    for place in 0..side * side {
        let a = u32::try_from(place / side * (side + 1) + place % side).expect("few vertices");
        let (b, c) = (a + 1, a + u32::try_from(side).expect("few vertices") + 1);
        soup.indices.extend([[a, c, b], [b, c, c + 1]]);
    }
    soup
}

/// Turned boxes on a grid, twelve triangles each, of about `count` triangles. Fronts are outside.
pub fn boxes(count: usize) -> Soup {
    let (mut dice, houses) = (Dice::with_seed(5), (count / 12).max(1));
    let side = (houses as f32).sqrt().ceil() as usize;
    let mut soup = Soup::default();
    for house in 0..houses {
        let turn = Quat::from_rotation_y(dice.share() * 6.0);
        let half = Vec3::new(2.0 + 3.0 * dice.share(), 3.0 + 12.0 * dice.share(), 2.0 + 3.0 * dice.share());
        let first = u32::try_from(soup.positions.len()).expect("few vertices");
        let middle = Vec3::new((house % side) as f32 * 12.0, half.y, (house / side) as f32 * 12.0);
        for corner in 0..8_u32 {
            let sign = Vec3::from_array([0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 }));
            soup.positions.push((middle + turn * (sign * half)).into());
        }
        for [a, b, c, d] in [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]] {
            soup.indices.extend([[a, b, c], [a, c, d]].map(|corners: [u32; 3]| corners.map(|at| at + first)));
        }
    }
    soup
}

/// Returns the nearest hit by testing every triangle.
pub fn cast_all(mesh: Triangles<'_>, ray: &LocalRay, limit: f64, faces: Faces) -> Option<TriangleHit> {
    let test = RayTest::new(ray, faces)?;
    let hits = (0..).zip(mesh.indices).filter_map(|(triangle, _)| test.hit(mesh.corners(triangle)?, triangle, limit));
    hits.reduce(|best, hit| if hit.t < best.t { hit } else { best })
}

/// What another formula says of a ray and a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    Hit(f64),
    Miss,
    /// Too close to an edge, or too flat, to say.
    Unsure,
}

/// Tests a triangle by an independent formula, of Möller and Trumbore, in double precision.
pub fn by_another_formula(corners: [Vec3; 3], ray: &LocalRay) -> Answer {
    const MARGIN: f64 = 1e-9;
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    let (e1, e2, s) = (b - a, c - a, ray.origin - a);
    let p = ray.direction.cross(e2);
    let det = e1.dot(p);
    if det.abs() <= 1e-7 * ray.direction.length() * e1.length() * e2.length() {
        return Answer::Unsure;
    }
    let q = s.cross(e1);
    let (u, v, t) = (s.dot(p) / det, ray.direction.dot(q) / det, e2.dot(q) / det);
    // Digits that the distance of the origin and the shape of the triangle cost.
    let lost =
        MARGIN * (1.0 + s.length() / e1.length().min(e2.length())) * e1.length() * e2.length() / e1.cross(e2).length();
    // A ray that starts on the triangle may start before or behind it.
    let most = (t.abs() * lost).max(MARGIN * s.length() / ray.direction.length());
    let least = u.min(v).min(1.0 - u - v);
    match () {
        () if !least.is_finite() || least.abs() <= lost || t.abs() <= most => Answer::Unsure,
        () if least < 0.0 || t < 0.0 => Answer::Miss,
        () => Answer::Hit(t),
    }
}

/// Returns the distance of the nearest triangle by the other formula, infinity if no triangle is hit, and the formula's
/// answer for one triangle.
pub fn all_by_another_formula(mesh: Triangles<'_>, ray: &LocalRay, one: Option<u32>) -> (f64, Option<Answer>) {
    let (mut nearest, mut of_one) = (f64::INFINITY, None);
    for (triangle, _) in (0..).zip(mesh.indices) {
        let answer = by_another_formula(mesh.corners(triangle).expect("sound triangles"), ray);
        if let Answer::Hit(t) = answer {
            nearest = nearest.min(t);
        }
        if one == Some(triangle) {
            of_one = Some(answer);
        }
    }
    (nearest, of_one)
}

/// Returns the distance to the nearest point of a triangle. Source: C. Ericson, "Real-Time Collision Detection", 5.1.5.
pub fn distance_to(corners: [Vec3; 3], p: DVec3) -> f64 {
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    let (ab, ac, ap, bp, cp) = (b - a, c - a, p - a, p - b, p - c);
    let (d1, d2, d3, d4, d5, d6) = (ab.dot(ap), ac.dot(ap), ab.dot(bp), ac.dot(bp), ab.dot(cp), ac.dot(cp));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let along =
        |from: DVec3, edge: DVec3, share: f64| (from + edge * if share.is_nan() { 0.0 } else { share }).distance(p);
    if d1 <= 0.0 && d2 <= 0.0 {
        a.distance(p)
    } else if d3 >= 0.0 && d4 <= d3 {
        b.distance(p)
    } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        along(a, ab, d1 / (d1 - d3))
    } else if d6 >= 0.0 && d5 <= d6 {
        c.distance(p)
    } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        along(a, ac, d2 / (d2 - d6))
    } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        along(b, c - b, (d4 - d3) / ((d4 - d3) + (d5 - d6)))
    } else {
        (a + (ab * vb + ac * vc) / (va + vb + vc)).distance(p)
    }
}
