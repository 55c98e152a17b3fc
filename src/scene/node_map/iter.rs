//! The iterators of a side table.

use super::NodeMap;
use super::blocks::{Owned, Slots, SlotsMut};
use crate::NodeHandle;
use crate::store::RecordId;
use core::iter::FusedIterator;

/// Returns the next value that `value` finds in a slot; `None` once no values are `remaining`.
#[inline]
fn next_value<S, V>(
    slots: &mut impl Iterator<Item = (RecordId, S)>,
    remaining: &mut usize,
    value: impl Fn(RecordId, S) -> Option<(NodeHandle, V)>,
) -> Option<(NodeHandle, V)> {
    // Stops at the last value instead of searching the vacant slots behind it.
    if *remaining == 0 {
        return None;
    }
    let next = slots.find_map(|(record, slot)| value(record, slot));
    *remaining -= usize::from(next.is_some());
    next
}

/// The handles and values of a [`NodeMap`]: see [`NodeMap::iter`].
pub struct Iter<'m, V> {
    slots: Slots<'m, V>,
    remaining: usize,
}

/// The handles and mutable values of a [`NodeMap`]: see [`NodeMap::iter_mut`].
pub struct IterMut<'m, V> {
    slots: SlotsMut<'m, V>,
    remaining: usize,
}

/// The handles and values of a consumed [`NodeMap`], in the order of the handles.
pub struct IntoIter<V> {
    slots: Owned<V>,
    remaining: usize,
}

/// The handles and values removed from a [`NodeMap`]: see [`NodeMap::drain`].
pub struct Drain<'m, V> {
    slots: SlotsMut<'m, V>,
    /// The length of the map, decremented with each value, so that it is right if the iteration ends early.
    remaining: &'m mut usize,
}

impl<'m, V> Iter<'m, V> {
    pub(super) fn new(map: &'m NodeMap<V>) -> Self {
        Self { slots: map.blocks.iter(), remaining: map.len }
    }
}

impl<'m, V> IterMut<'m, V> {
    pub(super) fn new(map: &'m mut NodeMap<V>) -> Self {
        Self { slots: map.blocks.iter_mut(), remaining: map.len }
    }
}

impl<'m, V> Drain<'m, V> {
    pub(super) fn new(map: &'m mut NodeMap<V>) -> Self {
        Self { slots: map.blocks.iter_mut(), remaining: &mut map.len }
    }
}

impl<'m, V> Iterator for Iter<'m, V> {
    type Item = (NodeHandle, &'m V);

    fn next(&mut self) -> Option<Self::Item> {
        next_value(&mut self.slots, &mut self.remaining, |record, slot| {
            slot.as_ref().map(|entry| (entry.handle(record), &entry.value))
        })
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
        next_value(&mut self.slots, &mut self.remaining, |record, slot| {
            slot.as_mut().map(|entry| (entry.handle(record), &mut entry.value))
        })
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
        next_value(&mut self.slots, &mut self.remaining, |record, slot| {
            slot.map(|entry| (entry.handle(record), entry.value))
        })
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
        next_value(&mut self.slots, self.remaining, |record, slot| {
            slot.take().map(|entry| (entry.handle(record), entry.value))
        })
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
        IntoIter { slots: self.blocks.into_iter(), remaining: self.len }
    }
}

/// Inserts values in order with [`NodeMap::insert`], and drops the entries that `insert` returns.
impl<V> Extend<(NodeHandle, V)> for NodeMap<V> {
    fn extend<I: IntoIterator<Item = (NodeHandle, V)>>(&mut self, values: I) {
        for (handle, value) in values {
            _ = self.insert(handle, value);
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
