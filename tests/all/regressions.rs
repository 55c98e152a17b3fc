//! Past defects.

mod world;

use hedgerow::glam::{EulerRot, Quat};
use hedgerow::{Aabb, DrawList, Drawable, Layers, Mat34, Node, NodeHandle, Scene, Transform};
use std::collections::HashMap;

pub(crate) type Bits = [[u32; 4]; 3];

fn bits(matrix: &Mat34) -> Bits {
    matrix.rows.map(|row| row.map(f32::to_bits))
}

pub(crate) fn turned(x: f32, angle: f32) -> Transform {
    Transform::from_xyz(x, 0.5, -x).with_rotation(Quat::from_euler(EulerRot::YXZ, angle, 0.3, -0.2))
}

pub(crate) fn whole(number: u32) -> Node<'static> {
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let angle = number as f32;
    Node::transform(turned(1.0, angle))
        .with_material(number)
        .with_drawable(Drawable::new(number, Aabb::cube(1.0)))
        .with_layers(Layers::ALL)
}

pub(crate) fn drawn(mesh: u32) -> Node<'static> {
    Node::drawable(Drawable::new(mesh, Aabb::cube(1.0)))
}

pub(crate) fn all_nodes(scene: &Scene) -> Vec<NodeHandle> {
    scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).collect()
}

/// Returns what is drawn, by node.
pub(crate) fn draws(scene: &Scene) -> HashMap<NodeHandle, (u32, Option<u32>, bool, Bits)> {
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    let drawn = list.commands().iter().zip(list.matrices());
    let by_node: HashMap<_, _> = drawn
        .map(|(command, matrix)| {
            (command.node, (command.mesh, command.material(), command.is_mirrored(), bits(matrix)))
        })
        .collect();
    assert_eq!(by_node.len(), list.len(), "no node is drawn twice");
    by_node
}
