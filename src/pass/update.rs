//! Bringing everything derived up to date: down the tree of slices, marked ones only.

use crate::pass::TransformPass;
use crate::slice::{At, NIL, Slice, Store, VisibilityColumn};

impl Store {
    /// Descends the marked slices and what inherits from them, and runs the pass over each.
    pub(crate) fn update(&mut self, pass: TransformPass) {
        if !self.slice(At::ROOT.slice).marked {
            return;
        }
        self.updates += 1;
        self.slice_mut(At::ROOT.slice).marked = false;
        let mut pending = core::mem::take(&mut self.descent);
        pending.push(At::ROOT.slice);
        while let Some(number) = pending.pop() {
            let reached = self.slices[number as usize].bring_up_to_date(pass, self.updates);
            self.hand_down(number, reached, &mut pending);
        }
        self.descent = pending;
    }

    /// Has the slices below take over what they inherit, and lists those that have something to do.
    fn hand_down(&mut self, number: u32, reached: bool, pending: &mut Vec<u32>) {
        let slice = &mut self.slices[number as usize];
        let mut marked = core::mem::take(&mut slice.marked_children);
        if reached {
            let children = core::mem::take(&mut slice.children);
            for &child in children.iter().rev() {
                let inherits = self.inherit(child);
                if core::mem::take(&mut self.slices[child as usize].marked) || inherits {
                    pending.push(child);
                }
            }
            self.slices[number as usize].children = children;
        } else {
            for &child in marked.iter().rev() {
                if self.is_marked_child(number, child) {
                    self.inherit(child);
                    self.slices[child as usize].marked = false;
                    pending.push(child);
                }
            }
        }
        marked.clear();
        self.slices[number as usize].marked_children = marked;
    }

    /// Copies what a slice inherits from its portal's effective slots into its bases. Answers whether that changed any.
    pub(crate) fn inherit(&mut self, child: u32) -> bool {
        let above = self.slice(child).portal.slice;
        let [above, child] =
            self.slices.get_disjoint_mut([above as usize, child as usize]).expect("a portal leads to another slice");
        child.inherit_from(above)
    }
}

impl Slice {
    /// Whether anything in the slice waits for an update.
    pub(crate) fn is_dirty(&self) -> bool {
        self.transforms.first_dirty != NIL || self.visibilities.dirty || self.materials.dirty
    }

    /// Computes what is out of date in the slice. Answers whether that reached anything that slices below inherit.
    pub(crate) fn bring_up_to_date(&mut self, pass: TransformPass, update: u64) -> bool {
        self.read = true;
        if self.transforms.first_dirty != NIL {
            self.swept_in = update;
        }
        let moved = pass.sweep(&mut self.transforms);
        let changed = core::mem::take(&mut self.materials.dirty) | self.visibilities.sweep();
        self.version += u64::from(changed);
        moved | changed
    }

    /// Copies what the slice inherits from its portal's effective slots into its bases. Answers whether that changed any.
    pub(crate) fn inherit_from(&mut self, above: &Self) -> bool {
        let row = above.row(self.portal.row);
        let world = above.transforms.worlds[row.transform.index() as usize];
        let mask = above.visibilities.effective[row.visibility.index() as usize];
        let material = above.materials.values[row.material.index() as usize];
        let mut changed = false;
        if self.transforms.worlds[0].to_bits() != world.to_bits() {
            self.transforms.worlds[0] = world;
            self.transforms.mark_all();
            changed = true;
        }
        if self.visibilities.effective[0] != mask {
            self.visibilities.effective[0] = mask;
            self.visibilities.dirty = true;
            changed = true;
        }
        if self.materials.values[0] != material {
            self.materials.values[0] = material;
            self.materials.dirty = true;
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
