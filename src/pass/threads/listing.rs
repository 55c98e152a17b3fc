//! Lists several slices at a time, each to its own part of the arrays.

use crate::pass::draw::{Listing, Part, Segment};
use crate::store::{DrawEntry, RecordId, SliceView, Store};
use core::sync::atomic::{AtomicBool, Ordering};
use hedgerow_math::internal::sharing::{WORTH_SHARING, is_worth_sharing};
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};

const GRAIN: usize = 4096;

impl Listing {
    /// Does the same as [`Listing::list`]. Returns whether there was enough work to share. If not, nothing was done.
    pub(in crate::pass) fn list_shared(&mut self, store: &Store, layers: u32, segments: &mut [Segment]) -> bool {
        let drawables = segments.iter().map(|segment| store.view(segment.slice).drawables().live());
        if segments.len() < 2 || !is_worth_sharing(drawables.sum(), WORTH_SHARING) {
            return false;
        }
        // Counted first, so that each thread knows its part of the arrays, and the result is that of one thread.
        segments.par_iter_mut().for_each(|segment| segment.len = Self::count(store.view(segment.slice), layers));
        let mut end = 0;
        for segment in &mut *segments {
            segment.start = end;
            end += segment.len;
        }
        self.resize(end, store.nodes.handle(RecordId::ROOT));
        share(self.part(0..end), segments, &|segment| segment.len, &|segment, part| {
            part.fill(store.view(segment.slice), layers);
        });
        true
    }

    /// Does the same as [`Listing::renew`]. Returns `None`, and does nothing, if there is too little work to share.
    pub(in crate::pass) fn renew_shared(
        &mut self,
        store: &Store,
        segments: &mut [Segment],
        stamp: u64,
    ) -> Option<bool> {
        let swept = segments.iter().filter(|segment| segment.is_behind()).map(|segment| segment.len);
        if segments.len() < 2 || !is_worth_sharing(swept.sum(), WORTH_SHARING) {
            return None;
        }
        let changed = AtomicBool::new(false);
        share(self.part(0..self.len()), segments, &|segment| segment.len, &|segment, part| {
            if segment.renew(store, stamp, part) {
                // Only read after all threads have joined.
                changed.store(true, Ordering::Relaxed);
            }
        });
        Some(changed.into_inner())
    }

    pub(in crate::pass) fn list_found(&mut self, store: &Store, mut found: Vec<Vec<(SliceView<'_>, &DrawEntry)>>) {
        let end = found.iter().map(Vec::len).sum();
        self.resize(end, store.nodes.handle(RecordId::ROOT));
        share(self.part(0..end), &mut found, &Vec::len, &|found, part| part.write(found));
    }
}

/// Calls `work` with each item and its part of the entries, several items at a time.
fn share<T: Send>(
    mut places: Part<'_>,
    items: &mut [T],
    len: &(impl Fn(&T) -> usize + Sync),
    work: &(impl Fn(&mut T, Part<'_>) + Sync),
) {
    // Halves the items; rayon balances halves of different lengths.
    if items.len() > 1 && places.len() > GRAIN {
        let (first, last) = items.split_at_mut(items.len() / 2);
        let (left, right) = places.split_at(first.iter().map(len).sum());
        rayon::join(|| share(left, first, len, work), || share(right, last, len, work));
        return;
    }
    for item in items {
        let (part, behind) = places.split_at(len(item));
        work(item, part);
        places = behind;
    }
}
