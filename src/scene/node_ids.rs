//! Numbers for nodes that stay the same from file to file.

use crate::scene::{NodeMap, NodeRef, Scene};
use crate::{Error, NodeHandle};
use std::collections::BTreeMap;

/// Numbers of nodes that stay the same when a file is read and written again: see [`WithIds`](crate::text::WithIds). An
/// [`Instance`](crate::patch::Instance) keeps such numbers for a tree in a scene.
///
/// A loaded scene has new handles, but its nodes keep their ids, and each id can be mapped back to its node. Files also
/// store the next id, so that ids of removed nodes are never reused.
///
/// ```
/// use hedgerow::data::NodeIds;
/// use hedgerow::{Node, Scene};
///
/// let mut scene = Scene::new();
/// let car = scene.insert(scene.root(), Node::group())?;
/// let mut ids = NodeIds::of(&scene);
/// assert_eq!((ids.id(car), ids.node(1)), (Some(1), Some(car)));
///
/// scene.remove(car)?;
/// let tree = scene.insert(scene.root(), Node::group())?;
/// ids.assign(&scene)?;
/// assert_eq!((ids.id(tree), ids.node(1)), (Some(2), None));   // no id is given twice
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NodeIds {
    ids: NodeMap<u64>,
    nodes: BTreeMap<u64, NodeHandle>,
    /// Greater than every id so far.
    next: u64,
}

impl NodeIds {
    /// Creates an empty set of ids.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Assigns an id to each node of a scene, from 0, in depth-first order; detached nodes come last.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let mut ids = Self::new();
        ids.assign(scene).expect("a scene has fewer nodes than there are ids");
        ids
    }

    /// Assigns the next ids to the nodes of the scene that have none, in depth-first order, and drops the ids of
    /// removed nodes. Returns the number of new ids. Runs in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// [`Error::NoIds`] if there are too few ids from [`next_id`](Self::next_id) on; nothing is assigned then. With
    /// [`insert`](Self::insert), you can still assign lower ids that are free.
    pub fn assign(&mut self, scene: &Scene) -> Result<usize, Error> {
        self.assign_to(
            scene,
            scene.get(scene.root()).into_iter().chain(scene.detached()).flat_map(NodeRef::descendants),
        )
    }

    /// Assigns ids like [`assign`](Self::assign), but only to these nodes of the scene.
    pub(crate) fn assign_to<'s>(
        &mut self,
        scene: &'s Scene,
        nodes: impl Iterator<Item = NodeRef<'s>>,
    ) -> Result<usize, Error> {
        let new: Vec<NodeHandle> = nodes.map(NodeRef::handle).filter(|&node| self.id(node).is_none()).collect();
        if new.len() as u64 > u64::MAX - self.next {
            return Err(Error::NoIds { next: self.next });
        }
        // Ids of removed nodes are given up, but never given again.
        self.nodes.retain(|_, node| scene.contains(*node));
        self.ids.retain(|node, _| scene.contains(node));
        self.ids.shrink_to_fit();
        for &node in &new {
            self.set(node, self.next);
        }
        Ok(new.len())
    }

    /// Returns the next id, which is greater than every id that was ever assigned. Files store it.
    #[must_use]
    pub const fn next_id(&self) -> u64 {
        self.next
    }

    /// Raises the next id to at least `next`.
    pub(crate) fn begin_at(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    /// Assigns an id to a node. Returns false and changes nothing if the node has another id, if the id belongs to
    /// another node, or if the id is `u64::MAX`.
    #[must_use = "if false, the node did not get the id"]
    pub fn insert(&mut self, node: NodeHandle, id: u64) -> bool {
        let free = self.nodes.get(&id).is_none_or(|&other| other == node);
        let unnamed = self.ids.get(node).is_none_or(|&other| other == id);
        if !free || !unnamed || id == u64::MAX {
            return false;
        }
        self.set(node, id);
        true
    }

    /// Assigns an id to a node, and removes the id from any other node.
    pub(crate) fn set(&mut self, node: NodeHandle, id: u64) {
        // A removed node with the same record number may have an id.
        if let Some((other, other_id)) = self.ids.replace(node, id)
            && other != node
        {
            self.nodes.remove(&other_id);
        }
        if let Some(other) = self.nodes.insert(id, node).filter(|&other| other != node) {
            self.ids.remove(other);
        }
        self.next = self.next.max(id.saturating_add(1));
    }

    pub(crate) fn forget(&mut self, id: u64) {
        if let Some(node) = self.nodes.remove(&id) {
            self.ids.remove(node);
        }
    }

    /// Returns the id of a node. Runs in **O(1)**.
    #[must_use]
    pub fn id(&self, node: NodeHandle) -> Option<u64> {
        self.ids.get(node).copied()
    }

    /// Returns the node of an id. Runs in **O(log nodes)**.
    #[must_use]
    pub fn node(&self, id: u64) -> Option<NodeHandle> {
        self.nodes.get(&id).copied()
    }

    /// Returns the number of nodes with an id.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether no node has an id.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Iterates over all ids in ascending order, each with its node.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, NodeHandle)> + ExactSizeIterator + '_ {
        self.nodes.iter().map(|(&id, &node)| (id, node))
    }
}
