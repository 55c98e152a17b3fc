//! Which slots are holes: a bit set with summaries, for finding the nearest one.

use crate::store::allocation::{WORD, locate};

/// A bit set with two levels of summaries: a bit of level `k + 1` says that a word of level `k` is not zero.
///
/// Finding the nearest member of 262,144 slots reads at most five words; beyond, one more for every 262,144 passed over.
/// Levels grow when a member is inserted, so a set that was never used owns no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct HoleSet {
    levels: [Vec<u64>; 3],
    count: u32,
}

impl HoleSet {
    /// The set of these words, the first slot in the lowest bit.
    pub(crate) fn from_words(words: Vec<u64>) -> Self {
        let count = words.iter().map(|word| word.count_ones()).sum();
        let summary = |words: &[u64]| {
            let word = |words: &[u64]| words.iter().rev().fold(0, |bits, &word| bits << 1 | u64::from(word != 0));
            words.chunks(WORD as usize).map(word).collect::<Vec<u64>>()
        };
        let summaries = summary(&words);
        let totals = summary(&summaries);
        Self { levels: [words, summaries, totals], count }
    }

    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    #[inline]
    pub(crate) fn contains(&self, slot: u32) -> bool {
        let (word, bit) = locate(slot);
        self.levels[0].get(word).is_some_and(|word| word & bit != 0)
    }

    /// How many slots a word of [`Self::words`] is for.
    pub(crate) const WORD_SLOTS: usize = WORD as usize;

    /// The set a word at a time, the first slot in the lowest bit, without end.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.levels[0].iter().copied().chain(core::iter::repeat(0))
    }

    /// One word of the set.
    #[inline]
    pub(crate) fn word(&self, index: usize) -> u64 {
        self.levels[0].get(index).copied().unwrap_or(0)
    }

    /// Adds a slot that is not in the set.
    #[inline]
    pub(crate) fn insert(&mut self, slot: u32) {
        self.insert_if(slot, true);
    }

    /// Adds a slot that is not in the set, or does nothing, without a branch on which.
    ///
    /// Sets the summary bits whether they are set or not: a word that is empty cannot be foreseen.
    #[inline]
    pub(crate) fn insert_if(&mut self, slot: u32, really: bool) {
        debug_assert!(!really || !self.contains(slot));
        let (word, summary, total) = (slot / WORD, slot / WORD / WORD, slot / WORD / WORD / WORD);
        let bit = u64::from(really);
        let [slots, summaries, totals] = &mut self.levels;
        if let Some(slots) = slots.get_mut(word as usize)
            && let Some(summaries) = summaries.get_mut(summary as usize)
            && let Some(totals) = totals.get_mut(total as usize)
        {
            *slots |= bit << (slot % WORD);
            *summaries |= bit << (word % WORD);
            *totals |= bit << (summary % WORD);
            self.count += u32::from(really);
        } else if really {
            self.stretch(slot);
            self.insert_if(slot, true);
        }
    }

    /// Makes every level long enough for a slot.
    #[cold]
    fn stretch(&mut self, slot: u32) {
        let mut position = slot;
        for level in &mut self.levels {
            position /= WORD;
            if position as usize >= level.len() {
                level.resize(position as usize + 1, 0);
            }
        }
    }

    /// Takes out a slot that is in the set.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) {
        debug_assert!(self.contains(slot));
        let (word, bit) = locate(slot);
        self.levels[0][word] &= !bit;
        self.removed(slot / WORD);
    }

    /// Counts a member less and brings the summaries of its word up to date.
    #[inline(always)]
    fn removed(&mut self, word: u32) {
        self.count -= 1;
        let [slots, summaries, totals] = &mut self.levels;
        let summary = word / WORD;
        let emptied = u64::from(slots[word as usize] == 0);
        summaries[summary as usize] &= !(emptied << (word % WORD));
        let emptied = u64::from(summaries[summary as usize] == 0);
        totals[(summary / WORD) as usize] &= !(emptied << (summary % WORD));
    }

    /// Takes out the first member in the words from `word` on, if the summary of the 4096 slots there knows one.
    ///
    /// Two loads, two stores, and no branch that is hard to foresee.
    #[inline(always)]
    fn take_in_words(&mut self, word: u32) -> Option<u32> {
        let (summary, offset) = (word / WORD, word % WORD);
        let [slots, summaries, _] = &mut self.levels;
        let words = *summaries.get(summary as usize)? & (u64::MAX << offset);
        if words == 0 {
            return None;
        }
        let word = summary * WORD + words.trailing_zeros();
        let bits = &mut slots[word as usize];
        let bit = bits.trailing_zeros();
        *bits &= *bits - 1;
        self.removed(word);
        Some(word * WORD + bit)
    }

    /// Takes out a member near `slot`, on either side: the first of the next words that have any, else the nearest.
    #[inline(always)]
    pub(crate) fn take_near(&mut self, slot: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        self.take_in_words(slot / WORD).or_else(|| self.take(self.nearest(slot)))
    }

    /// Takes out a member after `slot`: the first of the words behind its own, else the first of all.
    #[inline(always)]
    pub(crate) fn take_after(&mut self, slot: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        self.take_in_words(slot / WORD + 1).or_else(|| self.take(self.next_from(slot + 1)))
    }

    #[inline(never)]
    fn take(&mut self, member: Option<u32>) -> Option<u32> {
        member.inspect(|&slot| self.remove(slot))
    }

    /// The first member at or after `slot`.
    pub(crate) fn next_from(&self, slot: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let mut position = slot;
        for depth in 0..self.levels.len() {
            let word = (position / WORD) as usize;
            let bits = *self.levels[depth].get(word)? & (u64::MAX << (position % WORD));
            if bits != 0 {
                return Some(self.first_below(depth, position / WORD * WORD + bits.trailing_zeros()));
            }
            position = position / WORD + 1;
        }
        let last = self.levels.len() - 1;
        let skipped = self.levels[last].get(position as usize..)?.iter().position(|&word| word != 0)?;
        let word = position as usize + skipped;
        let bit = self.levels[last][word].trailing_zeros();
        Some(self.first_below(last, narrow(word) * WORD + bit))
    }

    /// The last member at or before `slot`.
    pub(crate) fn previous_from(&self, slot: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let mut position = slot;
        for depth in 0..self.levels.len() {
            let level = &self.levels[depth];
            let word = (position / WORD) as usize;
            // A level that ends before the position ends in a word that counts whole.
            let (word, mask) = match level.len().checked_sub(1) {
                Some(last) if last < word => (last, u64::MAX),
                Some(_) => (word, u64::MAX >> (WORD - 1 - position % WORD)),
                None => return None,
            };
            let bits = level[word] & mask;
            if bits != 0 {
                return Some(self.last_below(depth, narrow(word) * WORD + (WORD - 1 - bits.leading_zeros())));
            }
            position = narrow(word).checked_sub(1)?;
        }
        let last = self.levels.len() - 1;
        let end = self.levels[last].len().min(position as usize + 1);
        let word = self.levels[last][..end].iter().rposition(|&word| word != 0)?;
        let bit = WORD - 1 - self.levels[last][word].leading_zeros();
        Some(self.last_below(last, narrow(word) * WORD + bit))
    }

    /// The member nearest to `slot`, the later one of two as near.
    fn nearest(&self, slot: u32) -> Option<u32> {
        match (self.previous_from(slot), self.next_from(slot)) {
            (Some(before), Some(after)) if slot - before < after - slot => Some(before),
            (before, None) => before,
            (_, after) => after,
        }
    }

    /// The first member below a summary bit.
    fn first_below(&self, depth: usize, mut position: u32) -> u32 {
        for level in self.levels[..depth].iter().rev() {
            position = position * WORD + level[position as usize].trailing_zeros();
        }
        position
    }

    /// The last member below a summary bit.
    fn last_below(&self, depth: usize, mut position: u32) -> u32 {
        for level in self.levels[..depth].iter().rev() {
            position = position * WORD + (WORD - 1 - level[position as usize].leading_zeros());
        }
        position
    }

    pub(crate) fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.capacity() * size_of::<u64>()).sum()
    }
}

/// A word number as a position; there are fewer words than slots.
#[expect(clippy::cast_possible_truncation, reason = "words number fewer than the slots that they cover")]
fn narrow(word: usize) -> u32 {
    word as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Agrees with an ordered set under a fixed pseudo-random sequence, near and far, dense and sparse.
    #[test]
    fn the_hole_set_finds_what_an_ordered_set_finds() {
        for range in [70_u32, 5_000, 600_000] {
            let mut holes = HoleSet::default();
            let mut model = BTreeSet::new();
            let mut state = 0x9E37_79B9_u32;
            for step in 0..2_000 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let slot = (state >> 4) % range;
                if model.remove(&slot) {
                    holes.remove(slot);
                } else if step % 3 != 0 || model.len() < 20 {
                    model.insert(slot);
                    holes.insert(slot);
                }
                let probe = state.rotate_left(9) % (range + 100);
                let after = model.range(probe..).next().copied();
                let before = model.range(..=probe).next_back().copied();
                assert_eq!(holes.next_from(probe), after, "next from {probe} of {range}");
                assert_eq!(holes.previous_from(probe), before, "previous from {probe} of {range}");
                let distance = |found: Option<u32>| found.map(|found| found.abs_diff(probe));
                let nearest = distance(before).into_iter().chain(distance(after)).min();
                assert_eq!(distance(holes.nearest(probe)), nearest);
                let again = HoleSet::from_words(holes.levels[0].clone());
                assert_eq!((again.count(), again.next_from(probe)), (holes.count(), after));
                assert_eq!(again.previous_from(probe), before);
                let mut taken = holes.clone();
                let near = taken.take_near(probe);
                assert!(near.is_none_or(|near| model.contains(&near) && !taken.contains(near)));
                assert_eq!(near.is_none(), model.is_empty());
                let mut taken = holes.clone();
                let after = taken.take_after(probe);
                assert!(after.is_none_or(|after| after > probe && model.contains(&after) && !taken.contains(after)));
                assert_eq!(after.is_none(), model.range(probe + 1..).next().is_none());
                assert_eq!(holes.count() as usize, model.len());
            }
        }
    }
}
