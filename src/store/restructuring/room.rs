//! Reserves room for future nodes, and frees unused room.

use crate::store::columns::At;
use crate::store::{Capacity, Need, Slice, Spot, Store};
use std::collections::TryReserveError;

impl Store {
    /// Rebuilds every slice at its least size and frees spare memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        while self.free_next_pending().is_some() {}
        let numbers: Vec<u32> = self.slice_numbers().collect();
        for number in numbers {
            self.reconstitute(number, Capacity::Exact);
            let slice = self.slice_mut(number);
            slice.children.shrink_to_fit();
            slice.marked_children.shrink_to_fit();
        }
        self.reserved = None;
        self.shrink_words();
        if let Some(feed) = &mut self.feed {
            feed.shrink_to_fit();
        }
        self.tables.shrink_to_fit();
        self.drop_dead_slices();
        self.drop_scratch();
    }

    /// Makes room for many more nodes where the next child of a node goes. Below the root this is the next slice to be
    /// opened. Returns an error if the allocator refuses.
    pub(crate) fn try_reserve_below(&mut self, parent: At, additional: u32) -> Result<(), TryReserveError> {
        if parent == At::ROOT {
            return self.try_reserve_slice(additional);
        }
        let spot = self.spot_behind_children(parent);
        self.try_reserve(spot.slice, additional)
    }

    /// Makes room for many more nodes in a slice, or returns an error if the allocator refuses.
    fn try_reserve(&mut self, slice: u32, additional: u32) -> Result<(), TryReserveError> {
        self.tables.try_reserve(slice, additional as usize)?;
        let most = self.config.max_nodes;
        let additional = additional.min(most);
        self.slice_mut(slice).try_grow_in_place(&Need::all(additional), 1.0, most)
    }

    /// Makes room for this many nodes in the next slice to be opened, or returns an error if the allocator refuses.
    fn try_reserve_slice(&mut self, nodes: u32) -> Result<(), TryReserveError> {
        let most = self.config.max_nodes;
        let need = Need::all(nodes.min(most));
        if let Some(slice) = &mut self.reserved {
            return slice.try_grow_in_place(&need, 1.0, most);
        }
        let mut slice = Slice::try_with_room(&Need::default())?;
        slice.try_grow_in_place(&need, 1.0, most)?;
        self.reserved = Some(slice);
        Ok(())
    }

    /// Makes sure that one node fits at `spot`. Returns `true` if room had to be made. Rows may then have moved, also
    /// to other slices, so the caller must find the spot and test it again.
    #[inline]
    pub(in crate::store) fn make_room_for_one(&mut self, spot: &Spot, need: &Need) -> bool {
        let fits = self.slice(spot.slice).fits_one(need, spot.parent);
        if !fits && (need.rows == 0 || !self.cut_off_last(spot)) {
            self.make_room(spot.slice, need);
        }
        !fits
    }

    /// Makes sure that many nodes fit into a slice that may hold them. Returns `true` if room had to be made, so that
    /// rows may have moved.
    pub(in crate::store) fn make_room_for_all(&mut self, slice: u32, need: &Need) -> bool {
        let fits = self.slice(slice).fits_all(need);
        if !fits {
            self.make_room(slice, need);
        }
        !fits
    }
}
