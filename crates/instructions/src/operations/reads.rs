//! Reads of one node.

use crate::warm::{FEW, Warm};
use std::hint::black_box;

pub(super) fn nothing(times: u32) {
    let mut warm = Warm::new(FEW);
    for _ in 0..times {
        black_box(warm.pick());
    }
}

pub(super) fn world(times: u32) {
    let mut warm = Warm::new(FEW);
    let mut sum = 0.0;
    for _ in 0..times {
        let node = warm.pick();
        sum += warm.scene.world(node).expect("a live node").translation().x;
    }
    black_box(sum);
}

pub(super) fn parent(times: u32) {
    let mut warm = Warm::new(FEW);
    for _ in 0..times {
        let node = warm.pick();
        black_box(warm.scene.parent(node));
    }
}
