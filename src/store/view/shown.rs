//! A slice that a visitor may set local transforms of.

use crate::store::columns::At;
use crate::store::view::{SliceView, occupied};
use crate::store::{Slice, Store};
use crate::{Error, Local, Transform};
use core::ops::ControlFlow;

/// A slice as columns, with leave to set local transforms. Topology and world matrices are read-only, so a visitor can
/// break nothing.
#[derive(Debug)]
pub struct SliceViewMut<'s> {
    slice: &'s mut Slice,
    /// What the slice's version becomes if world matrices are computed before the next update.
    version: u64,
}

impl SliceViewMut<'_> {
    /// The slice to read.
    #[must_use]
    pub fn view(&self) -> SliceView<'_> {
        SliceView::new(self.slice)
    }

    /// Sets the local transform of a slot that is neither the base nor a hole; the next update takes it up.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::NotRotation`].
    ///
    /// # Panics
    /// If no node has the slot.
    pub fn set_local(&mut self, slot: usize, transform: Transform) -> Result<(), Error> {
        let transforms = &mut self.slice.transforms;
        let slot = occupied(&transforms.slots, slot).filter(|&slot| slot != 0).expect("a slot that a node has");
        transforms.set_local(slot, Local::Transform(transform.checked()?));
        Ok(())
    }

    /// Computes the world matrices that are out of date, or all. They stay marked: the next update sees what became of
    /// them, and what stands where they were. Where none is out of date nothing changes.
    pub(crate) fn propagate(&mut self, everything: bool) {
        if everything {
            self.slice.transforms.mark_all();
        }
        if self.slice.transforms.compute_ahead() {
            self.slice.mark_dirty_boxes_stale();
            self.slice.version = self.version;
        }
    }
}

/// A slice while a visitor has it. However the visitor leaves, by a panic too, the next update sees what it did.
struct Shown<'s> {
    store: &'s mut Store,
    number: u32,
}

impl Store {
    /// Shows every slice in tree order, each once what it inherits is brought in line with the slice above as that is then.
    ///
    /// `each` says whether to go below the slice, or breaks off.
    pub(crate) fn show_each(
        &mut self,
        mut each: impl FnMut(SliceViewMut<'_>) -> ControlFlow<(), bool>,
    ) -> ControlFlow<()> {
        self.commit_all_previous();
        let mut next = Some(At::ROOT.slice);
        while let Some(number) = next {
            let descend = each(self.show(number).view())?;
            next = self.slice_after(number, descend);
        }
        ControlFlow::Continue(())
    }

    /// Gives a slice to a visitor, once what it inherits is brought in line with the slice above as that is now.
    fn show(&mut self, number: u32) -> Shown<'_> {
        if number != At::ROOT.slice && self.inherit(number) {
            self.slice_mut(number).mark_boxes_stale();
            self.tell_changed(number);
        }
        Shown { store: self, number }
    }
}

impl Shown<'_> {
    fn view(&mut self) -> SliceViewMut<'_> {
        self.store.versions += 1;
        let version = self.store.versions;
        SliceViewMut { slice: self.store.slice_mut(self.number), version }
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if self.store.slice(self.number).is_dirty() {
            self.store.tell_moved(self.number);
        }
    }
}
