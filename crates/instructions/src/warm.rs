//! The scenes that operations run on.

use crate::dice::Dice;
use hedgerow::{Aabb, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform};

/// A number of nodes that fits in one slice.
pub(crate) const FEW: u32 = 3_000;
/// A number of nodes that takes many slices.
pub(crate) const MANY: u32 = 40_000;

/// An updated scene and its nodes.
pub(crate) struct Warm {
    pub(crate) scene: Scene,
    pub(crate) nodes: Vec<NodeHandle>,
    pub(crate) dice: Dice,
}

impl Warm {
    /// Returns a random tree of transforms in a scene of the default configuration.
    pub(crate) fn new(nodes: u32) -> Self {
        Self::of(SceneConfig::DEFAULT, nodes, false)
    }

    /// Returns such a tree in a scene that records changes.
    pub(crate) fn with_changes(nodes: u32) -> Self {
        Self::of(SceneConfig { changes: true, ..SceneConfig::DEFAULT }, nodes, false)
    }

    /// Returns a random tree of transforms with drawables, in a scene that keeps boxes.
    pub(crate) fn with_bounds(nodes: u32) -> Self {
        Self::of(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }, nodes, true)
    }

    pub(crate) fn of(config: SceneConfig, count: u32, drawables: bool) -> Self {
        let mut dice = Dice::new();
        let (scene, nodes) = build_scene(config, count, drawables, &mut dice);
        let mut warm = Self { scene, nodes, dice };
        warm.scene.update();
        warm
    }

    /// Returns a random node.
    pub(crate) fn pick(&mut self) -> NodeHandle {
        self.dice.pick(&self.nodes)
    }

    /// Inserts 100 leaves below random nodes of the tree.
    pub(crate) fn leaves(&mut self, node: Node<'_>) -> Vec<NodeHandle> {
        (0..100).map(|_| self.scene.insert(self.dice.pick(&self.nodes), node).expect("there is room")).collect()
    }
}

/// Builds a random tree by single inserts, each node below an earlier one.
pub(crate) fn build_scene(
    config: SceneConfig,
    count: u32,
    drawables: bool,
    dice: &mut Dice,
) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::with_config(config).expect("a configuration that makes sense");
    let mut node = Node::transform(Transform::from_xyz(1.0, 2.0, 3.0));
    node.drawable = drawables.then(drawable);
    let top = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).expect("there is room");
    let mut nodes = Vec::with_capacity(count as usize);
    nodes.push(top);
    for _ in 1..count {
        nodes.push(scene.insert(dice.pick(&nodes), node).expect("there is room"));
    }
    (scene, nodes)
}

/// Returns the drawable of every node that has one.
pub(crate) fn drawable() -> Drawable {
    Drawable::new(7, Aabb::cube(0.3))
}
