//! A thousand characters of 96 joints, from local transforms to model matrices and palettes.
//!
//! `cargo run --release --example measure -- molecule-skeleton` gives the same figures side by side, and checks that all
//! compute the same.

use criterion::{Criterion, Throughput};
use hedgerow::glam::Mat4;
use hedgerow::{
    Mat34, Transform,
    anim::{Crowd, Pose},
};
use hedgerow_naive::{CHARACTERS, Character, Flattened, JOINTS, character, inverse_binds, rig};
use std::hint::black_box;
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("molecule_skeleton");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements((CHARACTERS * JOINTS) as u64));

    let skeleton = rig();
    let locals: Vec<Vec<Transform>> = (0..CHARACTERS as u64).map(|seed| character(&skeleton, seed, false)).collect();
    group.bench_function("objects", |bencher| {
        let mut objects: Vec<Character<Transform>> = locals.iter().map(|it| Character::new(&skeleton, it)).collect();
        bencher.iter(|| objects.iter_mut().for_each(Character::local_to_global));
    });
    group.bench_function("objects-palette", |bencher| {
        let mut objects: Vec<Character<Transform>> = locals.iter().map(|it| Character::new(&skeleton, it)).collect();
        let binds = inverse_binds(&skeleton);
        bencher.iter(|| {
            for object in &mut objects {
                object.local_to_global();
                object.palette(&binds);
            }
        });
    });
    group.bench_function("flattened", |bencher| {
        let mut flattened: Vec<Flattened<Mat4>> = locals.iter().map(|it| Flattened::new(&skeleton, it)).collect();
        bencher.iter(|| flattened.iter_mut().for_each(Flattened::local_to_global));
    });

    let poses: Vec<Pose> = locals
        .iter()
        .map(|locals| {
            let mut pose = Pose::new(JOINTS);
            (0..).zip(locals).for_each(|(joint, &local)| pose.set(joint, local));
            pose
        })
        .collect();
    group.bench_function("pose", |bencher| {
        let mut models = vec![vec![Mat34::IDENTITY; JOINTS]; CHARACTERS];
        bencher.iter(|| {
            for (pose, models) in poses.iter().zip(&mut models) {
                pose.to_models(&skeleton, models).expect("poses of this skeleton");
            }
        });
    });
    group.bench_function("poses-palette-each", |bencher| {
        let mut room = Vec::new();
        bencher.iter(|| {
            let shown = skeleton.each_palette(&poses, |pose| pose, &mut room, |_, palette| _ = black_box(palette));
            shown.expect("poses of this skeleton");
        });
    });
    let mut crowd = Crowd::new(&skeleton);
    for pose in &poses {
        crowd.insert(pose).expect("a pose of this skeleton");
    }
    let mut out = Vec::new();
    group.bench_function("crowd", |bencher| bencher.iter(|| crowd.models(&mut out)));
    group.bench_function("crowd-palette", |bencher| bencher.iter(|| crowd.palettes(&mut out)));
    group.bench_function("crowd-each", |bencher| {
        bencher.iter(|| crowd.each_models(&mut out, |_, models| _ = black_box(models)));
    });
    group.finish();
    criterion.final_summary();
}
