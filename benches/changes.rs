//! Updates with the change feed and without it: after all, 10 %, 1 % or one of the nodes of a tree of transforms were given
//! new local transforms, and after a tenth of the thesis's tree was removed and as much inserted. And kept draw lists with the
//! matrices of the update before and without.
//!
//! Choosing the nodes and setting their transforms is not timed; the removals and inserts are, since the feed notes them.
//! Nothing reads the feed. `cargo run --release --example measure -- changes` gives the same side by side, and checks what
//! the feed tells.

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use hedgerow::{DrawList, SceneConfig};
use hedgerow_naive::{Churn, FRAMES, Moves, Packed, Recipe, Side, Topology};
use std::time::{Duration, Instant};

const SIZES: [usize; 3] = [4096, 32_768, 262_144];
const TOLD: SceneConfig = SceneConfig { changes: true, ..SceneConfig::DEFAULT };

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("changes");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for nodes in SIZES {
        group.throughput(Throughput::Elements(nodes as u64));
        let transforms = Recipe::transforms(Topology::Random, nodes, nodes as u64);
        let random = Recipe::random(nodes, nodes as u64);
        for (feed, config) in [("feed", TOLD), ("without", SceneConfig::DEFAULT)] {
            moved(&mut group, feed, config, &transforms);
            edits(&mut group, feed, config, &random);
        }
        motion(&mut group, &random);
    }
    group.finish();
    criterion.final_summary();
}

/// A scene of this policy, with everything told once.
fn build(recipe: &Recipe, config: SceneConfig) -> Packed {
    let mut packed = Packed::build_with(recipe, config);
    packed.update();
    packed
}

/// All shares of moved nodes in one scene, which is built when the first of them is run.
fn moved(group: &mut BenchmarkGroup<'_, WallTime>, feed: &str, config: SceneConfig, recipe: &Recipe) {
    let nodes = recipe.nodes().len();
    let mut built = None;
    for (share, count) in [("all", nodes), ("10%", nodes / 10), ("1%", nodes / 100), ("one", 1)] {
        group.bench_function(BenchmarkId::new(format!("{share}/{feed}"), nodes), |bencher| {
            let (packed, moves) = built.get_or_insert_with(|| (build(recipe, config), Moves::new(recipe, 1)));
            bencher.iter_custom(|frames| {
                let frame = |_| {
                    packed.set_locals(moves.next_frame(count));
                    let start = Instant::now();
                    packed.update();
                    start.elapsed()
                };
                (0..frames).map(frame).sum()
            });
        });
    }
}

/// Edits and the update behind them, on a tree that is built anew after 30 frames.
fn edits(group: &mut BenchmarkGroup<'_, WallTime>, feed: &str, config: SceneConfig, recipe: &Recipe) {
    let start = || (build(recipe, config), Churn::new(recipe, 1), 0);
    let mut played = None;
    group.bench_function(BenchmarkId::new(format!("edits/{feed}"), recipe.nodes().len()), |bencher| {
        let state = played.get_or_insert_with(start);
        bencher.iter_custom(|frames| {
            let frame = |_| {
                if state.2 == FRAMES {
                    *state = start();
                }
                let (packed, churn, played) = &mut *state;
                *played += 1;
                let edits = churn.next_frame();
                let start = Instant::now();
                packed.edit(edits);
                packed.update();
                start.elapsed()
            };
            (0..frames).map(frame).sum()
        });
    });
}

/// A kept draw list with the matrices of the update before and one without, after one node in a hundred moved.
fn motion(group: &mut BenchmarkGroup<'_, WallTime>, recipe: &Recipe) {
    let nodes = recipe.nodes().len();
    for (name, list) in [("with", DrawList::new().with_motion()), ("without", DrawList::new())] {
        let mut built = None;
        group.bench_function(BenchmarkId::new(format!("motion/{name}"), nodes), |bencher| {
            let (packed, moves, list) =
                built.get_or_insert_with(|| (build(recipe, TOLD), Moves::new(recipe, 1), list.clone()));
            bencher.iter_custom(|frames| {
                let frame = |_| {
                    packed.set_locals(moves.next_frame(nodes / 100));
                    packed.update();
                    let start = Instant::now();
                    packed.scene().draw_list(list);
                    start.elapsed()
                };
                (0..frames).map(frame).sum()
            });
        });
    }
}
