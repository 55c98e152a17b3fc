//! World matrices that a visitor of slices computes before the update.
//!
//! What was computed so stays marked: the next update computes the whole slice again, so that it sees the results and
//! the values before.

use crate::store::Store;
use crate::store::slice::Slice;
use crate::store::slices::apart;
use hedgerow_math::internal::Upcoming;

/// Lists a slice as computed by a visitor, once.
fn list(slice: &mut Slice, number: u32, ahead: &mut Vec<u32>) {
    if !core::mem::replace(&mut slice.ahead, true) {
        ahead.push(number);
    }
}

impl Store {
    /// Begins a visit: what was set since the update is marked in its slices.
    pub(crate) fn begin_ahead(&mut self) {
        self.rest();
        self.mark_slots();
        let Self { slices, clock, .. } = self;
        for (number, slice) in (0..).zip(&mut slices.slices) {
            if slice.marked {
                list(slice, number, &mut clock.ahead);
            }
        }
    }

    /// Copies what a slice imports from the present state of earlier ones.
    pub(crate) fn import_ahead(&mut self, number: u32) {
        let (slice, others) = apart(&mut self.slices.slices, number);
        // Materials and layers are handed down by updates alone, so they have not changed.
        slice.import(&self.pages, others, |source| source.ahead);
        if slice.marked {
            list(slice, number, &mut self.clock.ahead);
            // Draws of nodes without a transform may have the matrix of an import.
            self.slices.renew(number as usize, &mut self.clock.versions);
        }
    }

    /// Computes the matrices of a slice that are out of date, or all.
    pub(crate) fn propagate_ahead(&mut self, number: u32, everything: bool) {
        let Self { pages, components, slices, scratch, clock, .. } = self;
        let slice = &mut slices.slices[number as usize];
        if everything {
            slice.mark_all();
        }
        if !slice.marked {
            return;
        }
        list(slice, number, &mut clock.ahead);
        slice.sweep(pages, components, &mut scratch.slots, Upcoming::default());
        slices.renew(number as usize, &mut clock.versions);
    }

    /// Has the update that begins compute all of the slices that a visitor computed.
    pub(crate) fn resume_ahead(&mut self) {
        for number in self.clock.ahead.drain(..) {
            let slice = &mut self.slices.slices[number as usize];
            if core::mem::take(&mut slice.ahead) {
                slice.mark_all();
                // Copies of imports may be of before the visit, wherever they are.
                (0..slice.imports.len()).for_each(|import| slice.dirty.insert(import));
            }
        }
    }
}
