//! Metadata tables: from a handle to the place of its node.

use crate::handle::{MAX_GENERATION, MAX_TABLE_ENTRIES, most_tables};
use crate::store::columns::{At, NIL, Slot};
use crate::store::handles::free::FreeEntries;
use crate::{NodeHandle, SceneConfig};
use hedgerow_math::internal::prefetch;
use smallvec::SmallVec;
use std::collections::TryReserveError;

/// The position of the lowest bits of an index in an entry's state.
const STAMP_SHIFT: u32 = 28;
/// Masks the generation in an entry's state.
const GENERATION: u32 = (1 << STAMP_SHIFT) - 1;

/// One entry: the place of a live node, and what the most common reads and writes need, so that these do not read the
/// row. 16 bytes, so that no entry lies in two cache lines.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Entry {
    /// While the node lives, the lower half of its handle's bits: one comparison shows whether a handle names the node.
    /// While the entry is free, the generation of its last node, below bits that no handle of this entry has.
    pub(in crate::store) state: u32,
    /// The node's slice.
    pub(in crate::store) slice: u32,
    /// The node's row.
    pub(in crate::store) row: u32,
    /// The node's effective transform slot, the same as in its row.
    pub(in crate::store) transform: Slot,
}

impl Entry {
    /// The entry of a live node.
    #[inline]
    pub(in crate::store) fn live(handle: NodeHandle, at: At, transform: Slot) -> Self {
        Self { state: handle.low_bits(), slice: at.slice, row: at.row, transform }
    }

    /// The free entry at `index`, after a node of this generation.
    #[inline]
    pub(in crate::store) fn free(index: u32, generation: u32) -> Self {
        Self { state: Self::free_state(index, generation), slice: NIL, row: NIL, transform: Slot::BASE }
    }

    /// The state of a free entry. The other fields of a free entry are ignored.
    #[inline(always)]
    fn free_state(index: u32, generation: u32) -> u32 {
        (!index) << STAMP_SHIFT | generation
    }

    /// The generation of the entry's node, or of its last one.
    #[inline]
    pub(in crate::store) fn generation(&self) -> u32 {
        self.state & GENERATION
    }

    /// Whether the entry at `index` of its table has a node.
    #[inline]
    pub(in crate::store) fn lives(&self, index: u32) -> bool {
        self.state >> STAMP_SHIFT == index & (u32::MAX >> STAMP_SHIFT)
    }

    /// Where the entry's node is.
    #[inline]
    pub(in crate::store) fn at(&self) -> At {
        At { slice: self.slice, row: self.row }
    }
}

const _: () = assert!(size_of::<Entry>() == 16);

/// One table of at most 4096 entries, opened by a slice and never freed.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(in crate::store) struct Table {
    pub(in crate::store) entries: Vec<Entry>,
    /// The free entries. The bit set alone decides which one is taken, so no entry has to be loaded to find the next.
    pub(in crate::store) free: FreeEntries,
    /// The slice that allocates from this table, or [`NIL`] while the table is in the pool.
    pub(in crate::store) owner: u32,
    /// The next open table of the same owner.
    pub(in crate::store) next_open: u32,
    /// Whether the table is on its owner's list of open tables.
    pub(in crate::store) listed: bool,
    /// How many free entries were cut off the end. While there are any, the table has no spare capacity, so that it
    /// cannot grow without [`Self::try_regrow`].
    pub(in crate::store) cut: u16,
    /// A generation that none of these exceeds; 0 if there are none.
    pub(in crate::store) cut_generation: u32,
}

const _: () = assert!(size_of::<Table>() == 64);

impl Table {
    /// Takes the handle of a free entry, preferably near an index. Returns `None` if there is none.
    #[inline(always)]
    fn take_near(&mut self, number: u32, index: u32) -> Option<NodeHandle> {
        let index = self.free.take_near(index)?;
        let entry = self.entries.get(index as usize)?;
        Some(NodeHandle::new(number, index, entry.generation() + 1))
    }

    /// A table of these entries without an owner, and the number of retired entries.
    pub(in crate::store) fn try_of(entries: Vec<Entry>, max_generation: u32) -> Result<(Self, usize), TryReserveError> {
        let mut free = FreeEntries::try_new()?;
        let mut retired = 0;
        for (index, entry) in (0..).zip(&entries) {
            if entry.lives(index) {
                continue;
            }
            if entry.generation() < max_generation {
                free.insert(index);
            } else {
                retired += 1;
            }
        }
        Ok((Self { entries, free, owner: NIL, next_open: NIL, listed: false, cut: 0, cut_generation: 0 }, retired))
    }
}

/// The tables that one slice allocates from.
#[derive(Clone, Debug)]
pub(in crate::store) struct OwnedTables {
    /// The first table that has a free entry or can grow.
    pub(in crate::store) open: u32,
    pub(in crate::store) owned: SmallVec<[u32; 2]>,
}

impl OwnedTables {
    const EMPTY: Self = Self { open: NIL, owned: SmallVec::new_const() };
}

/// All metadata tables of a scene.
///
/// A table belongs to the slice that opened it. When the slice is removed, the table goes to the pool, with any entries
/// that still name nodes in other slices. The next slice that needs a table adopts it. Source: the thesis, section
/// 4.4.4 (metadata array and its free list).
#[derive(Clone, Debug)]
pub(in crate::store) struct Tables {
    pub(in crate::store) tables: Vec<Table>,
    /// By slice number.
    pub(in crate::store) by_slice: Vec<OwnedTables>,
    pub(in crate::store) pool: OwnedTables,
    pub(in crate::store) initial_entries: u32,
    /// The greatest number of entries of a table. Unit tests lower it, and the next one, to come to their ends.
    pub(in crate::store) max_entries: u32,
    /// How many times an index is used before it is retired.
    pub(in crate::store) max_generation: u32,
    pub(in crate::store) retired: usize,
}

impl Tables {
    pub(in crate::store) fn new(config: &SceneConfig) -> Self {
        Self {
            tables: Vec::new(),
            by_slice: Vec::new(),
            pool: OwnedTables::EMPTY,
            initial_entries: config.initial_slice_max_num_nodes,
            max_entries: MAX_TABLE_ENTRIES,
            max_generation: MAX_GENERATION,
            retired: 0,
        }
    }

    /// The entry of a live node.
    #[inline(always)]
    pub(in crate::store) fn entry(&self, handle: NodeHandle) -> Option<Entry> {
        let entry = *self.tables.get(handle.table() as usize)?.entries.get(handle.index() as usize)?;
        (entry.state == handle.low_bits()).then_some(entry)
    }

    /// Whether an entry, given by table and index, has a live node of this generation.
    pub(in crate::store) fn holds(&self, table: usize, index: usize, generation: u32) -> bool {
        let entry = self.tables.get(table).and_then(|table| table.entries.get(index));
        entry.is_some_and(|entry| entry.lives(entry_number(index)) && entry.generation() == generation)
    }

    /// The place of a live node.
    #[inline]
    pub(in crate::store) fn resolve(&self, handle: NodeHandle) -> Option<At> {
        self.entry(handle).map(|entry| entry.at())
    }

    /// Prefetches the entry of a handle.
    #[inline]
    pub(in crate::store) fn prefetch(&self, handle: NodeHandle) {
        if let Some(table) = self.tables.get(handle.table() as usize) {
            prefetch(&table.entries, handle.index() as usize);
        }
    }

    /// Whether this many more tables can be opened.
    pub(in crate::store) fn can_open(&self, tables: usize) -> bool {
        tables <= most_tables() as usize - self.tables.len()
    }

    /// Updates the place of a live node and its effective transform slot.
    #[inline]
    pub(in crate::store) fn relocate(&mut self, handle: NodeHandle, at: At, transform: Slot) {
        let entry = &mut self.tables[handle.table() as usize].entries[handle.index() as usize];
        debug_assert_eq!(entry.state, handle.low_bits());
        *entry = Entry::live(handle, at, transform);
    }

    /// Updates the effective transform slot of a live node.
    #[inline]
    pub(in crate::store) fn note_transform(&mut self, handle: NodeHandle, transform: Slot) {
        let entry = &mut self.tables[handle.table() as usize].entries[handle.index() as usize];
        debug_assert_eq!(entry.state, handle.low_bits());
        entry.transform = transform;
    }

    /// Allocates a handle from a table of the slice, for a node at a place. Returns `None` if the greatest number of
    /// tables is reached and all are full.
    #[inline]
    pub(in crate::store) fn allocate(&mut self, slice: u32, at: At, transform: Slot) -> Option<NodeHandle> {
        let (handle, entry) = self.take(slice)?;
        *entry = Entry::live(handle, at, transform);
        Some(handle)
    }

    /// Takes a handle from a table of the slice, with its entry, in which the caller writes [`Entry::live`]. Returns
    /// `None` if the greatest number of tables is reached and all are full.
    #[inline]
    pub(in crate::store) fn take(&mut self, slice: u32) -> Option<(NodeHandle, &mut Entry)> {
        let number = self.by_slice.get(slice as usize).map_or(NIL, |list| list.open);
        let handle = match self.tables.get_mut(number as usize).and_then(|table| table.take_near(number, 0)) {
            Some(handle) => handle,
            None => self.take_fresh(slice)?,
        };
        Some((handle, &mut self.tables[handle.table() as usize].entries[handle.index() as usize]))
    }

    /// Takes a handle from the same table as another one, preferably near that one's entry; with its entry, in which the
    /// caller writes [`Entry::live`]. Returns `None` if that table has no free entry and cannot grow at once.
    ///
    /// So children's entries lie near their parents', and the table was just read.
    #[inline(always)]
    pub(in crate::store) fn take_beside(&mut self, sibling: NodeHandle) -> Option<(NodeHandle, &mut Entry)> {
        let number = sibling.table();
        let Table { entries, free, cut, .. } = self.tables.get_mut(number as usize)?;
        if let Some(index) = free.take_near(sibling.index()) {
            let entry = entries.get_mut(index as usize)?;
            return Some((NodeHandle::new(number, index, entry.generation() + 1), entry));
        }
        // A table that was cut is given back its entries where its owner allocates from it.
        if entries.len() >= self.max_entries as usize || *cut > 0 {
            return None;
        }
        if entries.len() == entries.capacity() {
            grow(entries, self.initial_entries, self.max_entries);
        }
        let handle = push_free(entries, number);
        Some((handle, entries.last_mut()?))
    }

    /// Like [`Self::allocate`], for a slice most of whose handles come from the end of a table.
    #[inline]
    pub(in crate::store) fn append(&mut self, slice: u32, at: At, transform: Slot) -> Option<NodeHandle> {
        let number = self.by_slice.get(slice as usize).map_or(NIL, |list| list.open);
        match self.tables.get_mut(number as usize) {
            Some(Table { entries, free, cut: 0, .. })
                if free.count() == 0 && entries.len() < entries.capacity().min(self.max_entries as usize) =>
            {
                Some(push(entries, number, at, transform))
            }
            _ => self.allocate(slice, at, transform),
        }
    }

    /// Takes a handle if the slice's first open table has no free entry: from its end, or from another table.
    #[cold]
    fn take_fresh(&mut self, slice: u32) -> Option<NodeHandle> {
        loop {
            let number = match self.tables_of(slice).open {
                NIL => self.open_table(slice)?,
                open => open,
            };
            let table = &mut self.tables[number as usize];
            if table.cut > 0 && table.free.count() == 0 {
                table.regrow(self.max_generation);
            }
            if table.free.count() > 0 {
                return table.take_near(number, 0);
            }
            if table.entries.len() < self.max_entries as usize {
                grow(&mut table.entries, self.initial_entries, self.max_entries);
                return Some(push_free(&mut table.entries, number));
            }
            table.listed = false;
            let next = table.next_open;
            self.tables_of(slice).open = next;
        }
    }

    /// Frees the handle of a node. An index at its greatest generation is retired.
    #[inline(always)]
    pub(in crate::store) fn free(&mut self, handle: NodeHandle) {
        let (number, index) = (handle.table(), handle.index());
        let table = &mut self.tables[number as usize];
        let entry = &mut table.entries[index as usize];
        debug_assert_eq!(entry.state, handle.low_bits());
        entry.state = Entry::free_state(index, handle.generation());
        if handle.generation() < self.max_generation {
            table.free.insert(index);
            if !table.listed {
                self.list_again(number);
            }
        } else {
            self.retired += 1;
        }
    }

    /// Puts a table that has a free entry again on its owner's list of open tables.
    #[cold]
    #[inline(never)]
    fn list_again(&mut self, number: u32) {
        let owner = self.tables[number as usize].owner;
        self.list(number, owner);
    }

    /// Moves a slice's tables to the pool.
    pub(in crate::store) fn orphan(&mut self, slice: u32) {
        let list = core::mem::replace(self.tables_of(slice), OwnedTables::EMPTY);
        for number in list.owned {
            let table = &mut self.tables[number as usize];
            table.owner = NIL;
            if core::mem::take(&mut table.listed) {
                self.list(number, NIL);
            }
        }
    }

    pub(in crate::store) fn tables_of(&mut self, slice: u32) -> &mut OwnedTables {
        if slice == NIL {
            return &mut self.pool;
        }
        if slice as usize >= self.by_slice.len() {
            self.by_slice.resize(slice as usize + 1, OwnedTables::EMPTY);
        }
        &mut self.by_slice[slice as usize]
    }

    /// Like [`Self::tables_of`], but returns an error if the allocator refuses.
    pub(in crate::store) fn try_tables_of(&mut self, slice: u32) -> Result<&mut OwnedTables, TryReserveError> {
        if slice != NIL {
            self.by_slice.try_reserve((slice as usize + 1).saturating_sub(self.by_slice.len()))?;
        }
        Ok(self.tables_of(slice))
    }

    /// Puts a table on its owner's list of open tables.
    fn list(&mut self, number: u32, owner: u32) {
        let next = core::mem::replace(&mut self.tables_of(owner).open, number);
        let table = &mut self.tables[number as usize];
        table.next_open = next;
        table.listed = true;
    }

    /// Adopts an open table from the pool, else makes a new one.
    fn open_table(&mut self, slice: u32) -> Option<u32> {
        let number = if self.pool.open != NIL {
            let number = self.pool.open;
            self.pool.open = self.tables[number as usize].next_open;
            number
        } else {
            let number = u32::try_from(self.tables.len()).ok().filter(|&number| number < most_tables())?;
            self.tables.push(Table {
                entries: Vec::new(),
                free: FreeEntries::new(),
                owner: NIL,
                next_open: NIL,
                listed: false,
                cut: 0,
                cut_generation: 0,
            });
            number
        };
        self.tables[number as usize].owner = slice;
        self.tables_of(slice).owned.push(number);
        self.list(number, slice);
        Some(number)
    }

    /// Opens a table for a slice that has none, with room for this many entries, up to the greatest size of a table.
    pub(in crate::store) fn open_with_room(&mut self, slice: u32, entries: usize) {
        if self.tables_of(slice).open == NIL
            && let Some(number) = self.open_table(slice)
        {
            let table = &mut self.tables[number as usize];
            table.regrow(self.max_generation);
            table.entries.reserve_exact(entries.min(self.max_entries as usize).saturating_sub(table.entries.len()));
        }
    }

    /// Makes room for `additional` more handles of a slice, as far as its open tables can hold them.
    pub(in crate::store) fn try_reserve(&mut self, slice: u32, additional: usize) -> Result<(), TryReserveError> {
        let number = self.try_tables_of(slice)?.open;
        if let Some(table) = self.tables.get_mut(number as usize) {
            table.try_regrow(self.max_generation)?;
            let room = (self.max_entries as usize).saturating_sub(table.entries.len());
            table.entries.try_reserve(additional.min(room))?;
        }
        self.tables.try_reserve(additional.div_ceil(self.max_entries as usize))
    }

    /// Cuts free entries off the ends of tables, as far as their generations allow, and frees unused memory.
    pub(in crate::store) fn shrink_to_fit(&mut self) {
        for table in &mut self.tables {
            table.shrink(self.max_generation);
        }
        self.tables.shrink_to_fit();
        self.by_slice.shrink_to_fit();
    }

    pub(in crate::store) fn len(&self) -> usize {
        self.tables.len()
    }

    pub(in crate::store) fn retired(&self) -> usize {
        self.retired
    }

    /// The bytes of one live entry.
    pub(in crate::store) const ENTRY_BYTES: usize = size_of::<Entry>();

    pub(in crate::store) fn allocated_bytes(&self) -> usize {
        let table = |table: &Table| table.entries.capacity() * size_of::<Entry>() + table.free.bytes();
        let owned = self.by_slice.iter().chain([&self.pool]).map(|list| &list.owned).filter(|owned| owned.spilled());
        self.tables.iter().map(table).sum::<usize>()
            + owned.map(|owned| owned.capacity() * size_of::<u32>()).sum::<usize>()
            + self.tables.capacity() * size_of::<Table>()
            + self.by_slice.capacity() * size_of::<OwnedTables>()
    }
}

/// Appends an entry for a live node.
#[inline(always)]
fn push(entries: &mut Vec<Entry>, number: u32, at: At, transform: Slot) -> NodeHandle {
    let handle = NodeHandle::new(number, entry_number(entries.len()), 1);
    entries.push(Entry::live(handle, at, transform));
    handle
}

/// Takes the handle of an entry behind the last one of a table with spare capacity; no node had it.
#[inline(always)]
fn push_free(entries: &mut Vec<Entry>, number: u32) -> NodeHandle {
    let index = entry_number(entries.len());
    entries.push(Entry::free(index, 0));
    NodeHandle::new(number, index, 1)
}

/// Doubles the capacity of a table, from `initial` to at most `max` entries.
#[cold]
#[inline(never)]
fn grow(entries: &mut Vec<Entry>, initial: u32, max: u32) {
    if entries.len() == entries.capacity() {
        let target = (entries.len() * 2).clamp(initial as usize, max as usize);
        entries.reserve_exact(target - entries.len());
    }
}

/// The number of an entry or slice; both are far below 2³².
#[expect(clippy::cast_possible_truncation, reason = "at most 4096 entries a table, and slices are numbered in u32")]
pub(in crate::store) fn entry_number(index: usize) -> u32 {
    index as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(max_entries: u32, max_generation: u32) -> Tables {
        let config = SceneConfig { initial_slice_max_num_nodes: 1, ..SceneConfig::DEFAULT };
        Tables { max_entries, max_generation, ..Tables::new(&config) }
    }

    #[test]
    fn an_index_is_retired_after_its_last_generation() {
        let mut tables = tables(1, 2);
        let first = tables.allocate(0, At::ROOT, Slot::BASE).unwrap();
        tables.free(first);
        let second = tables.allocate(0, At::ROOT, Slot::BASE).unwrap();
        assert_eq!((second.table(), second.index(), second.generation()), (0, 0, 2));
        assert_eq!(tables.resolve(first), None);
        tables.free(second);
        assert_eq!(tables.retired(), 1);
        let third = tables.allocate(0, At::ROOT, Slot::BASE).unwrap();
        assert_eq!((third.table(), third.generation()), (1, 1), "the first table's only index is spent");
        assert_eq!(tables.validate(|slice| slice == 0), Ok(1));
    }

    #[test]
    fn the_next_slice_adopts_an_orphaned_table_with_its_living_entries() {
        let mut tables = tables(2, 100);
        let moved_away = tables.allocate(1, At { slice: 1, row: 0 }, Slot::BASE).unwrap();
        tables.relocate(moved_away, At { slice: 0, row: 5 }, Slot::BASE);
        tables.orphan(1);
        let next = tables.allocate(2, At { slice: 2, row: 0 }, Slot::BASE).unwrap();
        assert_eq!((next.table(), next.index()), (0, 1));
        assert_eq!(tables.resolve(moved_away), Some(At { slice: 0, row: 5 }));
        tables.orphan(2);
        tables.free(moved_away);
        tables.free(next);
        assert_eq!(tables.allocate(3, At::ROOT, Slot::BASE).map(NodeHandle::table), Some(0));
        assert_eq!(tables.len(), 1);
        assert_eq!(tables.validate(|slice| slice == 3), Ok(1));
    }
}
