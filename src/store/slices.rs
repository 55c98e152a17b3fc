//! All slices of a store by number, each in an allocation of its own.

use crate::fallible::{self, Boxed};
use crate::store::Slice;
use core::ops::{Index, IndexMut};
use hedgerow_math::internal::prefetch_whole;
use std::collections::TryReserveError;

/// The slices by number, including unused ones.
///
/// A record is large. Each has an allocation of its own, so that a growing list copies eight bytes for each slice, and
/// no edit waits for a copy of all records. Finding a slice takes no more instructions this way: the address of a
/// record is read from the list instead of being computed.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Slices {
    list: Vec<Boxed<Slice>>,
}

impl Slices {
    /// The number of slices.
    #[inline(always)]
    pub(in crate::store) fn len(&self) -> usize {
        self.list.len()
    }

    #[inline(always)]
    pub(in crate::store) fn get(&self, number: usize) -> Option<&Slice> {
        self.list.get(number).map(|slice| &**slice)
    }

    #[inline(always)]
    pub(in crate::store) fn get_mut(&mut self, number: usize) -> Option<&mut Slice> {
        self.list.get_mut(number).map(|slice| &mut **slice)
    }

    /// Several slices at once; `None` if two numbers are equal, or one is out of range.
    #[inline(always)]
    pub(in crate::store) fn get_disjoint_mut<const N: usize>(
        &mut self,
        numbers: [usize; N],
    ) -> Option<[&mut Slice; N]> {
        self.list.get_disjoint_mut(numbers).ok().map(|slices| slices.map(|slice| &mut **slice))
    }

    /// Prefetches a slice, but for its arrays, if there is one with this number.
    pub(in crate::store) fn prefetch(&self, number: u32) {
        if let Some(slice) = self.get(number as usize) {
            prefetch_whole(core::slice::from_ref(slice), 0);
        }
    }

    pub(in crate::store) fn iter(&self) -> impl DoubleEndedIterator<Item = &Slice> + ExactSizeIterator {
        self.list.iter().map(|slice| &**slice)
    }

    pub(in crate::store) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Slice> + ExactSizeIterator {
        self.list.iter_mut().map(|slice| &mut **slice)
    }

    /// Adds a slice with the next number.
    pub(in crate::store) fn push(&mut self, slice: Slice) {
        self.list.push(Boxed::new(slice));
    }

    /// Like [`Self::push`], but returns an error if the allocator refuses.
    pub(in crate::store) fn try_push(&mut self, slice: Slice) -> Result<(), TryReserveError> {
        fallible::push(&mut self.list, Boxed::try_new(slice)?)
    }

    /// Makes room for this many more in the list. Returns an error if the allocator refuses that, or all their records
    /// at once.
    pub(in crate::store) fn try_reserve_exact(&mut self, additional: usize) -> Result<(), TryReserveError> {
        // The records are allocated one by one. A total that could not be allocated in one piece is refused before any
        // record is made.
        Vec::<Slice>::new().try_reserve_exact(additional)?;
        self.list.try_reserve_exact(additional)
    }

    /// Frees the records of unused slices after the last one in use.
    pub(in crate::store) fn drop_dead(&mut self) {
        let end = self.list.iter().rposition(|slice| slice.lives).map_or(0, |last| last + 1);
        self.list.truncate(end);
        self.list.shrink_to_fit();
    }

    /// The bytes of the records and of the list.
    pub(in crate::store) fn record_bytes(&self) -> usize {
        self.list.len() * size_of::<Slice>() + self.list.capacity() * size_of::<Boxed<Slice>>()
    }
}

impl Index<usize> for Slices {
    type Output = Slice;

    #[inline(always)]
    fn index(&self, number: usize) -> &Slice {
        &self.list[number]
    }
}

impl IndexMut<usize> for Slices {
    #[inline(always)]
    fn index_mut(&mut self, number: usize) -> &mut Slice {
        &mut self.list[number]
    }
}
