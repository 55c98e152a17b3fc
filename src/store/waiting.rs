//! The work that edits leave to the update: nodes without a row, and nodes that were moved.

use crate::NodeHandle;
use crate::store::page::{Pages, Spot};
use crate::store::record::RecordId;

/// Nodes that wait for the next update.
#[derive(Clone, Default, Debug)]
pub(crate) struct Waiting {
    /// Live nodes without a row, in no order. Each node's spot has its index here: [`Spot::waiting`].
    pub(crate) unplaced: Vec<RecordId>,
    /// Nodes that had a row when they were moved; some may have been removed since.
    pub(crate) moved: Vec<NodeHandle>,
    /// Nodes with a row whose mesh or bounds were set; some may have been removed since.
    pub(crate) redrawn: Vec<NodeHandle>,
    /// Whether any node is or was anchored. If not, no check for anchored nodes is needed.
    pub(crate) any_anchored: bool,
}

impl Waiting {
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^30 records")]
    pub(crate) fn push(&mut self, id: RecordId) -> Spot {
        let index = self.unplaced.len() as u32;
        self.unplaced.push(id);
        Spot::waiting(index)
    }

    /// Removes the node at an index. The last node gets the free index.
    #[inline]
    pub(crate) fn remove(&mut self, pages: &mut Pages, index: u32) {
        self.unplaced.swap_remove(index as usize);
        if let Some(&id) = self.unplaced.get(index as usize) {
            pages.set_spot(id, Spot::waiting(index));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.unplaced.is_empty() && self.moved.is_empty() && self.redrawn.is_empty()
    }

    pub(crate) fn shrink(&mut self) {
        self.unplaced.shrink_to_fit();
        self.moved.shrink_to_fit();
        self.redrawn.shrink_to_fit();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.unplaced.capacity() * size_of::<RecordId>()
            + (self.moved.capacity() + self.redrawn.capacity()) * size_of::<NodeHandle>()
    }
}
