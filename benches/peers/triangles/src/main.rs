//! Compares `TriangleTree` with the CWBVH of `obvhs`: time of building, bytes, time of a ray, and rays that leave closed
//! meshes at corners and edges. Sides alternate, and the least of several turns counts.
//!
//! ```text
//! cargo run --release --manifest-path benches/peers/Cargo.toml -p hedgerow-peers-triangles -- [SIZES ...]
//! ```

use glam::{DVec3, Vec3A};
use hedgerow_mesh::glam::Vec3;
use hedgerow_mesh::{Faces, LocalRay, TriangleTree};
use hedgerow_testkit::Dice;
use hedgerow_testkit::triangles::{Soup, boxes, sphere, terrain};
use obvhs::cwbvh::{CwBvh, builder::build_cwbvh_from_tris};
use obvhs::ray::{Ray, RayHit};
use obvhs::triangle::Triangle;
use std::hint::black_box;
use std::time::{Duration, Instant};

const RAYS: usize = 20_000;
const TURNS: usize = 7;
const LEAKS: u32 = 1_000_000;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|size| size.parse().expect("a number of triangles")).collect();
    let sizes = if sizes.is_empty() { vec![1_000, 20_000, 80_000, 1_000_000] } else { sizes };
    println!(
        "mesh, triangles | build, ns a triangle: ours, obvhs, ratio | ray, ns: ours, obvhs, ratio | bytes a triangle | hits, others of obvhs"
    );
    let (mut builds, mut casts) = (Vec::new(), Vec::new());
    for &size in &sizes {
        for (name, make) in [("sphere", sphere as fn(usize) -> Soup), ("terrain", terrain), ("boxes", boxes)] {
            let [build, cast] = compare(name, &make(size));
            builds.push(build);
            casts.push(cast);
        }
    }
    println!("median of the ratios: build {:.2}, ray {:.2}", median(&mut builds), median(&mut casts));
    for size in [1_000, 20_000] {
        leaks(&sphere(size));
    }
}

fn compare(name: &str, soup: &Soup) -> [f64; 2] {
    let (count, mut dice) = (soup.indices.len() as f64, Dice::with_seed(11));
    let rays: Vec<LocalRay> = (0..RAYS).map(|_| soup.ray(&mut dice)).collect();
    let (mut build, mut cast) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
    let triangles = corners(soup);
    let turns = if soup.indices.len() > 200_000 { 2 } else { TURNS };
    let (mut ours, mut theirs) = (None, None);
    for _ in 0..turns {
        ours = Some(timed(&mut build[0], || TriangleTree::build(soup.mesh()).expect("sound triangles")));
        theirs = Some(timed(&mut build[1], || peer(&triangles)));
    }
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return [f64::NAN; 2] };
    let mut found = [vec![None; RAYS], vec![None; RAYS]];
    for _ in 0..turns {
        let [a, b] = &mut found;
        let hit = |ray: &LocalRay| ours.cast(soup.mesh(), ray, f64::INFINITY, Faces::Both).map(|hit| hit.t);
        timed(&mut cast[0], || a.iter_mut().zip(&rays).for_each(|(t, ray)| *t = hit(ray)));
        timed(&mut cast[1], || b.iter_mut().zip(&rays).for_each(|(t, ray)| *t = hit_of(&theirs, &triangles, ray)));
    }
    // Rays that meet another triangle first, or none: the peer is wrong at some edges, and computes in single precision.
    let [a, b] = &found;
    let same = |(a, b): &(&Option<f64>, &Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-4 * a,
        _ => a == b,
    };
    let (hits, others) = (a.iter().flatten().count(), RAYS - a.iter().zip(b).filter(same).count());
    assert!(hits > RAYS / 4 && others <= RAYS / 200, "{name}: {others} of {RAYS} rays hit something else");
    let ratios = [build[0] / build[1], cast[0] / cast[1]];
    println!(
        "{name:8} {count:8} | {:5.0} {:5.0} {:.2} | {:5.0} {:5.0} {:.2} | {:.1} | {hits} {others}",
        build[0] / count,
        build[1] / count,
        ratios[0],
        cast[0] / RAYS as f64,
        cast[1] / RAYS as f64,
        ratios[1],
        ours.allocated_bytes() as f64 / count,
    );
    ratios
}

/// Counts rays from inside that leave a closed mesh at a corner or at a point of an edge.
fn leaks(soup: &Soup) {
    let ours = TriangleTree::build(soup.mesh()).expect("sound triangles");
    let triangles = corners(soup);
    let theirs = peer(&triangles);
    let (mut dice, mut leaks) = (Dice::with_seed(3), [[0; 2]; 2]);
    for turn in 0..LEAKS {
        let [a, b, _] = soup.indices[dice.index(soup.indices.len())].map(|at| Vec3::from(soup.positions[at as usize]));
        let origin = if turn % 4 < 2 { Vec3::ZERO } else { dice.vector() * 0.3 };
        let target = if turn % 2 == 0 { a } else { a.lerp(b, dice.share()) };
        let ray = LocalRay { origin: origin.as_dvec3(), direction: (target - origin).as_dvec3() };
        let leak = &mut leaks[usize::from(turn % 2 == 1)];
        leak[0] += u32::from(!ours.hits(soup.mesh(), &ray, f64::INFINITY, Faces::Both));
        leak[1] += u32::from(hit_of(&theirs, &triangles, &ray).is_none());
    }
    let [corners, edges] = leaks.map(|leaks| leaks.map(|count| 200.0 * f64::from(count) / f64::from(LEAKS)));
    println!(
        "closed sphere of {} triangles, {LEAKS} rays from inside: of those at corners leave {:.2} % (obvhs {:.1} %), at edges {:.2} % ({:.1} %)",
        soup.indices.len(),
        corners[0],
        corners[1],
        edges[0],
        edges[1]
    );
}

/// Returns the triangles as the peer takes them: copies of the corners, 48 bytes each. No time is counted for it.
fn corners(soup: &Soup) -> Vec<Triangle> {
    let corner = |at: u32| Vec3A::from_array(soup.positions[at as usize]);
    soup.indices.iter().map(|indices| indices.map(corner)).map(|[v0, v1, v2]| Triangle { v0, v1, v2 }).collect()
}

/// The peer's tree as its documentation builds it for ray tracing.
fn peer(triangles: &[Triangle]) -> CwBvh {
    build_cwbvh_from_tris(triangles, obvhs::BvhBuildParams::medium_build(), &mut Duration::default())
}

fn hit_of(tree: &CwBvh, triangles: &[Triangle], ray: &LocalRay) -> Option<f64> {
    let single = |vector: DVec3| Vec3A::from(vector.as_vec3());
    let (mut hit, ray) = (RayHit::none(), Ray::new_inf(single(ray.origin), single(ray.direction)));
    tree.ray_traverse(ray, &mut hit, |ray, id| triangles[tree.primitive_indices[id] as usize].intersect(ray));
    hit.t.is_finite().then_some(hit.t.into())
}

/// Runs `work`, and keeps the least time in nanoseconds.
fn timed<T>(least: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = black_box(work());
    *least = least.min(start.elapsed().as_secs_f64() * 1e9);
    result
}

fn median(ratios: &mut [f64]) -> f64 {
    ratios.sort_unstable_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}
