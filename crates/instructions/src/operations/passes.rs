//! Updates.

use super::edits::move_to;
use crate::warm::{FEW, MANY, Warm};
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

pub(super) fn update_clean(times: u32) {
    let mut warm = Warm::new(MANY);
    for _ in 0..times {
        black_box(warm.pick());
        warm.scene.update();
    }
}
