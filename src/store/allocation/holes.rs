//! Which slots are holes: a bit set with a summary, for finding one nearby.

use crate::fallible;
use crate::store::allocation::{WORD, locate};
use std::collections::TryReserveError;

/// A bit set with a summary: each summary bit says whether a word of the set is non-zero.
///
/// ```text
/// count │ first summary word, for 4096 slots │ words │ further summary words
/// ```
///
/// The first summary word lies in the struct itself. So a slice of up to 4096 slots finds a hole with two loads, and
/// the address of the summary does not come from another array. In larger slices a search passes over 4096 slots at
/// each step. The arrays grow when a member is inserted, so a set that was never used owns no memory.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct HoleSet {
    count: u32,
    first: u64,
    words: Vec<u64>,
    further: Vec<u64>,
}

impl HoleSet {
    /// Makes a set of these words, with the first slot in the lowest bit. Returns an error if the allocator refuses.
    pub(in crate::store) fn try_from_words(words: Vec<u64>) -> Result<Self, TryReserveError> {
        let count = words.iter().map(|word| word.count_ones()).sum();
        let summary = |words: &[u64]| words.iter().rev().fold(0, |bits, &word| bits << 1 | u64::from(word != 0));
        let mut summaries = words.chunks(WORD as usize).map(summary);
        let first = summaries.next().unwrap_or(0);
        let mut further = fallible::with_capacity(summaries.len())?;
        further.extend(summaries);
        Ok(Self { count, first, words, further })
    }

    #[inline]
    pub(in crate::store) fn count(&self) -> u32 {
        self.count
    }

    #[inline]
    pub(in crate::store) fn contains(&self, slot: u32) -> bool {
        let (word, bit) = locate(slot);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// How many slots each word of [`Self::words`] covers.
    pub(in crate::store) const WORD_SLOTS: usize = WORD as usize;

    /// The set a word at a time, with the first slot in the lowest bit. The iterator is endless.
    pub(in crate::store) fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().copied().chain(core::iter::repeat(0))
    }

    /// One word of the set.
    #[inline]
    pub(in crate::store) fn word(&self, index: usize) -> u64 {
        self.words.get(index).copied().unwrap_or(0)
    }

    /// The summary of the words from `64 * group` on; 0 past the end.
    #[inline(always)]
    fn summary(&self, group: u32) -> u64 {
        if group == 0 { self.first } else { self.further.get(group as usize - 1).copied().unwrap_or(0) }
    }

    /// The summary of a word, which must exist.
    #[inline(always)]
    fn summary_mut(&mut self, group: u32) -> &mut u64 {
        if group == 0 { &mut self.first } else { &mut self.further[group as usize - 1] }
    }

    /// Adds a slot that is not in the set.
    #[inline(always)]
    pub(in crate::store) fn insert(&mut self, slot: u32) {
        self.insert_if(slot, 1);
    }

    /// Adds a slot that is not in the set if `is` is 1, and does nothing if it is 0. Uses arithmetic instead of a
    /// branch.
    ///
    /// Sets the summary bit even if it is set already: whether the word is empty cannot be predicted.
    #[inline(always)]
    pub(in crate::store) fn insert_if(&mut self, slot: u32, is: u32) {
        debug_assert!(is == 0 || !self.contains(slot));
        if !self.insert_within(slot, is) && is != 0 {
            self.insert_behind(slot);
        }
    }

    /// Like [`Self::insert_if`], but only if the set already has a word for the slot. Returns whether it has.
    #[inline(always)]
    pub(in crate::store) fn insert_within(&mut self, slot: u32, is: u32) -> bool {
        let word = slot / WORD;
        let Some(bits) = self.words.get_mut(word as usize) else { return false };
        *bits |= u64::from(is) << (slot % WORD);
        *self.summary_mut(word / WORD) |= u64::from(is) << (word % WORD);
        self.count += is;
        true
    }

    /// Makes the words and summaries long enough for a slot, and adds the slot.
    #[cold]
    fn insert_behind(&mut self, slot: u32) {
        let word = (slot / WORD) as usize;
        self.words.resize(word + 1, 0);
        self.further.resize(word / WORD as usize, 0);
        self.insert(slot);
    }

    /// Removes a slot that is in the set.
    #[inline]
    pub(in crate::store) fn remove(&mut self, slot: u32) {
        debug_assert!(self.contains(slot));
        let (word, bit) = locate(slot);
        self.words[word] &= !bit;
        let emptied = self.words[word] == 0;
        self.removed(slot / WORD, emptied);
    }

    /// Decrements the count and updates the summary of the slot's word.
    #[inline(always)]
    fn removed(&mut self, word: u32, emptied: bool) {
        self.count -= 1;
        *self.summary_mut(word / WORD) &= !(u64::from(emptied) << (word % WORD));
    }

    /// Removes the first member in the words from `word` on, if the summary of those 4096 slots shows one.
    ///
    /// Has no branch that is hard to predict.
    #[inline(always)]
    fn take_in_words(&mut self, word: u32) -> Option<u32> {
        let words = self.summary(word / WORD) & (u64::MAX << (word % WORD));
        if words == 0 {
            return None;
        }
        let word = word / WORD * WORD + words.trailing_zeros();
        let bits = &mut self.words[word as usize];
        let bit = bits.trailing_zeros();
        *bits &= bits.wrapping_sub(1);
        let emptied = *bits == 0;
        self.removed(word, emptied);
        Some(word * WORD + bit)
    }

    /// Removes a member near `slot`, on either side: the first one in the words that follow, else the nearest one.
    #[inline(always)]
    pub(in crate::store) fn take_near(&mut self, slot: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        self.take_in_words(slot / WORD).or_else(|| self.take_nearest(slot))
    }

    /// Removes a member after `slot`: the first one in the words after its own, else the first one of all.
    #[inline(always)]
    pub(in crate::store) fn take_after(&mut self, slot: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        self.take_in_words(slot / WORD + 1).or_else(|| self.take_next(slot))
    }

    #[inline(never)]
    fn take_nearest(&mut self, slot: u32) -> Option<u32> {
        self.nearest(slot).inspect(|&slot| self.remove(slot))
    }

    #[inline(never)]
    fn take_next(&mut self, slot: u32) -> Option<u32> {
        self.next_from(slot + 1).inspect(|&slot| self.remove(slot))
    }

    /// The first member at or after `slot`.
    #[inline]
    pub(in crate::store) fn next_from(&self, slot: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let word = slot / WORD;
        let bits = self.word(word as usize) & (u64::MAX << (slot % WORD));
        if bits != 0 {
            return Some(word * WORD + bits.trailing_zeros());
        }
        self.next_in_words(word + 1)
    }

    /// The first member in the words from `word` on.
    fn next_in_words(&self, word: u32) -> Option<u32> {
        let mut keep = u64::MAX << (word % WORD);
        for group in word / WORD..=narrow(self.further.len()) {
            let words = self.summary(group) & keep;
            if words != 0 {
                let word = group * WORD + words.trailing_zeros();
                return Some(word * WORD + self.words[word as usize].trailing_zeros());
            }
            keep = u64::MAX;
        }
        None
    }

    /// The last member at or before `slot`.
    pub(in crate::store) fn previous_from(&self, slot: u32) -> Option<u32> {
        let word = slot / WORD;
        let bits = self.word(word as usize) & (u64::MAX >> (WORD - 1 - slot % WORD));
        if bits != 0 {
            return Some(word * WORD + (WORD - 1 - bits.leading_zeros()));
        }
        let word = word.checked_sub(1)?;
        let (last, mut keep) = match word / WORD {
            group if group <= narrow(self.further.len()) => (group, u64::MAX >> (WORD - 1 - word % WORD)),
            _ => (narrow(self.further.len()), u64::MAX),
        };
        for group in (0..=last).rev() {
            let words = self.summary(group) & keep;
            if words != 0 {
                let word = group * WORD + (WORD - 1 - words.leading_zeros());
                return Some(word * WORD + (WORD - 1 - self.words[word as usize].leading_zeros()));
            }
            keep = u64::MAX;
        }
        None
    }

    /// The member nearest to `slot`; of two equally near, the later one.
    pub(in crate::store) fn nearest(&self, slot: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        match (self.previous_from(slot), self.next_from(slot)) {
            (Some(before), Some(after)) if slot - before < after - slot => Some(before),
            (before, None) => before,
            (_, after) => after,
        }
    }

    /// Whether each summary bit matches its word, and the count is right.
    pub(in crate::store) fn is_consistent(&self) -> bool {
        let again = fallible::or_abort(Self::try_from_words(self.words.clone()));
        let further = |set: &Self| set.further.iter().copied().rev().skip_while(|&word| word == 0).collect::<Vec<_>>();
        (again.count, again.first) == (self.count, self.first) && further(&again) == further(self)
    }

    /// Whether no member is at or behind `end`.
    pub(in crate::store) fn ends_before(&self, end: u32) -> bool {
        self.next_from(end).is_none()
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        (self.words.capacity() + self.further.capacity()) * size_of::<u64>()
    }
}

/// Converts a word number to a slot position; there are fewer words than slots.
#[expect(clippy::cast_possible_truncation, reason = "words number fewer than the slots that they cover")]
fn narrow(word: usize) -> u32 {
    word as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Agrees with an ordered set under a fixed random sequence: near and far, dense and sparse.
    #[test]
    fn the_hole_set_finds_what_an_ordered_set_finds() {
        for range in [70_u32, 5_000, 600_000] {
            let mut holes = HoleSet::default();
            let mut model = BTreeSet::new();
            let mut dice = fastrand::Rng::with_seed(1);
            for step in 0..2_000 {
                let slot = dice.u32(..range);
                if model.remove(&slot) {
                    holes.remove(slot);
                } else if step % 3 != 0 || model.len() < 20 {
                    model.insert(slot);
                    holes.insert(slot);
                }
                let probe = dice.u32(..range + 100);
                let after = model.range(probe..).next().copied();
                let before = model.range(..=probe).next_back().copied();
                assert_eq!(holes.next_from(probe), after, "next from {probe} of {range}");
                assert_eq!(holes.previous_from(probe), before, "previous from {probe} of {range}");
                let distance = |found: Option<u32>| found.map(|found| found.abs_diff(probe));
                let nearest = distance(before).into_iter().chain(distance(after)).min();
                assert_eq!(distance(holes.nearest(probe)), nearest);
                let again = HoleSet::try_from_words(holes.words.clone()).unwrap();
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
                assert!(holes.is_consistent());
            }
        }
    }

    fn holes_at(slots: impl IntoIterator<Item = u32>) -> HoleSet {
        let mut holes = HoleSet::default();
        slots.into_iter().for_each(|slot| holes.insert(slot));
        holes
    }

    #[test]
    fn the_words_behind_a_slot_come_before_what_is_nearer() {
        let holes = holes_at([10, 20, 200, 300]);
        assert_eq!(holes.nearest(15), Some(20), "of two equally near, the later one");
        let near = |slot| holes.clone().take_near(slot);
        assert_eq!((near(15), near(100)), (Some(10), Some(200)), "the first from the slot's own word on");
        assert_eq!((near(400), near(5000)), (Some(300), Some(300)), "where none follows, the nearest");
        let after = |slot| holes.clone().take_after(slot);
        assert_eq!((after(12), after(200)), (Some(200), Some(300)), "the first behind the slot's own word");
        assert_eq!((after(256), after(300)), (Some(300), None));
    }
}
