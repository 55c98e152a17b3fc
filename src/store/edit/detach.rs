//! Detaches subtrees from the tree, and gives subtrees slices of their own.

use crate::NodeHandle;
use crate::store::columns::At;
use crate::store::{Membership, Need, Settled, Store, Unlinked};

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

    /// Gives the subtree of a node, except the root, a slice of its own that is never merged with others.
    pub(crate) fn isolate(&mut self, node: NodeHandle, mut at: At) {
        while !self.slice(at.slice).is_alone(at.row) && self.make_room_for_one(&self.spot_of_portal(at), &Need::PORTAL)
        {
            at = self.resolve(node).expect("rows that move keep their handles");
        }
        if self.slice(at.slice).is_alone(at.row) {
            self.slice_mut(at.slice).isolated = true;
            return;
        }
        let spot = self.spot_of_portal(at);
        let Unlinked::Rows(from) = self.unlink_subtree(at) else {
            unreachable!("a row that is not its slice's only top leaves the slice behind");
        };
        let slice = self.insert_slice(|_| Settled::Behind(spot), false);
        self.fill_slice(slice, from);
        self.slice_mut(slice).isolated = true;
        self.collapse(from.slice);
    }
}
