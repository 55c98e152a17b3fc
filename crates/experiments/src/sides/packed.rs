//! A side that is a scene.

use super::{Checksum, Side, put, reserve};
use crate::workloads::{Content, Recipe, RecipeNode};
use hedgerow::{
    Aabb, DrawList, Drawable, Keep, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform, Tree, draw::RenderPass,
};

/// A `hedgerow` scene, edited by single calls, or by batches where they exist. Filling the lists of a batch is part of
/// the edit. The recipe's root is the scene's root.
#[derive(Debug)]
pub struct Scenes<const BATCHED: bool> {
    scene: Scene,
    nodes: Vec<NodeHandle>,
    draws: DrawList,
    steps: u32,
    /// The lists of batches.
    handles: Vec<NodeHandle>,
    moves: Vec<(NodeHandle, NodeHandle)>,
}

/// A scene that is edited by single calls.
pub type Packed = Scenes<false>;

/// A scene that is edited in batches.
pub type Batched = Scenes<true>;

impl<const BATCHED: bool> Scenes<BATCHED> {
    /// Builds the tree in a scene with this configuration, by single inserts.
    pub fn build_with(recipe: &Recipe, config: SceneConfig) -> Self {
        Self::with_config(config).filled(recipe)
    }

    /// Builds the tree from a list of all nodes with their parents.
    pub fn build_from_list(recipe: &Recipe) -> Self {
        let mut packed = Self::new();
        let mut tree = Tree::with_capacity(recipe.nodes().len());
        for node in &recipe.nodes()[1..] {
            tree.push((node.parent as usize).checked_sub(1), describe(node.content));
        }
        let made = packed.scene.insert_tree(packed.scene.root(), &tree);
        packed.nodes.extend(made.expect("a recipe makes a tree"));
        packed
    }

    fn with_config(config: SceneConfig) -> Self {
        let mut scene = Scene::with_config(config).expect("the policy makes sense");
        scene.set_local(scene.root(), Transform::IDENTITY).expect("the root takes a finite transform");
        let nodes = vec![scene.root()];
        Self { scene, nodes, draws: DrawList::new(), steps: 0, handles: Vec::new(), moves: Vec::new() }
    }

    /// Updates the scene and maintains it without a limit.
    pub fn pack(&mut self) {
        self.scene.update();
        self.scene.maintain(usize::MAX);
    }

    /// Returns the scene, for calls that only a scene has.
    pub const fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Returns the scene for edits that only a scene has.
    pub const fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
}

impl<const BATCHED: bool> Side for Scenes<BATCHED> {
    const NAME: &'static str = if BATCHED { "hedgerow, in batches" } else { "hedgerow" };

    fn new() -> Self {
        Self::with_config(SceneConfig::DEFAULT)
    }

    fn reserve(&mut self, ids: usize) {
        reserve(&mut self.nodes, ids);
    }

    #[inline]
    fn insert_one(&mut self, id: u32, node: &RecipeNode) {
        let child = self.scene.insert(self.nodes[node.parent as usize], describe(node.content));
        put(&mut self.nodes, id, child.expect("a live parent takes a finite node"));
    }

    fn remove(&mut self, ids: &[u32]) {
        let removed = ids.iter().map(|&id| self.nodes[id as usize]);
        if BATCHED {
            self.handles.clear();
            self.handles.extend(removed);
            self.scene.remove_many(&self.handles).expect("the removed nodes were there");
        } else {
            removed.for_each(|node| _ = self.scene.remove(node).expect("a removed node was there"));
        }
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        let mut set = locals.iter().map(|(id, local)| (self.nodes[*id as usize], local));
        if BATCHED {
            self.scene.set_locals(set).expect("live nodes take finite transforms");
        } else {
            let mut one = |(node, local): (_, &_)| self.scene.set_local(node, *local);
            set.try_for_each(|item| one(item).map(|_| ())).expect("live nodes take finite transforms");
        }
    }

    fn reparent(&mut self, moves: &[(u32, u32)]) {
        let mut moved = moves.iter().map(|&(id, parent)| (self.nodes[id as usize], self.nodes[parent as usize]));
        if BATCHED {
            self.moves.clear();
            self.moves.extend(moved);
            self.scene.reparent_many(&self.moves, Keep::Local).expect("no cycle is closed");
        } else {
            let mut one = |(node, parent)| self.scene.reparent(node, parent, Keep::Local).map(|_| ());
            moved.try_for_each(&mut one).expect("no cycle is closed");
        }
    }

    fn steps(&mut self) -> &mut u32 {
        &mut self.steps
    }

    fn update(&mut self) {
        self.scene.update();
    }

    fn render(&mut self) {
        // Every draw is listed again, as on the other sides, without reusing the list's contents.
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

    fn world(&self, id: usize) -> Option<Mat34> {
        Some(*self.scene.world(self.nodes[id]).expect("a handle of a live node resolves"))
    }
}

/// Returns the scene's description of a node with this content.
#[inline]
fn describe(content: Content) -> Node<'static> {
    match content {
        Content::Transform(transform) => Node::transform(transform),
        Content::Material(material) => Node::material(material),
        Content::Shape(mesh) => Node::drawable(Drawable::new(mesh, Aabb::cube(0.5))),
    }
}
