//! Inserting and removing nodes.

use crate::scene::{Place, Scene};
use crate::store::At;
use crate::{Error, Node, NodeHandle};

impl Scene {
    /// Inserts a node and returns its handle. A plain handle as `place` means the last child of that node;
    /// [`Place::Detached`] makes a detached subtree, for a node that is to be built up before it is seen.
    ///
    /// Runs in amortised **O(1)**, also among many siblings. Until the next [`Scene::update`], the world matrix of a
    /// node with a transform is the identity, and one without a transform has that of the node that it inherits from;
    /// use [`Scene::fresh_world`] before that.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`] and [`Error::BesideDetached`] for a place beside a root,
    /// [`Error::IndexOutOfRange`], [`Error::NotFinite`], [`Error::NotRotation`], [`Error::CapacityOverflow`].
    ///
    /// ```
    /// use hedgerow::{Node, Place, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let second = scene.insert(scene.root(), Node::group().named("second"))?;
    /// let first = scene.insert(Place::Before(second), Node::group().named("first"))?;
    /// assert!(scene.children(scene.root()).eq([first, second]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[inline]
    pub fn insert(&mut self, place: impl Into<Place>, node: Node<'_>) -> Result<NodeHandle, Error> {
        let place = place.into();
        if let Place::LastChildOf(parent) = place
            && let Some(handle) = self.store.insert_usual(parent, &node)
        {
            return Ok(handle);
        }
        self.insert_at_length(place, &node)
    }

    /// Inserts a node of any kind at any place, or returns the error.
    #[inline(never)]
    fn insert_at_length(&mut self, place: Place, node: &Node<'_>) -> Result<NodeHandle, Error> {
        let place = match self.beside(place, None)? {
            Some(place) => Some((place, self.store.find_anchor(place)?)),
            None => None,
        };
        let adjusted;
        let node = if node.is_plain() {
            node
        } else {
            adjusted = node.checked()?;
            &adjusted
        };
        let inserted = match place {
            Some((place, anchor)) => self.store.insert(place, anchor, node),
            None => self.store.insert_detached(node),
        };
        inserted.ok_or(Error::CapacityOverflow)
    }

    /// Removes a node and everything below it. Returns the number of nodes removed. Their handles are stale from then
    /// on.
    ///
    /// Runs in **O(nodes removed)**, also among many siblings.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`].
    #[inline]
    pub fn remove(&mut self, node: NodeHandle) -> Result<usize, Error> {
        match self.store.remove_shortly(node) {
            Some(()) => Ok(1),
            None => self.remove_at_length(node),
        }
    }

    /// Removes a node of any kind with everything below it, or returns the error.
    #[inline(never)]
    fn remove_at_length(&mut self, node: NodeHandle) -> Result<usize, Error> {
        let at = self.at(node)?;
        if at == At::ROOT {
            return Err(Error::RootIsFixed);
        }
        Ok(self.store.remove(node, at))
    }

    /// Removes every node except the root, which keeps its components. Detached subtrees are removed too.
    ///
    /// Runs in **O(nodes)**.
    pub fn clear(&mut self) {
        self.store.clear();
    }
}
