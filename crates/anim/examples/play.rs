//! A skeleton and a clip made in code, compiled, and played forward and by seeks.
//!
//! ```text
//! cargo run -p hedgerow-anim --example play
//! ```

use hedgerow_anim::clip::JumpSpacing;
use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::player::Playback;
use hedgerow_anim::raw::{Reduction, Track};
use hedgerow_anim::{Clip, ClipBuilder, Error, Mat34, Player, Pose, RawClip, Skeleton, SkeletonBuilder, Transform};

/// The duration of the clip, in seconds.
const DURATION: f32 = 2.0;
const KEYS: u16 = 61;

/// Returns a body one metre above the ground, with a tail of four joints of half a metre each.
fn skeleton() -> Result<Skeleton, Error> {
    let mut joints = SkeletonBuilder::new();
    let mut parent = joints.joint("body", None, Transform::from_xyz(0.0, 1.0, 0.0));
    for name in ["tail_1", "tail_2", "tail_3", "tail_4"] {
        parent = joints.joint(name, Some(parent), Transform::from_xyz(0.0, 0.0, 0.5));
    }
    // Joints may be added in any order. The map has the final number of each joint.
    let (skeleton, _map) = joints.build()?;
    Ok(skeleton)
}

/// Returns a clip as authored: 30 keys per second of a wave along the tail.
fn wave(skeleton: &Skeleton) -> Result<RawClip, Error> {
    let times: Vec<f32> = (0..KEYS).map(|key| DURATION * f32::from(key) / f32::from(KEYS - 1)).collect();
    let mut clip = RawClip::new(DURATION, skeleton.len())?;
    for joint in 1..=4_u16 {
        let turn = |time: &f32| 0.4 * (core::f32::consts::TAU * time / DURATION - f32::from(joint)).sin();
        let rotations = times.iter().map(|time| Quat::from_rotation_y(turn(time))).collect();
        clip.set_rotation(joint, Track::linear(times.clone(), rotations)?)?;
    }
    // A channel: a number over time that belongs to no joint.
    clip.add_channel("wag", Track::step(vec![0.0, 1.0], vec![0.0, 1.0])?)?;
    Ok(clip)
}

/// Returns the position of the tail's tip.
fn tip(skeleton: &Skeleton, pose: &Pose, models: &mut Vec<Mat34>) -> Result<Vec3, Error> {
    pose.to_models(skeleton, models)?;
    Ok(models.last().expect("a skeleton has a joint").transform_point(Vec3::new(0.0, 0.0, 0.5)))
}

fn main() -> Result<(), Error> {
    let skeleton = skeleton()?;
    let raw = wave(&skeleton)?;

    // Remove keys as long as points within 10 cm of a joint move by less than a centimetre; then compile.
    let builder = ClipBuilder::new().jump_frames(JumpSpacing::Seconds(0.5));
    let (clip, report) = builder.build_reduced(&raw, &skeleton, &Reduction::new(1e-2, 0.1))?;
    println!("{} keys as authored, {} kept, in {} bytes", raw.keys(), report.keys, report.bytes);
    assert!(report.keys < raw.keys() / 2);

    // A clip's bytes are its file.
    let clip: Clip = Clip::from_bytes(clip.to_bytes().to_vec())?;

    let mut player = Player::new(&clip);
    player.set_playback(Playback::Loop);
    let mut pose = Pose::rest(&skeleton);
    let mut channels = vec![0.0; clip.channels()];
    let wag = clip.find_channel("wag").expect("the clip has this channel");

    let (mut models, mut exact, mut seen) = (Vec::new(), Pose::rest(&skeleton), Vec::new());
    for frame in 0..6_u8 {
        player.sample(&mut pose)?;
        player.sample_channels(&mut channels)?;
        let place = tip(&skeleton, &pose, &mut models)?;
        println!("{:.2} s: the tip is at {place:.3}, wag is {}", player.time(), channels[wag]);

        raw.sample(player.time(), &mut exact)?;
        let error = tip(&skeleton, &exact, &mut models)?.distance(place);
        assert!(error < 2e-2, "frame {frame} is {error} m off");
        seen.push((player.time(), place));
        player.advance(0.3);
    }

    // At the same time, a player shows the same bits, by any way.
    for &(time, place) in seen.iter().rev() {
        player.seek(time);
        player.sample(&mut pose)?;
        assert_eq!(tip(&skeleton, &pose, &mut models)?, place);
    }
    println!("the same by seeks, to the bit");
    Ok(())
}
