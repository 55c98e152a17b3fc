//! Moves nodes: to other parents, and among their siblings.

use crate::scene::iter::Children;
use crate::scene::{Keep, NodeRef, Place, Scene};
use crate::store::{Position, RecordId, WideLocal};
use crate::{Error, NodeHandle, node::LocalForm};

impl Scene {
    /// Moves a node and everything below it to another place. Until the next update, passes see the nodes at their old
    /// position.
    ///
    /// The place is within the tree, in a detached subtree, or outside of the tree ([`Place::Detached`]). Returns the
    /// form of the node's local transform afterwards, if it has one.
    ///
    /// [`Keep::World`] keeps the world transform: the local transform is computed in double precision, and is stored as
    /// a matrix if it shears. If the translation of the node, or of an old or new ancestor, is in double precision, so
    /// is the new translation: see [`NodeMut::set_translation_f64`](crate::NodeMut::set_translation_f64). A node
    /// without a transform gets one if its new parent has another world transform. A move to the same parent, or of an
    /// [anchored](crate::Node::anchored) node, changes no transform.
    ///
    /// Runs in **O(1)** for a leaf. For a node with children, the check for cycles takes the lesser of O(depth of the
    /// new parent) and O(nodes of the subtree). [`Keep::World`] also takes O(old and new ancestors); moves between the
    /// tree and detached subtrees take O(nodes moved). The next update takes O(nodes moved) more.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::RootIsFixed`], [`Error::BesideDetached`], [`Error::IndexOutOfRange`],
    /// [`Error::WouldCycle`]. With [`Keep::World`] also: [`Error::Singular`] if the world transform of the new parent
    /// is singular; [`Error::Overflow`] if the local transform or the world matrix is too large; [`Error::Underflow`]
    /// if the local transform is too small.
    ///
    /// ```
    /// use hedgerow::{Keep, Node, NodeRef, Place, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(5.0, 0.0, 0.0)))?;
    /// let driver = scene.insert(scene.root(), Node::transform(Transform::from_xyz(6.0, 1.0, 0.0)))?;
    /// scene.reparent(driver, car, Keep::World)?;
    /// let local = scene.local(driver).and_then(|local| local.transform()).unwrap();
    /// assert_eq!(local.translation.to_array(), [1.0, 1.0, 0.0]);
    ///
    /// scene.reparent(driver, Place::Detached, Keep::Local)?;
    /// assert!(scene.contains(driver) && scene.parent(driver).is_none());
    /// assert!(scene.detached().map(NodeRef::handle).eq([driver]));
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
        // It keeps its place among the detached subtrees.
        if to == Position::DETACHED && self.store.nodes.is_detached_top(id) {
            return Ok(self.store.nodes.form(id));
        }
        // A leaf has nothing below it, which saves the climb to the root.
        if !self.store.nodes.is_leaf(id) && self.store.nodes.is_in_subtree(to.parent, id) || to.parent == id {
            return Err(Error::WouldCycle { node, parent: self.store.nodes.handle(to.parent) });
        }
        // Fallible, so before the first change.
        let kept = match keep {
            Keep::World => self.local_kept(id, to)?,
            Keep::Local => None,
        };
        self.store.nodes.relocate(id, to);
        if let Some(local) = kept {
            self.store.nodes.set_wide_local(id, local);
        }
        Ok(self.store.nodes.form(id))
    }

    /// Returns the local transform that keeps a node where it is in the world; `None` if it need not change.
    #[inline(never)]
    fn local_kept(&self, id: RecordId, to: Position) -> Result<Option<WideLocal>, Error> {
        self.store.nodes.local_below(id, (to.parent != RecordId::LIMBO).then_some(to.parent))
    }

    /// Returns the roots of the detached subtrees, in the order in which they were detached or inserted.
    ///
    /// Snapshots and text include detached subtrees. Edits take these roots like any other node:
    ///
    /// ```
    /// use hedgerow::{Keep, Node, NodeRef, Place, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let pool = scene.insert(Place::Detached, Node::group())?;
    /// let spare = scene.insert(pool, Node::group())?;
    /// assert!(scene.detached().flat_map(NodeRef::descendants).map(NodeRef::handle).eq([pool, spare]));
    /// scene.reparent(scene.detached().next().unwrap().handle(), scene.root(), Keep::Local)?;
    /// assert_eq!(scene.detached().next(), None);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn detached(&self) -> Children<'_> {
        Children::new(Some(NodeRef::new(self, RecordId::LIMBO)))
    }
}
