//! Replication: a tenth of the nodes is set, and the local transforms of a replica follow. Hash maps with random keys
//! change the counts by about 0.1 %.

use crate::warm::{FEW, Warm};
use hedgerow::changes::ChangeReader;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::patch::{Instance, Patch, Recorder};
use hedgerow::{Local, NodeHandle, Scene, Transform};
use std::collections::HashMap;

/// The number of nodes set in each repetition.
pub(super) const SET: u32 = FEW / 10;

/// Uses a patch. The patch's bytes are checked, and a replica in another state refuses the patch.
pub(super) fn patches(times: u32) {
    let mut warm = Warm::with_changes(FEW);
    let root = warm.scene.root();
    let mut recorder = Instance::of(&warm.scene, root).and_then(|all| Recorder::new(&warm.scene, all)).expect("a tree");
    let mut scene = Scene::new();
    let below = scene.root();
    let mut replica = Instance::insert_below(&mut scene, below, &recorder.tree()).expect("a tree");
    for turn in 0..times {
        set(&mut warm, turn);
        let packet = recorder.read(&warm.scene).expect("ids are left").to_bytes();
        let patch = Patch::from_bytes(&packet).expect("bytes of a patch");
        patch.apply(&mut scene, &mut replica).expect("a replica that follows");
    }
}

/// Uses unchecked bytes of handles and transforms, and a hash map of the replica's handles.
pub(super) fn by_hand(times: u32) {
    let mut warm = Warm::with_changes(FEW);
    let mut scene = Scene::new();
    let tree = warm.scene.tree(warm.scene.root()).expect("a tree");
    let copies = scene.insert_tree(scene.root(), &tree).expect("there is room");
    let nodes = warm.scene.get(warm.scene.root()).expect("it lives").descendants();
    let handles: HashMap<u64, NodeHandle> = nodes.map(|node| node.handle().to_bits()).zip(copies).collect();
    let mut reader = ChangeReader::default();
    warm.scene.changes(&mut reader).expect("it tracks changes");
    for turn in 0..times {
        set(&mut warm, turn);
        let mut packet = Vec::new();
        for &node in warm.scene.changes(&mut reader).expect("it tracks changes").locals() {
            let Some(Local::Transform(local)) = warm.scene.local(node) else { continue };
            packet.extend(node.to_bits().to_le_bytes());
            let (rotation, translation, scale) = (local.rotation.to_array(), local.translation, local.scale);
            let numbers = rotation.into_iter().chain(translation.to_array()).chain(scale.to_array());
            packet.extend(numbers.flat_map(f32::to_le_bytes));
        }
        for entry in packet.as_chunks::<48>().0 {
            let (id, numbers) = entry.split_first_chunk().expect("48 bytes");
            let mut numbers = numbers.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
            let [a, b, c, d, e, f, g, h, i, j] = std::array::from_fn(|_| numbers.next().unwrap_or_default());
            let rotation = Quat::from_xyzw(a, b, c, d);
            let transform = Transform { rotation, translation: Vec3::new(e, f, g), scale: Vec3::new(h, i, j) };
            scene.set_local(handles[&u64::from_le_bytes(*id)], transform).expect("a node of the replica");
        }
    }
}

fn set(warm: &mut Warm, turn: u32) {
    for _ in 0..SET {
        let node = warm.pick();
        warm.scene.set_local(node, Transform::from_xyz(turn as f32, 3.0, 4.0)).expect("a node with a transform");
    }
    warm.scene.update();
}
