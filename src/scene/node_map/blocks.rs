//! The storage of a side table: entries in blocks, by the numbers of records.

use crate::NodeHandle;
use crate::store::{RecordId, short};
use core::iter::{self, Flatten, Zip};
use core::num::NonZeroU32;
use core::ops::RangeInclusive;
use core::slice;
use std::vec;

/// The number of entries of a block.
const BLOCK: u32 = 64;
/// The number of blocks of a group, which takes 32 KB. All record numbers fill 65,536 groups, whose lists take 1.6 MB.
const GROUP: u32 = 1 << 10;

/// A generation of 4 bytes, and the value. The generation of a vacant slot is 0, which no handle has.
pub(super) type Slot<V> = Option<Entry<V>>;

#[derive(Clone)]
pub(super) struct Entry<V> {
    pub(super) generation: NonZeroU32,
    pub(super) value: V,
}

impl<V> Entry<V> {
    pub(super) fn new(handle: NodeHandle, value: V) -> Self {
        let generation = NonZeroU32::new(handle.generation()).expect("a handle's generation is never 0");
        Self { generation, value }
    }

    /// Returns the handle of the entry in the slot of this record.
    #[inline]
    pub(super) fn handle(&self, record: RecordId) -> NodeHandle {
        NodeHandle::of_record(record, self.generation.get())
    }
}

/// The entries of 64 records from `first` on. If there are no entries, `slots` may be empty.
#[derive(Clone)]
pub(super) struct Block<V> {
    first: u32,
    slots: Vec<Slot<V>>,
}

/// All blocks in groups, so that a single large record number does not need a long array. A group begins at the first
/// block that was used, its start: maps of a few nodes are small, wherever their records are.
#[derive(Clone)]
pub(super) struct Blocks<V> {
    groups: Vec<Vec<Block<V>>>,
    starts: Vec<u16>,
}

/// Returns the group, the block and the index of a record's slot.
#[inline(always)]
fn locate(handle: NodeHandle) -> [usize; 3] {
    let number = handle.record().number();
    [number / BLOCK / GROUP, number / BLOCK % GROUP, number % BLOCK].map(|part| part as usize)
}

impl<V> Blocks<V> {
    pub(super) const fn new() -> Self {
        Self { groups: Vec::new(), starts: Vec::new() }
    }

    #[inline]
    pub(super) fn slot(&self, handle: NodeHandle) -> Option<&Slot<V>> {
        let [group, block, index] = locate(handle);
        let block = block.wrapping_sub(usize::from(*self.starts.get(group)?));
        self.groups[group].get(block)?.slots.get(index)
    }

    #[inline]
    pub(super) fn slot_mut(&mut self, handle: NodeHandle) -> Option<&mut Slot<V>> {
        let [group, block, index] = locate(handle);
        let block = block.wrapping_sub(usize::from(*self.starts.get(group)?));
        self.groups[group].get_mut(block)?.slots.get_mut(index)
    }

    /// Returns the handle's slot, and adds it if it is missing.
    pub(super) fn slot_or_grow(&mut self, handle: NodeHandle) -> &mut Slot<V> {
        let [group, block, index] = locate(handle);
        if self.groups.len() <= group {
            self.groups.resize_with(group + 1, Vec::new);
            self.starts.resize(group + 1, 0);
        }
        let (blocks, start) = (&mut self.groups[group], &mut self.starts[group]);
        // The first block of a group may be any, so that a map of few nodes stays small.
        if blocks.is_empty() {
            *start = short(block);
        }
        if block < usize::from(*start) {
            let before = usize::from(*start) - block;
            blocks.splice(..0, iter::repeat_with(Block::vacant).take(before));
            *start = short(block);
        }
        let block = block - usize::from(*start);
        if blocks.len() <= block {
            blocks.resize_with(block + 1, Block::vacant);
        }
        let block = &mut blocks[block];
        // Slots of a block are allocated when it gets its first value.
        if block.slots.is_empty() {
            block.first = handle.record().number() / BLOCK * BLOCK;
            block.slots.resize_with(BLOCK as usize, || None);
        }
        &mut block.slots[index]
    }

    pub(super) fn iter(&self) -> Slots<'_, V> {
        self.groups.iter().flatten().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> SlotsMut<'_, V> {
        self.groups.iter_mut().flatten().flatten()
    }

    pub(super) fn into_iter(self) -> Owned<V> {
        self.groups.into_iter().flatten().flatten()
    }

    /// Frees the blocks without an entry.
    pub(super) fn shrink_to_fit(&mut self) {
        for (blocks, start) in self.groups.iter_mut().zip(&mut self.starts) {
            for block in &mut *blocks {
                if block.slots.iter().all(Option::is_none) {
                    block.slots = Vec::new();
                }
            }
            let end = blocks.iter().rposition(|block| !block.slots.is_empty()).map_or(0, |last| last + 1);
            blocks.truncate(end);
            let vacant = blocks.iter().take_while(|block| block.slots.is_empty()).count();
            blocks.drain(..vacant);
            *start += short(vacant);
            blocks.shrink_to_fit();
        }
        let end = self.groups.iter().rposition(|blocks| !blocks.is_empty()).map_or(0, |last| last + 1);
        self.groups.truncate(end);
        self.groups.shrink_to_fit();
        self.starts.truncate(end);
        self.starts.shrink_to_fit();
    }
}

/// All slots with their records, in ascending order.
pub(super) type Slots<'m, V> = Flatten<Flatten<slice::Iter<'m, Vec<Block<V>>>>>;
pub(super) type SlotsMut<'m, V> = Flatten<Flatten<slice::IterMut<'m, Vec<Block<V>>>>>;
pub(super) type Owned<V> = Flatten<Flatten<vec::IntoIter<Vec<Block<V>>>>>;

/// The records of a block.
#[derive(Clone)]
pub(super) struct Records(RangeInclusive<u32>);

impl Iterator for Records {
    type Item = RecordId;

    #[inline]
    fn next(&mut self) -> Option<RecordId> {
        self.0.next().map(RecordId::from_number)
    }
}

impl<V> Block<V> {
    fn vacant() -> Self {
        Self { first: 0, slots: Vec::new() }
    }

    fn records(&self) -> Records {
        Records(self.first..=self.first + (BLOCK - 1))
    }
}

impl<'m, V> IntoIterator for &'m Block<V> {
    type Item = (RecordId, &'m Slot<V>);
    type IntoIter = Zip<Records, slice::Iter<'m, Slot<V>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.records().zip(&self.slots)
    }
}

impl<'m, V> IntoIterator for &'m mut Block<V> {
    type Item = (RecordId, &'m mut Slot<V>);
    type IntoIter = Zip<Records, slice::IterMut<'m, Slot<V>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.records().zip(&mut self.slots)
    }
}

impl<V> IntoIterator for Block<V> {
    type Item = (RecordId, Slot<V>);
    type IntoIter = Zip<Records, vec::IntoIter<Slot<V>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.records().zip(self.slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle(record: u32) -> NodeHandle {
        NodeHandle::of_record(RecordId::from_number(record), 1)
    }

    #[test]
    fn a_vacant_slot_costs_no_byte_of_its_own() {
        assert_eq!(size_of::<Slot<f32>>(), 8);
        assert_eq!(size_of::<Slot<[f32; 12]>>(), 52);
    }

    #[test]
    fn numbers_far_apart_take_few_blocks_and_shrinking_keeps_those_in_use() {
        let numbers = [70_000, 64, 900, 0, 63, u32::MAX];
        let mut blocks = Blocks::new();
        numbers.iter().for_each(|&number| *blocks.slot_or_grow(handle(number)) = Some(Entry::new(handle(number), ())));
        *blocks.slot_mut(handle(900)).expect("a block in use") = None;
        let in_use =
            |blocks: &Blocks<()>| blocks.groups.iter().flatten().filter(|block| !block.slots.is_empty()).count();
        assert_eq!(in_use(&blocks), 5);
        assert_eq!(blocks.groups.iter().map(Vec::len).sum::<usize>(), 15 + 1 + 1);
        blocks.shrink_to_fit();
        assert_eq!(in_use(&blocks), 4);
        let found = blocks.iter().filter(|(_, slot)| slot.is_some()).map(|(record, _)| record.number());
        assert!(found.eq([0, 63, 64, 70_000, u32::MAX]));
        blocks.iter_mut().for_each(|(_, slot)| *slot = None);
        blocks.shrink_to_fit();
        assert!(blocks.groups.is_empty());
    }
}
