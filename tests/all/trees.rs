//! What many tests build their trees of.

use hedgerow::visit::{Flow, SliceView};
use hedgerow::{Aabb, Node, NodeHandle, Place, Scene, SceneConfig, Shape, Transform, Visibility};

pub(crate) fn with(config: SceneConfig) -> Scene {
    Scene::with_config(config).unwrap()
}

pub(crate) fn group(scene: &mut Scene, place: impl Into<Place>) -> NodeHandle {
    scene.insert(place, Node::group()).unwrap()
}

pub(crate) fn groups(scene: &mut Scene, parent: NodeHandle, count: usize) -> Vec<NodeHandle> {
    (0..count).map(|_| group(scene, parent)).collect()
}

/// A node that has every component except a name.
pub(crate) fn whole() -> Node<'static> {
    Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))
        .with_material(1)
        .with_shape(Shape::new(2, Aabb::cube(1.0)))
        .with_visibility(Visibility::VISIBLE)
}

/// How many rows each slice of the tree has: of nodes, and of portals.
pub(crate) fn rows(scene: &Scene) -> Vec<usize> {
    let mut all = Vec::new();
    scene.visit_slices(&mut |slice: SliceView<'_>| {
        let rows = slice.rows();
        all.push(slice.nodes() + (0..rows.len()).filter(|&row| rows.is_portal(row)).count());
        Flow::Continue
    });
    all
}
