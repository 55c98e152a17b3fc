//! Flat bit sets over slot numbers, used for marks and read as runs.

use std::collections::TryReserveError;

/// How many slots a word has bits for.
pub(in crate::store) const WORD: u32 = u64::BITS;

/// How many words are tested at once for members.
const CHUNK: usize = 8;

/// Whether no bit of several words is set. Without branches, so that they are vectors.
#[inline(always)]
fn is_zero(words: &[u64; CHUNK]) -> bool {
    words.iter().fold(0, |any, word| any | word) == 0
}

/// Splits a slot number into its word and its bit.
#[inline]
pub(in crate::store) fn locate(slot: u32) -> (usize, u64) {
    ((slot / WORD) as usize, 1 << (slot % WORD))
}

/// A flat bit set. Slots past its end are not in the set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    #[inline(always)]
    pub(crate) fn insert(&mut self, slot: u32) {
        let (word, bit) = locate(slot);
        match self.words.get_mut(word) {
            Some(word) => *word |= bit,
            None => self.insert_behind(slot),
        }
    }

    /// The word and the bit of a slot, if the set is long enough.
    #[inline(always)]
    pub(in crate::store) fn word_mut(&mut self, slot: u32) -> Option<(&mut u64, u64)> {
        let (word, bit) = locate(slot);
        self.words.get_mut(word).map(|word| (word, bit))
    }

    /// Makes the set long enough for a slot, and adds it.
    #[cold]
    fn insert_behind(&mut self, slot: u32) {
        let (word, bit) = locate(slot);
        self.words.resize(word + 1, 0);
        self.words[word] |= bit;
    }

    #[inline]
    pub(crate) fn contains(&self, slot: u32) -> bool {
        let (word, bit) = locate(slot);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// The bits of 64 slots from a multiple of 64 on.
    #[inline]
    pub(in crate::store) fn word(&self, number: usize) -> u64 {
        self.words.get(number).copied().unwrap_or(0)
    }

    /// Removes a slot.
    #[inline]
    pub(in crate::store) fn remove(&mut self, slot: u32) {
        let (word, bit) = locate(slot);
        if let Some(word) = self.words.get_mut(word) {
            *word &= !bit;
        }
    }

    /// Sets the members to all slots before `end`.
    pub(in crate::store) fn fill(&mut self, end: u32) {
        self.clear();
        self.words_for(end).fill(u64::MAX);
    }

    /// Copies the members of another set.
    pub(in crate::store) fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }

    /// The members before `end` as runs, each as long as possible.
    pub(in crate::store) fn runs(&self, end: usize) -> Runs<'_> {
        Runs { words: &self.words, at: 0, end: end.min(self.words.len() * WORD as usize) }
    }

    /// The slots before `end` that are not in the set.
    pub(in crate::store) fn missing(&self, end: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.iter().copied().chain(core::iter::repeat(0));
        (0..end).step_by(WORD as usize).zip(words).filter(|&(_, word)| word != u64::MAX).flat_map(
            move |(start, word)| {
                let slots = start..end.min(start + WORD as usize);
                slots.filter(move |slot| word >> (slot - start) & 1 == 0)
            },
        )
    }

    /// Makes room for this many slots.
    pub(in crate::store) fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        let words = slots.div_ceil(WORD) as usize;
        self.words.try_reserve_exact(words.saturating_sub(self.words.len()))
    }

    /// Whether no slot at or behind `end` is in the set.
    pub(in crate::store) fn ends_before(&self, end: u32) -> bool {
        let last = self.words.iter().rposition(|&word| word != 0);
        last.is_none_or(|word| {
            word as u64 * u64::from(WORD) + u64::from(WORD - self.words[word].leading_zeros()) <= u64::from(end)
        })
    }

    /// Whether no slot is in the set.
    pub(in crate::store) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The first slot in the set, and whether at least this many slots are in it; `None` if none is. Most sets have few
    /// members, so most words are passed over several at a time.
    pub(in crate::store) fn survey(&self, many: usize) -> Option<(u32, bool)> {
        let (chunks, rest) = self.words.as_chunks();
        let numbered = (0..).step_by(CHUNK).zip(chunks).filter(|(_, chunk)| !is_zero(chunk));
        let behind = self.words.len() - rest.len();
        let (mut first, mut wanted) = (None, many);
        for (start, words) in numbered.map(|(start, chunk)| (start, &chunk[..])).chain([(behind, rest)]) {
            for (number, word) in (start..).zip(words).filter(|(_, word)| **word != 0) {
                first = first.or(Some((number, word.trailing_zeros())));
                wanted = wanted.saturating_sub(word.count_ones() as usize);
            }
            if wanted == 0 {
                break;
            }
        }
        let (number, bit) = first?;
        u32::try_from(number).ok().map(|number| (number * WORD + bit, wanted == 0))
    }

    /// Whether a slot is in both sets.
    pub(in crate::store) fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The words that cover the first `slots` slots.
    pub(in crate::store) fn words_for(&mut self, slots: u32) -> &mut [u64] {
        let count = slots.div_ceil(WORD) as usize;
        if count > self.words.len() {
            self.words.resize(count, 0);
        }
        &mut self.words[..count]
    }

    pub(in crate::store) fn bytes(&self) -> usize {
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
    /// The first slot from `at` on whose bit, flipped where `flip` has one, is set; the end if there is none.
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(bits.missing(66).eq((0..3).chain(5..60).chain([64])));
        bits.fill(70);
        assert!(bits.missing(130).eq(128..130));
        assert!(bits.runs(70).eq(core::iter::once(0..70)));
    }

    #[test]
    fn a_survey_finds_the_first_member_and_whether_there_are_many() {
        let mut bits = Bits::default();
        assert!(bits.is_empty() && bits.survey(0).is_none() && bits.survey(1).is_none());
        for (slot, first) in [(1500, 1500), (800, 800), (801, 800), (64, 64), (3, 3)] {
            bits.insert(slot);
            assert!(!bits.is_empty());
            assert_eq!(bits.survey(6), Some((first, false)));
        }
        assert_eq!(bits.survey(5), Some((3, true)));
        assert_eq!(bits.survey(1), Some((3, true)));
        bits.clear();
        assert!(bits.is_empty() && bits.survey(1).is_none());
        bits.insert(1535);
        assert_eq!((bits.survey(1), bits.survey(2)), (Some((1535, true)), Some((1535, false))));
        // Behind the last whole chunk, alone and with another.
        bits.insert(1540);
        assert_eq!((bits.survey(2), bits.survey(3)), (Some((1535, true)), Some((1535, false))));
        bits.clear();
        bits.insert(1540);
        assert_eq!((bits.is_empty(), bits.survey(1), bits.survey(2)), (false, Some((1540, true)), Some((1540, false))));
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
