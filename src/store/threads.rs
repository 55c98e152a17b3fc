//! The sweep on several threads (feature `rayon`).
//!
//! A slice waits for its imports, and in a large tree nearly every slice imports from the slice before it. So the few
//! slots that other slices import, and the slots above these, are computed first, slice by slice. Then each slice is
//! swept by itself. Both steps compute the products that one thread computes, so the bits are the same.

use crate::store::Store;
use crate::store::components::Components;
use crate::store::page::Pages;
use crate::store::rows::RowSet;
use crate::store::slice::Slice;
use crate::store::slices::Slices;
use crate::threads::is_worth_sharing;
use hedgerow_math::internal::Upcoming;
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};

/// With fewer slots in dirty slices, one thread finishes before another has started.
const WORTH_SHARING: usize = 16_384;

impl Store {
    /// Returns whether there is enough to compute for several threads.
    pub(crate) fn shares_sweep(&self) -> bool {
        let Slices { slices, heads, .. } = &self.slices;
        let changed = slices.iter().zip(heads).filter(|(slice, head)| slice.marked || head.killed);
        let (count, slots) = changed.fold((0, self.waiting.unplaced.len()), |(count, slots), (slice, _)| {
            (count + 1, slots + slice.slots.records.len())
        });
        (count > 1 || !self.waiting.is_empty()) && is_worth_sharing(slots, WORTH_SHARING)
    }

    /// Computes the same as the sweep on one thread.
    pub(crate) fn sweep_shared(&mut self) {
        let exports = self.exports();
        let mut swept: Vec<(u32, Slice)> = Vec::new();
        for at in 0..self.slices.order.len() {
            let number = self.slices.order[at];
            if !self.prepare(number) {
                continue;
            }
            let begin = exports.partition_point(|&(slice, _)| slice < number);
            let exported = exports[begin..].iter().take_while(|&&(slice, _)| slice == number).map(|&(_, slot)| slot);
            let slice = &mut self.slices.slices[number as usize];
            slice.compute_above(&self.pages, &self.components, exported);
            slice.swept_in = self.clock.updates;
            self.clock.swept.push(number);
            swept.push((number, Slice::default()));
        }
        for (number, slice) in &mut swept {
            *slice = core::mem::take(&mut self.slices.slices[*number as usize]);
        }
        let Self { pages, components, .. } = self;
        swept.par_iter_mut().for_each_init(Vec::new, |set, (_, slice)| {
            slice.sweep(pages, components, set, Upcoming::default());
        });
        for (number, slice) in swept {
            self.slices.slices[number as usize] = slice;
        }
    }

    /// Returns the slots that other slices import, sorted by slice.
    fn exports(&self) -> Vec<(u32, u16)> {
        let imports = self.slices.slices.iter().flat_map(|slice| slice.imports.iter().flatten());
        let slot = |&handle| {
            let spot = self.pages.spot(self.pages.resolve(handle)?);
            let (_, row) = self.slices.row(spot)?;
            Some((u32::try_from(spot.slice()).ok()?, row.slot))
        };
        let mut exports: Vec<(u32, u16)> = imports.filter_map(slot).collect();
        exports.sort_unstable();
        exports.dedup();
        exports
    }
}

impl Slice {
    /// Computes some slots and the slots above them.
    fn compute_above(&mut self, pages: &Pages, components: &Components, slots: impl Iterator<Item = u16>) {
        let imports = self.imports.len();
        let mut needed = RowSet::EMPTY;
        for slot in slots {
            let mut slot = usize::from(slot);
            while slot >= imports && !needed.contains(slot) {
                needed.insert(slot);
                slot = self.slots.parents[slot] as usize;
            }
        }
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
