//! Subtrees that leave the tree: detached for a while, or removed without a pause.

use crate::scene::{Keep, Place, Scene};
use crate::store::{At, Membership};
use crate::{Error, NodeHandle, node::LocalForm};

impl Scene {
    /// Detaches a subtree from the tree, to be attached again or removed later.
    ///
    /// A detached subtree costs nothing in any pass. Its handles stay valid, and it can be edited and queried like any
    /// other. Its root has no parent and no siblings, its world transforms start with the local transform of its root,
    /// and it inherits neither visibility nor material. [`Scene::update`] updates its edited parts too.
    /// [`Scene::len`] does not count it. Detaching the root of a detached subtree does nothing.
    ///
    /// Runs in **O(nodes of the subtree in its slice + slices below)**, and in O(nodes of the subtree) if the scene
    /// tracks changes ([`SceneConfig::changes`](crate::SceneConfig::changes)).
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
        if at == At::ROOT {
            return Err(Error::RootIsFixed);
        }
        if self.store.is_detached_root(at) {
            return Ok(());
        }
        self.store.detach(at);
        Ok(())
    }

    /// Attaches a detached subtree at a place in the tree, or in another detached subtree. Returns the form of its
    /// root's local transform afterwards (`None` for a node without one).
    ///
    /// [`Keep`] works as in [`Scene::reparent`]: the world transform to keep is the one that the root had while it was
    /// detached. Runs in **O(slices below)**. A small subtree that joins the slice of its new place takes O(its nodes),
    /// and so does any subtree if the scene tracks changes ([`SceneConfig::changes`](crate::SceneConfig::changes)).
    /// [`Keep::World`] also takes O(ancestors with a transform above the new place).
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
        if !self.store.is_detached_root(self.at(node)?) {
            return Err(Error::NotDetached(node));
        }
        self.reparent(node, place, keep)
    }

    /// Removes a node and everything below it, and leaves most of the work to [`Scene::maintain`]. Returns the number
    /// of nodes removed. Their handles are stale at once.
    ///
    /// The part in the node's slice is freed at once, and each slice below during maintenance: removing a million nodes
    /// stalls no frame. Until then [`Stats::pending_free`](crate::stats::Stats::pending_free) counts the nodes, and
    /// their memory stays allocated. Runs in **O(nodes of the subtree in its slice + slices below)**, and in O(nodes of
    /// the subtree) if the scene tracks changes ([`SceneConfig::changes`](crate::SceneConfig::changes)).
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`].
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    /// use std::time::Duration;
    ///
    /// let mut scene = Scene::new();
    /// let district = scene.insert(scene.root(), Node::group())?;
    /// let house = scene.insert(district, Node::group())?;
    /// assert_eq!(scene.remove_later(district)?, 2);
    /// assert!(!scene.contains(house) && scene.len() == 1);
    /// assert_eq!(scene.maintain(Duration::MAX).freed, 2);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn remove_later(&mut self, node: NodeHandle) -> Result<usize, Error> {
        let at = self.at(node)?;
        if at == At::ROOT {
            return Err(Error::RootIsFixed);
        }
        Ok(self.store.remove_later(at))
    }

    /// The number of nodes in detached subtrees. Runs in **O(1)**.
    #[must_use]
    pub fn detached_len(&self) -> usize {
        self.store.len_of(Membership::Detached)
    }

    /// Whether a node is in a detached subtree, as its root or below; false for a stale handle. Runs in **O(1)**.
    #[must_use]
    pub fn is_detached(&self, node: NodeHandle) -> bool {
        self.store.resolve(node).is_some_and(|at| self.store.membership(at) == Membership::Detached)
    }

    /// The roots of the detached subtrees. The order has no meaning, but is the same from run to run.
    ///
    /// [`Scene::save`] and the readable form of the feature `serde` include detached subtrees.
    #[must_use]
    pub fn detached_roots(&self) -> impl ExactSizeIterator<Item = NodeHandle> + '_ {
        self.store.detached_roots().map(|at| self.store.handle(at))
    }
}
