//! In which slice a newcomer settles.

use crate::slice::row::{At, NIL};
use crate::slice::{Spot, Store};

/// Where nodes go that are to stand at a spot.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Settled {
    /// Into the spot's slice.
    Into(Spot),
    /// Behind a portal at the spot: an independent subtree in a slice of its own.
    Behind(Spot),
}

impl Settled {
    /// The spot, whichever way it is taken.
    pub(crate) fn spot(self) -> Spot {
        let (Self::Into(spot) | Self::Behind(spot)) = self;
        spot
    }
}

impl Spot {
    /// Whether the spot is in a slice's run of top rows or below the root, so that it may be one among several slices.
    #[inline]
    pub(crate) fn has_choice(&self) -> bool {
        self.parent == NIL || self.slice == At::ROOT.slice
    }
}

impl Store {
    /// Decides for `incoming` nodes that are to stand at `spot`.
    ///
    /// Only independent subtrees, that is the children of the root, have a choice. Each gets a slice of its own unless it
    /// is small and a small slice is its neighbour, or it comes between two nodes that share a slice already.
    pub(crate) fn settle(&self, mut spot: Spot, incoming: usize) -> Settled {
        if !spot.has_choice() {
            return Settled::Into(spot);
        }
        let shares = |slice: u32| {
            let small = self.config.min_nodes as usize;
            self.config.share_slices && incoming < small && self.slice(slice).nodes() < small
        };
        while spot.slice != At::ROOT.slice {
            let free_to_leave = spot.parent == NIL && self.run_hangs_from_root(spot.slice);
            if !free_to_leave || shares(spot.slice) || (spot.previous != NIL && spot.next != NIL) {
                return Settled::Into(spot);
            }
            // The spot is an end of the run: the place beside the slice's portal is the same among the siblings.
            let portal = self.slice(spot.slice).portal;
            let at_the_end = spot.next == NIL && spot.previous != NIL;
            spot = if at_the_end { self.spot_after(portal) } else { self.spot_before(portal) };
        }
        self.neighbour_of(&spot).filter(|beside| shares(beside.slice)).map_or(Settled::Behind(spot), Settled::Into)
    }

    /// Where the portal goes for a row that is to leave its slice. For an end of the slice's run that is beside the slice's
    /// own portal, so that portals do not come to lie behind portals without need.
    pub(crate) fn spot_of_portal(&self, at: At) -> Spot {
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

    /// The end of a neighbouring run that touches a spot among the root's portals.
    fn neighbour_of(&self, spot: &Spot) -> Option<Spot> {
        let behind = |row: u32| (row != NIL).then(|| self.row(At { slice: spot.slice, row }).occupant.as_portal())?;
        if let Some(slice) = behind(spot.previous) {
            let last = self.slice(slice).last_top;
            return Some(Spot { slice, parent: NIL, previous: last, next: NIL });
        }
        let slice = behind(spot.next)?;
        Some(Spot { slice, parent: NIL, previous: NIL, next: self.slice(slice).first_top })
    }
}
