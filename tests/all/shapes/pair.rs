//! A scene beside plain lists that say what it is to be.

use hedgerow::{Flow, Keep, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, SliceView, SliceVisitor, Transform};

/// A node as the lists have it.
struct Entry {
    handle: NodeHandle,
    parent: usize,
    children: Vec<usize>,
    local: Option<Transform>,
    live: bool,
}

/// A place told by the number of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Where {
    First(usize),
    Last(usize),
    Before(usize),
    After(usize),
}

/// The rows of the largest slice, portals among them.
struct MostRows(usize);

impl SliceVisitor for MostRows {
    fn slice(&mut self, slice: SliceView<'_>) -> Flow {
        let portals = (0..slice.rows().len()).filter(|&row| slice.rows().is_portal(row)).count();
        self.0 = self.0.max(slice.nodes() + portals);
        Flow::Continue
    }
}

/// A scene and what it is to be. Nodes are told by the number of the insert that made them; 0 is the root.
pub(crate) struct Pair {
    pub(crate) scene: Scene,
    entries: Vec<Entry>,
}

impl Pair {
    pub(crate) const ROOT: usize = 0;

    pub(crate) fn new(config: SceneConfig) -> Self {
        let scene = Scene::with_config(config).expect("a policy that makes sense");
        let root = Entry { handle: scene.root(), parent: 0, children: Vec::new(), local: None, live: true };
        Self { scene, entries: vec![root] }
    }

    pub(crate) fn handle(&self, node: usize) -> NodeHandle {
        self.entries[node].handle
    }

    pub(crate) fn children(&self, node: usize) -> &[usize] {
        &self.entries[node].children
    }

    pub(crate) fn is_live(&self, node: usize) -> bool {
        self.entries[node].live
    }

    /// How many nodes there ever were: numbers are below this.
    pub(crate) fn ever(&self) -> usize {
        self.entries.len()
    }

    /// Whether the node is `top` or lies below it.
    pub(crate) fn is_within(&self, mut node: usize, top: usize) -> bool {
        while node != top && node != Self::ROOT {
            node = self.entries[node].parent;
        }
        node == top
    }

    pub(crate) fn insert(&mut self, place: Where, local: Option<Transform>) -> usize {
        let node = local.map_or(Node::group(), Node::transform);
        let handle = self.scene.insert(self.place(place), node).expect("there is room");
        let number = self.entries.len();
        self.entries.push(Entry { handle, parent: 0, children: Vec::new(), local, live: true });
        self.link(number, place);
        number
    }

    /// Removes the node with all below it; how many these were.
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

    pub(crate) fn set_local(&mut self, node: usize, local: Transform) {
        self.scene.set_local(self.handle(node), local).expect("a node with a transform takes another");
        self.entries[node].local = Some(local);
    }

    /// Updates the scene, validates it, and compares all of it with the lists: order of children in both directions,
    /// parents, handles of the living and the dead, and world matrices to the bit. No slice has more rows than allowed.
    pub(crate) fn check(&mut self) {
        self.scene.update();
        self.scene.validate().unwrap();
        let scene = &self.scene;
        let mut pending = vec![(Self::ROOT, Mat34::IDENTITY)];
        let mut met = 0;
        while let Some((node, above)) = pending.pop() {
            met += 1;
            let Entry { handle, parent, ref children, local, .. } = self.entries[node];
            let world = local.map_or(above, |local| above * local.to_matrix());
            let bits = |matrix: &Mat34| matrix.rows.map(|row| row.map(f32::to_bits));
            assert_eq!(scene.world(handle).map(bits), Some(bits(&world)), "the world matrix of node {node}");
            assert_eq!(scene.parent(handle), (node != Self::ROOT).then(|| self.handle(parent)), "above node {node}");
            let handles = || children.iter().map(|&child| self.handle(child));
            assert!(scene.children(handle).eq(handles()), "the children of node {node}");
            assert!(scene.children(handle).rev().eq(handles().rev()), "the children of node {node}, backwards");
            pending.extend(children.iter().map(|&child| (child, world)));
        }
        assert_eq!(scene.len(), met);
        let mut rows = MostRows(0);
        scene.visit_slices(&mut rows);
        assert!(rows.0 <= scene.config().max_nodes as usize, "a slice has {} rows", rows.0);
        assert!(self.entries.iter().all(|entry| scene.contains(entry.handle) == entry.live), "handles of the dead");
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
