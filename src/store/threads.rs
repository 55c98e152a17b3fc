//! The sweep on several threads (feature `rayon`).
//!
//! A slice waits for its imports, and in a large tree nearly every slice imports from the slice before it. So the few
//! slots that other slices import, and the slots above these, are computed first, slice by slice. Then each slice is
//! swept by itself. Both steps compute the products that one thread computes, so the bits are the same.

use crate::store::Store;
use crate::store::components::Components;
use crate::store::location::SliceId;
use crate::store::nodes::Nodes;
use crate::store::page::Pages;
use crate::store::row_set::RowSet;
use crate::store::slice::Slice;
use crate::store::state::{Due, Work};
use hedgerow_math::internal::Upcoming;
use hedgerow_math::internal::sharing::{WORTH_SHARING, is_worth_sharing};
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};

impl Store {
    fn locate_all_imports(&mut self) {
        for at in 0..self.slices.order.len() {
            self.locate_imports(self.slices.order[at]);
        }
    }

    /// Returns whether there is enough to compute for several threads: in slices that changed, and in those that import
    /// from slots below dirty ones.
    pub(crate) fn shares_sweep(&mut self) -> bool {
        if !is_worth_sharing(self.nodes.pages.len(), WORTH_SHARING) {
            return false;
        }
        self.locate_all_imports();
        let Self { nodes: Nodes { inbox, .. }, slices, update, .. } = self;
        let scratch = &mut update.scratch;
        let reached = &mut scratch.reached;
        reached.clear();
        reached.resize(slices.end(), false);
        let (mut count, mut slots) = (0, inbox.waiting.len());
        for &number in &slices.order {
            let slice = &slices[number];
            // In the order of slices, so that what reaches a source is known before the slice that imports from it.
            let may = |&source: &SliceId| reached[source.index()] || slices[source].due > Due::Nothing;
            if slice.sources.slices.iter().any(may) {
                reached[number.index()] = slice.sources.locations.iter().any(|location| {
                    let Some(source) = slices.get(location.slice()) else { return false };
                    reached[location.slice().index()]
                        || source.due > Due::Nothing && source.is_below_dirty(location.slot())
                });
            }
            if slice.due > Due::Nothing || slices.head(number).work.has(Work::FREED) || reached[number.index()] {
                count += 1;
                // Where threads begin to pay, most of a slice is computed, so all its slots count.
                slots += slice.slots.records.len();
            }
        }
        (count > 1 || !inbox.waiting.is_empty() || !scratch.moved.is_empty()) && is_worth_sharing(slots, WORTH_SHARING)
    }

    /// Computes the same as the sweep on one thread.
    pub(crate) fn sweep_shared(&mut self) {
        let exports = self.exports();
        let mut swept: Vec<(SliceId, Slice)> = Vec::new();
        for at in 0..self.slices.order.len() {
            let number = self.slices.order[at];
            if !self.prepare(number, false) {
                continue;
            }
            let begin = exports.partition_point(|&(slice, _)| slice < number);
            let exported = exports[begin..].iter().take_while(|&&(slice, _)| slice == number);
            let slice = &mut self.slices[number];
            slice.compute_above(&self.nodes.pages, &self.nodes.components, exported.map(|&(_, slot)| slot));
            slice.swept_in = self.update.clock.updates;
            self.update.clock.swept.push(number);
            // Slices are taken out of the list below, because threads may not share it to write.
            swept.push((number, Slice::default()));
        }
        for (number, slice) in &mut swept {
            // Only now: the loop above reads imports from slices that were prepared before.
            *slice = core::mem::take(&mut self.slices[*number]);
        }
        let Self { nodes: Nodes { pages, components, .. }, .. } = self;
        swept.par_iter_mut().for_each_init(Vec::new, |set, (_, slice)| {
            slice.sweep(pages, components, set, Upcoming::default());
        });
        for (number, slice) in swept {
            self.slices[number] = slice;
        }
    }

    /// Returns the slots that other slices import, sorted by slice.
    fn exports(&mut self) -> Vec<(SliceId, usize)> {
        self.locate_all_imports();
        let locations = self.slices.list().iter().flat_map(|slice| &slice.sources.locations);
        let mut exports: Vec<_> = locations.map(|location| (location.slice(), location.slot())).collect();
        exports.sort_unstable();
        // Sorted by slice, so that each slice finds its own by one search.
        exports.dedup();
        exports
    }
}

impl Slice {
    /// Returns whether the matrix of a slot is computed in the next sweep.
    fn is_below_dirty(&self, mut slot: usize) -> bool {
        while slot >= self.imports.len() && !self.dirty.contains(slot) {
            slot = self.slots.parents[slot] as usize;
        }
        self.dirty.contains(slot)
    }

    /// Computes some slots and the slots above them.
    fn compute_above(&mut self, pages: &Pages, components: &Components, slots: impl Iterator<Item = usize>) {
        let imports = self.imports.len();
        let mut needed = RowSet::EMPTY;
        for mut slot in slots {
            while slot >= imports && !needed.contains(slot) {
                needed.insert(slot);
                slot = self.slots.parents[slot] as usize;
            }
        }
        // In ascending order, so parents come first. The sweep computes the same products again, to the same bits.
        for slot in needed.iter() {
            let id = self.slots.records[slot];
            let local = match components.matrix.get(id) {
                Some(&matrix) => matrix,
                None => pages.record(id).local.to_matrix(),
            };
            self.slots.worlds[slot] = self.slots.worlds[self.slots.parents[slot] as usize] * local;
        }
    }
}
