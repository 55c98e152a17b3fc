//! Operations on many nodes at once.

use crate::dice::Dice;
use crate::warm::{MANY, Warm, build_scene};
use hedgerow::{Node, SceneConfig, Transform};
use std::hint::black_box;

pub(super) fn batch(times: u32) {
    let mut warm = Warm::new(MANY);
    let mut inserted = Vec::new();
    for _ in 0..times {
        inserted.clear();
        for _ in 0..1_000 {
            let node = warm.scene.insert(warm.dice.pick(&warm.nodes), Node::transform(Transform::IDENTITY));
            inserted.push(node.expect("there is room"));
        }
        warm.scene.remove_many(&inserted).expect("nodes that were just inserted");
    }
}

/// Builds a scene; dropping it is counted, too.
pub(super) fn build(times: u32) {
    for _ in 0..times {
        black_box(build_scene(SceneConfig::DEFAULT, MANY, false, &mut Dice::new()));
    }
}
