//! The test clip, played at 60 frames a second forward and backward, and sampled at random times: a player against a search in
//! every track; and a thousand players by turns.
//!
//! `cargo run --release --example measure -- bitsquid-clip` gives the same figures side by side, and checks that both show the
//! same.

use criterion::{Criterion, Throughput};
use hedgerow::{
    Transform,
    anim::{Clip, ClipBuilder, Player, Pose, player::Playback},
};
use hedgerow_naive::{KeyTracks, TEST_CLIP_JOINTS, TEST_CLIP_KEYS, swaying, test_clip};
use std::hint::black_box;
use std::time::Duration;

const FRAME: f32 = 1.0 / 60.0;
const THOUSAND: usize = 1000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("bitsquid-clip");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));

    let raw = test_clip();
    let clip = compiled(0.0);
    let tracks = KeyTracks::new(&raw);
    let mut pose = Pose::new(TEST_CLIP_JOINTS);
    clip.write_constants(&mut pose, &mut []).expect("joints as many");
    let mut plain = vec![Transform::IDENTITY; TEST_CLIP_JOINTS];
    group.throughput(Throughput::Elements(TEST_CLIP_JOINTS as u64));
    for (case, seconds) in [("forward", FRAME), ("backward", -FRAME)] {
        group.bench_function(format!("{case}/hedgerow"), |bencher| {
            let mut player = looping(&clip);
            bencher.iter(|| {
                player.advance(seconds);
                player.sample(black_box(&mut pose)).expect("joints as many");
            });
        });
        group.bench_function(format!("{case}/search"), |bencher| {
            let mut time = 0.0_f32;
            bencher.iter(|| {
                time = (time + seconds).rem_euclid(raw.duration());
                tracks.sample(time, black_box(&mut plain));
            });
        });
    }
    let mut step = 0_u32;
    let mut random = move || {
        step = step.wrapping_add(0x9E37_79B9);
        step as f32 / u32::MAX as f32 * (TEST_CLIP_KEYS - 1) as f32 / 30.0
    };
    group.bench_function("seek/hedgerow", |bencher| {
        let mut player = looping(&clip);
        bencher.iter(|| {
            player.seek(random());
            player.sample(black_box(&mut pose)).expect("joints as many");
        });
    });
    group.bench_function("seek/search", |bencher| bencher.iter(|| tracks.sample(random(), black_box(&mut plain))));

    let mut clips = None;
    group.throughput(Throughput::Elements((THOUSAND * TEST_CLIP_JOINTS) as u64));
    group.bench_function("thousand/hedgerow", |bencher| {
        let clips: &Vec<Clip> =
            clips.get_or_insert_with(|| (0..THOUSAND).map(|number| compiled(0.01 * number as f32)).collect());
        let mut players: Vec<Player<&Clip>> = clips.iter().map(looping).collect();
        players.iter_mut().for_each(|player| player.seek(random()));
        bencher.iter(|| {
            for index in 0..THOUSAND {
                if let Some(ahead) = players.get(index + 4) {
                    ahead.prefetch();
                }
                players[index].advance(FRAME);
                players[index].sample(black_box(&mut pose)).expect("joints as many");
            }
        });
    });
    group.finish();
    criterion.final_summary();
}

fn compiled(phase: f32) -> Clip {
    ClipBuilder::new().build(&swaying(TEST_CLIP_JOINTS, TEST_CLIP_KEYS, phase)).expect("a sound clip").0
}

fn looping(clip: &Clip) -> Player<&Clip> {
    let mut player = Player::new(clip);
    player.set_playback(Playback::Loop);
    player
}
