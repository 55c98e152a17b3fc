//! Sub-mesh sets against sub-meshes as heap objects: culling and drawing 1,500, 100,000 and 300,000 of them.
//!
//! `cargo run --release --example measure -- molecule-mesh` gives the same figures side by side, and checks that both sides end
//! with the same draws.

use criterion::{BenchmarkId, Criterion, Throughput};
use hedgerow::{mesh::MaterialDraws, query::Frustum};
use hedgerow_naive::{Meshes, Parts};
use std::time::Duration;

const CAMERAS: usize = 16;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("molecule-mesh");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for sub_meshes in [1500, 100_000, 300_000] {
        let parts = Parts::new(sub_meshes, CAMERAS, 7);
        let frustum = |camera| Frustum::from_view_projection(camera).expect("a finite camera");
        let frusta: Vec<Frustum> = parts.cameras().iter().map(frustum).collect();
        let set = parts.set().expect("sound meshes");
        let meshes = Meshes::new(&parts);
        let (mut visible, mut draws, mut shadows) = (Vec::new(), Vec::new(), Vec::new());
        let mut sorted = MaterialDraws::new();
        group.throughput(Throughput::Elements((sub_meshes * CAMERAS) as u64));
        group.bench_function(BenchmarkId::new("cull/hedgerow", sub_meshes), |bencher| {
            bencher.iter(|| {
                for frustum in &frusta {
                    set.cull(frustum, &mut visible);
                    set.draws(&visible, &mut draws);
                }
            });
        });
        group.bench_function(BenchmarkId::new("cull/virtual", sub_meshes), |bencher| {
            bencher.iter(|| {
                for camera in parts.cameras() {
                    meshes.cull(camera);
                    meshes.render(&mut draws);
                }
            });
        });
        group.bench_function(BenchmarkId::new("shadow/hedgerow", sub_meshes), |bencher| {
            bencher.iter(|| {
                for frustum in &frusta {
                    set.cull(frustum, &mut visible);
                    set.shadow_draws(&visible, &mut shadows);
                }
            });
        });
        group.bench_function(BenchmarkId::new("shadow/virtual", sub_meshes), |bencher| {
            bencher.iter(|| {
                for camera in parts.cameras() {
                    meshes.cull(camera);
                    meshes.render_shadow(&mut shadows);
                }
            });
        });
        group.bench_function(BenchmarkId::new("by-material/hedgerow", sub_meshes), |bencher| {
            bencher.iter(|| {
                for frustum in &frusta {
                    set.cull(frustum, &mut visible);
                    set.draws_by_material(&visible, &mut sorted);
                }
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
