//! Sets and reads a local transform: goes from the handle's entry to the slot, without reading the row.

use crate::store::columns::Slot;
use crate::store::{At, CachedSlot, Slice, Store, TransformColumn};
use crate::{Local, NodeHandle, Transform};
use hedgerow_math::internal::PackedTransform;
use hedgerow_math::internal::prefetch_whole;

/// Where a node keeps its local transform: a slice and a slot. Valid until the next edit of another kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalSlot {
    pub(super) slice: u32,
    pub(super) slot: u32,
}

impl Store {
    /// Sets the local transform of a node that has one, in a slice without shearing transforms. Returns `None`, and
    /// changes nothing, in other cases and if the handle is stale.
    ///
    /// Reads and writes only the entry, the slot, its mark, and the first line of the slice.
    #[inline(always)]
    pub(crate) fn set_local_shortly(&mut self, node: NodeHandle, local: impl Into<PackedTransform>) -> Option<()> {
        let entry = self.tables.entry(node)?;
        self.set_slot_shortly(entry.slice, entry.transform, local)
    }

    /// The same for a node whose slot was found before, and [holds](Self::holds_cached). Reads no entry.
    #[inline(always)]
    pub(crate) fn set_local_cached(&mut self, at: &CachedSlot, local: impl Into<PackedTransform>) -> Option<()> {
        self.set_slot_shortly(at.slice, at.transform, local)
    }

    #[inline(always)]
    fn set_slot_shortly(&mut self, number: u32, slot: Slot, local: impl Into<PackedTransform>) -> Option<()> {
        let slot = slot.as_own()?;
        let slice = self.slices.get_mut(number as usize)?;
        if !slice.sets_shortly() {
            return None;
        }
        let TransformColumn { locals, dirty, .. } = &mut slice.transforms;
        let place = locals.get_mut(slot as usize)?;
        let (word, bit) = dirty.word_mut(slot)?;
        *place = local.into();
        *word |= bit;
        if !slice.set_told {
            self.tell_first_set(number);
        }
        Some(())
    }

    /// The local transform of a node that has one, in a slice without shearing transforms: goes from the entry to the
    /// slot. Returns `None` in other cases and if the handle is stale.
    #[inline(always)]
    pub(crate) fn local_shortly(&self, node: NodeHandle) -> Option<Transform> {
        let entry = self.tables.entry(node)?;
        self.slot_shortly(entry.slice, entry.transform)
    }

    /// The same for a node whose slot was found before, and [holds](Self::holds_cached).
    #[inline(always)]
    pub(crate) fn local_cached(&self, at: &CachedSlot) -> Option<Transform> {
        self.slot_shortly(at.slice, at.transform)
    }

    #[inline(always)]
    fn slot_shortly(&self, number: u32, slot: Slot) -> Option<Transform> {
        let slot = slot.as_own()?;
        let slice = self.slices.get(number as usize)?;
        let local = slice.transforms.locals.get(slot as usize)?;
        slice.sets_shortly().then(|| (*local).into())
    }

    /// Reports the first set in a slice since the last update.
    #[cold]
    #[inline(never)]
    fn tell_first_set(&mut self, number: u32) {
        let slice = self.slice_mut(number);
        slice.set_told = true;
        slice.transforms.waits = true;
        self.tell_moved(number);
    }

    /// Sets the local transform of a node that has one. Returns whether it has.
    #[inline]
    pub(crate) fn replace_local(&mut self, at: At, local: Local) -> bool {
        let Some(slot) = self.local_slot(at) else { return false };
        self.put_local(slot, local);
        true
    }

    /// Where a node keeps its local transform, if it has one.
    #[inline]
    pub(crate) fn local_slot(&self, at: At) -> Option<LocalSlot> {
        self.row(at).transform.as_own().map(|slot| LocalSlot { slice: at.slice, slot })
    }

    /// Prefetches what looking up a handle will read.
    #[inline]
    pub(crate) fn prefetch_entry(&self, node: NodeHandle) {
        self.tables.prefetch(node);
    }

    /// Prefetches what [`put_local`](Self::put_local) will write.
    #[inline]
    pub(crate) fn prefetch_local(&self, at: LocalSlot) {
        prefetch_whole(&self.slice(at.slice).transforms.locals, at.slot as usize);
    }

    /// Sets a checked local transform at its place.
    #[inline]
    pub(crate) fn put_local(&mut self, at: LocalSlot, local: Local) {
        self.slices[at.slice as usize].transforms.set_local(at.slot, local);
        self.tell_moved(at.slice);
    }
}

impl Store {
    /// Where a node keeps its own local transform, according to its entry.
    #[inline]
    pub(crate) fn local_slot_of(&self, node: NodeHandle) -> Option<LocalSlot> {
        let (entry, _) = self.look_up(node)?;
        entry.transform.as_own().map(|slot| LocalSlot { slice: entry.slice, slot })
    }

    /// Sets a checked local transform at its place.
    #[inline(always)]
    pub(in crate::store) fn set_slot(&mut self, at: LocalSlot, local: &Transform) {
        let slice = &mut self.slices[at.slice as usize];
        if slice.transforms.sheared.is_empty() {
            slice.transforms.locals[at.slot as usize] = (*local).into();
            slice.transforms.dirty.insert(at.slot);
        } else {
            slice.transforms.set_local(at.slot, Local::Transform(*local));
        }
        if !slice.set_told {
            self.tell_first_set(at.slice);
        }
    }
}

impl Slice {
    /// Whether setting a local transform only means writing it and marking its slot, and what is written is all of it.
    #[inline(always)]
    fn sets_shortly(&self) -> bool {
        !self.membership.is_pending_free() & self.transforms.sheared.is_empty()
    }
}
