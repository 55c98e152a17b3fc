//! Updates the effective slots of a subtree to match what is above it.
//!
//! One primitive serves every edit that changes what a row inherits: linking below another parent, and adding or
//! removing a component of an inner node. It keeps the one hard invariant, *parent slot < slot*: an entry before its
//! new parent's slot gets a fresh slot after it, and the slots below follow.

use crate::store::columns::{Row, Slot};
use crate::store::{Slice, Store, TransformColumn};

/// No slot is left after a parent's; the slice must be reconstituted.
struct NoRoom;

impl Store {
    /// Updates the effective slots of a row and of the rows below it in its slice, as far down as anything changes.
    ///
    /// If slots run out, the slice is reconstituted, which sets every effective slot from the links and moves rows.
    /// Runs in O(descendants in the slice up to those with components of their own).
    pub(in crate::store) fn update_effective_slots(&mut self, number: u32, top: u32) {
        self.update_effective_slots_from(number, top, Some(top));
    }

    /// Like [`Self::update_effective_slots`], for the rows below a row that got a component, without that row.
    pub(in crate::store) fn update_effective_slots_below(&mut self, number: u32, top: u32) {
        let slice = &mut self.slices[number as usize];
        slice.refresh_shape(top);
        let first = slice.next_in_subtree(top, top, true);
        self.update_effective_slots_from(number, top, first);
    }

    fn update_effective_slots_from(&mut self, number: u32, top: u32, mut row: Option<u32>) {
        while let Some(at) = row {
            let Self { slices, tables, .. } = self;
            let slice = &mut slices[number as usize];
            let before = slice.row(at).transform;
            match slice.update_row(at) {
                Ok(changed) => {
                    row = slice.next_in_subtree(top, at, changed);
                    let Row { occupant, transform, .. } = *slice.row(at);
                    if transform != before
                        && let Some(node) = occupant.as_node()
                    {
                        tables.note_transform(node, transform);
                    }
                    if changed && let Some(child) = occupant.as_portal() {
                        self.tell_moved(child);
                    }
                }
                Err(NoRoom) => {
                    let need = slice.need_of(top);
                    let capacity = self.capacity_for(number, &need);
                    self.reconstitute(number, capacity);
                    let slice = &mut self.slices[number as usize];
                    slice.transforms.mark_all();
                    slice.visibilities.dirty = true;
                    slice.materials.dirty = true;
                    if let Some(boxes) = &mut slice.boxes {
                        boxes.mark_all_stale(slice.shapes.slots.end());
                    }
                    break;
                }
            }
        }
        self.tell_moved(number);
        self.tell_edited(number);
    }
}

impl TransformColumn {
    /// Moves a slot after another one, which becomes its parent, and marks it. Returns `None` if there is no slot.
    pub(in crate::store) fn reslot(&mut self, slot: u32, above: u32) -> Option<u32> {
        let fresh = self.slots.allocate_after(above)?;
        let (local, world) = (self.local(slot), self.worlds[slot as usize]);
        let remainder = self.sheared.remainder(slot).map(|remainder| remainder.translation);
        self.put(fresh, above, &local, &world);
        if let Some(translation) = remainder {
            self.set_remainder(fresh, translation);
        }
        self.carry(slot, fresh);
        self.mark(fresh);
        self.free(slot);
        Some(fresh)
    }
}

impl Slice {
    /// Sets one row's effective slots from its parent's. Returns whether the rows below must follow.
    fn update_row(&mut self, at: u32) -> Result<bool, NoRoom> {
        let Row { parent, occupant, transform, visibility, material, .. } = *self.row(at);
        let [above_transform, above_visibility, above_material] = self.inherited(parent);
        let new_transform = match transform.as_own() {
            Some(slot) => self.reslot_transform(slot, above_transform.index())?,
            None => above_transform,
        };
        self.row_mut(at).transform = new_transform;
        let new_visibility = match visibility.as_own() {
            Some(slot) => self.reslot_visibility(slot, above_visibility.index())?,
            None => above_visibility,
        };
        let new_material = if material.as_own().is_some() { material } else { above_material };
        let row = self.row_mut(at);
        row.visibility = new_visibility;
        row.material = new_material;
        let changed = (transform, visibility, material) != (new_transform, new_visibility, new_material);
        if changed {
            self.refresh_shape(at);
            self.trace_owner(at);
            if occupant.as_portal().is_some() {
                self.transforms.portal_slots.insert(new_transform.index());
            }
        }
        Ok(changed)
    }

    /// Makes another slot the parent of a transform, which moves to a fresh slot if it would otherwise come before its
    /// parent.
    fn reslot_transform(&mut self, slot: u32, above: u32) -> Result<Slot, NoRoom> {
        let column = &mut self.transforms;
        if above < slot {
            if column.parents[slot as usize] != above {
                column.parents[slot as usize] = above;
                column.mark(slot);
            }
            return Ok(Slot::own(slot));
        }
        Ok(Slot::own(column.reslot(slot, above).ok_or(NoRoom)?))
    }

    /// Makes another slot the parent of a visibility, which moves to a fresh slot if it would otherwise come before its
    /// parent.
    fn reslot_visibility(&mut self, slot: u32, above: u32) -> Result<Slot, NoRoom> {
        let column = &mut self.visibilities;
        column.dirty = true;
        if above < slot {
            column.parents[slot as usize] = above;
            return Ok(Slot::own(slot));
        }
        let fresh = column.slots.allocate_after(above).ok_or(NoRoom)?;
        let (local, effective) = (column.locals[slot as usize], column.effective[slot as usize]);
        column.put(fresh, above, local, effective);
        if let Some(trace) = &mut column.trace {
            trace.changed[fresh as usize] = trace.changed[slot as usize];
        }
        column.free(slot);
        Ok(Slot::own(fresh))
    }

    /// Frees a row's own transform. The caller then updates the effective slots of the row and the rows below it.
    pub(in crate::store) fn disown_transform(&mut self, at: u32) {
        if let Some(slot) = self.row(at).transform.as_own() {
            self.transforms.free(slot);
            self.row_mut(at).transform = Slot::LOST;
        }
    }

    /// Frees a row's own visibility. The caller then updates the effective slots of the row and the rows below it.
    pub(in crate::store) fn disown_visibility(&mut self, at: u32) {
        if let Some(slot) = self.row(at).visibility.as_own() {
            self.visibilities.free(slot);
            self.visibilities.dirty = true;
            self.row_mut(at).visibility = Slot::LOST;
        }
    }

    /// Frees a row's own material. The caller then updates the effective slots of the row and the rows below it.
    pub(in crate::store) fn disown_material(&mut self, at: u32) {
        if let Some(slot) = self.row(at).material.as_own() {
            self.materials.free(slot);
            self.row_mut(at).material = Slot::LOST;
        }
    }
}
