//! Trees over triangles, compared with tests of every triangle. Changed bytes are refused or give trees that do not
//! panic.

use crate::checksum::set_checksum;
use crate::triangles::{Answer, Soup, boxes, by_another_formula, cast_all, distance_to, sphere, terrain};
use crate::{Dice, forged};
use core::ops::ControlFlow;
use hedgerow_math::glam::{DAffine3, DVec3, Vec3, Vec4};
use hedgerow_math::{Aabb, Faces, Frustum, LocalRay, LocalVolume, Touch};
use hedgerow_mesh::{Snap, TriangleTree, TriangleTreeError};

/// Settings, and changes of the bytes.
pub type Input = crate::Input<16, { forged::BEND_BYTES }>;

/// The greatest number of changes; more would leave nothing of a tree.
const MOST_BENDS: usize = 8;
const RAYS: usize = 12;

pub fn run(input: &Input) {
    let mut dice = Dice::new(&input.head);
    let mut soup = soup(&mut dice, &input.head);
    let fault = input.head[12] % 16;
    if fault < 2 && !soup.indices.is_empty() {
        return refused(&soup, dice.index(soup.indices.len()), fault == 0);
    }
    let mut tree = TriangleTree::build(soup.mesh()).expect("sound triangles");
    assert_eq!(tree.len(), soup.indices.len());
    compare(&tree, &soup, &mut dice);
    if input.head[13].is_multiple_of(4) {
        let shear = dice.vector();
        soup.positions.iter_mut().for_each(|p| *p = [p[0] + shear.x * p[1], 0.3 * p[1], p[2] + shear.z * p[0]]);
        tree.refit(soup.mesh()).expect("as many triangles, and sound ones");
        compare(&tree, &soup, &mut dice);
    }
    let mut bytes = tree.to_bytes();
    assert_eq!(TriangleTree::from_bytes(&bytes).as_ref(), Ok(&tree), "what was written is read");
    for &how in input.steps.iter().take(MOST_BENDS) {
        let before = bytes.clone();
        forged::bend(&mut bytes, how);
        assert!(bytes == before || TriangleTree::from_bytes(&bytes).is_err(), "damage is not found by the checksum");
        set_checksum(&mut bytes);
        match TriangleTree::from_bytes(&bytes) {
            Ok(read) => live_on(read, &soup, &mut dice),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Returns a made mesh, or triangles of random points: of many sizes, flat, all alike, or far from zero.
fn soup(dice: &mut Dice, head: &[u8; 16]) -> Soup {
    let count = usize::from(head[9]);
    let mut soup = match head[8] % 8 {
        0 => sphere(count),
        1 => terrain(count),
        2 => boxes(count),
        kind => {
            let size = |dice: &mut Dice| if kind == 3 { 2.0_f32.powi(dice.below(200) as i32 - 100) } else { 1.0 };
            let point = |dice: &mut Dice| {
                let at = dice.vector() * size(dice);
                // Whole numbers make edges and corners that rays meet exactly.
                let at = if kind == 4 { (at * 3.0).round() } else { at };
                [at.x, at.y, if kind == 5 { 0.0 } else { at.z }]
            };
            let mut positions: Vec<[f32; 3]> = (0..=count / 2).map(|_| point(dice)).collect();
            if kind == 6 {
                positions = vec![positions[0]; positions.len()];
            }
            let vertex = |dice: &mut Dice| dice.below(u32::try_from(positions.len()).expect("few vertices"));
            let indices = (0..count).map(|_| [vertex(dice), vertex(dice), vertex(dice)]).collect();
            Soup { positions, indices }
        }
    };
    let (scale, away) = ([1.0, 1e-6, 1e6, 1e5][usize::from(head[10] % 4)], [0.0, 3e6][usize::from(head[11] % 4 / 3)]);
    soup.positions.iter_mut().for_each(|p| *p = p.map(|x| (x + away) * scale));
    soup
}

/// Checks that one bad corner is refused, and by which triangle.
fn refused(soup: &Soup, triangle: usize, index: bool) {
    let mut soup = soup.clone();
    if index {
        soup.indices[triangle][1] = u32::try_from(soup.positions.len()).expect("few vertices");
    } else {
        soup.positions[soup.indices[triangle][2] as usize][1] = f32::NAN;
    }
    let error = TriangleTree::build(soup.mesh()).expect_err("a bad corner is accepted");
    let sound = match error {
        TriangleTreeError::UnknownVertex { triangle: found } => index && found as usize == triangle,
        TriangleTreeError::NotFinite { triangle: found } => !index && found as usize <= triangle,
        _ => false,
    };
    assert!(sound && !error.to_string().is_empty(), "{error:?} for triangle {triangle}");
}

fn compare(tree: &TriangleTree, soup: &Soup, dice: &mut Dice) {
    let mesh = soup.mesh();
    for turn in 0..RAYS {
        let ray = ray(soup, dice, turn);
        let limit = if turn % 3 == 2 { f64::from(dice.share()) * 4.0 } else { f64::INFINITY };
        for faces in [Faces::Both, Faces::Front, Faces::Back] {
            let (found, expected) = (tree.cast(mesh, &ray, limit, faces), cast_all(mesh, &ray, limit, faces));
            assert_eq!(found, expected, "{ray:?} to {limit} at {faces:?}");
            assert_eq!(tree.hits(mesh, &ray, limit, faces), expected.is_some());
            if let Some(hit) = found {
                let [a, b, c] = mesh.corners(hit.triangle).expect("it was hit").map(Vec3::as_dvec3);
                // Of a sliver, or a speck far away, rounding decides.
                let reach = (a - ray.origin).length().max((b - a).length()).max((c - a).length());
                let flat = (b - a).cross(c - a).length() <= 1e-10 * reach * reach;
                let along = hit.normal.dot(ray.direction) / ray.direction.length();
                assert!(flat || along.abs() < 1e-6 || hit.front == (along < 0.0), "{ray:?} hits {hit:?}");
                assert!((hit.barycentric.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            }
        }
        let nearest = cast_all(mesh, &ray, f64::INFINITY, Faces::Both);
        for (triangle, _) in (0..).zip(&soup.indices) {
            let corners = mesh.corners(triangle).expect("sound triangles");
            let hit = nearest.filter(|hit| hit.triangle == triangle);
            match by_another_formula(corners, &ray) {
                Answer::Unsure => {}
                Answer::Miss => assert_eq!(hit, None, "{ray:?} misses {corners:?}"),
                Answer::Hit(t) => {
                    let near = nearest.unwrap_or_else(|| panic!("{ray:?} hits {corners:?} at {t}")).t;
                    let close = near <= t * (1.0 + 1e-6) && hit.is_none_or(|hit| (hit.t - t).abs() <= 1e-6 * t);
                    assert!(close, "{ray:?} hits {corners:?} at {t}, not at {near}");
                }
            }
        }
    }
    volumes(tree, soup, dice);
    nearest(tree, soup, dice);
}

/// Returns a ray from around the mesh, at a vertex of it, along an axis, or from far away.
fn ray(soup: &Soup, dice: &mut Dice, turn: usize) -> LocalRay {
    if soup.positions.is_empty() {
        return LocalRay { origin: DVec3::ZERO, direction: DVec3::X };
    }
    let mut ray = soup.ray(dice);
    let vertex = |dice: &mut Dice| Vec3::from(soup.positions[dice.index(soup.positions.len())]).as_dvec3();
    match turn % 6 {
        1 => ray.direction = vertex(dice) - ray.origin,
        2 => (ray.origin, ray.direction) = (vertex(dice), DVec3::Y),
        3 => ray.direction = (vertex(dice) + vertex(dice)) * 0.5 - ray.origin,
        4 => ray.origin -= ray.direction * f64::from((soup.bounds().1 - soup.bounds().0).length()) * 1e7,
        5 => ray.origin = vertex(dice),
        _ => {}
    }
    ray
}

fn volumes(tree: &TriangleTree, soup: &Soup, dice: &mut Dice) {
    let mesh = soup.mesh();
    let (min, max) = soup.bounds();
    for turn in 0..4 {
        let at = |dice: &mut Dice| min + (max - min) * (dice.vector() * 0.7 + 0.5);
        let (a, b) = (at(dice), at(dice));
        let bounds = Aabb::new(a.min(b), a.max(b));
        let planes = [(); 6].map(|()| {
            let normal = dice.vector();
            normal.extend(-normal.dot(at(dice)))
        });
        let frustum = Frustum::from_planes(planes.map(|plane| if plane.is_finite() { plane } else { Vec4::ZERO }));
        let volume = match turn {
            0 => LocalVolume::of_box(&bounds),
            1 => LocalVolume::of_box(&[Aabb::EMPTY, Aabb::INFINITE][dice.index(2)]),
            _ => LocalVolume::of_frustum(&frustum.expect("finite planes"), dice.transform().to_matrix()),
        };
        let mut expected: Vec<(u32, Touch)> = (0..)
            .zip(&soup.indices)
            .filter_map(|(triangle, _)| {
                let corners = mesh.corners(triangle)?.map(Vec3::as_dvec3);
                Some((triangle, volume.touch(corners))).filter(|touch| touch.1 != Touch::None)
            })
            .collect();
        let mut found = Vec::new();
        tree.each_in(mesh, &volume, |triangle, whole| {
            found.push((triangle, if whole { Touch::Whole } else { Touch::Part }));
            ControlFlow::Continue(())
        });
        found.sort_unstable_by_key(|found| found.0);
        expected.sort_unstable_by_key(|found| found.0);
        assert_eq!(found, expected, "{volume:?}");
        let all = expected.len() == soup.indices.len() && expected.iter().all(|found| found.1 == Touch::Whole);
        let touch = if expected.is_empty() {
            Touch::None
        } else if all {
            Touch::Whole
        } else {
            Touch::Part
        };
        assert_eq!(tree.touch(mesh, &volume), touch);
    }
}

fn nearest(tree: &TriangleTree, soup: &Soup, dice: &mut Dice) {
    let mesh = soup.mesh();
    let (min, max) = soup.bounds();
    let corners: Vec<[Vec3; 3]> = (0..).zip(&soup.indices).filter_map(|(triangle, _)| mesh.corners(triangle)).collect();
    let size = f64::from((max - min).max_element().max(min.abs().max_element()).max(max.abs().max_element()));
    for turn in 0..3 {
        if corners.is_empty() {
            assert_eq!(tree.nearest(mesh, &DAffine3::IDENTITY, DVec3::ZERO, f64::INFINITY, Snap::Face), None);
            return;
        }
        let away = dice.vector().as_dvec3() * [0.6, 3.0, 1e4][turn] + 0.5;
        let point = min.as_dvec3() + (max - min).as_dvec3() * away;
        let edge = |corners: [Vec3; 3]| {
            let [a, b, _] = corners.map(Vec3::as_dvec3);
            let share = (point - a).dot(b - a) / (b - a).length_squared();
            a.lerp(b, if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }).distance(point)
        };
        let turned = |[a, b, c]: [Vec3; 3]| [[a, b, c], [b, c, a], [c, a, b]];
        let least = |distances: &mut dyn Iterator<Item = f64>| distances.fold(f64::INFINITY, f64::min);
        let all = || corners.iter().copied().flat_map(turned);
        let on_edge = least(&mut all().map(edge));
        // The formula is wrong for triangles that are nearly lines.
        let on_face = least(&mut corners.iter().map(|&corners| distance_to(corners, point))).min(on_edge);
        for (to, expected) in [
            (Snap::Face, on_face),
            (Snap::Edge, on_edge),
            (Snap::Vertex, least(&mut all().map(|corners| corners[0].as_dvec3().distance(point)))),
        ] {
            let same = DAffine3::IDENTITY;
            let found = tree
                .nearest(mesh, &same, point, f64::INFINITY, to)
                .unwrap_or_else(|| panic!("{to:?} of {point}: {:?}", soup.positions));
            let near = (found.distance - expected).abs() <= 1e-9 * (size + expected);
            assert!(near, "{to:?} of {point} is at {expected}, not {found:?}");
            assert!((found.barycentric.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(tree.nearest(mesh, &same, point, found.distance, to).is_some());
            assert_eq!(tree.nearest(mesh, &same, point, found.distance * (1.0 - 1e-9) - f64::MIN_POSITIVE, to), None);
        }
    }
}

/// Asks a tree whose boxes may be anything.
pub fn live_on(mut tree: TriangleTree, soup: &Soup, dice: &mut Dice) {
    let other = Soup { positions: soup.positions[..soup.positions.len() / 2].to_vec(), indices: soup.indices.clone() };
    for soup in [soup, &other] {
        let (ray, mut seen) = (ray(soup, dice, 0), 0);
        _ = tree.cast(soup.mesh(), &ray, f64::INFINITY, Faces::Both);
        _ = tree.nearest(soup.mesh(), &DAffine3::IDENTITY, ray.origin, f64::INFINITY, Snap::Face);
        tree.each_in(soup.mesh(), &LocalVolume::of_box(&Aabb::INFINITE), |_, _| {
            seen += 1;
            ControlFlow::Continue(())
        });
        assert!(seen <= soup.indices.len(), "a triangle is listed twice");
    }
    if tree.len() == soup.indices.len() {
        tree.refit(soup.mesh()).expect("as many triangles");
        compare(&tree, soup, dice);
    } else {
        assert!(matches!(tree.refit(soup.mesh()), Err(TriangleTreeError::OtherMesh { .. })));
    }
}
