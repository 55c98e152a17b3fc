//! Many instances of one skeleton, posed and turned into palettes sixteen at a time.
//!
//! ```text
//! cargo run --release -p hedgerow-anim --example crowd                     # on one thread
//! cargo run --release -p hedgerow-anim --features rayon --example crowd    # on all
//! ```

use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::raw::Track;
use hedgerow_anim::{ClipBuilder, Crowd, Error, Mat34, Player, Pose, RawClip, SkeletonBuilder, Skin, Transform};
use std::time::Instant;

const INSTANCES: u16 = 1000;
const FRAMES: u16 = 60;
/// The number of joints in a column. Each joint is a tenth of a metre above its parent.
const JOINTS: u16 = 40;

fn main() -> Result<(), Error> {
    let mut joints = SkeletonBuilder::new();
    for joint in 0..JOINTS {
        let rest = Transform::from_xyz(0.0, if joint == 0 { 0.0 } else { 0.1 }, 0.0);
        joints.joint(format!("joint_{joint}"), joint.checked_sub(1), rest);
    }
    let (skeleton, _) = joints.build()?;
    // The skin of a mesh around the column at rest.
    let skin = Skin::at_rest(&skeleton)?;

    // All joints bend to one side and back within a second.
    let mut bend = RawClip::new(1.0, skeleton.len())?;
    for joint in 0..JOINTS {
        let keys = [0.0, 0.03, 0.0].map(Quat::from_rotation_z).to_vec();
        bend.set_rotation(joint, Track::linear(vec![0.0, 0.5, 1.0], keys)?)?;
    }
    let (bend, _) = ClipBuilder::new().build(&bend)?;

    // One player for each instance, in the crowd's order, each at another time.
    let mut crowd = Crowd::new(&skeleton);
    let rest = Pose::rest(&skeleton);
    let mut players = Vec::new();
    for number in 0..INSTANCES {
        let mut player = Player::new(&bend);
        player.seek(f32::from(number) / f32::from(INSTANCES));
        crowd.insert(&rest)?;
        players.push(player);
    }

    // Each frame: sample poses, then compute palettes and use them while they are in the cache.
    let (mut room, mut heights) = (Vec::new(), vec![0.0; crowd.len()]);
    let (mut lowest, mut highest) = (f32::MAX, f32::MIN);
    let top = Vec3::new(0.0, 0.1 * f32::from(JOINTS), 0.0);
    let start = Instant::now();
    for _ in 0..FRAMES {
        crowd.par_change_poses(&mut players, |_, player, pose| -> Result<(), Error> {
            player.advance(1.0 / 60.0);
            player.sample(pose)
        })?;
        crowd.par_each_palette(&skin, &mut heights, &mut room, |_, height, palette| -> Result<(), Error> {
            // A renderer would skin or upload here. This example only measures the tops.
            *height = palette[usize::from(JOINTS - 1)].transform_point(top).y;
            Ok(())
        })?;
        lowest = heights.iter().copied().fold(lowest, f32::min);
        highest = heights.iter().copied().fold(highest, f32::max);
    }
    let each = start.elapsed().as_secs_f64() * 1e9 / f64::from(FRAMES) / f64::from(INSTANCES) / f64::from(JOINTS);
    println!("{INSTANCES} instances of {JOINTS} joints: {each:.1} ns a joint and frame, played and posed");
    println!("tops between {lowest:.2} and {highest:.2} metres");
    assert!((highest - top.y).abs() < 1e-2 && lowest < top.y - 0.5);

    // All palettes in one array, ready for an upload. Removing an instance moves the last instance to its place.
    let last = crowd.instances().last().expect("there are instances");
    let first = crowd.instances().next().expect("there are instances");
    crowd.remove(first)?;
    let mut palettes: Vec<Mat34> = Vec::new();
    players.swap_remove(0);
    crowd.palettes(&skin, &mut palettes)?;
    assert_eq!(palettes.len(), players.len() * skin.len());
    assert_eq!(crowd.palette_range(last, &skin), Some(0..skin.len()));
    assert!(!crowd.contains(first));
    Ok(())
}
