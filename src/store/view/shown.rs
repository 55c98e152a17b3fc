//! A slice in which a visitor may set local transforms.

use crate::store::columns::At;
use crate::store::view::{SliceView, occupied};
use crate::store::{Slice, Store};
use crate::{Error, Local, Transform};
use core::ops::ControlFlow;

/// A slice as columns, in which local transforms can be set. Topology and world matrices are read-only, so a visitor
/// can break nothing.
#[derive(Debug)]
pub struct SliceViewMut<'s> {
    slice: &'s mut Slice,
    number: u32,
    /// The slice's new version if world matrices are computed before the next update.
    version: u64,
}

impl SliceViewMut<'_> {
    /// The slice to read.
    #[must_use]
    pub fn view(&self) -> SliceView<'_> {
        SliceView::new(self.slice, self.number)
    }

    /// Sets the local transform of a slot, which must be neither the base nor a hole. The next update applies it.
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

    /// Computes the world matrices that are out of date, or all. They stay marked, so that the next update sees the
    /// results and the values before. If none is out of date, nothing changes.
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

/// A slice while a visitor has it. However the visitor leaves, even by a panic, the next update sees its changes.
struct Shown<'s> {
    store: &'s mut Store,
    number: u32,
}

impl Store {
    /// Shows every slice in tree order, after copying what it inherits from the present state of the slice above.
    ///
    /// `each` says whether to go below the slice, or stops the walk.
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

    /// Gives a slice to a visitor, after copying what it inherits from the present state of the slice above.
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
        let number = self.number;
        SliceViewMut { slice: self.store.slice_mut(number), number, version }
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if self.store.slice(self.number).is_dirty() {
            self.store.tell_moved(self.number);
        }
    }
}
