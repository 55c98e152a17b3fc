//! Merges slices that have become small with their neighbours.

use crate::store::columns::{At, NIL, Occupant};
use crate::store::restructuring::transplant::Marks;
use crate::store::{Need, Spot, Store};

/// What a small slice can be merged with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Partner {
    /// The slice that holds its portal.
    Above,
    /// The slice whose run of siblings comes directly before its own.
    Before(u32),
    /// The slice whose run of siblings comes directly after its own.
    Behind(u32),
}

impl Store {
    /// Whether a slice is below the minimum size.
    pub(in crate::store) fn is_small(&self, number: u32) -> bool {
        self.slice(number).row_slots.live() < self.config.min_nodes
    }

    /// Whether a slice is merged when it is small. These are not merged: the slice of the root, detached slices, and a single independent subtree or one that reaches into slices of its own.
    pub(in crate::store) fn merges(&self, number: u32) -> bool {
        self.merges_where(number, &|number| self.run_hangs_from_root(number))
    }

    /// Like [`Self::merges`], given a function that returns whether a slice's run is below the root.
    pub(in crate::store) fn merges_where(&self, number: u32, from_root: &impl Fn(u32) -> bool) -> bool {
        let slice = self.slice(number);
        if slice.portal == At::NONE {
            return false;
        }
        slice.children.is_empty() || slice.nodes() == 0 || !from_root(number)
    }

    /// A slice to merge with such that the result is at most three quarters of the greatest size.
    pub(in crate::store) fn partner(&self, number: u32) -> Option<Partner> {
        self.partner_where(number, &|number| self.run_hangs_from_root(number))
    }

    /// Like [`Self::partner`], given a function that returns whether a slice's run is below the root.
    pub(in crate::store) fn partner_where(&self, number: u32, from_root: &impl Fn(u32) -> bool) -> Option<Partner> {
        if !self.merges_where(number, from_root) {
            return None;
        }
        let slice = self.slice(number);
        let At { slice: above, row } = slice.portal;
        let most = self.config.max_nodes / 4 * 3;
        let fits = |other: u32, extra: u32| self.slice(other).row_slots.live() + slice.row_slots.live() <= most + extra;
        let holds_portals_alone = slice.nodes() == 0;
        let links = self.slice(above).row(row);
        let beside = |row: u32| (row != NIL).then(|| self.row(At { slice: above, row }).occupant);
        let [before, behind] = [links.previous, links.next].map(beside);
        // A run of portals takes neither nodes nor portals to slices of another level, so that all its slices are
        // behind equally many portals.
        let alone = before.is_none() && behind.is_none();
        let among_nodes = [before, behind].into_iter().flatten().any(|occupant| occupant.as_node().is_some());
        if (above != At::ROOT.slice || holds_portals_alone) && (alone || among_nodes) && fits(above, 1) {
            return Some(Partner::Above);
        }
        let independent = from_root(number);
        let joins = |occupant: Option<Occupant>| {
            let other = occupant?.as_portal()?;
            let willing = !independent || self.is_small(other);
            let alike = (self.slice(other).nodes() == 0) == holds_portals_alone;
            (willing && alike && fits(other, 0)).then_some(other)
        };
        joins(before).map(Partner::Before).or_else(|| joins(behind).map(Partner::Behind))
    }

    /// Merges a slice with its partner. Handles and the order of siblings stay the same, and what is up to date stays
    /// up to date. Returns the slice that now holds both. Runs in **O(rows of both)**.
    pub(in crate::store) fn merge(&mut self, number: u32, partner: Partner) -> u32 {
        let into = self.join(number, partner);
        self.abandon_slice(number);
        into
    }

    /// Moves all rows of a slice to its partner and leaves the slice empty behind its portal. Returns the partner's
    /// slice.
    pub(in crate::store) fn join(&mut self, number: u32, partner: Partner) -> u32 {
        let into = match partner {
            Partner::Above => self.slice(number).portal.slice,
            Partner::Before(other) | Partner::Behind(other) => other,
        };
        let slice = self.slice(number);
        let first = slice.first_top;
        let mut need = Need::default();
        slice.row_slots.iter().for_each(|row| need.add(slice.row(row)));
        self.make_room_for_all(into, &need);
        let spot = match partner {
            // Rows of the slice above, including the portal, may just have moved.
            Partner::Above => self.spot_after(self.slice(number).portal),
            Partner::Before(_) => Spot { slice: into, parent: NIL, previous: self.slice(into).last_top, next: NIL },
            Partner::Behind(_) => Spot { slice: into, parent: NIL, previous: NIL, next: self.slice(into).first_top },
        };
        self.transplant(number, first, &spot, Marks::Keep);
        into
    }

    /// Merges a slice that a removal has left below half of the minimum size.
    pub(in crate::store) fn merge_if_shrunk(&mut self, number: u32, rows_before: u32) {
        let half = self.config.min_nodes / 2;
        let slice = &self.slices[number as usize];
        let crossed = slice.lives && rows_before >= half && slice.row_slots.live() < half;
        if crossed && let Some(partner) = self.partner(number) {
            self.merge(number, partner);
        }
    }
}
