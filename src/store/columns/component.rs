//! What each component keeps beside the arrays that [`each_column`](super::each_column) lists, and what it does of its own where
//! its slots come, go and move.
//!
//! | component | beside its arrays |
//! |---|---|
//! | transforms | parents by slot, marks, matrices that shear, the history that changes are told by |
//! | visibilities | parents by slot, a mark for the column, the history |
//! | materials | a mark for the column |
//! | shapes | the effective slots of their nodes, world boxes |
//! | names | the length of all texts |

use crate::fallible::{self, Boxed};
use crate::math::Mat34;
use crate::store::Slice;
use crate::store::allocation::LinearAllocator;
use crate::store::change::{MaskTrace, Trace};
use crate::store::columns::{
    MaterialColumn, NIL, NameColumn, ShapeColumn, Sheared, Slot, Storage, TransformColumn, VisibilityColumn, put,
};
use std::collections::TryReserveError;

/// A slot, or a row, that goes to another slice.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Move {
    pub(in crate::store) old: u32,
    pub(in crate::store) new: u32,
    /// The new row that it belongs to.
    pub(in crate::store) row: u32,
}

/// What a run of rows that goes to another slice inherited before, and inherits there.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct NewParent {
    /// Slots of the slice that it leaves.
    pub(in crate::store) from: [Slot; 3],
    /// Slots of the slice that it goes to.
    pub(in crate::store) to: [Slot; 3],
    /// Whether everything is to be updated, whatever it was before.
    pub(in crate::store) all: bool,
}

/// What is a component's own; whoever walks over all components goes by this.
pub(in crate::store) trait Component: Sized {
    const STORAGE: Storage;

    fn of(slice: &Slice) -> &Self;

    fn of_mut(slice: &mut Slice) -> &mut Self;

    /// Frees a slot that a row of the slice has.
    fn free(slice: &mut Slice, slot: u32);

    /// Takes over what stands beside slots that came from another slice. Their rows are linked, and their records copied.
    fn receive(slice: &mut Slice, source: &mut Slice, moves: &[Move], parent: &NewParent);

    /// Takes over what stands beside slots of a slice that this one is rebuilt from, told by their old numbers in the new order,
    /// the base first where there is one. The rows hung below `below` there.
    fn rebuild(slice: &mut Slice, old: &Slice, slots: &[u32], below: u32);

    /// Makes room beside the arrays for so many slots, or returns an error where the allocator refuses.
    fn try_reserve(&mut self, _slots: u32) -> Result<(), TryReserveError> {
        Ok(())
    }

    /// The bytes of what stands beside the arrays.
    fn bytes_beside(&self) -> usize {
        0
    }

    /// The bytes that each slot has of that, if any.
    fn slot_bytes_beside(&self) -> usize {
        0
    }
}

impl Slice {
    /// A slot in a storage of components, for a row that is at `at` and has this record but for the slot.
    #[inline(always)]
    pub(in crate::store) fn take_slot(&mut self, storage: Storage, row: &super::Row, at: u32, reuse: bool) -> u32 {
        let wish = match storage {
            Storage::Transforms => row.transform.index(),
            Storage::Visibilities => row.visibility.index(),
            Storage::Materials => row.material.index(),
            Storage::Shapes => self.wish_for_shape(at),
            Storage::Rows | Storage::Names => 0,
        };
        let slots: &mut LinearAllocator = storage.of_mut(self);
        let slot =
            if storage.is_ordered() { slots.allocate_after(wish, reuse) } else { slots.allocate_near(wish, reuse) };
        slot.expect("room was made before")
    }

    /// What a row inherits.
    #[inline]
    fn above(&self, row: u32) -> [Slot; 3] {
        self.inherited(self.row(row).parent)
    }
}

impl Component for TransformColumn {
    const STORAGE: Storage = Storage::Transforms;

    fn of(slice: &Slice) -> &Self {
        &slice.transforms
    }

    fn of_mut(slice: &mut Slice) -> &mut Self {
        &mut slice.transforms
    }

    fn free(slice: &mut Slice, slot: u32) {
        slice.transforms.free(slot);
    }

    fn receive(slice: &mut Slice, source: &mut Slice, moves: &[Move], parent: &NewParent) {
        let ([from, ..], [to, ..]) = (parent.from.map(Slot::index), parent.to.map(Slot::index));
        let old = &source.transforms;
        let worlds = [old.worlds[from as usize], slice.transforms.worlds[to as usize]];
        // What the run inherits changed, and what hangs directly from it waits for it.
        let waits = old.dirty.contains(from) || worlds[0].to_bits() != worlds[1].to_bits();
        for &Move { old: was, new, row } in moves {
            let [above, ..] = slice.above(row);
            let column = &mut slice.transforms;
            debug_assert!(above.index() < new, "a parent's slot comes before those of its children");
            column.parents[new as usize] = above.index();
            if parent.all || old.dirty.contains(was) || (waits && old.parents[was as usize] == from) {
                column.mark(new);
            }
        }
        if !old.sheared.is_empty() {
            for slot in moves {
                if let Some(matrix) = old.sheared.get(slot.old) {
                    slice.transforms.sheared.insert(slot.new, *matrix);
                }
            }
        }
        if let (Some(trace), Some(from)) = (&mut slice.transforms.trace, &old.trace) {
            for slot in moves {
                trace.carry(from, slot.old, slot.new);
                trace.owners[slot.new as usize] = slot.row;
            }
        }
    }

    fn rebuild(slice: &mut Slice, old: &Slice, slots: &[u32], below: u32) {
        let [base, ..] = old.inherited(below);
        let (column, all) = (&mut slice.transforms, old.marks_below(below));
        let old = &old.transforms;
        if old.first_dirty != NIL {
            if all {
                column.mark_all();
            }
            for (new, &slot) in (1..).zip(&slots[1..]) {
                if old.dirty.contains(slot) {
                    column.mark(new);
                }
            }
        }
        if !old.sheared.is_empty() {
            let moved = (1..).zip(&slots[1..]);
            let matrix = |(new, slot): (u32, &u32)| old.sheared.get(*slot).map(|matrix| (new, *matrix));
            let moved: Vec<(u32, Mat34)> = moved.filter_map(matrix).collect();
            let count = moved.len();
            column.sheared = fallible::or_abort(Sheared::try_of(moved.into_iter(), count));
        }
        if let Some(from) = &old.trace {
            fallible::or_abort(column.try_begin_trace());
            column.take_base_history(old, base.index());
            if let Some(trace) = &mut column.trace {
                (1..).zip(&slots[1..]).for_each(|(new, &slot)| trace.carry(from, slot, new));
            }
        }
    }

    fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        self.dirty.try_reserve(slots)?;
        self.trace.as_mut().map_or(Ok(()), |trace| trace.try_reserve(slots))
    }

    fn bytes_beside(&self) -> usize {
        let marks = self.dirty.bytes() + self.swept.slots.bytes() + self.portal_slots.bytes();
        marks + self.sheared.bytes() + self.trace.as_ref().map_or(0, |trace| trace.bytes())
    }

    fn slot_bytes_beside(&self) -> usize {
        self.trace.as_ref().map_or(0, |_| Trace::BYTES)
    }
}

impl Component for VisibilityColumn {
    const STORAGE: Storage = Storage::Visibilities;

    fn of(slice: &Slice) -> &Self {
        &slice.visibilities
    }

    fn of_mut(slice: &mut Slice) -> &mut Self {
        &mut slice.visibilities
    }

    fn free(slice: &mut Slice, slot: u32) {
        slice.visibilities.free(slot);
    }

    fn receive(slice: &mut Slice, source: &mut Slice, moves: &[Move], parent: &NewParent) {
        let ([_, from, _], [_, to, _]) = (parent.from.map(Slot::index), parent.to.map(Slot::index));
        let old = &source.visibilities;
        let differs = old.effective[from as usize] != slice.visibilities.effective[to as usize];
        slice.visibilities.dirty |= parent.all || old.dirty || differs;
        for slot in moves {
            let [_, above, _] = slice.above(slot.row);
            debug_assert!(above.index() < slot.new, "a parent's slot comes before those of its children");
            slice.visibilities.parents[slot.new as usize] = above.index();
            if let Some(trace) = &mut slice.visibilities.trace {
                put(&mut trace.owners, slot.new, slot.row);
            }
        }
    }

    fn rebuild(slice: &mut Slice, old: &Slice, _: &[u32], below: u32) {
        let [_, base, _] = old.inherited(below);
        let column = &mut slice.visibilities;
        column.dirty = old.visibilities.dirty;
        if old.visibilities.trace.is_some() {
            fallible::or_abort(column.try_begin_trace());
            column.take_base_history(&old.visibilities, base.index());
        }
    }

    fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        self.trace.as_mut().map_or(Ok(()), |trace| trace.try_reserve(slots))
    }

    fn bytes_beside(&self) -> usize {
        self.trace.as_ref().map_or(0, |trace| trace.bytes())
    }

    fn slot_bytes_beside(&self) -> usize {
        self.trace.as_ref().map_or(0, |_| MaskTrace::BYTES)
    }
}

impl Component for MaterialColumn {
    const STORAGE: Storage = Storage::Materials;

    fn of(slice: &Slice) -> &Self {
        &slice.materials
    }

    fn of_mut(slice: &mut Slice) -> &mut Self {
        &mut slice.materials
    }

    fn free(slice: &mut Slice, slot: u32) {
        slice.materials.free(slot);
    }

    fn receive(slice: &mut Slice, source: &mut Slice, _: &[Move], parent: &NewParent) {
        let ([.., from], [.., to]) = (parent.from.map(Slot::index), parent.to.map(Slot::index));
        let old = &source.materials;
        let differs = old.values[from as usize] != slice.materials.values[to as usize];
        slice.materials.dirty |= parent.all || old.dirty || differs;
    }

    fn rebuild(slice: &mut Slice, old: &Slice, _: &[u32], _: u32) {
        slice.materials.dirty = old.materials.dirty;
    }
}

impl Component for ShapeColumn {
    const STORAGE: Storage = Storage::Shapes;

    fn of(slice: &Slice) -> &Self {
        &slice.shapes
    }

    fn of_mut(slice: &mut Slice) -> &mut Self {
        &mut slice.shapes
    }

    fn free(slice: &mut Slice, slot: u32) {
        slice.touch_box(slot);
        slice.shapes.free(slot);
    }

    fn receive(slice: &mut Slice, _: &mut Slice, moves: &[Move], _: &NewParent) {
        moves.iter().for_each(|slot| slice.refresh_shape(slot.row));
    }

    fn rebuild(slice: &mut Slice, old: &Slice, slots: &[u32], _: u32) {
        if let Some(from) = &old.boxes {
            let boxes = slice.boxes.insert(Boxed::default());
            (0..).zip(slots).for_each(|(new, &slot)| boxes.carry(from, slot, new));
            boxes.close_all();
        }
    }
}

impl Component for NameColumn {
    const STORAGE: Storage = Storage::Names;

    fn of(slice: &Slice) -> &Self {
        &slice.names
    }

    fn of_mut(slice: &mut Slice) -> &mut Self {
        &mut slice.names
    }

    fn free(slice: &mut Slice, slot: u32) {
        slice.names.free(slot);
    }

    fn receive(slice: &mut Slice, source: &mut Slice, moves: &[Move], _: &NewParent) {
        let bytes: usize = moves.iter().map(|slot| slice.names.names[slot.new as usize].len()).sum();
        slice.names.text_bytes += bytes;
        source.names.text_bytes -= bytes;
    }

    fn rebuild(slice: &mut Slice, _: &Slice, _: &[u32], _: u32) {
        slice.names.text_bytes = slice.names.names.iter().map(|name| name.len()).sum();
    }

    fn bytes_beside(&self) -> usize {
        self.text_bytes
    }
}
