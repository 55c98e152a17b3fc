//! Data that few nodes have, keyed by record: one structure for all kinds.

use crate::fallible::{self, Boxed};
use crate::store::record::RecordId;
use core::fmt;
use hedgerow_math::internal::prefetch;
use std::collections::TryReserveError;

/// The number of values of a block.
const BLOCK: usize = 64;

/// What a [`Side`] holds.
pub(crate) trait Value {
    /// Returns a placeholder for entries without a value. It is never read.
    fn unset() -> Self;
}

/// Values by record, in blocks of 64 that are allocated at first use and freed after their last value.
///
/// All operations run in **O(1)**.
#[derive(Clone)]
pub(crate) struct Side<T> {
    blocks: Vec<Option<Boxed<Block<T>>>>,
    len: usize,
    /// The block that was emptied last. It is kept, because the next value often goes there or needs a block.
    emptied: usize,
}

#[derive(Clone)]
struct Block<T> {
    /// The entries with a value, one bit each.
    used: u64,
    values: [T; BLOCK],
}

impl<T> Default for Side<T> {
    fn default() -> Self {
        Self { blocks: Vec::new(), len: 0, emptied: 0 }
    }
}

impl<T> fmt::Debug for Side<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Side").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Returns the block of a record, and its bit and index there.
#[inline(always)]
fn locate(id: RecordId) -> (usize, u64, usize) {
    let index = id.0 as usize % BLOCK;
    (id.0 as usize / BLOCK, 1 << index, index)
}

impl<T: Value> Side<T> {
    #[inline]
    pub(crate) fn get(&self, id: RecordId) -> Option<&T> {
        let (block, bit, index) = locate(id);
        let block = self.blocks.get(block)?.as_ref()?;
        (block.used & bit != 0).then(|| &block.values[index])
    }

    /// Prefetches a value, and the bit that says whether there is one.
    #[inline(always)]
    pub(crate) fn prefetch(&self, id: RecordId) {
        let (block, _, index) = locate(id);
        if let Some(Some(block)) = self.blocks.get(block) {
            prefetch(core::slice::from_ref(&block.used), 0);
            prefetch(&block.values, index);
        }
    }

    /// Sets a value and returns the old one.
    #[inline]
    pub(crate) fn insert(&mut self, id: RecordId, value: T) -> Option<T> {
        let (block, bit, index) = locate(id);
        if self.blocks.get(block).is_none_or(Option::is_none) {
            fallible::or_abort(self.open_block(block));
        }
        let Some(block) = &mut self.blocks[block] else { return None };
        let before = core::mem::replace(&mut block.values[index], value);
        if block.used & bit != 0 {
            return Some(before);
        }
        // The values of unused places are unset, so nothing is dropped late.
        block.used |= bit;
        self.len += 1;
        None
    }

    /// Sets or removes a value and returns the old one.
    #[inline]
    pub(crate) fn replace(&mut self, id: RecordId, value: Option<T>) -> Option<T> {
        match value {
            Some(value) => self.insert(id, value),
            None => self.remove(id),
        }
    }

    /// Sets the value of a record that has none, if there is memory.
    pub(crate) fn try_insert(&mut self, id: RecordId, value: T) -> Result<(), TryReserveError> {
        self.make_room(id)?;
        self.insert(id, value);
        Ok(())
    }

    /// Makes room for the value of a record.
    pub(crate) fn make_room(&mut self, id: RecordId) -> Result<(), TryReserveError> {
        let (block, ..) = locate(id);
        if self.blocks.get(block).is_none_or(Option::is_none) { self.open_block(block) } else { Ok(()) }
    }

    #[cold]
    fn open_block(&mut self, block: usize) -> Result<(), TryReserveError> {
        let new = match self.take_empty() {
            // An emptied block is used again, wherever it was.
            Some(empty) => empty,
            None => Boxed::try_new(Block { used: 0, values: core::array::from_fn(|_| T::unset()) })?,
        };
        if block >= self.blocks.len() {
            self.blocks.try_reserve(block + 1 - self.blocks.len())?;
            self.blocks.resize_with(block + 1, || None);
        }
        self.blocks[block] = Some(new);
        Ok(())
    }

    /// Takes the block that was emptied last, if it is still empty.
    fn take_empty(&mut self) -> Option<Boxed<Block<T>>> {
        self.blocks.get_mut(self.emptied)?.take_if(|block| block.used == 0)
    }

    /// Removes a value and returns it.
    #[inline]
    pub(crate) fn remove(&mut self, id: RecordId) -> Option<T> {
        let (number, bit, index) = locate(id);
        let block = self.blocks.get_mut(number)?.as_mut()?;
        if block.used & bit == 0 {
            return None;
        }
        block.used &= !bit;
        self.len -= 1;
        let value = core::mem::replace(&mut block.values[index], T::unset());
        // One empty block stays, so that a node which comes and goes allocates nothing.
        if block.used == 0 && self.emptied != number {
            self.take_empty();
            self.emptied = number;
        }
        Some(value)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Iterates over all values and records, in ascending record order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (RecordId, &T)> {
        let blocks = (0..).step_by(BLOCK).zip(&self.blocks);
        blocks.filter_map(|(first, block)| Some((first, block.as_ref()?))).flat_map(|(first, block)| {
            let used = (0..).zip(&block.values).filter(|(index, _)| block.used >> index & 1 != 0);
            used.map(move |(index, value)| (RecordId(first + index), value))
        })
    }

    /// Returns the bytes of the blocks, without the bytes that values own.
    pub(crate) fn bytes(&self) -> usize {
        let blocks = self.blocks.iter().flatten().count();
        blocks * size_of::<Block<T>>() + self.blocks.capacity() * size_of::<Option<Boxed<Block<T>>>>()
    }

    /// Frees the end of the list of blocks if it is unused.
    pub(crate) fn shrink(&mut self) {
        self.take_empty();
        let used = self.blocks.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        self.blocks.truncate(used);
        self.blocks.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn values_are_found_as_in_a_map_and_blocks_end_with_their_last_value() {
        let (mut side, mut map, mut dice) = (Side::default(), BTreeMap::new(), fastrand::Rng::with_seed(5));
        for step in 0..5000_u32 {
            let id = RecordId(dice.u32(0..700));
            if dice.u32(0..3) == 0 {
                assert_eq!(side.remove(id), map.remove(&id));
            } else {
                assert_eq!(side.insert(id, step), map.insert(id, step));
            }
            assert_eq!((side.get(id), side.len()), (map.get(&id), map.len()));
        }
        assert!(side.iter().eq(map.iter().map(|(id, value)| (*id, value))));
        let full = side.bytes();
        assert!(map.iter().all(|(&id, &value)| side.remove(id) == Some(value)));
        assert!(side.is_empty() && side.iter().next().is_none());
        // One block is kept.
        assert!(side.bytes() < full / 5, "{} bytes of {full} are left", side.bytes());
        side.shrink();
        assert_eq!(side.bytes(), 0);
        assert_eq!(side.get(RecordId::NIL), None);
    }
}
