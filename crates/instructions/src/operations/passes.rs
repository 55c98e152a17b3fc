//! Updates and draw lists.

use super::edits::move_to;
use crate::warm::{FEW, MANY, Warm};
use hedgerow::checkpoints::Checkpoints;
use hedgerow::glam::DVec3;
use hedgerow::{DrawList, NodeMut, SceneConfig};
use std::hint::black_box;

/// Sets one of the last 64 nodes, which have few descendants, and updates.
pub(super) fn set_update(times: u32) {
    let mut warm = Warm::new(FEW);
    for turn in 0..times {
        let node = warm.nodes[warm.nodes.len() - 1 - warm.dice.below(64)];
        move_to(&mut warm.scene, node, turn);
        warm.scene.update();
    }
}

/// Sets a node, and saves a checkpoint, of which eight are kept.
pub(super) fn checkpoint(times: u32) {
    let mut warm = Warm::new(FEW);
    let mut checkpoints = Checkpoints::new(&mut warm.scene, 8).expect("there is memory");
    for turn in 0..times {
        let node = warm.pick();
        move_to(&mut warm.scene, node, turn);
        checkpoints.save(&mut warm.scene, u64::from(turn)).expect("a frame after the last");
        warm.scene.update();
    }
}

pub(super) fn update_clean(times: u32) {
    let mut warm = Warm::new(MANY);
    for _ in 0..times {
        black_box(warm.pick());
        warm.scene.update();
    }
}

pub(super) fn list_name(times: u32) {
    list(times, |node, turn| _ = node.set_name(if turn % 2 == 0 { "even" } else { "odd" }));
}

pub(super) fn list_material(times: u32) {
    list(times, |node, turn| _ = node.set_material(turn));
}

/// Edits a node, updates, and fills a list with an eye and with motion.
fn list(times: u32, edit: fn(&mut NodeMut<'_>, u32)) {
    let mut warm = Warm::of(SceneConfig { changes: true, ..SceneConfig::DEFAULT }, MANY, true);
    let mut list = DrawList::new().with_motion();
    list.set_eye(DVec3::ONE);
    for turn in 0..times {
        edit(&mut warm.scene.edit(warm.dice.pick(&warm.nodes)).expect("a live node"), turn);
        warm.scene.update();
        warm.scene.draw_list(&mut list);
    }
}
