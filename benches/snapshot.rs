//! Saving and loading a scene, and a plain copy of the same bytes into fresh memory, under Criterion.

use criterion::{BenchmarkId, Criterion, Throughput};
use hedgerow::Scene;
use hedgerow_naive::{Packed, Recipe, Side};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("snapshot");
    group.sample_size(10);
    for nodes in [4096, 262_144] {
        let mut packed = Packed::build(&Recipe::random(nodes, nodes as u64));
        packed.transform();
        let bytes = packed.scene().save();
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(BenchmarkId::new("load", nodes), |bencher| {
            bencher.iter_with_large_drop(|| Scene::load(&bytes));
        });
        group.bench_function(BenchmarkId::new("save", nodes), |bencher| {
            bencher.iter_with_large_drop(|| packed.scene().save());
        });
        group
            .bench_function(BenchmarkId::new("copy", nodes), |bencher| bencher.iter_with_large_drop(|| bytes.to_vec()));
    }
    group.finish();
    criterion.final_summary();
}
