//! Clips as authors have them: sampling the test clip exactly, and by the player that searches every track; reducing the
//! keys of 100 joints with 1,000 keys each, and of the test clip.

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use hedgerow::{
    Mat34, Transform,
    anim::{Pose, RawClip, Skeleton, SkeletonBuilder, raw::Reduction},
};
use hedgerow_naive::{KeyTracks, swaying, test_clip};
use std::hint::black_box;
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("raw_clips");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    sampling(&mut group);
    for (name, clip) in [("test-clip", test_clip()), ("100x1000", swaying(100, 1000, 0.0))] {
        reducing(&mut group, name, &clip);
    }
    group.finish();
    criterion.final_summary();
}

/// The test clip forward at 60 Hz, a pose a time.
fn sampling(group: &mut BenchmarkGroup<'_, WallTime>) {
    let clip = test_clip();
    group.throughput(Throughput::Elements(clip.joints() as u64));
    let mut pose = Pose::new(clip.joints());
    let mut frame = 0_u16;
    let mut next = move || {
        frame = (frame + 1) % 238;
        f32::from(frame) / 60.0
    };
    group.bench_function("sample/exact", |bencher| bencher.iter(|| clip.sample(black_box(next()), &mut pose)));
    let tracks = KeyTracks::new(&clip);
    let mut locals = vec![Transform::IDENTITY; clip.joints()];
    group.bench_function("sample/key-tracks", |bencher| {
        bencher.iter(|| tracks.sample(black_box(next()), &mut locals));
    });
}

fn reducing(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, clip: &RawClip) {
    let skeleton = limbs(clip.joints());
    group.throughput(Throughput::Elements(clip.keys() as u64));
    for (bound, error) in [("0.1mm", 1e-4), ("1mm", 1e-3), ("10mm", 1e-2)] {
        let reduction = Reduction::new(error, 0.03);
        group.bench_function(format!("reduce/{name}/{bound}"), |bencher| {
            bencher.iter(|| clip.reduced(&skeleton, &reduction).expect("sound input"));
        });
    }
}

/// A root with limbs of eight joints, a tenth of a metre each.
fn limbs(joints: usize) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..joints {
        let parent = joint.checked_sub(1).map(|before| if before % 8 == 0 { 0 } else { before });
        builder.joint("", parent, Transform::from_xyz(0.0, 0.1, 0.0), Mat34::IDENTITY);
    }
    builder.build().expect("a tree").0
}
