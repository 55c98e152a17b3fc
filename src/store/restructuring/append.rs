//! Chains that grow at their end: a full slice keeps most of what it has, and the end goes to a new one.
//!
//! A split would copy all rows of a slice that nobody is going to come back to, into pieces that nobody fills: a chain would have
//! a slice for each quarter of `max_nodes`, and what is told to all slices above would go through as many. Here the last subtree
//! alone goes to a new slice, in which the chain goes on.

use crate::store::columns::{At, NIL, Row};
use crate::store::restructuring::Planner;
use crate::store::restructuring::transplant::Marks;
use crate::store::{Spot, Store};

impl Store {
    /// Where a spot is the end of a full slice in depth-first order, moves the last subtree there to a new slice if that makes
    /// room for an eighth of `max_nodes` at least: then the spot is to be found again. Returns whether it did.
    ///
    /// Runs in O(`max_nodes`): a quarter of it is looked at and moved at most, besides the row's ancestors in the slice.
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

    /// The top of the last subtree of a slice that may be cut off, where the spot lies behind it or is its end: the largest that
    /// has no more than a quarter of `max_nodes`, and no less than half of that, so that what comes and goes at the end does not
    /// open a slice each time. Not one of the slice's top rows.
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
            // All that hangs below the parent: each row is counted once on the way up.
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
