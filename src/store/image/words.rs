//! Writes and reads the numbers of the user's own that draws carry.

use crate::NodeHandle;
use crate::record::{BytesError, Reader, Writer, count, ensure, structures};
use crate::store::{Tables, Words};

/// A node and its number, which is not 0.
#[derive(Clone, Copy)]
struct WordRecord {
    node: u64,
    word: u32,
}

structures! {
    WordRecord { node: u64, word: u32 } if |record| record.word != 0;
}

impl Words {
    /// Writes the numbers of nodes that live, by ascending handle.
    pub(super) fn write(&self, tables: &Tables, out: &mut Writer) {
        let live = self.iter().filter(|(node, _)| tables.entry(*node).is_some());
        let records: Vec<WordRecord> = live.map(|(node, word)| WordRecord { node: node.to_bits(), word }).collect();
        out.one(count(records.len()));
        out.array(&records);
    }

    /// Reads and checks what [`Self::write`] wrote.
    pub(super) fn read(tables: &Tables, from: &mut Reader<'_>) -> Result<Self, BytesError> {
        let count = from.one()?;
        let records: Vec<WordRecord> = from.many(count)?;
        let sound = records.iter().all(crate::record::Record::is_sound);
        ensure!(sound, "a node has the word 0, which is that of nodes without one");
        ensure!(records.is_sorted_by(|a, b| a.node < b.node), "words are not in the order of handles");
        let mut words = Self::default();
        for WordRecord { node, word } in records {
            let node = NodeHandle::from_bits(node).filter(|&node| tables.entry(node).is_some());
            words.try_set(node.ok_or(BytesError::invalid("a node has a word that there is not"))?, word)?;
        }
        Ok(words)
    }
}
