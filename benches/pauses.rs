//! Single edits below one child of the root under the default policy and the thesis's: building a random tree of 100,000
//! nodes, and churning it; and building a chain, a caterpillar and a flat tree.
//!
//! Time is that of all edits together, an element of the throughput is one edit. `cargo run --release --example measure --
//! pauses` times each edit by itself, up to the worst, and the updates behind them.

use criterion::{BenchmarkId, Criterion, Throughput};
use hedgerow::SceneConfig;
use hedgerow_naive::{Edit, Growth, Script, Stage};
use std::time::{Duration, Instant};

const NODES: usize = 100_000;
const CHURNED: usize = NODES / 5;
/// An update, which is not timed, follows as many edits.
const FRAME: usize = 1000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("pauses");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    let script = Script::new(NODES, CHURNED, 1);
    let (build, churn) = script.edits().split_at(NODES);
    for (policy, config) in [("default", SceneConfig::DEFAULT), ("thesis", SceneConfig::THESIS)] {
        group.throughput(Throughput::Elements(NODES as u64));
        group.bench_function(BenchmarkId::new(format!("build/{policy}"), NODES), |bencher| {
            bencher.iter_custom(|rounds| (0..rounds).map(|_| play(&mut Stage::new(config, &script), build)).sum());
        });
        group.throughput(Throughput::Elements(CHURNED as u64));
        group.bench_function(BenchmarkId::new(format!("churn/{policy}"), NODES), |bencher| {
            let round = |_| {
                let mut stage = Stage::new(config, &script);
                play(&mut stage, build);
                play(&mut stage, churn)
            };
            bencher.iter_custom(|rounds| (0..rounds).map(round).sum());
        });
    }
    for growth in Growth::EXTREMES {
        let script = Script::shaped(growth, NODES, 0, 1);
        group.throughput(Throughput::Elements(NODES as u64));
        group.bench_function(BenchmarkId::new(format!("{}/build", growth.name()), NODES), |bencher| {
            let round = |_| play(&mut Stage::new(SceneConfig::DEFAULT, &script), script.edits());
            bencher.iter_custom(|rounds| (0..rounds).map(round).sum());
        });
    }
    group.finish();
    criterion.final_summary();
}

/// Plays the edits, and answers how long they alone take.
fn play(stage: &mut Stage<'_>, edits: &[Edit]) -> Duration {
    let frame = |edits: &[Edit]| {
        let start = Instant::now();
        edits.iter().for_each(|&edit| stage.play(edit));
        let time = start.elapsed();
        stage.scene_mut().update();
        time
    };
    edits.chunks(FRAME).map(frame).sum()
}
