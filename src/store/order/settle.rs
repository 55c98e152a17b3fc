//! In which slice a newcomer settles.

use crate::store::columns::{At, NIL};
use crate::store::{Slice, Spot, Store};

/// Where nodes go that are to stand at a spot.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) enum Settled {
    /// Into the spot's slice.
    Into(Spot),
    /// Behind a portal at the spot: an independent subtree in a slice of its own.
    Behind(Spot),
}

impl Settled {
    /// The spot, whichever way it is taken.
    pub(in crate::store) fn spot(self) -> Spot {
        let (Self::Into(spot) | Self::Behind(spot)) = self;
        spot
    }
}

impl Slice {
    /// Whether independent subtrees may join those that the slice holds.
    fn takes_neighbours(&self, small: usize) -> bool {
        !self.isolated && self.nodes() < small
    }
}

impl Spot {
    /// Whether the spot is in a slice's run of top rows or below the root, so that it may be one among several slices.
    #[inline]
    pub(in crate::store) fn has_choice(&self) -> bool {
        self.parent == NIL || self.slice == At::ROOT.slice
    }
}

impl Store {
    /// Decides for `incoming` nodes that are to stand at `spot`.
    ///
    /// Only independent subtrees, that is the children of the root, have a choice. Each gets a slice of its own unless it
    /// is small and a small slice is its neighbour, or it comes between two nodes that share a slice already. Nothing joins
    /// an isolated subtree.
    pub(in crate::store) fn settle(&self, mut spot: Spot, incoming: usize) -> Settled {
        if !spot.has_choice() {
            return Settled::Into(spot);
        }
        if let Some(beside) = self.beside_full(&spot) {
            return Settled::Behind(beside);
        }
        let small = self.config.min_nodes as usize;
        let shares =
            |slice: u32| self.config.share_slices && incoming < small && self.slice(slice).takes_neighbours(small);
        while spot.slice != At::ROOT.slice {
            if spot.parent == NIL && self.slice(spot.slice).isolated {
                // One node is all that an isolated slice has at its top, so the spot is an end of the run.
                spot = self.spot_beside_portal(&spot);
                continue;
            }
            if spot.parent != NIL || !self.run_hangs_from_root(spot.slice) {
                return Settled::Into(spot);
            }
            let [before, behind] = [spot.previous, spot.next].map(|row| self.is_node(spot.slice, row));
            if (before && behind) || ((before || behind) && shares(spot.slice)) {
                return Settled::Into(spot);
            }
            if spot.previous != NIL && spot.next != NIL {
                break;
            }
            spot = self.spot_beside_portal(&spot);
        }
        self.neighbour_of(&spot).filter(|beside| shares(beside.slice)).map_or(Settled::Behind(spot), Settled::Into)
    }

    /// For the end of a chain of siblings whose last slice is full, the spot behind that slice's portal: who adds one sibling behind
    /// the other fills slice after slice, and none of them is split. Not where other siblings follow, which would have a slice
    /// each for nodes that come between them.
    pub(in crate::store) fn beside_full(&self, spot: &Spot) -> Option<Spot> {
        let slice = self.slice(spot.slice);
        let ends = spot.parent == NIL && spot.next == NIL && spot.previous != NIL && slice.portal != At::NONE;
        if !ends || slice.isolated || self.may_hold(spot.slice, 1) || self.floats_from == Some(spot.slice) {
            return None;
        }
        let mut portal = slice.portal;
        loop {
            let row = self.row(portal);
            if row.next != NIL {
                return None;
            }
            if row.parent != NIL {
                // Independent subtrees, the root's children, are no run that is being filled.
                return (portal.slice != At::ROOT.slice).then(|| self.spot_after(slice.portal));
            }
            portal = self.slice(portal.slice).portal;
            if portal == At::NONE {
                return None;
            }
        }
    }

    /// The spot beside a slice's portal, for one that is an end of the slice's run: among the siblings it is the same place.
    fn spot_beside_portal(&self, spot: &Spot) -> Spot {
        let portal = self.slice(spot.slice).portal;
        let at_the_end = spot.next == NIL && spot.previous != NIL;
        if at_the_end { self.spot_after(portal) } else { self.spot_before(portal) }
    }

    /// Whether there is a row, and a node at it.
    fn is_node(&self, slice: u32, row: u32) -> bool {
        row != NIL && self.row(At { slice, row }).occupant.as_node().is_some()
    }

    /// Where the portal goes for a row that is to leave its slice. For an end of the slice's run that is beside the slice's
    /// own portal, so that portals do not come to lie behind portals without need.
    pub(in crate::store) fn spot_of_portal(&self, at: At) -> Spot {
        let mut spot = self.slice(at.slice).spot_of(at.slice, at.row);
        while spot.parent == NIL && (spot.previous == NIL || spot.next == NIL) {
            let (portal, first) = (self.slice(spot.slice).portal, spot.previous == NIL);
            if portal == At::NONE {
                break;
            }
            spot = if first { self.spot_before(portal) } else { self.spot_after(portal) };
        }
        spot
    }

    /// The end of a neighbouring run of nodes that touches a spot among portals.
    fn neighbour_of(&self, spot: &Spot) -> Option<Spot> {
        let end = |row: u32, node: fn(&Self, At) -> At| {
            let At { slice, row } = (row != NIL).then(|| node(self, At { slice: spot.slice, row }))?;
            (slice != spot.slice).then_some((slice, row))
        };
        if let Some((slice, last)) = end(spot.previous, Self::enter_last) {
            return Some(Spot { slice, parent: NIL, previous: last, next: NIL });
        }
        let (slice, first) = end(spot.next, Self::enter_first)?;
        Some(Spot { slice, parent: NIL, previous: NIL, next: first })
    }
}
