//! Removing nodes: the short way, one without children, and the long way, any with all below it.

use crate::NodeHandle;
use crate::store::columns::{At, NIL, Occupant, Row};
use crate::store::{Membership, Store};
use core::hint::select_unpredictable;

impl Store {
    /// Removes a node without children that is not at the top of its slice and has neither a visibility nor a name.
    ///
    /// Returns `None`, and has changed nothing, where it is not so, where the handle is stale, and where changes are told.
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
        row.occupant = Occupant::VACANT;
        let Row { transform, material, shape, .. } = *row;
        let before = &mut rows[select_unpredictable(previous == NIL, parent, previous) as usize];
        *select_unpredictable(previous == NIL, &mut before.first_child, &mut before.next) = next;
        let behind = &mut rows[select_unpredictable(next == NIL, parent, next) as usize];
        *select_unpredictable(next == NIL, &mut behind.last_child, &mut behind.previous) = previous;
        slice.free_plain_components(transform, material, shape);
        if slice.row_slots.free(entry.row) {
            slice.rows.truncate(slice.row_slots.end() as usize);
        }
        tables.free(node);
        *counted.of_mut(slice.membership) -= 1;
        let told = slice.tell_edited_here(versions, config.bounds);
        let shrunk = slice.row_slots.live() + 1 == config.min_nodes / 2;
        if shrunk | !told {
            self.tell_removed(number, shrunk);
        }
        Some(())
    }

    /// Tells of the first edit of a slice since the last update or maintenance, and merges one that became small.
    #[cold]
    #[inline(never)]
    fn tell_removed(&mut self, number: u32, shrunk: bool) {
        self.tell_first(number, false);
        if shrunk {
            self.merge_if_shrunk(number, self.config.min_nodes / 2);
        }
    }

    /// Removes a node, that is not the root, with all below it. Returns how many nodes that were.
    #[inline(always)]
    pub(crate) fn remove(&mut self, node: NodeHandle, at: At) -> usize {
        self.note_left(at);
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

    /// Removes a node, that is not the root, with all below it, and frees what lies in other slices later. Returns how many nodes
    /// that were.
    pub(crate) fn remove_later(&mut self, at: At) -> usize {
        let slice = self.slice(at.slice);
        let (rows, membership) = (slice.row_slots.live(), slice.membership);
        self.note_left(at);
        let unlinked = self.unlink_subtree(at);
        let removed = self.free_later(unlinked);
        *self.counted.of_mut(membership) -= removed;
        if self.membership(at) != Membership::PendingFree {
            self.merge_if_shrunk(at.slice, rows);
        }
        removed
    }

    /// Removes every node but the root, detached subtrees too.
    pub(crate) fn clear(&mut self) {
        while let Some(root) = self.detached_roots().last() {
            let unlinked = self.unlink_subtree(root);
            *self.counted.of_mut(Membership::Detached) -= self.discard(unlinked);
        }
        while let Some(child) = self.first_child(At::ROOT) {
            self.note_left(child);
            let unlinked = self.unlink_subtree(child);
            *self.counted.of_mut(Membership::Attached) -= self.discard(unlinked);
        }
    }
}
