//! The sweep of a transform column: `world[i] = world[parent[i]] * local[i]`, parents first.

use crate::store::columns::TransformColumn;
use hedgerow_math::internal::{self as simd, Upcoming};

/// If more than one slot in this many is dirty, all are computed, eight or sixteen at a time.
const MANY: usize = 10;

/// What a sweep computes.
#[derive(Clone, Copy, Debug)]
enum Plan {
    /// Every slot from this one on.
    From(u32),
    /// Dirty slots, of which this is the first, and those below them.
    Dirty(u32),
}

impl TransformColumn {
    /// Computes dirty slots and those below them, and turns the marks into the record of what was swept. Where changes
    /// are tracked, notes what moved in this frame. Returns whether that reached a slot that is effective for a portal;
    /// `None` if there was nothing to compute.
    pub(super) fn sweep(&mut self, frame: u32, upcoming: Upcoming<'_>) -> Option<bool> {
        let Some(plan) = self.plan() else {
            self.commit_previous();
            return None;
        };
        if self.trace.is_some() {
            self.note_set(frame);
            match plan {
                Plan::From(first) => self.commit_previous_before(first),
                Plan::Dirty(_) => self.commit_previous(),
            }
        }
        self.swept.all = self.compute_planned(plan, upcoming);
        self.waits = false;
        core::mem::swap(&mut self.dirty, &mut self.swept.slots);
        self.dirty.clear();
        self.compare_swept(frame);
        Some(self.swept.all || self.swept.slots.intersects(&self.portal_slots))
    }

    /// What a sweep of all slots begins with, for the sweep before it.
    pub(super) fn upcoming(&self) -> Upcoming<'_> {
        Upcoming { locals: &self.locals, parents: &self.parents, worlds: &self.worlds }
    }

    /// What a sweep has to compute, if anything: all slots from the first dirty one on if many are dirty, because that
    /// is faster, and if slot 0, the base, is dirty, because everything depends on it.
    fn plan(&self) -> Option<Plan> {
        if !self.waits {
            return None;
        }
        let (first, many) = self.dirty.survey((self.slots.end() as usize).div_ceil(MANY))?;
        let all = first == 0 || many;
        Some(if all { Plan::From(first.max(1)) } else { Plan::Dirty(first) })
    }

    /// Computes dirty slots and those below them, to which the marks spread. Returns whether it computed all slots from
    /// the first dirty one on instead.
    fn compute_planned(&mut self, plan: Plan, upcoming: Upcoming<'_>) -> bool {
        match plan {
            Plan::From(first) => self.compute_from(first, upcoming),
            Plan::Dirty(first) => self.compute_dirty(first),
        }
        matches!(plan, Plan::From(_))
    }

    /// Computes dirty slots and those below them ahead of the update. The update must still see them, so they stay
    /// marked: by their own slots, or by the base if all were computed. So marks can be carried to another slice slot
    /// by slot; and where they are many by then, the update computes all behind the first. Returns whether anything was computed.
    pub(in crate::store) fn compute_ahead(&mut self) -> bool {
        let Some(plan) = self.plan() else { return false };
        if self.compute_planned(plan, Upcoming::default()) {
            self.mark_all();
        }
        true
    }

    /// Computes every slot from `first` on: sheared locals one by one, and runs between them.
    fn compute_from(&mut self, first: u32, upcoming: Upcoming<'_>) {
        let Self { locals, parents, worlds, sheared, .. } = self;
        let mut from = first as usize;
        for (slot, matrix) in sheared.iter_from(first) {
            let slot = slot as usize;
            simd::propagate(locals, parents, worlds, from..slot, upcoming);
            worlds[slot] = worlds[parents[slot] as usize] * *matrix;
            from = slot + 1;
        }
        let end = worlds.len();
        simd::propagate(locals, parents, worlds, from.min(end)..end, upcoming);
    }

    /// Computes the dirty slots from `first` on, and those whose parent changed. A changed slot becomes dirty itself,
    /// and its bit is final before its children read it.
    fn compute_dirty(&mut self, first: u32) {
        let Self { locals, parents, worlds, sheared, dirty, slots, .. } = self;
        let dirty = dirty.words_for(slots.end());
        // Start at a multiple of eight, since eight bits are tested at once.
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
        // The first dirty slot may have been removed, and the end may now be before it.
        let end = worlds.len();
        simd::propagate_dirty(locals, parents, worlds, dirty, from.min(end)..end);
    }
}
