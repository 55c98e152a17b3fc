//! Ranges of one buffer for a column of each slice.

use super::arena::Arena;
use crate::pass::{Change, Look};
use crate::store::{SliceId, SliceView};
use crate::unique::unique_number;
use core::ops::Range;

/// Stands for no place in the buffer.
pub(super) const NONE: u32 = u32::MAX;

/// The ranges of slices' columns, each with room to grow. A range stays where it is as long as the column fits.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The index at which each slice's range begins, by slice number; [`NONE`] for slices without one.
    pub(super) bases: Vec<u32>,
    list: Vec<Place>,
    pub(super) arena: Arena,
    /// The length of the buffer, which the mirror sets once it told the step.
    pub(super) len: u32,
    /// Ranges begin and end at multiples of this.
    grain: u32,
    /// A number that changes whenever a base does, and that only clones share.
    pub(super) version: u64,
    /// The ranges that the present sync released. Other slices may have them by now.
    pub(super) released: Vec<Range<u32>>,
}

/// The range of a slice's column, which begins at the slice's base.
#[derive(Clone, Copy, Debug)]
struct Place {
    room: u32,
    /// What the present sync has to do.
    change: Change,
}

impl Place {
    const NONE: Self = Self { room: 0, change: Change::NOTHING };

    /// Returns whether a column of this length fits and does not leave most of the range empty.
    fn fits(&self, len: usize) -> bool {
        const WORTH: usize = 64;
        let room = self.room as usize;
        // A place far too large is given up, but not a small one: a move writes all items of the slice.
        len <= room && (room <= WORTH || room <= 4 * len)
    }
}

/// What a sync does to the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Whether the range of some slice was moved or removed.
    pub(super) moved: bool,
    /// The new length of the buffer, if it is to be resized.
    pub(super) len: Option<u32>,
}

impl Places {
    pub(super) const fn new(grain: u32) -> Self {
        Self {
            bases: Vec::new(),
            list: Vec::new(),
            arena: Arena::EMPTY,
            len: 0,
            grain,
            version: 0,
            released: Vec::new(),
        }
    }

    /// Gives a range to the column of each slice of a look, which has the length that `len_of` returns. Finds out what
    /// changed in each slice.
    ///
    /// The buffer grows by at least a quarter. If slices use less than half of it, all ranges are assigned anew.
    pub(super) fn place(&mut self, look: &mut Look<'_, '_>, len_of: impl Fn(SliceView<'_>) -> usize) -> Placed {
        let mut moved = self.find(look, len_of);
        let sparse = self.is_sparse();
        if sparse {
            self.place_anew();
            moved = true;
        }
        if moved {
            self.version = unique_number().get();
        }
        let end = self.arena.end();
        // A quarter more, so that a growing scene resizes the buffer rarely.
        let len = (sparse || end > self.len).then(|| self.in_grains(end.saturating_add(end / 4)));
        Placed { moved, len }
    }

    /// Returns what the present sync has to do for a slice, and the room of its range.
    pub(super) fn change(&self, number: SliceId) -> (Change, u32) {
        let Place { room, change } = self.list[number.index()];
        (change, room)
    }

    /// Marks all slices for a complete write.
    pub(super) fn mark_all(&mut self) {
        self.list.iter_mut().for_each(|place| place.change = Change::EVERYTHING);
    }

    /// Rounds up to whole grains.
    fn in_grains(&self, len: u32) -> u32 {
        len.checked_next_multiple_of(self.grain).unwrap_or(NONE)
    }

    /// Assigns a range with enough room to each slice. Returns whether any range changed.
    fn find(&mut self, look: &mut Look<'_, '_>, len_of: impl Fn(SliceView<'_>) -> usize) -> bool {
        let (store, order) = (look.store(), look.order());
        let mut moved = false;
        self.released.clear();
        // Release ranges first, so that other slices can take them.
        while let Some(number) = look.gone() {
            moved |= self.release(number);
        }
        // Bases of another scene say nothing about this one.
        if look.is_first() {
            self.bases.clear();
            self.list.clear();
            self.clear_arena();
        }
        let end = store.slices.end().max(self.list.len());
        self.list.resize(end, Place::NONE);
        self.bases.resize(end, NONE);
        for &number in order {
            // All are released before any is taken, so that slices can exchange places.
            if !self.list[number.index()].fits(len_of(store.view(number))) {
                moved |= self.release(number);
            }
        }
        for &number in order {
            let slice = store.view(number);
            let (at, len) = (number.index(), u32::try_from(len_of(slice)).expect("nodes number less than 2^31"));
            self.list[at].change = look.at(slice);
            if self.bases[at] == NONE && len > 0 {
                // An eighth more, because a slice gets slots at its end until it is reconstituted.
                let room = self.in_grains(len + len / 8 + 4);
                self.list[at] = Place { room, change: Change::EVERYTHING };
                self.bases[at] = self.arena.take(room);
                moved = true;
            }
        }
        moved
    }

    /// Releases the range of a slice. Returns whether it had one.
    fn release(&mut self, number: SliceId) -> bool {
        let (base, place) = (&mut self.bases[number.index()], &mut self.list[number.index()]);
        let had = *base != NONE;
        if had {
            self.arena.release(*base, place.room);
            self.released.push(*base..*base + place.room);
        }
        (*base, *place) = (NONE, Place::NONE);
        had
    }

    /// Returns whether the buffer is large and less than half of it is in use.
    fn is_sparse(&self) -> bool {
        const WORTH: u32 = 4096;
        self.len > WORTH && self.arena.used() < self.len / 2
    }

    /// Releases the whole buffer, also what a sync that panicked had released.
    fn clear_arena(&mut self) {
        self.released.push(0..self.len);
        self.arena.clear();
    }

    /// Assigns new ranges to all slices, and marks them for a complete write.
    fn place_anew(&mut self) {
        self.clear_arena();
        for (base, place) in self.bases.iter_mut().zip(&mut self.list).filter(|(base, _)| **base != NONE) {
            *base = self.arena.take(place.room);
            place.change = Change::EVERYTHING;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_place_is_given_up_where_more_than_three_quarters_of_it_are_empty() {
        let place = |room| Place { room, change: Change::NOTHING };
        assert!(place(400).fits(400) && place(400).fits(100) && !place(400).fits(99) && !place(400).fits(401));
        assert!(place(64).fits(0) && !place(65).fits(16));
    }

    #[test]
    fn a_buffer_is_sparse_where_less_than_half_of_it_are_places() {
        let mut places = Places { len: 8192, ..Places::new(1) };
        places.arena.take(4096);
        assert!(!places.is_sparse());
        places.arena.release(4095, 1);
        assert!(places.is_sparse());
    }
}
