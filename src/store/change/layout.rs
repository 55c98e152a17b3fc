//! Which matrix arrays changed, and when: for mirrors of them, and for readers of changes.

use crate::store::change::Numbers;
use crate::store::{Slice, Slices, Store};
use std::collections::TryReserveError;

/// A log shorter than this is not weeded out.
const FEW: usize = 64;

/// In which frame each slice last changed, and the slices whose arrays got a new layout since the last update.
///
/// A frame is an update that had anything to tell. Every layout has its own number, so a copy of one is never mistaken
/// for another one, in the same slice or in a slice that reuses its number.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Layouts {
    /// The last layout number that was issued.
    pub(in crate::store) issued: u64,
    /// The value of `issued` at the last update.
    pub(in crate::store) told: u64,
    /// Slices with a new layout since the last update; others may be listed too.
    pub(in crate::store) relaid: Numbers,
    /// Slices that changed, each with the frame, in ascending order of frames. An entry counts if the
    /// slice has the same frame in [`Slice::told_in`]; others are weeded out, so this has at most twice as many entries
    /// as there are slices, or a few.
    pub(in crate::store) log: Vec<(u64, u32)>,
    /// The length at which the log is weeded out.
    limit: usize,
}

impl Layouts {
    /// Whether there is anything to tell.
    pub(in crate::store) fn is_waiting(&self) -> bool {
        !self.relaid.is_empty()
    }

    /// Notes that a slice changed with the update of this frame.
    pub(in crate::store) fn list(&mut self, frame: u64, number: u32, slice: &mut Slice) {
        if core::mem::replace(&mut slice.told_in, frame) != frame {
            self.log.push((frame, number));
        }
    }

    /// The numbers of the slices that changed after a frame, each once.
    pub(in crate::store) fn since(&self, frame: u64, slices: &Slices) -> impl Iterator<Item = u32> + Clone {
        let start = self.log.partition_point(|&(told, _)| told <= frame);
        self.log[start..].iter().filter(|entry| counts(entry, slices)).map(|&(_, number)| number)
    }

    /// Removes the entries of the log that do not count.
    pub(in crate::store) fn weed_out(&mut self, slices: &Slices) {
        self.log.retain(|entry| counts(entry, slices));
        self.limit = 2 * self.log.len();
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        self.relaid.bytes() + self.log.capacity() * size_of::<(u64, u32)>()
    }
}

/// Whether an entry is the last one of its slice. Records of slices that no longer exist are freed only after their
/// other entries were weeded out.
fn counts(&(frame, number): &(u64, u32), slices: &Slices) -> bool {
    slices.get(number as usize).is_none_or(|slice| slice.told_in == frame)
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

    /// Lists what edits noted since the last update, in the frame of this one.
    pub(in crate::store) fn begin_layouts(&mut self) {
        let Self { slices, layouts, frames, .. } = self;
        layouts.told = layouts.issued;
        if layouts.log.len() >= layouts.limit.max(FEW) {
            layouts.weed_out(slices);
        }
        if !layouts.is_waiting() {
            return;
        }
        let relaid = core::mem::take(&mut layouts.relaid);
        for number in relaid.iter() {
            if let Some(slice) = slices.get_mut(number as usize).filter(|slice| slice.is_in_use()) {
                layouts.list(*frames, number, slice);
            }
        }
        layouts.relaid = relaid.emptied();
    }
}
