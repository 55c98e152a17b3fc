//! Trees that are built depth first: what is added behind everything else in a full slice goes to a new one.
//!
//! A split would copy all rows of a slice that nobody is going to come back to, and leave it half empty. Here the last subtree
//! alone goes to a new slice, where those that follow find room; the old one stays as it is, and full.

use crate::SceneConfig;
use crate::store::columns::{At, NIL, Row};
use crate::store::restructuring::Planner;
use crate::store::restructuring::transplant::Marks;
use crate::store::{Need, Spot, Store};

impl Store {
    /// Where a spot is the end of a full slice in depth-first order, moves the last subtree there to a new slice, so that a row
    /// becomes free: then the spot is to be found again. Returns whether it did.
    ///
    /// Runs in O(rows moved), a quarter of `max_nodes` at most.
    #[cold]
    pub(in crate::store) fn cut_off_last(&mut self, spot: &Spot) -> bool {
        if self.may_hold(spot.slice, 1) || self.floats_from == Some(spot.slice) {
            return false;
        }
        let Some(row) = self.last_subtree(spot) else { return false };
        let number = spot.slice;
        let slice = self.slice(number);
        let Row { parent, previous, .. } = *slice.row(row);
        let moved = slice.need_of(row);
        let room = self.room_behind(At { slice: number, row: previous }, &moved);
        let piece = self.open_below(At { slice: number, row: parent }, &room);
        self.slices[number as usize].unlink_run(number, row, row);
        self.transplant(number, row, &Spot { slice: piece, parent: NIL, previous: NIL, next: NIL }, Marks::Keep);
        self.insert_portal_in_step(&Spot { slice: number, parent, previous, next: NIL }, piece);
        true
    }

    /// The top of the last subtree of a slice that may be cut off, where the spot lies behind it or is its end: the largest that
    /// is no larger than a piece of a split. Not one of the slice's top rows.
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
        while size <= most {
            let Row { parent, mut previous, .. } = *slice.row(last);
            size += 1;
            while previous != NIL && size <= most {
                size += rows(previous);
                previous = slice.row(previous).previous;
            }
            if size > most || !is_cut(parent) {
                break;
            }
            last = parent;
        }
        let mut ancestors =
            core::iter::successors(Some(last), |&row| Some(slice.row(row).parent).filter(|&up| up != NIL));
        (rows(last) <= most && ancestors.all(|row| slice.row(row).next == NIL)).then_some(last)
    }

    /// How much room to give to a slice behind a row, in which so much is to lie at first: as much as a full slice holds where
    /// the row is the portal to one, which tells that a tree is being built depth first, else as much as slices grow by.
    fn room_behind(&self, before: At, first: &Need) -> Need {
        let full = |row: u32| {
            let child = (row != NIL).then(|| self.row(At { row, ..before }).occupant.as_portal())??;
            (!self.may_hold(child, 1)).then_some(child)
        };
        let SceneConfig { expansion_factor, max_nodes, .. } = self.config;
        let mut room = first.times(expansion_factor, max_nodes);
        if let Some(child) = full(before.row) {
            room.cover(&Need::held_by(self.slice(child)));
        }
        room
    }
}
