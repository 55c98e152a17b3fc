//! The thesis's static evaluation (section 5.1, figures 6.1 to 6.3): both traversals on random trees that do not change.
//!
//! The scene is reconstituted once after it was built. `cargo run --release --example measure -- thesis-static` gives the
//! same figures side by side, and checks that both sides compute the same.

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use hedgerow_naive::{Boxed, Packed, Recipe, SIZES, Side};
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("thesis_static");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for nodes in SIZES {
        let recipe = Recipe::random(nodes, nodes as u64);
        group.throughput(Throughput::Elements(nodes as u64));
        bench::<Packed>(&mut group, &recipe);
        bench::<Boxed>(&mut group, &recipe);
    }
    group.finish();
    criterion.final_summary();
}

/// All three cases of one side, built when the first of them is run.
fn bench<S: Side>(group: &mut BenchmarkGroup<'_, WallTime>, recipe: &Recipe) {
    let nodes = recipe.nodes().len();
    let mut side = None;
    let mut case = |name: &str, work: fn(&mut S)| {
        let id = BenchmarkId::new(format!("{name}/{}", S::NAME), nodes);
        group.bench_function(id, |bencher| {
            let side = side.get_or_insert_with(|| prepared::<S>(recipe));
            bencher.iter(|| work(side));
        });
    };
    case("transform", S::transform);
    case("render", S::render);
    case("frame", |side| {
        side.transform();
        side.render();
    });
}

/// A side in its best order, with all matrices computed.
fn prepared<S: Side>(recipe: &Recipe) -> S {
    let mut side = S::build(recipe);
    side.pack();
    side.transform();
    side
}
