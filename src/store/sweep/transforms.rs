//! The sweep of a transform column: `world[i] = world[parent[i]] * local[i]`, parents first.

use crate::store::columns::{NIL, TransformColumn};
use hedgerow_math::internal as simd;

/// With more than one slot in so many dirty, all are computed, eight at a time.
const MANY: usize = 10;

impl TransformColumn {
    /// Computes what is dirty and what hangs below it, and turns the marks into the record of what was swept. Returns
    /// whether that reached a slot that some portal finds effective.
    pub(super) fn sweep(&mut self, everything: bool) -> bool {
        if everything {
            self.mark_all();
        }
        if self.first_dirty == NIL {
            return false;
        }
        self.swept.all = self.compute();
        self.first_dirty = NIL;
        self.marks = 0;
        core::mem::swap(&mut self.dirty, &mut self.swept.slots);
        self.dirty.clear();
        self.swept.all || self.swept.slots.intersects(&self.portal_slots)
    }

    /// Computes what is dirty and what hangs below it, to which the marks spread. Returns whether it computed all there is
    /// from the first dirty slot on instead: where many are dirty that takes less, and from slot 0, the base, every slot
    /// hangs in the end.
    pub(in crate::store) fn compute(&mut self) -> bool {
        let first = self.first_dirty;
        if first == NIL {
            return false;
        }
        let end = self.slots.end() as usize;
        let may_be_many = self.marks as usize * MANY >= end;
        let all = first == 0 || (may_be_many && self.dirty.count() * MANY >= end);
        if all {
            self.compute_from(first.max(1));
        } else {
            self.compute_dirty(first);
        }
        all
    }

    /// Computes what is dirty, and what hangs below it, ahead of the update, which is to see all of it: it stays marked, by
    /// slots of its own, or by the base where all were computed. So marks can be carried to another slice slot by slot.
    /// Returns whether there was anything to compute.
    pub(in crate::store) fn compute_ahead(&mut self) -> bool {
        if self.first_dirty == NIL {
            return false;
        }
        if self.compute() {
            self.mark_all();
        }
        true
    }

    /// Computes every slot from one on; sheared locals one by one, what lies between them in runs.
    fn compute_from(&mut self, first: u32) {
        let Self { locals, parents, worlds, sheared, .. } = self;
        let mut from = first as usize;
        for (slot, matrix) in sheared.iter_from(first) {
            let slot = slot as usize;
            simd::propagate(locals, parents, worlds, from..slot);
            worlds[slot] = worlds[parents[slot] as usize] * *matrix;
            from = slot + 1;
        }
        let end = worlds.len();
        simd::propagate(locals, parents, worlds, from.min(end)..end);
    }

    /// Computes the dirty slots from `first` on, and those whose parent changed: a changed slot becomes dirty itself, and
    /// its bit is final before its children look at it.
    fn compute_dirty(&mut self, first: u32) {
        let Self { locals, parents, worlds, sheared, dirty, slots, .. } = self;
        let dirty = dirty.words_for(slots.end());
        // From a multiple of eight: that many are looked at in one go.
        let mut from = first as usize / 8 * 8;
        for (slot, matrix) in sheared.iter_from(first) {
            let (slot, parent) = (slot as usize, parents[slot as usize] as usize);
            simd::propagate_dirty(locals, parents, worlds, dirty, from..slot);
            let bit = |slot: usize| dirty[slot / 64] >> (slot % 64) & 1;
            if bit(slot) | bit(parent) != 0 {
                dirty[slot / 64] |= 1 << (slot % 64);
                worlds[slot] = worlds[parent] * *matrix;
            }
            from = slot + 1;
        }
        // What was dirty first may be gone, and the end before it.
        let end = worlds.len();
        simd::propagate_dirty(locals, parents, worlds, dirty, from.min(end)..end);
    }
}
