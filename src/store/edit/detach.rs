//! Detaches subtrees from the tree.

use crate::store::columns::At;
use crate::store::{Membership, Store};

impl Store {
    /// Detaches the subtree of a node. The node must be neither the root nor the root of a detached subtree.
    pub(crate) fn detach(&mut self, at: At) {
        let slice = self.slice(at.slice);
        let (rows, from) = (slice.row_slots.live(), slice.membership);
        let nodes = self.count_nodes(at);
        self.note_left(at);
        let unlinked = self.unlink_subtree(at);
        self.release(unlinked);
        *self.counted.of_mut(from) -= nodes;
        *self.counted.of_mut(Membership::Detached) += nodes;
        self.merge_if_shrunk(at.slice, rows);
    }
}
