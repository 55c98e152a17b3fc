//! Chains that grow at their end: a full slice keeps most of its rows, and the end moves to a new slice.
//!
//! A split would copy all rows of a slice that is complete into pieces that stay partly empty. A chain would have a
//! slice for each quarter of `max_nodes`, and marks would pass through as many slices. Instead, only the last subtree
//! moves to a new slice, in which the chain continues.

use crate::store::columns::{At, NIL, Row};
use crate::store::restructuring::Planner;
use crate::store::restructuring::transplant::Marks;
use crate::store::{Spot, Store};

impl Store {
    /// If a spot is at the end of a full slice in depth-first order, moves the last subtree to a new slice, provided
    /// that this makes room for at least an eighth of `max_nodes`. The caller must then find the spot again. Returns
    /// whether it moved the subtree.
    ///
    /// Runs in O(`max_nodes`): at most a quarter of it is read and moved, besides the row's ancestors in the slice.
    #[cold]
    pub(in crate::store) fn cut_off_last(&mut self, spot: &Spot) -> bool {
        if self.may_hold(spot.slice, 1) || self.unlinked_from.is_some() {
            return false;
        }
        let Some(row) = self.last_subtree(spot) else { return false };
        let number = spot.slice;
        let slice = self.slice(number);
        let Row { parent, previous, .. } = *slice.row(row);
        let room = slice.need_of(row).times(self.config.expansion_factor, self.config.max_nodes);
        let piece = self.open_below(At { slice: number, row: parent }, &room);
        self.slices[number as usize].unlink_run(number, row, row);
        self.transplant(number, row, &Spot { slice: piece, parent: NIL, previous: NIL, next: NIL }, Marks::Keep);
        self.insert_portal_in_step(&Spot { slice: number, parent, previous, next: NIL }, piece);
        true
    }

    /// The top of the last subtree of a slice that may be cut off, if the spot lies after it or is its end. Picks the
    /// largest subtree with at most a quarter of `max_nodes`, and at least half of that, so that inserts and removals
    /// at the end do not open a slice each time. Never one of the slice's top rows.
    fn last_subtree(&self, spot: &Spot) -> Option<u32> {
        let slice = self.slice(spot.slice);
        let most = Planner::new(self.config.max_nodes).least() as usize;
        let rows = |top: u32| slice.subtree(top).take(most + 1).count();
        let is_cut = |row: u32| slice.row(row).parent != NIL && slice.row(row).occupant.as_node().is_some();
        let mut last = if spot.previous == NIL { spot.parent } else { spot.previous };
        if spot.next != NIL || last == NIL || !is_cut(last) {
            return None;
        }
        let mut size = rows(last);
        loop {
            // Count everything below the parent; each row is counted once on the way up.
            let Row { parent, mut previous, .. } = *slice.row(last);
            let mut all = size + 1;
            while previous != NIL && all <= most {
                all += rows(previous);
                previous = slice.row(previous).previous;
            }
            if all > most || !is_cut(parent) {
                break;
            }
            (last, size) = (parent, all);
        }
        let mut ancestors =
            core::iter::successors(Some(last), |&row| Some(slice.row(row).parent).filter(|&up| up != NIL));
        ((most / 2..=most).contains(&size) && ancestors.all(|row| slice.row(row).next == NIL)).then_some(last)
    }
}
