//! Metadata tables: handles are kept, live, stale and retired ones alike.

use crate::handle::MAX_TABLES;
use crate::record::{BytesError, Reader, Writer, ensure, structures};
use crate::store::Tables;
use crate::store::columns::NIL;
use crate::store::handles::table::{Entry, FreeList, LIVE, STRANDS, Table};

structures! {
    Entry { state: u32, slice: u32, row: u32 };
    FreeList { heads: [u32; STRANDS as usize], len: u32 };
}

impl Tables {
    /// Writes all tables, and which of those without an owner are open.
    pub(super) fn write(&self, out: &mut Writer) {
        out.one(u32::try_from(self.tables.len()).expect("there are at most 2^24 tables"));
        for table in &self.tables {
            out.one(u32::try_from(table.entries.len()).expect("a table has at most 4096 entries"));
            out.one(table.free);
            out.array(&table.entries);
        }
        out.list(&self.open_from(self.pool.open));
    }

    /// The tables that a slice owns, and those of its open ones in order.
    pub(super) fn owned_by(&self, slice: u32) -> (&[u32], Vec<u32>) {
        let shelf = self.shelves.get(slice as usize);
        shelf.map_or((&[], Vec::new()), |shelf| (&shelf.owned, self.open_from(shelf.open)))
    }

    fn open_from(&self, first: u32) -> Vec<u32> {
        let listed = |&number: &u32| number != NIL;
        let after = |&number: &u32| Some(self.tables[number as usize].next_open).filter(listed);
        core::iter::successors(Some(first).filter(listed), after).collect()
    }

    /// Reads what [`Self::write`] wrote, and checks it; returns how many handles are live.
    pub(super) fn read(&mut self, from: &mut Reader<'_>) -> Result<usize, BytesError> {
        let count: u32 = from.one()?;
        ensure!(count <= MAX_TABLES, "there are more metadata tables than there can be");
        let mut live = 0;
        let mut passed = Vec::new();
        for _ in 0..count {
            let len: u32 = from.one()?;
            ensure!(len <= self.max_entries, "a metadata table has more entries than it can have");
            let free = from.one()?;
            let entries = from.many(len)?;
            let table = Table { entries, free, owner: NIL, next_open: NIL, listed: false };
            let (living, retired) = table.check(self.max_generation, &mut passed)?;
            live += living;
            self.retired += retired;
            self.tables.push(table);
        }
        let open = from.list()?;
        self.list_open(NIL, &open)?;
        Ok(live)
    }

    /// Gives tables that have no owner yet to a slice, and puts some of them on its list of open ones.
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
        self.shelf(slice).owned = owned.into();
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
        self.shelf(owner).open = next;
        Ok(())
    }

    /// Checks that no table with a free entry is forgotten.
    pub(super) fn check_owners(&self) -> Result<(), BytesError> {
        let found = self.tables.iter().all(|table| table.listed || table.free.len == 0);
        ensure!(found, "a metadata table has free entries and is on no list");
        Ok(())
    }
}

impl Table {
    /// Checks every entry: live, free and on the list once, or retired. Returns the numbers of live and retired ones.
    fn check(&self, max_generation: u32, passed: &mut Vec<bool>) -> Result<(usize, usize), BytesError> {
        let (mut live, mut retired) = (0, 0);
        for entry in &self.entries {
            let generation = entry.state & !LIVE;
            let lives = entry.state & LIVE != 0;
            ensure!((1..=max_generation).contains(&generation), "a generation is out of range");
            ensure!(lives || entry.slice == NIL, "a handle without a node leads to a slice");
            live += usize::from(lives);
            retired += usize::from(!lives && generation == max_generation);
        }
        let free = self.entries.len() - live - retired;
        ensure!(self.free.len as usize == free, "a list of free entries is not as long as it says");
        if free == 0 {
            ensure!(self.free.heads == FreeList::EMPTY.heads, "a list of free entries does not end");
            return Ok((live, retired));
        }
        passed.clear();
        passed.resize(self.entries.len(), false);
        let mut list = self.free;
        for _ in 0..free {
            let index = list.pop(&self.entries).ok_or(BytesError::invalid("a list of free entries leads nowhere"))?;
            let state = self.entries[index as usize].state;
            let known = core::mem::replace(&mut passed[index as usize], true);
            ensure!(state < max_generation && !known, "a list of free entries goes through another");
        }
        ensure!(list.heads == FreeList::EMPTY.heads, "a list of free entries does not end");
        Ok((live, retired))
    }
}
