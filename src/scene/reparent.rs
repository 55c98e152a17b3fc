//! Moves nodes: to other parents, and among their siblings.

use crate::scene::{Keep, Place, Scene};
use crate::store::{Position, RecordId, WideLocal};
use crate::{Error, NodeHandle, node::LocalForm};
use core::cmp::Ordering;

impl Scene {
    /// Moves a node and everything below it to another place, also between detached subtrees and the tree, or out of
    /// the tree ([`Place::Detached`]). Returns the form of its own local transform afterwards (`None` for a node
    /// without one).
    ///
    /// [`Keep::World`] keeps the world transform: the local one is computed in double precision, and is stored as a
    /// matrix if it shears. If the translation of the node, of one above it or of one above its new place is in double
    /// precision ([`Scene::set_translation_f64`]), so is the new one. A node without a transform gets one, if its new
    /// parent has another world transform. A move to the same parent changes no transform.
    ///
    /// Runs in **O(1)** for a leaf. For a node with children, the check for cycles climbs from the new parent and walks
    /// the subtree in turns, and ends when the shorter way is done. [`Keep::World`] also takes O(ancestors), above the old
    /// place and above the new one; moves between the tree and detached subtrees take O(nodes moved). The next update
    /// takes O(nodes moved) more: until then, passes see them where they were.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`], [`Error::BesideDetached`], [`Error::IndexOutOfRange`],
    /// [`Error::WouldCycle`]; with [`Keep::World`] also
    /// [`Error::Singular`] below a flattened parent, [`Error::NotFinite`] if numbers of the local transform or of the
    /// world matrix are too large, and [`Error::Underflow`] if those of the local transform are too small.
    ///
    /// ```
    /// use hedgerow::{Keep, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(5.0, 0.0, 0.0)))?;
    /// let driver = scene.insert(scene.root(), Node::transform(Transform::from_xyz(6.0, 1.0, 0.0)))?;
    /// scene.reparent(driver, car, Keep::World)?;
    /// let local = scene.local(driver).and_then(|local| local.transform()).unwrap();
    /// assert_eq!(local.translation.to_array(), [1.0, 1.0, 0.0]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[inline]
    pub fn reparent(
        &mut self,
        node: NodeHandle,
        place: impl Into<Place>,
        keep: Keep,
    ) -> Result<Option<LocalForm>, Error> {
        let id = self.at(node)?;
        if id == RecordId::ROOT {
            return Err(Error::RootIsFixed);
        }
        let to = self.position(place.into(), Some(id))?;
        if to == Position::DETACHED && self.store.is_detached_top(id) {
            return Ok(self.store.form(id));
        }
        if !self.store.is_leaf(id) && self.store.is_in_subtree(to.parent, id) || to.parent == id {
            return Err(Error::WouldCycle { node, parent: self.store.handle(to.parent) });
        }
        let kept = match keep {
            Keep::World => self.local_kept(id, to)?,
            Keep::Local => None,
        };
        self.store.relocate(id, to);
        if let Some(local) = kept {
            self.store.set_wide_local(id, local);
        }
        Ok(self.store.form(id))
    }

    /// The local transform that keeps a node where it is in the world; `None` if it need not change.
    #[inline(never)]
    fn local_kept(&self, id: RecordId, to: Position) -> Result<Option<WideLocal>, Error> {
        let parent = (to.parent != RecordId::LIMBO).then_some(to.parent);
        if self.store.parent(id) == parent {
            return Ok(None);
        }
        self.store.local_below(id, parent)
    }

    /// Sorts the children of a node by a comparison of their handles; equal ones keep their order.
    ///
    /// Runs in **O(n log n)** comparisons for n children, and does nothing more if they are in order already. Else they
    /// are linked again in O(n); the order of draws stays. If `compare` panics, nothing has changed.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// for name in ["oak", "ash", "elm"] {
    ///     scene.insert(scene.root(), Node::group().named(name))?;
    /// }
    /// scene.sort_children_by(scene.root(), |scene, a, b| scene.name(a).cmp(&scene.name(b)))?;
    /// let names: Vec<_> = scene.children(scene.root()).filter_map(|node| scene.name(node)).collect();
    /// assert_eq!(names, ["ash", "elm", "oak"]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn sort_children_by(
        &mut self,
        parent: NodeHandle,
        mut compare: impl FnMut(&Self, NodeHandle, NodeHandle) -> Ordering,
    ) -> Result<(), Error> {
        let id = self.at(parent)?;
        let before: Vec<NodeHandle> = self.children(parent).collect();
        let mut sorted = before.clone();
        sorted.sort_by(|&a, &b| compare(self, a, b));
        if sorted != before {
            let order: Vec<RecordId> = sorted.iter().map(|child| child.record()).collect();
            self.store.order_children(id, &order);
        }
        Ok(())
    }
}
