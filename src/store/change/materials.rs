//! Which nodes may show another material: those of which edits are told that decide about it, and those that inherit
//! from them.
//!
//! Found when somebody reads, so that edits and updates pay nothing for it.

use crate::NodeHandle;
use crate::store::Membership;
use crate::store::change::reading::{ReadScratch, Reading};
use crate::store::change::{ChangeKinds, ChangeLists};

/// The edits of a node that decide about the material that it shows.
const DECIDE: ChangeKinds = ChangeKinds::OWN_MATERIAL.or(ChangeKinds::PARENT);

impl Reading<'_> {
    /// Adds [`ChangeKinds::MATERIAL`] to what is told of nodes that were in the scene all the time. Too many nodes may
    /// be told of where edits since the last update moved them.
    pub(super) fn materials(&self, lists: &mut ChangeLists, scratch: &mut ReadScratch) {
        if !self.kinds.contains(ChangeKinds::MATERIAL) {
            return;
        }
        let told = lists.edited.len();
        let mut any = false;
        for place in 0..told {
            let (node, _) = lists.edited[place];
            if let Some(kinds) = scratch.lasting_edits(node).filter(|kinds| kinds.intersects(DECIDE)) {
                any = true;
                self.inheritors(node, kinds, lists, scratch);
            }
        }
        if any {
            // As of the last update these may have been below one of those.
            for (node, kinds) in self.feed.pending_edits().filter(|(_, kinds)| kinds.intersects(DECIDE)) {
                self.inheritors(node, kinds, lists, scratch);
            }
            self.feed.pending_departures().for_each(|node| _ = self.tell_material(node, lists, scratch));
        }
    }

    /// Tells of a node, unless the edits leave its own material alone, and of all that inherit from it.
    fn inheritors(&self, node: NodeHandle, kinds: ChangeKinds, lists: &mut ChangeLists, scratch: &mut ReadScratch) {
        let store = self.store;
        let Some(top) = store.resolve(node) else { return };
        if !kinds.contains(ChangeKinds::OWN_MATERIAL) && store.own_material_at(top).is_some() {
            return;
        }
        let mut next = Some(top);
        while let Some(at) = next {
            let inherits = at == top || store.own_material_at(at).is_none();
            // What is below a node that was told of was told of, too.
            let descend = inherits && self.tell_material(store.handle(at), lists, scratch);
            next = store.next_in_subtree(top, at, descend);
        }
    }

    /// Tells of one node. Returns false if that was done before.
    fn tell_material(&self, node: NodeHandle, lists: &mut ChangeLists, scratch: &mut ReadScratch) -> bool {
        let Some(at) = self.store.resolve(node) else { return true };
        if !self.feed.was_attached(node, self.store.membership(at) == Membership::Attached) {
            return true;
        }
        let known = scratch.add_edits(node, ChangeKinds::MATERIAL);
        if known.is_empty() {
            lists.edited.push((node, ChangeKinds::NONE));
        }
        !known.contains(ChangeKinds::MATERIAL)
    }
}
