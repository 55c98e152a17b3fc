//! Moves nodes: to other parents, among their siblings, into slices of their own.

use crate::scene::{Keep, Place, Scene};
use crate::store::{At, Beside};
use crate::{Error, Local, NodeHandle, node::LocalForm};
use core::cmp::Ordering;

impl Scene {
    /// Moves a node and everything below it to another place, also between detached subtrees and the tree, or out of
    /// the tree ([`Place::Detached`]). Returns the form of its own local transform afterwards (`None` for a node
    /// without one).
    ///
    /// [`Keep::World`] keeps the world transform exactly: the local one is computed in double precision, and is stored
    /// as a matrix if it shears. A node without a transform gets one, if its new parent has another world transform. A
    /// move to the same parent changes no transform.
    ///
    /// Runs in **O(nodes moved)** if the subtree goes to another slice. Within a slice it takes O(nodes of the subtree
    /// that inherit other values than before): O(1) for a node with a transform whose material and visibility do not
    /// change. The check for cycles climbs from the new parent and walks the subtree in turns, and ends when the
    /// shorter way is done. [`Keep::World`] also takes O(ancestors with a transform), above the old place and above the
    /// new one.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`], [`Error::BesideDetached`], [`Error::IndexOutOfRange`],
    /// [`Error::WouldCycle`]; with [`Keep::World`] also
    /// [`Error::Singular`] below a flattened parent, [`Error::NotFinite`] if the numbers of the local transform are too
    /// large, and [`Error::Underflow`] if they are too small.
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
        let place = place.into();
        if let (Place::LastChildOf(parent), Keep::Local) = (place, keep)
            && let Some(transform) = self.store.reparent_shortly(node, parent)
        {
            return Ok(transform.then_some(LocalForm::Transform));
        }
        self.reparent_at_length(node, place, keep)
    }

    /// Moves a node with everything below it, between any places, or returns the error.
    #[inline(never)]
    fn reparent_at_length(&mut self, node: NodeHandle, place: Place, keep: Keep) -> Result<Option<LocalForm>, Error> {
        let at = self.at(node)?;
        if at == At::ROOT {
            return Err(Error::RootIsFixed);
        }
        let Some(place) = self.beside(place, Some(node))? else {
            return self.move_out(node, at, keep);
        };
        let parent = self.store.parent_of_place(place)?;
        let beside_itself = matches!(place, Beside::Before(anchor) | Beside::After(anchor) if anchor == node);
        if !beside_itself {
            // Detached nodes and nodes of the tree are in different trees.
            let same_tree = self.store.membership(at) == self.store.membership(parent);
            if same_tree && self.store.is_in_subtree(parent, at) {
                return Err(Error::WouldCycle { node, parent: self.store.handle(parent) });
            }
            let kept = match keep {
                Keep::World if self.store.parent(at) != Some(parent) => self.store.local_below(at, parent)?,
                Keep::World | Keep::Local => None,
            };
            self.store.relocate(node, at, place, parent);
            if let Some(local) = kept {
                let at = self.at(node)?;
                self.store.add_transform(at, local);
            }
        }
        Ok(self.local(node).map(Local::form))
    }

    /// Moves a node with everything below it out of the tree.
    fn move_out(&mut self, node: NodeHandle, at: At, keep: Keep) -> Result<Option<LocalForm>, Error> {
        if !self.store.is_detached_root(at) {
            let kept = match keep {
                Keep::World => self.store.local_alone(at)?,
                Keep::Local => None,
            };
            self.store.detach(at);
            if let Some(local) = kept {
                let at = self.at(node)?;
                self.store.add_transform(at, local);
            }
        }
        Ok(self.local(node).map(Local::form))
    }

    /// Sorts the children of a node by a comparison of their handles; equal ones keep their order.
    ///
    /// Runs in **O(n log n)** comparisons for n children, and does nothing more if they are in order already. Else they
    /// are linked again in O(n) if all of them are in the slice of the parent or have one to themselves. If they are in
    /// several slices, they move to new ones in O(nodes in the slices of the children). What is up to date stays so. If
    /// `compare` panics, nothing has changed.
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
        self.at(parent)?;
        let before: Vec<NodeHandle> = self.children(parent).collect();
        let mut sorted = before.clone();
        sorted.sort_by(|&a, &b| compare(self, a, b));
        if sorted != before {
            self.store.sort_children(parent, &sorted);
        }
        Ok(())
    }
}
