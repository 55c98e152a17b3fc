//! Who finds a property in which slot: nodes that have a component, and those below that inherit it.

use crate::NodeHandle;
use crate::store::Slice;
use crate::store::allocation::Bits;
use crate::store::allocation::LinearAllocator;
use crate::store::columns::{NIL, Row, Slot};

/// Where fewer than one row in this many changed, these are walked to.
const WALK: usize = 8;

impl Slice {
    /// Calls `each` with the row and the handle of every node that finds a property in one of these slots, which `owners`
    /// have; slots that no row has are passed over.
    ///
    /// Walks down from the owners of few slots, and looks at all rows for many: rows lie in a row, children do not.
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

    /// Calls `each` with the nodes that find a property in the base.
    fn base_inheritors(&self, property: impl Fn(&Row) -> Slot, mut each: impl FnMut(&Row, NodeHandle)) {
        let mut top = self.first_top;
        while top != NIL {
            if property(self.row(top)) == Slot::BASE {
                self.inheritors(top, 0, &property, &mut each);
            }
            top = self.row(top).next;
        }
    }

    /// Calls `each` with the node at `top` and those below it that find a property in a slot, and do not have it themselves.
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

    /// The same for those below alone.
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
