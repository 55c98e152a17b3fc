//! What a slice remembers if changes are tracked: which row owns each slot, and what the slot held after the update
//! before the last.
//!
//! The **history** of a slot is its world matrix, or its mask, after the last update. It moves with the slot. A row's
//! history is that of its effective slot. A row that begins to inherit a slot with another history is noted in the
//! [`Feed`] with its own, unless it is new.

use crate::Mat34;
use crate::fallible::{self, Boxed};
use crate::store::allocation::Bits;
use crate::store::change::Feed;
use crate::store::columns::put;
use crate::store::columns::{Move, NIL, Row, Slot};
use crate::store::{Slice, TransformColumn, VisibilityColumn};
use std::collections::TryReserveError;

/// The history of a slot of a new node: a bit pattern that no product has.
const NONE: u32 = 0x7FC5_EED1;

fn no_history() -> Mat34 {
    Mat34 { rows: [[f32::from_bits(NONE); 4]; 3] }
}

/// Whether a slot had no matrix after the last update.
#[inline]
fn is_new(history: &Mat34) -> bool {
    history.rows[0][0].to_bits() == NONE
}

/// Whether two matrices differ in any bit. Has no branch for each number.
#[inline]
fn differ(a: &Mat34, b: &Mat34) -> bool {
    let mut any = 0;
    for (a, b) in a.rows.iter().zip(&b.rows) {
        for (a, b) in a.iter().zip(b) {
            any |= a.to_bits() ^ b.to_bits();
        }
    }
    any != 0
}

/// What a transform column remembers: 52 bytes and a bit for each slot.
#[derive(Clone, Debug)]
pub(in crate::store) struct Trace {
    /// The row that owns each slot; [`NIL`] for the base.
    pub(in crate::store) owners: Vec<u32>,
    /// World matrices after the update before the last.
    pub(in crate::store) previous: Vec<Mat34>,
    /// Slots whose history is in `worlds` and not in `previous`, because the last update computed them.
    uncommitted: Bits,
    /// Whether there may be uncommitted slots.
    pub(in crate::store) waits: bool,
}

impl Trace {
    pub(in crate::store) const BYTES: usize = size_of::<u32>() + size_of::<Mat34>();

    /// The trace of a column with only its base.
    fn try_new(base: &Mat34, capacity: usize) -> Result<Boxed<Self>, TryReserveError> {
        let mut trace = Self {
            owners: fallible::with_capacity(capacity)?,
            previous: fallible::with_capacity(capacity)?,
            uncommitted: Bits::default(),
            waits: false,
        };
        trace.owners.push(NIL);
        trace.previous.push(*base);
        Boxed::try_new(trace)
    }

    /// Makes room for so many slots, or returns an error where the allocator refuses.
    pub(in crate::store) fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        fallible::reserve_for(&mut self.owners, slots as usize)?;
        fallible::reserve_for(&mut self.previous, slots as usize)
    }

    /// Forgets what a slot was.
    #[inline]
    pub(in crate::store) fn put(&mut self, slot: u32) {
        put(&mut self.owners, slot, NIL);
        put(&mut self.previous, slot, no_history());
        if self.waits {
            self.uncommitted.remove(slot);
        }
    }

    pub(in crate::store) fn truncate(&mut self, end: usize) {
        self.owners.truncate(end);
        self.previous.truncate(end);
    }

    /// Copies what another column remembers of its slot `old` to the slot `new`.
    pub(in crate::store) fn carry(&mut self, from: &Self, old: u32, new: u32) {
        put(&mut self.owners, new, from.owners[old as usize]);
        put(&mut self.previous, new, from.previous[old as usize]);
        if from.waits && from.uncommitted.contains(old) {
            self.uncommitted.insert(new);
            self.waits = true;
        } else {
            self.uncommitted.remove(new);
        }
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.owners.capacity() * size_of::<u32>()
            + self.previous.capacity() * size_of::<Mat34>()
            + self.uncommitted.bytes()
    }
}

/// What a visibility column remembers: 4 bytes for each slot.
#[derive(Clone, Debug)]
pub(in crate::store) struct MaskTrace {
    /// The row that owns each slot; [`NIL`] for the base.
    pub(in crate::store) owners: Vec<u32>,
    /// The base after the last update. The effective masks of the other slots are only written by updates.
    pub(in crate::store) base: u32,
    /// Slots whose mask the last sweep changed.
    pub(in crate::store) changed: Vec<u32>,
}

impl MaskTrace {
    pub(in crate::store) const BYTES: usize = size_of::<u32>();

    /// The trace of a column with only its base.
    fn try_new(base: u32, capacity: usize) -> Result<Boxed<Self>, TryReserveError> {
        let mut owners = fallible::with_capacity(capacity)?;
        owners.push(NIL);
        Boxed::try_new(Self { owners, base, changed: Vec::new() })
    }

    /// Makes room for so many slots, or returns an error where the allocator refuses.
    pub(in crate::store) fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        fallible::reserve_for(&mut self.owners, slots as usize)
    }

    #[inline]
    pub(in crate::store) fn put(&mut self, slot: u32) {
        put(&mut self.owners, slot, NIL);
    }

    pub(in crate::store) fn truncate(&mut self, end: usize) {
        self.owners.truncate(end);
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        size_of::<Self>() + (self.owners.capacity() + self.changed.capacity()) * size_of::<u32>()
    }
}

impl TransformColumn {
    /// The world matrix of a slot after the update before the last. For a new slot, and if nothing is remembered, the
    /// present one.
    #[inline]
    pub(in crate::store) fn previous(&self, slot: u32) -> &Mat34 {
        let world = &self.worlds[slot as usize];
        let Some(trace) = &self.trace else { return world };
        let previous = &trace.previous[slot as usize];
        if is_new(previous) { world } else { previous }
    }

    /// The world matrix of a slot after the last update.
    fn history(&self, trace: &Trace, slot: u32) -> Mat34 {
        let committed = !trace.waits || !trace.uncommitted.contains(slot);
        if committed { trace.previous[slot as usize] } else { self.worlds[slot as usize] }
    }

    /// Begins to remember, or returns an error where the allocator refuses: all slots but the base are new.
    pub(in crate::store) fn try_begin_trace(&mut self) -> Result<(), TryReserveError> {
        let capacity = self.worlds.capacity();
        self.trace = self.worlds.first().map(|base| Trace::try_new(base, capacity)).transpose()?;
        if let Some(trace) = &mut self.trace {
            (1..self.slots.end()).for_each(|slot| trace.put(slot));
        }
        Ok(())
    }

    /// Gives the base the history of a slot of `source`, and where that is a new one's the matrix that it has: it may
    /// stay so, and then no update would come to give it one.
    pub(in crate::store) fn take_base_history(&mut self, source: &Self, slot: u32) {
        if let (Some(trace), Some(from)) = (&mut self.trace, &source.trace) {
            trace.carry(from, slot, 0);
            trace.owners[0] = NIL;
            if is_new(&trace.previous[0]) {
                trace.previous[0] = self.worlds[0];
            }
        }
    }

    /// Whether a slot in use, or the base, is without a history.
    pub(in crate::store) fn has_new(&self) -> bool {
        let is_new = |trace: &Trace| self.slots.iter().any(|slot| is_new(&trace.previous[slot as usize]));
        self.trace.as_deref().is_some_and(is_new)
    }

    /// Updates `previous` to the history of all slots. Must be called before world matrices are computed again.
    pub(in crate::store) fn commit_previous(&mut self) {
        if let Some(trace) = self.trace.as_deref_mut()
            && core::mem::take(&mut trace.waits)
        {
            for run in trace.uncommitted.runs(self.worlds.len()) {
                trace.previous[run.clone()].copy_from_slice(&self.worlds[run]);
            }
            trace.uncommitted.clear();
        }
    }

    /// Commits the history of the base only.
    pub(in crate::store) fn commit_previous_base(&mut self) {
        if let Some(trace) = &mut self.trace
            && trace.waits
            && trace.uncommitted.contains(0)
        {
            trace.previous[0] = self.worlds[0];
            trace.uncommitted.remove(0);
        }
    }

    /// Marks what the last sweep computed as uncommitted.
    pub(in crate::store) fn mark_uncommitted(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.waits = true;
            if self.swept.all {
                trace.uncommitted.fill(self.slots.end());
            } else {
                trace.uncommitted.copy_from(&self.swept.slots);
            }
        }
    }

    /// Copies to a fresh slot what is remembered of the slot that it replaces.
    pub(in crate::store) fn carry(&mut self, old: u32, fresh: u32) {
        if let Some(trace) = &mut self.trace {
            let (owner, previous) = (trace.owners[old as usize], trace.previous[old as usize]);
            trace.owners[fresh as usize] = owner;
            trace.previous[fresh as usize] = previous;
            if trace.waits && trace.uncommitted.contains(old) {
                trace.uncommitted.insert(fresh);
            }
        }
    }

    /// Appends the slots that the last sweep changed to `changed`, possibly with some holes. Slots without a history
    /// get their present matrix as history.
    pub(in crate::store) fn compare_swept(&mut self, changed: &mut Vec<u32>) {
        let Self { worlds, swept, trace, .. } = self;
        let Some(trace) = trace else { return };
        let mut compare = |run: core::ops::Range<usize>| {
            let slots = u32::try_from(run.start).expect("slots are numbered in 31 bits")..;
            for ((world, previous), slot) in worlds[run.clone()].iter().zip(&mut trace.previous[run]).zip(slots) {
                if differ(world, previous) {
                    if is_new(previous) {
                        *previous = *world;
                    } else {
                        changed.push(slot);
                    }
                }
            }
        };
        if swept.all {
            compare(0..worlds.len());
        } else {
            swept.slots.runs(worlds.len()).for_each(compare);
        }
    }
}

impl VisibilityColumn {
    /// The effective mask of a slot after the last update.
    fn history(&self, trace: &MaskTrace, slot: u32) -> u32 {
        if slot == 0 { trace.base } else { self.effective[slot as usize] }
    }

    /// Begins to remember, or returns an error where the allocator refuses: no row is known for the owner of a slot.
    pub(in crate::store) fn try_begin_trace(&mut self) -> Result<(), TryReserveError> {
        let capacity = self.slots.end() as usize;
        self.trace = self.effective.first().map(|&base| MaskTrace::try_new(base, capacity)).transpose()?;
        if let Some(trace) = &mut self.trace {
            (1..self.slots.end()).for_each(|slot| trace.put(slot));
        }
        Ok(())
    }

    /// Gives the base the history of a slot of `source`.
    pub(in crate::store) fn take_base_history(&mut self, source: &Self, slot: u32) {
        if let (Some(trace), Some(from)) = (&mut self.trace, &source.trace) {
            trace.base = source.history(from, slot);
        }
    }
}

impl Slice {
    /// Starts tracking: all slots except the bases are new.
    pub(in crate::store) fn begin_trace(&mut self) {
        fallible::or_abort(self.try_begin_trace());
    }

    /// Like [`Self::begin_trace`], but returns an error if the allocator refuses.
    pub(in crate::store) fn try_begin_trace(&mut self) -> Result<(), TryReserveError> {
        self.transforms.try_begin_trace()?;
        self.visibilities.try_begin_trace()?;
        for row in 0..self.row_slots.end() {
            if self.row_slots.is_live(row) {
                self.trace_owner(row);
            }
        }
        Ok(())
    }

    /// Gives the bases the history of what the children of a row of `source` inherit.
    pub(in crate::store) fn take_base_history(&mut self, source: &Self, parent: u32) {
        let [transform, visibility, _] = source.inherited(parent).map(Slot::index);
        self.transforms.take_base_history(&source.transforms, transform);
        self.visibilities.take_base_history(&source.visibilities, visibility);
    }

    /// Notes which slots a row has.
    #[inline]
    pub(in crate::store) fn trace_owner(&mut self, at: u32) {
        let Row { transform, visibility, .. } = *self.row(at);
        if let Some(slot) = transform.as_own()
            && let Some(trace) = &mut self.transforms.trace
        {
            trace.owners[slot as usize] = at;
        }
        if let Some(slot) = visibility.as_own()
            && let Some(trace) = &mut self.visibilities.trace
        {
            trace.owners[slot as usize] = at;
        }
    }

    /// Notes what rows had that moved to another slice and find there what has another history: told by `rows`, those
    /// that inherited what hung from `above` here, and inherit there what hangs from `parent`.
    pub(in crate::store) fn note_passed(&self, target: &Self, rows: &[Move], above: u32, parent: u32, feed: &mut Feed) {
        let [old_transform, old_mask, _] = self.inherited(above);
        let [transform, mask, _] = target.inherited(parent).map(Slot::index);
        let (Some(from), Some(from_masks)) = (&self.transforms.trace, &self.visibilities.trace) else { return };
        let (Some(to), Some(to_masks)) = (&target.transforms.trace, &target.visibilities.trace) else { return };
        let world = self.transforms.history(from, old_transform.index());
        let masks = self.visibilities.history(from_masks, old_mask.index());
        let transform_differs = target.transforms.history(to, transform).to_bits() != world.to_bits();
        let mask_differs = target.visibilities.history(to_masks, mask) != masks;
        if !transform_differs && !mask_differs {
            return;
        }
        for row in rows {
            let was = self.row(row.old);
            let Some(node) = was.occupant.as_node() else { continue };
            if transform_differs && was.transform == old_transform {
                feed.note_previous_transform(node, &world);
            }
            if mask_differs && was.visibility == old_mask {
                feed.note_previous_mask(node, masks);
            }
        }
    }

    /// Notes the matrices of a row, and of the rows below it that share its transform slot, before they change to the
    /// slot of its parent.
    pub(in crate::store) fn note_previous_transforms(&self, top: u32, feed: &mut Feed) {
        let Row { parent, transform, .. } = *self.row(top);
        let Some(trace) = &self.transforms.trace else { return };
        let [above, ..] = self.inherited(parent);
        let [old, new] = [transform, above].map(|slot| self.transforms.history(trace, slot.index()));
        if old.to_bits() != new.to_bits() {
            self.inheritors(
                top,
                transform.index(),
                |row| row.transform,
                |_, node| feed.note_previous_transform(node, &old),
            );
        }
    }

    /// Notes the masks of a row, and of the rows below it that share its visibility slot, before they change to the
    /// slot of its parent.
    pub(in crate::store) fn note_previous_masks(&self, top: u32, feed: &mut Feed) {
        let Row { parent, visibility, .. } = *self.row(top);
        let Some(trace) = &self.visibilities.trace else { return };
        let [_, above, _] = self.inherited(parent);
        let [old, new] = [visibility, above].map(|slot| self.visibilities.history(trace, slot.index()));
        if old != new {
            self.inheritors(
                top,
                visibility.index(),
                |row| row.visibility,
                |_, node| feed.note_previous_mask(node, old),
            );
        }
    }

    /// Gives a transform that was added to a row the history of the row.
    pub(in crate::store) fn trace_added_transform(&mut self, at: u32, inherited: Slot, feed: &mut Feed) {
        self.trace_owner(at);
        let Row { transform, occupant, .. } = *self.row(at);
        let Some(trace) = &self.transforms.trace else { return };
        let history = self.transforms.history(trace, inherited.index());
        if occupant.as_node().is_some_and(|node| feed.is_new(node)) {
            // The slot stays without a history, so the rows below that are not new must be noted.
            let note = |_: &Row, node| feed.note_previous_transform(node, &history);
            self.inheritors_below(at, inherited.index(), |row| row.transform, note);
        } else if let Some(trace) = &mut self.transforms.trace {
            trace.previous[transform.index() as usize] = history;
        }
    }

    /// Gives a visibility that was added to a row the history of the row.
    pub(in crate::store) fn trace_added_visibility(&mut self, at: u32, inherited: Slot) {
        self.trace_owner(at);
        let slot = self.row(at).visibility.index();
        if let Some(trace) = &self.visibilities.trace {
            self.visibilities.effective[slot as usize] = self.visibilities.history(trace, inherited.index());
        }
    }
}
