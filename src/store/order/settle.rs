//! Decides in which slice a new node settles.

use crate::store::columns::{At, NIL};
use crate::store::{Spot, Store};

/// Where new nodes at a spot go.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) enum Settled {
    /// Into the spot's slice.
    Into(Spot),
    /// Behind a portal at the spot, as an independent subtree in a slice of its own.
    Behind(Spot),
}

impl Settled {
    /// The spot, in either case.
    pub(in crate::store) fn spot(self) -> Spot {
        let (Self::Into(spot) | Self::Behind(spot)) = self;
        spot
    }
}

impl Spot {
    /// Whether the spot is in a slice's run of top rows or below the root, so that several slices may be possible.
    #[inline]
    pub(in crate::store) fn has_choice(&self) -> bool {
        self.parent == NIL || self.slice == At::ROOT.slice
    }
}

impl Store {
    /// Decides for `incoming` nodes at `spot`.
    ///
    /// Only independent subtrees, that is the children of the root, have a choice. Each gets a slice of its own, with
    /// two exceptions: it is small and next to a small slice, or it comes between two nodes that share a slice.
    pub(in crate::store) fn settle(&self, mut spot: Spot, incoming: usize) -> Settled {
        if !spot.has_choice() {
            return Settled::Into(spot);
        }
        if let Some(beside) = self.beside_full(&spot) {
            return Settled::Behind(beside);
        }
        let small = self.config.min_nodes as usize;
        let shares = |slice: u32| incoming < small && self.slice(slice).nodes() < small;
        let independent = spot.slice == At::ROOT.slice || (spot.parent == NIL && self.run_hangs_from_root(spot.slice));
        if !independent {
            return self.settle_among_siblings(spot);
        }
        // Up to the run that contains the portal, and no further: all slices of a run of portals stay at one level.
        while !self.holds_portals_alone(spot.slice) {
            let [before, behind] = [spot.previous, spot.next].map(|row| self.is_node(spot.slice, row));
            if (before && behind) || ((before || behind) && shares(spot.slice)) {
                return Settled::Into(spot);
            }
            if spot.previous != NIL && spot.next != NIL {
                break;
            }
            spot = self.spot_beside_portal(&spot);
        }
        let mut neighbours = self.neighbours_of(&spot);
        neighbours.find(|beside| shares(beside.slice)).map_or(Settled::Behind(spot), Settled::Into)
    }

    /// Decides for nodes at a spot that is not among independent subtrees.
    ///
    /// If there are only portals around the spot, nodes join the nearest run: a run of portals takes no nodes.
    fn settle_among_siblings(&self, spot: Spot) -> Settled {
        let beside_node = [spot.previous, spot.next].into_iter().any(|row| self.is_node(spot.slice, row));
        if beside_node || spot.previous == spot.next {
            return Settled::Into(spot);
        }
        if let Some(beside) = self.neighbours_of(&spot).next() {
            return Settled::Into(beside);
        }
        if self.holds_portals_alone(spot.slice) { Settled::Behind(spot) } else { Settled::Into(spot) }
    }

    /// At the end of a chain of siblings whose last slice is full, returns the spot after that slice's portal. So
    /// appending siblings one by one fills slice after slice, and none is split. Does not apply if other siblings
    /// follow: nodes inserted between siblings would each get a slice.
    pub(in crate::store) fn beside_full(&self, spot: &Spot) -> Option<Spot> {
        let slice = self.slice(spot.slice);
        let ends = spot.parent == NIL && spot.next == NIL && spot.previous != NIL && slice.portal != At::NONE;
        if !ends || self.may_hold(spot.slice, 1) || self.unlinked_from == Some(spot.slice) {
            return None;
        }
        let mut portal = slice.portal;
        loop {
            let row = self.row(portal);
            if row.next != NIL {
                return None;
            }
            if row.parent != NIL {
                // Independent subtrees, the root's children, are not a run that is being filled.
                return (portal.slice != At::ROOT.slice).then(|| self.spot_after(slice.portal));
            }
            portal = self.slice(portal.slice).portal;
            if portal == At::NONE {
                return None;
            }
        }
    }

    /// The spot beside a slice's portal, for a spot at an end of the slice's run: both are the same place among the
    /// siblings.
    fn spot_beside_portal(&self, spot: &Spot) -> Spot {
        let portal = self.slice(spot.slice).portal;
        let at_the_end = spot.next == NIL && spot.previous != NIL;
        if at_the_end { self.spot_after(portal) } else { self.spot_before(portal) }
    }

    /// Whether the row exists and holds a node.
    fn is_node(&self, slice: u32, row: u32) -> bool {
        row != NIL && self.row(At { slice, row }).occupant.as_node().is_some()
    }

    /// Whether a slice holds only portals, or only the root and portals.
    #[inline]
    pub(in crate::store) fn holds_portals_alone(&self, slice: u32) -> bool {
        slice == At::ROOT.slice || self.slice(slice).nodes() == 0
    }

    /// Where the portal of a slice goes that is to stand at a spot. For an end of a slice's run of nodes, this is
    /// beside the slice's own portal, so that runs lie side by side and do not nest.
    pub(in crate::store) fn spot_for_portal(&self, mut spot: Spot) -> Spot {
        while spot.parent == NIL && (spot.previous == NIL || spot.next == NIL) {
            if self.holds_portals_alone(spot.slice) || self.slice(spot.slice).portal == At::NONE {
                break;
            }
            spot = self.spot_beside_portal(&spot);
        }
        spot
    }

    /// The ends of the runs of nodes next to a spot among portals: of the run before and of the run after.
    fn neighbours_of(&self, spot: &Spot) -> impl Iterator<Item = Spot> {
        let Spot { slice, previous, next, .. } = *spot;
        let end = |row: u32, node: fn(&Self, At) -> At| {
            let end = (row != NIL).then(|| node(self, At { slice, row }))?;
            (end.slice != slice).then_some(end)
        };
        let before = end(previous, Self::enter_last);
        let before = before.map(|last| Spot { slice: last.slice, parent: NIL, previous: last.row, next: NIL });
        let behind = end(next, Self::enter_first);
        let behind = behind.map(|first| Spot { slice: first.slice, parent: NIL, previous: NIL, next: first.row });
        before.into_iter().chain(behind)
    }
}
