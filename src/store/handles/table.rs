//! Metadata tables: from a handle to the place of its node.

use crate::handle::MAX_TABLES;
use crate::simd::prefetch;
use crate::store::columns::{At, NIL};
use crate::{NodeHandle, SceneConfig};
use smallvec::SmallVec;

/// Set in an entry whose node lives.
pub(crate) const LIVE: u32 = 1 << 31;

/// One entry, 12 bytes: the place of a live node, or a link of the free list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The generation of the entry's last node, with [`LIVE`] above it while that node lives.
    pub(in crate::store) state: u32,
    /// The node's slice.
    pub(in crate::store) slice: u32,
    /// The node's row, or the next free entry.
    pub(in crate::store) row: u32,
}

/// How many strands a free list has.
pub(crate) const STRANDS: u32 = 8;

/// A last-in, first-out list of free entries in eight strands, each threaded through the entries.
///
/// What was freed goes to the strands in turn, and is taken back in reverse. On a single strand, taking an entry waits
/// until the one taken before has come from memory with the link to it. On eight, the next seven are known, and can be
/// asked for ahead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeList {
    pub(in crate::store) heads: [u32; STRANDS as usize],
    pub(in crate::store) len: u32,
}

impl FreeList {
    pub(crate) const EMPTY: Self = Self { heads: [NIL; STRANDS as usize], len: 0 };

    #[inline]
    fn push(&mut self, entries: &mut [Entry], index: u32) {
        let head = &mut self.heads[(self.len % STRANDS) as usize];
        entries[index as usize].row = core::mem::replace(head, index);
        self.len += 1;
    }

    #[inline]
    pub(crate) fn pop(&mut self, entries: &[Entry]) -> Option<u32> {
        self.len = self.len.checked_sub(1)?;
        let ahead = self.len.wrapping_sub(STRANDS / 2) % STRANDS;
        prefetch(entries, self.heads[ahead as usize] as usize);
        let head = &mut self.heads[(self.len % STRANDS) as usize];
        let index = *head;
        *head = entries.get(index as usize)?.row;
        Some(index)
    }
}

/// One table of at most 4096 entries, opened by a slice and never freed.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(in crate::store) entries: Vec<Entry>,
    /// The free list, threaded through the entries.
    pub(in crate::store) free: FreeList,
    /// The slice that allocates from this table, or [`NIL`] while it waits in the pool.
    pub(in crate::store) owner: u32,
    /// The next open table of the same owner.
    pub(in crate::store) next_open: u32,
    /// Whether the table is on its owner's list of open tables.
    pub(in crate::store) listed: bool,
}

/// The tables that one slice allocates from.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    /// The first table with a free entry, or with room to grow.
    pub(in crate::store) open: u32,
    pub(in crate::store) owned: SmallVec<[u32; 2]>,
}

impl Shelf {
    const EMPTY: Self = Self { open: NIL, owned: SmallVec::new_const() };
}

/// All metadata tables of a scene.
///
/// A table belongs to the slice that opened it. When the slice goes, the table goes to the pool, with whatever
/// entries still name nodes that live elsewhere, and the next slice in need adopts it.
/// Source: the thesis, section 4.4.4 (metadata array and its free list).
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(in crate::store) tables: Vec<Table>,
    /// By slice number.
    pub(in crate::store) shelves: Vec<Shelf>,
    pub(in crate::store) pool: Shelf,
    initial_entries: u32,
    pub(in crate::store) max_entries: u32,
    pub(in crate::store) max_generation: u32,
    pub(in crate::store) retired: usize,
}

impl Tables {
    pub(crate) fn new(config: &SceneConfig) -> Self {
        Self {
            tables: Vec::new(),
            shelves: Vec::new(),
            pool: Shelf::EMPTY,
            initial_entries: config.initial_slice_max_num_nodes.min(config.max_table_entries),
            max_entries: config.max_table_entries,
            max_generation: config.max_generation,
            retired: 0,
        }
    }

    /// The place of a live node.
    #[inline]
    pub(crate) fn resolve(&self, handle: NodeHandle) -> Option<At> {
        let entry = self.tables.get(handle.table() as usize)?.entries.get(handle.index() as usize)?;
        (entry.state == handle.generation() | LIVE).then_some(At { slice: entry.slice, row: entry.row })
    }

    /// Asks for the entry of a handle.
    #[inline]
    pub(crate) fn prefetch(&self, handle: NodeHandle) {
        if let Some(table) = self.tables.get(handle.table() as usize) {
            prefetch(&table.entries, handle.index() as usize);
        }
    }

    /// Whether so many tables can still be opened.
    pub(crate) fn can_open(&self, tables: usize) -> bool {
        tables <= MAX_TABLES as usize - self.tables.len()
    }

    /// Notes where a live node is now.
    #[inline]
    pub(crate) fn relocate(&mut self, handle: NodeHandle, at: At) {
        let entry = &mut self.tables[handle.table() as usize].entries[handle.index() as usize];
        debug_assert_eq!(entry.state, handle.generation() | LIVE);
        entry.slice = at.slice;
        entry.row = at.row;
    }

    /// A handle from a table of the slice; `None` when every table that there can be is full.
    #[inline]
    pub(crate) fn allocate(&mut self, slice: u32, at: At) -> Option<NodeHandle> {
        let number = self.shelves.get(slice as usize).map_or(NIL, |shelf| shelf.open);
        if let Some(table) = self.tables.get_mut(number as usize)
            && let Some(index) = table.free.pop(&table.entries)
        {
            let entry = &mut table.entries[index as usize];
            let generation = entry.state + 1;
            *entry = Entry { state: generation | LIVE, slice: at.slice, row: at.row };
            return Some(NodeHandle::new(number, index, generation));
        }
        self.allocate_fresh(slice, at)
    }

    /// As [`Self::allocate`], for a slice most of whose handles come from the end of a table.
    #[inline]
    pub(crate) fn append(&mut self, slice: u32, at: At) -> Option<NodeHandle> {
        let number = self.shelves.get(slice as usize).map_or(NIL, |shelf| shelf.open);
        match self.tables.get_mut(number as usize) {
            Some(Table { entries, free, .. })
                if free.len == 0 && entries.len() < entries.capacity().min(self.max_entries as usize) =>
            {
                let index = entry_number(entries.len());
                entries.push(Entry { state: 1 | LIVE, slice: at.slice, row: at.row });
                Some(NodeHandle::new(number, index, 1))
            }
            _ => self.allocate(slice, at),
        }
    }

    /// A handle where the slice's first open table has no free entry: from its end, or from another table.
    fn allocate_fresh(&mut self, slice: u32, at: At) -> Option<NodeHandle> {
        loop {
            let number = match self.shelf(slice).open {
                NIL => self.open_table(slice)?,
                open => open,
            };
            let table = &mut self.tables[number as usize];
            if table.free.len > 0 {
                return self.allocate(slice, at);
            }
            if table.entries.len() < self.max_entries as usize {
                grow(&mut table.entries, self.initial_entries, self.max_entries);
                let index = entry_number(table.entries.len());
                table.entries.push(Entry { state: 1 | LIVE, slice: at.slice, row: at.row });
                return Some(NodeHandle::new(number, index, 1));
            }
            table.listed = false;
            let next = table.next_open;
            self.shelf(slice).open = next;
        }
    }

    /// Ends the life of a node's handle. An index at its last generation is retired.
    #[inline]
    pub(crate) fn free(&mut self, handle: NodeHandle) {
        let number = handle.table();
        let table = &mut self.tables[number as usize];
        let entry = &mut table.entries[handle.index() as usize];
        debug_assert_eq!(entry.state, handle.generation() | LIVE);
        entry.state = handle.generation();
        entry.slice = NIL;
        if entry.state >= self.max_generation {
            entry.row = NIL;
            self.retired += 1;
            return;
        }
        table.free.push(&mut table.entries, handle.index());
        if !table.listed {
            let owner = table.owner;
            self.list(number, owner);
        }
    }

    /// Gives a slice's tables to the pool.
    pub(crate) fn orphan(&mut self, slice: u32) {
        let shelf = core::mem::replace(self.shelf(slice), Shelf::EMPTY);
        for number in shelf.owned {
            let table = &mut self.tables[number as usize];
            table.owner = NIL;
            if core::mem::take(&mut table.listed) {
                self.list(number, NIL);
            }
        }
    }

    pub(crate) fn shelf(&mut self, slice: u32) -> &mut Shelf {
        if slice == NIL {
            return &mut self.pool;
        }
        if slice as usize >= self.shelves.len() {
            self.shelves.resize(slice as usize + 1, Shelf::EMPTY);
        }
        &mut self.shelves[slice as usize]
    }

    /// Puts a table on its owner's list of open ones.
    fn list(&mut self, number: u32, owner: u32) {
        let next = core::mem::replace(&mut self.shelf(owner).open, number);
        let table = &mut self.tables[number as usize];
        table.next_open = next;
        table.listed = true;
    }

    /// Adopts an open table of the pool, else makes a new one.
    fn open_table(&mut self, slice: u32) -> Option<u32> {
        let number = if self.pool.open != NIL {
            let number = self.pool.open;
            self.pool.open = self.tables[number as usize].next_open;
            number
        } else {
            let number = u32::try_from(self.tables.len()).ok().filter(|&number| number < MAX_TABLES)?;
            self.tables.push(Table {
                entries: Vec::new(),
                free: FreeList::EMPTY,
                owner: NIL,
                next_open: NIL,
                listed: false,
            });
            number
        };
        self.tables[number as usize].owner = slice;
        self.shelf(slice).owned.push(number);
        self.list(number, slice);
        Some(number)
    }

    /// Opens a table for a slice that has none, with room for this many entries as far as a table can hold them.
    pub(crate) fn open_with_room(&mut self, slice: u32, entries: usize) {
        if self.shelf(slice).open == NIL
            && let Some(number) = self.open_table(slice)
        {
            let table = &mut self.tables[number as usize];
            table.entries.reserve_exact(entries.min(self.max_entries as usize).saturating_sub(table.entries.len()));
        }
    }

    /// Makes room for `additional` more handles of a slice, as far as its open tables can hold them.
    pub(crate) fn try_reserve(
        &mut self,
        slice: u32,
        additional: usize,
    ) -> Result<(), std::collections::TryReserveError> {
        let number = self.shelf(slice).open;
        if let Some(table) = self.tables.get_mut(number as usize) {
            let room = (self.max_entries as usize).saturating_sub(table.entries.len());
            table.entries.try_reserve(additional.min(room))?;
        }
        self.tables.try_reserve(additional.div_ceil(self.max_entries as usize))
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        for table in &mut self.tables {
            table.entries.shrink_to_fit();
        }
        self.tables.shrink_to_fit();
        self.shelves.shrink_to_fit();
    }

    pub(crate) fn len(&self) -> usize {
        self.tables.len()
    }

    pub(crate) fn retired(&self) -> usize {
        self.retired
    }

    /// The bytes of one live entry.
    pub(crate) const ENTRY_BYTES: usize = size_of::<Entry>();

    pub(crate) fn allocated_bytes(&self) -> usize {
        let entries: usize = self.tables.iter().map(|table| table.entries.capacity()).sum();
        entries * size_of::<Entry>()
            + self.tables.capacity() * size_of::<Table>()
            + self.shelves.capacity() * size_of::<Shelf>()
    }
}

/// Doubles a table's room, from `initial` to at most `max` entries.
fn grow(entries: &mut Vec<Entry>, initial: u32, max: u32) {
    if entries.len() == entries.capacity() {
        let target = (entries.len() * 2).clamp(initial as usize, max as usize);
        entries.reserve_exact(target - entries.len());
    }
}

/// An entry's or slice's number; both count far below 2³².
#[expect(clippy::cast_possible_truncation, reason = "at most 4096 entries a table, and slices are numbered in u32")]
pub(in crate::store) fn entry_number(index: usize) -> u32 {
    index as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(max_table_entries: u32, max_generation: u32) -> Tables {
        Tables::new(&SceneConfig {
            initial_slice_max_num_nodes: 1,
            max_table_entries,
            max_generation,
            ..SceneConfig::DEFAULT
        })
    }

    #[test]
    fn an_index_is_retired_after_its_last_generation() {
        let mut tables = tables(1, 2);
        let first = tables.allocate(0, At::ROOT).unwrap();
        tables.free(first);
        let second = tables.allocate(0, At::ROOT).unwrap();
        assert_eq!((second.table(), second.index(), second.generation()), (0, 0, 2));
        assert_eq!(tables.resolve(first), None);
        tables.free(second);
        assert_eq!(tables.retired(), 1);
        let third = tables.allocate(0, At::ROOT).unwrap();
        assert_eq!((third.table(), third.generation()), (1, 1), "the first table's only index is spent");
        assert_eq!(tables.validate(|slice| slice == 0), Ok(1));
    }

    #[test]
    fn the_next_slice_adopts_an_orphaned_table_with_its_living_entries() {
        let mut tables = tables(2, 100);
        let moved_away = tables.allocate(1, At { slice: 1, row: 0 }).unwrap();
        tables.relocate(moved_away, At { slice: 0, row: 5 });
        tables.orphan(1);
        let next = tables.allocate(2, At { slice: 2, row: 0 }).unwrap();
        assert_eq!((next.table(), next.index()), (0, 1));
        assert_eq!(tables.resolve(moved_away), Some(At { slice: 0, row: 5 }));
        tables.orphan(2);
        tables.free(moved_away);
        tables.free(next);
        assert_eq!(tables.allocate(3, At::ROOT).map(NodeHandle::table), Some(0));
        assert_eq!(tables.len(), 1);
        assert_eq!(tables.validate(|slice| slice == 3), Ok(1));
    }
}
