//! A scene with plain lists of its expected contents.

pub(crate) mod dice;
mod mirror;

use hedgerow::{
    Aabb, Drawable, Keep, Layers, Local, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform,
    query::Frustum,
    visit::{Flow, SliceViewMut, SliceVisitorMut, TransformPass},
};
use hedgerow_testkit::model::compare::same_bits;
use hedgerow_testkit::model::spatial::camera;
use mirror::Mirror;
use std::collections::HashMap;

/// Whether a scene tracks changes, and whether it keeps boxes.
pub(crate) const MODES: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

struct Entry {
    handle: NodeHandle,
    parent: usize,
    children: Vec<usize>,
    local: Option<Local>,
    live: bool,
}

/// A place by the number of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Where {
    First(usize),
    Last(usize),
    Before(usize),
    After(usize),
}

/// Sets the transforms of some nodes, and computes world matrices in the first slices.
struct Writer {
    locals: HashMap<NodeHandle, (usize, Transform)>,
    everything: bool,
    computes: usize,
    /// The number of slices after which the walk stops, or prunes, which has no effect.
    ends: usize,
    met: usize,
    set: Vec<(usize, Transform)>,
}

impl SliceVisitorMut for Writer {
    fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
        for row in 0..slice.view().rows().len() {
            let rows = slice.view().rows();
            let (Some(node), Some(slot)) = (rows.node(row), rows.own_transform(row)) else { continue };
            if let Some(&(number, local)) = self.locals.get(&node) {
                slice.set_local(slot, local).expect("a transform that makes sense");
                self.set.push((number, local));
            }
        }
        if self.met < self.computes {
            let mut pass = if self.everything { TransformPass::everything() } else { TransformPass::dirty() };
            let _ = pass.slice_mut(slice);
        }
        self.met += 1;
        match self.ends {
            ends if ends != self.met => Flow::Continue,
            ends if ends % 2 == 0 => Flow::Break,
            _ => Flow::Prune,
        }
    }
}

/// A scene and its expected contents. Nodes are numbered by the insert that made them; 0 is the root.
pub(crate) struct Pair {
    pub(crate) scene: Scene,
    entries: Vec<Entry>,
    mirror: Mirror,
    checks: u64,
}

impl Pair {
    pub(crate) const ROOT: usize = 0;

    pub(crate) fn new(config: SceneConfig) -> Self {
        let scene = Scene::with_config(config).expect("a configuration that makes sense");
        let root = Entry { handle: scene.root(), parent: 0, children: Vec::new(), local: None, live: true };
        let mirror = Mirror::new(&scene);
        Self { scene, entries: vec![root], mirror, checks: 0 }
    }

    pub(crate) fn handle(&self, node: usize) -> NodeHandle {
        self.entries[node].handle
    }

    pub(crate) fn children(&self, node: usize) -> &[usize] {
        &self.entries[node].children
    }

    pub(crate) fn parent(&self, node: usize) -> usize {
        self.entries[node].parent
    }

    pub(crate) fn is_live(&self, node: usize) -> bool {
        self.entries[node].live
    }

    pub(crate) fn is_placed(&self, node: usize) -> bool {
        self.entries[node].local.is_some()
    }

    /// Returns the number of nodes that ever existed. All node numbers are smaller.
    pub(crate) fn ever(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_within(&self, mut node: usize, top: usize) -> bool {
        while node != top && node != Self::ROOT {
            node = self.entries[node].parent;
        }
        node == top
    }

    pub(crate) fn insert(&mut self, place: Where, local: Option<Transform>) -> usize {
        let number = self.entries.len();
        let mut node = local.map_or(Node::group(), Node::transform);
        node.drawable = self.drawable(number);
        let handle = self.scene.insert(self.place(place), node).expect("there is room");
        self.entries.push(Entry {
            handle,
            parent: 0,
            children: Vec::new(),
            local: local.map(Local::Transform),
            live: true,
        });
        self.link(number, place);
        number
    }

    /// Removes the node and everything below it. Returns the number of removed nodes.
    pub(crate) fn remove(&mut self, node: usize) -> usize {
        let removed = self.scene.remove(self.handle(node)).expect("a live node, and not the root");
        self.unlink(node);
        let mut gone = vec![node];
        let mut count = 0;
        while let Some(node) = gone.pop() {
            let entry = &mut self.entries[node];
            entry.live = false;
            gone.append(&mut entry.children);
            count += 1;
        }
        assert_eq!(removed, count);
        removed
    }

    pub(crate) fn reparent(&mut self, node: usize, place: Where) {
        self.scene.reparent(self.handle(node), self.place(place), Keep::Local).expect("no cycle");
        self.unlink(node);
        self.link(node, place);
    }

    /// Moves the node and keeps its world transform, within single precision.
    pub(crate) fn reparent_in_place(&mut self, node: usize, place: Where) {
        let handle = self.handle(node);
        let before = self.scene.get(handle).expect("a live node").fresh_world();
        self.scene.reparent(handle, self.place(place), Keep::World).expect("no cycle, and nothing flat");
        let after = self.scene.get(handle).expect("a live node").fresh_world();
        // Below a parent that is far away, the local translation is only as precise as the parent's coordinates.
        let above = self
            .scene
            .parent(handle)
            .and_then(|parent| self.scene.get(parent).map(|node| node.fresh_world()))
            .expect("a live parent");
        let far = 1.0 + before.translation().length() + above.translation().length();
        for (before, after) in before.rows.iter().zip(&after.rows) {
            for (column, most) in [1e-3, 1e-3, 1e-3, 3e-5 * far].into_iter().enumerate() {
                let off = (before[column] - after[column]).abs();
                assert!(off <= most, "node {node} was to stay where it is, and went {off} away, above {most}");
            }
        }
        self.entries[node].local = self.scene.local(handle);
        self.unlink(node);
        self.link(node, place);
    }

    pub(crate) fn set_local(&mut self, node: usize, local: Transform) {
        self.scene.set_local(self.handle(node), local).expect("a node with a transform takes another");
        self.entries[node].local = Some(Local::Transform(local));
    }

    /// Lets a visitor set some local transforms, and compute world matrices in some slices. Then validates, and checks
    /// that boxes are unchanged.
    pub(crate) fn visit(&mut self, dice: &mut dice::Dice) {
        let count = 1 + dice.below(self.ever() / 4 + 1);
        let chosen = (0..count).map(|_| dice.below(self.ever())).collect::<Vec<usize>>();
        let locals = chosen.into_iter().filter(|&node| self.is_live(node) && self.is_placed(node));
        let locals: HashMap<NodeHandle, (usize, Transform)> =
            locals.map(|node| (self.handle(node), (node, dice.transform()))).collect();
        let everything = dice.below(4) == 0;
        let computes = [usize::MAX, usize::MAX, dice.below(8), 0][dice.below(4)];
        let mut writer = Writer { locals, everything, computes, ends: dice.below(40), met: 0, set: Vec::new() };
        let found = self.found();
        let _ = self.scene.visit_slices_mut(&mut writer);
        for (node, local) in writer.set {
            self.entries[node].local = Some(Local::Transform(local));
        }
        self.scene.validate().unwrap();
        assert!(self.found() == found, "boxes are as of the last update");
    }

    /// Returns the nodes in some frusta, if the scene keeps boxes.
    fn found(&self) -> [Vec<NodeHandle>; 3] {
        [0, 1, 2].map(|turn| {
            let mut found = Vec::new();
            let answer = self.scene.query(&camera(self.checks * 3 + turn), Layers::ALL, &mut found);
            assert_eq!(answer.is_ok(), self.scene.config().bounds);
            found
        })
    }

    /// Updates the scene, and applies the reported changes to the mirror.
    pub(crate) fn update(&mut self) {
        self.scene.update();
        self.mirror.follow(&self.scene);
    }

    /// Updates the scene, validates it, and compares it with the lists: parents, order of children in both directions,
    /// live and stale handles, and world matrices to the bit. The mirror of the change feed must have the same nodes in
    /// the same places. Boxes must be right, and queries must find the same nodes as single tests.
    pub(crate) fn check(&mut self) {
        self.update();
        self.scene.validate().unwrap();
        let scene = &self.scene;
        let mut pending = vec![(Self::ROOT, Mat34::IDENTITY)];
        let mut met = 0;
        let mut boxes = Vec::new();
        while let Some((node, above)) = pending.pop() {
            met += 1;
            let Entry { handle, parent, ref children, local, .. } = self.entries[node];
            let world = local.map_or(above, |local| above * local.to_matrix());
            let same = scene.world(handle).is_some_and(|found| same_bits(found, &world));
            assert!(same, "the world matrix of node {node} is {:?}, not {world:?}", scene.world(handle));
            if scene.config().changes {
                self.mirror.assert_at(handle, &world);
            }
            let bounds = self.drawable(node).map(|drawable| drawable.bounds.transformed(&world));
            assert_eq!(scene.get(handle).and_then(|node| node.bounds()), bounds, "the box of node {node}");
            boxes.extend(bounds.map(|bounds| (handle, bounds)));
            assert_eq!(scene.parent(handle), (node != Self::ROOT).then(|| self.handle(parent)), "above node {node}");
            let handles = || children.iter().map(|&child| self.handle(child));
            assert!(scene.children(handle).eq(handles()), "the children of node {node}");
            assert!(scene.children(handle).rev().eq(handles().rev()), "the children of node {node}, backwards");
            pending.extend(children.iter().map(|&child| (child, world)));
        }
        assert_eq!(scene.len(), met);
        assert!(self.entries.iter().all(|entry| scene.contains(entry.handle) == entry.live), "handles of the dead");
        if scene.config().changes {
            assert_eq!(self.mirror.len(), met, "nodes by the change feed");
        }
        if scene.config().bounds {
            self.check_spatial(&boxes);
        }
        self.checks += 1;
    }

    /// Compares queries with tests of each box, and the box of the whole scene with all boxes.
    fn check_spatial(&self, boxes: &[(NodeHandle, Aabb)]) {
        let all = boxes.iter().fold(Aabb::EMPTY, |all, (_, bounds)| all.merge(bounds));
        assert_eq!(self.scene.get(self.scene.root()).unwrap().subtree_bounds(), all, "the box of all");
        let (mut found, any) = (Vec::new(), Layers::ALL);
        let compare = |found: &mut Vec<NodeHandle>, touches: &dyn Fn(&Aabb) -> bool| {
            let touched = boxes.iter().filter(|(_, bounds)| touches(bounds));
            let mut expected: Vec<NodeHandle> = touched.map(|(node, _)| *node).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert!(*found == expected, "{} nodes are found, not {}", found.len(), expected.len());
        };
        for turn in 0..3 {
            let frustum: Frustum = camera(self.checks * 3 + turn);
            self.scene.query(&frustum, any, &mut found).expect("boxes are kept");
            compare(&mut found, &|bounds| frustum.touches(bounds));
        }
        // The box surrounds the last nodes.
        let Some((_, middle)) = boxes.last() else { return };
        let part = Aabb::new(middle.min - 2.0, middle.max + 2.0);
        self.scene.query(&part, any, &mut found).expect("boxes are kept");
        let shares = |other: &Aabb| !Aabb::new(part.min.max(other.min), part.max.min(other.max)).is_empty();
        compare(&mut found, &shares);
    }

    /// Returns the drawable of a node: every second node has one, if the scene keeps boxes.
    fn drawable(&self, node: usize) -> Option<Drawable> {
        let has = self.scene.config().bounds && node % 2 == 1;
        has.then(|| Drawable::new(7, Aabb::cube(0.25)))
    }

    fn place(&self, place: Where) -> Place {
        match place {
            Where::First(node) => Place::FirstChildOf(self.handle(node)),
            Where::Last(node) => Place::LastChildOf(self.handle(node)),
            Where::Before(node) => Place::Before(self.handle(node)),
            Where::After(node) => Place::After(self.handle(node)),
        }
    }

    fn link(&mut self, node: usize, place: Where) {
        let (parent, rank) = match place {
            Where::First(parent) => (parent, 0),
            Where::Last(parent) => (parent, self.children(parent).len()),
            Where::Before(sibling) => (self.entries[sibling].parent, self.rank(sibling)),
            Where::After(sibling) => (self.entries[sibling].parent, self.rank(sibling) + 1),
        };
        self.entries[parent].children.insert(rank, node);
        self.entries[node].parent = parent;
    }

    fn unlink(&mut self, node: usize) {
        let (parent, rank) = (self.entries[node].parent, self.rank(node));
        self.entries[parent].children.remove(rank);
    }

    fn rank(&self, node: usize) -> usize {
        let siblings = self.children(self.entries[node].parent);
        siblings.iter().position(|&sibling| sibling == node).expect("a child of its parent")
    }
}
