//! Batches: many edits of one kind, made in the order in which the nodes lie in storage.
//!
//! The caller passes a function that checks each item: it returns where the item is edited, or why it cannot be. What
//! the next edits will read is prefetched.

use super::LocalSlot;
use crate::error::BatchError;
use crate::store::bulk::LOCAL_AHEAD;
use crate::store::columns::{At, NIL};
use crate::store::{BatchOrder, Beside, Store};
use crate::{Error, Node, NodeHandle, Transform};
use hedgerow_math::internal::prefetch_whole;

/// How many edits ahead the item itself is prefetched, before its handle is read.
pub(super) const ITEM_AHEAD: usize = 48;

/// How many edits of a run are looked up before they are made: 80 bytes each, which stay in the cache meanwhile.
const RUN: usize = 512;

/// A scene with at most this many nodes stays in the cache, so its edits are made in the given order.
pub(super) const NEAR: usize = 8192;

impl Store {
    /// Whether the scene is so small that it stays in the cache, so that looking ahead gains nothing.
    pub(crate) fn is_near(&self) -> bool {
        self.total_len() <= NEAR
    }
}

impl Store {
    /// Inserts many nodes, each as the last child of its parent, and appends their handles to `handles` in the order of
    /// `items`. There must be room, and handles, for all of them.
    pub(crate) fn insert_many(
        &mut self,
        items: &[(NodeHandle, Node<'_>)],
        handles: &mut Vec<NodeHandle>,
        check: impl Fn(&Self, NodeHandle, &Node<'_>) -> Result<At, Error>,
    ) -> Result<(), BatchError> {
        let mut batch_order =
            self.batch_order(items, |item| item.0, |store, (parent, node)| check(store, *parent, node))?;
        let start = handles.len();
        handles.resize(start + items.len(), self.root());
        let made = &mut handles[start..];
        if self.total_len() <= NEAR {
            for (made, item) in made.iter_mut().zip(items) {
                *made = self.insert_listed(item);
            }
            self.batch_order = batch_order;
            return Ok(());
        }
        let order = batch_order.sorted(&self.slices);
        for (step, &item) in order.iter().enumerate() {
            let ahead = |steps: usize| order.get(step + steps).map(|&item| items[item as usize].0);
            if let Some(&item) = order.get(step + ITEM_AHEAD) {
                prefetch_whole(items, item as usize);
            }
            self.look_ahead(ahead, |slice, row, steps| {
                slice.prefetch_places(row, &items[order[step + steps] as usize].1);
            });
            made[item as usize] = self.insert_listed(&items[item as usize]);
        }
        self.batch_order = batch_order;
        Ok(())
    }

    /// Inserts a node of a checked batch.
    #[inline]
    fn insert_listed(&mut self, (parent, node): &(NodeHandle, Node<'_>)) -> NodeHandle {
        if let Some(handle) = self.insert_usual(*parent, node) {
            return handle;
        }
        let at = self.resolve(*parent).expect("the batch was checked before");
        let place = Beside::LastChildOf(*parent);
        let handle = if node.is_plain() {
            self.insert(place, at, node)
        } else {
            self.insert(place, at, &node.checked().expect("the batch was checked before"))
        };
        handle.expect("the batch was checked before")
    }

    /// Removes many subtrees and returns the number of nodes removed. A node may be listed more than once, or be below
    /// another listed node.
    pub(crate) fn remove_many(
        &mut self,
        nodes: &[NodeHandle],
        check: impl Fn(&Self, NodeHandle) -> Result<At, Error>,
    ) -> Result<usize, BatchError> {
        let mut batch_order = self.batch_order(nodes, |&node| node, |store, &node| check(store, node))?;
        let mut removed = 0;
        if self.total_len() <= NEAR {
            removed += nodes.iter().map(|&node| self.remove_listed(node)).sum::<usize>();
            self.batch_order = batch_order;
            return Ok(removed);
        }
        let order = batch_order.sorted(&self.slices);
        for (step, &item) in order.iter().enumerate() {
            let ahead = |steps: usize| order.get(step + steps).map(|&item| nodes[item as usize]);
            self.look_ahead(ahead, |slice, row, _| {
                let row = slice.row(row);
                for neighbour in [row.previous, row.next].map(|beside| if beside == NIL { row.parent } else { beside })
                {
                    slice.prefetch_row(neighbour);
                }
            });
            removed += self.remove_listed(nodes[item as usize]);
        }
        self.batch_order = batch_order;
        Ok(removed)
    }

    /// Removes the subtree of a checked batch item. Returns the number of nodes removed, 0 if an earlier item removed
    /// it.
    #[inline]
    fn remove_listed(&mut self, node: NodeHandle) -> usize {
        match self.remove_shortly(node) {
            Some(()) => 1,
            None => self.resolve(node).map_or(0, |at| self.remove(node, at)),
        }
    }

    /// Detaches many subtrees. A node may be listed more than once, or be below another listed node: then it becomes
    /// the root of a detached subtree of its own.
    pub(crate) fn detach_many(
        &mut self,
        nodes: &[NodeHandle],
        check: impl Fn(&Self, NodeHandle) -> Result<At, Error>,
    ) -> Result<(), BatchError> {
        let mut batch_order = self.batch_order(nodes, |&node| node, |store, &node| check(store, node))?;
        let order = batch_order.sorted(&self.slices);
        for (step, &item) in order.iter().enumerate() {
            let ahead = |steps: usize| order.get(step + steps).map(|&item| nodes[item as usize]);
            self.look_ahead(ahead, |slice, row, _| slice.prefetch_moved(row));
            let at = self.resolve(nodes[item as usize]).expect("the batch was checked before");
            if !self.is_detached_root(at) {
                self.detach(at);
            }
        }
        self.batch_order = batch_order;
        Ok(())
    }

    /// Sets the local transforms of many nodes that have one. If a node is listed twice, the last one counts. `check`
    /// looks at an item more closely.
    pub(crate) fn set_many(
        &mut self,
        items: &[(NodeHandle, Transform)],
        check: impl Fn(&Self, NodeHandle, &Transform) -> Result<LocalSlot, Error>,
    ) -> Result<(), BatchError> {
        let mut slots = core::mem::take(&mut self.local_slots);
        slots.clear();
        let kept = slots.capacity();
        let mut all_plain = true;
        for (index, (node, transform)) in items.iter().enumerate() {
            self.look_ahead_for_entries(|steps| items.get(index + steps).map(|item| item.0));
            let usual = if transform.is_plain() { self.local_slot_of(*node) } else { None };
            if let Some(slot) = usual {
                slots.push(slot);
                continue;
            }
            all_plain = false;
            match check(self, *node, transform) {
                Ok(slot) => slots.push(slot),
                Err(error) => {
                    slots.clear();
                    slots.shrink_to(kept);
                    self.local_slots = slots;
                    return Err(BatchError::at(index, error));
                }
            }
        }
        self.set_slots(&slots, all_plain, |at| Some(&items.get(at)?.1));
        self.local_slots = slots;
        Ok(())
    }

    /// Sets local transforms in order, up to the first `item` whose node has none or whose transform is refused, or up to
    /// as many as stay in the cache meanwhile. Returns how many were set.
    pub(crate) fn set_run<'t>(&mut self, item: impl Fn(usize) -> Option<(NodeHandle, &'t Transform)>) -> usize {
        let mut slots = core::mem::take(&mut self.local_slots);
        slots.clear();
        let mut all_plain = true;
        while slots.len() < RUN
            && let Some((node, transform)) = item(slots.len())
        {
            self.look_ahead_for_entries(|steps| item(slots.len() + steps).map(|(node, _)| node));
            let Some(slot) = self.local_slot_of(node) else { break };
            if !transform.is_plain() {
                if transform.checked().is_err() {
                    break;
                }
                all_plain = false;
            }
            slots.push(slot);
        }
        self.set_slots(&slots, all_plain, |at| item(at).map(|(_, transform)| transform));
        let set = slots.len();
        self.local_slots = slots;
        set
    }

    /// Sets local transforms at their places; all of them are stored as they are, or some have yet to be normalised.
    ///
    /// They come by reference: a copy on the stack is written and read in pieces that differ, and then the processor
    /// waits until all stores before it are done.
    #[inline(always)]
    fn set_slots<'t>(&mut self, slots: &[LocalSlot], all_plain: bool, local: impl Fn(usize) -> Option<&'t Transform>) {
        for &slot in slots.iter().take(LOCAL_AHEAD) {
            self.prefetch_local(slot);
        }
        for (index, &slot) in slots.iter().enumerate() {
            if let Some(&ahead) = slots.get(index + LOCAL_AHEAD) {
                self.prefetch_local(ahead);
            }
            match local(index) {
                Some(local) if all_plain || local.is_plain() => self.set_slot(slot, local),
                Some(local) => self.set_slot(slot, &local.checked().expect("checked when it was looked up")),
                None => {}
            }
        }
    }

    /// Checks the items of a batch in order, and returns the order in which to make the edits.
    fn batch_order<I>(
        &mut self,
        items: &[I],
        handle: impl Fn(&I) -> NodeHandle,
        check: impl Fn(&Self, &I) -> Result<At, Error>,
    ) -> Result<BatchOrder, BatchError> {
        let mut batch_order = core::mem::take(&mut self.batch_order).restart();
        let kept = batch_order.capacity();
        for (index, item) in items.iter().enumerate() {
            self.look_ahead_for_entries(|steps| items.get(index + steps).map(&handle));
            match check(self, item) {
                Ok(at) => batch_order.add(index, at),
                Err(error) => {
                    batch_order.shrink_to(kept);
                    self.batch_order = batch_order;
                    return Err(BatchError::at(index, error));
                }
            }
        }
        Ok(batch_order)
    }
}
