//! Bringing everything derived up to date: down the tree of slices, marked ones only.

use crate::pass::TransformPass;
use crate::slice::{At, NIL, Slice, Store, VisibilityColumn};
use crate::visit::{SliceViewMut, SliceVisitorMut};

impl Store {
    /// Descends the marked slices and what inherits from them, and runs the pass over each.
    pub(crate) fn update(&mut self, mut pass: TransformPass) {
        let store = self;
        if !core::mem::take(&mut store.slices[At::ROOT.slice as usize].marked) {
            return;
        }
        let mut pending = core::mem::take(&mut store.descent);
        pending.push(At::ROOT.slice);
        while let Some(number) = pending.pop() {
            let slice = &mut store.slices[number as usize];
            slice.read = true;
            pass.slice_mut(SliceViewMut { slice });
            let changed = core::mem::take(&mut slice.portals_dirty)
                | core::mem::take(&mut slice.materials.dirty)
                | slice.visibilities.sweep();
            let mut marked = core::mem::take(&mut slice.marked_children);
            if changed {
                let children = core::mem::take(&mut slice.children);
                for &child in children.iter().rev() {
                    let inherits = store.inherit(child);
                    if core::mem::take(&mut store.slices[child as usize].marked) || inherits {
                        pending.push(child);
                    }
                }
                store.slices[number as usize].children = children;
            } else {
                for &child in marked.iter().rev() {
                    if store.is_marked_child(number, child) {
                        store.inherit(child);
                        store.slices[child as usize].marked = false;
                        pending.push(child);
                    }
                }
            }
            marked.clear();
            store.slices[number as usize].marked_children = marked;
        }
        store.descent = pending;
    }
}

impl Slice {
    /// Whether anything in the slice waits for an update.
    pub(crate) fn is_dirty(&self) -> bool {
        self.transforms.first_dirty != NIL || self.visibilities.dirty || self.materials.dirty || self.portals_dirty
    }
}

impl Store {
    /// Copies what a slice inherits from its portal's effective slots into its bases. Answers whether that changed any.
    pub(crate) fn inherit(&mut self, child: u32) -> bool {
        let portal = self.slice(child).portal;
        let row = *self.row(portal);
        let above = self.slice(portal.slice);
        let world = above.transforms.worlds[row.transform.index() as usize];
        let mask = above.visibilities.effective[row.visibility.index() as usize];
        let material = above.materials.values[row.material.index() as usize];

        let slice = &mut self.slices[child as usize];
        let mut changed = false;
        if slice.transforms.worlds[0].to_bits() != world.to_bits() {
            slice.transforms.worlds[0] = world;
            slice.transforms.mark_all();
            changed = true;
        }
        if slice.visibilities.effective[0] != mask {
            slice.visibilities.effective[0] = mask;
            slice.visibilities.dirty = true;
            changed = true;
        }
        if slice.materials.values[0] != material {
            slice.materials.values[0] = material;
            slice.materials.dirty = true;
            changed = true;
        }
        changed
    }
}

impl VisibilityColumn {
    /// `effective[i] = effective[parent[i]] & local[i]`, parents first. Answers whether anything was out of date.
    fn sweep(&mut self) -> bool {
        let dirty = core::mem::take(&mut self.dirty);
        if dirty {
            for slot in 1..self.effective.len() {
                self.effective[slot] = self.effective[self.parents[slot] as usize] & self.locals[slot];
            }
        }
        dirty
    }
}
