//! Writes and reads metadata tables: keeps live, stale and retired handles alike.

use crate::NodeHandle;
use crate::fallible;
use crate::handle::MAX_TABLES;
use crate::record::{BytesError, Reader, Writer, ensure, structures};
use crate::store::Tables;
use crate::store::columns::{NIL, Slot};
use crate::store::handles::table::{Entry, Table};

/// Set in the record of an entry with a live node.
const LIVE: u32 = 1 << 31;

/// An entry as written to the file. The transform slot is that of the row, and the free entries are those that are
/// neither live nor retired.
#[derive(Clone, Copy)]
struct EntryRecord {
    /// The generation, with [`LIVE`] set while the node lives.
    state: u32,
    slice: u32,
    row: u32,
}

structures! {
    EntryRecord { state: u32, slice: u32, row: u32 };
}

impl EntryRecord {
    fn of(index: u32, entry: &Entry) -> Self {
        if entry.lives(index) {
            return Self { state: entry.generation() | LIVE, slice: entry.slice, row: entry.row };
        }
        Self { state: entry.generation(), slice: NIL, row: NIL }
    }

    /// The entry of a table; `None` if the record is invalid.
    fn entry(self, table: u32, index: u32, max_generation: u32) -> Option<Entry> {
        let generation = self.state & !LIVE;
        if !(1..=max_generation).contains(&generation) {
            return None;
        }
        if self.state & LIVE == 0 {
            return (self.slice == NIL && self.row == NIL).then(|| Entry::free(index, generation));
        }
        let state = NodeHandle::new(table, index, generation).low_bits();
        Some(Entry { state, slice: self.slice, row: self.row, transform: Slot::BASE })
    }
}

impl Tables {
    /// Writes all tables, and lists the open ones that have no owner.
    pub(super) fn write(&self, out: &mut Writer) {
        out.one(u32::try_from(self.tables.len()).expect("there are at most 2^24 tables"));
        for table in &self.tables {
            out.one(u32::try_from(table.entries.len()).expect("a table has at most 4096 entries"));
            let records: Vec<EntryRecord> =
                (0..).zip(&table.entries).map(|(at, entry)| EntryRecord::of(at, entry)).collect();
            out.array(&records);
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
            let len: u32 = from.one()?;
            ensure!(len <= self.max_entries, "a metadata table has more entries than it can have");
            let records: Vec<EntryRecord> = from.many(len)?;
            let mut entries = fallible::with_capacity(records.len())?;
            for (index, record) in (0..).zip(records) {
                let entry = record.entry(number, index, self.max_generation);
                entries.push(entry.ok_or(BytesError::invalid("an entry of a metadata table is unsound"))?);
            }
            live += (0..).zip(&entries).filter(|&(index, entry): &(u32, &Entry)| entry.lives(index)).count();
            let (table, retired) = Table::try_of(entries, self.max_generation)?;
            self.retired += retired;
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
