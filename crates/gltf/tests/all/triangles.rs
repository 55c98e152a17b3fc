//! Trees over the triangles of models.

use crate::nodes::walk;
use hedgerow_gltf::load;
use hedgerow_mesh::{Faces, LocalRay, TriangleHit, TriangleTree, Triangles};
use hedgerow_testkit::Dice;
use hedgerow_testkit::triangles::{Answer, Soup, all_by_another_formula};
use std::path::Path;

/// The number of triangles that are tested one by one for each mesh. A long form: `HEDGEROW_TRIANGLES=2000000`, with
/// `HEDGEROW_GLTF_DIR`.
fn budget() -> usize {
    std::env::var("HEDGEROW_TRIANGLES").map_or(200_000, |count| count.parse().expect("a number of triangles"))
}

/// Compares a hit with those of another formula on all triangles. It may be on any of those that are within a millionth
/// of the nearest.
fn compare(mesh: Triangles<'_>, ray: &LocalRay, found: Option<TriangleHit>, file: &Path) {
    let (nearest, of_found) = all_by_another_formula(mesh, ray, found.map(|hit| hit.triangle));
    let t = found.map_or(f64::INFINITY, |hit| hit.t);
    let is_hit = match of_found {
        Some(Answer::Hit(expected)) => (t - expected).abs() <= 1e-6 * expected,
        // The formula cannot say whether the ray passes an edge.
        Some(Answer::Unsure) => true,
        Some(Answer::Miss) => false,
        None => found.is_none(),
    };
    let is_nearest = t <= nearest * (1.0 + 1e-6) || nearest.is_infinite();
    assert!(is_hit && is_nearest, "{}: {ray:?} hits {found:?}; the nearest is at {nearest}", file.display());
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn rays_at_models_hit_what_testing_every_triangle_hits() {
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models"), &mut files);
    if let Some(folder) = std::env::var_os("HEDGEROW_GLTF_DIR") {
        walk(&Path::new(&folder).join("models"), &mut files);
    }
    let (mut dice, mut rays, mut hits) = (Dice::with_seed(11), 0, 0);
    for file in files {
        let Ok(import) = load(&file) else { continue };
        let primitives = import.imported.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let meshes = primitives.filter_map(|primitive| primitive.vertices.as_ref());
        // The mesh of each file with the most triangles.
        if let Some(data) = meshes.max_by_key(|data| data.triangles().len()) {
            let soup = Soup { positions: data.positions.clone(), indices: data.triangles().collect() };
            let tree = TriangleTree::build(soup.mesh()).expect("an import has sound triangles");
            let count = if soup.indices.is_empty() { 0 } else { (budget() / soup.indices.len()).clamp(5, 100_000) };
            for _ in 0..count {
                let ray = soup.ray(&mut dice);
                let found = tree.cast(soup.mesh(), &ray, f64::INFINITY, Faces::Both);
                compare(soup.mesh(), &ray, found, &file);
                (rays, hits) = (rays + 1, hits + usize::from(found.is_some()));
            }
        }
    }
    println!("{rays} rays, {hits} hits");
    assert!(hits > 100);
}
