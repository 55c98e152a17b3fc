//! The notifier: what an edit must tell, by what happened.
//!
//! | call | what happened | whom it concerns |
//! |---|---|---|
//! | [`tell_moved`](Store::tell_moved) | what the update derives from is another | the update |
//! | [`tell_edited`](Store::tell_edited) | rows or components came, went or stand elsewhere | draw lists, maintenance, boxes |
//! | [`tell_edited_and_moved`](Store::tell_edited_and_moved) | both | all of these |
//! | [`tell_changed`](Store::tell_changed) | values are others, rows and slots are not | draw lists |
//! | [`tell_hung_elsewhere`](Store::tell_hung_elsewhere) | the tree of slices is another | draw lists |
//! | [`tell_bounds`](Store::tell_bounds) | bounds of shapes are others | boxes |
//! | [`tell_all_moved`](Store::tell_all_moved) | everything is to be derived anew | the update |
//!
//! What the change feed is told of, the places and values that were, stands beside this in `feed`: an edit says it before it
//! changes anything.

use crate::store::columns::{At, NIL};
use crate::store::{Slice, Store};

impl Store {
    /// Tells that what the update derives from is another in a slice: a local transform, a mask, a material, or what it inherits.
    ///
    /// Marks the slice for the update, and the slices above as having such a one below them.
    #[inline]
    pub(in crate::store) fn tell_moved(&mut self, mut slice: u32) {
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

    /// Tells that bounds of a slice are others, so that world boxes are to be computed, where there are any.
    pub(in crate::store) fn tell_bounds(&mut self, slice: u32) {
        if self.config.bounds {
            self.tell_moved(slice);
        }
    }

    /// Tells that everything is to be derived anew, also what an update does not compute every time.
    pub(in crate::store) fn tell_all_moved(&mut self) {
        let numbers: Vec<u32> = self.slice_numbers().collect();
        for number in numbers {
            self.slice_mut(number).visibilities.dirty = true;
            self.tell_moved(number);
        }
    }

    /// Tells that rows of a slice, or components of these, came, went or stand elsewhere.
    ///
    /// Draw lists see the version, and maintenance looks at the slice. Boxes follow every edit, also those that no transform is
    /// concerned by.
    #[inline]
    pub(in crate::store) fn tell_edited(&mut self, slice: u32) {
        self.versions += 1;
        self.tell_bounds(slice);
        let edited = &mut self.slices[slice as usize];
        edited.version = self.versions;
        self.list_for_maintenance(slice);
    }

    /// Tells that a slice was edited, and that what is derived in it is to be computed anew: [`Self::tell_edited`] and
    /// [`Self::tell_moved`].
    ///
    /// Most slices have been edited before since the last update: then one comparison tells that nobody need be told but by the
    /// version.
    #[inline(always)]
    pub(in crate::store) fn tell_edited_and_moved(&mut self, slice: u32) {
        if !self.slices[slice as usize].tell_edited_here(&mut self.versions, true) {
            self.tell_first(slice, true);
        }
    }

    /// The rest of [`Slice::tell_edited_here`]: tells of the first edit since the last update, or since the last maintenance.
    #[cold]
    #[inline(never)]
    pub(in crate::store) fn tell_first(&mut self, slice: u32, update: bool) {
        if update {
            self.tell_moved(slice);
        }
        self.tell_edited(slice);
    }

    /// Tells that values of a slice are others, and its rows and slots are not: whoever keeps a copy of them is to make it anew.
    #[inline]
    pub(in crate::store) fn tell_changed(&mut self, slice: u32) {
        self.versions += 1;
        self.slices[slice as usize].version = self.versions;
    }

    /// Tells that a slice hangs elsewhere in the tree of slices, or nowhere.
    #[inline]
    pub(in crate::store) fn tell_hung_elsewhere(&mut self) {
        self.versions += 1;
    }
}

/// The lists of what was told.
impl Store {
    /// Lists a slice that waits for the update with the one above, below which it was just hung.
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
    pub(in crate::store) fn is_marked_child(&self, slice: u32, child: u32) -> bool {
        self.slices.get(child as usize).is_some_and(|child| child.is_marked_below(slice))
    }

    /// Has maintenance look at a slice, without any other being told.
    #[inline]
    pub(in crate::store) fn list_for_maintenance(&mut self, slice: u32) {
        if !core::mem::replace(&mut self.slices[slice as usize].edited, true) {
            self.list_edited(slice);
        }
    }

    #[cold]
    fn list_edited(&mut self, slice: u32) {
        // Slices that went stay listed until maintenance; where none comes, they are weeded out.
        if self.edited.len() > 16 + 2 * self.slices.len() {
            let Self { slices, edited, .. } = self;
            let mut seen = vec![false; slices.len()];
            edited
                .retain(|&slice| slices[slice as usize].edited && !core::mem::replace(&mut seen[slice as usize], true));
        }
        self.edited.push_back(slice);
    }
}

impl Slice {
    /// Tells that the slice was edited, as far as no other is concerned; for edits that have borrowed the store in parts.
    ///
    /// Returns whether that was all: whether maintenance knows already, and the update, if it `update`s. Where it was not,
    /// [`Store::tell_first`] is to follow. In scenes with bounds every edit updates.
    #[inline(always)]
    #[must_use = "where others do not know yet they are to be told"]
    pub(in crate::store) fn tell_edited_here(&mut self, versions: &mut u64, update: bool) -> bool {
        *versions += 1;
        self.version = *versions;
        self.edited & (self.marked | !update)
    }

    /// Whether anything in the slice waits for an update.
    pub(in crate::store) fn is_dirty(&self) -> bool {
        self.transforms.first_dirty != NIL || self.visibilities.dirty || self.materials.dirty
    }

    /// Whether the slice hangs below another one and waits for an update.
    pub(in crate::store) fn is_marked_below(&self, above: u32) -> bool {
        self.marked && self.portal.slice == above
    }
}
