//! Many edits of one kind in one call.
//!
//! A batch is checked as a whole before anything changes, and then made in the order in which the nodes lie in storage,
//! with what the next edits are going to read asked for ahead. Edits in random places mostly wait for memory one after
//! another; those of a batch wait together.

use crate::error::BatchError;
use crate::scene::{Keep, Scene};
use crate::store::{At, MAX_NODES};
use crate::{Error, Node, NodeHandle, Transform};

impl Scene {
    /// Inserts many nodes, each behind the last child of its parent, and appends their handles to `handles` in the order
    /// of `items`.
    ///
    /// The tree is then the same as after [`Scene::insert`] of one after another, siblings in the order of `items`; only
    /// which handle is whose may differ. Computes in amortised **O(n)** for n items, for many in random places of a large
    /// scene in about half the time of single inserts.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first item that is refused: [`Error::StaleHandle`] for its parent,
    /// [`Error::NotFinite`], [`Error::NotRotation`]. [`Error::CapacityOverflow`] where the scene may not have a number for
    /// each node: as every one of them might need a handle table of its own, a call takes as many nodes as there can still be
    /// tables, 2²⁴ less [`Stats::tables`](crate::stats::Stats::tables). More than that go in several calls, or through
    /// [`SceneBuilder`](crate::edit::SceneBuilder). The scene and `handles` are as before.
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

    /// Removes many nodes with all below them, and answers how many nodes that were.
    ///
    /// The list is a set: a node that is named twice, or lies below another of the list, goes once. Computes in **O(nodes
    /// removed + n)** for n handles, for many in random places of a large scene in about half the time of single removals.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first handle that is refused: [`Error::StaleHandle`] for one that was stale before the
    /// call, [`Error::RootIsFixed`]. The scene is as before.
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

    /// Sets the local transforms of many nodes that have one; the last one counts of a node that is named twice.
    ///
    /// Computes in **O(n)** for n items, for many in random places of a large scene in about half the time of
    /// [`Scene::set_local`] of one after another.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first item that is refused: [`Error::StaleHandle`], [`Error::NoTransform`],
    /// [`Error::NotFinite`], [`Error::NotRotation`]. The scene is as before.
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

    /// Moves many nodes with all below them, each behind the last child of its new parent.
    ///
    /// `items` are nodes with their new parents. The tree is then the same as after [`Scene::reparent`] of one after another,
    /// siblings in the order of `items`, wherever that succeeds; a node that is named twice goes to its last place only. The
    /// list says who hangs below whom in the end: a parent and its child change places in one call, whichever is named first.
    ///
    /// With [`Keep::World`] local transforms are computed from the world transforms before the call. They may differ in the last
    /// digits from those that single moves leave.
    ///
    /// Computes in **O(nodes moved)** as [`Scene::reparent`] does, and if a node of the list has children in O(ancestors of
    /// the new parents) besides, each of which is come to once. [`Keep::World`] takes O(ancestors with a transform) for each item.
    ///
    /// # Errors
    /// [`BatchError::item`] names an item that is refused, and the scene is as before. All items are checked for one thing after
    /// the other, and the first item is named that fails: [`Error::StaleHandle`] and [`Error::RootIsFixed`];
    /// [`Error::WouldCycle`] for a node that would be its own ancestor in the end; with [`Keep::World`], [`Error::Singular`],
    /// [`Error::NotFinite`] and [`Error::Underflow`] as [`Scene::reparent`] has them. Nothing is refused later.
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
