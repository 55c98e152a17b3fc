//! A skeleton and a clip made in code: compiled, played forward, backward and by seeks, printed.
//!
//! ```text
//! cargo run -p hedgerow-anim --example play
//! ```

use hedgerow_anim::clip::JumpSpacing;
use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::player::Playback;
use hedgerow_anim::raw::{Reduction, Track};
use hedgerow_anim::{Clip, ClipBuilder, Error, Mat34, Player, Pose, RawClip, Skeleton, SkeletonBuilder, Transform};

/// Seconds.
const DURATION: f32 = 2.0;
const KEYS: u16 = 61;

/// A tail of four joints, half a metre each, on a body one metre above the ground.
fn skeleton() -> Result<Skeleton, Error> {
    let mut joints = SkeletonBuilder::new();
    let mut parent = joints.joint("body", None, Transform::from_xyz(0.0, 1.0, 0.0));
    for name in ["tail_1", "tail_2", "tail_3", "tail_4"] {
        parent = joints.joint(name, Some(parent), Transform::from_xyz(0.0, 0.0, 0.5));
    }
    // Joints may be given in any order; the map tells where each went.
    let (skeleton, _map) = joints.build()?;
    Ok(skeleton)
}

/// The clip as an author or an importer has it: keys at 30 a second, in which a wave goes along the tail.
fn wave(skeleton: &Skeleton) -> Result<RawClip, Error> {
    let times: Vec<f32> = (0..KEYS).map(|key| DURATION * f32::from(key) / f32::from(KEYS - 1)).collect();
    let mut clip = RawClip::new(DURATION, skeleton.len())?;
    for joint in 1..=4_u16 {
        let turn = |time: &f32| 0.4 * (core::f32::consts::TAU * time / DURATION - f32::from(joint)).sin();
        let rotations = times.iter().map(|time| Quat::from_rotation_y(turn(time))).collect();
        clip.set_rotation(joint, Track::linear(times.clone(), rotations)?)?;
    }
    // A number that is nobody's transform, for what listens to the clip.
    clip.add_channel("wag", Track::step(vec![0.0, 1.0], vec![0.0, 1.0])?)?;
    Ok(clip)
}

/// Where the tip of the tail is.
fn tip(skeleton: &Skeleton, pose: &Pose, models: &mut Vec<Mat34>) -> Result<Vec3, Error> {
    pose.to_models(skeleton, models)?;
    Ok(models.last().expect("a skeleton has a joint").transform_point(Vec3::new(0.0, 0.0, 0.5)))
}

fn main() -> Result<(), Error> {
    let skeleton = skeleton()?;
    let raw = wave(&skeleton)?;

    // Compiled: keys that no point within 10 cm of a joint misses by more than a centimetre are taken out.
    let builder = ClipBuilder::new().jump_frames(JumpSpacing::Seconds(0.5));
    let (clip, report) = builder.build_reduced(&raw, &skeleton, &Reduction::new(1e-2, 0.1))?;
    println!("{} keys as authored, {} kept, in {} bytes", raw.keys(), report.keys, report.bytes);
    assert!(report.keys < raw.keys() / 2);

    // The clip is its file.
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

    // However a player comes to a time, it shows the same bits.
    for &(time, place) in seen.iter().rev() {
        player.seek(time);
        player.sample(&mut pose)?;
        assert_eq!(tip(&skeleton, &pose, &mut models)?, place);
    }
    println!("the same by seeks, to the bit");
    Ok(())
}
