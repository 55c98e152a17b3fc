//! Moving nodes: to other parents, among their siblings, into slices of their own.

use crate::scene::{Keep, Place, Scene};
use crate::store::At;
use crate::{Error, Local, NodeHandle, edit::LocalForm};
use core::cmp::Ordering;

impl Scene {
    /// Moves a node and all below it to another place, also from one detached subtree to another or to the tree, and answers
    /// the form of its own local transform afterwards (`None` for a node without one).
    ///
    /// [`Keep::World`] keeps the world transform exactly: the local one is computed in double precision, and is kept as a
    /// matrix where it shears. A node without a transform of its own is given one, if its new place is another one in the
    /// world. A move that leaves the parent as it is changes no transform.
    ///
    /// Computes in **O(nodes moved)** where the subtree goes to another slice. Within a slice it takes O(nodes of the
    /// subtree that inherit something else than before): O(1) for a node with a transform whose material and visibility do
    /// not change. The check for cycles climbs from the new parent and walks the subtree by turns, and ends with the
    /// shorter. [`Keep::World`] takes O(ancestors with a transform) besides, above the old place and above the new one: each
    /// is walked up to once.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`], [`Error::WouldCycle`]; with [`Keep::World`] also
    /// [`Error::Singular`] below a parent that is flattened, as that says, [`Error::NotFinite`] where the numbers of the local
    /// transform are too large, and [`Error::Underflow`] where they are too small.
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

    /// Moves a node with all below it, from and to any place, or says why it cannot.
    #[inline(never)]
    fn reparent_at_length(&mut self, node: NodeHandle, place: Place, keep: Keep) -> Result<Option<LocalForm>, Error> {
        let at = self.at(node)?;
        if at == At::ROOT {
            return Err(Error::RootIsFixed);
        }
        let parent = self.store.parent_of_place(place)?;
        let beside_itself = matches!(place, Place::Before(anchor) | Place::After(anchor) if anchor == node);
        if !beside_itself {
            // What is detached and what is not are parts of different trees.
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

    /// Sorts the children of a node by a comparison of their handles; equal ones keep their order.
    ///
    /// Computes in **O(n log n)** comparisons for n children, and nothing more where they are in order already. Else they are
    /// linked anew in O(n) where all of them are in the slice of the parent or have one to themselves, and moved to new slices
    /// in O(nodes in the slices of the children) where they are in several. What is up to date stays so. If `compare` panics
    /// nothing has changed.
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

    /// Gives the subtree of a node a slice of its own.
    ///
    /// An application that knows which subtrees change a lot, or come and go as a whole, keeps with this what such a
    /// change costs from their neighbours (the thesis, section 7). It holds until the subtree is moved: then it settles anew,
    /// and a small one joins the slice of its new place. Computes in **O(nodes of the subtree in its slice)**, and in O(1)
    /// where it has a slice of its own already.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`].
    pub fn isolate(&mut self, node: NodeHandle) -> Result<(), Error> {
        let at = self.at(node)?;
        if at == At::ROOT {
            return Err(Error::RootIsFixed);
        }
        self.store.isolate(node, at);
        Ok(())
    }
}
