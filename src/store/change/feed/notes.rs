//! What edits note for the change feed.

use crate::Mat34;
use crate::NodeHandle;
use crate::store::change::ChangeKinds;
use crate::store::columns::At;
use crate::store::{Feed, Membership, Slice, Store};
use std::collections::TryReserveError;

impl Store {
    /// Notes that a node was inserted.
    #[cold]
    #[inline(never)]
    pub(in crate::store) fn note_new(&mut self, slice: u32, node: NodeHandle) {
        let Self { slices, tables, feed, .. } = self;
        if let Some(feed) = feed {
            feed.enter_new(node);
            if slices[slice as usize].membership != Membership::Attached {
                feed.leave(node);
            }
            // Without updates, nodes that came and went are weeded out here.
            if feed.came.len() > feed.came_limit {
                feed.came.retain(|&node| tables.resolve(node).is_some());
                feed.came_limit = 1024.max(2 * feed.came.len());
            }
        }
    }

    /// Notes that a detached subtree is part of the tree again. Runs in O(nodes).
    pub(in crate::store) fn note_attached(&mut self, top: At) {
        self.note_subtree(top, Feed::enter_again);
    }

    /// Notes that a subtree is about to be removed. Runs in O(nodes).
    pub(in crate::store) fn note_removed(&mut self, top: At) {
        let attached = self.slice(top.slice).membership == Membership::Attached;
        self.note_subtree(top, if attached { Feed::remove } else { Feed::remove_detached });
    }

    /// Notes that a subtree is about to be detached, if it is part of the tree. Runs in O(nodes).
    pub(in crate::store) fn note_left(&mut self, top: At) {
        if self.slice(top.slice).membership == Membership::Attached {
            self.note_subtree(top, Feed::leave);
        }
    }

    /// The place of a node if it is part of the tree.
    pub(in crate::store) fn resolve_attached(&self, node: NodeHandle) -> Option<At> {
        self.resolve(node).filter(|at| self.slice(at.slice).membership == Membership::Attached)
    }

    pub(in crate::store) fn matrix_at(&self, at: At) -> &Mat34 {
        &self.slice(at.slice).transforms.worlds[self.row(at).transform.index() as usize]
    }

    /// The world matrix that a node's slot had after the update before the last.
    pub(in crate::store) fn slot_previous_at(&self, at: At) -> &Mat34 {
        self.slice(at.slice).transforms.previous(self.row(at).transform.index())
    }

    pub(in crate::store) fn mask_at(&self, at: At) -> u32 {
        self.slice(at.slice).visibilities.effective[self.row(at).visibility.index() as usize]
    }

    fn note_subtree(&mut self, top: At, note: fn(&mut Feed, NodeHandle)) {
        let Self { slices, feed, .. } = self;
        let Some(feed) = feed else { return };
        let mut below = Vec::new();
        let slice = &slices[top.slice as usize];
        let mut visit = |slice: &Slice, row: u32, below: &mut Vec<u32>| {
            let occupant = slice.row(row).occupant;
            occupant.as_node().into_iter().for_each(|node| note(feed, node));
            below.extend(occupant.as_portal());
        };
        slice.subtree(top.row).for_each(|row| visit(slice, row, &mut below));
        while let Some(number) = below.pop() {
            let slice = &slices[number as usize];
            slice.row_slots.iter().for_each(|row| visit(slice, row, &mut below));
        }
    }

    /// Notes the matrices and masks of a row and the rows below it, before their effective slots change because they
    /// inherit from another parent.
    pub(in crate::store) fn note_relinked(&mut self, number: u32, top: u32) {
        let Some(feed) = &mut self.feed else { return };
        let slice = &self.slices[number as usize];
        let row = slice.row(top);
        if row.transform.as_own().is_none() {
            slice.note_previous_transforms(top, feed);
        }
        if row.visibility.as_own().is_none() {
            slice.note_previous_masks(top, feed);
        }
    }

    /// Notes the matrices of a row and the rows below it, before they lose the row's transform.
    pub(in crate::store) fn note_lost_transform(&mut self, at: At) {
        if let Some(feed) = &mut self.feed {
            self.slices[at.slice as usize].note_previous_transforms(at.row, feed);
        }
    }

    /// Notes the masks of a row and the rows below it, before they lose the row's visibility.
    pub(in crate::store) fn note_lost_visibility(&mut self, at: At) {
        if let Some(feed) = &mut self.feed {
            self.slices[at.slice as usize].note_previous_masks(at.row, feed);
        }
    }

    /// Notes what an edit changes of a node.
    #[inline]
    pub(in crate::store) fn note_edit(&mut self, at: At, kinds: ChangeKinds) {
        if self.feed.is_some() {
            self.note_edit_at_length(at, kinds);
        }
    }

    #[cold]
    fn note_edit_at_length(&mut self, at: At, kinds: ChangeKinds) {
        let node = self.handle(at);
        if let Some(feed) = &mut self.feed {
            feed.note_edit(node, kinds);
        }
    }

    /// Begins to count the frames of slots again before their numbers end. Readers are told to read everything.
    pub(in crate::store) fn rebase_history(&mut self) {
        let Self { slices, feed, frames, .. } = self;
        let Some(feed) = feed.as_deref_mut().filter(|feed| feed.slot_frame(*frames) == u32::MAX) else { return };
        feed.origin = *frames - 1;
        feed.log.forget(feed.origin);
        feed.previous_transforms.iter_mut().for_each(|(_, past)| past.moved = 0);
        feed.previous_masks.iter_mut().for_each(|(_, past)| past.changed = 0);
        slices.iter_mut().for_each(Slice::forget_frames);
    }

    /// Marks every node and every array as new, in a store that was just read.
    pub(in crate::store) fn note_all_new(&mut self) -> Result<(), TryReserveError> {
        self.reserve_layouts()?;
        for number in 0..u32::try_from(self.slices.len()).expect("nodes, and so slices, number less than 2^31") {
            if self.slices[number as usize].is_in_use() {
                self.note_layout(number);
            }
        }
        let Self { slices, tables, feed, counted, .. } = self;
        let Some(feed) = feed else { return Ok(()) };
        feed.flags.try_reserve(tables)?;
        feed.came.try_reserve_exact(counted.total())?;
        for slice in slices.iter_mut().filter(|slice| slice.is_in_use()) {
            slice.try_begin_trace()?;
            for node in slice.rows.iter().filter_map(|row| row.occupant.as_node()) {
                feed.enter_new(node);
                if slice.membership != Membership::Attached {
                    feed.leave(node);
                }
            }
        }
        Ok(())
    }

    /// Notes that a slice was rebuilt: records the new owners of its slots.
    pub(in crate::store) fn note_rebuilt(&mut self, number: u32) {
        self.note_layout(number);
        if let Some(feed) = &mut self.feed {
            let slice = &mut self.slices[number as usize];
            (0..slice.row_slots.end()).for_each(|row| slice.trace_owner(row));
            feed.list_uncommitted(number, slice);
        }
    }

    /// Commits the history of every slice, before a visitor may recompute what the last update computed.
    pub(in crate::store) fn commit_all_previous(&mut self) {
        let Self { slices, feed, .. } = self;
        let Some(feed) = feed else { return };
        for number in feed.uncommitted.drain() {
            if let Some(slice) = slices.get_mut(number as usize) {
                slice.transforms.commit_previous();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Node, NodeHandle, Scene, SceneConfig};

    #[test]
    fn the_list_of_new_nodes_is_weeded_out_when_it_has_doubled() {
        let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
        let top = scene.insert(scene.root(), Node::group()).unwrap();
        let mut limits = Vec::new();
        let mut insert = |scene: &mut Scene| {
            let node = scene.insert(top, Node::group()).unwrap();
            let feed = scene.store.feed.as_deref().unwrap();
            assert!(feed.came.len() <= feed.came_limit, "{} of {}", feed.came.len(), feed.came_limit);
            limits.push(feed.came_limit);
            node
        };
        let nodes: Vec<NodeHandle> = (0..5000).map(|_| insert(&mut scene)).collect();
        // Those that are gone again make room for others.
        nodes.into_iter().for_each(|node| _ = scene.remove(node).unwrap());
        (0..10_000).for_each(|_| {
            let node = insert(&mut scene);
            scene.remove(node).unwrap();
        });
        limits.dedup();
        assert!(limits.len() < 16, "weeded out at {limits:?}");
        assert!(limits.iter().all(|&limit| limit <= 10_010));
    }
}
