//! The storage of a side table: an array of entries for each metadata table, found by its number.

use super::iter::TablesMut;
use crate::NodeHandle;
use core::num::NonZeroU32;
use std::collections::BTreeMap;

/// The entries of one metadata table, by the handle's index: 32 bytes besides the array.
#[derive(Clone)]
pub(super) struct Table<V> {
    pub(super) number: u32,
    pub(super) entries: Vec<Slot<V>>,
}

/// A vacant slot is a zero, which is never a generation: 4 bytes and the value.
pub(super) type Slot<V> = Option<Entry<V>>;

#[derive(Clone)]
pub(super) struct Entry<V> {
    pub(super) generation: NonZeroU32,
    pub(super) value: V,
}

/// All tables. Every number in `far` is at least `near.len()`.
#[derive(Clone)]
pub(super) struct Tables<V> {
    /// Tables by their number, unused ones empty.
    pub(super) near: Vec<Table<V>>,
    /// Tables whose numbers are too large for `near`, given how few tables are in use.
    pub(super) far: BTreeMap<u32, Table<V>>,
    /// How many tables, near and far, have ever had an entry.
    used: usize,
}

impl<V> Tables<V> {
    /// How many tables `near` may cover for each table in use, and initially: 256 bytes and 2 KiB.
    const REACH: usize = 8;
    const INITIAL_REACH: usize = 64;

    pub(super) const fn new() -> Self {
        Self { near: Vec::new(), far: BTreeMap::new(), used: 0 }
    }

    fn table(&self, number: u32) -> Option<&Table<V>> {
        self.near.get(number as usize).or_else(|| self.far.get(&number))
    }

    fn table_mut(&mut self, number: u32) -> Option<&mut Table<V>> {
        match self.near.get_mut(number as usize) {
            None => self.far.get_mut(&number),
            near => near,
        }
    }

    pub(super) fn slot(&self, handle: NodeHandle) -> Option<&Slot<V>> {
        self.table(handle.table())?.entries.get(handle.index() as usize)
    }

    pub(super) fn slot_mut(&mut self, handle: NodeHandle) -> Option<&mut Slot<V>> {
        self.table_mut(handle.table())?.entries.get_mut(handle.index() as usize)
    }

    /// The handle's slot, added if it is missing.
    pub(super) fn slot_or_grow(&mut self, handle: NodeHandle) -> &mut Slot<V> {
        let (number, index) = (handle.table(), handle.index() as usize);
        if self.table(number).is_none_or(|table| table.entries.is_empty()) {
            self.use_table(number);
        }
        let entries = &mut self.table_mut(number).expect("just made").entries;
        if entries.len() <= index {
            entries.resize_with(index + 1, || None);
        }
        &mut entries[index]
    }

    /// All tables by ascending number.
    pub(super) fn iter_mut(&mut self) -> TablesMut<'_, V> {
        self.near.iter_mut().chain(self.far.values_mut())
    }

    /// Counts a table as used, and moves tables to `near` that may now be there. Each table moves at most once, so this
    /// is amortised O(1) besides the cost of the B-tree.
    fn use_table(&mut self, number: u32) {
        self.used += 1;
        if number as usize >= self.near.len() {
            self.far.insert(number, Table { number, entries: Vec::new() });
        }
        let reach = Self::INITIAL_REACH + Self::REACH * self.used;
        while let Some(first) = self.far.first_entry().filter(|first| (*first.key() as usize) < reach) {
            let table = first.remove();
            let between = (0..table.number).skip(self.near.len());
            self.near.extend(between.map(|number| Table { number, entries: Vec::new() }));
            self.near.push(table);
        }
    }

    /// Drops the vacant slots after the last entry of each table, and the tables without an entry.
    pub(super) fn shrink_to_fit(&mut self) {
        for table in self.iter_mut() {
            let length = table.entries.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            table.entries.truncate(length);
            table.entries.shrink_to_fit();
        }
        self.far.retain(|_, table| !table.entries.is_empty());
        let length = self.near.iter().rposition(|table| !table.entries.is_empty()).map_or(0, |last| last + 1);
        self.near.truncate(length);
        self.near.shrink_to_fit();
        self.used = self.near.iter().filter(|table| !table.entries.is_empty()).count() + self.far.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vacant_slot_costs_no_byte_of_its_own() {
        assert_eq!(size_of::<Slot<f32>>(), 8);
        assert_eq!(size_of::<Slot<[f32; 12]>>(), 52);
    }

    #[test]
    fn a_far_table_does_not_stretch_the_array() {
        let mut tables = Tables::new();
        *tables.slot_or_grow(NodeHandle::new(0xff_ffff, 7, 1)) =
            Some(Entry { generation: NonZeroU32::MIN, value: 'f' });
        assert_eq!((tables.near.len(), tables.far.len()), (0, 1));
        *tables.slot_or_grow(NodeHandle::new(3, 0, 1)) = Some(Entry { generation: NonZeroU32::MIN, value: 'n' });
        assert_eq!((tables.near.len(), tables.far.len()), (4, 1));
    }

    #[test]
    fn the_array_covers_eight_tables_for_each_in_use_and_64_more() {
        let mut tables = Tables::new();
        for number in (0..20).chain([64 + 8 * 21 - 1, 64 + 8 * 22]) {
            *tables.slot_or_grow(NodeHandle::new(number, 0, 1)) =
                Some(Entry { generation: NonZeroU32::MIN, value: () });
        }
        assert_eq!((tables.near.len(), tables.far.len()), (64 + 8 * 21, 1));
    }

    #[test]
    fn shrinking_keeps_every_table_that_has_an_entry() {
        for numbers in [[0, 0xff_ffff], [7, 9], [0, 63], [0xff_fffe, 0xff_ffff]] {
            let mut tables = Tables::new();
            for number in numbers {
                *tables.slot_or_grow(NodeHandle::new(number, 3, 1)) =
                    Some(Entry { generation: NonZeroU32::MIN, value: number });
            }
            tables.shrink_to_fit();
            for number in numbers {
                let slot = tables.slot(NodeHandle::new(number, 3, 1));
                assert_eq!(slot.and_then(Option::as_ref).map(|entry| entry.value), Some(number), "of {numbers:?}");
            }
        }
    }

    #[test]
    fn shrinking_counts_the_tables_that_have_an_entry() {
        let mut tables = Tables::new();
        for number in (0..20).chain([0xff_ffff]) {
            *tables.slot_or_grow(NodeHandle::new(number, 0, 1)) =
                Some(Entry { generation: NonZeroU32::MIN, value: () });
        }
        *tables.slot_or_grow(NodeHandle::new(7, 0, 1)) = None;
        tables.shrink_to_fit();
        assert_eq!(tables.used, 20);
    }

    #[test]
    fn a_table_that_was_far_comes_near_when_enough_are_in_use() {
        let mut tables = Tables::new();
        for number in (0..1000).rev() {
            *tables.slot_or_grow(NodeHandle::new(number, 0, 1)) =
                Some(Entry { generation: NonZeroU32::MIN, value: () });
        }
        assert_eq!((tables.near.len(), tables.far.len(), tables.used), (1000, 0, 1000));
        assert!(tables.near.iter().map(|table| table.number).eq(0..1000));
    }
}
