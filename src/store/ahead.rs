//! World matrices that a visitor of slices computes before the update.
//!
//! Visited slices stay marked, so the next update computes them completely, to compare the results with earlier ones.

use crate::store::Store;
use crate::store::slice::Slice;
use crate::store::slices::apart;
use hedgerow_math::internal::Upcoming;

/// Adds a slice to the list of slices that a visitor computed, unless it is already listed.
fn list(slice: &mut Slice, number: u32, ahead: &mut Vec<u32>) {
    if !core::mem::replace(&mut slice.ahead, true) {
        ahead.push(number);
    }
}

impl Store {
    /// Begins a visit: in each slice, marks the local transforms that were set since the update.
    pub(crate) fn begin_ahead(&mut self) {
        self.rest();
        self.mark_slots(None);
        let Self { slices, clock, .. } = self;
        for (number, slice) in (0..).zip(&mut slices.slices) {
            if slice.marked {
                list(slice, number, &mut clock.ahead);
            }
        }
    }

    /// Copies a slice's imports from the present state of earlier slices.
    pub(crate) fn import_ahead(&mut self, number: u32) {
        self.find_sources(number);
        let (slice, others) = apart(&mut self.slices.slices, number);
        // Only updates hand down materials and layers, so these have not changed.
        slice.import(&self.pages, others, |source, _| source.ahead);
        if slice.marked {
            list(slice, number, &mut self.clock.ahead);
            // A draw of a node without a transform may use the matrix of an import.
            self.slices.renew(number as usize, &mut self.clock.versions);
        }
    }

    /// Computes the matrices of a slice that are out of date, or all matrices if `everything` is set.
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

    /// Makes the new update recompute all slices that a visitor computed.
    pub(crate) fn resume_ahead(&mut self) {
        for number in self.clock.ahead.drain(..) {
            let slice = &mut self.slices.slices[number as usize];
            if core::mem::take(&mut slice.ahead) {
                slice.mark_all();
                // Copies of imports, in any slice, may be older than the visit.
                (0..slice.imports.len()).for_each(|import| slice.dirty.insert(import));
            }
        }
    }
}
