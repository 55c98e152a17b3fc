//! What is noted for later: slices to be updated, to be maintained, and that are others than they were.

use crate::store::columns::{At, NIL};
use crate::store::{Slice, Store};

impl Store {
    /// Notes that a slice is to be updated, and on the slices above that something below them is.
    #[inline]
    pub(crate) fn mark(&mut self, mut slice: u32) {
        loop {
            let marked = &mut self.slices[slice as usize];
            if marked.marked {
                return;
            }
            marked.marked = true;
            let portal = marked.portal;
            if portal == At::NONE {
                if slice != At::ROOT.slice {
                    self.list_marked_root(slice);
                }
                return;
            }
            self.list_marked_child(portal.slice, slice);
            slice = portal.slice;
        }
    }

    /// Notes that world boxes of a slice are to be computed, where there are any.
    pub(crate) fn mark_boxes(&mut self, slice: u32) {
        if self.config.bounds {
            self.mark(slice);
        }
    }

    pub(in crate::store) fn list_marked_child(&mut self, slice: u32, child: u32) {
        let mut list = core::mem::take(&mut self.slices[slice as usize].marked_children);
        // Children that moved away or went stay listed until the update; where none comes, they are weeded out.
        if list.len() > 16 + 2 * self.slices[slice as usize].children.len() {
            list.sort_unstable();
            list.dedup();
            list.retain(|&child| self.is_marked_child(slice, child));
        }
        list.push(child);
        self.slices[slice as usize].marked_children = list;
    }

    /// Whether a listed child still hangs below `slice` and still waits.
    pub(crate) fn is_marked_child(&self, slice: u32, child: u32) -> bool {
        self.slices.get(child as usize).is_some_and(|child| child.is_marked_below(slice))
    }

    /// Notes that every slice is to be updated, also in what it does not sweep every time.
    pub(crate) fn mark_everything(&mut self) {
        let numbers: Vec<u32> = self.slice_numbers().collect();
        for number in numbers {
            self.slice_mut(number).visibilities.dirty = true;
            self.mark(number);
        }
    }

    /// Notes that a slice was edited, for maintenance and for whoever keeps something that was made of it.
    #[inline]
    pub(crate) fn wear(&mut self, slice: u32) {
        self.versions += 1;
        // Boxes follow every edit, also those that no transform is concerned by.
        self.mark_boxes(slice);
        let edited = &mut self.slices[slice as usize];
        edited.version = self.versions;
        if !core::mem::replace(&mut edited.worn, true) {
            self.list_worn(slice);
        }
    }

    /// Tells of an edit of a slice: draw lists by its version, maintenance, and where it matters to it the update. Boxes
    /// follow every edit, also those that no transform is concerned by.
    ///
    /// The one notifier of edits on the short way. Most slices have been edited before since the last update: then one
    /// comparison tells that nobody need be told but by the version.
    #[inline(always)]
    pub(in crate::store) fn tell_edited(&mut self, number: u32, update: bool) {
        self.versions += 1;
        let slice = &mut self.slices[number as usize];
        slice.version = self.versions;
        if !slice.knows_edited(update | self.config.bounds) {
            self.tell_first(number, update);
        }
    }

    /// Tells of the first edit since the last update, or since the last maintenance.
    #[cold]
    #[inline(never)]
    pub(in crate::store) fn tell_first(&mut self, number: u32, update: bool) {
        if update {
            self.mark(number);
        }
        self.wear(number);
    }

    /// Notes for whoever keeps something that was made of a slice that it is another now.
    #[inline]
    pub(crate) fn touch(&mut self, slice: u32) {
        self.versions += 1;
        self.slices[slice as usize].version = self.versions;
    }

    #[cold]
    fn list_worn(&mut self, slice: u32) {
        // Slices that went stay listed until maintenance; where none comes, they are weeded out.
        if self.worn.len() > 16 + 2 * self.slices.len() {
            let Self { slices, worn, .. } = self;
            let mut seen = vec![false; slices.len()];
            worn.retain(|&slice| slices[slice as usize].worn && !core::mem::replace(&mut seen[slice as usize], true));
        }
        self.worn.push_back(slice);
    }
}

impl Slice {
    /// Whether maintenance knows that the slice was edited, and the update, if it is to.
    #[inline(always)]
    pub(in crate::store) fn knows_edited(&self, update: bool) -> bool {
        self.worn & (self.marked | !update)
    }

    /// Whether anything in the slice waits for an update.
    pub(crate) fn is_dirty(&self) -> bool {
        self.transforms.first_dirty != NIL || self.visibilities.dirty || self.materials.dirty
    }

    /// Whether the slice hangs below another one and waits for an update.
    pub(crate) fn is_marked_below(&self, above: u32) -> bool {
        self.marked && self.portal.slice == above
    }
}
