//! The transform pass: `world[i] = world[parent[i]] * local[i]` in one forward sweep.

use crate::simd;
use crate::slice::{NIL, TransformColumn};
use crate::visit::{Flow, SliceViewMut, SliceVisitorMut};

/// Computes the world matrices of each slice that it is shown.
///
/// [`Scene::update`](crate::Scene::update) runs it over the slices that something reached;
/// [`Scene::visit_slices_mut`](crate::Scene::visit_slices_mut) runs it over all.
/// Source: the thesis, sections 3.2.2 and 4.3.1; the order by slots instead of pointers is that of the Molecule skeleton
/// (part 2, hierarchical data): parents come before children.
#[derive(Clone, Copy, Debug)]
pub struct TransformPass {
    everything: bool,
}

impl TransformPass {
    /// The pass that computes what is not up to date.
    #[must_use]
    pub const fn dirty() -> Self {
        Self { everything: false }
    }

    /// The pass that computes every world matrix.
    #[must_use]
    pub const fn everything() -> Self {
        Self { everything: true }
    }
}

impl SliceVisitorMut for TransformPass {
    fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
        slice.propagate(self.everything);
        Flow::Continue
    }
}

impl TransformColumn {
    /// Computes what is dirty and what hangs below it, and clears the marks. Answers whether that reached a slot that some
    /// portal finds effective.
    pub(crate) fn sweep(&mut self) -> bool {
        let first = core::mem::replace(&mut self.first_dirty, NIL);
        if first == NIL {
            return false;
        }
        let reached = if first == 0 {
            // Every slot hangs from the base in the end.
            self.sweep_all();
            true
        } else {
            self.sweep_dirty(first);
            self.dirty.intersects(&self.portal_slots)
        };
        self.dirty.clear();
        reached
    }

    /// Computes every slot; sheared locals one by one, what lies between them in runs.
    fn sweep_all(&mut self) {
        let Self { locals, parents, worlds, sheared, .. } = self;
        let mut from = 1;
        for (&slot, matrix) in &*sheared {
            let slot = slot as usize;
            simd::propagate(locals, parents, worlds, from..slot);
            worlds[slot] = worlds[parents[slot] as usize] * *matrix;
            from = slot + 1;
        }
        let end = worlds.len();
        simd::propagate(locals, parents, worlds, from..end);
    }

    /// Computes the dirty slots from `first` on, and those whose parent changed: a changed slot becomes dirty itself, and
    /// its bit is final before its children look at it.
    fn sweep_dirty(&mut self, first: u32) {
        let end = self.slots.end();
        let dirty = self.dirty.words_for(end);
        for slot in first..end {
            let bit = |slot: u32| dirty[(slot / 64) as usize] >> (slot % 64) & 1;
            let parent = self.parents[slot as usize];
            if bit(slot) | bit(parent) == 0 {
                continue;
            }
            dirty[(slot / 64) as usize] |= 1 << (slot % 64);
            let local = if self.sheared.is_empty() { None } else { self.sheared.get(&slot) };
            let slot = slot as usize;
            let local = local.copied().unwrap_or_else(|| self.locals[slot].to_matrix());
            self.worlds[slot] = self.worlds[parent as usize] * local;
        }
    }
}
