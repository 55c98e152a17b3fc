use fastrand::Rng;
use hedgerow_mesh::glam::{DAffine3, DMat3, DVec3, Vec3};
use hedgerow_mesh::{Faces, LocalRay, Snap, TriangleTree, TriangleTreeError, Triangles};
use hedgerow_testkit::triangles::{Soup, boxes, cast_all, sphere, terrain};
use hedgerow_testkit::{Dice, Input, drivers};

#[test]
fn trees_find_what_testing_every_triangle_finds() {
    let mut dice = Rng::with_seed(7);
    for turn in 0..200 {
        let bytes: Vec<u8> = (0..dice.usize(17..100)).map(|_| dice.u8(..) | u8::from(turn % 2 == 0)).collect();
        println!("turn {turn}");
        drivers::triangles::run(&Input::from_bytes(&bytes));
    }
}

/// The number of rays at edges and at corners. A long form: `HEDGEROW_LEAKS=10000000 cargo test --release`.
fn leaks() -> u32 {
    std::env::var("HEDGEROW_LEAKS").map_or(40_000, |count| count.parse().expect("a number of rays"))
}

#[test]
fn no_ray_from_inside_leaves_a_closed_mesh_at_a_corner_or_an_edge() {
    for soup in [sphere(1_000), sphere(20_000)] {
        let (mesh, tree) = (soup.mesh(), TriangleTree::build(soup.mesh()).unwrap());
        let mut dice = Rng::with_seed(3);
        for turn in 0..leaks() / 2 {
            let corners = soup.indices[dice.usize(..soup.indices.len())];
            let [a, b, _] = corners.map(|at| Vec3::from(soup.positions[at as usize]));
            let origin = if turn % 4 < 2 { Vec3::ZERO } else { Vec3::new(dice.f32(), dice.f32(), dice.f32()) * 0.3 };
            let target = if turn % 2 == 0 { a } else { a.lerp(b, dice.f32()) };
            let ray = LocalRay { origin: origin.as_dvec3(), direction: (target - origin).as_dvec3() };
            assert!(tree.hits(mesh, &ray, f64::INFINITY, Faces::Back), "{ray:?} leaves between triangles");
        }
    }
}

#[test]
fn rays_are_exact_through_mirrored_and_sheared_matrices_of_all_sizes_and_from_afar() {
    let soup = sphere(500);
    let (mesh, tree) = (soup.mesh(), TriangleTree::build(soup.mesh()).unwrap());
    let mut dice = Rng::with_seed(1);
    for (scale, away) in [(1e-6, 3.0), (1e6, 3.0), (1.0, 1e4), (1.0, 1e7)] {
        let mut hits = 0;
        for _ in 0..300 {
            let mut part = || dice.f64() - 0.5;
            let linear = DMat3::from_cols_array(&[(); 9].map(|()| part() * 2.0 * scale));
            let place = DAffine3::from_mat3_translation(linear, DVec3::new(part(), part(), part()) * 1e5);
            let way = DVec3::new(part(), part(), part()).normalize();
            let target = place.transform_point3(DVec3::new(part(), part(), part()) * 2.0);
            let back = place.inverse();
            let origin = back.transform_point3(target - way * scale * away);
            let ray = LocalRay { origin, direction: back.transform_vector3(way) };
            let found = tree.cast(mesh, &ray, f64::INFINITY, Faces::Both);
            assert_eq!(found, cast_all(mesh, &ray, f64::INFINITY, Faces::Both));
            if let Some(hit) = found {
                hits += 1;
                // The same point, whichever way one goes to it.
                let [a, b, c] = mesh.corners(hit.triangle).unwrap().map(Vec3::as_dvec3);
                let [u, v, w] = hit.barycentric.map(f64::from);
                assert!(
                    (a * u + b * v + c * w).abs_diff_eq(ray.at(hit.t), 1e-6 + 1e-15 * origin.length()),
                    "{ray:?}: {hit:?}"
                );
                assert_eq!(hit.front, hit.normal.dot(ray.direction) < 0.0);
            }
        }
        assert!(hits > 100, "{hits} rays hit at scale {scale}");
    }
}

/// Returns the distance of a point from a triangle, by the regions of its corners and edges.
fn distance([a, b, c]: [DVec3; 3], point: DVec3) -> f64 {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(a, b)| normal.dot((b - a).cross(point - a)) >= 0.0);
    let edge = |a: DVec3, b: DVec3| {
        let along = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        (a + (b - a) * if along.is_nan() { 0.0 } else { along }).distance(point)
    };
    let edges = edge(a, b).min(edge(b, c)).min(edge(c, a));
    if inside && normal != DVec3::ZERO { edges.min((point - a).dot(normal).abs()) } else { edges }
}

#[test]
fn nearest_points_are_those_of_the_world_under_any_matrix() {
    let soup = sphere(500);
    let (mesh, tree) = (soup.mesh(), TriangleTree::build(soup.mesh()).unwrap());
    let mut dice = Rng::with_seed(5);
    for turn in 0..400 {
        let mut part = || dice.f64() - 0.5;
        let mut axes = [(); 3].map(|()| DVec3::new(part(), part(), part()) * 2.0);
        match turn % 4 {
            0 => axes[2] *= 1e-3,
            1 => axes[1] = axes[0] + axes[1] * 1e-7,
            // Flat, without an inverse.
            2 if turn % 8 == 2 => axes[2] = axes[0] + axes[1],
            _ => axes[0] *= 1e4,
        }
        let far = DVec3::new(part(), part(), part()) * [1.0, 1e7][turn % 2];
        let world = DAffine3::from_mat3_translation(DMat3::from_cols(axes[0], axes[1], axes[2]), far);
        let point = world.transform_point3(DVec3::new(part(), part(), part()) * 4.0);
        let relative = point - world.translation;
        let corners =
            |triangle: u32| mesh.corners(triangle).map(|corners| corners.map(|at| world.matrix3 * at.as_dvec3()));
        let least = (0..).map_while(corners).map(|corners| distance(corners, relative)).fold(f64::INFINITY, f64::min);
        let found = tree.nearest(mesh, &world, point, f64::INFINITY, Snap::Face).unwrap();
        let size = axes.map(DVec3::length).iter().sum::<f64>();
        assert!((found.distance - least).abs() <= 1e-9 * (least + size), "turn {turn}: {least} is not {found:?}");
        assert!((found.point.distance(point) - found.distance).abs() <= 1e-9 * size + 1e-8 * [0.0, 1.0][turn % 2]);
        assert_eq!(tree.nearest(mesh, &world, point, found.distance, Snap::Face), Some(found));
        assert_eq!(tree.nearest(mesh, &world, point, found.distance * 0.999 - f64::MIN_POSITIVE, Snap::Face), None);
    }
}

#[test]
fn nearest_points_are_found_below_needles_whose_inverse_is_inexact() {
    let mut soup = sphere(500);
    soup.positions.iter_mut().for_each(|position| position[0] += 100.0);
    let alone = soup.indices.chunks(1).map(|triangle| {
        let mesh = Triangles::new(&soup.positions, triangle);
        (mesh, TriangleTree::build(mesh).unwrap())
    });
    let alone: Vec<_> = alone.collect();
    let (mesh, tree) = (soup.mesh(), TriangleTree::build(soup.mesh()).unwrap());
    let mut dice = Dice::with_seed(8);
    for length in [1e3, 1e6, 1e7, 1e8] {
        for _ in 0..100 {
            let [first, last] = [(); 2].map(|()| DMat3::from_quat(dice.rotation().as_dquat()));
            let needle = first * DMat3::from_diagonal(DVec3::new(length, 1.0, 1.0)) * last;
            let world = DAffine3::from_mat3_translation(needle, DVec3::ZERO);
            let point = world.transform_point3(DVec3::X * 100.0 + 2.0 * dice.vector().as_dvec3());
            let near = |(mesh, tree): &(_, TriangleTree)| tree.nearest(*mesh, &world, point, f64::INFINITY, Snap::Face);
            let least = alone.iter().filter_map(near).map(|found| found.distance).fold(f64::INFINITY, f64::min);
            let found = tree.nearest(mesh, &world, point, least, Snap::Face).map(|found| found.distance);
            assert_eq!(found, Some(least), "{length}");
        }
    }
}

#[test]
fn no_number_makes_a_ray_panic_or_hit_falsely() {
    let soup = boxes(24);
    let (mesh, tree) = (soup.mesh(), TriangleTree::build(soup.mesh()).unwrap());
    let numbers = [0.0, -0.0, 1.0, 1e-310, 1e300, f64::MAX, f64::INFINITY, f64::NAN];
    let mut dice = Rng::with_seed(2);
    for _ in 0..20_000 {
        let mut vector = || DVec3::from_array([(); 3].map(|()| numbers[dice.usize(..numbers.len())]));
        let (ray, limit) = (LocalRay { origin: vector(), direction: vector() }, vector().x);
        let found = tree.cast(mesh, &ray, limit, Faces::Both);
        assert_eq!(found, cast_all(mesh, &ray, limit, Faces::Both), "{ray:?} to {limit}");
        assert!(found.is_none_or(|hit| hit.t.is_finite() && hit.t >= 0.0 && hit.t <= limit));
    }
    // Within the plane of the only triangle.
    let flat = Soup { positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], indices: vec![[0, 1, 2]] };
    let ray = LocalRay { origin: DVec3::new(-1.0, 0.2, 0.0), direction: DVec3::X };
    assert_eq!(TriangleTree::build(flat.mesh()).unwrap().cast(flat.mesh(), &ray, 9.0, Faces::Both), None);
}

#[test]
fn a_tree_takes_few_bytes_and_no_triangles_make_a_tree() {
    for soup in [sphere(20_000), terrain(20_000), boxes(20_000)] {
        let tree = TriangleTree::build(soup.mesh()).unwrap();
        assert!(tree.allocated_bytes() <= 12 * soup.indices.len(), "{} bytes", tree.allocated_bytes());
    }
    let none = Triangles::new(&[], &[]);
    let tree = TriangleTree::build(none).unwrap();
    assert!(tree.is_empty() && tree.allocated_bytes() == 0);
    assert_eq!(TriangleTree::from_bytes(&tree.to_bytes()), Ok(tree));
}

#[test]
fn a_refused_refit_changes_nothing() {
    let mut soup = boxes(24);
    let mut tree = TriangleTree::build(soup.mesh()).unwrap();
    let before = tree.clone();
    soup.positions[soup.indices[3][0] as usize] = [f32::INFINITY; 3];
    assert!(matches!(tree.refit(soup.mesh()), Err(TriangleTreeError::NotFinite { triangle: 0..=3 })));
    soup.indices.pop();
    assert_eq!(tree.refit(soup.mesh()), Err(TriangleTreeError::OtherMesh { expected: 24, found: 23 }));
    assert_eq!(tree, before);
}

#[test]
fn triangles_that_are_alike_keep_to_the_greatest_depth() {
    // Each triangle is a little greater than the one before, so that splits by surface peel off one.
    let mut soup = Soup::default();
    let mut dice = Dice::with_seed(4);
    for turn in 0..6_000_u32 {
        let size = 1.3_f32.powi(i32::try_from(turn % 200).unwrap());
        soup.positions.extend([[size, 0.0, 0.0], [size, size, 0.0], [size, 0.0, size * dice.share()]]);
        soup.indices.push([turn * 3, turn * 3 + 1, turn * 3 + 2]);
    }
    let tree = TriangleTree::build(soup.mesh()).unwrap();
    assert_eq!(TriangleTree::from_bytes(&tree.to_bytes()).as_ref(), Ok(&tree), "bytes that are too deep are refused");
    let ray = LocalRay { origin: DVec3::new(0.0, 1e-3, 1e-4), direction: DVec3::X };
    assert_eq!(tree.cast(soup.mesh(), &ray, 1e9, Faces::Both), cast_all(soup.mesh(), &ray, 1e9, Faces::Both));
}
