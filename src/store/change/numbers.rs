//! Lists of slice numbers that edits append to, and that stay short where no update comes.

use std::collections::TryReserveError;

/// With fewer numbers than this a list is not weeded out.
const FEW: usize = 64;

/// Slice numbers, some of them more than once: at most twice as many as there are different ones, or few.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Numbers {
    list: Vec<u32>,
    /// How long the list may become before it is weeded out.
    limit: usize,
}

impl Numbers {
    /// Adds a number. O(1), amortised over those that are weeded out: O(log numbers).
    pub(in crate::store) fn add(&mut self, number: u32) {
        if self.list.len() >= self.limit.max(FEW) {
            self.list.sort_unstable();
            self.list.dedup();
            self.limit = 2 * self.list.len();
        }
        self.list.push(number);
    }

    /// Makes room for so many more numbers, or says that the allocator refuses.
    pub(in crate::store) fn try_reserve(&mut self, numbers: usize) -> Result<(), TryReserveError> {
        self.list.try_reserve_exact(numbers)
    }

    /// All numbers, in the order in which they were added, or after weeding out in their own.
    pub(in crate::store) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.list.iter().copied()
    }

    /// The same, and leaves none.
    pub(in crate::store) fn drain(&mut self) -> impl Iterator<Item = u32> + '_ {
        self.limit = 0;
        self.list.drain(..)
    }

    /// Moves all numbers behind those of a list, in their order and each once.
    pub(in crate::store) fn move_to(&mut self, told: &mut Vec<u32>) {
        self.list.sort_unstable();
        self.list.dedup();
        told.extend(self.drain());
    }

    pub(in crate::store) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_no_longer_than_twice_the_numbers_in_it() {
        let mut numbers = Numbers::default();
        (0..10_000).for_each(|turn| numbers.add(turn % 300));
        assert!(numbers.iter().count() <= 600);
        let mut told = Vec::new();
        numbers.move_to(&mut told);
        assert!(told.into_iter().eq(0..300) && numbers.is_empty());
    }
}
