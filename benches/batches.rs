//! Removals, inserts and new transforms in batches of a tenth of the nodes, in random places of the thesis's tree, against
//! the same edits one by one.
//!
//! Filling the lists that the batches are told by is timed; choosing the nodes, and the update behind the edits, is not. An
//! element of the throughput is one edit. `cargo run --release --example measure -- batches` gives the same side by side,
//! with the lists filled before, and checks that both ways compute the same.

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use hedgerow_naive::{Batched, Edits, Frames, Moves, Packed, Recipe, Side};
use std::time::{Duration, Instant};

const SIZES: [usize; 2] = [32_768, 262_144];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("batches");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for nodes in SIZES {
        let recipe = Recipe::random(nodes, nodes as u64);
        group.throughput(Throughput::Elements(nodes as u64 / 10));
        bench::<Batched>(&mut group, "batched", &recipe);
        bench::<Packed>(&mut group, "single", &recipe);
    }
    group.finish();
    criterion.final_summary();
}

/// Which edits of a frame a case times.
#[derive(Clone, Copy)]
enum Timed {
    Remove,
    Insert,
}

/// All three cases of one way to make the edits.
fn bench<S: Side>(group: &mut BenchmarkGroup<'_, WallTime>, way: &str, recipe: &Recipe) {
    let nodes = recipe.nodes().len();
    for (name, timed) in [("remove", Timed::Remove), ("insert", Timed::Insert)] {
        let mut frames = None;
        group.bench_function(BenchmarkId::new(format!("{name}/{way}"), nodes), |bencher| {
            let frames = frames.get_or_insert_with(|| Frames::<S>::new(recipe));
            bencher.iter_custom(|count| (0..count).map(|_| play(frames, timed)).sum());
        });
    }
    let mut built = None;
    group.bench_function(BenchmarkId::new(format!("set/{way}"), nodes), |bencher| {
        let (side, moves) = built.get_or_insert_with(|| (S::build(recipe), Moves::new(recipe, 1)));
        bencher.iter_custom(|frames| {
            let frame = |_| {
                let moved = moves.next_frame(nodes / 10);
                let time = time(|| side.set_locals(moved));
                side.update();
                time
            };
            (0..frames).map(frame).sum()
        });
    });
}

/// Plays the next frame and its update, and returns the time of the edits that are asked for.
fn play<S: Side>(frames: &mut Frames<'_, S>, timed: Timed) -> Duration {
    let (side, edits) = frames.next_frame();
    let Edits { removed, inserted } = edits.clone();
    let removals = Edits { removed, inserted: Vec::new() };
    let inserts = Edits { removed: Vec::new(), inserted };
    let remove = time(|| side.edit(&removals));
    let insert = time(|| side.edit(&inserts));
    side.update();
    match timed {
        Timed::Remove => remove,
        Timed::Insert => insert,
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
