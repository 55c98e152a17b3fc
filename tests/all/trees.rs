//! What many tests build their trees of.

use hedgerow::{Aabb, Keep, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility};

/// Slices without a bound, which begin small and grow fast.
pub(crate) const UNBOUNDED: SceneConfig = SceneConfig {
    expansion_factor: 1.5,
    initial_slice_storage_size: 6,
    initial_slice_max_num_nodes: 12,
    max_nodes: 1 << 30,
    ..SceneConfig::DEFAULT
};

/// No slice is small: each child of the root has one, and keeps it wherever it is moved.
pub(crate) const APART: SceneConfig = SceneConfig { min_nodes: 0, ..SceneConfig::DEFAULT };

/// Moves a subtree below the root and back: where no slice is small, it has a slice of its own then.
pub(crate) fn isolate(scene: &mut Scene, node: NodeHandle) {
    let place = scene.place_of(node).unwrap();
    scene.reparent(node, scene.root(), Keep::Local).unwrap();
    scene.reparent(node, place, Keep::Local).unwrap();
}

pub(crate) fn with(config: SceneConfig) -> Scene {
    Scene::with_config(config).unwrap()
}

pub(crate) fn group(scene: &mut Scene, place: impl Into<hedgerow::Place>) -> NodeHandle {
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
