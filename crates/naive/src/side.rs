//! The two scene graphs, behind the few things that a measurement does with one.

use crate::{Checksum, Content, Draws, Edits, Graph, Kind, NodePtr, Recipe};
use hedgerow::{
    Aabb, DrawList, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, draw::RenderPass, edit::SceneBuilder,
};

/// A scene graph under measurement.
///
/// Each side keeps an array of its own handles or pointers by recipe id, which is no part of the graph, and a pair of
/// draw arrays that it reuses.
pub trait Side {
    /// What the side is called in results.
    const NAME: &'static str;

    /// Builds the tree by single inserts in the recipe's order, nothing reserved but the array of handles.
    #[must_use]
    fn build(recipe: &Recipe) -> Self;

    /// Puts a tree that is not to change any more into the order that suits the side best.
    fn pack(&mut self);

    /// Removes and inserts the nodes of one dynamic frame.
    fn edit(&mut self, edits: &Edits);

    /// Sets the local transforms of the nodes with these recipe ids, all of which are transform nodes.
    fn set_locals(&mut self, locals: &[(u32, Transform)]);

    /// Recomputes every world matrix.
    fn transform(&mut self);

    /// Brings the world matrices in line with what was set, with no more work than the side needs for it.
    fn update(&mut self);

    /// Lists every draw.
    fn render(&mut self);

    /// A sum over the draws listed last.
    #[must_use]
    fn draws(&self) -> Checksum;

    /// A sum over the world matrices of all transform and shape nodes, told by the kinds of the recipe ids.
    #[must_use]
    fn worlds(&self, kinds: &[Kind]) -> Checksum;

    /// The bytes that the graph itself takes, without handles and draw arrays.
    #[must_use]
    fn bytes(&self) -> usize;
}

/// The naive graph.
#[derive(Debug)]
pub struct Boxed {
    graph: Graph,
    nodes: Vec<NodePtr>,
    draws: Draws,
}

impl Side for Boxed {
    const NAME: &'static str = "naive";

    fn build(recipe: &Recipe) -> Self {
        let (root, rest) = split(recipe);
        let mut graph = Graph::new(root);
        let mut nodes = Vec::with_capacity(recipe.nodes().len());
        nodes.push(graph.root());
        for node in rest {
            // SAFETY: the array holds nodes of this graph, and none was removed.
            nodes.push(unsafe { graph.insert(nodes[node.parent as usize], node.content) });
        }
        Self { graph, nodes, draws: Draws::default() }
    }

    fn pack(&mut self) {}

    fn edit(&mut self, edits: &Edits) {
        for &id in &edits.removed {
            // SAFETY: the array holds live nodes of this graph; a frame removes leaves, each once, and every removed
            // one's place is written below before it is read again.
            unsafe { self.graph.remove(self.nodes[id as usize]) };
        }
        for (id, node) in &edits.inserted {
            // SAFETY: a frame extends nodes that it does not remove.
            let child = unsafe { self.graph.insert(self.nodes[node.parent as usize], node.content) };
            self.nodes[*id as usize] = child;
        }
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        for &(id, local) in locals {
            // SAFETY: the array holds live nodes of this graph, of which the caller names transform nodes.
            unsafe { self.graph.set_local(self.nodes[id as usize], local) };
        }
    }

    fn transform(&mut self) {
        self.graph.transform();
    }

    fn update(&mut self) {
        self.graph.transform();
    }

    fn render(&mut self) {
        self.graph.render(&mut self.draws);
    }

    fn draws(&self) -> Checksum {
        let mut sum = Checksum::default();
        for (command, matrix) in self.draws.commands.iter().zip(&self.draws.matrices) {
            sum.add_draw(command.mesh, command.material, command.mirrored, matrix);
        }
        sum
    }

    fn worlds(&self, kinds: &[Kind]) -> Checksum {
        let mut sum = Checksum::default();
        for (id, (&node, _)) in self.nodes.iter().zip(kinds).enumerate() {
            // SAFETY: the array holds live nodes of this graph.
            if let Some(world) = unsafe { self.graph.world(node) } {
                sum.add_world(id, world);
            }
        }
        sum
    }

    fn bytes(&self) -> usize {
        self.graph.heap_bytes()
    }
}

/// A `hedgerow` scene of the default policy. The recipe's root is the scene's own, with a transform attached.
#[derive(Debug)]
pub struct Packed {
    scene: Scene,
    nodes: Vec<NodeHandle>,
    draws: DrawList,
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
        scene.add_transform(scene.root(), root).expect("the root takes a finite transform");
        nodes.push(scene.root());
        for node in rest {
            nodes.push(insert(&mut scene, nodes[node.parent as usize], node.content));
        }
        Self { scene, nodes, draws: DrawList::new() }
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
        Self { scene, nodes, draws: DrawList::new() }
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

/// The same scene, edited in batches. The lists that a frame's batches are told by are filled as part of the edits.
#[derive(Debug)]
pub struct Batched {
    packed: Packed,
    removed: Vec<NodeHandle>,
    items: Vec<(NodeHandle, Node<'static>)>,
    inserted: Vec<NodeHandle>,
}

impl Side for Batched {
    const NAME: &'static str = "hedgerow, in batches";

    fn build(recipe: &Recipe) -> Self {
        Self { packed: Packed::build(recipe), removed: Vec::new(), items: Vec::new(), inserted: Vec::new() }
    }

    fn pack(&mut self) {
        self.packed.pack();
    }

    fn edit(&mut self, edits: &Edits) {
        let Packed { scene, nodes, .. } = &mut self.packed;
        self.removed.clear();
        self.removed.extend(edits.removed.iter().map(|&id| nodes[id as usize]));
        scene.remove_many(&self.removed).expect("the removed nodes were there");
        self.items.clear();
        let items = edits.inserted.iter().map(|(_, node)| (nodes[node.parent as usize], describe(node.content)));
        self.items.extend(items);
        self.inserted.clear();
        scene.insert_many(&self.items, &mut self.inserted).expect("live parents take finite nodes");
        for ((id, _), &handle) in edits.inserted.iter().zip(&self.inserted) {
            nodes[*id as usize] = handle;
        }
    }

    fn set_locals(&mut self, locals: &[(u32, Transform)]) {
        let Packed { scene, nodes, .. } = &mut self.packed;
        let items: Vec<_> = locals.iter().map(|&(id, local)| (nodes[id as usize], local)).collect();
        scene.set_transforms(&items).expect("the moved nodes have finite transforms");
    }

    fn transform(&mut self) {
        self.packed.transform();
    }

    fn update(&mut self) {
        self.packed.update();
    }

    fn render(&mut self) {
        self.packed.render();
    }

    fn draws(&self) -> Checksum {
        self.packed.draws()
    }

    fn worlds(&self, kinds: &[Kind]) -> Checksum {
        self.packed.worlds(kinds)
    }

    fn bytes(&self) -> usize {
        self.packed.bytes()
    }
}

/// The root's transform, and the other nodes of a recipe.
fn split(recipe: &Recipe) -> (Transform, &[crate::RecipeNode]) {
    match recipe.nodes() {
        [root, rest @ ..] => match root.content {
            Content::Transform(transform) => (transform, rest),
            _ => unreachable!("the root of a recipe is a transform node"),
        },
        [] => unreachable!("a recipe has a root"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Churn, DrawCommand, FRAMES, Moves, Topology};

    #[test]
    fn all_sides_compute_the_same_bits_through_thirty_frames() {
        let recipe = Recipe::random(2000, 7);
        let mut churn = Churn::new(&recipe, 8);
        let mut packed = Packed::build(&recipe);
        let mut boxed = Boxed::build(&recipe);
        let mut batched = Batched::build(&recipe);
        for _ in 0..FRAMES {
            let edits = churn.next_frame();
            packed.edit(edits);
            boxed.edit(edits);
            batched.edit(edits);
            packed.transform();
            boxed.transform();
            batched.transform();
            packed.render();
            boxed.render();
            batched.render();
            assert_ne!(boxed.draws().count, 0);
            assert_eq!(packed.draws(), boxed.draws());
            assert_eq!(batched.draws(), boxed.draws());
            assert_eq!(packed.worlds(churn.kinds()), boxed.worlds(churn.kinds()));
            assert_eq!(batched.worlds(churn.kinds()), boxed.worlds(churn.kinds()));
            assert_eq!(boxed.graph.len(), 2000);
        }
        packed.pack();
        packed.transform();
        packed.render();
        assert_eq!(packed.draws(), boxed.draws());
    }

    #[test]
    fn both_sides_compute_the_same_bits_where_some_nodes_moved() {
        for topology in [Topology::Random, Topology::EightAry, Topology::Humanoids, Topology::Flat, Topology::Chain] {
            let recipe = Recipe::transforms(topology, 1500, 7);
            let mut moves = Moves::new(&recipe, 8);
            let kinds = vec![Kind::Transform; 1500];
            let mut packed = Packed::build(&recipe);
            let mut boxed = Boxed::build(&recipe);
            for count in [0, 1, 10, 500, moves.most()] {
                let moved = moves.next_frame(count);
                packed.set_locals(moved);
                boxed.set_locals(moved);
                packed.update();
                boxed.update();
                assert_eq!(packed.worlds(&kinds), boxed.worlds(&kinds), "{topology:?}, {count} moved");
            }
        }
    }

    #[test]
    fn commands_of_both_sides_have_the_same_size() {
        assert_eq!(size_of::<DrawCommand>(), size_of::<hedgerow::draw::DrawCommand>());
    }
}
