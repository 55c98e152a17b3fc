//! Sets of rows or slots of one slice: 4,096 bits.

/// The greatest number of rows, and of slots, in a slice.
pub(crate) const MAX_ROWS: usize = 4096;
const WORDS: usize = MAX_ROWS / 64;

/// A set of rows or slots of a slice. Indices are masked, so accesses need no bounds check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowSet([u64; WORDS]);

impl Default for RowSet {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl RowSet {
    pub(crate) const EMPTY: Self = Self([0; WORDS]);

    #[inline(always)]
    pub(crate) fn insert(&mut self, row: usize) {
        self.0[row / 64 % WORDS] |= 1 << (row % 64);
    }

    #[inline(always)]
    pub(crate) fn remove(&mut self, row: usize) {
        self.0[row / 64 % WORDS] &= !(1 << (row % 64));
    }

    #[inline(always)]
    pub(crate) fn contains(&self, row: usize) -> bool {
        self.0[row / 64 % WORDS] >> (row % 64) & 1 != 0
    }

    pub(crate) fn clear(&mut self) {
        self.0 = [0; WORDS];
    }

    /// Fills the set with all rows before `end`, and no others.
    pub(crate) fn fill(&mut self, end: usize) {
        for (first, word) in (0..).step_by(64).zip(&mut self.0) {
            *word = match end.saturating_sub(first) {
                0 => 0,
                some @ 1..64 => u64::MAX >> (64 - some),
                _ => u64::MAX,
            };
        }
    }

    /// Adds all rows of `from..end`.
    pub(crate) fn insert_run(&mut self, run: core::ops::Range<usize>) {
        // Whole words, without a loop over rows.
        let mut all = Self::EMPTY;
        all.fill(run.end);
        let mut before = Self::EMPTY;
        before.fill(run.start);
        self.0.iter_mut().zip(all.0.iter().zip(before.0)).for_each(|(word, (all, before))| *word |= all & !before);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds all rows of another set.
    pub(crate) fn unite(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    /// Returns the rows that are in this set and not in the other.
    #[inline]
    pub(crate) fn difference(&self, other: &Self) -> Self {
        let mut set = *self;
        set.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= !other);
        set
    }

    /// Returns the first row in `from..end` that is not in the set.
    #[inline]
    pub(crate) fn first_missing(&self, from: usize, end: usize) -> Option<usize> {
        self.find(u64::MAX, from, end)
    }

    /// Iterates over the rows in ascending order.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..).step_by(64).zip(&self.0).flat_map(|(first, &word)| ones(word).map(move |bit| first + bit))
    }

    /// Iterates over the rows before `end` as runs, in ascending order.
    pub(crate) fn runs(&self, end: usize) -> impl Iterator<Item = core::ops::Range<usize>> + '_ {
        let mut at = 0;
        core::iter::from_fn(move || {
            let start = self.first(at, end)?;
            at = self.first_missing(start, end).unwrap_or(end);
            Some(start..at)
        })
    }

    /// Returns the first row in `from..end` that is in the set.
    #[inline]
    pub(crate) fn first(&self, from: usize, end: usize) -> Option<usize> {
        self.find(0, from, end)
    }

    /// Returns the first row in `from..end` whose bit is set in the words after these bits were flipped.
    #[inline(always)]
    fn find(&self, flip: u64, from: usize, end: usize) -> Option<usize> {
        let mut at = from / 64;
        let mut word = (self.0.get(at)? ^ flip) >> (from % 64) << (from % 64);
        while word == 0 {
            at += 1;
            if at * 64 >= end {
                return None;
            }
            word = self.0.get(at)? ^ flip;
        }
        Some(at * 64 + word.trailing_zeros() as usize).filter(|&row| row < end)
    }

    /// Adds all rows to a list, in ascending order.
    #[inline]
    pub(crate) fn list(&self, list: &mut Vec<u16>) {
        #[expect(clippy::cast_possible_truncation, reason = "less than 2^12")]
        self.each_word(|first, word| list.extend(ones(word).map(|bit| (first + bit) as u16)));
    }

    /// Calls `each` with the words that are not empty, in ascending order, and with the first row of each.
    #[inline(always)]
    pub(crate) fn each_word(&self, mut each: impl FnMut(usize, u64)) {
        let (lines, _) = self.0.as_chunks::<8>();
        // Most words are empty in most updates. A branch for each would be mispredicted more than once a row.
        let some = marks(lines.iter().map(|line| line.iter().fold(0, |any, word| any | word)));
        for line in ones(some) {
            for at in ones(marks(lines[line].iter().copied())) {
                each((line * 8 + at) * 64, lines[line][at]);
            }
        }
    }

    /// Returns the words of the set, for kernels.
    #[inline(always)]
    pub(crate) fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    #[inline(always)]
    pub(crate) fn words_mut(&mut self) -> &mut [u64; WORDS] {
        &mut self.0
    }
}

/// Returns a word with a bit for each word that is not 0.
#[inline(always)]
fn marks(words: impl Iterator<Item = u64>) -> u64 {
    (0..).zip(words).fold(0, |marks, (at, word)| marks | u64::from(word != 0) << at)
}

/// Returns the numbers of a word's set bits, lowest first.
#[inline(always)]
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_inserted_and_finds_what_is_missing() {
        let mut set = RowSet::EMPTY;
        assert!(set.iter().next().is_none());
        [3, 64, 65, 4095].into_iter().for_each(|row| set.insert(row));
        assert!(set.iter().eq([3, 64, 65, 4095]) && set.len() == 4 && set.contains(65) && !set.contains(66));
        set.remove(65);
        assert!(set.iter().eq([3, 64, 4095]));
        set.fill(200);
        assert_eq!((set.len(), set.first_missing(0, 4096), set.first_missing(0, 200)), (200, Some(200), None));
        set.remove(70);
        assert_eq!((set.first_missing(0, 200), set.first_missing(71, 4096)), (Some(70), Some(200)));
        set.clear();
        assert!(set.runs(4096).next().is_none());
        set.insert_run(60..130);
        assert!(set.iter().eq(60..130) && set.runs(4096).eq(core::iter::once(60..130)));
        set.insert(4095);
        assert!(set.runs(100).eq(core::iter::once(60..100)) && set.runs(4096).eq([60..130, 4095..4096]));
        set.remove(4095);
        set.fill(MAX_ROWS);
        assert_eq!((set.len(), set.first_missing(0, MAX_ROWS), set.first_missing(4095, MAX_ROWS)), (4096, None, None));
        let mut other = set;
        other.remove(7);
        assert!(set.difference(&other).iter().eq([7]));
        // The last one is alone in its word.
        set.fill(64);
        assert_eq!((set.first_missing(0, 64), set.first_missing(0, 65)), (None, Some(64)));
        set.clear();
        set.insert(64);
        assert_eq!((set.first(0, 64), set.first(0, 65)), (None, Some(64)));
    }
}
