//! Removes nodes: the fast path for one without children, and the general path for whole subtrees.

use crate::NodeHandle;
use crate::store::columns::{At, NIL, Occupant, Row};
use crate::store::{Membership, Store};
use core::hint::select_unpredictable;

impl Store {
    /// Removes a node without children that is not at the top of its slice and has neither a visibility nor a name.
    ///
    /// Returns `None`, and changes nothing, in other cases, if the handle is stale, and if changes are tracked.
    #[inline(never)]
    pub(crate) fn remove_shortly(&mut self, node: NodeHandle) -> Option<()> {
        let entry = self.tables.entry(node)?;
        let number = entry.slice;
        let Self { slices, tables, counted, versions, config, .. } = self;
        let slice = slices.get_mut(number as usize)?;
        let rows = slice.rows.as_mut_slice();
        let row = rows.get_mut(entry.row as usize)?;
        let Row { parent, first_child, previous, next, visibility, name, .. } = *row;
        let rare =
            (visibility.is_own() != 0) | (name != NIL) | slice.membership.is_pending_free() | self.feed.is_some();
        if rare | (first_child != NIL) | (parent == NIL) {
            return None;
        }
        let Row { transform, material, shape, .. } = *row;
        // First what does not hang on what the row says. A core holds only so many instructions that wait for a load:
        // behind them it would not begin the next edit, either.
        tables.free(node);
        row.occupant = Occupant::VACANT;
        *counted.of_mut(slice.membership) -= 1;
        let told = slice.tell_edited_here(versions, config.bounds);
        let last = slice.row_slots.free(entry.row);
        let shrunk = slice.row_slots.live() + 1 == config.min_nodes / 2;
        let rows = slice.rows.as_mut_slice();
        let before = &mut rows[select_unpredictable(previous == NIL, parent, previous) as usize];
        *select_unpredictable(previous == NIL, &mut before.first_child, &mut before.next) = next;
        let behind = &mut rows[select_unpredictable(next == NIL, parent, next) as usize];
        *select_unpredictable(next == NIL, &mut behind.last_child, &mut behind.previous) = previous;
        slice.free_plain_components(transform, material, shape);
        if last {
            slice.rows.truncate(slice.row_slots.end() as usize);
        }
        if shrunk | !told {
            self.tell_removed(number, shrunk);
        }
        Some(())
    }

    /// Reports the first edit of a slice since the last update or maintenance, and merges a slice that became small.
    #[cold]
    #[inline(never)]
    fn tell_removed(&mut self, number: u32, shrunk: bool) {
        self.tell_first(number, false);
        if shrunk {
            self.merge_if_shrunk(number, self.config.min_nodes / 2);
        }
    }

    /// Removes the subtree of a node other than the root. Returns the number of nodes removed.
    #[inline(always)]
    pub(crate) fn remove(&mut self, node: NodeHandle, at: At) -> usize {
        self.note_removed(at);
        let slice = self.slice(at.slice);
        let (rows, membership) = (slice.row_slots.live(), slice.membership);
        let removed = if slice.row(at.row).first_child == NIL && !slice.is_alone(at.row) {
            self.remove_leaf(node, at);
            1
        } else {
            let unlinked = self.unlink_subtree(at);
            self.discard(unlinked)
        };
        *self.counted.of_mut(membership) -= removed;
        self.merge_if_shrunk(at.slice, rows);
        removed
    }

    /// Removes the subtree of a node other than the root, and frees later what lies in other slices. Returns the number
    /// of nodes removed.
    pub(crate) fn remove_later(&mut self, at: At) -> usize {
        let slice = self.slice(at.slice);
        let (rows, membership) = (slice.row_slots.live(), slice.membership);
        self.note_removed(at);
        let unlinked = self.unlink_subtree(at);
        let removed = self.free_later(unlinked);
        *self.counted.of_mut(membership) -= removed;
        if self.membership(at) != Membership::PendingFree {
            self.merge_if_shrunk(at.slice, rows);
        }
        removed
    }

    /// Removes every node except the root, including detached subtrees.
    pub(crate) fn clear(&mut self) {
        while let Some(root) = self.detached_roots().last() {
            self.note_removed(root);
            let unlinked = self.unlink_subtree(root);
            *self.counted.of_mut(Membership::Detached) -= self.discard(unlinked);
        }
        while let Some(child) = self.first_child(At::ROOT) {
            self.note_removed(child);
            let unlinked = self.unlink_subtree(child);
            *self.counted.of_mut(Membership::Attached) -= self.discard(unlinked);
        }
    }
}
