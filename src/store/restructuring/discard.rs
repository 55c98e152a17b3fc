//! Freeing nodes for good: a single row, a subtree in a slice that it shares, whole slices.

use crate::NodeHandle;
use crate::store::columns::{At, Component, EachComponent, NIL, each_component};
use crate::store::{Slice, Store, Unlinked};
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use core::convert::Infallible;

impl Store {
    /// Removes a node without children that is not its slice's only top.
    #[inline]
    pub(in crate::store) fn remove_leaf(&mut self, handle: NodeHandle, at: At) {
        let slice = &mut self.slices[at.slice as usize];
        let top = slice.row(at.row).parent == NIL;
        slice.unlink(at.row);
        slice.free_components(at.row);
        slice.free_row(at.row);
        self.tables.free(handle);
        self.tell_edited(at.slice);
        if top {
            self.collapse(at.slice);
        }
    }

    /// Frees an unlinked subtree and every slice below it; returns how many nodes that were.
    pub(in crate::store) fn discard(&mut self, unlinked: Unlinked) -> usize {
        let arena = self.scratch.take();
        let mut below = BumpVec::new_in(&arena);
        let mut removed = self.discard_rows(unlinked, &mut below, &arena);
        while let Some(number) = below.pop() {
            removed += self.discard_slice(number, &mut below);
        }
        drop(below);
        self.scratch.give_back(arena);
        removed
    }

    /// Frees an unlinked subtree's rows in the slice that it shares; returns how many nodes that were. Slices that hung
    /// below these rows, or hold the whole subtree, go to `tops`.
    pub(in crate::store) fn discard_rows(
        &mut self,
        unlinked: Unlinked,
        tops: &mut impl Extend<u32>,
        arena: &Bump,
    ) -> usize {
        let At { slice: number, row: top } = match unlinked {
            Unlinked::Rows(at) => {
                self.unlinked_from = None;
                at
            }
            Unlinked::Slice(slice) => {
                tops.extend([slice]);
                return 0;
            }
        };
        let slice = &mut self.slices[number as usize];
        let mut rows = BumpVec::new_in(arena);
        rows.extend(slice.subtree(top));
        let Ok(()) = each_component(&mut FreeComponents { slice, rows: &rows });
        let mut removed = 0;
        for &row in rows.iter().rev() {
            let slice = &mut self.slices[number as usize];
            let occupant = slice.row(row).occupant;
            slice.free_row(row);
            if let Some(handle) = occupant.as_node() {
                self.tables.free(handle);
                removed += 1;
            } else if let Some(child) = occupant.as_portal() {
                self.disown(child);
                tops.extend([child]);
            }
        }
        self.collapse(number);
        removed
    }

    /// Frees a slice that hangs nowhere; returns how many nodes lay there. The slices below it go to `below`.
    pub(in crate::store) fn discard_slice(&mut self, number: u32, below: &mut impl Extend<u32>) -> usize {
        let slice = core::mem::take(&mut self.slices[number as usize]);
        below.extend(slice.children.iter().copied());
        for row in slice.row_slots.iter() {
            if let Some(handle) = slice.row(row).occupant.as_node() {
                self.tables.free(handle);
            }
        }
        self.close_slice(number);
        slice.nodes()
    }
}

/// Frees the slots that rows have of their own.
struct FreeComponents<'f> {
    slice: &'f mut Slice,
    rows: &'f [u32],
}

impl EachComponent for FreeComponents<'_> {
    type Error = Infallible;

    fn component<C: Component>(&mut self) -> Result<(), Infallible> {
        // In whole columns: the bases are never freed.
        let mut left = C::STORAGE.of(self.slice).live() - u32::from(C::STORAGE.has_base());
        for &row in self.rows.iter().rev() {
            if left == 0 {
                break;
            }
            if let Some(slot) = self.slice.row(row).own(C::STORAGE) {
                C::free(self.slice, slot);
                left -= 1;
            }
        }
        Ok(())
    }
}
