//! Skinning a character of 2,700 vertices a hundred times, each time with another palette and to other places, and by the
//! seed's steps; and 10,000 vertices with one to four influences each.
//!
//! `cargo run --release --example measure -- molecule-skinning` gives the same figures side by side, and checks that all
//! sides compute the same.

use criterion::{BenchmarkId, Criterion, Throughput};
use hedgerow::glam::Mat4;
use hedgerow::{
    Mat34,
    skin::{SkinOutput, SkinnedMesh},
};
use hedgerow_naive::{SKIN_JOINTS, SeedSkin, SkinRecipe, SplitVertex, WholeVertex, WideVertex};
use std::time::Duration;

const CHARACTERS: usize = 100;
const VERTICES: usize = 10_000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("molecule_skinning");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));

    let recipe = SkinRecipe::character(1);
    let (mesh, seed) = (mesh(&recipe), SeedSkin::new(&recipe));
    let palettes: Vec<Vec<Mat34>> = (0..CHARACTERS as u64).map(SkinRecipe::palette).collect();
    let wide: Vec<Vec<Mat4>> = palettes.iter().map(|palette| widen(palette)).collect();
    let count = mesh.len();
    group.throughput(Throughput::Elements((CHARACTERS * count) as u64));
    group.bench_function("characters/hedgerow", |bencher| {
        let (mut positions, mut normals) = (vec![[0.0; 3]; CHARACTERS * count], vec![[0.0; 3]; CHARACTERS * count]);
        bencher.iter(|| {
            let places = positions.chunks_exact_mut(count).zip(normals.chunks_exact_mut(count));
            for (palette, (positions, normals)) in palettes.iter().zip(places) {
                mesh.skin(palette, SkinOutput::new(positions).normals(normals)).expect("places for all");
            }
        });
    });
    group.bench_function("characters/first", |bencher| {
        let mut output = vec![WholeVertex::default(); CHARACTERS * count];
        bencher.iter(|| {
            wide.iter().zip(output.chunks_exact_mut(count)).for_each(|(palette, to)| seed.first(palette, to));
        });
    });
    group.bench_function("characters/split", |bencher| {
        let mut output = vec![SplitVertex::default(); CHARACTERS * count];
        bencher.iter(|| {
            wide.iter().zip(output.chunks_exact_mut(count)).for_each(|(palette, to)| seed.split(palette, to));
        });
    });
    let mut output = vec![WideVertex::default(); CHARACTERS * count];
    group.bench_function("characters/layout", |bencher| {
        bencher.iter(|| {
            wide.iter().zip(output.chunks_exact_mut(count)).for_each(|(palette, to)| seed.layout(palette, to));
        });
    });
    group.bench_function("characters/sorted", |bencher| {
        bencher.iter(|| {
            wide.iter().zip(output.chunks_exact_mut(count)).for_each(|(palette, to)| seed.sorted(palette, to));
        });
    });

    group.throughput(Throughput::Elements(VERTICES as u64));
    for influences in 1..=4 {
        let recipe = SkinRecipe::uniform(VERTICES, influences, 1);
        let (mesh, seed) = (self::mesh(&recipe), SeedSkin::new(&recipe));
        group.bench_function(BenchmarkId::new("influences/hedgerow", influences), |bencher| {
            let (mut positions, mut normals) = (vec![[0.0; 3]; VERTICES], vec![[0.0; 3]; VERTICES]);
            bencher.iter(|| {
                let output = SkinOutput::new(&mut positions).normals(&mut normals);
                mesh.skin(&palettes[0], output).expect("places for all");
            });
        });
        group.bench_function(BenchmarkId::new("influences/first", influences), |bencher| {
            let mut output = vec![WholeVertex::default(); VERTICES];
            bencher.iter(|| seed.first(&wide[0], &mut output));
        });
    }
    group.finish();
    criterion.final_summary();
}

fn mesh(recipe: &SkinRecipe) -> SkinnedMesh {
    SkinnedMesh::builder(&recipe.positions)
        .normals(&recipe.normals)
        .influences(4, recipe.joints.as_flattened(), recipe.weights.as_flattened())
        .build(SKIN_JOINTS)
        .expect("the recipe is sound")
}

fn widen(palette: &[Mat34]) -> Vec<Mat4> {
    palette.iter().map(|&matrix| matrix.into()).collect()
}
