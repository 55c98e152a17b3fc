//! Lists of slice numbers that edits append to, and that stay short without updates.
use std::collections::TryReserveError;

/// A list shorter than this is not weeded out.
const FEW: usize = 64;

/// Slice numbers, possibly repeated: at most twice as many as there are distinct ones, or a few.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Numbers {
    list: Vec<u32>,
    /// The length at which the list is weeded out.
    limit: usize,
}

impl Numbers {
    /// Adds a number. Runs in amortised O(log numbers), for the sort when the list is weeded out.
    pub(in crate::store) fn add(&mut self, number: u32) {
        if self.list.len() >= self.limit.max(FEW) {
            self.list.sort_unstable();
            self.list.dedup();
            self.limit = 2 * self.list.len();
        }
        self.list.push(number);
    }

    /// Makes room for this many more numbers, or returns an error if the allocator refuses.
    pub(in crate::store) fn try_reserve(&mut self, numbers: usize) -> Result<(), TryReserveError> {
        self.list.try_reserve_exact(numbers)
    }

    /// All numbers: in the order in which they were added, or sorted after the list was weeded out.
    pub(in crate::store) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.list.iter().copied()
    }

    /// Like [`Self::iter`], and empties the list.
    pub(in crate::store) fn drain(&mut self) -> impl Iterator<Item = u32> + '_ {
        self.limit = 0;
        self.list.drain(..)
    }

    /// An empty list with the memory of this one.
    pub(in crate::store) fn emptied(mut self) -> Self {
        self.list.clear();
        self.limit = 0;
        self
    }

    pub(in crate::store) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<u32>()
    }
}
