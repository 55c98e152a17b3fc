//! What a slice remembers if changes are tracked: which row owns each slot, and what the slot held after the update
//! before the last.
//!
//! The **history** of a slot is its world matrix, or its mask, after the last update, and the frame in which that last
//! changed. It moves with the slot. A row's history is that of its effective slot. A row that begins to inherit a slot
//! with another history is noted in the [`Feed`] with its own, unless it is new.

use crate::Mat34;
use crate::fallible::{self, Boxed};
use crate::store::allocation::Bits;
use crate::store::change::Feed;
use crate::store::change::frames::{Frames, WORD, each_bit};
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
pub(super) fn is_new(history: &Mat34) -> bool {
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

/// The history of a transform slot.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Past {
    /// The world matrix after the last update.
    pub(in crate::store) world: Mat34,
    /// The frame in which it last changed.
    pub(in crate::store) moved: u32,
}

impl Past {
    fn differs(&self, other: &Self) -> bool {
        self.moved != other.moved || differ(&self.world, &other.world)
    }
}

/// The history of a visibility slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct PastMask {
    /// The effective mask after the last update.
    pub(in crate::store) mask: u32,
    /// The frame in which it last changed.
    pub(in crate::store) changed: u32,
}

/// What a transform column remembers: 60 bytes and three bits for each slot.
#[derive(Clone, Debug)]
pub(in crate::store) struct Trace {
    /// The row that owns each slot; [`NIL`] for the base.
    pub(in crate::store) owners: Vec<u32>,
    /// World matrices after the update before the last.
    pub(in crate::store) previous: Vec<Mat34>,
    /// The frame in which the world matrix of each slot last changed; 0 for none.
    pub(in crate::store) moved: Frames,
    /// The frame whose update last found the local transform of each slot set; 0 for none.
    pub(in crate::store) set: Frames,
    /// Whether any slot may be without a history.
    may_have_new: bool,
    /// No slot has a later frame in `moved` or `set`.
    pub(in crate::store) newest: u32,
    /// Slots whose history is in `worlds` and not in `previous`, because the last update computed them.
    pub(in crate::store) uncommitted: Bits,
    /// Whether there may be uncommitted slots.
    pub(in crate::store) waits: bool,
    /// Whether the last update computed every slot, so that most are uncommitted.
    whole: bool,
}

impl Trace {
    pub(in crate::store) const BYTES: usize = 3 * size_of::<u32>() + size_of::<Mat34>();

    /// The trace of a column with only its base.
    fn try_new(base: &Mat34, capacity: usize) -> Result<Boxed<Self>, TryReserveError> {
        let mut trace = Self {
            owners: fallible::with_capacity(capacity)?,
            previous: fallible::with_capacity(capacity)?,
            moved: Frames::try_with_capacity(capacity)?,
            set: Frames::try_with_capacity(capacity)?,
            may_have_new: false,
            newest: 0,
            uncommitted: Bits::default(),
            waits: false,
            whole: false,
        };
        trace.owners.push(NIL);
        trace.previous.push(*base);
        trace.moved.put(0, 0);
        trace.set.put(0, 0);
        Boxed::try_new(trace)
    }

    /// Makes room for so many slots, or returns an error where the allocator refuses.
    pub(in crate::store) fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        fallible::reserve_for(&mut self.owners, slots as usize)?;
        self.moved.try_reserve(slots)?;
        self.set.try_reserve(slots)?;
        fallible::reserve_for(&mut self.previous, slots as usize)
    }

    /// Whether there is as much of everything as there are slots.
    pub(in crate::store) fn is_in_step(&self, slots: usize) -> bool {
        [self.owners.len(), self.previous.len(), self.moved.len(), self.set.len()] == [slots; 4]
    }

    /// Forgets what a slot was. Kept out of the short ways of edits, which most scenes take without it.
    #[cold]
    #[inline(never)]
    pub(in crate::store) fn put(&mut self, slot: u32) {
        put(&mut self.owners, slot, NIL);
        put(&mut self.previous, slot, no_history());
        self.may_have_new = true;
        self.moved.put(slot, 0);
        self.set.put(slot, 0);
        if self.waits {
            self.uncommitted.remove(slot);
        }
    }

    #[cold]
    #[inline(never)]
    pub(in crate::store) fn truncate(&mut self, end: usize) {
        self.owners.truncate(end);
        self.previous.truncate(end);
        self.moved.truncate(end);
        self.set.truncate(end);
    }

    /// Copies what another column remembers of its slot `old` to the slot `new`.
    pub(in crate::store) fn carry(&mut self, from: &Self, old: u32, new: u32) {
        put(&mut self.owners, new, from.owners[old as usize]);
        put(&mut self.previous, new, from.previous[old as usize]);
        self.moved.put(new, from.moved.get(old));
        self.set.put(new, from.set.get(old));
        self.may_have_new |= from.may_have_new;
        self.newest = self.newest.max(from.newest);
        if from.waits && from.uncommitted.contains(old) {
            self.uncommitted.insert(new);
            self.waits = true;
        } else {
            self.uncommitted.remove(new);
        }
    }

    /// Copies what is remembered of the slot `old` to the slot `fresh`.
    #[cold]
    #[inline(never)]
    fn carry_within(&mut self, old: u32, fresh: u32) {
        let (from, to) = (old as usize, fresh as usize);
        self.owners[to] = self.owners[from];
        self.previous[to] = self.previous[from];
        self.moved.put(fresh, self.moved.get(old));
        self.set.put(fresh, self.set.get(old));
        if self.waits && self.uncommitted.contains(old) {
            self.uncommitted.insert(fresh);
        }
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.owners.capacity() * size_of::<u32>()
            + self.moved.bytes()
            + self.set.bytes()
            + self.previous.capacity() * size_of::<Mat34>()
            + self.uncommitted.bytes()
    }
}

/// What a visibility column remembers: 8 bytes for each slot.
#[derive(Clone, Debug)]
pub(in crate::store) struct MaskTrace {
    /// The row that owns each slot; [`NIL`] for the base.
    pub(in crate::store) owners: Vec<u32>,
    /// The base after the last update. The effective masks of the other slots are only written by updates.
    pub(in crate::store) base: u32,
    /// The frame in which the mask of each slot last changed; 0 for none.
    pub(in crate::store) changed: Vec<u32>,
    /// No slot has a later frame in `changed`.
    pub(in crate::store) newest: u32,
}

impl MaskTrace {
    pub(in crate::store) const BYTES: usize = 2 * size_of::<u32>();

    /// The trace of a column with only its base.
    fn try_new(base: u32, capacity: usize) -> Result<Boxed<Self>, TryReserveError> {
        let mut owners = fallible::with_capacity(capacity)?;
        owners.push(NIL);
        let mut changed = fallible::with_capacity(capacity)?;
        changed.push(0);
        Boxed::try_new(Self { owners, base, changed, newest: 0 })
    }

    /// Makes room for so many slots, or returns an error where the allocator refuses.
    pub(in crate::store) fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        fallible::reserve_for(&mut self.owners, slots as usize)?;
        fallible::reserve_for(&mut self.changed, slots as usize)
    }

    /// Whether there is as much of everything as there are slots.
    pub(in crate::store) fn is_in_step(&self, slots: usize) -> bool {
        [self.owners.len(), self.changed.len()] == [slots; 2]
    }

    #[inline]
    pub(in crate::store) fn put(&mut self, slot: u32) {
        put(&mut self.owners, slot, NIL);
        put(&mut self.changed, slot, 0);
    }

    pub(in crate::store) fn truncate(&mut self, end: usize) {
        self.owners.truncate(end);
        self.changed.truncate(end);
    }

    /// Copies what another column remembers of its slot `old` to the slot `new`, all but the owner.
    pub(in crate::store) fn carry(&mut self, from: &Self, old: u32, new: u32) {
        put(&mut self.changed, new, from.changed[old as usize]);
        self.newest = self.newest.max(from.newest);
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

    /// The history of a slot.
    pub(in crate::store) fn history(&self, trace: &Trace, slot: u32) -> Past {
        let committed = !trace.waits || !trace.uncommitted.contains(slot);
        let world = if committed { trace.previous[slot as usize] } else { self.worlds[slot as usize] };
        Past { world, moved: trace.moved.get(slot) }
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

    /// Does the same as [`Self::commit_previous`], before every slot from `first` on is computed again: what is in
    /// `worlds` behind it may become anything. Most matrices change their array instead of being copied.
    pub(in crate::store) fn commit_previous_before(&mut self, first: u32) {
        let Self { worlds, trace, .. } = self;
        let Some(trace) = trace.as_deref_mut() else { return };
        if !trace.waits || !trace.whole || worlds.len() != trace.previous.len() {
            return self.commit_previous();
        }
        trace.waits = false;
        core::mem::swap(worlds, &mut trace.previous);
        // What is committed already keeps its place, and so does what is not computed again.
        let end = worlds.len();
        for slot in trace.uncommitted.missing(end) {
            core::mem::swap(&mut worlds[slot], &mut trace.previous[slot]);
        }
        // The first dirty slot may have been removed, and the end may now be before it.
        for slot in (0..first).take(end).filter(|&slot| trace.uncommitted.contains(slot)) {
            worlds[slot as usize] = trace.previous[slot as usize];
        }
        trace.uncommitted.clear();
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
    fn mark_uncommitted(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.waits = true;
            trace.whole = self.swept.all;
            if self.swept.all {
                trace.uncommitted.fill(self.slots.end());
            } else {
                trace.uncommitted.copy_from(&self.swept.slots);
            }
        }
    }

    /// Copies to a fresh slot what is remembered of the slot that it replaces.
    #[inline]
    pub(in crate::store) fn carry(&mut self, old: u32, fresh: u32) {
        if let Some(trace) = &mut self.trace {
            trace.carry_within(old, fresh);
        }
    }

    /// Notes of the slots that are marked, before the marks spread to those below, that their locals were set before
    /// the update of this frame. Slots that are marked for another reason are noted too.
    pub(in crate::store) fn note_set(&mut self, frame: u32) {
        let Self { dirty, worlds, trace, .. } = self;
        if let Some(trace) = trace {
            trace.newest = frame;
            debug_assert_eq!(trace.set.len(), worlds.len());
            trace.set.note(frame, |word| dirty.word(word));
        }
    }

    /// Notes of the slots that the last sweep changed that they moved in this frame, holes included. Slots without a
    /// history get their present matrix as history.
    pub(in crate::store) fn compare_swept(&mut self, frame: u32) {
        let Self { worlds, swept, trace, .. } = self;
        let Some(trace) = trace else { return };
        trace.newest = frame;
        let Trace { previous, moved, may_have_new, .. } = &mut **trace;
        let (end, new) = (worlds.len(), *may_have_new);
        // Holes are computed with the others.
        *may_have_new &= !swept.all;
        moved.note(frame, |number| {
            let (first, last) = (number * WORD, end.min((number + 1) * WORD));
            let swept = if swept.all { u64::MAX } else { swept.slots.word(number) };
            compare(&worlds[first..last], &mut previous[first..last], swept, new)
        });
        self.mark_uncommitted();
    }
}

/// If fewer than this many of 64 slots were swept, only these are compared.
const FEW: u32 = 24;

/// Which of at most 64 matrices differ from the previous ones, of those that are swept, a bit for each. Those without a
/// previous one, if there may be any, do not count, and get the present one.
fn compare(worlds: &[Mat34], previous: &mut [Mat34], swept: u64, new: bool) -> u64 {
    // Slots that were freed may still be marked.
    let swept = swept & (u64::MAX >> (WORD - worlds.len()));
    let mut differs = 0;
    if swept.count_ones() < FEW {
        each_bit(swept, |bit| differs |= u64::from(differ(&worlds[bit], &previous[bit])) << bit);
    } else {
        for (bit, (world, previous)) in worlds.iter().zip(&*previous).enumerate() {
            differs |= u64::from(differ(world, previous)) << bit;
        }
        differs &= swept;
    }
    if new {
        let mut fresh = 0;
        each_bit(differs, |bit| fresh |= u64::from(is_new(&previous[bit])) << bit);
        each_bit(fresh, |bit| previous[bit] = worlds[bit]);
        differs &= !fresh;
    }
    differs
}

impl VisibilityColumn {
    /// The history of a slot.
    pub(super) fn history(&self, trace: &MaskTrace, slot: u32) -> PastMask {
        let mask = if slot == 0 { trace.base } else { self.effective[slot as usize] };
        PastMask { mask, changed: trace.changed[slot as usize] }
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
            trace.carry(from, slot, 0);
            trace.base = source.history(from, slot).mask;
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

    /// Forgets in which frames slots changed.
    pub(in crate::store) fn forget_frames(&mut self) {
        if let Some(trace) = self.transforms.trace.as_deref_mut() {
            trace.moved.clear();
            trace.set.clear();
            trace.newest = 0;
        }
        if let Some(trace) = self.visibilities.trace.as_deref_mut() {
            trace.changed.fill(0);
            trace.newest = 0;
        }
    }

    /// Whether the sweep of a frame changed any mask.
    pub(in crate::store) fn masks_changed_in(&self, frame: u32) -> bool {
        self.visibilities.trace.as_ref().is_some_and(|trace| trace.newest == frame)
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
        let transform_differs = target.transforms.history(to, transform).differs(&world);
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
        if old.differs(&new) {
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
            trace.previous[transform.index() as usize] = history.world;
            trace.moved.put(transform.index(), history.moved);
            trace.newest = trace.newest.max(history.moved);
        }
    }

    /// Gives a visibility that was added to a row the history of the row.
    pub(in crate::store) fn trace_added_visibility(&mut self, at: u32, inherited: Slot) {
        self.trace_owner(at);
        let slot = self.row(at).visibility.index();
        let VisibilityColumn { effective, trace, .. } = &mut self.visibilities;
        if let Some(trace) = trace {
            let from = inherited.index() as usize;
            effective[slot as usize] = if from == 0 { trace.base } else { effective[from] };
            trace.changed[slot as usize] = trace.changed[from];
        }
    }
}
