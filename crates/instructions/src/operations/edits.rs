//! Edits of one node, without an update.

use crate::warm::{FEW, Warm, drawable};
use hedgerow::edit::EditQueue;
use hedgerow::{Keep, Node, NodeHandle, Scene, Transform};
use std::hint::black_box;

pub(super) fn set_local(times: u32) {
    set(Warm::new(FEW), times);
}

pub(super) fn modify_local(times: u32) {
    let mut warm = Warm::new(FEW);
    for turn in 0..times {
        let node = warm.pick();
        warm.scene.modify_local(node, |local| local.translation.x = turn as f32).expect("a node with a transform");
    }
}

pub(super) fn set_local_changes(times: u32) {
    set(Warm::with_changes(FEW), times);
}

pub(super) fn set_local_bounds(times: u32) {
    set(Warm::with_bounds(FEW), times);
}

pub(super) fn insert_remove(times: u32) {
    come_and_go(Warm::new(FEW), times, transform);
}

pub(super) fn insert_remove_drawable(times: u32) {
    come_and_go(Warm::new(FEW), times, || Node::drawable(drawable()));
}

pub(super) fn insert_remove_full(times: u32) {
    come_and_go(Warm::new(FEW), times, || transform().with_drawable(drawable()).with_material(3));
}

/// Inserts by a queue.
pub(super) fn queue_drawable(times: u32) {
    let mut warm = Warm::new(FEW);
    let mut queue = EditQueue::new();
    for _ in 0..times {
        let ticket = queue.insert(warm.pick(), Node::drawable(drawable()));
        queue.apply(&mut warm.scene);
        let inserted = queue.inserted(ticket).expect("there is room");
        warm.scene.remove(inserted).expect("a node that was just inserted");
    }
}

pub(super) fn insert_remove_changes(times: u32) {
    come_and_go(Warm::with_changes(FEW), times, transform);
}

pub(super) fn insert_remove_bounds(times: u32) {
    come_and_go(Warm::with_bounds(FEW), times, transform);
}

pub(super) fn insert_remove_drawable_bounds(times: u32) {
    come_and_go(Warm::with_bounds(FEW), times, || Node::drawable(drawable()));
}

pub(super) fn reparent_leaf(times: u32) {
    reparent(Warm::new(FEW), times, transform());
}

pub(super) fn reparent_leaf_changes(times: u32) {
    reparent(Warm::with_changes(FEW), times, transform());
}

pub(super) fn reparent_leaf_bounds(times: u32) {
    reparent(Warm::with_bounds(FEW), times, transform());
}

pub(super) fn set_world(times: u32) {
    let mut warm = Warm::new(FEW);
    let leaves = warm.leaves(transform());
    for turn in 0..times {
        let world = black_box(Transform::from_xyz(turn as f32, 0.0, 0.0));
        warm.scene.set_world(warm.dice.pick(&leaves), world).expect("a node with a transform");
    }
}

pub(super) fn set_anchored(times: u32) {
    let mut warm = Warm::new(FEW);
    let leaves = warm.leaves(transform().anchored());
    for turn in 0..times {
        move_to(&mut warm.scene, warm.dice.pick(&leaves), turn);
    }
}

pub(super) fn material(times: u32) {
    let mut warm = Warm::new(FEW);
    let leaves = warm.leaves(Node::material(1));
    for turn in 0..times {
        let leaf = warm.dice.pick(&leaves);
        warm.scene.edit(leaf).expect("a live node").set_material(turn);
    }
}

/// Sets the local transform of a node to a value that the compiler cannot know.
#[inline(always)]
pub(super) fn move_to(scene: &mut Scene, node: NodeHandle, x: u32) {
    let local = black_box(Transform::from_xyz(x as f32, 0.0, 0.0));
    scene.set_local(node, local).expect("a node with a transform");
}

fn transform() -> Node<'static> {
    Node::transform(Transform::IDENTITY)
}

fn set(mut warm: Warm, times: u32) {
    for turn in 0..times {
        let node = warm.pick();
        move_to(&mut warm.scene, node, turn);
    }
}

fn come_and_go(mut warm: Warm, times: u32, node: impl Fn() -> Node<'static>) {
    for _ in 0..times {
        let parent = warm.pick();
        let inserted = warm.scene.insert(parent, node()).expect("there is room");
        warm.scene.remove(inserted).expect("a node that was just inserted");
    }
}

fn reparent(mut warm: Warm, times: u32, leaf: Node<'_>) {
    let leaves = warm.leaves(leaf);
    for _ in 0..times {
        let leaf = warm.dice.pick(&leaves);
        let to = warm.pick();
        warm.scene.reparent(leaf, to, Keep::Local).expect("a leaf, and a node that is none of them");
    }
}
