//! Inserting and removing nodes.

use crate::scene::{Place, Scene};
use crate::store::{Has, Position, RecordId};
use crate::{Error, Local, Node, NodeHandle};

impl Scene {
    /// Inserts a node and returns its handle. Until the next [`Scene::update`], [`Scene::world`] returns the identity
    /// for it, and draw lists, culling and queries do not include it.
    ///
    /// A plain handle as `place` means the last child of that node. At [`Place::Detached`], the node becomes the root
    /// of a detached subtree, which you can build before it is visible.
    ///
    /// Runs in amortised **O(1)**, even among many siblings. [`NodeRef::fresh_world`](crate::NodeRef::fresh_world)
    /// returns the actual world matrix before the update. To insert a node with a given world transform, insert it with
    /// the identity, then call [`Scene::set_world`].
    ///
    /// # Errors
    /// [`Error::StaleHandle`]; [`Error::RootIsFixed`] and [`Error::BesideDetached`] for a sibling of a root;
    /// [`Error::IndexOutOfRange`], [`Error::NotFinite`], [`Error::NotRotation`], [`Error::NoLocal`],
    /// [`Error::CapacityOverflow`].
    ///
    /// ```
    /// use hedgerow::{Node, Place, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// scene.try_reserve(scene.root(), 3)?; // the next three inserts allocate no records
    /// let second = scene.insert(scene.root(), Node::group().with_name("second"))?;
    /// let first = scene.insert(Place::Before(second), Node::group().with_name("first"))?;
    /// assert!(scene.children(scene.root()).eq([first, second]));
    ///
    /// let lamp = scene.insert(first, Node::transform(Transform::IDENTITY))?;
    /// scene.set_world(lamp, Transform::from_xyz(1.0, 2.0, 3.0))?;
    /// assert_eq!(scene.get(lamp).unwrap().fresh_world().translation().y, 2.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    // If the compiler sees which parts a description has, it removes the code for all other parts.
    #[inline(always)]
    pub fn insert(&mut self, place: impl Into<Place>, node: Node<'_>) -> Result<NodeHandle, Error> {
        let place = self.position(place.into(), None)?;
        match &node.local {
            // The common description is inserted without a check of each part.
            Some(Local::Transform(transform)) if !node.has_rare_parts() && transform.is_plain() => {
                self.store.nodes.insert_record(place, transform, Has::TRANSFORM, node.material)
            }
            _ => self.insert_other(place, &node),
        }
    }

    /// Inserts a node with more than a transform and a material, or whose description may be invalid.
    #[inline(never)]
    fn insert_other(&mut self, place: Position, node: &Node<'_>) -> Result<NodeHandle, Error> {
        let checked;
        let node = if node.is_plain() {
            node
        } else {
            checked = node.checked()?;
            &checked
        };
        self.store.nodes.insert(place, node)
    }

    /// Removes a node and everything below it, and returns the number of nodes removed. Draw lists and queries no
    /// longer include them, even before the next update, and their handles are stale.
    ///
    /// Runs in **O(nodes removed)**, even among many siblings.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`].
    #[inline]
    pub fn remove(&mut self, node: NodeHandle) -> Result<usize, Error> {
        let id = self.at(node)?;
        if id == RecordId::ROOT {
            return Err(Error::RootIsFixed);
        }
        Ok(self.store.remove(id))
    }

    /// Removes every node except the root, which keeps its components. Detached subtrees are removed too.
    ///
    /// Runs in **O(nodes)**.
    pub fn clear(&mut self) {
        self.store.clear();
    }
}
