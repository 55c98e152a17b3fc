//! Checking the metadata tables.

use crate::store::Tables;
use crate::store::columns::NIL;
use crate::store::handles::table::{FreeList, LIVE, entry_number};

impl Tables {
    /// Checks the lists and owners; answers the number of live entries.
    pub(in crate::store) fn validate(&self, slice_lives: impl Fn(u32) -> bool) -> Result<usize, String> {
        let mut owned = vec![false; self.tables.len()];
        for (slice, shelf) in self.shelves.iter().enumerate() {
            let slice = entry_number(slice);
            if !shelf.owned.is_empty() && !slice_lives(slice) {
                return Err(format!("slice {slice} is gone and still owns metadata tables"));
            }
            for &number in &shelf.owned {
                if self.tables[number as usize].owner != slice || core::mem::replace(&mut owned[number as usize], true)
                {
                    return Err(format!("metadata table {number} is not owned by slice {slice} alone"));
                }
            }
        }
        let mut listed = vec![false; self.tables.len()];
        let shelves = self.shelves.iter().enumerate().map(|(slice, shelf)| (entry_number(slice), shelf));
        for (owner, shelf) in shelves.chain([(NIL, &self.pool)]) {
            let mut number = shelf.open;
            while number != NIL {
                let table = &self.tables[number as usize];
                if core::mem::replace(&mut listed[number as usize], true) || !table.listed || table.owner != owner {
                    return Err(format!("metadata table {number} is listed twice, or by a slice not its owner"));
                }
                number = table.next_open;
            }
        }
        let mut live = 0;
        for (number, table) in self.tables.iter().enumerate() {
            if table.listed != listed[number] || (table.owner == NIL) == owned[number] {
                return Err(format!("metadata table {number} has a wrong owner or list"));
            }
            let mut free = vec![false; table.entries.len()];
            let mut list = table.free;
            while let Some(index) = list.pop(&table.entries) {
                let entry = &table.entries[index as usize];
                if entry.state & LIVE != 0
                    || entry.state >= self.max_generation
                    || core::mem::replace(&mut free[index as usize], true)
                {
                    return Err(format!(
                        "the free list of metadata table {number} goes through a live, retired or known entry"
                    ));
                }
            }
            if list.heads != FreeList::EMPTY.heads || list.len > 0 {
                return Err(format!("the free list of metadata table {number} is not as long as it says"));
            }
            if table.free.len > 0 && !table.listed {
                return Err(format!("metadata table {number} has free entries and is on no list"));
            }
            for (index, entry) in table.entries.iter().enumerate() {
                if entry.state & LIVE != 0 {
                    live += 1;
                } else if !free[index] && entry.state < self.max_generation {
                    return Err(format!("entry {index} of metadata table {number} is lost"));
                }
            }
        }
        Ok(live)
    }
}
