//! Writes and reads metadata tables: keeps live, stale and retired handles alike.

use crate::NodeHandle;
use crate::fallible;
use crate::handle::{MAX_GENERATION, MAX_TABLE_ENTRIES, MAX_TABLES};
use crate::record::{BytesError, Reader, Writer, count, ensure, structures};
use crate::store::Tables;
use crate::store::columns::{NIL, Slot};
use crate::store::handles::table::{Entry, Table};

/// Set in the state of an entry with a live node, above the generation.
const LIVE: u32 = 1 << 31;

/// The place of a live entry's node. Its transform slot is that of the row, and the free entries are those that are
/// neither live nor retired.
#[derive(Clone, Copy)]
struct PlaceRecord {
    slice: u32,
    row: u32,
}

structures! {
    PlaceRecord { slice: u32, row: u32 };
}

impl Tables {
    /// Writes all tables, and lists the open ones that have no owner.
    pub(super) fn write(&self, out: &mut Writer) {
        out.one(u32::try_from(self.tables.len()).expect("there are at most 2^24 tables"));
        for table in &self.tables {
            let live = || (0..).zip(&table.entries).filter(|&(at, entry): &(u32, &Entry)| entry.lives(at));
            out.one(count(table.entries.len()));
            out.one(u32::from(table.cut));
            out.one(table.cut_generation);
            let state = |(at, entry): (u32, &Entry)| entry.generation() | if entry.lives(at) { LIVE } else { 0 };
            out.array(&(0..).zip(&table.entries).map(state).collect::<Vec<u32>>());
            let place = |(_, entry): (u32, &Entry)| PlaceRecord { slice: entry.slice, row: entry.row };
            out.array(&live().map(place).collect::<Vec<PlaceRecord>>());
        }
        out.list(&self.open_from(self.pool.open));
    }

    /// The tables that a slice owns, and its list of open ones in order.
    pub(super) fn owned_by(&self, slice: u32) -> (&[u32], Vec<u32>) {
        let list = self.by_slice.get(slice as usize);
        list.map_or((&[], Vec::new()), |list| (&list.owned, self.open_from(list.open)))
    }

    fn open_from(&self, first: u32) -> Vec<u32> {
        let listed = |&number: &u32| number != NIL;
        let after = |&number: &u32| Some(self.tables[number as usize].next_open).filter(listed);
        core::iter::successors(Some(first).filter(listed), after).collect()
    }

    /// Reads and checks what [`Self::write`] wrote. Returns the number of live handles.
    pub(super) fn read(&mut self, from: &mut Reader<'_>) -> Result<usize, BytesError> {
        let count: u32 = from.one()?;
        ensure!(count <= MAX_TABLES, "there are more metadata tables than there can be");
        let mut live = 0;
        for number in 0..count {
            let [len, cut, generation]: [u32; 3] = from.one()?;
            let all = len.checked_add(cut).filter(|&all| all <= MAX_TABLE_ENTRIES);
            ensure!(all.is_some(), "a metadata table has more entries than it can have");
            let sound = |generation: u32| (1..=MAX_GENERATION).contains(&generation);
            ensure!(if cut > 0 { sound(generation) } else { generation == 0 }, "a metadata table is cut unsoundly");
            let states: Vec<u32> = from.many(len)?;
            ensure!(states.iter().all(|state| sound(state & !LIVE)), "an entry of a metadata table is unsound");
            let living = states.iter().filter(|&state| state & LIVE != 0).count();
            let places: Vec<PlaceRecord> = from.many(u32::try_from(living).unwrap_or(len))?;
            let mut places = places.into_iter();
            let mut entries = fallible::with_capacity(states.len())?;
            for (index, state) in (0..).zip(states) {
                let generation = state & !LIVE;
                let place = if state & LIVE == 0 { None } else { places.next() };
                entries.push(match place {
                    None => Entry::free(index, generation),
                    Some(PlaceRecord { slice, row }) => {
                        let state = NodeHandle::new(number, index, generation).low_bits();
                        Entry { state, slice, row, transform: Slot::BASE }
                    }
                });
            }
            live += living;
            let (mut table, retired) = Table::try_of(entries, self.max_generation)?;
            self.retired += retired;
            if cut > 0 {
                table.cut = u16::try_from(cut).unwrap_or(u16::MAX);
                table.cut_generation = generation;
                self.retired += if generation >= self.max_generation { cut as usize } else { 0 };
                // A table that was cut has no spare capacity: see `Table::cut`.
                if table.entries.capacity() != table.entries.len() {
                    table.try_regrow(self.max_generation)?;
                }
            }
            fallible::push(&mut self.tables, table)?;
        }
        let open = from.list()?;
        self.list_open(NIL, &open)?;
        Ok(live)
    }

    /// Assigns tables without an owner to a slice, and puts some of them on its list of open tables.
    pub(super) fn give(&mut self, slice: u32, owned: &[u32], open: &[u32]) -> Result<(), BytesError> {
        if owned.is_empty() && open.is_empty() {
            return Ok(());
        }
        for &number in owned {
            let table =
                self.tables.get_mut(number as usize).ok_or(BytesError::invalid("it owns a table that there is not"))?;
            ensure!(table.owner == NIL && !table.listed, "it owns a metadata table of another");
            table.owner = slice;
        }
        let list = self.try_tables_of(slice)?;
        list.owned.try_reserve_exact(owned.len()).map_err(|_| BytesError::AllocationFailed)?;
        list.owned.extend_from_slice(owned);
        self.list_open(slice, open)
    }

    fn list_open(&mut self, owner: u32, open: &[u32]) -> Result<(), BytesError> {
        let mut next = NIL;
        for &number in open.iter().rev() {
            let table =
                self.tables.get_mut(number as usize).ok_or(BytesError::invalid("a table is open that there is not"))?;
            ensure!(table.owner == owner && !table.listed, "a metadata table is open elsewhere");
            table.listed = true;
            table.next_open = core::mem::replace(&mut next, number);
        }
        self.tables_of(owner).open = next;
        Ok(())
    }

    /// Checks that every table with a free entry is on a list.
    pub(super) fn check_owners(&self) -> Result<(), BytesError> {
        let found = self.tables.iter().all(|table| table.listed || table.free.count() == 0);
        ensure!(found, "a metadata table has free entries and is on no list");
        Ok(())
    }
}
