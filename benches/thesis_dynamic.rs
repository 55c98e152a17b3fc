//! The thesis's dynamic evaluation (section 5.1.1, figures 6.4 to 6.6): a tenth of the nodes removed and as many
//! inserted before each frame, on a tree that is built anew after 30 frames.
//!
//! Building, and choosing the leaves, is not timed. `cargo run --release --example measure -- thesis-dynamic` gives the
//! same figures side by side with those of memory, and checks that both sides compute the same.

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use hedgerow_naive::{Boxed, Frames, Packed, Recipe, SIZES, Side};
use std::time::{Duration, Instant};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("thesis_dynamic");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for nodes in SIZES {
        let recipe = Recipe::random(nodes, nodes as u64);
        group.throughput(Throughput::Elements(nodes as u64));
        bench::<Packed>(&mut group, &recipe);
        bench::<Boxed>(&mut group, &recipe);
    }
    group.finish();
    criterion.final_summary();
}

/// Which steps of a frame a case times.
#[derive(Clone, Copy)]
struct Timed {
    update: bool,
    transform: bool,
    render: bool,
}

/// All four cases of one side.
fn bench<S: Side>(group: &mut BenchmarkGroup<'_, WallTime>, recipe: &Recipe) {
    let none = Timed { update: false, transform: false, render: false };
    let cases = [
        ("update", Timed { update: true, ..none }),
        ("transform", Timed { transform: true, ..none }),
        ("render", Timed { render: true, ..none }),
        ("frame", Timed { update: true, transform: true, render: true }),
    ];
    for (name, timed) in cases {
        let id = BenchmarkId::new(format!("{name}/{}", S::NAME), recipe.nodes().len());
        let mut frames = None;
        group.bench_function(id, |bencher| {
            let frames = frames.get_or_insert_with(|| Frames::<S>::new(recipe));
            bencher.iter_custom(|count| (0..count).map(|_| play(frames, timed)).sum());
        });
    }
}

/// Plays all three steps of the next frame, and returns the time of those that are asked for.
fn play<S: Side>(frames: &mut Frames<'_, S>, timed: Timed) -> Duration {
    let (side, edits) = frames.next_frame();
    let mut total = Duration::ZERO;
    let mut step = |timed: bool, work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        if timed {
            total += start.elapsed();
        }
    };
    step(timed.update, &mut || side.edit(edits));
    step(timed.transform, &mut || side.transform());
    step(timed.render, &mut || side.render());
    total
}
