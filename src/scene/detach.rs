//! Subtrees that leave the tree: for a while, or for good without a pause.

use crate::scene::{Keep, Place, Scene};
use crate::store::{At, Membership};
use crate::{Error, NodeHandle, edit::LocalForm};

impl Scene {
    /// Takes a node and all below it out of the tree, to be attached again somewhere or removed.
    ///
    /// A detached subtree costs no pass anything. Its handles stay valid, and it can be edited and asked about like any
    /// other: its root has no parent and no siblings, world transforms are relative to where that stands, and neither
    /// visibility nor material comes from above. [`Scene::update`] brings up to date what edits reached in it.
    /// [`Scene::len`] leaves it out. Detaching the root of a detached subtree does nothing.
    ///
    /// Computes in **O(nodes of the subtree in its slice + slices below)**, and in O(nodes of the subtree) where the scene tells
    /// changes ([`SceneConfig::changes`](crate::SceneConfig::changes)).
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

    /// Puts a detached subtree to a place in the tree, or in another detached subtree, and answers the form of its root's
    /// local transform afterwards (`None` for a node without one).
    ///
    /// [`Keep`] is as in [`Scene::reparent`]: the world transform that is kept is the one that the root had while it was
    /// detached. Computes in **O(slices below)**, and for a small subtree that joins the slice of its new place in O(its
    /// nodes), as for any where the scene tells changes ([`SceneConfig::changes`](crate::SceneConfig::changes)).
    /// [`Keep::World`] takes O(ancestors with a transform above the new place) besides.
    ///
    /// # Errors
    /// [`Error::StaleHandle`]; [`Error::NotDetached`] for a node that is not the root of a detached subtree;
    /// [`Error::RootIsFixed`] and [`Error::BesideDetached`] for a place beside a root, [`Error::WouldCycle`] for one below the
    /// node itself; with [`Keep::World`] also [`Error::Singular`], [`Error::NotFinite`] and [`Error::Underflow`].
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

    /// Removes a node and all below it, and leaves most of the work to [`Scene::maintain`]; answers how many nodes that
    /// were. Their handles are stale at once.
    ///
    /// What lies in the slice of the node goes at once, each slice below when there is time: removing a million nodes stalls
    /// no frame. Until then [`Stats::pending_free`](crate::stats::Stats::pending_free) counts the nodes, and they keep their memory. Computes
    /// in **O(nodes of the subtree in its slice + slices below)**, and in O(nodes of the subtree) where the scene tells
    /// changes ([`SceneConfig::changes`](crate::SceneConfig::changes)).
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

    /// How many nodes the detached subtrees have. Computes in **O(1)**.
    #[must_use]
    pub fn detached_len(&self) -> usize {
        self.store.len_of(Membership::Detached)
    }

    /// Whether a node lies in a detached subtree, as its root or below. Computes in **O(1)**; a stale handle does not.
    #[must_use]
    pub fn is_detached(&self, node: NodeHandle) -> bool {
        self.store.resolve(node).is_some_and(|at| self.store.membership(at) == Membership::Detached)
    }

    /// The roots of the detached subtrees, in an order that means nothing but is the same from run to run.
    ///
    /// [`Scene::save`] keeps detached subtrees, and so does the readable form of the feature `serde`.
    #[must_use]
    pub fn detached_roots(&self) -> impl ExactSizeIterator<Item = NodeHandle> + '_ {
        self.store.detached_roots().map(|at| self.store.handle(at))
    }
}
