//! The iterators of a side table.

use super::NodeMap;
use super::tables::{Entry, Slot, Table};
use crate::NodeHandle;
use core::iter::{Chain, FusedIterator};
use core::num::NonZeroU32;
use core::slice;
use std::collections::btree_map;
use std::vec;

type TablesRef<'m, V> = Chain<slice::Iter<'m, Table<V>>, btree_map::Values<'m, u32, Table<V>>>;
pub(super) type TablesMut<'m, V> = Chain<slice::IterMut<'m, Table<V>>, btree_map::ValuesMut<'m, u32, Table<V>>>;
type TablesOwned<V> = Chain<vec::IntoIter<Table<V>>, btree_map::IntoValues<u32, Table<V>>>;

/// The slots of all tables by ascending table and index, including vacant ones.
#[derive(Clone)]
pub(super) struct Slots<T, S> {
    tables: T,
    /// The remaining slots of the current table, its number, and the index of the first of them.
    slots: S,
    number: u32,
    index: u32,
}

impl<T, S> Slots<T, S>
where
    T: Iterator<Item: IntoSlots<Slots = S>>,
    S: Iterator + Default,
{
    pub(super) fn new(tables: T) -> Self {
        Self { tables, slots: S::default(), number: 0, index: 0 }
    }

    /// The next slot, its table and its index there.
    pub(super) fn next(&mut self) -> Option<(u32, u32, S::Item)> {
        loop {
            if let Some(slot) = self.slots.next() {
                let index = self.index;
                self.index += 1;
                return Some((self.number, index, slot));
            }
            (self.number, self.slots) = self.tables.next()?.into_slots();
            self.index = 0;
        }
    }

    /// The next value, extracted from a slot by `value`, while any are `remaining`.
    fn next_value<V>(
        &mut self,
        remaining: &mut usize,
        value: impl Fn(S::Item) -> Option<(NonZeroU32, V)>,
    ) -> Option<(NodeHandle, V)> {
        while *remaining > 0 {
            let (number, index, slot) = self.next()?;
            if let Some((generation, value)) = value(slot) {
                *remaining -= 1;
                return Some((NodeHandle::new(number, index, generation.get()), value));
            }
        }
        None
    }
}

/// A table that is owned, borrowed or mutably borrowed.
pub(super) trait IntoSlots {
    type Slots: Iterator;

    fn into_slots(self) -> (u32, Self::Slots);
}

impl<'m, V> IntoSlots for &'m Table<V> {
    type Slots = slice::Iter<'m, Slot<V>>;

    fn into_slots(self) -> (u32, Self::Slots) {
        (self.number, self.entries.iter())
    }
}

impl<'m, V> IntoSlots for &'m mut Table<V> {
    type Slots = slice::IterMut<'m, Slot<V>>;

    fn into_slots(self) -> (u32, Self::Slots) {
        (self.number, self.entries.iter_mut())
    }
}

impl<V> IntoSlots for Table<V> {
    type Slots = vec::IntoIter<Slot<V>>;

    fn into_slots(self) -> (u32, Self::Slots) {
        (self.number, self.entries.into_iter())
    }
}

/// The handles and values of a [`NodeMap`]: see [`NodeMap::iter`].
pub struct Iter<'m, V> {
    slots: Slots<TablesRef<'m, V>, slice::Iter<'m, Slot<V>>>,
    remaining: usize,
}

/// The handles and mutable values of a [`NodeMap`]: see [`NodeMap::iter_mut`].
pub struct IterMut<'m, V> {
    slots: Slots<TablesMut<'m, V>, slice::IterMut<'m, Slot<V>>>,
    remaining: usize,
}

/// The handles and values of a [`NodeMap`] that is consumed, in the order of the handles.
pub struct IntoIter<V> {
    slots: Slots<TablesOwned<V>, vec::IntoIter<Slot<V>>>,
    remaining: usize,
}

/// The handles and values removed from a [`NodeMap`]: see [`NodeMap::drain`].
pub struct Drain<'m, V> {
    slots: Slots<TablesMut<'m, V>, slice::IterMut<'m, Slot<V>>>,
    /// The length of the map, decremented with each value, so that it is right whenever the iteration ends.
    remaining: &'m mut usize,
}

impl<'m, V> Iter<'m, V> {
    pub(super) fn new(map: &'m NodeMap<V>) -> Self {
        let tables = map.tables.near.iter().chain(map.tables.far.values());
        Self { slots: Slots::new(tables), remaining: map.len }
    }
}

impl<'m, V> IterMut<'m, V> {
    pub(super) fn new(map: &'m mut NodeMap<V>) -> Self {
        Self { slots: Slots::new(map.tables.iter_mut()), remaining: map.len }
    }
}

impl<'m, V> Drain<'m, V> {
    pub(super) fn new(map: &'m mut NodeMap<V>) -> Self {
        Self { slots: Slots::new(map.tables.iter_mut()), remaining: &mut map.len }
    }
}

impl<'m, V> Iterator for Iter<'m, V> {
    type Item = (NodeHandle, &'m V);

    fn next(&mut self) -> Option<Self::Item> {
        self.slots.next_value(&mut self.remaining, |slot| slot.as_ref().map(|entry| (entry.generation, &entry.value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<V> ExactSizeIterator for Iter<'_, V> {}
impl<V> FusedIterator for Iter<'_, V> {}

impl<V> Clone for Iter<'_, V> {
    fn clone(&self) -> Self {
        Self { slots: self.slots.clone(), remaining: self.remaining }
    }
}

impl<'m, V> Iterator for IterMut<'m, V> {
    type Item = (NodeHandle, &'m mut V);

    fn next(&mut self) -> Option<Self::Item> {
        self.slots
            .next_value(&mut self.remaining, |slot| slot.as_mut().map(|entry| (entry.generation, &mut entry.value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<V> ExactSizeIterator for IterMut<'_, V> {}
impl<V> FusedIterator for IterMut<'_, V> {}

impl<V> Iterator for IntoIter<V> {
    type Item = (NodeHandle, V);

    fn next(&mut self) -> Option<Self::Item> {
        self.slots.next_value(&mut self.remaining, |slot| slot.map(Entry::into_parts))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<V> ExactSizeIterator for IntoIter<V> {}
impl<V> FusedIterator for IntoIter<V> {}

impl<V> Iterator for Drain<'_, V> {
    type Item = (NodeHandle, V);

    fn next(&mut self) -> Option<Self::Item> {
        self.slots.next_value(self.remaining, |slot| slot.take().map(Entry::into_parts))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (*self.remaining, Some(*self.remaining))
    }
}

impl<V> ExactSizeIterator for Drain<'_, V> {}
impl<V> FusedIterator for Drain<'_, V> {}

impl<V> Drop for Drain<'_, V> {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

impl<V> Entry<V> {
    fn into_parts(self) -> (NonZeroU32, V) {
        (self.generation, self.value)
    }
}

impl<'m, V> IntoIterator for &'m NodeMap<V> {
    type Item = (NodeHandle, &'m V);
    type IntoIter = Iter<'m, V>;

    fn into_iter(self) -> Iter<'m, V> {
        self.iter()
    }
}

impl<'m, V> IntoIterator for &'m mut NodeMap<V> {
    type Item = (NodeHandle, &'m mut V);
    type IntoIter = IterMut<'m, V>;

    fn into_iter(self) -> IterMut<'m, V> {
        self.iter_mut()
    }
}

impl<V> IntoIterator for NodeMap<V> {
    type Item = (NodeHandle, V);
    type IntoIter = IntoIter<V>;

    fn into_iter(self) -> IntoIter<V> {
        let tables = self.tables.near.into_iter().chain(self.tables.far.into_values());
        IntoIter { slots: Slots::new(tables), remaining: self.len }
    }
}

/// Inserts in order, as [`NodeMap::insert`] does. What that returns is dropped.
impl<V> Extend<(NodeHandle, V)> for NodeMap<V> {
    fn extend<I: IntoIterator<Item = (NodeHandle, V)>>(&mut self, values: I) {
        for (handle, value) in values {
            self.insert(handle, value);
        }
    }
}

impl<V> FromIterator<(NodeHandle, V)> for NodeMap<V> {
    fn from_iter<I: IntoIterator<Item = (NodeHandle, V)>>(values: I) -> Self {
        let mut map = Self::new();
        map.extend(values);
        map
    }
}
