//! The free entries of a metadata table.

use crate::fallible::{self, Boxed};
use std::collections::TryReserveError;

/// How many entries a word has bits for.
const WORD: u32 = u64::BITS;
/// As many words as the largest table needs: no index of a handle lies beyond.
const WORDS: usize = 64;

/// A bit set over the 4096 indices that a handle can have, with a summary in one word.
///
/// Finding a free entry takes two loads, and neither reads an entry, so that no entry has to be loaded to find the
/// next.
#[derive(Clone, Debug)]
pub(in crate::store) struct FreeEntries {
    summary: u64,
    words: Boxed<[u64; WORDS]>,
    count: u32,
}

impl FreeEntries {
    pub(in crate::store) fn new() -> Self {
        fallible::or_abort(Self::try_new())
    }

    /// Like [`Self::new`], but returns an error if the allocator refuses.
    pub(in crate::store) fn try_new() -> Result<Self, TryReserveError> {
        Ok(Self { summary: 0, words: Boxed::try_new([0; WORDS])?, count: 0 })
    }

    #[inline]
    pub(in crate::store) fn count(&self) -> u32 {
        self.count
    }

    pub(in crate::store) fn contains(&self, index: u32) -> bool {
        self.words[(index / WORD) as usize % WORDS] >> (index % WORD) & 1 != 0
    }

    /// Adds an entry that is not in the set.
    #[inline(always)]
    pub(in crate::store) fn insert(&mut self, index: u32) {
        let word = (index / WORD) as usize % WORDS;
        self.words[word] |= 1 << (index % WORD);
        self.summary |= 1 << word;
        self.count += 1;
    }

    /// Removes and returns the first entry in the words from that of `index` on, else the first of all.
    #[inline(always)]
    pub(in crate::store) fn take_near(&mut self, index: u32) -> Option<u32> {
        let behind = self.summary & (u64::MAX << (index / WORD % WORD));
        let words = if behind == 0 { self.summary } else { behind };
        if words == 0 {
            return None;
        }
        let word = words.trailing_zeros();
        let bits = &mut self.words[word as usize % WORDS];
        let bit = bits.trailing_zeros();
        *bits &= bits.wrapping_sub(1);
        self.summary &= !(u64::from(*bits == 0) << word);
        self.count -= 1;
        Some(word * WORD + bit)
    }

    /// Whether the summary and the count match the words.
    pub(in crate::store) fn is_consistent(&self) -> bool {
        let count: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        let said = (0..).zip(self.words.iter()).all(|(at, &word)| self.summary >> at & 1 == u64::from(word != 0));
        said && count == self.count
    }

    /// The first entry in the set.
    #[cfg(test)]
    pub(in crate::store) fn first(&self) -> Option<u32> {
        (0..WORD * WORD).find(|&index| self.contains(index))
    }

    /// Removes an entry that is in the set.
    pub(in crate::store) fn remove(&mut self, index: u32) {
        let word = (index / WORD) as usize;
        self.words[word] &= !(1 << (index % WORD));
        self.summary &= !(u64::from(self.words[word] == 0) << word);
        self.count -= 1;
    }

    pub(in crate::store) const fn bytes(&self) -> usize {
        size_of::<[u64; WORDS]>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_entries_are_taken_near_by_and_each_once() {
        let mut free = FreeEntries::new();
        assert_eq!(free.take_near(5), None);
        [3, 70, 71, 4095].into_iter().for_each(|index| free.insert(index));
        assert!(free.contains(4095) && !free.contains(4) && free.is_consistent());
        assert_eq!(free.take_near(200), Some(4095));
        assert_eq!(free.take_near(200), Some(3), "nothing is behind: the first of all");
        assert_eq!(free.take_near(64), Some(70));
        assert_eq!((free.first(), free.count()), (Some(71), 1));
        free.remove(71);
        assert!(free.is_consistent() && free.take_near(0).is_none());
        [3, 70, 150].into_iter().for_each(|index| free.insert(index));
        assert_eq!(free.take_near(129), Some(150), "in the word of the index or behind it");
    }
}
