//! Building the thesis's random tree: by single inserts, from a list of all nodes, and with boxed nodes.
//!
//! Pushing the nodes to the list is timed; dropping the tree is not. `cargo run --release --example measure -- build` gives
//! the same side by side, and checks that all ways build the same tree.

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use hedgerow_naive::{Boxed, Packed, Recipe, Side};
use std::time::{Duration, Instant};

const SIZES: [usize; 2] = [32_768, 262_144];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("build");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for nodes in SIZES {
        let recipe = Recipe::random(nodes, nodes as u64);
        group.throughput(Throughput::Elements(nodes as u64));
        bench(&mut group, "single", &recipe, Packed::build);
        bench(&mut group, "builder", &recipe, Packed::build_from_list);
        bench(&mut group, Boxed::NAME, &recipe, Boxed::build);
    }
    group.finish();
    criterion.final_summary();
}

/// One way to build. Each tree is dropped before the next is built.
fn bench<S: Side>(group: &mut BenchmarkGroup<'_, WallTime>, way: &str, recipe: &Recipe, build: impl Fn(&Recipe) -> S) {
    group.bench_function(BenchmarkId::new(way, recipe.nodes().len()), |bencher| {
        bencher.iter_custom(|rounds| {
            let round = |_| {
                let start = Instant::now();
                let built = build(recipe);
                let time = start.elapsed();
                drop(built);
                time
            };
            (0..rounds).map(round).sum()
        });
    });
}
