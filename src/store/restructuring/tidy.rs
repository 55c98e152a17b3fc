//! Maintenance of slices that edits have left small, out of order or sparse.

use crate::store::columns::Storage;
use crate::store::{Capacity, LinearAllocator, Slice, Store};
use core::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;
// There the standard library has no clock.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
use web_time::Instant;

/// A slice is rebuilt if more than one row in this many is out of order.
const DISORDER: u32 = 4;

/// How many edited slices are compared with each other before the worst of them are tidied.
const WINDOW: usize = 64;

/// How much memory a call leaves unused.
#[derive(Clone, Copy, Debug)]
struct Compaction {
    /// A slice is rebuilt if it has more than this many times the bytes of its live records,
    excess: f32,
    /// and at least this many bytes more;
    slack: usize,
    /// it then gets this capacity.
    capacity: Capacity,
}

impl Compaction {
    /// For every frame: leaves a slice the room that growth gave it, since the next frame would otherwise grow it
    /// again.
    fn easy(expansion_factor: f32) -> Self {
        Self { excess: 1.125 * expansion_factor, slack: 1 << 12, capacity: Capacity::Eased }
    }

    /// Without a time limit, for a scene that will not change for a while.
    const STRICT: Self = Self { excess: 1.08, slack: 0, capacity: Capacity::Tight };
}

/// What a call to [`Scene::maintain`](crate::Scene::maintain) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintenance {
    /// How many nodes removed by [`Scene::remove_later`](crate::Scene::remove_later) were freed.
    pub freed: usize,
    /// How many slices were reconstituted.
    pub reconstituted: usize,
    /// How many small slices were merged with others.
    pub merged: usize,
    /// How many nodes are in the slices that were reconstituted or merged.
    pub nodes: usize,
    /// How many edited slices are left for another call, because the budget was spent.
    pub remaining: usize,
    /// How many slices were checked: those that were edited, and small ones around them that had no partner to merge
    /// with before.
    pub looked_at: usize,
}

impl Store {
    /// Frees what was removed, and tidies slices that edits have left small, out of order or sparse. Takes about
    /// `budget` at most.
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
            // Freeing a slice that holds only portals is no visible progress for the caller.
            if freed > 0 && !in_time() {
                break;
            }
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
            // Slices for which there was no time go to the front.
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

    /// Takes the slices that have waited longest off the list of edited slices, and collects those that need work in
    /// `window`, the worst last. Lists the slices around them that waited for a partner and have one now. Returns how
    /// many slices it checked.
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

    /// How far a slice is beyond the limits; above 1 it needs work.
    #[expect(clippy::cast_precision_loss, reason = "a comparison of magnitudes")]
    fn need_of_care(&self, number: u32, compaction: Compaction) -> f32 {
        let slice = self.slice(number);
        let live = slice.row_slots.live();
        let too_small = self.config.min_nodes as f32 / live as f32;
        let disorder = slice.misplaced as f32 * DISORDER as f32 / live as f32;
        let allowed = compaction.slack as f32 + slice.live_bytes() as f32 * compaction.excess;
        too_small.max(disorder).max(slice.capacity_bytes() as f32 / allowed)
    }

    /// Merges or reconstitutes one slice, if it needs it.
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

    /// How far the rows are from depth-first order: the share placed far from their hint, at most 1.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub(in crate::store) fn disorder(&self) -> f32 {
        (self.misplaced as f32 / self.row_slots.live().max(1) as f32).min(1.0)
    }

    /// The bytes of all records in use.
    fn live_bytes(&self) -> usize {
        self.record_bytes(LinearAllocator::live)
    }

    /// The bytes of all records that there is room for.
    fn capacity_bytes(&self) -> usize {
        self.record_bytes(LinearAllocator::capacity)
    }

    fn record_bytes(&self, count: impl Fn(&LinearAllocator) -> u32) -> usize {
        Storage::ALL.iter().map(|storage| count(storage.of(self)) as usize * storage.slot_bytes()).sum()
    }
}
