//! The update of slices after edits: slice by slice, nodes get rows, then matrices are computed.

use crate::fallible;
use crate::store::assign::Scratch;
use crate::store::columns::Row;
use crate::store::nodes::Nodes;
use crate::store::pending::Pending;
use crate::store::record::Has;
use crate::store::slice::Slice;
use crate::store::state::{Due, Home, Work};
use crate::store::{Store, Update};

impl Store {
    /// Updates all derived data. Runs in O(1) if nothing was edited, else at least in O(slices).
    pub(crate) fn update(&mut self) {
        if !self.is_current() {
            self.run_update(false);
        }
    }

    /// Updates all derived data; with `everything`, computes all world matrices, whether they are out of date or not.
    pub(crate) fn run_update(&mut self, everything: bool) {
        self.update.clock.updates += 1;
        fallible::or_abort(self.update.unsaved.note(&self.nodes));
        self.nodes.pages.take_pending(&mut self.update.scratch.pending);
        self.begin_frame();
        for number in self.update.clock.swept.drain(..) {
            if let Some(slice) = self.slices.get_mut(number) {
                slice.dirty.clear();
            }
        }
        // Before dirty bytes become slots: a reshaped slice has nodes whose transform has no slot yet.
        self.apply_pending();
        self.mark_slots();
        if everything {
            let in_use = self.slices.list_mut().iter_mut().filter(|slice| slice.home != Home::Free);
            in_use.for_each(Slice::mark_all);
        }
        #[cfg(feature = "rayon")]
        let shared = self.shares_sweep();
        #[cfg(not(feature = "rayon"))]
        let shared = false;
        self.assign_and_sweep(shared);
        self.update.clock.is_new = false;
        // Boxes need final matrices, and readers of changes compare them.
        if self.config.bounds {
            self.refresh_boxes();
        }
        self.finish_frame();
        self.update.scratch.end(self.nodes.pages.len());
    }

    /// Returns whether the next update has nothing to do, because there are no edits and all histories are at rest.
    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        self.is_settled() && self.update.feed.as_ref().is_none_or(|feed| feed.is_at_rest())
    }

    /// Returns whether there are no edits since the last update.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        !self.nodes.pages.is_edited() && self.nodes.inbox.is_empty() && !self.slices.edited && !self.update.clock.is_new
    }

    /// Does for each mask that was taken, if the node has a row, what the table of [`Pending`] says. Lists moved nodes.
    fn apply_pending(&mut self) {
        let Self { nodes: Nodes { pages, components, .. }, slices, update: Update { scratch, clock, .. }, .. } = self;
        let Scratch { pending, moved, .. } = scratch;
        let mut reshaped = false;
        for (at, &(id, bits)) in pending.iter().enumerate() {
            if let Some(&(ahead, _)) = pending.get(at + 16) {
                pages.prefetch_record(ahead);
                pages.prefetch_location(ahead);
            }
            let location = pages.location(id);
            if location.as_waiting().is_some() {
                continue;
            }
            if bits.has(Pending::RESHAPED) {
                slices.head_mut(location.slice()).work.add(Work::RESHAPED);
                reshaped = true;
            }
            // A moved node gets another row, which is derived from its record.
            if bits.has(Pending::MOVED) {
                // The row is taken away when all moved nodes are known.
                moved.push(id);
                continue;
            }
            let has = pages.record(id).has;
            let (slice, head) = slices.both_mut(location.slice());
            let row = &mut slice.rows[location.row()];
            row.set_own(has);
            let own_slot = row.is(Row::OWN_TRANSFORM);
            if bits.has(Pending::INHERITED) {
                head.work.add(Work::INHERITS);
            }
            if bits.has(Pending::RECOMPUTED) {
                // The copy in the slice is a transform, and cannot tell whether a matrix changed.
                slice.due = Due::All;
                // A node that got its transform since the update still uses an ancestor's slot.
                if own_slot {
                    slice.set_matrix(location.slot(), has.has(Has::MATRIX));
                }
            }
            if bits.has(Pending::REDRAWN) && slice.redraw(components, location.row(), clock.stamp()) {
                slices.renew(location.slice());
                slices.list_unboxed(location.slice());
            }
        }
        slices.edited |= reshaped;
    }
}
