//! The update of slices after edits: slice by slice, nodes get rows, then matrices are computed.

use crate::store::Store;
use crate::store::slice::Slice;
use crate::store::state::Home;

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
        self.update.scratch.shrink(self.nodes.pages.len());
    }

    /// Returns whether the next update has nothing to do, because there are no edits and all histories are at rest.
    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        self.has_all_edits() && self.update.feed.as_ref().is_none_or(|feed| feed.is_at_rest())
    }

    /// Returns whether there are no edits since the last update.
    #[inline]
    pub(crate) fn has_all_edits(&self) -> bool {
        !self.nodes.pages.is_marked() && self.nodes.inbox.is_empty() && !self.slices.edited && !self.update.clock.is_new
    }
}
