//! Subtrees on their way from one place to another: off their chain, and on no other yet.

use crate::store::columns::{At, NIL, Row};
use crate::store::restructuring::transplant::Marks;
use crate::store::{Beside, Need, Settled, Slice, Spot, Store};
use std::alloc::{Layout, handle_alloc_error};

/// No place takes so many splits until a subtree fits there.
const MOST_SPLITS: u32 = 16;

/// A subtree on no chain, between its old place and its new one.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) enum Unlinked {
    /// A row and what hangs below it, in a slice that holds other nodes too.
    Rows(At),
    /// A slice that holds nothing else, without a portal.
    Slice(u32),
}

impl Store {
    /// Takes a subtree off its chain. Slices that held nothing but portals to it go.
    pub(in crate::store) fn unlink_subtree(&mut self, at: At) -> Unlinked {
        self.tell_edited(at.slice);
        let slice = &mut self.slices[at.slice as usize];
        if !slice.is_alone(at.row) {
            slice.unlink_run(at.slice, at.row, at.row);
            self.unlinked_from = Some(at.slice);
            return Unlinked::Rows(at);
        }
        if slice.portal == At::NONE {
            self.unlist_detached(at.slice);
        } else {
            self.drop_portal_of(at.slice);
        }
        Unlinked::Slice(at.slice)
    }

    /// How many rows an unlinked subtree has in its own slice, counted up to `min_nodes`: what is as large shares
    /// nothing.
    pub(in crate::store) fn unlinked_rows(&self, unlinked: Unlinked) -> usize {
        match unlinked {
            Unlinked::Rows(at) => self.slice(at.slice).subtree(at.row).take(self.config.min_nodes as usize).count(),
            Unlinked::Slice(slice) => self.slice(slice).nodes(),
        }
    }

    /// Makes room for a node with all below it at a checked place, while it is where it was: then every slice may be
    /// split, beside its portal too. Returns where the node is then, and how many rows it brings, as
    /// [`Self::unlinked_rows`] counts them, where that decides in which slice it settles.
    pub(in crate::store) fn make_room_to_relink(&mut self, mut at: At, place: Beside) -> (At, usize) {
        let mut splits = 0;
        loop {
            let spot = self.spot(place);
            let alone = self.slice(at.slice).is_alone(at.row);
            let unlinked = if alone { Unlinked::Slice(at.slice) } else { Unlinked::Rows(at) };
            let rows = if spot.has_choice() { self.unlinked_rows(unlinked) } else { 0 };
            if alone || spot.slice == at.slice || splits == MOST_SPLITS {
                return (at, rows);
            }
            splits += 1;
            let settled = self.settle(spot, rows);
            let (spot, into) = (settled.spot(), matches!(settled, Settled::Into(_)));
            let need = self.slice(at.slice).need_of(at.row);
            if into && (spot.slice == at.slice || self.may_hold(spot.slice, need.rows)) {
                return (at, rows);
            }
            let node = self.handle(at);
            if into && need.rows <= self.config.max_nodes / 4 {
                self.split(spot.slice);
            } else if !self.make_room_for_portal(&self.spot_for_portal(spot)) {
                return (at, rows);
            }
            at = self.resolve(node).expect("rows that move keep their handles");
        }
    }

    /// Puts an unlinked subtree to the spot that `find` returns. `find` is asked again when rows have moved.
    ///
    /// While rows are unlinked their slice must not be rebuilt, which would lose them: it is left as it is wherever
    /// they go.
    pub(in crate::store) fn relink_subtree(&mut self, unlinked: Unlinked, find: impl Fn(&Self) -> Settled) {
        match unlinked {
            Unlinked::Rows(from) => {
                let settled = find(self);
                let spot = settled.spot();
                let into = matches!(settled, Settled::Into(_));
                if into && spot.slice == from.slice {
                    return self.relink_within(from, &spot);
                }
                let need = self.slice(from.slice).need_of(from.row);
                if into && self.may_hold(spot.slice, need.rows) {
                    let spot = self.spot_with_room(spot, &need, &find);
                    self.transplant(from.slice, from.row, &spot, Marks::Set);
                } else {
                    let beside = self.spot_for_portal(spot);
                    let fits = || self.slice(beside.slice).fits_one(&Need::PORTAL, beside.parent);
                    if beside.slice == from.slice && (self.is_among_nodes(&beside) || !fits()) {
                        return self.relink_within(from, &beside);
                    }
                    let slice = self.insert_slice(find, false);
                    self.fill_slice(slice, from);
                }
                self.collapse(from.slice);
            }
            Unlinked::Slice(slice) => {
                let row = self.slice(slice).first_top;
                let small = self.slice(slice).nodes() < self.config.min_nodes as usize;
                let need = if small { self.slice(slice).need_of(row) } else { Need::default() };
                match find(self) {
                    Settled::Into(spot) if small && self.may_hold(spot.slice, need.rows) => {
                        let spot = self.spot_with_room(spot, &need, &find);
                        self.transplant(slice, row, &spot, Marks::Set);
                        self.close_slice(slice);
                    }
                    Settled::Into(_) | Settled::Behind(_) => self.insert_portal_where(find, slice),
                }
            }
        }
    }

    /// Links unlinked rows elsewhere in their slice.
    fn relink_within(&mut self, from: At, spot: &Spot) {
        self.unlinked_from = None;
        let slice = &mut self.slices[from.slice as usize];
        slice.link(from.row, spot);
        slice.misplaced = slice.misplaced.saturating_add(1);
        self.note_relinked(from.slice, from.row);
        self.update_effective_slots(from.slice, from.row);
    }

    /// The spot, found again if the slice had to be rebuilt to hold what it needs, which it may.
    fn spot_with_room(&mut self, spot: Spot, need: &Need, find: impl Fn(&Self) -> Settled) -> Spot {
        if self.make_room_for_all(spot.slice, need) { find(self).spot() } else { spot }
    }

    /// Hangs a slice behind a portal at the spot that `find` returns, or beside the portal of the run that this is in.
    pub(in crate::store) fn insert_portal_where(&mut self, find: impl Fn(&Self) -> Settled, child: u32) {
        let spot = loop {
            let spot = self.spot_for_portal(find(self).spot());
            if !self.make_room_for_portal(&spot) {
                break spot;
            }
        };
        self.insert_portal(&spot, child);
    }

    /// Makes sure that a portal can stand at a spot: in the middle of a run of nodes the run is split there, so that
    /// the portal comes between both parts; `true` if rows may have moved: then the spot is to be found again, and
    /// asked about again.
    pub(in crate::store) fn make_room_for_portal(&mut self, spot: &Spot) -> bool {
        let splits =
            self.is_among_nodes(spot) && self.unlinked_from.is_none() && self.slice(spot.slice).portal != At::NONE;
        if splits && self.split_before(spot.slice, spot.next) {
            return true;
        }
        self.make_room_for_one(spot, &Need::PORTAL)
    }

    /// Whether a spot is between two top rows of a slice that holds nodes.
    fn is_among_nodes(&self, spot: &Spot) -> bool {
        spot.parent == NIL && spot.previous != NIL && spot.next != NIL && !self.holds_portals_alone(spot.slice)
    }

    /// Opens an empty slice behind a portal at the spot that `find` returns: a large one where siblings are being added
    /// one behind the other, which `appends` says.
    pub(in crate::store) fn insert_slice(&mut self, find: impl Fn(&Self) -> Settled, appends: bool) -> u32 {
        let beside = if appends { self.need_beside(&find(self).spot()) } else { None };
        let slice = match beside {
            Some(need) => Slice::with_room(&need),
            None => self.next_slice(),
        };
        let slice = self.open_slice(slice);
        self.insert_portal_where(find, slice);
        slice
    }

    /// How much room to give to a slice that is to stand behind one that is full, which tells that siblings are being
    /// added one behind the other: half of what that has, and all where the one before it is full, too. `None` at other
    /// places.
    fn need_beside(&self, spot: &Spot) -> Option<Need> {
        let full = |row: u32| {
            let child = (row != NIL).then(|| self.row(At { slice: spot.slice, row }).occupant.as_portal())??;
            (!self.may_hold(child, 1)).then_some(child)
        };
        if self.reserved.is_some() {
            return None;
        }
        let child = full(spot.previous)?;
        let again = full(self.row(At { slice: spot.slice, row: spot.previous }).previous).is_some();
        let need = Need::held_by(self.slice(child));
        Some(if again { need } else { need.times(0.5, self.config.max_nodes) })
    }

    /// Moves an unlinked subtree into an empty slice.
    pub(in crate::store) fn fill_slice(&mut self, slice: u32, from: At) {
        let need = self.slice(from.slice).need_of(from.row);
        let grown = self.slice_mut(slice).try_grow_in_place(&need, 1.0, NIL);
        grown.unwrap_or_else(|_| handle_alloc_error(Layout::new::<Row>()));
        self.transplant(from.slice, from.row, &Spot { slice, parent: NIL, previous: NIL, next: NIL }, Marks::Set);
    }
}

impl Slice {
    /// Whether a row is the only top of the slice.
    #[inline]
    pub(in crate::store) fn is_alone(&self, row: u32) -> bool {
        self.first_top == row && self.last_top == row
    }
}
