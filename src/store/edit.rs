//! Edits of the tree. Each has one implementation, sets a few values in records, and sets bits of one mask or adds a node
//! to a list. Edits of components are in [`components_of_node`](super::components_of_node).

use crate::NodeHandle;
use crate::store::Store;
use crate::store::change_kinds::ChangeKinds;
use crate::store::components::Components;
use crate::store::links::Position;
use crate::store::nodes::Nodes;
use crate::store::page::NodeState;
use crate::store::pending::Pending;
use crate::store::record::{Has, Link, Record, RecordId};
use crate::store::slices::Slices;
use crate::{Error, Local, Node, Transform};

impl Nodes {
    /// Inserts a node whose description is checked.
    ///
    /// # Errors
    /// [`Error::CapacityOverflow`] if all records are in use.
    #[inline]
    pub(crate) fn insert(&mut self, at: Position, node: &Node<'_>) -> Result<NodeHandle, Error> {
        let transform = match &node.local {
            Some(Local::Transform(transform)) => transform,
            Some(Local::Matrix(_)) | None => &Transform::IDENTITY,
        };
        let has = Has::of(node);
        let handle = self.insert_record(at, transform, has, node.material)?;
        self.insert_parts(handle.record(), node, has);
        Ok(handle)
    }

    /// Inserts a node with these components, of which those outside of the record must be stored afterwards.
    ///
    /// # Errors
    /// The errors of [`Self::insert`].
    #[inline(always)]
    pub(crate) fn insert_record(
        &mut self,
        at: Position,
        transform: &Transform,
        has: Has,
        material: Option<u32>,
    ) -> Result<NodeHandle, Error> {
        let handle = self.pages.take()?;
        let id = handle.record();
        // An append writes the parent's line next, so this read costs no miss of its own.
        let outside = self.pages.record(at.parent).has.has(Has::DETACHED);
        let has = has.with(Has::MATERIAL, material.is_some()).with(Has::DETACHED, outside);
        let links = self.pages.link_new(id, at);
        // The update finds the node in the list; until then, its location is its index there.
        let location = self.inbox.push(id);
        let record = Record { local: (*transform).into(), links, has, material: material.unwrap_or(0) };
        self.pages.write_new(handle, at.parent, location, record);
        self.detached += usize::from(outside);
        Ok(handle)
    }

    /// Records an edit of a node for the update and for readers of changes.
    #[inline]
    pub(crate) fn mark(&mut self, id: RecordId, bits: Pending) {
        let bits = bits.and(self.inbox.read);
        if bits != Pending::NONE {
            self.pages.mark(id, bits);
        }
    }

    /// Removes a node with everything below it. Returns the number of nodes removed.
    #[inline(always)]
    fn remove(&mut self, id: RecordId, slices: &mut Slices) -> usize {
        debug_assert!(id != RecordId::ROOT);
        if self.pages.record(id).is_leaf() {
            self.release(id, true, slices);
            return 1;
        }
        self.pages.unlink(&self.pages.state(id));
        self.remove_below(id, slices)
    }

    fn remove_below(&mut self, top: RecordId, slices: &mut Slices) -> usize {
        let mut stack = core::mem::take(&mut self.stack);
        stack.push(top);
        let mut count = 0;
        while let Some(id) = stack.pop() {
            // Links are read before the record is freed.
            let mut child = self.pages.link(id, Link::First);
            while !child.is_nil() {
                stack.push(child);
                child = self.pages.link(child, Link::Next);
            }
            self.release(id, false, slices);
            count += 1;
        }
        // Do not keep the memory of a stack that a million siblings filled.
        stack.shrink_to(1 << 12);
        self.stack = stack;
        count
    }

    /// Frees the record of a node and all its components. If the node is `linked`, unlinks it.
    #[inline(always)]
    pub(crate) fn release(&mut self, id: RecordId, linked: bool, slices: &mut Slices) {
        if self.inbox.tracks_changes {
            // Readers learn of nodes that they know; of others, only that the handle is stale.
            self.inbox.list_removed(self.pages.handle(id), self.pages.record(id).has.has(Has::REPORTED));
        }
        // The state has the node's links, by which the neighbours are linked around it below.
        let state = self.pages.release(id);
        if linked {
            self.pages.unlink(&state);
        }
        let NodeState { has, location, pending, .. } = state;
        if has.has(Components::ALL) {
            // Most nodes with rare components have only a drawable.
            if has.has(Has::DRAWABLE) {
                self.components.drawable.remove(id);
            }
            let others = has.without(Has::DRAWABLE);
            if others.has(Components::ALL) {
                self.components.remove_all(id, others);
            }
        }
        // A subtree outside of the tree is removed like any other, but was not counted among its nodes.
        self.detached -= usize::from(has.has(Has::DETACHED));
        match location.as_waiting() {
            Some(index) => self.inbox.remove(&mut self.pages, index),
            None => slices.free_row(location, has, pending.has(Pending::RESHAPED)),
        }
    }

    /// Moves a node with everything below it. The position must not be in the node's subtree or relative to the node.
    #[inline]
    pub(crate) fn relocate(&mut self, id: RecordId, to: Position) {
        debug_assert!(id != RecordId::ROOT && to.next != id);
        let state = self.pages.state(id);
        let NodeState { has, parent, .. } = state;
        self.pages.unlink(&state);
        self.pages.link_at(id, to);
        let outside = self.pages.record(to.parent).has.has(Has::DETACHED);
        if has.has(Has::DETACHED) != outside {
            // Each node knows on its own where it is, so that no read has to climb to the root.
            self.set_outside(id, outside);
        }
        // A node that moves among its siblings keeps its row.
        let same = parent == to.parent;
        self.mark(
            id,
            if same { Pending::of(ChangeKinds::ORDER) } else { Pending::MOVED | Pending::of(ChangeKinds::PARENT) },
        );
    }

    /// Marks a whole subtree as outside of the tree, or inside.
    #[cold]
    fn set_outside(&mut self, top: RecordId, outside: bool) {
        let mut at = Some(top);
        let mut count = 0;
        while let Some(id) = at {
            let record = self.pages.record_mut(id);
            record.has = record.has.with(Has::DETACHED, outside);
            self.mark(id, Pending::PRESENCE);
            count += 1;
            at = self.pages.next_in_subtree(top, id, true);
        }
        if outside {
            self.detached += count;
        } else {
            self.detached -= count;
        }
    }

    /// Puts the children of a node in this order. `children` has all of them.
    pub(crate) fn order_children(&mut self, parent: RecordId, children: &[RecordId]) {
        children.iter().for_each(|&child| self.mark(child, Pending::of(ChangeKinds::ORDER)));
        self.pages.link_children(parent, children);
    }
}

/// Removals: the only edits that change slices, because removed nodes vanish at once.
impl Store {
    /// Removes a node with everything below it. Returns the number of nodes removed.
    #[inline(always)]
    pub(crate) fn remove(&mut self, id: RecordId) -> usize {
        self.nodes.remove(id, &mut self.slices)
    }

    /// Removes all nodes except the root, whose handle stays valid.
    pub(crate) fn clear(&mut self) {
        let mut tops: Vec<RecordId> = self.nodes.pages.children(RecordId::ROOT).collect();
        tops.extend(self.nodes.pages.children(RecordId::LIMBO));
        // The reverse order makes later inserts reuse records in the order in which they were created.
        for top in tops.into_iter().rev() {
            self.remove(top);
        }
    }
}
