//! Bit sets over slot numbers: a flat one for marks, and one with summaries for finding the nearest hole.

use std::collections::TryReserveError;

const WORD: u32 = u64::BITS;

/// Splits a slot number into its word and its bit.
#[inline]
fn locate(slot: u32) -> (usize, u64) {
    ((slot / WORD) as usize, 1 << (slot % WORD))
}

/// A flat bit set; slots past its end are absent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    #[inline]
    pub(crate) fn insert(&mut self, slot: u32) {
        let (word, bit) = locate(slot);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= bit;
    }

    #[inline]
    pub(crate) fn contains(&self, slot: u32) -> bool {
        let (word, bit) = locate(slot);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Takes a slot out.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) {
        let (word, bit) = locate(slot);
        if let Some(word) = self.words.get_mut(word) {
            *word &= !bit;
        }
    }

    /// Makes the set that of all slots before `end`.
    pub(crate) fn fill(&mut self, end: u32) {
        self.clear();
        self.words_for(end).fill(u64::MAX);
    }

    /// Makes the set that of another one.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }

    /// The members before `end` as runs, each as long as can be.
    pub(crate) fn runs(&self, end: usize) -> Runs<'_> {
        Runs { words: &self.words, at: 0, end: end.min(self.words.len() * WORD as usize) }
    }

    /// Makes room for this many slots.
    pub(crate) fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        let words = slots.div_ceil(WORD) as usize;
        self.words.try_reserve_exact(words.saturating_sub(self.words.len()))
    }

    /// How many slots are in the set.
    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether a slot is in both sets.
    pub(crate) fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// All words, as many as cover `slots` slots.
    pub(crate) fn words_for(&mut self, slots: u32) -> &mut [u64] {
        let count = slots.div_ceil(WORD) as usize;
        if count > self.words.len() {
            self.words.resize(count, 0);
        }
        &mut self.words[..count]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

/// Runs of members of a [`Bits`], in order.
#[derive(Clone, Debug)]
pub(crate) struct Runs<'b> {
    words: &'b [u64],
    at: usize,
    end: usize,
}

impl Runs<'_> {
    /// The first slot from `at` on whose bit, mixed with `flip`, is set; the end where there is none.
    fn seek(&self, at: usize, flip: u64) -> usize {
        let (first, offset) = (at / WORD as usize, at % WORD as usize);
        let Some(words) = self.words.get(first..) else { return self.end };
        let mut keep = u64::MAX << offset;
        for (word, bits) in (first..).zip(words) {
            let bits = (bits ^ flip) & keep;
            if bits != 0 {
                return self.end.min(word * WORD as usize + bits.trailing_zeros() as usize);
            }
            keep = u64::MAX;
        }
        self.end
    }
}

impl Iterator for Runs<'_> {
    type Item = core::ops::Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.seek(self.at, 0);
        if start >= self.end {
            return None;
        }
        self.at = self.seek(start, u64::MAX);
        Some(start..self.at)
    }
}

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

    #[test]
    fn runs_are_as_long_as_can_be_and_end_at_the_end() {
        let mut bits = Bits::default();
        assert_eq!(bits.runs(100).count(), 0);
        (3..5).chain(60..200).chain([300]).for_each(|slot| bits.insert(slot));
        assert!(bits.runs(1000).eq([3..5, 60..200, 300..301]));
        assert!(bits.runs(130).eq([3..5, 60..130]));
        bits.remove(64);
        assert!(bits.runs(64).eq([3..5, 60..64]));
        assert!(bits.runs(1000).eq([3..5, 60..64, 65..200, 300..301]));
        bits.fill(70);
        assert!(bits.runs(70).eq(core::iter::once(0..70)));
    }

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

    #[test]
    fn a_flat_set_ends_where_its_last_member_was() {
        let mut bits = Bits::default();
        bits.insert(100);
        assert!(bits.contains(100) && !bits.contains(99) && !bits.contains(100_000));
        bits.clear();
        assert!(!bits.contains(100));
        assert_eq!(bits.words_for(129).len(), 3);
        let mut other = Bits::default();
        other.insert(70);
        bits.insert(128);
        assert!(!bits.intersects(&other) && !other.intersects(&bits));
        bits.insert(70);
        assert!(bits.intersects(&other) && other.intersects(&bits));
    }
}
