//! Operations on many nodes at once.

use crate::dice::Dice;
use crate::warm::{MANY, Warm, build_scene};
use hedgerow::edit::{Change, Edit, EditQueue};
use hedgerow::{Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
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

/// The number of leaves that a frame edits, all over the tree.
pub(super) const SCATTERED: u32 = MANY / 100;

/// Returns an updated scene, its leaves, and its other nodes.
fn leaves_and_parents() -> (Scene, Vec<NodeHandle>, Vec<NodeHandle>) {
    let Warm { scene, nodes, .. } = Warm::new(MANY);
    let is_leaf = |&node: &NodeHandle| scene.get(node).is_some_and(|node| node.children().next().is_none());
    let (leaves, parents) = nodes.into_iter().partition(is_leaf);
    (scene, leaves, parents)
}

pub(super) fn frame_moves(times: u32) {
    let (mut scene, leaves, parents) = leaves_and_parents();
    let mut dice = Dice::new();
    for _ in 0..times {
        for _ in 0..SCATTERED {
            let (leaf, parent) = (dice.pick(&leaves), dice.pick(&parents));
            scene.reparent(leaf, parent, Keep::Local).expect("a leaf below another node");
        }
        scene.update();
    }
}

pub(super) fn frame_inserts(times: u32) {
    let (mut scene, mut leaves, parents) = leaves_and_parents();
    let mut dice = Dice::new();
    for _ in 0..times {
        for _ in 0..SCATTERED {
            let at = dice.below(leaves.len());
            scene.remove(leaves[at]).expect("a live leaf");
            let leaf = scene.insert(dice.pick(&parents), Node::transform(Transform::IDENTITY));
            leaves[at] = leaf.expect("there is room");
        }
        scene.update();
    }
}

/// Builds a scene; dropping it is counted, too.
pub(super) fn build(times: u32) {
    for _ in 0..times {
        black_box(build_scene(SceneConfig::DEFAULT, MANY, false, &mut Dice::new()));
    }
}

/// The length of a chain.
pub(super) const CHAIN: u32 = 4_096;

/// Returns a scene with a chain, from the top down.
fn chain(place: impl FnOnce(&Scene) -> Place) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::new();
    let mut place = place(&scene);
    let nodes = (0..CHAIN).map(|_| {
        let node = scene.insert(place, Node::transform(Transform::IDENTITY)).expect("there is room");
        place = node.into();
        node
    });
    let nodes = nodes.collect();
    (scene, nodes)
}

pub(super) fn set_worlds(times: u32) {
    let (mut scene, nodes) = chain(|scene| scene.root().into());
    let mut leaf =
        || scene.insert(nodes[nodes.len() - 1], Node::transform(Transform::IDENTITY)).expect("there is room");
    let mut items: Vec<_> = (0..64).map(|_| (leaf(), Transform::IDENTITY)).collect();
    for turn in 0..times {
        items.iter_mut().for_each(|(_, world)| world.translation.x = turn as f32);
        scene.set_worlds(black_box(&items)).expect("nodes with transforms");
    }
}

pub(super) fn apply_all_detached(times: u32) {
    let (mut scene, nodes) = chain(|_| Place::Detached);
    let mut queue = EditQueue::new();
    for turn in 0..times {
        let gone = scene.insert(scene.root(), Node::group()).expect("there is room");
        queue.push(Edit::remove(gone));
        nodes.iter().for_each(|&node| queue.push(Edit::change(node, Change::UserData(turn))));
        queue.apply_all(&mut scene).expect("live nodes");
    }
}
