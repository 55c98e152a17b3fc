//! Unused ranges of the columns.

use std::collections::{BTreeMap, BTreeSet};

/// The holes. Adjacent holes are merged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holes {
    /// Start and length.
    by_place: BTreeMap<u32, u32>,
    /// Length and start.
    by_length: BTreeSet<(u32, u32)>,
    /// The sum of the lengths.
    total: u32,
}

impl Holes {
    pub(crate) const fn total(&self) -> u32 {
        self.total
    }

    /// Returns the start and length of each hole, by ascending start.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.by_place.iter().map(|(&first, &length)| (first, length))
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes slots from the first of the shortest holes that are long enough. Runs in **O(log holes)**.
    pub(crate) fn take(&mut self, length: u32) -> Option<u32> {
        // Best fit: the shortest hole that is long enough, the lowest of these.
        let &(found, first) = self.by_length.range((length, 0)..).next()?;
        self.remove(first, found);
        if found > length {
            self.insert(first + length, found - length);
        }
        Some(first)
    }

    /// Frees a range and returns the hole that now contains it. Runs in **O(log holes)**.
    pub(crate) fn give(&mut self, mut first: u32, mut length: u32) -> (u32, u32) {
        if let Some((&before, &room)) = self.by_place.range(..first).next_back()
            && before + room == first
        {
            self.remove(before, room);
            (first, length) = (before, room + length);
        }
        if let Some(&behind) = self.by_place.get(&(first + length)) {
            self.remove(first + length, behind);
            length += behind;
        }
        self.insert(first, length);
        (first, length)
    }

    pub(crate) fn remove(&mut self, first: u32, length: u32) {
        let (by_place, by_length) = (self.by_place.remove(&first), self.by_length.remove(&(length, first)));
        debug_assert!(by_place == Some(length) && by_length, "both tables know the hole");
        self.total -= length;
    }

    fn insert(&mut self, first: u32, length: u32) {
        self.by_place.insert(first, length);
        self.by_length.insert((length, first));
        self.total += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_holes_become_one_and_the_shortest_that_fits_is_taken() {
        let mut holes = Holes::default();
        holes.give(10, 2);
        holes.give(20, 5);
        assert_eq!(holes.give(12, 3), (10, 5));
        assert_eq!(holes.give(8, 2), (8, 7));
        assert_eq!(holes.give(15, 5), (8, 17));
        holes.give(40, 3);
        assert_eq!((holes.take(3), holes.take(3), holes.take(15)), (Some(40), Some(8), None));
        assert_eq!(holes.iter().collect::<Vec<_>>(), [(11, 14)]);
        assert_eq!((holes.total(), holes.by_length.len()), (14, 1));
    }
}
