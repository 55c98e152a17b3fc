//! Subtrees that leave the tree for a while.

use crate::scene::{Keep, Place, Scene};
use crate::store::{Position, RecordId};
use crate::{Error, NodeHandle, node::LocalForm};

impl Scene {
    /// Detaches a subtree from the tree, to be attached again or removed later.
    ///
    /// A detached subtree costs nothing in any pass. Its handles stay valid, and it can be edited and queried like any
    /// other. Its root has no parent and no siblings, its world transforms start with the local transform of its root,
    /// and it inherits neither visibility nor material. [`Scene::update`] updates its edited parts too.
    /// [`Scene::len`] does not count it. Detaching the root of a detached subtree does nothing.
    ///
    /// Draw lists and queries have the subtree until the next update. Runs in **O(nodes of the subtree)**, and so does
    /// the update's part of it.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`].
    ///
    /// ```
    /// use hedgerow::{Keep, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let shelf = scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 2.0, 0.0)))?;
    /// let book = scene.insert(shelf, Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)))?;
    ///
    /// scene.detach(book)?;
    /// assert_eq!((scene.len(), scene.detached_len()), (2, 1));
    /// assert!(scene.contains(book) && scene.parent(book).is_none());
    ///
    /// scene.attach(book, shelf, Keep::Local)?;
    /// scene.update();
    /// assert_eq!(scene.world(book).unwrap().translation().to_array(), [1.0, 2.0, 0.0]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn detach(&mut self, node: NodeHandle) -> Result<(), Error> {
        let at = self.at(node)?;
        if at == RecordId::ROOT {
            return Err(Error::RootIsFixed);
        }
        if !self.store.is_detached_top(at) {
            self.store.relocate(at, Position::DETACHED);
        }
        Ok(())
    }

    /// Attaches a detached subtree at a place in the tree, or in another detached subtree. Returns the form of its
    /// root's local transform afterwards (`None` for a node without one).
    ///
    /// [`Keep`] works as in [`Scene::reparent`]: the world transform to keep is the one that the root had while it was
    /// detached. Runs in **O(nodes of the subtree)**, and so does the next update's part of it. [`Keep::World`] also
    /// takes O(ancestors of the new place).
    ///
    /// # Errors
    /// [`Error::StaleHandle`]; [`Error::NotDetached`] for a node that is not the root of a detached subtree;
    /// [`Error::RootIsFixed`] and [`Error::BesideDetached`] for a place beside a root; [`Error::WouldCycle`] for a
    /// place below the node itself; with [`Keep::World`] also [`Error::Singular`], [`Error::NotFinite`] and
    /// [`Error::Underflow`].
    pub fn attach(
        &mut self,
        node: NodeHandle,
        place: impl Into<Place>,
        keep: Keep,
    ) -> Result<Option<LocalForm>, Error> {
        if !self.store.is_detached_top(self.at(node)?) {
            return Err(Error::NotDetached(node));
        }
        self.reparent(node, place, keep)
    }

    /// The number of nodes in detached subtrees. Runs in **O(1)**.
    #[must_use]
    pub fn detached_len(&self) -> usize {
        self.store.detached_len()
    }

    /// Whether a node is in a detached subtree, as its root or below; false for a stale handle. Runs in **O(1)**.
    #[must_use]
    pub fn is_detached(&self, node: NodeHandle) -> bool {
        self.store.resolve(node).is_some_and(|at| self.store.is_outside(at))
    }

    /// The roots of the detached subtrees, in the order in which they were detached or inserted.
    ///
    /// [`Scene::save`] and the readable form of the feature `serde` include detached subtrees.
    pub fn detached_roots(&self) -> impl Iterator<Item = NodeHandle> + '_ {
        self.store.detached_tops().map(|at| self.store.handle(at))
    }
}
