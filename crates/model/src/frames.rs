//! Frames of random edits, for what follows a scene from frame to frame.

use fastrand::Rng;
use hedgerow::{Aabb, Drawable, Keep, Layers, Node, NodeHandle, Place, Scene, Transform, ViewRange};

/// Returns a node with a transform and a drawable of mesh 1.
pub fn ball() -> Node<'static> {
    Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)).with_drawable(Drawable::new(1, Aabb::cube(1.0)))
}

/// Makes up to eleven random edits of these nodes, about 200 of which live. Meshes are 0 to 2, and materials 0 to 3.
pub fn edit(scene: &mut Scene, nodes: &mut Vec<NodeHandle>, dice: &mut Rng) {
    nodes.retain(|&node| scene.contains(node));
    for _ in 0..dice.usize(..12) {
        let (node, other) = (nodes[dice.usize(..nodes.len())], nodes[dice.usize(..nodes.len())]);
        if !scene.contains(node) || !scene.contains(other) {
            continue;
        }
        let mut edited = scene.edit(node).unwrap();
        match dice.u32(..16) {
            0..4 => _ = edited.set_local(Transform::from_xyz(dice.f32(), dice.f32(), 0.0)).unwrap(),
            4 => _ = edited.set_material(dice.u32(..4)),
            5 => _ = edited.set_layers(Layers::new(dice.u32(..4))),
            6 => _ = edited.set_user_data(dice.u32(..3)),
            7 => _ = edited.set_view_range(dice.bool().then(|| ViewRange::new(0.0, 1.0 + dice.f32()).unwrap())),
            8 => _ = edited.set_drawable(Drawable::new(dice.u32(..3), Aabb::cube(dice.f32()))).unwrap(),
            9 => _ = edited.set_drawable(None).unwrap(),
            // Some of these are circles, which are refused.
            10 => _ = scene.reparent(node, other, if dice.bool() { Keep::World } else { Keep::Local }),
            11 if nodes.len() > 200 => _ = scene.remove(node).unwrap(),
            12 => _ = scene.reparent(node, Place::Detached, Keep::Local),
            13 => nodes.push(scene.insert(node, Node::drawable(Drawable::new(2, Aabb::cube(1.0)))).unwrap()),
            _ => nodes.push(scene.insert(if dice.bool() { node } else { scene.root() }, ball()).unwrap()),
        }
    }
}
