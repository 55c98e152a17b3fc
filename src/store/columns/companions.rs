//! What each component keeps beside its arrays, and what becomes of it where slots move.
//!
//! | component | beside its arrays |
//! |---|---|
//! | transforms | marks, matrices that shear, the history that changes are told by |
//! | visibilities | a mark for the column, the history |
//! | materials | a mark for the column |
//! | shapes | world boxes |
//! | names | the length of all texts |
//!
//! Arrays that tell of other slots are written anew here, too: parents, and the effective slots of shapes.

use crate::Mat34;
use crate::fallible::{self, Boxed};
use crate::store::Slice;
use crate::store::allocation::LinearAllocator;
use crate::store::change::{MaskTrace, Trace};
use crate::store::columns::{
    Component, MaterialColumn, Move, NameColumn, NewParent, Remainder, Renumbered, ShapeColumn, Sheared, Slot, Storage,
    TransformColumn, VisibilityColumn, put,
};
use hedgerow_math::internal::PackedTransform;
use std::collections::TryReserveError;

impl Component for TransformColumn {
    const STORAGE: Storage = Storage::Transforms;

    fn try_with_capacity(capacity: u32) -> Result<Self, TryReserveError> {
        let mut column = Self {
            slots: LinearAllocator::with_capacity(capacity),
            locals: fallible::with_capacity(capacity as usize)?,
            parents: fallible::with_capacity(capacity as usize)?,
            worlds: fallible::with_capacity(capacity as usize)?,
            ..Self::default()
        };
        column.slots.allocate_near(0);
        column.locals.push(PackedTransform::IDENTITY);
        column.parents.push(0);
        column.worlds.push(Mat34::IDENTITY);
        Ok(column)
    }

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
                if let Some(remainder) = old.sheared.remainder(slot.old) {
                    slice.transforms.sheared.set_remainder(Remainder { slot: slot.new, ..*remainder });
                }
            }
        }
        debug_assert_eq!(slice.transforms.trace.is_some(), old.trace.is_some(), "a scene keeps histories or does not");
        if let (Some(trace), Some(from)) = (&mut slice.transforms.trace, &old.trace) {
            for slot in moves {
                trace.carry(from, slot.old, slot.new);
                trace.owners[slot.new as usize] = slot.row;
            }
        }
    }

    fn rebuild(slice: &mut Slice, old: &Slice, slots: &Renumbered<'_>, below: u32) {
        let [base, ..] = old.inherited(below);
        let (column, all) = (&mut slice.transforms, old.marks_below(below));
        let (old, numbers) = (&old.transforms, slots.old);
        column.parents.copy_from_slice(slots.beside);
        column.locals[0] = PackedTransform::IDENTITY;
        if old.waits {
            if all {
                column.mark_all();
            }
            for (new, &slot) in (1..).zip(&numbers[1..]) {
                if old.dirty.contains(slot) {
                    column.mark(new);
                }
            }
        }
        if !old.sheared.is_empty() {
            let matrix = |(new, &slot): (u32, &u32)| old.sheared.get(slot).map(|matrix| (new, *matrix));
            let matrices = || (1..).zip(&numbers[1..]).filter_map(matrix);
            column.sheared = fallible::or_abort(Sheared::try_of(matrices(), matrices().count()));
            if !old.sheared.remainders().is_empty() {
                for (slot, &was) in (1..).zip(&numbers[1..]) {
                    if let Some(remainder) = old.sheared.remainder(was) {
                        column.sheared.set_remainder(Remainder { slot, ..*remainder });
                    }
                }
            }
        }
        if let Some(from) = &old.trace {
            fallible::or_abort(column.try_begin_trace());
            column.take_base_history(old, base.index());
            if let Some(trace) = &mut column.trace {
                (1..).zip(&numbers[1..]).for_each(|(new, &slot)| trace.carry(from, slot, new));
            }
        }
    }

    fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        self.dirty.try_reserve(slots)?;
        self.trace.as_mut().map_or(Ok(()), |trace| trace.try_reserve(slots))
    }

    fn is_in_step(&self, slots: u32) -> bool {
        self.trace.as_ref().is_none_or(|trace| trace.is_in_step(slots as usize))
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

    fn try_with_capacity(capacity: u32) -> Result<Self, TryReserveError> {
        let mut column = Self {
            slots: LinearAllocator::with_capacity(capacity),
            locals: fallible::with_capacity(capacity as usize)?,
            parents: fallible::with_capacity(capacity as usize)?,
            effective: fallible::with_capacity(capacity as usize)?,
            ..Self::default()
        };
        column.slots.allocate_near(0);
        column.locals.push(u32::MAX);
        column.parents.push(0);
        column.effective.push(u32::MAX);
        Ok(column)
    }

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
            if let (Some(trace), Some(from)) = (&mut slice.visibilities.trace, &old.trace) {
                put(&mut trace.owners, slot.new, slot.row);
                trace.carry(from, slot.old, slot.new);
            }
        }
    }

    fn rebuild(slice: &mut Slice, old: &Slice, slots: &Renumbered<'_>, below: u32) {
        let [_, base, _] = old.inherited(below);
        let column = &mut slice.visibilities;
        column.parents.copy_from_slice(slots.beside);
        column.locals[0] = u32::MAX;
        column.dirty = old.visibilities.dirty;
        if old.visibilities.trace.is_some() {
            fallible::or_abort(column.try_begin_trace());
            column.take_base_history(&old.visibilities, base.index());
        }
        if let (Some(trace), Some(from)) = (&mut column.trace, &old.visibilities.trace) {
            (1..).zip(&slots.old[1..]).for_each(|(new, &slot)| trace.carry(from, slot, new));
        }
    }

    fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        self.trace.as_mut().map_or(Ok(()), |trace| trace.try_reserve(slots))
    }

    fn is_in_step(&self, slots: u32) -> bool {
        self.trace.as_ref().is_none_or(|trace| trace.is_in_step(slots as usize))
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

    fn try_with_capacity(capacity: u32) -> Result<Self, TryReserveError> {
        let mut column = Self {
            slots: LinearAllocator::with_capacity(capacity),
            values: fallible::with_capacity(capacity as usize)?,
            dirty: false,
        };
        column.slots.allocate_near(0);
        column.values.push(None);
        Ok(column)
    }

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

    fn rebuild(slice: &mut Slice, old: &Slice, _: &Renumbered<'_>, _: u32) {
        slice.materials.dirty = old.materials.dirty;
    }
}

impl Component for ShapeColumn {
    const STORAGE: Storage = Storage::Shapes;

    fn try_with_capacity(capacity: u32) -> Result<Self, TryReserveError> {
        Ok(Self {
            slots: LinearAllocator::with_capacity(capacity),
            records: fallible::with_capacity(capacity as usize)?,
            bounds: fallible::with_capacity(capacity as usize)?,
        })
    }

    fn of(slice: &Slice) -> &Self {
        &slice.shapes
    }

    fn of_mut(slice: &mut Slice) -> &mut Self {
        &mut slice.shapes
    }

    fn free(slice: &mut Slice, slot: u32) {
        slice.mark_box_stale(slot);
        slice.shapes.free(slot);
    }

    fn receive(slice: &mut Slice, _: &mut Slice, moves: &[Move], _: &NewParent) {
        moves.iter().for_each(|slot| slice.refresh_shape(slot.row));
    }

    fn rebuild(slice: &mut Slice, old: &Slice, slots: &Renumbered<'_>, _: u32) {
        for (record, &row) in slice.shapes.records.iter_mut().zip(slots.beside) {
            record.point_to(&slice.rows[row as usize]);
        }
        if let Some(from) = &old.boxes {
            let boxes = slice.boxes.insert(Boxed::default());
            (0..).zip(slots.old).for_each(|(new, &slot)| boxes.carry(from, slot, new));
            boxes.close_all();
        }
    }
}

impl Component for NameColumn {
    const STORAGE: Storage = Storage::Names;

    fn try_with_capacity(capacity: u32) -> Result<Self, TryReserveError> {
        Ok(Self {
            slots: LinearAllocator::with_capacity(capacity),
            names: fallible::with_capacity(capacity as usize)?,
            text_bytes: 0,
        })
    }

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

    fn rebuild(slice: &mut Slice, _: &Slice, _: &Renumbered<'_>, _: u32) {
        slice.names.text_bytes = slice.names.names.iter().map(|name| name.len()).sum();
    }

    fn bytes_beside(&self) -> usize {
        self.text_bytes
    }
}
