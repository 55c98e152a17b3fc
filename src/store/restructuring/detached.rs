//! Slices outside the tree: detached subtrees, and what waits to be freed.

use crate::Mat34;
use crate::store::columns::At;
use crate::store::{Slice, Store, Unlinked};
use bumpalo::collections::Vec as BumpVec;

/// The membership of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Membership {
    /// The tree below the scene's root.
    #[default]
    Attached,
    /// A detached subtree.
    Detached,
    /// None: the slice was removed and waits to be freed. No handle leads here any more.
    PendingFree,
}

impl Membership {
    /// Whether no handle leads here any more.
    #[inline(always)]
    pub(in crate::store) fn is_pending_free(self) -> bool {
        self == Self::PendingFree
    }
}

impl Store {
    /// Makes an unlinked subtree a detached one, in a slice without a portal. Its top is the slice's only top row.
    ///
    /// O(rows that have to leave their slice + slices below).
    pub(in crate::store) fn release(&mut self, unlinked: Unlinked) {
        let number = match unlinked {
            Unlinked::Slice(number) => number,
            Unlinked::Rows(from) => {
                let need = self.slice(from.slice).need_of(from.row);
                let number = self.open_slice(Slice::with_room(&need));
                self.fill_slice(number, from);
                self.collapse(from.slice);
                number
            }
        };
        self.set_membership(number, Membership::Detached);
        self.list_detached(number);
        let slice = &mut self.slices[number as usize];
        let changed = slice.take_over(&Mat34::IDENTITY, u32::MAX, None);
        let marked = slice.marked;
        if changed {
            // Everything below the base moved.
            slice.mark_boxes_stale();
            self.tell_changed(number);
        }
        if marked {
            // The slice is on the list of the slice that it was attached to.
            self.list_marked_root(number);
        } else if changed {
            self.tell_moved(number);
        }
    }

    /// Adds a slice without a portal to the list of detached slices.
    pub(in crate::store) fn list_detached(&mut self, number: u32) {
        let index = u32::try_from(self.detached.len()).expect("slices number less than 2^31");
        self.detached.push(number);
        self.slices[number as usize].child_index = index;
    }

    /// Removes a detached slice from the list of detached slices.
    pub(in crate::store) fn unlist_detached(&mut self, number: u32) {
        let index = self.slice(number).child_index;
        self.detached.swap_remove(index as usize);
        if let Some(&moved) = self.detached.get(index as usize) {
            self.slices[moved as usize].child_index = index;
        }
    }

    /// Whether a node is the root of a detached subtree.
    pub(crate) fn is_detached_root(&self, at: At) -> bool {
        let slice = self.slice(at.slice);
        slice.membership == Membership::Detached && slice.portal == At::NONE && slice.first_top == at.row
    }

    /// The roots of the detached subtrees.
    pub(crate) fn detached_roots(&self) -> impl ExactSizeIterator<Item = At> + '_ {
        self.detached.iter().map(|&slice| At { slice, row: self.slice(slice).first_top })
    }

    /// Sets the membership of a slice and all slices below it. Runs in O(slices).
    pub(in crate::store) fn set_membership(&mut self, top: u32, membership: Membership) {
        let arena = self.scratch.take();
        let mut pending = BumpVec::from_iter_in([top], &arena);
        while let Some(number) = pending.pop() {
            let slice = &mut self.slices[number as usize];
            slice.membership = membership;
            pending.extend_from_slice(&slice.children);
        }
        drop(pending);
        self.scratch.give_back(arena);
    }

    /// The number of nodes in a subtree. Runs in O(its rows in the slice of its top + slices below).
    pub(crate) fn count_nodes(&self, top: At) -> usize {
        let slice = self.slice(top.slice);
        let mut pending = Vec::new();
        let mut nodes = 0;
        for row in slice.subtree(top.row) {
            match slice.row(row).occupant.as_portal() {
                Some(child) => pending.push(child),
                None => nodes += 1,
            }
        }
        while let Some(number) = pending.pop() {
            nodes += self.slice(number).nodes();
            pending.extend(&self.slice(number).children);
        }
        nodes
    }

    /// Moves the marked detached slices to `pending`, and unmarks them.
    pub(in crate::store) fn take_marked_roots(&mut self, pending: &mut Vec<u32>) {
        for number in core::mem::take(&mut self.marked_roots) {
            if self.is_detached_slice(number) && self.slices[number as usize].take_mark() {
                pending.push(number);
            }
        }
    }

    /// Notes that a slice without a portal was marked.
    #[cold]
    pub(in crate::store) fn list_marked_root(&mut self, number: u32) {
        // Slices that were attached again or removed stay listed until the update. Without updates they are weeded out
        // here.
        if self.marked_roots.len() > 16 + 2 * self.detached.len() {
            let mut list = core::mem::take(&mut self.marked_roots);
            list.sort_unstable();
            list.dedup();
            list.retain(|&number| self.is_detached_slice(number));
            self.marked_roots = list;
        }
        self.marked_roots.push(number);
    }

    /// Whether a slice is the topmost of a detached subtree.
    pub(in crate::store) fn is_detached_slice(&self, number: u32) -> bool {
        let top = |slice: &Slice| slice.lives && slice.membership == Membership::Detached && slice.portal == At::NONE;
        self.slices.get(number as usize).is_some_and(top)
    }
}

/// Removing now and freeing later.
impl Store {
    /// Removes an unlinked subtree: its rows in a slice that it shares at once, all slices of its own later. Returns
    /// how many nodes that were. O(rows in the shared slice + slices below).
    pub(in crate::store) fn free_later(&mut self, unlinked: Unlinked) -> usize {
        let arena = self.scratch.take();
        let mut pending = BumpVec::new_in(&arena);
        let removed = self.discard_rows(unlinked, &mut pending, &arena);
        let first = self.pending_free.len();
        self.pending_free.extend_from_slice(&pending);
        let mut pending_free = 0;
        while let Some(number) = pending.pop() {
            let slice = &mut self.slices[number as usize];
            slice.membership = Membership::PendingFree;
            // The slice needs no maintenance any more.
            slice.edited = false;
            pending_free += slice.nodes();
            pending.extend_from_slice(&slice.children);
            self.tell_rebuilt(number);
        }
        drop(pending);
        self.scratch.give_back(arena);
        for &top in &self.pending_free[first..] {
            self.slices[top as usize].portal = At::NONE;
        }
        *self.counted.of_mut(Membership::PendingFree) += pending_free;
        removed + pending_free
    }

    /// Frees one removed slice. Returns its number of nodes, or `None` if no slice waits.
    pub(in crate::store) fn free_next_pending(&mut self) -> Option<usize> {
        let number = self.pending_free.pop()?;
        let mut below = core::mem::take(&mut self.pending_free);
        let first = below.len();
        let freed = self.discard_slice(number, &mut below);
        for &child in &below[first..] {
            self.slices[child as usize].portal = At::NONE;
        }
        self.pending_free = below;
        *self.counted.of_mut(Membership::PendingFree) -= freed;
        Some(freed)
    }
}
