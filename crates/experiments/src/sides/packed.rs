//! A scene as a side.

use super::{Checksum, Side, split};
use crate::workloads::{Content, Edits, Kind, Recipe};
use hedgerow::{
    Aabb, DrawList, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility, draw::RenderPass,
    edit::SceneBuilder,
};

/// A `hedgerow` scene of the default policy. The recipe's root is the scene's own, with a transform attached.
#[derive(Debug)]
pub struct Packed {
    scene: Scene,
    nodes: Vec<NodeHandle>,
    draws: DrawList,
    /// Of the last list that was filled on threads: 1 or 2.
    layers: u32,
}

impl Packed {
    /// Builds the tree in a scene of this policy.
    ///
    /// # Panics
    /// If the policy makes no sense.
    #[must_use]
    pub fn build_with(recipe: &Recipe, config: SceneConfig) -> Self {
        let (root, rest) = split(recipe);
        let mut scene = Scene::with_config(config).expect("the policy makes sense");
        let mut nodes = Vec::with_capacity(recipe.nodes().len());
        scene.set_local(scene.root(), root).expect("the root takes a finite transform");
        nodes.push(scene.root());
        for node in rest {
            nodes.push(insert(&mut scene, nodes[node.parent as usize], node.content));
        }
        Self { scene, nodes, draws: DrawList::new(), layers: 1 }
    }

    /// The scene, for what only it can be asked.
    #[must_use]
    pub const fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The scene, for what only it can do.
    #[must_use]
    pub const fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }

    /// Builds the tree by way of a list of all nodes with their parents.
    ///
    /// # Panics
    /// Never: a recipe makes a tree.
    #[must_use]
    pub fn build_from_list(recipe: &Recipe) -> Self {
        let mut list = SceneBuilder::with_capacity(recipe.nodes().len());
        for (id, node) in recipe.nodes().iter().enumerate() {
            list.push((id > 0).then_some(node.parent as usize), describe(node.content));
        }
        let (scene, nodes) = list.build(SceneConfig::DEFAULT).expect("a recipe makes a tree");
        Self { scene, nodes, draws: DrawList::new(), layers: 1 }
    }

    /// Lists every draw anew, on the threads of the current pool where the scene has any.
    pub(super) fn render_threaded(&mut self) {
        // What is visible is so on all layers, and a list of other ones than before is filled anew.
        self.layers = 3 - self.layers;
        self.draws.set_layers(Visibility::layers(self.layers));
        self.scene.draw_list(&mut self.draws);
    }

    /// The scene's handles by recipe id.
    #[must_use]
    pub const fn nodes(&self) -> &[NodeHandle] {
        self.nodes.as_slice()
    }

    /// The scene, and its handles by recipe id, for edits made otherwise than by [`Side::edit`].
    pub const fn parts_mut(&mut self) -> (&mut Scene, &mut Vec<NodeHandle>) {
        (&mut self.scene, &mut self.nodes)
    }
}

impl Side for Packed {
    const NAME: &'static str = "hedgerow";

    fn build(recipe: &Recipe) -> Self {
        Self::build_with(recipe, SceneConfig::DEFAULT)
    }

    fn pack(&mut self) {
        self.scene.reconstitute_all();
    }

    fn edit(&mut self, edits: &Edits) {
        for &id in &edits.removed {
            self.scene.remove(self.nodes[id as usize]).expect("a removed node was there");
        }
        for (id, node) in &edits.inserted {
            self.nodes[*id as usize] = insert(&mut self.scene, self.nodes[node.parent as usize], node.content);
        }
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        for &(id, local) in locals {
            self.scene.set_local(self.nodes[id as usize], local).expect("a live node takes a finite transform");
        }
    }

    fn transform(&mut self) {
        self.scene.update_all();
    }

    fn update(&mut self) {
        self.scene.update();
    }

    fn render(&mut self) {
        // Every draw is listed, as on the other side: nothing of what the list holds is made use of.
        self.draws.clear();
        self.scene.visit_slices(&mut RenderPass::new(&mut self.draws));
    }

    fn draws(&self) -> Checksum {
        let mut sum = Checksum::default();
        for (command, matrix) in self.draws.commands().iter().zip(self.draws.matrices()) {
            sum.add_draw(command.mesh, command.material(), command.is_mirrored(), matrix);
        }
        sum
    }

    fn worlds(&self, kinds: &[Kind]) -> Checksum {
        let mut sum = Checksum::default();
        for (id, (&node, &kind)) in self.nodes.iter().zip(kinds).enumerate() {
            if kind != Kind::Material {
                sum.add_world(id, self.scene.world(node).expect("a handle of a live node resolves"));
            }
        }
        sum
    }

    fn bytes(&self) -> usize {
        self.scene.stats().allocated_bytes()
    }
}

/// One insert as the last child.
#[inline]
fn insert(scene: &mut Scene, parent: NodeHandle, content: Content) -> NodeHandle {
    scene.insert(parent, describe(content)).expect("a live parent takes a finite node")
}

/// The scene's description of a node with this content.
#[inline]
#[must_use]
pub fn describe(content: Content) -> Node<'static> {
    match content {
        Content::Transform(transform) => Node::transform(transform),
        Content::Material(material) => Node::material(material),
        Content::Shape(mesh) => Node::shape(Shape::new(mesh, Aabb::cube(0.5))),
    }
}
