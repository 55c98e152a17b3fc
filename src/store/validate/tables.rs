//! Checks the metadata tables.

use crate::handle::MAX_GENERATION;
use crate::store::Tables;
use crate::store::columns::NIL;
use crate::store::handles::table::entry_number;

impl Tables {
    /// Checks the lists and owners. Returns the number of live entries.
    pub(in crate::store) fn validate(&self, slice_lives: impl Fn(u32) -> bool) -> Result<usize, String> {
        let mut owned = vec![false; self.tables.len()];
        for (slice, list) in self.by_slice.iter().enumerate() {
            let slice = entry_number(slice);
            if !list.owned.is_empty() && !slice_lives(slice) {
                return Err(format!("slice {slice} is gone and still owns metadata tables"));
            }
            for &number in &list.owned {
                if self.tables[number as usize].owner != slice || core::mem::replace(&mut owned[number as usize], true)
                {
                    return Err(format!("metadata table {number} is not owned by slice {slice} alone"));
                }
            }
        }
        let mut listed = vec![false; self.tables.len()];
        let lists = self.by_slice.iter().enumerate().map(|(slice, list)| (entry_number(slice), list));
        for (owner, list) in lists.chain([(NIL, &self.pool)]) {
            let mut number = list.open;
            while number != NIL {
                let table = &self.tables[number as usize];
                if core::mem::replace(&mut listed[number as usize], true) || !table.listed || table.owner != owner {
                    return Err(format!("metadata table {number} is listed twice, or by a slice not its owner"));
                }
                number = table.next_open;
            }
        }
        let (mut live, mut retired) = (0, 0);
        for (number, table) in self.tables.iter().enumerate() {
            if table.listed != listed[number] || (table.owner == NIL) == owned[number] {
                return Err(format!("metadata table {number} has a wrong owner or list"));
            }
            if !table.free.is_consistent() {
                return Err(format!("the free entries of metadata table {number} are miscounted"));
            }
            if table.free.count() > 0 && !table.listed {
                return Err(format!("metadata table {number} has free entries and is on no list"));
            }
            if table.cut > 0 && table.entries.capacity() != table.entries.len() {
                return Err(format!("metadata table {number} was cut and has room"));
            }
            if table.cut > 0 && !(1..=MAX_GENERATION).contains(&table.cut_generation) {
                return Err(format!("metadata table {number} was cut, and a generation is out of range"));
            }
            let mut free = 0;
            for (index, entry) in (0..).zip(&table.entries) {
                if !(1..=MAX_GENERATION).contains(&entry.generation()) {
                    return Err(format!("entry {index} of metadata table {number} has a generation out of range"));
                }
                if entry.lives(index) {
                    live += 1;
                } else if entry.generation() < self.max_generation {
                    free += 1;
                    if !table.free.contains(index) {
                        return Err(format!("entry {index} of metadata table {number} is lost"));
                    }
                } else {
                    retired += 1;
                }
            }
            if table.cut_generation >= self.max_generation {
                retired += usize::from(table.cut);
            }
            if free != table.free.count() {
                return Err(format!("an entry of metadata table {number} is free and has a node, or is retired"));
            }
        }
        if retired != self.retired {
            return Err(format!("{retired} indices are retired and {} are counted", self.retired));
        }
        Ok(live)
    }
}
