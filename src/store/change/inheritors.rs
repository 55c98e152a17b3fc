//! Finds the nodes that use a slot of a property: its owner, and those below that inherit it.

use crate::NodeHandle;
use crate::store::Slice;
use crate::store::allocation::Bits;
use crate::store::allocation::LinearAllocator;
use crate::store::columns::{NIL, Row, Slot};

/// If fewer than one row in this many changed, the search walks down from the owners.
const WALK: usize = 8;

impl Slice {
    /// Calls `each` with the row and the handle of every node that uses one of these slots, whose rows are in `owners`.
    /// Slots without a row are skipped.
    ///
    /// Walks down from the owners if there are few slots, and scans all rows if there are many: a scan reads rows in
    /// memory order, a walk does not.
    pub(in crate::store) fn finders(
        &self,
        slots: &[u32],
        (owners, taken): (&[u32], &LinearAllocator),
        members: &mut Bits,
        property: impl Fn(&Row) -> Slot,
        mut each: impl FnMut(&Row, NodeHandle),
    ) {
        if slots.len() * WALK < self.rows.len() {
            for &slot in slots {
                if slot == 0 {
                    self.base_inheritors(&property, &mut each);
                } else if taken.is_live(slot) {
                    self.inheritors(owners[slot as usize], slot, &property, &mut each);
                }
            }
            return;
        }
        slots.iter().for_each(|&slot| members.insert(slot));
        for row in &self.rows {
            if members.contains(property(row).index())
                && let Some(node) = row.occupant.as_node()
            {
                each(row, node);
            }
        }
        members.clear();
    }

    /// Calls `each` with the nodes that inherit the property from the base.
    fn base_inheritors(&self, property: impl Fn(&Row) -> Slot, mut each: impl FnMut(&Row, NodeHandle)) {
        let mut top = self.first_top;
        while top != NIL {
            if property(self.row(top)) == Slot::BASE {
                self.inheritors(top, 0, &property, &mut each);
            }
            top = self.row(top).next;
        }
    }

    /// Calls `each` with the node at `top` and the nodes below it that use the same slot without owning one.
    pub(in crate::store) fn inheritors(
        &self,
        top: u32,
        slot: u32,
        property: impl Fn(&Row) -> Slot,
        mut each: impl FnMut(&Row, NodeHandle),
    ) {
        let row = self.row(top);
        if let Some(node) = row.occupant.as_node() {
            each(row, node);
        }
        self.inheritors_below(top, slot, property, each);
    }

    /// Like [`Self::inheritors`], without the node at `top`.
    pub(in crate::store) fn inheritors_below(
        &self,
        top: u32,
        slot: u32,
        property: impl Fn(&Row) -> Slot,
        mut each: impl FnMut(&Row, NodeHandle),
    ) {
        let mut next = self.next_in_subtree(top, top, true);
        while let Some(at) = next {
            let row = self.row(at);
            let inherits = property(row) == Slot::inherited(slot);
            if inherits && let Some(node) = row.occupant.as_node() {
                each(row, node);
            }
            next = self.next_in_subtree(top, at, inherits);
        }
    }
}
