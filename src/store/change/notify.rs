//! The notifier: what an edit must report, by what happened.
//!
//! | call | what happened | who must know |
//! |---|---|---|
//! | [`tell_moved`](Store::tell_moved) | an input of the update changed | the update |
//! | [`tell_edited`](Store::tell_edited) | rows or components came, left or moved | draw lists, maintenance, boxes, cached handles |
//! | [`tell_edited_and_moved`](Store::tell_edited_and_moved) | both | all of these |
//! | [`tell_rebuilt`](Store::tell_rebuilt) | rows and slots are others, with the same nodes; or they wait to be freed | draw lists, cached handles |
//! | [`tell_changed`](Store::tell_changed) | values changed, rows and slots did not | draw lists |
//! | [`tell_hung_elsewhere`](Store::tell_hung_elsewhere) | the tree of slices changed | draw lists |
//! | [`tell_bounds`](Store::tell_bounds) | bounds of shapes changed | boxes |
//!
//! The change feed needs the old places and values, so an edit reports them in `feed` before it changes anything.

use crate::store::columns::At;
use crate::store::{Slice, Store};

impl Store {
    /// Reports that an input of the update changed in a slice: a local transform, a mask, a material, or what the slice
    /// inherits.
    ///
    /// Marks the slice for the update, and the slices above as having a marked slice below them.
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

    /// Reports that bounds in a slice changed, so that its world boxes are computed again if the scene keeps any.
    pub(in crate::store) fn tell_bounds(&mut self, slice: u32) {
        if self.config.bounds {
            self.tell_moved(slice);
        }
    }

    /// Reports that rows of a slice, or their components, were added, removed or moved.
    ///
    /// Draw lists see the new version, and maintenance will look at the slice. Boxes are updated after every edit, even
    /// if no transform is affected.
    #[inline]
    pub(in crate::store) fn tell_edited(&mut self, slice: u32) {
        self.versions += 1;
        self.tell_bounds(slice);
        let edited = &mut self.slices[slice as usize];
        edited.begin_version(self.versions);
        self.list_for_maintenance(slice);
    }

    /// Reports that the nodes of a slice have other rows and slots, or wait to be freed with it.
    #[inline]
    pub(in crate::store) fn tell_rebuilt(&mut self, slice: u32) {
        self.versions += 1;
        self.slices[slice as usize].begin_version(self.versions);
    }

    /// Reports that a slice was edited and that its derived values must be computed again: [`Self::tell_edited`] and
    /// [`Self::tell_moved`].
    ///
    /// Most slices were already edited since the last update. Then one comparison shows that only the version must
    /// change.
    #[inline(always)]
    pub(in crate::store) fn tell_edited_and_moved(&mut self, slice: u32) {
        if !self.slices[slice as usize].tell_edited_here(&mut self.versions, true) {
            self.tell_first(slice, true);
        }
    }

    /// The rest of [`Slice::tell_edited_here`]: reports the first edit since the last update, or since the last
    /// maintenance.
    #[cold]
    #[inline(never)]
    pub(in crate::store) fn tell_first(&mut self, slice: u32, update: bool) {
        if update {
            self.tell_moved(slice);
        }
        self.tell_edited(slice);
    }

    /// Reports that values in a slice changed, but not its rows and slots: copies of the values must be made again.
    #[inline]
    pub(in crate::store) fn tell_changed(&mut self, slice: u32) {
        self.versions += 1;
        self.slices[slice as usize].version = self.versions;
    }

    /// Reports that a slice was moved within the tree of slices, or detached from it.
    #[inline]
    pub(in crate::store) fn tell_hung_elsewhere(&mut self) {
        self.versions += 1;
    }
}

/// The lists of what was reported.
impl Store {
    /// Adds a marked slice to the list of the slice above, to which it was just attached.
    pub(in crate::store) fn list_marked_child(&mut self, slice: u32, child: u32) {
        let mut list = core::mem::take(&mut self.slices[slice as usize].marked_children);
        // Children that were moved away or removed stay listed until the update. Without updates they are weeded out
        // here.
        if list.len() > 16 + 2 * self.slices[slice as usize].children.len() {
            list.sort_unstable();
            list.dedup();
            list.retain(|&child| self.is_marked_child(slice, child));
        }
        list.push(child);
        self.slices[slice as usize].marked_children = list;
    }

    /// Whether a listed child is still attached below `slice` and still marked.
    pub(in crate::store) fn is_marked_child(&self, slice: u32, child: u32) -> bool {
        self.slices.get(child as usize).is_some_and(|child| child.is_marked_below(slice))
    }

    /// Lists a slice for maintenance, and reports to nobody else.
    #[inline]
    pub(in crate::store) fn list_for_maintenance(&mut self, slice: u32) {
        if !core::mem::replace(&mut self.slices[slice as usize].edited, true) {
            self.list_edited(slice);
        }
    }

    #[cold]
    fn list_edited(&mut self, slice: u32) {
        // Removed slices stay listed until maintenance. Without maintenance they are weeded out here.
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
    /// Reports an edit as far as the slice itself can; for edits that have borrowed the store in parts.
    ///
    /// Returns whether that was all, because maintenance knows of the slice already, and the update too if `update` is
    /// set. If not, the caller must call [`Store::tell_first`]. In scenes with bounds every edit counts as an update.
    #[inline(always)]
    #[must_use = "where others do not know yet they are to be told"]
    pub(in crate::store) fn tell_edited_here(&mut self, versions: &mut u64, update: bool) -> bool {
        *versions += 1;
        self.begin_version(*versions);
        self.edited & (self.marked | !update)
    }

    /// Whether anything in the slice waits for an update.
    pub(in crate::store) fn is_dirty(&self) -> bool {
        self.visibilities.dirty || self.materials.dirty || self.transforms.waits
    }

    /// Whether the slice is attached below `above` and waits for an update.
    pub(in crate::store) fn is_marked_below(&self, above: u32) -> bool {
        self.marked && self.portal.slice == above
    }
}

#[cfg(test)]
mod tests {
    use crate::store::Store;
    use crate::visit::TransformPass;
    use crate::{Node, Scene, SceneConfig, Transform, Visibility};

    /// A scene of two slices and a detached one, up to date.
    fn scene() -> Scene {
        let config = SceneConfig { changes: true, min_nodes: 0, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        let node = || Node::transform(Transform::from_xyz(1.0, 2.0, 3.0)).with_visibility(Visibility::layers(3));
        let [car, seat] = [(); 2].map(|()| scene.insert(scene.root(), node()).unwrap());
        let shelf = scene.insert(car, node()).unwrap();
        scene.reparent(seat, car, crate::Keep::Local).unwrap();
        scene.detach(shelf).unwrap();
        scene.update();
        scene.validate().unwrap();
        scene
    }

    fn marked(store: &Store) -> usize {
        store.slices.iter().filter(|slice| slice.marked).count()
    }

    #[test]
    fn a_visit_that_changes_nothing_leaves_nothing_to_the_update() {
        let mut scene = scene();
        scene.visit_slices_mut(&mut TransformPass::dirty());
        assert_eq!(marked(&scene.store), 0);
        let root = scene.root();
        scene.set_local(root, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        assert!(marked(&scene.store) > 0);
    }
}
