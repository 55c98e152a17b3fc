//! Free entries cut off the end of a table, and given back: what is kept of them is one generation.

use crate::fallible;
use crate::store::handles::table::{Entry, Table, entry_number};
use std::collections::TryReserveError;

impl Table {
    /// Cuts the free entries off the end of the table and frees their memory. Their generations are remembered as one,
    /// the greatest, so that no handle is ever issued twice: the others lose some generations. Indices that are retired
    /// stay so, and are not cut together with others.
    pub(in crate::store) fn shrink(&mut self, max_generation: u32) {
        let retired = |generation: u32| generation >= max_generation;
        let (mut cut, mut generation) = (self.cut, self.cut_generation);
        let mut end = self.entries.len();
        while let Some(entry) = self.entries[..end].last() {
            let index = entry_number(end - 1);
            let mixed = cut > 0 && retired(entry.generation()) != retired(generation);
            if entry.lives(index) || mixed {
                break;
            }
            cut += 1;
            generation = generation.max(entry.generation());
            end -= 1;
        }
        let mut kept = Vec::with_capacity(end);
        kept.extend_from_slice(&self.entries[..end]);
        // The allocator may give more than asked for. Then nothing is cut, since the table could grow unnoticed.
        if kept.capacity() != end {
            return;
        }
        for index in end..self.entries.len() {
            if self.free.contains(entry_number(index)) {
                self.free.remove(entry_number(index));
            }
        }
        self.entries = kept;
        self.cut = cut;
        self.cut_generation = generation;
    }

    /// Gives a table back what was cut off.
    #[cold]
    pub(in crate::store) fn try_regrow(&mut self, max_generation: u32) -> Result<(), TryReserveError> {
        let cut = usize::from(self.cut);
        self.entries.try_reserve_exact(cut)?;
        self.cut = 0;
        let generation = core::mem::take(&mut self.cut_generation);
        for index in self.entries.len()..self.entries.len() + cut {
            self.entries.push(Entry::free(entry_number(index), generation));
            if generation < max_generation {
                self.free.insert(entry_number(index));
            }
        }
        Ok(())
    }

    pub(super) fn regrow(&mut self, max_generation: u32) {
        fallible::or_abort(self.try_regrow(max_generation));
    }
}
