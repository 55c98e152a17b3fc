//! Which matrix arrays changed, and how: for users who keep copies of them.

use crate::store::change::Numbers;
use crate::store::{Slice, Store};
use std::collections::TryReserveError;

/// The slices whose matrices the last update changed, and those whose arrays got a new layout since.
///
/// Every layout has its own number, so a copy of one is never mistaken for another one, in the same slice or in a slice
/// that reuses its number.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Layouts {
    /// The last layout number that was issued.
    issued: u64,
    /// The value of `issued` at the last update.
    told: u64,
    /// The value of `issued` at the update before.
    told_before: u64,
    /// Slices with a new layout since the last update; others may be listed too.
    relaid: Numbers,
    /// Numbers of slices that were removed since the last update; some are in use again.
    gone: Numbers,
    /// Slices whose matrices changed with the last update.
    pub(in crate::store) changed: Vec<u32>,
    /// Slices that were removed between the last two updates.
    pub(in crate::store) dropped: Vec<u32>,
}

impl Layouts {
    /// Whether a layout is newer than the update before the last: then nothing about it was reported before.
    pub(in crate::store) fn is_new(&self, slice: &Slice) -> bool {
        slice.layout > self.told_before
    }

    /// Notes that an update computed matrices in a slice.
    pub(in crate::store) fn list_swept(&mut self, number: u32, slice: &Slice) {
        if !self.is_new(slice) {
            self.changed.push(number);
        }
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        self.relaid.bytes() + self.gone.bytes() + (self.changed.capacity() + self.dropped.capacity()) * size_of::<u32>()
    }
}

impl Store {
    /// Makes room to list every slice.
    pub(in crate::store) fn reserve_layouts(&mut self) -> Result<(), TryReserveError> {
        self.layouts.relaid.try_reserve(self.slices.len())
    }

    /// Notes that the slots of a slice have moved.
    pub(in crate::store) fn note_layout(&mut self, number: u32) {
        let Self { slices, layouts, .. } = self;
        layouts.issued += 1;
        let before = core::mem::replace(&mut slices[number as usize].layout, layouts.issued);
        if before <= layouts.told {
            layouts.relaid.add(number);
        }
    }

    /// Notes that a slice was removed.
    pub(in crate::store) fn note_gone(&mut self, number: u32) {
        self.layouts.gone.add(number);
    }

    /// Starts the lists of an update.
    pub(in crate::store) fn begin_layouts(&mut self) {
        let Self { slices, layouts, .. } = self;
        let Layouts { issued, told, told_before, relaid, gone, changed, dropped } = layouts;
        *told_before = core::mem::replace(told, *issued);
        changed.clear();
        dropped.clear();
        if relaid.is_empty() && gone.is_empty() {
            return;
        }
        let lives = |&number: &u32| slices.get(number as usize).is_some_and(Slice::is_in_use);
        relaid.move_to(changed);
        gone.move_to(dropped);
        layouts.changed.retain(lives);
        layouts.dropped.retain(|number| !lives(number));
    }
}
