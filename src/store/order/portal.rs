//! Attaches slices to portals, and detaches them.

use crate::Aabb;
use crate::store::columns::{At, Occupant};
use crate::store::{Slice, Spot, Store};

impl Store {
    /// Inserts a portal to `child` into the chain at `spot`. There must be a free row.
    pub(in crate::store) fn insert_portal(&mut self, spot: &Spot, child: u32) {
        let at = self.link_portal(spot, child);
        self.adopt(at, child);
    }

    /// Like [`Self::insert_portal`], for a slice that was cut out at this spot and inherits what its nodes inherited
    /// before.
    pub(in crate::store) fn insert_portal_in_step(&mut self, spot: &Spot, child: u32) {
        let at = self.link_portal(spot, child);
        self.adopt_in_step(at, child);
    }

    /// Links a row for a portal into the chain at `spot`.
    fn link_portal(&mut self, spot: &Spot, child: u32) -> At {
        let slice = &mut self.slices[spot.slice as usize];
        let at = slice.allocate_row_number(spot.hint());
        let row = slice.inheriting_row(Occupant::portal(child), spot.parent);
        slice.link_new(at, row, spot);
        slice.portal_rows.insert(at);
        self.tell_edited(spot.slice);
        let at = At { slice: spot.slice, row: at };
        self.wake_beside(at);
        at
    }

    /// Attaches the slice `child` to the portal at `at`. The slice inherits new values.
    pub(in crate::store) fn adopt(&mut self, at: At, child: u32) {
        self.hang(at, child);
        if self.slice(child).marked {
            self.list_marked_child(at.slice, child);
            self.tell_moved(at.slice);
        } else {
            self.tell_moved(child);
        }
    }

    /// Attaches the slice `child` to the portal at `at`, where it inherits the same as before. Marks it only if it has
    /// yet to take over earlier changes.
    pub(in crate::store) fn adopt_in_step(&mut self, at: At, child: u32) {
        self.hang(at, child);
        let changed = self.inherit(child);
        if changed {
            self.slice_mut(child).mark_boxes_stale();
            self.tell_changed(child);
        }
        let slice = self.slice(child);
        if slice.marked {
            self.list_marked_child(at.slice, child);
            self.tell_moved(at.slice);
        } else if changed || slice.is_dirty() || self.config.bounds {
            self.tell_moved(child);
        }
    }

    /// Records in a slice and the one above that they are attached.
    fn hang(&mut self, at: At, child: u32) {
        self.tell_hung_elsewhere();
        let slice = &mut self.slices[at.slice as usize];
        let index = u32::try_from(slice.children.len()).expect("a slice has fewer portals than rows");
        slice.children.push(child);
        if let Some(boxes) = &mut slice.boxes {
            // Infinite until the update: the child is marked, so every query looks into it.
            boxes.children.push(Aabb::INFINITE);
        }
        let inherited = slice.row(at.row).transform.index();
        slice.transforms.portal_slots.insert(inherited);
        let slice = &mut self.slices[child as usize];
        slice.portal = at;
        slice.child_index = index;
        let membership = self.slice(at.slice).membership;
        if self.slice(child).membership != membership {
            self.set_membership(child, membership);
        }
        self.wake(child);
    }

    /// Removes the slice `child` from the list of its parent slice and leaves it without a portal.
    pub(in crate::store) fn disown(&mut self, child: u32) -> At {
        self.tell_hung_elsewhere();
        let portal = core::mem::replace(&mut self.slices[child as usize].portal, At::NONE);
        let index = self.slices[child as usize].child_index;
        if let Some(boxes) = &mut self.slices[portal.slice as usize].boxes {
            boxes.children.swap_remove(index as usize);
            self.tell_moved(portal.slice);
        }
        let children = &mut self.slices[portal.slice as usize].children;
        children.swap_remove(index as usize);
        if let Some(&moved) = children.get(index as usize) {
            self.slices[moved as usize].child_index = index;
        }
        portal
    }

    /// Copies what a slice inherits from its portal's effective slots into its bases. Returns whether any base changed.
    pub(in crate::store) fn inherit(&mut self, child: u32) -> bool {
        let above = self.slice(child).portal.slice;
        let [above, child] =
            self.slices.get_disjoint_mut([above as usize, child as usize]).expect("a portal leads to another slice");
        child.inherit_from(above)
    }
}

impl Slice {
    /// Copies what the slice inherits from its portal's effective slots into its bases. Returns whether any base
    /// changed.
    pub(in crate::store) fn inherit_from(&mut self, above: &Self) -> bool {
        let row = above.row(self.portal.row);
        let world = above.transforms.worlds[row.transform.index() as usize];
        let mask = above.visibilities.effective[row.visibility.index() as usize];
        let material = above.materials.values[row.material.index() as usize];
        self.take_over(&world, mask, material)
    }
}
