//! The memory use of the storage, in records and bytes.

use crate::record::Record;
use crate::store::change::{MaskTrace, Trace};
use crate::store::columns::{Column, EachColumn, STORAGES, Storage, each_column};
use crate::store::{LinearAllocator, Slice, SliceBoxes, Store, Tables};
use core::convert::Infallible;

/// Entries and bytes of one kind of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Records in use.
    pub live: usize,
    /// The bytes of the records in use.
    pub live_bytes: usize,
    /// The bytes allocated for records of this kind.
    pub allocated_bytes: usize,
}

impl Usage {
    fn add(&mut self, slots: &LinearAllocator, record: usize, allocated: usize) {
        self.live += slots.live() as usize;
        self.live_bytes += slots.live() as usize * record;
        self.allocated_bytes += allocated;
    }
}

impl Store {
    /// The memory use of all slices, in the order of [`Storage::ALL`].
    pub(crate) fn usages(&self) -> [Usage; STORAGES] {
        let mut usages = [Usage::default(); STORAGES];
        for slice in self.slices.iter().filter(|slice| slice.lives) {
            let allocated = slice.bytes_by_storage();
            for ((usage, storage), allocated) in usages.iter_mut().zip(Storage::ALL).zip(allocated) {
                usage.add(storage.of(slice), storage.slot_bytes() + slice.companion_bytes(storage), allocated);
            }
            usages[Storage::Names as usize].live_bytes += slice.names.text_bytes;
        }
        usages
    }

    /// The memory use of world boxes.
    pub(crate) fn box_usage(&self) -> Usage {
        let mut usage = Usage::default();
        for slice in self.slices.iter().filter(|slice| slice.lives && slice.boxes.is_some()) {
            usage.add(&slice.shapes.slots, SliceBoxes::BYTES, slice.box_bytes());
        }
        usage
    }

    /// The memory use of the entries of this many handles.
    pub(crate) fn table_usage(&self, handles: usize) -> Usage {
        Usage {
            live: handles,
            live_bytes: handles * Tables::ENTRY_BYTES,
            allocated_bytes: self.tables.allocated_bytes(),
        }
    }

    /// How many slots are holes.
    pub(crate) fn count_holes(&self) -> usize {
        let holes = |slice: &Slice| Storage::ALL.iter().map(|s| s.of(slice).holes().count() as usize).sum::<usize>();
        self.slices.iter().filter(|slice| slice.lives).map(holes).sum()
    }

    /// How many world matrices of nodes are not finite.
    pub(crate) fn count_overflowed(&self) -> usize {
        let overflowed = |slice: &Slice| {
            let transforms = &slice.transforms;
            transforms.slots.iter().skip(1).filter(|&slot| !transforms.worlds[slot as usize].is_finite()).count()
        };
        self.slices.iter().filter(|slice| slice.lives).map(overflowed).sum()
    }

    /// How many nodes are out of order, from the share of each slice.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub(crate) fn count_disordered(&self) -> f64 {
        let disordered = |slice: &Slice| f64::from(slice.disorder()) * slice.nodes() as f64;
        self.slices.iter().filter(|slice| slice.lives).map(disordered).sum()
    }
}

/// Sums up the bytes allocated for arrays.
struct Allocated<'s> {
    slice: &'s Slice,
    bytes: [usize; STORAGES],
}

impl Allocated<'_> {
    fn add<T>(&mut self, column: &Column<T>) {
        self.bytes[column.storage as usize] += (column.of)(self.slice).capacity() * size_of::<T>();
    }
}

impl EachColumn for Allocated<'_> {
    type Error = Infallible;

    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), Infallible> {
        self.add(column);
        Ok(())
    }

    fn names(&mut self, column: &Column<Box<str>>) -> Result<(), Infallible> {
        self.add(column);
        Ok(())
    }
}

impl Slice {
    /// The bytes of all arrays and their companions.
    pub(in crate::store) fn allocated_bytes(&self) -> usize {
        self.bytes_by_storage().iter().sum::<usize>() + self.box_bytes()
    }

    /// The bytes of world boxes.
    pub(in crate::store) fn box_bytes(&self) -> usize {
        self.boxes.as_ref().map_or(0, |boxes| boxes.allocated_bytes())
    }

    /// The bytes of the arrays of each storage and their companions.
    fn bytes_by_storage(&self) -> [usize; STORAGES] {
        let mut allocated = Allocated { slice: self, bytes: [0; STORAGES] };
        let Ok(()) = each_column(&mut allocated);
        for (bytes, storage) in allocated.bytes.iter_mut().zip(Storage::ALL) {
            *bytes += storage.of(self).holes().bytes() + self.bytes_beside(storage);
        }
        allocated.bytes
    }

    /// The bytes of the companions of a storage's arrays.
    fn bytes_beside(&self, storage: Storage) -> usize {
        let Self { transforms, visibilities, names, .. } = self;
        match storage {
            Storage::Rows => {
                let lists =
                    self.children.capacity() + self.marked_children.capacity() + self.candidates_below.capacity();
                self.portal_rows.bytes() + lists * size_of::<u32>()
            }
            Storage::Transforms => {
                transforms.dirty.bytes()
                    + transforms.swept.slots.bytes()
                    + transforms.portal_slots.bytes()
                    + transforms.sheared.bytes()
                    + transforms.trace.as_ref().map_or(0, |trace| trace.bytes())
            }
            Storage::Visibilities => visibilities.trace.as_ref().map_or(0, |trace| trace.bytes()),
            Storage::Materials | Storage::Shapes => 0,
            Storage::Names => names.text_bytes,
        }
    }

    /// The bytes of a slot in the change history, if there is one.
    fn companion_bytes(&self, storage: Storage) -> usize {
        match storage {
            Storage::Transforms => self.transforms.trace.as_ref().map_or(0, |_| Trace::BYTES),
            Storage::Visibilities => self.visibilities.trace.as_ref().map_or(0, |_| MaskTrace::BYTES),
            _ => 0,
        }
    }
}
