//! Culling 100,000 strewn boxes flat and by virtual calls, and a town of a million shapes through its hierarchy and flat.
//! The town is built depth first and reconstituted before.
//!
//! `cargo run --release --example measure -- cull` gives the same figures side by side, and checks that all find the same.

use criterion::{Criterion, Throughput};
use hedgerow::{
    Visibility,
    query::{Boxes, Frustum},
};
use hedgerow_naive::{Cullables, TOWN_SHAPES, Town, strewn, strewn_cameras};
use std::time::Duration;

const BOXES: usize = 100_000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("cull");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));

    let (bounds, cameras) = (strewn(BOXES, 1), strewn_cameras(16, 2));
    let boxes: Boxes = bounds.iter().copied().collect();
    let mut objects = Cullables::new(&bounds);
    let mut visible = Vec::new();
    group.throughput(Throughput::Elements((BOXES * cameras.len()) as u64));
    group.bench_function("flat/hedgerow", |bencher| {
        let frusta: Vec<Frustum> = cameras.iter().map(frustum).collect();
        bencher.iter(|| {
            for frustum in &frusta {
                visible.clear();
                boxes.cull(frustum, &mut visible);
            }
        });
    });
    group.bench_function("flat/virtual", |bencher| {
        bencher.iter(|| {
            for camera in &cameras {
                visible.clear();
                objects.cull(camera, &mut visible);
            }
        });
    });

    let mut built = None;
    group.throughput(Throughput::Elements((TOWN_SHAPES * 10) as u64));
    group.bench_function("town/hedgerow", |bencher| {
        let (town, _, frusta) = built.get_or_insert_with(town);
        let mut nodes = Vec::new();
        bencher.iter(|| {
            for frustum in &*frusta {
                town.scene.cull_nodes(frustum, Visibility::VISIBLE, &mut nodes).expect("the town keeps boxes");
            }
        });
    });
    group.bench_function("town/flat", |bencher| {
        let (town, boxes, frusta) = built.get_or_insert_with(town);
        let mut nodes = Vec::new();
        bencher.iter(|| {
            for frustum in &*frusta {
                visible.clear();
                boxes.cull(frustum, &mut visible);
                nodes.clear();
                nodes.extend(visible.iter().map(|&index| town.nodes[index as usize]));
            }
        });
    });
    group.finish();
    criterion.final_summary();
}

fn frustum(camera: &hedgerow::glam::Mat4) -> Frustum {
    Frustum::from_view_projection(camera).expect("a finite camera")
}

/// The town, its boxes, and ten cameras.
fn town() -> (Town, Boxes, Vec<Frustum>) {
    let town = Town::new(3);
    let boxes = town.bounds.iter().copied().collect();
    let frusta = town.cameras(10, 4).iter().map(frustum).collect();
    (town, boxes, frusta)
}
