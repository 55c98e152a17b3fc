//! Updates slices in parallel.
//!
//! A slice depends only on the slice that holds its portal, so it can be updated as soon as that one is done. No round
//! waits for all slices of one depth. Each slice is computed by one thread in the same way as without threads, so the
//! results are identical to the bit for any number of threads.

use crate::store::sweep::Stamp;
use crate::store::{Slice, Store};
use crate::threads::is_worth_sharing;
use hedgerow_math::internal::Upcoming;
use rayon::Scope;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// With fewer waiting rows than this, one thread finishes before another has started.
const WORTH_SHARING: usize = 16_384;
/// A slice that waits is as much work as this many rows.
const SLICE: usize = 16;
/// To share out a slice of the scene, whether it waits or not, costs as much as this many rows.
const SHARED: usize = 4;
/// A task processes slices with about this many rows at a time.
const GRAIN: u32 = 2048;

/// All slices, to be taken one by one by many threads.
///
/// A slice is locked by the task of the one above, and after that is released by its own task, so no two threads ever
/// want the same slice. The locks are uncontended; they satisfy the borrow checker, for some 20 ns a slice.
struct Shared<'s> {
    slices: Vec<Mutex<&'s mut Slice>>,
    /// For each slice, the one that holds its portal. Lists of marked children may name slices that have moved
    /// elsewhere.
    above: Vec<u32>,
    stamp: Stamp,
    /// Slices that were visited, each after the one above.
    swept: Mutex<Vec<u32>>,
}

impl Store {
    /// Updates the waiting slices, which have this many rows, and all below them in parallel, if that is enough work:
    /// for threads to start, and beside what is prepared for each slice of the scene.
    pub(in crate::store) fn share_out(&mut self, pending: &mut Vec<u32>, rows: &mut usize) {
        let prepares_little = SHARED * self.slices.len() <= *rows + SLICE * pending.len();
        if pending.len() < 2 || !prepares_little || !is_worth_sharing(*rows, WORTH_SHARING) {
            return;
        }
        *rows = 0;
        let stamp = self.stamp();
        let above = self.slices.iter().map(|slice| slice.portal.slice).collect();
        let slices = self.slices.iter_mut().map(Mutex::new).collect();
        let swept = Mutex::new(core::mem::take(&mut self.swept));
        let shared = Shared { slices, above, stamp, swept };
        let waiting = core::mem::take(pending);
        rayon::scope(|scope| shared.spread(scope, waiting));
        self.swept = shared.swept.into_inner().unwrap_or_else(PoisonError::into_inner);
    }

    /// The total number of rows of these slices.
    pub(in crate::store) fn rows_of(&self, slices: &[u32]) -> usize {
        slices.iter().map(|&slice| self.slice(slice).row_slots.live() as usize).sum()
    }
}

impl<'s> Shared<'s> {
    fn lock(&self, number: u32) -> MutexGuard<'_, &'s mut Slice> {
        self.slices[number as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a task for every few slices that wait.
    fn spread<'a>(&'a self, scope: &Scope<'a>, waiting: Vec<u32>) {
        let mut batch = Vec::new();
        let mut rows = 0;
        for number in waiting {
            rows += self.lock(number).row_slots.live();
            batch.push(number);
            if rows >= GRAIN {
                rows = 0;
                let batch = core::mem::take(&mut batch);
                scope.spawn(|scope| self.run(scope, batch));
            }
        }
        if !batch.is_empty() {
            scope.spawn(|scope| self.run(scope, batch));
        }
    }

    /// Updates a few slices, and then the waiting slices found below them: a few of them directly, the others in new
    /// tasks.
    fn run<'a>(&'a self, scope: &Scope<'a>, mut pending: Vec<u32>) {
        while let Some(number) = pending.pop() {
            let mut below = Vec::new();
            let mut rows = 0;
            self.bring_up_to_date(number, |child, slice| {
                below.push(child);
                rows += slice.row_slots.live();
            });
            if rows >= GRAIN && below.len() > 1 {
                self.spread(scope, below);
            } else {
                pending.append(&mut below);
            }
        }
    }

    /// Does for one slice what `Store::update` does, and reports which slices below have work to do.
    fn bring_up_to_date(&self, number: u32, mut found: impl FnMut(u32, &Slice)) {
        let mut slice = self.lock(number);
        let reached = slice.bring_up_to_date(self.stamp, Upcoming::default());
        self.swept.lock().unwrap_or_else(PoisonError::into_inner).push(number);
        let candidates = if reached { &slice.children } else { &slice.marked_children };
        for &child in candidates.iter().rev() {
            if self.above.get(child as usize) != Some(&number) {
                continue;
            }
            let mut below = self.lock(child);
            if (reached || below.marked) && below.join_update(&slice) {
                found(child, &below);
            }
        }
        slice.marked_children.clear();
    }
}
