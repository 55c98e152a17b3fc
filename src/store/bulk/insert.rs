//! Inserts whole trees into the storage.

use crate::NodeHandle;
use crate::store::columns::{At, NIL};
use crate::store::{Beside, Forest, Membership, Store, Unlinked};
use core::ops::Range;

impl Store {
    /// How many tables this many nodes in this many runs of siblings open at most.
    pub(crate) fn most_tables_of(&self, nodes: usize, runs: usize) -> usize {
        // Nodes too few for slices of their own may each open a table in the slice where they settle.
        if nodes < self.config.min_nodes as usize { nodes } else { self.most_tables(nodes, runs) }
    }

    /// Inserts a tree of checked nodes at a checked place below a parent, or as a detached subtree. There must be room.
    /// Reports the handle of each node.
    pub(crate) fn insert_tree(
        &mut self,
        tree: &impl Forest,
        place: Option<(Beside, At)>,
        mut tell: impl FnMut(u32, NodeHandle),
    ) {
        let count = tree.count() as usize;
        if count < self.config.min_nodes as usize {
            // A tree too small for a slice of its own goes straight to where it belongs.
            let mut handles: Vec<NodeHandle> = Vec::with_capacity(count);
            for number in 0..tree.count() {
                let place = match tree.parent(number) {
                    NIL => place.map(|(place, _)| place),
                    parent => Some(Beside::LastChildOf(handles[parent as usize])),
                };
                let node = tree.nodes().node(tree.head(number));
                let inserted = match place {
                    Some(place) => {
                        let anchor = self.resolve(place.anchor()).expect("the place was checked before");
                        self.insert(place, anchor, &node)
                    }
                    None => self.insert_detached(&node),
                };
                let handle = inserted.expect("room was checked before");
                if let Some(additions) = tree.nodes().additions(tree.head(number)) {
                    self.add(handle, &additions);
                }
                handles.push(handle);
                tell(number, handle);
            }
            return;
        }
        let membership = place.map_or(Membership::Detached, |(_, parent)| self.membership(parent));
        let top = self.build_slices(tree, 0..tree.count(), tell);
        if membership != Membership::Attached {
            // The new slices were not attached while they were built, but they were counted as part of the tree.
            self.note_left(self.top_of(top));
        }
        match place {
            Some((place, _)) => self.relink_subtree(Unlinked::Slice(top), |store| store.settle_at(place, count)),
            None => self.release(Unlinked::Slice(top)),
        }
        *self.counted.of_mut(membership) += count;
    }

    /// Inserts a run of checked independent subtrees, in a slice of its own, behind all children of the root. Reports
    /// the handle of each node.
    pub(crate) fn insert_run(&mut self, forest: &impl Forest, run: Range<u32>, tell: impl FnMut(u32, NodeHandle)) {
        let count = run.len();
        let slice = self.build_slices(forest, run, tell);
        // No slice absorbs it for being small, so the place is beside the portals in the root's slice.
        let last = Beside::LastChildOf(self.root());
        self.insert_portal_where(|store| store.settle_at(last, usize::MAX), slice);
        *self.counted.of_mut(Membership::Attached) += count;
    }
}
