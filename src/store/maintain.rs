//! Maintenance of slices that updates have left sparse or small.
//!
//! With a limit, only slices that changed since their last maintenance are candidates, so an unchanged scene costs
//! nothing.

use crate::store::location::SliceId;
use crate::store::slice::Slice;
use crate::store::slices::{Reorder, Slices};
use crate::store::state::{Due, Home};
use crate::store::{RowSet, Store, Update};
use smallvec::SmallVec;

/// The work done by a call to [`Scene::maintain`](crate::Scene::maintain).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintenance {
    /// The number of slices that were reconstituted.
    pub reconstituted: usize,
    /// The number of small slices that were merged with others.
    pub merged: usize,
    /// The number of nodes in the slices that were reconstituted or merged.
    pub nodes: usize,
    /// The number of slices left for later, because the limit was reached or edits followed the last update.
    pub remaining: usize,
}

/// A slice is reconstituted if more than 1/4 of its rows, slots or drawables are unused, or more than 1/16 if there is
/// no limit. Without a limit, the spare room of columns is also reduced to 1/16.
const SPARSE: [usize; 2] = [4, 16];

/// Slices that follow each other in the order and become one slice.
struct Task {
    /// The priority: a thousand for each slice to merge, or, for a sparse slice, its unused places per thousand.
    need: usize,
    slices: SmallVec<[SliceId; 4]>,
}

impl Store {
    /// Merges small slices and reconstitutes sparse ones, the worst first, until these have so many nodes. Does
    /// nothing if there are edits since the last update. Matrices and reported changes stay the same.
    pub(crate) fn maintain(&mut self, nodes: usize) -> Maintenance {
        if nodes < usize::MAX || !self.is_settled() {
            return self.maintain_listed(nodes);
        }
        let mut all = Maintenance::default();
        loop {
            // Calls with a limit passed over slices that were sparse enough for this one, and merged slices, without
            // holes, may leave room for the next.
            (0..self.slices.order.len()).for_each(|at| self.slices.list_untidy(self.slices.order[at]));
            let done = self.maintain_listed(nodes);
            if done.merged + done.reconstituted == 0 {
                return all;
            }
            all.reconstituted += done.reconstituted;
            all.merged += done.merged;
            all.nodes += done.nodes;
        }
    }

    /// Maintains the slices that are listed.
    fn maintain_listed(&mut self, nodes: usize) -> Maintenance {
        let mut done = Maintenance { remaining: self.slices.untidy.len(), ..Maintenance::default() };
        if done.remaining == 0 || !self.is_settled() {
            return done;
        }
        let parts = SPARSE[usize::from(nodes == usize::MAX)];
        let candidates = core::mem::take(&mut self.slices.untidy);
        let mut tasks = self.slices.joins(&candidates);
        let joined: Vec<_> = tasks.iter().flat_map(|task| task.slices.iter().copied()).collect();
        tasks.extend(self.slices.sparse(&candidates, &joined, parts));
        // Stable, so that the result is the same with every standard library.
        tasks.sort_by_key(|task| task.need);
        let mut reorder = Reorder::default();
        while let Some(Task { slices, .. }) = tasks.pop() {
            done.nodes += self.make_one(&slices, &mut reorder);
            match slices.len() {
                1 => done.reconstituted += 1,
                count => done.merged += count,
            }
            if done.nodes >= nodes {
                break;
            }
        }
        self.slices.apply(reorder);
        if self.config.bounds {
            // Boxes of slices that the last sweep computed are up to date.
            let swept = core::mem::take(&mut self.update.clock.swept);
            self.refresh_boxes();
            self.update.clock.swept = swept;
        }
        if nodes == usize::MAX {
            for &number in &candidates {
                self.slices[number].shrink(parts);
            }
        }
        // Rebuilt slices have been listed again meanwhile.
        for number in candidates.into_iter().chain(core::mem::take(&mut self.slices.untidy)) {
            self.slices.is_untidy[number.index()] = false;
        }
        for number in tasks.into_iter().flat_map(|task| task.slices) {
            self.slices.list_untidy(number);
        }
        done.remaining = self.slices.untidy.len();
        done
    }

    /// Merges slices into one. Returns the number of its nodes.
    fn make_one(&mut self, slices: &[SliceId], reorder: &mut Reorder) -> usize {
        let is_swept = |slice: &Slice| slice.dirty != RowSet::EMPTY;
        let Some(&number) = slices.first() else { return 0 };
        let was_swept = is_swept(&self.slices[number]);
        let mut sort = core::mem::take(&mut self.update.scratch.sort);
        self.reconstitute(slices, &[], false, &mut sort, reorder);
        self.update.scratch.sort = sort;
        // The results of the last sweep are not computed again, but its slots stay known until the next sweep.
        let slice = &mut self.slices[number];
        slice.due = Due::Nothing;
        if is_swept(slice) && !was_swept {
            self.update.clock.swept.push(number);
        }
        self.slices.head(number).live as usize
    }

    /// Frees all unused memory, after [`Self::maintain`].
    pub(crate) fn shrink_to_fit(&mut self) {
        self.maintain(usize::MAX);
        self.update.scratch = crate::store::Scratch::default();
        self.nodes.shrink();
        let Self { slices, update: Update { clock, .. }, .. } = self;
        slices.shrink();
        clock.swept.retain(|id| id.index() < slices.end());
        clock.swept.shrink_to_fit();
    }
}

/// Candidates for maintenance.
impl Slices {
    /// Returns neighbours to merge, which leave room in one slice; of two adjacent ones, one is small, one a candidate.
    fn joins(&self, candidates: &[SliceId]) -> Vec<Task> {
        let small = |number: SliceId| self.is_small(number);
        let mut tasks = Vec::new();
        let mut group: SmallVec<[SliceId; 4]> = SmallVec::new();
        let mut rows = 0;
        let mut close = |group: &mut SmallVec<[SliceId; 4]>| {
            let slices = core::mem::take(group);
            if slices.len() > 1 {
                tasks.push(Task { need: 1000 * slices.len(), slices });
            }
        };
        // A candidate that ended is not in the order.
        let near = candidates.iter().any(|&number| self[number].home != Home::Free);
        for &number in self.order.iter().filter(|_| near) {
            let with_last = group.last().is_some_and(|&last| {
                let listed = self.is_untidy[last.index()] || self.is_untidy[number.index()];
                let same = self[last].home == self[number].home;
                listed && same && (small(last) || small(number))
            });
            if !with_last || !self.leaves_room(rows + self.rows_of(number)) {
                close(&mut group);
                rows = 0;
            }
            group.push(number);
            rows += self.rows_of(number);
        }
        close(&mut group);
        tasks
    }

    /// Returns candidates to reconstitute, in which more than 1/`parts` of the places of a column are unused. Leaves
    /// out slices in `joined`, which are merged in any case.
    fn sparse(&self, candidates: &[SliceId], joined: &[SliceId], parts: usize) -> Vec<Task> {
        let joined: std::collections::HashSet<_> = joined.iter().copied().collect();
        let of = |&number: &SliceId| {
            let slice = &self[number];
            let lengths = [slice.rows.len(), slice.slots.records.len(), slice.drawables.records.len()];
            let share =
                |(unused, length): (usize, usize)| if unused * parts > length { unused * 1000 / length } else { 0 };
            let need = slice.unused().into_iter().zip(lengths).map(share).max().unwrap_or(0);
            (need > 0 && !joined.contains(&number)).then(|| Task { need, slices: [number].into_iter().collect() })
        };
        candidates.iter().filter_map(of).collect()
    }
}
