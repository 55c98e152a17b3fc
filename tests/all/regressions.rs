//! Past defects.

mod slices_below;
mod visited;
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

/// Builds a new scene with the same tree. Returns it, and a map from the nodes of `scene` to its nodes.
fn rebuilt(scene: &Scene) -> (Scene, HashMap<NodeHandle, NodeHandle>) {
    let mut again = Scene::new();
    let mut counterparts = HashMap::from([(scene.root(), again.root())]);
    for node in scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).skip(1) {
        let parent = counterparts[&scene.parent(node).unwrap()];
        counterparts.insert(node, again.insert(parent, scene.get(node).unwrap().node()).unwrap());
    }
    let root = scene.get(scene.root()).unwrap().node();
    if let Some(local) = root.local.and_then(|local| local.transform()) {
        again.set_local(again.root(), local).unwrap();
    }
    if let Some(material) = root.material {
        again.edit(again.root()).unwrap().set_material(material);
    }
    if let Some(layers) = root.layers {
        again.edit(again.root()).unwrap().set_layers(layers);
    }
    again.update();
    (again, counterparts)
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

/// Updates a scene, and compares the result with the expected one.
fn check_update(scene: &mut Scene, after: &str) {
    scene.update();
    scene.validate().unwrap();
    let (again, counterparts) = rebuilt(scene);
    for node in all_nodes(scene) {
        let (world, fresh) = (scene.world(node).unwrap(), scene.get(node).unwrap().fresh_world());
        assert_eq!(bits(world), bits(&fresh), "{node:?} after {after}");
        assert_eq!(bits(world), bits(again.world(counterparts[&node]).unwrap()), "{node:?} after {after}");
    }
    let (shown, mut expected) = (draws(scene), draws(&again));
    assert_eq!(shown.len(), expected.len(), "after {after}");
    for (node, draw) in shown {
        assert_eq!(Some(draw), expected.remove(&counterparts[&node]), "{node:?} after {after}");
    }
}
