//! One thread against two (feature `rayon`): every world matrix of a random tree computed anew, the update after one node in a
//! hundred moved, which is not timed, and in a town of a million shapes culling by cameras in its streets and listing all
//! draws anew.
//!
//! `cargo run --release --features rayon --example measure -- threads` gives more cases side by side, and checks that all list
//! the same.

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use hedgerow::{DrawList, Visibility, query::Frustum};
use hedgerow_naive::{Moves, Packed, Recipe, Side, TOWN_SHAPES, Topology, Town};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::time::{Duration, Instant};

const SIZES: [usize; 2] = [32_768, 262_144];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("threads");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    let pools = [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads"));
    for nodes in SIZES {
        tree(&mut group, nodes, &pools);
    }
    town(&mut group, &pools);
    group.finish();
    criterion.final_summary();
}

fn tree(group: &mut BenchmarkGroup<'_, WallTime>, nodes: usize, pools: &[ThreadPool]) {
    group.throughput(Throughput::Elements(nodes as u64));
    let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
    let mut packed = Packed::build(&recipe);
    packed.scene_mut().maintain(Duration::MAX);
    packed.update();
    let mut moves = Moves::new(&recipe, 1);
    for pool in pools {
        let threads = pool.current_num_threads();
        group.bench_function(BenchmarkId::new(format!("transform/{threads}"), nodes), |bencher| {
            pool.install(|| bencher.iter(|| packed.scene_mut().update_all()));
        });
        group.bench_function(BenchmarkId::new(format!("moved/{threads}"), nodes), |bencher| {
            bencher.iter_custom(|frames| {
                let mut frame = |_| {
                    packed.set_locals(moves.next_frame(nodes / 100));
                    pool.install(|| {
                        let start = Instant::now();
                        packed.update();
                        start.elapsed()
                    })
                };
                (0..frames).map(&mut frame).sum()
            });
        });
    }
}

fn town(group: &mut BenchmarkGroup<'_, WallTime>, pools: &[ThreadPool]) {
    group.throughput(Throughput::Elements(TOWN_SHAPES as u64));
    let town = Town::new(1);
    let cameras = town.cameras(16, 2);
    let frusta: Vec<Frustum> =
        cameras.iter().map(|camera| Frustum::from_view_projection(camera).expect("a finite camera")).collect();
    let mut list = DrawList::new();
    for pool in pools {
        let threads = pool.current_num_threads();
        group.bench_function(BenchmarkId::new(format!("cull/{threads}"), TOWN_SHAPES), |bencher| {
            let mut frusta = frusta.iter().cycle();
            pool.install(|| {
                bencher.iter(|| {
                    let frustum = frusta.next().expect("there are cameras");
                    town.scene.cull(frustum, Visibility::VISIBLE, &mut list).expect("a scene that keeps boxes");
                });
            });
        });
        group.bench_function(BenchmarkId::new(format!("list/{threads}"), TOWN_SHAPES), |bencher| {
            pool.install(|| {
                bencher.iter(|| {
                    list.clear();
                    town.scene.draw_list(&mut list);
                });
            });
        });
    }
}
