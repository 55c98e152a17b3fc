//! A number of the user's own for each node, which its draws carry.

use crate::store::Store;
use crate::store::columns::At;
use crate::{Error, NodeHandle, fallible};
use std::collections::TryReserveError;

/// Numbers by the entry of a handle in its metadata table: 8 bytes an entry, up to the highest one that was given a
/// number, and nothing in a scene without any.
///
/// Nobody needs to tell of nodes that are removed: an entry knows the generation that its number is of.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Words {
    tables: Vec<Vec<(u32, u32)>>,
}

impl Words {
    /// The number of a node; 0 if it has none.
    #[inline]
    pub(in crate::store) fn get(&self, node: NodeHandle) -> u32 {
        let entry = self.tables.get(node.table() as usize).and_then(|table| table.get(node.index() as usize));
        entry.filter(|(generation, _)| *generation == node.generation()).map_or(0, |&(_, word)| word)
    }

    /// Gives a node a number, and returns the one that it had.
    pub(in crate::store) fn set(&mut self, node: NodeHandle, word: u32) -> u32 {
        let before = self.get(node);
        if before != word {
            fallible::or_abort(self.try_set(node, word));
        }
        before
    }

    /// Gives a node a number. Returns an error if the allocator refuses.
    pub(in crate::store) fn try_set(&mut self, node: NodeHandle, word: u32) -> Result<(), TryReserveError> {
        let (table, index) = (node.table() as usize, node.index() as usize);
        if table >= self.tables.len() {
            self.tables.try_reserve(table + 1 - self.tables.len())?;
            self.tables.resize(table + 1, Vec::new());
        }
        let table = &mut self.tables[table];
        if index >= table.len() {
            let end = (index + 1).next_power_of_two();
            fallible::reserve_for(table, end)?;
            table.resize(end, (0, 0));
        }
        table[index] = (node.generation(), word);
        Ok(())
    }

    /// All numbers that are not 0, by ascending handle, also those of nodes that are gone.
    pub(in crate::store) fn iter(&self) -> impl Iterator<Item = (NodeHandle, u32)> {
        (0..).zip(&self.tables).flat_map(|(number, table)| {
            let given = (0..).zip(table).filter(|(_, (_, word))| *word != 0);
            given.map(move |(index, &(generation, word))| (NodeHandle::new(number, index, generation), word))
        })
    }

    /// Forgets the numbers of entries that `lives` does not know, given table, index and generation, and frees memory
    /// that is not needed.
    fn shrink_to_fit(&mut self, lives: impl Fn(usize, usize, u32) -> bool) {
        for (number, table) in self.tables.iter_mut().enumerate() {
            for (index, entry) in table.iter_mut().enumerate() {
                if !lives(number, index, entry.0) {
                    *entry = (0, 0);
                }
            }
            let end = table.iter().rposition(|&(_, word)| word != 0).map_or(0, |last| last + 1);
            table.truncate(end);
            table.shrink_to_fit();
        }
        let end = self.tables.iter().rposition(|table| !table.is_empty()).map_or(0, |last| last + 1);
        self.tables.truncate(end);
        self.tables.shrink_to_fit();
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        let entries: usize = self.tables.iter().map(Vec::capacity).sum();
        entries * size_of::<(u32, u32)>() + self.tables.capacity() * size_of::<Vec<(u32, u32)>>()
    }
}

impl Store {
    /// Frees the memory of numbers whose nodes are gone, and spare room.
    pub(in crate::store) fn shrink_words(&mut self) {
        let Self { words, tables, .. } = self;
        words.shrink_to_fit(|table, index, generation| tables.holds(table, index, generation));
    }

    /// The number of the user's own that a node's draws carry.
    pub(crate) fn word_of(&self, node: NodeHandle) -> Option<u32> {
        self.resolve(node).map(|_| self.words.get(node))
    }

    /// Sets the number of the user's own that a node's draws carry, and returns the one before.
    pub(crate) fn set_word(&mut self, node: NodeHandle, word: u32) -> Result<u32, Error> {
        let At { slice, .. } = self.resolve(node).ok_or(Error::StaleHandle(node))?;
        let before = self.words.set(node, word);
        if before != word {
            self.tell_changed(slice);
        }
        Ok(before)
    }
}
