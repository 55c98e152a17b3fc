//! Maintenance: slices that edits have left small, out of order or sparse.

use crate::store::columns::Storage;
use crate::store::{Capacity, LinearAllocator, Slice, Store};
use core::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;
// Where the standard library has no clock.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
use web_time::Instant;

/// A slice with more than one row in this many out of order is rebuilt.
const DISORDER: u32 = 4;

/// How many edited slices are compared with each other before the worst of them are worked on.
const WINDOW: usize = 64;

/// How much memory a call leaves unused.
#[derive(Clone, Copy, Debug)]
struct Compaction {
    /// A slice with more than this many times the bytes of its live records is rebuilt,
    excess: f32,
    /// if it has this many more besides,
    slack: usize,
    /// at this capacity.
    capacity: Capacity,
}

impl Compaction {
    /// Once a frame: what growth gave a slice is left to it, or the next frame would have to give it again.
    fn easy(expansion_factor: f32) -> Self {
        Self { excess: 1.125 * expansion_factor, slack: 1 << 12, capacity: Capacity::Eased }
    }

    /// Without a limit of time, for a scene that is to rest.
    const STRICT: Self = Self { excess: 1.08, slack: 0, capacity: Capacity::Tight };
}

/// What a call to [`Scene::maintain`](crate::Scene::maintain) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintenance {
    /// How many nodes were freed that [`Scene::remove_later`](crate::Scene::remove_later) had removed.
    pub freed: usize,
    /// How many slices were reconstituted.
    pub reconstituted: usize,
    /// How many small slices were merged with others.
    pub merged: usize,
    /// How many nodes the slices hold that were reconstituted or merged.
    pub nodes: usize,
    /// How many edited slices remain for another call, because the budget was spent.
    pub remaining: usize,
    /// How many slices were looked at: those that were edited, and small ones around them that had nothing to be merged with
    /// before.
    pub looked_at: usize,
}

impl Store {
    /// Frees what was removed, and tidies slices that edits have left small, out of order or sparse, for at most about
    /// `budget`.
    pub(crate) fn maintain(&mut self, budget: Duration) -> Maintenance {
        let compaction = match budget {
            Duration::MAX => Compaction::STRICT,
            _ => Compaction::easy(self.config.expansion_factor),
        };
        let start = Instant::now();
        let in_time = || start.elapsed() < budget;
        let mut done = Maintenance::default();
        while let Some(freed) = self.free_next_pending() {
            done.freed += freed;
            // A slice that holds portals alone is no progress that a caller sees.
            if freed > 0 && !in_time() {
                break;
            }
        }
        if budget == Duration::MAX {
            self.arrange_deep_children();
        }
        let mut window = Vec::new();
        while !self.edited.is_empty() {
            done.looked_at += self.take_worst(compaction, &mut window);
            while let Some((_, number)) = window.pop() {
                self.tidy(number, compaction, &mut done);
                if !in_time() {
                    break;
                }
            }
            // What there was no time for waits in front.
            for (_, number) in window.drain(..) {
                self.slice_mut(number).edited = true;
                self.edited.push_front(number);
            }
            if !in_time() {
                break;
            }
        }
        done.remaining = self.edited.len();
        if budget == Duration::MAX {
            self.drop_scratch();
        }
        done
    }

    /// Rebuilds a slice in depth-first order at its capacity.
    pub(crate) fn reorder(&mut self, slice: u32) {
        self.reconstitute(slice, Capacity::Keep);
    }

    /// Rebuilds every slice in depth-first order at its capacity.
    pub(crate) fn reorder_all(&mut self) {
        let numbers: Vec<u32> = self.slice_numbers().collect();
        for number in numbers {
            self.reorder(number);
        }
    }

    /// Takes the edited slices that wait longest off their list, and those of them that are to be worked on into `window`,
    /// the worst last; lists what waited for a partner around them and has one now. Returns how many slices it looked at.
    fn take_worst(&mut self, compaction: Compaction, window: &mut Vec<(f32, u32)>) -> usize {
        let mut looked_at = 0;
        for _ in 0..WINDOW {
            let Some(number) = self.edited.pop_front() else { break };
            if core::mem::take(&mut self.slice_mut(number).edited) {
                self.slice_mut(number).merge_candidate = false;
                looked_at += 1 + self.list_mergeable_around(number);
                let need = self.need_of_care(number, compaction);
                if need > 1.0 {
                    window.push((need, number));
                }
            }
        }
        window.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        looked_at
    }

    /// How far a slice is beyond what is left alone: above 1 it is to be worked on.
    #[expect(clippy::cast_precision_loss, reason = "a comparison of magnitudes")]
    fn need_of_care(&self, number: u32, compaction: Compaction) -> f32 {
        let slice = self.slice(number);
        let live = slice.row_slots.live();
        let too_small = self.config.min_nodes as f32 / live as f32;
        let disorder = slice.misplaced as f32 * DISORDER as f32 / live as f32;
        let allowed = compaction.slack as f32 + slice.live_bytes() as f32 * compaction.excess;
        too_small.max(disorder).max(slice.capacity_bytes() as f32 / allowed)
    }

    /// Merges or reconstitutes one slice, where it is to be.
    fn tidy(&mut self, number: u32, compaction: Compaction, done: &mut Maintenance) {
        if !self.slice(number).lives {
            return;
        }
        if self.is_small(number) && self.merges(number) {
            if let Some(partner) = self.partner(number) {
                let into = self.merge(number, partner);
                done.merged += 1;
                done.nodes += self.slice(into).nodes();
                return;
            }
            self.list_merge_candidate(number);
        }
        let slice = self.slice(number);
        if slice.is_disordered() || slice.is_wasteful(compaction) {
            done.reconstituted += 1;
            done.nodes += slice.nodes();
            self.reconstitute(number, compaction.capacity);
        }
    }
}

impl Slice {
    fn is_disordered(&self) -> bool {
        self.misplaced > self.row_slots.live() / DISORDER
    }

    #[expect(clippy::cast_precision_loss, reason = "a comparison of magnitudes")]
    fn is_wasteful(&self, compaction: Compaction) -> bool {
        let (live, capacity) = (self.live_bytes(), self.capacity_bytes());
        capacity as f32 > compaction.slack as f32 + live as f32 * compaction.excess
    }

    /// How far the rows are from depth-first order: the share that was put far from its place, at most 1.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub(in crate::store) fn disorder(&self) -> f32 {
        (self.misplaced as f32 / self.row_slots.live().max(1) as f32).min(1.0)
    }

    /// The bytes of all records in use.
    fn live_bytes(&self) -> usize {
        self.record_bytes(LinearAllocator::live)
    }

    /// The bytes of as many records as there is room for.
    fn capacity_bytes(&self) -> usize {
        self.record_bytes(LinearAllocator::capacity)
    }

    fn record_bytes(&self, count: impl Fn(&LinearAllocator) -> u32) -> usize {
        Storage::ALL.iter().map(|storage| count(storage.of(self)) as usize * storage.slot_bytes()).sum()
    }
}
