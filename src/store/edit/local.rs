//! Setting a local transform: from the handle's entry to the slot, without a look at the row.

use crate::math::PackedTransform;
use crate::store::{At, Slice, Store, TransformColumn};
use crate::{Local, NodeHandle};

impl Store {
    /// Sets the local transform of a node that has one, in a slice in which none shears. `None` where it is not so, and where the handle is stale; nothing has changed then.
    ///
    /// Touches the entry, the slot, its mark, and the first line of the slice.
    #[inline(always)]
    pub(crate) fn set_local_shortly(&mut self, node: NodeHandle, local: impl Into<PackedTransform>) -> Option<()> {
        let entry = self.tables.entry(node)?;
        let slot = entry.transform.as_own()?;
        let slice = self.slices.get_mut(entry.slice as usize)?;
        if !slice.sets_shortly() {
            return None;
        }
        let TransformColumn { locals, dirty, first_dirty, marks, .. } = &mut slice.transforms;
        let place = locals.get_mut(slot as usize)?;
        let (word, bit) = dirty.word_mut(slot)?;
        *place = local.into();
        *word |= bit;
        *first_dirty = slot.min(*first_dirty);
        *marks = marks.wrapping_add(1);
        if !slice.marked {
            self.mark_first(entry.slice);
        }
        Some(())
    }

    /// Tells of the first edit of a slice since the last update.
    #[cold]
    #[inline(never)]
    fn mark_first(&mut self, slice: u32) {
        self.mark(slice);
    }

    /// Sets the local transform in a slot that is some node's own.
    #[inline]
    pub(crate) fn set_local(&mut self, slice: u32, slot: u32, local: Local) {
        self.slices[slice as usize].transforms.set_local(slot, local);
        self.mark(slice);
    }

    /// The slot of a row's own transform.
    #[inline]
    pub(crate) fn own_transform(&self, at: At) -> Option<u32> {
        self.row(at).transform.as_own()
    }
}

impl Slice {
    /// Whether setting a local transform is writing it and marking its slot, and nothing else.
    #[inline(always)]
    fn sets_shortly(&self) -> bool {
        !self.standing.is_doomed() & self.transforms.sheared.is_empty()
    }
}
