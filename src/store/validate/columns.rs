//! Checks the columns of a slice: the slots of its rows, and the arrays.

use crate::store::Slice;
use crate::store::allocation::LinearAllocator;
use crate::store::columns::{NIL, Occupant, Row, Slot};

/// The slots that rows own, by column.
#[derive(Default)]
pub(in crate::store) struct Owned([Vec<u32>; 5]);

impl Owned {
    pub(in crate::store) fn add(&mut self, row: &Row) {
        let own = [row.transform, row.visibility, row.material].map(Slot::as_own);
        let [shape, name] = [row.shape, row.name].map(|slot| (slot != NIL).then_some(slot));
        let [transform, visibility, material] = own;
        let slots = [transform, visibility, material, shape, name];
        self.0.iter_mut().zip(slots).for_each(|(column, slot)| column.extend(slot));
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
        for (name, end, lengths) in [
            (
                "transforms",
                transforms.slots.end(),
                [transforms.locals.len(), transforms.parents.len(), transforms.worlds.len()]
                    .into_iter()
                    .chain(transforms.trace.iter().flat_map(|trace| [trace.owners.len(), trace.previous.len()]))
                    .collect(),
            ),
            (
                "visibilities",
                visibilities.slots.end(),
                [visibilities.locals.len(), visibilities.parents.len(), visibilities.effective.len()]
                    .into_iter()
                    .chain(visibilities.trace.iter().map(|trace| trace.owners.len()))
                    .collect(),
            ),
            ("materials", materials.slots.end(), vec![materials.values.len()]),
            ("shapes", shapes.slots.end(), vec![shapes.records.len(), shapes.bounds.len()]),
            ("names", names.slots.end(), vec![names.names.len()]),
        ] {
            ensure!(
                lengths.iter().all(|&length| length == end as usize),
                "slice {number}: the arrays of {name} are not as long as their end"
            );
        }
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
        for row in (0..self.row_slots.end()).filter(|&row| !self.row_slots.is_live(row)) {
            ensure!(
                self.row(row).occupant == Occupant::VACANT,
                "slice {number}: the hole {row} among rows has an occupant"
            );
        }
        ensure!(transforms.sheared.is_sound(), "slice {number}: sheared transforms are not in order");
        for slot in transforms.sheared.slots() {
            ensure!(transforms.slots.is_live(slot), "slice {number}: the hole {slot} has a sheared transform");
        }
        ensure!(
            transforms.dirty.first().is_none_or(|slot| transforms.first_dirty <= slot),
            "slice {number}: a transform is dirty before the first dirty one"
        );
        let text: usize = names.slots.iter().map(|slot| names.names[slot as usize].len()).sum();
        ensure!(text == names.text_bytes, "slice {number}: the length of its names is miscounted");
        Ok(())
    }
}
