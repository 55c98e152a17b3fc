//! Updates and draw lists.

use super::edits::move_to;
use crate::dice::Dice;
use crate::warm::{FEW, MANY, Warm};
use hedgerow::checkpoints::Checkpoints;
use hedgerow::glam::DVec3;
use hedgerow::query::{BoxIndex, Filter, Sphere};
use hedgerow::{Aabb, DrawList, Drawable, Node, NodeMut, Scene, SceneConfig, Transform};
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

/// Sorts the boxes of units in random places, and finds neighbours.
pub(super) fn index(times: u32) {
    let mut dice = Dice::new();
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).expect("a valid size");
    let mut place = || [0; 3].map(|_| dice.below(1000) as f32).into();
    for _ in 0..MANY {
        let unit = Node::transform(Transform::from_translation(place()));
        scene.insert(scene.root(), unit.with_drawable(Drawable::new(1, Aabb::cube(1.0)))).expect("a live parent");
    }
    scene.update();
    let (mut index, mut found) = (BoxIndex::new(), Vec::new());
    for _ in 0..times {
        index.fill(&scene, Filter::ALL).expect("boxes are kept");
        for _ in 0..500 {
            index.query(&Sphere::new(place(), 50.0).expect("a finite sphere"), &mut found).expect("a valid volume");
        }
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
