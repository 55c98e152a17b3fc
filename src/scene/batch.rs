//! Batches: many edits of one kind in one call.
//!
//! A batch is checked as a whole before anything changes. Then its edits are made in the order in which the nodes lie
//! in storage, and what the next edits will read is prefetched. Single edits in random places mostly wait for memory
//! one after another; those of a batch wait together.

use crate::error::BatchError;
use crate::scene::{Keep, Scene};
use crate::store::{At, MAX_NODES};
use crate::{Error, Node, NodeHandle, Transform};

impl Scene {
    /// Inserts many nodes, each as the last child of its parent, and appends their handles to `handles` in the order of
    /// `items`.
    ///
    /// The tree is the same as after one [`Scene::insert`] after another, with siblings in the order of `items`; only
    /// which node gets which handle may differ. Runs in amortised **O(n)** for n items. Many inserts in random places
    /// of a large scene take about half the time of single ones.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first item that is refused: [`Error::StaleHandle`] for its parent,
    /// [`Error::NotFinite`], [`Error::NotRotation`]. [`Error::CapacityOverflow`] if the scene may run out of handle
    /// tables: since every node might need a table of its own, a call takes at most 2²⁴ less
    /// [`Stats::tables`](crate::stats::Stats::tables) nodes. For more, make several calls, or use
    /// [`SceneBuilder`](crate::edit::SceneBuilder). The scene and `handles` are unchanged.
    ///
    /// ```
    /// use hedgerow::edit::BatchError;
    /// use hedgerow::{Error, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// let mut handles = Vec::new();
    /// scene.insert_many(&[(root, Node::group()), (root, Node::material(2))], &mut handles)?;
    /// assert!(scene.children(root).eq(handles.iter().copied()));
    ///
    /// let gone = handles[0];
    /// scene.remove(gone)?;
    /// let refused = scene.insert_many(&[(root, Node::group()), (gone, Node::group())], &mut handles);
    /// assert_eq!(refused, Err(BatchError { item: Some(1), error: Error::StaleHandle(gone) }));
    /// assert_eq!((scene.len(), handles.len()), (2, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_many(
        &mut self,
        items: &[(NodeHandle, Node<'_>)],
        handles: &mut Vec<NodeHandle>,
    ) -> Result<(), BatchError> {
        if items.len() > MAX_NODES - self.store.total_len() || !self.store.can_open_tables(items.len()) {
            return Err(Error::CapacityOverflow.into());
        }
        self.store.insert_many(items, handles, |store, parent, node| {
            let at = store.resolve(parent).ok_or(Error::StaleHandle(parent))?;
            if !node.is_plain() {
                node.checked()?;
            }
            Ok(at)
        })
    }

    /// Removes many nodes with everything below them, and returns the number of nodes removed.
    ///
    /// The list is a set: a node that is listed twice, or is below another listed node, is removed once. Runs in
    /// **O(nodes removed + n)** for n handles. Many removals in random places of a large scene take about half the time
    /// of single ones.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first handle that is refused: [`Error::StaleHandle`] for one that was stale
    /// before the call, [`Error::RootIsFixed`]. The scene is unchanged.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let wheel = scene.insert(car, Node::group())?;
    /// assert_eq!(scene.remove_many(&[wheel, car, wheel])?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove_many(&mut self, nodes: &[NodeHandle]) -> Result<usize, BatchError> {
        self.store.remove_many(nodes, |store, node| match store.resolve(node) {
            None => Err(Error::StaleHandle(node)),
            Some(At::ROOT) => Err(Error::RootIsFixed),
            Some(at) => Ok(at),
        })
    }

    /// Sets the local transforms of many nodes that have one. If a node is listed twice, the last one counts.
    ///
    /// Runs in **O(n)** for n items. Many items in random places of a large scene take about half the time of single
    /// [`Scene::set_local`] calls.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first item that is refused: [`Error::StaleHandle`], [`Error::NoTransform`],
    /// [`Error::NotFinite`], [`Error::NotRotation`]. The scene is unchanged.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// scene.set_transforms(&[(car, Transform::from_xyz(1.0, 0.0, 0.0)), (car, Transform::from_xyz(2.0, 0.0, 0.0))])?;
    /// scene.update();
    /// assert_eq!(scene.world(car).unwrap().translation().x, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_transforms(&mut self, items: &[(NodeHandle, Transform)]) -> Result<(), BatchError> {
        self.store.set_many(items, |store, node, transform| {
            if transform.is_plain()
                && let Some(slot) = store.local_slot_of(node)
            {
                return Ok(slot);
            }
            store.resolve(node).ok_or(Error::StaleHandle(node))?;
            transform.checked()?;
            store.local_slot_of(node).ok_or(Error::NoTransform(node))
        })
    }

    /// Moves many nodes with everything below them, each to the last child of its new parent.
    ///
    /// `items` are nodes with their new parents. The tree is the same as after one [`Scene::reparent`] after another,
    /// with siblings in the order of `items`, if all of these succeed. A node that is listed twice only goes to its
    /// last place. Only the final tree matters: a parent and its child can be swapped in one call, in any order.
    ///
    /// With [`Keep::World`] local transforms are computed from the world transforms before the call. They may differ in
    /// the last digits from the results of single moves.
    ///
    /// Runs in **O(nodes moved)**, as [`Scene::reparent`] does. If a listed node has children, this also takes
    /// O(ancestors of the new parents), each visited once. [`Keep::World`] takes O(ancestors with a transform) for each
    /// item.
    ///
    /// # Errors
    /// [`BatchError::item`] names an item that is refused, and the scene is as before. The items are checked for one
    /// error after another, and the first item that fails a check is named: [`Error::StaleHandle`] and
    /// [`Error::RootIsFixed`]; [`Error::WouldCycle`] for a node that would become its own ancestor; with
    /// [`Keep::World`], [`Error::Singular`], [`Error::NotFinite`] and [`Error::Underflow`] as for [`Scene::reparent`].
    /// After these checks nothing is refused.
    ///
    /// ```
    /// use hedgerow::{Keep, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// let above = scene.insert(root, Node::group())?;
    /// let below = scene.insert(above, Node::group())?;
    /// scene.reparent_many(&[(above, below), (below, root)], Keep::Local)?;
    /// assert_eq!(scene.parent(above), Some(below));
    /// assert_eq!(scene.parent(below), Some(root));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reparent_many(&mut self, items: &[(NodeHandle, NodeHandle)], keep: Keep) -> Result<(), BatchError> {
        self.store.move_many(items, keep == Keep::World, |store, node, parent| {
            let at = store.resolve(node).ok_or(Error::StaleHandle(node))?;
            if at == At::ROOT {
                return Err(Error::RootIsFixed);
            }
            store.resolve(parent).map(|_| at).ok_or(Error::StaleHandle(parent))
        })
    }
}
