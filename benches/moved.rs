//! Updates after all, 1 % or one of the nodes of a tree of transforms were given new local transforms.
//!
//! Choosing the nodes and setting their transforms is not timed. `cargo run --release --example measure -- moved` gives
//! more shares side by side, and checks that both sides compute the same.

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use hedgerow_naive::{Boxed, Moves, Packed, RIG, Recipe, Side, Topology};
use std::time::{Duration, Instant};

const TREES: [(Topology, usize); 7] = [
    (Topology::Random, 4096),
    (Topology::Random, 32_768),
    (Topology::Random, 262_144),
    (Topology::EightAry, 262_144),
    (Topology::Humanoids, 4000 * RIG as usize + 1),
    (Topology::Flat, 100_000),
    (Topology::Chain, 16_384),
];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for (topology, nodes) in TREES {
        let mut group = criterion.benchmark_group(format!("moved/{}", topology.name()));
        group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
        group.throughput(Throughput::Elements(nodes as u64));
        let recipe = Recipe::transforms(topology, nodes, nodes as u64);
        bench::<Packed>(&mut group, &recipe);
        bench::<Boxed>(&mut group, &recipe);
        group.finish();
    }
    criterion.final_summary();
}

/// All cases of one side, which is built when the first of them is run.
fn bench<S: Side>(group: &mut BenchmarkGroup<'_, WallTime>, recipe: &Recipe) {
    let nodes = recipe.nodes().len();
    let mut built = None;
    for (share, count) in [("all", nodes), ("1%", nodes / 100), ("one", 1)] {
        group.bench_function(BenchmarkId::new(format!("{share}/{}", S::NAME), nodes), |bencher| {
            let (side, moves) = built.get_or_insert_with(|| (S::build(recipe), Moves::new(recipe, 1)));
            bencher.iter_custom(|frames| {
                let frame = |_| {
                    side.set_locals(moves.next_frame(count));
                    let start = Instant::now();
                    side.update();
                    start.elapsed()
                };
                (0..frames).map(frame).sum()
            });
        });
    }
}
