//! What draws are told beside their shapes: a word of the user's own, and where their matrices are stored.

use crate::scene::Scene;
use crate::store::MatrixSlot;
use crate::{Error, Mat34, NodeHandle};

impl Scene {
    /// The number of the user's own that a node's draws carry; 0 if none was set. `None` for a stale handle.
    #[must_use]
    pub fn word(&self, node: NodeHandle) -> Option<u32> {
        self.store.resolve(node).map(|id| self.store.word(id))
    }

    /// Sets a number of the user's own that the node's draws carry as [`DrawCommand::word`](crate::draw::DrawCommand):
    /// the place of its colour in a buffer, its lightmap, its skin palette. Returns the number before.
    ///
    /// Runs in **O(1)**; kept draw lists list the node's slice again if the number changed. A word stays with its node
    /// wherever that goes, is copied with it, is written in snapshots and in the readable form, and is gone when the
    /// node is removed. A scene in which none is set pays nothing; else words lie in blocks of 64 nodes, 264 bytes each. It
    /// is not told to readers of [changes](Scene::changes).
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Node, Scene, Shape};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::shape(Shape::new(7, Aabb::cube(1.0))))?;
    /// scene.set_word(car, 0x00_80_ff)?;
    /// scene.update();
    /// let mut list = DrawList::new();
    /// scene.draw_list(&mut list);
    /// assert_eq!(list.commands()[0].word, 0x00_80_ff);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn set_word(&mut self, node: NodeHandle, word: u32) -> Result<u32, Error> {
        let id = self.at(node)?;
        Ok(self.store.set_word(id, word))
    }

    /// The world matrix in a slot, as of the last update; `None` if there is no such slot. What an unused
    /// slot holds is undefined. Runs in **O(1)**.
    #[inline]
    #[must_use]
    pub fn matrix_at(&self, slot: MatrixSlot) -> Option<&Mat34> {
        self.store.get_view(slot.slice as usize)?.transforms().worlds().get(slot.slot as usize)
    }

    /// The node whose own transform is in a slot, or is copied there. `None` for unused slots, and if there is no such
    /// slot. Runs in **O(1)**, and for an import in O(slices that it comes through).
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let driver = scene.insert(car, Node::group())?;
    /// scene.update();
    /// let slot = scene.matrix_slot(driver).unwrap();
    /// assert_eq!(scene.matrix_owner(slot), Some(car));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn matrix_owner(&self, slot: MatrixSlot) -> Option<NodeHandle> {
        self.store.get_view(slot.slice as usize)?.transform_owner(slot.slot)
    }
}
