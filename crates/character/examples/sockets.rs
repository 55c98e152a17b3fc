//! Nodes that follow joints: guards with torches, one of which is thrown away and passed on.
//!
//! A socket lets a node follow a joint of the character that is its parent. The poses are a few matrices made by hand;
//! in a game they come from clips (see `play_clip`). The nodes follow within the same update.
//!
//! ```text
//! cargo run --example sockets
//! ```

use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Keep, Mat34, Node, NodeHandle, Scene, Transform};
use hedgerow_character::Sockets;
use std::error::Error;

const GUARDS: u32 = 3;
/// Joints of the guards.
const BODY: u16 = 0;
const HAND: u16 = 1;

/// Returns the model matrices of a guard, from each joint to the guard's space.
fn pose(seconds: f32, guard: u32) -> [Mat34; 2] {
    let angle = 0.5 * (seconds * 3.0 + guard as f32).sin();
    let body = Transform::from_xyz(0.0, 1.0, 0.0);
    let hand = Transform::from_xyz(0.4, 1.4, 0.3).with_rotation(Quat::from_rotation_x(angle));
    [body.to_matrix(), hand.to_matrix()]
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut scene = Scene::new();
    let mut sockets = Sockets::new();
    let (mut guards, mut torches, mut flames) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..GUARDS {
        let guard = Node::transform(Transform::from_xyz(4.0 * number as f32, 0.0, 0.0)).with_name("guard");
        let guard = scene.insert(scene.root(), guard)?;
        let torch = scene.insert(guard, Node::transform(Transform::IDENTITY).with_name("torch"))?;
        // A child of the torch needs no socket.
        flames.push(scene.insert(torch, Node::transform(Transform::from_xyz(0.0, 0.5, 0.0)).with_name("flame"))?);
        // The torch follows the hand, held a little below its middle. `number` identifies the guard.
        sockets.insert(&scene, torch, number, HAND, Transform::from_xyz(0.0, 0.1, 0.0))?;
        guards.push(guard);
        torches.push(torch);
    }

    for frame in 0..3_u8 {
        follow(&mut sockets, &mut scene, f32::from(frame) * 0.25)?;
        let flame = |number: usize| at(&scene, flames[number]);
        println!("frame {frame}: flames at {:.2}, {:.2}, {:.2}", flame(0), flame(1), flame(2));
    }
    let expected = pose(0.5, 1)[usize::from(HAND)].transform_point(Vec3::new(0.0, 0.6, 0.0));
    assert!(
        (at(&scene, flames[1]) - (expected + 4.0 * Vec3::X)).length() < 1e-4,
        "joint, offset and torch, in that order"
    );

    // The first guard throws the torch away: the torch stays in place, and the socket ends.
    let before = at(&scene, torches[0]);
    scene.reparent(torches[0], scene.root(), Keep::World)?;
    assert_eq!(follow(&mut sockets, &mut scene, 0.75)?, [torches[0]], "the list names what no longer follows");
    assert!((at(&scene, torches[0]) - before).length() < 1e-4);

    // The second guard puts the torch in the belt: it is the same node, with another parent and another joint.
    scene.reparent(torches[0], guards[1], Keep::Local)?;
    sockets.insert(&scene, torches[0], 1, BODY, Transform::from_xyz(0.2, 0.0, 0.0))?;
    assert!(follow(&mut sockets, &mut scene, 1.0)?.is_empty());
    assert!((at(&scene, torches[0]) - Vec3::new(4.2, 1.0, 0.0)).length() < 1e-4);
    println!("the torch in the belt is at {:.2}", at(&scene, torches[0]));

    // The third guard leaves with torch and flame.
    scene.remove(guards[2])?;
    assert_eq!(follow(&mut sockets, &mut scene, 1.25)?, [torches[2]]);
    assert_eq!(sockets.len(), 2);
    Ok(())
}

/// Plays a frame: nodes follow joints, then the scene is updated. Returns the nodes whose sockets have ended.
fn follow(sockets: &mut Sockets, scene: &mut Scene, seconds: f32) -> Result<Vec<NodeHandle>, Box<dyn Error>> {
    let poses: Vec<[Mat34; 2]> = (0..GUARDS).map(|guard| pose(seconds, guard)).collect();
    // For an invisible guard, return `None`; the torch then keeps its place.
    let ended = sockets.follow_many(scene, |guard| poses.get(guard as usize).map(|pose| &pose[..]))?.to_vec();
    scene.update();
    Ok(ended)
}

fn at(scene: &Scene, node: NodeHandle) -> Vec3 {
    scene.world(node).expect("the node is in the scene").translation()
}
