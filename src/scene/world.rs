//! Local and world transforms of nodes, and edits in world space.

use crate::error::BatchError;
use crate::scene::Scene;
use crate::{Error, Local, Mat34, NodeHandle, node::LocalForm};

impl Scene {
    /// Sets the local transform of a node so that its world transform becomes `world`. [`Scene::world`] returns it
    /// after the next update.
    ///
    /// Takes a [`Transform`](crate::Transform) or a [`Mat34`]. A node without a transform gets one. Returns the form of
    /// its new local transform.
    ///
    /// Runs in **O(ancestors)**, in double precision; see [`Keep::World`](crate::Keep::World) for the accuracy. The
    /// result of [`Scene::world`] becomes `world`, because this call ignores the extra precision of
    /// [`NodeMut::set_translation_f64`](crate::NodeMut::set_translation_f64) in this node and its ancestors.
    /// [`NodeMut::set_world_f64`](crate::NodeMut::set_world_f64) keeps it.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NotFinite`], [`Error::NotRotation`];
    /// [`Error::Singular`] if the parent's world transform is singular; [`Error::Overflow`] if the local transform or
    /// the world matrix is too large for single precision; [`Error::Underflow`] if the local transform is too small.
    pub fn set_world(&mut self, node: NodeHandle, world: impl Into<Local>) -> Result<LocalForm, Error> {
        let at = self.at(node)?;
        let local = self.store.nodes.local_for(at, world.into().checked_world()?)?;
        self.store.nodes.set_local(at, local);
        Ok(local.form())
    }

    /// Returns the local transform of a node, or `None` if the node has no local transform.
    #[must_use]
    #[inline]
    pub fn local(&self, node: NodeHandle) -> Option<Local> {
        match self.store.nodes.plain_local(node) {
            Some(local) => Some(Local::Transform(local)),
            None => self.store.nodes.local(self.store.nodes.resolve(node)?),
        }
    }

    /// Returns the world matrix of a node as of the last update; the identity for a node that was inserted since.
    ///
    /// [`NodeRef::fresh_world`](crate::NodeRef::fresh_world) returns the matrix as of now, for a node that was set or moved
    /// since. A node without a transform has its parent's matrix, or the identity if it is
    /// [anchored](crate::Node::anchored). If ancestors' transforms exceed single precision, numbers are infinite or NaN: see
    /// [`Stats::overflowed`](crate::stats::Stats::overflowed). Runs in **O(1)**.
    #[inline]
    #[must_use]
    pub fn world(&self, node: NodeHandle) -> Option<&Mat34> {
        self.store.world(node)
    }

    /// Copies the world matrices of many nodes as of the last update, each as [`Scene::world`] returns it: the parent's
    /// matrix for a node without a transform, the identity for a node that was inserted since.
    ///
    /// Runs in **O(n)** for n nodes. Memory is prefetched: random nodes of a large scene take 0.4 to 0.8 of the time of
    /// single calls, depending on the machine. Nodes that the cache holds, some thousand, take as long as with single
    /// calls. To read all matrices, use [`Scene::slices`].
    ///
    /// # Errors
    /// [`Error::StaleHandle`]; [`BatchError::item`] is the index of the first stale handle. Matrices of stale handles
    /// keep their values; all others are copied.
    ///
    /// # Panics
    /// Panics if there are more or fewer matrices than nodes.
    ///
    /// ```
    /// use hedgerow::{Mat34, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(2.0, 0.0, 0.0)))?;
    /// scene.update();
    /// let mut worlds = [Mat34::IDENTITY; 2];
    /// scene.worlds_of(&[car, scene.root()], &mut worlds)?;
    /// assert_eq!(worlds.map(|world| world.translation().x), [2.0, 0.0]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn worlds_of(&self, nodes: &[NodeHandle], worlds: &mut [Mat34]) -> Result<(), BatchError> {
        assert_eq!(nodes.len(), worlds.len(), "there must be a matrix for each node");
        match self.store.copy_worlds(nodes, worlds) {
            Some(item) => Err(BatchError::at(item, Error::StaleHandle(nodes[item]))),
            None => Ok(()),
        }
    }
}
