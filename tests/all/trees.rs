//! Trees that many tests build on.

use hedgerow::edit::{EditQueue, Outcome};
use hedgerow::{Aabb, Drawable, Keep, Layers, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree};

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

/// A way to add two nodes below a parent, one below the other. Returns the upper one.
pub(crate) type Make = fn(&mut Scene, NodeHandle) -> NodeHandle;

pub(crate) const WAYS: [(&str, Make); 7] = [
    ("inserts", |scene, parent| {
        let top = scene.insert(parent, whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        top
    }),
    ("a queue", |scene, parent| {
        let mut queue = EditQueue::new();
        let top = queue.insert(parent, whole());
        queue.insert(top, whole());
        match queue.apply(scene)[0] {
            Ok(Outcome::Inserted(node)) => node,
            ref other => panic!("{other:?}"),
        }
    }),
    ("a tree", |scene, parent| {
        let mut tree = Tree::new();
        let top = tree.push(None, whole());
        tree.push(Some(top), whole());
        scene.insert_tree(parent, &tree).unwrap()[0]
    }),
    ("a copy", |scene, parent| {
        let top = scene.insert(parent, whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        let tree = scene.tree(top).unwrap();
        let copy = scene.insert_tree(parent, &tree).unwrap()[0];
        scene.remove(top).unwrap();
        copy
    }),
    ("attached ones", |scene, parent| {
        let top = scene.insert(Place::Detached, whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        scene.reparent(top, parent, Keep::Local).unwrap();
        top
    }),
    ("moved ones", |scene, parent| {
        let top = scene.insert(scene.root(), whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        scene.reparent(top, parent, Keep::Local).unwrap();
        top
    }),
    ("a tree that was read", |scene, parent| {
        let mut other = Scene::new();
        let top = other.insert(other.root(), whole()).unwrap();
        other.insert(top, whole()).unwrap();
        let read = Tree::from_bytes(&other.tree(top).unwrap().to_bytes()).unwrap();
        scene.insert_tree(parent, &read).unwrap()[0]
    }),
];

/// Slices of eight nodes, boxes and changes.
pub(crate) const TOLD: SceneConfig = SceneConfig { max_nodes: 8, bounds: true, changes: true, ..SceneConfig::DEFAULT };

/// Whether a scene tracks changes, and whether it keeps boxes.
pub(crate) const MODES: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];
