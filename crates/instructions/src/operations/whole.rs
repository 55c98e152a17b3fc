//! Operations on many nodes at once.

use crate::dice::Dice;
use crate::warm::{MANY, Warm, build_scene};
use hedgerow::{Node, SceneConfig, Transform};
use std::hint::black_box;

pub(super) fn batch(times: u32) {
    let mut warm = Warm::new(MANY);
    let mut items = Vec::new();
    let mut inserted = Vec::new();
    for _ in 0..times {
        items.clear();
        items.extend((0..1_000).map(|_| (warm.dice.pick(&warm.nodes), Node::transform(Transform::IDENTITY))));
        inserted.clear();
        warm.scene.insert_many(&items, &mut inserted).expect("there is room");
        warm.scene.remove_many(&inserted).expect("nodes that were just inserted");
    }
}

/// The end of each scene is counted with it.
pub(super) fn build(times: u32) {
    for _ in 0..times {
        black_box(build_scene(SceneConfig::DEFAULT, MANY, false, &mut Dice::new()));
    }
}
