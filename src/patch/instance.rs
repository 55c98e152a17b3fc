//! A tree in a scene, whose nodes keep their ids.

use crate::data::NodeIds;
use crate::edit::BatchError;
use crate::patch::{Spot, Value};
use crate::{Error, Node, NodeHandle, Place, Scene, Tree};
use std::collections::HashMap;

/// A tree in a scene: the node above the tree, and the handle of each id.
///
/// The node above, the *root*, is not part of the tree; no patch mentions it. All nodes below it may be edited freely.
///
/// | the tree | the root | call |
/// |---|---|---|
/// | a value, such as a prefab | a new group, which may get a transform or another parent | [`insert`](Self::insert) |
/// | a value, such as a saved document | a node of the scene, such as its root | [`insert_below`](Self::insert_below) |
/// | nodes of the scene, without ids | their parent | [`of`](Self::of) |
/// | nodes of the scene, with ids from a file or from before a restart | their parent | [`with_ids`](Self::with_ids) |
///
/// [`tree`](Self::tree) reads the tree back with its ids; [`assign`](Self::assign) gives ids to new nodes.
///
/// ```
/// use hedgerow::patch::Instance;
/// use hedgerow::{Node, Scene, Transform, Tree};
///
/// let mut tree = Tree::new();
/// let car = tree.push(None, Node::group().named("car"));
/// tree.push(Some(car), Node::group().named("wheel"));
///
/// let mut scene = Scene::new();
/// let root = scene.root();
/// let mut instance = Instance::insert(&mut scene, root, &tree)?;
/// scene.set_local(instance.root(), Transform::from_xyz(5.0, 0.0, 0.0))?;
/// assert_eq!(scene.get(instance.node(1).unwrap()).unwrap().name(), Some("wheel"));
/// assert_eq!(instance.tree(&scene)?, tree);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Instance {
    root: NodeHandle,
    pub(super) ids: NodeIds,
}

impl Instance {
    /// Inserts a tree at a place, below a new group. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// The errors of [`Scene::insert_tree`]. The scene is unchanged.
    pub fn insert(scene: &mut Scene, place: impl Into<Place>, tree: &Tree) -> Result<Self, BatchError> {
        if let Some((number, error)) = tree.fault {
            return Err(BatchError::at(number, error));
        }
        scene.store.nodes.check_room(tree.len() + 1)?;
        let root = scene.insert(place, Node::group())?;
        Self::insert_below(scene, root, tree)
    }

    /// Inserts a tree below a node, after the node's children. The node becomes the root: see the example of
    /// [undo](crate::guide::undo). Nodes that are already below the root get no ids. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// The errors of [`Scene::insert_tree`]. The scene is unchanged.
    pub fn insert_below(scene: &mut Scene, root: NodeHandle, tree: &Tree) -> Result<Self, BatchError> {
        let handles = scene.insert_tree(root, tree)?;
        let mut ids = NodeIds::new();
        ids.begin_at(tree.next_id());
        for (number, handle) in handles.into_iter().enumerate() {
            ids.set(handle, tree.id(number).expect("each node has an id"));
        }
        Ok(Self { root, ids })
    }

    /// Creates an instance of the tree below a node. The ids come from a [`WithIds`](crate::text::WithIds), or were
    /// [saved](Self::ids) along with a snapshot, which keeps handles. If the root has an id, the id is dropped. Runs in
    /// **O(log nodes)**.
    #[must_use]
    pub fn with_ids(root: NodeHandle, mut ids: NodeIds) -> Self {
        if let Some(id) = ids.id(root) {
            ids.forget(id);
        }
        Self { root, ids }
    }

    /// Creates an instance of the tree below a node, with ids from 0 in pre-order. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`] if there is no such node.
    ///
    /// ```
    /// use hedgerow::patch::Instance;
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let mut document = Instance::of(&scene, scene.root())?;
    /// let lamp = scene.insert(scene.root(), Node::group())?;
    /// assert_eq!((document.node(0), document.tree(&scene)?.len()), (Some(car), 1));
    /// assert_eq!((document.assign(&scene)?, document.id(lamp), document.tree(&scene)?.len()), (1, Some(1), 2));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn of(scene: &Scene, root: NodeHandle) -> Result<Self, Error> {
        let mut instance = Self { root, ids: NodeIds::new() };
        instance.assign(scene)?;
        Ok(instance)
    }

    /// Returns the root.
    #[must_use]
    pub fn root(&self) -> NodeHandle {
        self.root
    }

    /// Returns the node with this id. Runs in **O(log nodes)**.
    #[must_use]
    pub fn node(&self, id: u64) -> Option<NodeHandle> {
        self.ids.node(id)
    }

    /// Returns the id of a node; `None` for the root and for nodes inserted after the last call of
    /// [`assign`](Self::assign). Runs in **O(1)**.
    #[must_use]
    pub fn id(&self, node: NodeHandle) -> Option<u64> {
        self.ids.id(node)
    }

    /// Returns all ids with their nodes, and the next id. The root has no id, so a [`WithIds`](crate::text::WithIds)
    /// with these ids cannot be written: write the [`tree`](Self::tree). A removed node keeps its id until
    /// [`assign`](Self::assign) or [`Recorder::read`](crate::patch::Recorder::read) is called.
    ///
    /// ```
    /// use hedgerow::data::NodeIds;
    /// use hedgerow::patch::Instance;
    /// use hedgerow::{Node, NodeHandle, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let instance = Instance::of(&scene, scene.root())?;
    /// let (bytes, next) = (scene.to_bytes(), instance.ids().next_id());
    /// let saved: Vec<(u64, u64)> = instance.ids().iter().map(|(id, node)| (id, node.to_bits())).collect();
    ///
    /// let scene = Scene::from_bytes(&bytes)?; // the server starts again
    /// let mut ids = NodeIds::new();
    /// for (id, bits) in saved {
    ///     ids.insert(NodeHandle::from_bits(bits).expect("saved above"), id);
    /// }
    /// let mut instance = Instance::with_ids(scene.root(), ids);
    /// instance.begin_ids_at(next);
    /// assert_eq!(instance.node(0), Some(car));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn ids(&self) -> &NodeIds {
        &self.ids
    }

    /// Raises the next id to at least `next`. If patches of several writers are merged, give each writer its own range
    /// of ids, or two new nodes may get the same id.
    pub fn begin_ids_at(&mut self, next: u64) {
        self.ids.begin_at(next);
    }

    /// Assigns the next ids to the nodes below the root that have no id, in depth-first order, and drops the ids of
    /// removed nodes. Returns the number of new ids. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`] if the root was removed; [`Error::NoIds`] if there are too few ids for new nodes.
    pub fn assign(&mut self, scene: &Scene) -> Result<usize, Error> {
        let root = scene.get(self.root).ok_or(Error::StaleHandle(self.root))?;
        self.ids.assign_to(scene, root.descendants().skip(1))
    }

    /// Returns the current tree of nodes with ids, in depth-first order, without the root. Nodes without ids, and all
    /// nodes below them, are left out; to save a document, call [`assign`](Self::assign) first. Runs in **O(nodes)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`] if the root was removed.
    pub fn tree(&self, scene: &Scene) -> Result<Tree, Error> {
        let root = scene.get(self.root).ok_or(Error::StaleHandle(self.root))?;
        let (mut tree, mut numbers) = (Tree::with_capacity(self.ids.len()), HashMap::from([(self.root, None)]));
        for node in root.descendants().skip(1) {
            let parent = node.parent().and_then(|parent| numbers.get(&parent.handle()).copied());
            if let (Some(parent), Some(id)) = (parent, self.id(node.handle())) {
                numbers.insert(node.handle(), Some(tree.push_with_id(parent, node.node(), id)));
            }
        }
        tree.begin_ids_at(self.ids.next_id());
        Ok(tree)
    }

    /// Returns a node's spot; `None` if the node is not below the root, or is below a node without an id.
    pub(super) fn spot(&self, area: &mut Area<'_>, id: u64) -> Option<Spot> {
        let node = self.node(id).filter(|&node| area.contains(node))?;
        let node = area.scene.get(node)?;
        let parent = node.parent()?.handle();
        let parent = if parent == self.root { None } else { Some(self.id(parent)?) };
        let before = core::iter::successors(node.previous_sibling(), |node| node.previous_sibling());
        Some(Spot { parent, after: before.map(|node| node.handle()).find_map(|node| self.id(node)) })
    }

    pub(super) fn value(&self, scene: &Scene, like: &Value, id: u64) -> Option<Value> {
        Some(Value::of(&scene.get(self.node(id)?)?.node(), like.field()))
    }
}

/// Tests whether nodes are below a root, and caches the results. Every attached node is below the scene's root.
pub(super) struct Area<'s> {
    pub(super) scene: &'s Scene,
    pub(super) root: NodeHandle,
    /// The results for nodes that were visited on the way up.
    below: HashMap<NodeHandle, bool>,
}

impl<'s> Area<'s> {
    pub(super) fn new(scene: &'s Scene, root: NodeHandle) -> Self {
        Self { scene, root, below: HashMap::from([(root, true)]) }
    }

    /// Like [`Self::new`], but if the root is detached, no node counts as below it.
    pub(super) fn in_tree(scene: &'s Scene, root: NodeHandle) -> Self {
        let inside = scene.store.nodes.resolve(root).is_some_and(|id| !scene.store.nodes.is_outside(id));
        Self { scene, root, below: HashMap::from([(root, inside)]) }
    }

    /// Returns whether a node is below the root. Runs in O(1) for the scene's root, else in O(depth).
    pub(super) fn contains(&mut self, node: NodeHandle) -> bool {
        let Some(id) = self.scene.store.nodes.resolve(node).filter(|_| node != self.root) else { return false };
        if self.root == self.scene.root() {
            return !self.scene.store.nodes.is_outside(id);
        }
        let (mut at, mut path) = (Some(node), Vec::new());
        let below = loop {
            let Some(node) = at else { break false };
            if let Some(&below) = self.below.get(&node) {
                break below;
            }
            path.push(node);
            at = self.scene.parent(node);
        };
        self.below.extend(path.into_iter().map(|node| (node, below)));
        below
    }
}
