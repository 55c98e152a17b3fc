//! The most common reads: a node's world matrix and its parent.

use crate::store::columns::At;
use crate::store::{CachedSlot, Store};
use crate::{Mat34, NodeHandle};

impl Store {
    /// The world matrix that a node has or inherits: goes from the entry to the matrix.
    #[inline(always)]
    pub(crate) fn world_of(&self, node: NodeHandle) -> Option<&Mat34> {
        let (entry, slice) = self.look_up(node)?;
        slice.transforms.worlds.get(entry.transform.index() as usize)
    }

    /// The same for a node whose slot was found before, and [holds](Self::holds_cached).
    #[inline(always)]
    pub(crate) fn world_cached(&self, at: &CachedSlot) -> Option<&Mat34> {
        self.slices.get(at.slice as usize)?.transforms.worlds.get(at.transform.index() as usize)
    }

    /// The parent of a node, through any number of portals above its run.
    #[inline(always)]
    pub(crate) fn parent_of(&self, node: NodeHandle) -> Option<NodeHandle> {
        let (entry, slice) = self.look_up(node)?;
        let rows = slice.rows.as_slice();
        let parent = rows.get(entry.row as usize)?.parent;
        match rows.get(parent as usize) {
            Some(above) => above.occupant.as_node(),
            None => self.parent_above(entry.at()),
        }
    }

    #[cold]
    fn parent_above(&self, at: At) -> Option<NodeHandle> {
        self.parent(at).map(|above| self.handle(above))
    }
}
