//! What every component does of its own where its slots come, go and move: all that the arrays which
//! [`each_column`](super::each_column) lists do not say.

use crate::store::Slice;
use crate::store::columns::{Row, Slot, Storage};
use std::collections::TryReserveError;

/// A slot, or a row, that goes to another slice.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Move {
    pub(in crate::store) old: u32,
    pub(in crate::store) new: u32,
    /// The new row that it belongs to.
    pub(in crate::store) row: u32,
}

/// The slots of a slice that another one is rebuilt from, in the new order, the base first where there is one.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Renumbered<'r> {
    /// Their old numbers.
    pub(in crate::store) old: &'r [u32],
    /// For transforms and visibilities the parent's new slot, for shapes the new row.
    pub(in crate::store) beside: &'r [u32],
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

/// What is a component's own; every walk over all components goes by this.
pub(in crate::store) trait Component: Sized {
    const STORAGE: Storage;

    /// A column with room for so many slots, in which there is the base or nothing; or an error where the allocator
    /// refuses.
    fn try_with_capacity(capacity: u32) -> Result<Self, TryReserveError>;

    fn of(slice: &Slice) -> &Self;

    fn of_mut(slice: &mut Slice) -> &mut Self;

    /// Frees a slot that a row of the slice has.
    fn free(slice: &mut Slice, slot: u32);

    /// Takes over what stands beside slots that came from another slice. Their rows are linked, and their records
    /// copied.
    fn receive(slice: &mut Slice, source: &mut Slice, moves: &[Move], parent: &NewParent);

    /// Takes over what stands beside the slots of a slice that this one is rebuilt from. Rows are linked, and records
    /// copied; the rows hung below `below` there.
    fn rebuild(slice: &mut Slice, old: &Slice, slots: &Renumbered<'_>, below: u32);

    /// Makes room beside the arrays for so many slots, or returns an error where the allocator refuses.
    fn try_reserve(&mut self, _slots: u32) -> Result<(), TryReserveError> {
        Ok(())
    }

    /// Whether what stands beside the arrays has so many slots.
    fn is_in_step(&self, _slots: u32) -> bool {
        true
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
    pub(in crate::store) fn take_slot(&mut self, storage: Storage, row: &Row, at: u32) -> u32 {
        let hint = match storage {
            Storage::Transforms => row.transform.index(),
            Storage::Visibilities => row.visibility.index(),
            Storage::Materials => self.material_hint(at),
            Storage::Shapes => self.shape_hint(at),
            Storage::Rows | Storage::Names => 0,
        };
        let slots = storage.of_mut(self);
        let slot = if storage.is_ordered() { slots.allocate_after(hint) } else { slots.allocate_near(hint) };
        slot.expect("room was made before")
    }

    /// What a row inherits.
    #[inline]
    pub(super) fn above(&self, row: u32) -> [Slot; 3] {
        self.inherited(self.row(row).parent)
    }
}
