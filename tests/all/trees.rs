//! Trees that many tests build on.

use hedgerow::{Aabb, Drawable, Layers, Node, NodeHandle, Scene, SceneConfig, Transform};

/// Slices of eight nodes, so that most edits reach other slices.
pub(crate) const APART: SceneConfig = SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT };

pub(crate) fn with(config: SceneConfig) -> Scene {
    Scene::with_config(config).unwrap()
}

pub(crate) fn group(scene: &mut Scene, place: impl Into<hedgerow::Place>) -> NodeHandle {
    scene.insert(place, Node::group()).unwrap()
}

pub(crate) fn groups(scene: &mut Scene, parent: NodeHandle, count: usize) -> Vec<NodeHandle> {
    (0..count).map(|_| group(scene, parent)).collect()
}

pub(crate) fn whole() -> Node<'static> {
    Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))
        .with_material(1)
        .with_drawable(Drawable::new(2, Aabb::cube(1.0)))
        .with_layers(Layers::ALL)
}

/// Whether a scene tracks changes, and whether it keeps boxes.
pub(crate) const MODES: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];
