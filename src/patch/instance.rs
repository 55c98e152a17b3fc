//! A tree in a scene, whose nodes keep their ids.

use crate::data::NodeIds;
use crate::edit::BatchError;
use crate::patch::{Spot, Value};
use crate::{Error, Node, NodeHandle, Place, Scene, Tree};
use std::collections::HashMap;

/// A tree in a scene: the node below which it is, and the handle of each id.
///
/// The root is no node of the tree: no patch mentions it. All that is below may be edited as any node.
///
/// | the tree is | the root is | by |
/// |---|---|---|
/// | a value, such as a prefab | a new group, which may get a transform, or another parent | [`insert`](Self::insert) |
/// | a value, such as a saved document | there, such as the root of the scene | [`insert_below`](Self::insert_below) |
/// | there, and has no ids | there | [`of`](Self::of) |
/// | there, with ids from a file or from before a restart | there | [`with_ids`](Self::with_ids) |
///
/// [`tree`](Self::tree) reads the tree back, ids included; new nodes get ids by [`assign`](Self::assign).
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
    /// Those of [`Scene::insert_tree`]. The scene is unchanged.
    pub fn insert(scene: &mut Scene, place: impl Into<Place>, tree: &Tree) -> Result<Self, BatchError> {
        if let Some((number, error)) = tree.fault {
            return Err(BatchError::at(number, error));
        }
        scene.store.check_room(tree.len() + 1)?;
        let root = scene.insert(place, Node::group())?;
        Self::insert_below(scene, root, tree)
    }

    /// Inserts a tree as the last children of a node, which becomes the root, as in the example of
    /// [undo](crate::guide::undo). Nodes that are below it already have no ids. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// Those of [`Scene::insert_tree`]. The scene is unchanged.
    pub fn insert_below(scene: &mut Scene, root: NodeHandle, tree: &Tree) -> Result<Self, BatchError> {
        let handles = scene.insert_tree(root, tree)?;
        let mut ids = NodeIds::new();
        ids.begin_at(tree.next_id());
        for (number, handle) in handles.into_iter().enumerate() {
            ids.set(handle, tree.id(number).expect("each node has an id"));
        }
        Ok(Self { root, ids })
    }

    /// The tree that is below a node of a scene, whose nodes have these ids: those of a
    /// [`WithIds`](crate::text::WithIds), or [saved](Self::ids) along with the bytes of a scene, which keep handles. An
    /// id of the root is dropped. Runs in **O(log nodes)**.
    #[must_use]
    pub fn with_ids(root: NodeHandle, mut ids: NodeIds) -> Self {
        if let Some(id) = ids.id(root) {
            ids.forget(id);
        }
        Self { root, ids }
    }

    /// The tree that is below a node of a scene, with ids from 0 in depth-first order. Runs in **O(nodes log nodes)**.
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

    /// The node below which the tree is.
    #[must_use]
    pub fn root(&self) -> NodeHandle {
        self.root
    }

    /// The node of an id. Runs in **O(log nodes)**.
    #[must_use]
    pub fn node(&self, id: u64) -> Option<NodeHandle> {
        self.ids.node(id)
    }

    /// The id of a node; `None` for the root and for nodes that are new since [`assign`](Self::assign) was called. Runs
    /// in **O(1)**.
    #[must_use]
    pub fn id(&self, node: NodeHandle) -> Option<u64> {
        self.ids.id(node)
    }

    /// All ids with their nodes, and the id that a new node gets next. Nodes that a program removed keep theirs until
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

    /// Gives no id below this one from now on. Writers whose patches are merged need ranges of their own: else two new
    /// nodes have one id.
    pub fn begin_ids_at(&mut self, next: u64) {
        self.ids.begin_at(next);
    }

    /// Assigns the next ids to the nodes below the root that have none, in depth-first order, and drops the ids of
    /// removed nodes. Returns the number of new ids. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`] if the root was removed; [`Error::NoIds`] if there are too few ids for new nodes.
    pub fn assign(&mut self, scene: &Scene) -> Result<usize, Error> {
        let root = scene.get(self.root).ok_or(Error::StaleHandle(self.root))?;
        self.ids.assign_to(scene, root.descendants().skip(1))
    }

    /// The nodes that have ids as the scene has them now, in depth-first order, without the root. A node without an id
    /// is left out with all below it: to save a document, call [`assign`](Self::assign) first. Runs in **O(nodes)**.
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

    /// Where a node is; `None` if it is not below the root, or below a node without an id.
    pub(super) fn spot(&self, area: &mut Area<'_>, id: u64) -> Option<Spot> {
        let node = self.node(id).filter(|&node| area.contains(node))?;
        let node = area.scene.get(node)?;
        let parent = node.parent()?.handle();
        let parent = if parent == self.root { None } else { Some(self.id(parent)?) };
        let before = core::iter::successors(node.previous_sibling(), |node| node.previous_sibling());
        Some(Spot { parent, after: before.map(|node| node.handle()).find_map(|node| self.id(node)) })
    }

    /// A component of a node that is in the scene.
    pub(super) fn value(&self, scene: &Scene, like: &Value, id: u64) -> Option<Value> {
        Some(Value::of(&scene.get(self.node(id)?)?.node(), like.field()))
    }
}

/// Which nodes are below a root. Those of a whole scene are in its tree.
pub(super) struct Area<'s> {
    pub(super) scene: &'s Scene,
    pub(super) root: NodeHandle,
    /// Nodes from which a way up was gone.
    below: HashMap<NodeHandle, bool>,
}

impl<'s> Area<'s> {
    pub(super) fn new(scene: &'s Scene, root: NodeHandle) -> Self {
        Self { scene, root, below: HashMap::from([(root, true)]) }
    }

    /// The same, but nothing is below a root that is detached.
    pub(super) fn in_tree(scene: &'s Scene, root: NodeHandle) -> Self {
        let inside = scene.store.resolve(root).is_some_and(|id| !scene.store.is_outside(id));
        Self { scene, root, below: HashMap::from([(root, inside)]) }
    }

    /// Whether a node is below the root. Runs in O(1) for the scene's root, else in O(depth), but at most once for each
    /// node on the way.
    pub(super) fn contains(&mut self, node: NodeHandle) -> bool {
        let Some(id) = self.scene.store.resolve(node).filter(|_| node != self.root) else { return false };
        if self.root == self.scene.root() {
            return !self.scene.store.is_outside(id);
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
