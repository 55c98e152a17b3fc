//! Checks the columns of a slice: the slots of its rows, and the arrays.

use crate::record::Record;
use crate::store::Slice;
use crate::store::allocation::LinearAllocator;
use crate::store::columns::{
    Column, Component, EachColumn, EachComponent, NIL, Occupant, Row, Slot, Storage, each_column, each_component,
};

/// The slots that rows own, by column.
#[derive(Default)]
pub(in crate::store) struct Owned([Vec<u32>; Storage::COMPONENTS.len()]);

impl Owned {
    pub(in crate::store) fn add(&mut self, row: &Row) {
        self.0.iter_mut().zip(Storage::COMPONENTS).for_each(|(slots, storage)| slots.extend(row.own(storage)));
    }

    pub(in crate::store) fn is_unique(&mut self) -> bool {
        self.0.iter_mut().all(|column| {
            column.sort_unstable();
            column.is_sorted_by(|a, b| a < b)
        })
    }
}

impl Slice {
    /// Checks that a row's effective slots are its own live ones, after its parent's, or equal to its parent's.
    pub(in crate::store) fn validate_effective(&self, number: u32, at: u32) -> Result<(), String> {
        let row = self.row(at);
        let [transform, visibility, material] = self.inherited(row.parent);
        let check = |own: Slot, above: Slot, slots: &LinearAllocator, parents: Option<&[u32]>| match own.as_own() {
            None => own == above,
            Some(slot) => {
                slot != 0
                    && slots.is_live(slot)
                    && parents.is_none_or(|parents| {
                        above.index() < slot && parents.get(slot as usize) == Some(&above.index())
                    })
            }
        };
        ensure!(
            check(row.transform, transform, &self.transforms.slots, Some(&self.transforms.parents)),
            "slice {number}: row {at} has a wrong transform slot"
        );
        ensure!(
            check(row.visibility, visibility, &self.visibilities.slots, Some(&self.visibilities.parents)),
            "slice {number}: row {at} has a wrong visibility slot"
        );
        ensure!(
            check(row.material, material, &self.materials.slots, None),
            "slice {number}: row {at} has a wrong material slot"
        );
        let owned = |own: Slot, owners: Option<&[u32]>| {
            own.as_own().zip(owners).is_none_or(|(slot, owners)| owners.get(slot as usize) == Some(&at))
        };
        ensure!(
            owned(row.transform, self.transforms.trace.as_ref().map(|trace| &*trace.owners))
                && owned(row.visibility, self.visibilities.trace.as_ref().map(|trace| &*trace.owners)),
            "slice {number}: row {at} is not known for the owner of its slots"
        );
        ensure!(
            row.name == NIL || self.names.slots.is_live(row.name),
            "slice {number}: row {at} has a wrong name slot"
        );
        if row.shape == NIL {
            return Ok(());
        }
        ensure!(self.shapes.slots.is_live(row.shape), "slice {number}: row {at} has a wrong shape slot");
        let record = &self.shapes.records[row.shape as usize];
        ensure!(
            Some(record.node) == row.occupant.as_node().map(crate::NodeHandle::to_bits)
                && record.transform == row.transform.index()
                && record.visibility == row.visibility.index()
                && record.material == row.material.index(),
            "slice {number}: the shape of row {at} is out of step with its row"
        );
        Ok(())
    }

    /// Checks that the arrays are as long as their allocators say, and that holes are valid for sweeps.
    pub(in crate::store) fn validate_columns(&self, number: u32) -> Result<(), String> {
        let Self { transforms, visibilities, materials, shapes, names, .. } = self;
        each_column(&mut Lengths { slice: self, number })?;
        each_component(&mut Lengths { slice: self, number })?;
        ensure!(
            transforms.trace.is_some() == visibilities.trace.is_some(),
            "slice {number}: one column remembers and one does not"
        );
        for slot in (1..transforms.slots.end()).filter(|&slot| !transforms.slots.is_live(slot)) {
            ensure!(
                transforms.parents[slot as usize] < slot,
                "slice {number}: the hole {slot} among transforms has a parent behind it"
            );
        }
        for slot in (1..visibilities.slots.end()).filter(|&slot| !visibilities.slots.is_live(slot)) {
            ensure!(
                visibilities.parents[slot as usize] < slot,
                "slice {number}: the hole {slot} among visibilities has a parent behind it"
            );
        }
        ensure!(
            [transforms.parents[0], visibilities.parents[0]] == [0; 2],
            "slice {number}: a base has another parent than itself"
        );
        ensure!(
            transforms.portal_slots.ends_before(transforms.slots.capacity()),
            "slice {number}: a slot that there cannot be is among those that portals use"
        );
        for slot in materials.slots.iter().skip(1) {
            ensure!(materials.values[slot as usize].is_some(), "slice {number}: the material slot {slot} has no value");
        }
        for slot in shapes.slots.iter() {
            ensure!(
                shapes.bounds[slot as usize].checked().is_ok(),
                "slice {number}: the bounds of shape {slot} are neither finite nor empty"
            );
        }
        for row in (0..self.row_slots.end()).filter(|&row| !self.row_slots.is_live(row)) {
            ensure!(
                self.row(row).occupant == Occupant::VACANT,
                "slice {number}: the hole {row} among rows has an occupant"
            );
        }
        ensure!(transforms.sheared.is_sound(), "slice {number}: sheared transforms are not in order");
        for remainder in transforms.sheared.remainders().iter().filter(|remainder| remainder.plain) {
            let matrix = transforms.sheared.get(remainder.slot).map(|matrix| matrix.to_bits());
            let local = transforms.local(remainder.slot).to_matrix();
            ensure!(
                matrix == Some(local.to_bits()),
                "slice {number}: the matrix of the transform {} is not made of it",
                remainder.slot
            );
        }
        for slot in transforms.sheared.slots() {
            ensure!(transforms.slots.is_live(slot), "slice {number}: the hole {slot} has a sheared transform");
        }
        ensure!(
            transforms.waits || transforms.dirty.is_empty(),
            "slice {number}: a transform is dirty, and the column does not wait"
        );
        ensure!(
            !self.set_told || (self.marked && transforms.waits),
            "slice {number}: sets count as told, and the update does not know"
        );
        let text: usize = names.slots.iter().map(|slot| names.names[slot as usize].len()).sum();
        ensure!(text == names.text_bytes, "slice {number}: the length of its names is miscounted");
        Ok(())
    }
}

/// Checks that arrays, and what stands beside them, are as long as their allocators say.
struct Lengths<'s> {
    slice: &'s Slice,
    number: u32,
}

impl Lengths<'_> {
    fn check<T>(&self, column: &Column<T>) -> Result<(), String> {
        let (number, storage, end) = (self.number, column.storage, column.storage.of(self.slice).end());
        let len = (column.of)(self.slice).len();
        ensure!(len == end as usize, "slice {number}: an array of {storage:?} has {len} slots, and its end is {end}");
        Ok(())
    }
}

impl EachColumn for Lengths<'_> {
    type Error = String;

    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), String> {
        self.check(column)
    }

    fn names(&mut self, column: &Column<Box<str>>) -> Result<(), String> {
        self.check(column)
    }
}

impl EachComponent for Lengths<'_> {
    type Error = String;

    fn component<C: Component>(&mut self) -> Result<(), String> {
        let (number, end) = (self.number, C::STORAGE.of(self.slice).end());
        ensure!(
            C::of(self.slice).is_in_step(end),
            "slice {number}: what stands beside {:?} has other slots than these",
            C::STORAGE
        );
        Ok(())
    }
}
