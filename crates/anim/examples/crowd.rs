//! Many instances of one skeleton: each with a pose of its own, posed and turned into palettes sixteen at a time.
//!
//! ```text
//! cargo run --release -p hedgerow-anim --example crowd
//! ```

use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::raw::Track;
use hedgerow_anim::{ClipBuilder, Crowd, Error, Mat34, Player, Pose, RawClip, SkeletonBuilder, Transform};
use std::collections::HashMap;
use std::time::Instant;

const INSTANCES: u16 = 1000;
const FRAMES: u16 = 60;
/// A column of so many joints, each a tenth of a metre above the one before.
const JOINTS: u16 = 40;

fn main() -> Result<(), Error> {
    let mut joints = SkeletonBuilder::new();
    for joint in 0..JOINTS {
        // The inverse bind matrix leads from the space in which the mesh is modelled to the joint's.
        let height = 0.1 * f32::from(joint);
        let rest = Transform::from_xyz(0.0, if joint == 0 { 0.0 } else { 0.1 }, 0.0);
        let inverse_bind = Transform::from_xyz(0.0, -height, 0.0).to_matrix();
        joints.joint(format!("joint_{joint}"), joint.checked_sub(1).map(usize::from), rest, inverse_bind);
    }
    let (skeleton, _) = joints.build()?;

    // All joints bend to one side and back in a second.
    let mut bend = RawClip::new(1.0, skeleton.len())?;
    for joint in 0..JOINTS {
        let keys = [0.0, 0.03, 0.0].map(Quat::from_rotation_z).to_vec();
        bend.set_rotation(joint, Track::linear(vec![0.0, 0.5, 1.0], keys)?)?;
    }
    let (bend, _) = ClipBuilder::new().build(&bend)?;

    // Each instance has a player at a time of its own, found by the instance's handle.
    let mut crowd = Crowd::new(&skeleton);
    let rest = Pose::rest(&skeleton);
    let mut players = HashMap::new();
    for number in 0..INSTANCES {
        let mut player = Player::new(&bend);
        player.seek(f32::from(number) / f32::from(INSTANCES));
        players.insert(crowd.insert(&rest)?, player);
    }

    // Each frame: poses from players, then palettes, which are used while they are in the cache.
    let (mut room, mut lowest, mut highest) = (Vec::new(), f32::MAX, f32::MIN);
    let top = Vec3::new(0.0, 0.1 * f32::from(JOINTS), 0.0);
    let start = Instant::now();
    for _ in 0..FRAMES {
        crowd.change_poses(|instance, pose| {
            let player = players.get_mut(&instance).expect("each instance has a player");
            player.advance(1.0 / 60.0);
            player.sample(pose).expect("the clip has the joints of the skeleton");
        });
        crowd.each_palette(&mut room, |_, palette| {
            // A renderer would skin or upload here. This only looks where the tops are.
            let height = palette[usize::from(JOINTS - 1)].transform_point(top).y;
            (lowest, highest) = (lowest.min(height), highest.max(height));
        });
    }
    let each = start.elapsed().as_secs_f64() * 1e9 / f64::from(FRAMES) / f64::from(INSTANCES) / f64::from(JOINTS);
    println!("{INSTANCES} instances of {JOINTS} joints: {each:.1} ns a joint and frame, played and posed");
    println!("tops between {lowest:.2} and {highest:.2} metres");
    assert!((highest - top.y).abs() < 1e-2 && lowest < top.y - 0.5);

    // All palettes in one array, as an upload takes them; removing an instance moves the last one to its place.
    let last = crowd.instances().last().expect("there are instances");
    let first = crowd.instances().next().expect("there are instances");
    crowd.remove(first)?;
    let mut palettes: Vec<Mat34> = Vec::new();
    crowd.palettes(&mut palettes);
    assert_eq!(palettes.len(), usize::from(INSTANCES - 1) * usize::from(JOINTS));
    assert_eq!(crowd.range(last), Some(0..usize::from(JOINTS)));
    assert!(!crowd.contains(first));
    Ok(())
}
