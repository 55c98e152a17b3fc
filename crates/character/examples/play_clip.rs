//! Plays a clip on nodes of the scene: from authored keys to moving nodes.
//!
//! A lamp on an arm of two joints swings. The clip is made in code; `gltf_draws` reads one from a file. Each joint has
//! a node in the scene, so nodes attached to joints move along and are drawn.
//!
//! ```text
//! cargo run --example play_clip
//! ```

use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Node, NodeHandle, Scene, Transform};
use hedgerow_anim::raw::Track;
use hedgerow_anim::{ClipBuilder, Player, Pose, RawClip, SkeletonBuilder};
use std::error::Error;
use std::f32::consts::FRAC_PI_2;

/// Frames per second.
const RATE: f32 = 20.0;

fn main() -> Result<(), Box<dyn Error>> {
    // The skeleton: a shoulder, and an elbow one metre below it.
    let mut joints = SkeletonBuilder::new();
    let shoulder = joints.joint("shoulder", None, Transform::from_xyz(0.0, 3.0, 0.0));
    joints.joint("elbow", Some(shoulder), Transform::from_xyz(0.0, -1.0, 0.0));
    let (skeleton, _) = joints.build()?;

    // The authored clip: in two seconds the shoulder turns forward and back, and the elbow bends to a right angle.
    let mut swing = RawClip::new(2.0, skeleton.len())?;
    let turned = |angle| Quat::from_rotation_z(angle);
    let there_and_back = vec![turned(0.0), turned(FRAC_PI_2), turned(0.0)];
    swing.set_rotation(0, Track::linear(vec![0.0, 1.0, 2.0], there_and_back)?)?;
    swing.set_rotation(1, Track::linear(vec![0.0, 2.0], vec![turned(0.0), turned(FRAC_PI_2)])?)?;

    // Compile once, for players to read.
    let (swing, report) = ClipBuilder::new().build(&swing)?;
    println!("{} keys in {} bytes", report.keys, report.bytes);

    // A node for each joint, and a lamp at the end.
    let mut scene = Scene::new();
    let mut nodes: Vec<NodeHandle> = Vec::new();
    for (joint, &parent) in (0_u16..).zip(skeleton.parents()) {
        // Parents come first, so their nodes exist.
        let parent = nodes.get(usize::from(parent)).copied().unwrap_or(scene.root());
        nodes.push(scene.insert(parent, Node::transform(skeleton.rest(joint)).with_name(skeleton.name(joint)))?);
    }
    let lamp = scene.insert(nodes[1], Node::transform(Transform::from_xyz(0.0, -1.0, 0.0)).with_name("lamp"))?;

    // Each frame samples the clip into the same pose, so `apply` writes only changes.
    let mut pose = Pose::rest(&skeleton);
    let mut player = Player::new(&swing);
    let mut lowest_and_highest = (f32::MAX, f32::MIN);
    for frame in 0..=40_u8 {
        player.seek(f32::from(frame) / RATE);
        player.sample(&mut pose)?;
        scene.set_locals((0_u16..).zip(&nodes).map(|(joint, &node)| (node, pose.get(joint))))?;
        scene.update();

        let at = scene.world(lamp).expect("the lamp hangs on the arm").translation();
        lowest_and_highest = (lowest_and_highest.0.min(at.y), lowest_and_highest.1.max(at.y));
        if frame % 10 == 0 {
            println!("{:.1} s: the lamp is at {at:.2}", player.time());
        }
    }

    // In the end the upper arm hangs down and the lower arm points forward.
    let at = scene.world(lamp).expect("the lamp hangs on the arm").translation();
    assert!((at - Vec3::new(1.0, 2.0, 0.0)).length() < 1e-2, "{at}");
    let (lowest, highest) = lowest_and_highest;
    assert!((lowest - 1.0).abs() < 0.05 && highest > 3.0, "from {lowest} to {highest}");
    Ok(())
}
