//! Bringing slices up to date side by side.
//!
//! A slice depends on the one that holds its portal and on no other, so it can be worked on as soon as that is done: no
//! round waits for all slices of one depth. Each slice is computed by one thread in the same way as without threads, so
//! the results are the same to the bit, whatever the number of threads.

use crate::store::sweep::Stamp;
use crate::store::{Slice, Store};
use crate::threads::is_worth_sharing;
use rayon::Scope;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// With fewer rows than this waiting, one thread is done before another has begun.
const WORTH_SHARING: usize = 16_384;
/// A task takes on slices of about this many rows at a time.
const GRAIN: u32 = 2048;

/// All slices, to be taken one by one from many threads.
///
/// A slice is taken by the task of the one above, and when that has let it go by its own: no two threads ever want the same
/// one. The locks are how safe code is told so, for some 20 ns a slice.
struct Shared<'s> {
    slices: Vec<Mutex<&'s mut Slice>>,
    /// The slice that holds the portal of each. Lists of marked children may name slices that have moved elsewhere.
    above: Vec<u32>,
    everything: bool,
    stamp: Stamp,
    /// Slices that were come to, each after the one above.
    swept: Mutex<Vec<u32>>,
}

impl Store {
    /// Brings what waits, and has so many rows, up to date side by side with all below it, if that is much.
    pub(in crate::store) fn share_out(&mut self, everything: bool, pending: &mut Vec<u32>, rows: &mut usize) {
        if pending.len() < 2 || !is_worth_sharing(*rows, WORTH_SHARING) {
            return;
        }
        *rows = 0;
        let stamp = self.stamp();
        let above = self.slices.iter().map(|slice| slice.portal.slice).collect();
        let slices = self.slices.iter_mut().map(Mutex::new).collect();
        let swept = Mutex::new(core::mem::take(&mut self.swept));
        let shared = Shared { slices, above, everything, stamp, swept };
        let waiting = core::mem::take(pending);
        rayon::scope(|scope| shared.spread(scope, waiting));
        self.swept = shared.swept.into_inner().unwrap_or_else(PoisonError::into_inner);
    }

    /// How many rows these slices have.
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

    /// Works on a few slices, and on what is found to wait below them: on a little of it directly, else in other tasks.
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

    /// Does for one slice what `Store::update` does, and tells which slices below have something to do.
    fn bring_up_to_date(&self, number: u32, mut found: impl FnMut(u32, &Slice)) {
        let mut slice = self.lock(number);
        let reached = slice.bring_up_to_date(self.everything, self.stamp);
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
