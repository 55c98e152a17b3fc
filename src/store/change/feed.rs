//! The change feed: reports by node what edits noted and what updates changed.

use crate::Mat34;
use crate::NodeHandle;
use crate::store::allocation::Bits;
use crate::store::change::Numbers;
use crate::store::{Membership, Slice, Store, Tables};
use std::collections::TryReserveError;

mod notes;

/// Flags of a handle's entry in this frame; one byte each.
mod flag {
    /// The entry's live node was not in the scene after the last update.
    pub(super) const NEW: u8 = 1;
    /// The live node is not in the scene now either.
    pub(super) const HIDDEN: u8 = 2;
    /// The entry's node that was in the scene after the last update has left it.
    pub(super) const GONE: u8 = 4;
    /// The node is listed with the matrix that it had.
    pub(super) const PREVIOUS_TRANSFORM: u8 = 8;
    /// The node is listed with the mask that it had.
    pub(super) const PREVIOUS_MASK: u8 = 16;
    /// The live node entered with the last update.
    pub(super) const ENTERED: u8 = 32;
    /// The node that was in the scene after the last update left it, and may have returned.
    pub(super) const WENT: u8 = 64;
}

/// Flags by the entry of a handle in its metadata table. At any time at most one node has an entry.
#[derive(Clone, Debug, Default)]
struct Flags {
    tables: Vec<Vec<u8>>,
}

impl Flags {
    #[inline]
    fn has(&self, node: NodeHandle, flags: u8) -> bool {
        let entry = self.tables.get(node.table() as usize).and_then(|table| table.get(node.index() as usize));
        entry.is_some_and(|entry| entry & flags != 0)
    }

    #[inline]
    fn entry(&mut self, node: NodeHandle) -> &mut u8 {
        let (table, index) = (node.table() as usize, node.index() as usize);
        if table >= self.tables.len() {
            self.tables.resize(table + 1, Vec::new());
        }
        let table = &mut self.tables[table];
        if index >= table.len() {
            table.resize((index + 1).next_power_of_two(), 0);
        }
        &mut table[index]
    }

    /// Makes room for the flags of all existing entries.
    fn try_reserve(&mut self, tables: &Tables) -> Result<(), TryReserveError> {
        self.tables.try_reserve_exact(tables.tables.len().saturating_sub(self.tables.len()))?;
        self.tables.resize(tables.tables.len().max(self.tables.len()), Vec::new());
        for (flags, table) in self.tables.iter_mut().zip(&tables.tables) {
            let room = table.entries.len().next_power_of_two();
            flags.try_reserve_exact(room.saturating_sub(flags.len()))?;
        }
        Ok(())
    }

    fn clear(&mut self, node: NodeHandle, flags: u8) {
        *self.entry(node) &= !flags;
    }
}

/// Logs of this frame's edits, and what the last update made of the logs of the frame before.
///
/// Everything is appended in the order of edits and of the update's descent, so it is the same from run to run. Without
/// updates no log grows without bound: the flags keep a node from being listed twice, nodes that came and were removed
/// again are weeded out, and so are slices that are listed twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feed {
    flags: Flags,
    /// Nodes that entered the scene; some may have left it again.
    came: Vec<NodeHandle>,
    /// How long `came` may become before the nodes that have left are weeded out.
    came_limit: usize,
    /// Nodes that were in the scene after the last update and left it; some may have returned.
    went: Vec<NodeHandle>,
    /// Nodes that now inherit another slot's matrix, each with its matrix after the last update.
    previous_transforms: Vec<(NodeHandle, Mat34)>,
    /// Nodes that now inherit another slot's mask, each with its mask after the last update.
    previous_masks: Vec<(NodeHandle, u32)>,
    /// Slices with uncommitted slots.
    pub(in crate::store) uncommitted: Numbers,
    /// The slices whose slots the present update commits.
    committing: Numbers,
    pub(in crate::store) moved: Vec<NodeHandle>,
    pub(in crate::store) visibility: Vec<NodeHandle>,
    pub(in crate::store) entered: Vec<NodeHandle>,
    pub(in crate::store) left: Vec<NodeHandle>,
    /// The `previous_transforms` of the frame before the last update, by handle.
    recalled: Vec<(NodeHandle, Mat34)>,
    /// Slots that changed in the slice being processed, also as a set. Kept to save allocations.
    slots: Vec<u32>,
    members: Bits,
}

/// What edits note.
impl Feed {
    /// Notes that a node was inserted.
    #[inline]
    pub(in crate::store) fn enter_new(&mut self, node: NodeHandle) {
        let entry = self.flags.entry(node);
        *entry = *entry & !(flag::HIDDEN | flag::ENTERED) | flag::NEW;
        self.came.push(node);
    }

    /// Notes that a node that was outside the scene is part of it again.
    pub(in crate::store) fn enter_again(&mut self, node: NodeHandle) {
        let entry = self.flags.entry(node);
        if *entry & flag::NEW != 0 {
            // It is already listed in `came`.
            *entry &= !flag::HIDDEN;
        } else if *entry & flag::GONE != 0 {
            *entry &= !flag::GONE;
        } else {
            *entry |= flag::NEW;
            self.came.push(node);
        }
    }

    /// Notes that a node was removed from the scene or detached.
    #[inline]
    pub(in crate::store) fn leave(&mut self, node: NodeHandle) {
        let entry = self.flags.entry(node);
        if *entry & flag::NEW != 0 {
            *entry |= flag::HIDDEN;
            return;
        }
        let is_listed = *entry & flag::WENT != 0;
        *entry |= flag::GONE | flag::WENT;
        if !is_listed {
            self.went.push(node);
        }
    }

    /// Whether a node was not in the scene after the last update.
    #[inline]
    pub(in crate::store) fn is_new(&self, node: NodeHandle) -> bool {
        self.flags.has(node, flag::NEW)
    }

    /// Notes the matrix that a node had, only the first time in a frame.
    pub(in crate::store) fn note_previous_transform(&mut self, node: NodeHandle, world: &Mat34) {
        let entry = self.flags.entry(node);
        if *entry & (flag::NEW | flag::PREVIOUS_TRANSFORM) == 0 {
            *entry |= flag::PREVIOUS_TRANSFORM;
            self.previous_transforms.push((node, *world));
        }
    }

    /// Notes the mask that a node had, only the first time in a frame.
    pub(in crate::store) fn note_previous_mask(&mut self, node: NodeHandle, mask: u32) {
        let entry = self.flags.entry(node);
        if *entry & (flag::NEW | flag::PREVIOUS_MASK) == 0 {
            *entry |= flag::PREVIOUS_MASK;
            self.previous_masks.push((node, mask));
        }
    }

    /// Notes that a slice has uncommitted slots.
    pub(in crate::store) fn list_uncommitted(&mut self, number: u32, slice: &Slice) {
        if slice.transforms.trace.as_ref().is_some_and(|trace| trace.waits) {
            self.uncommitted.add(number);
        }
    }
}

/// What an update does with the logs.
impl Feed {
    /// Starts an empty feed.
    pub(in crate::store) fn begin(&mut self) {
        for node in self.entered.drain(..) {
            self.flags.clear(node, flag::ENTERED);
        }
        self.moved.clear();
        self.visibility.clear();
        self.left.clear();
        self.recalled.clear();
        core::mem::swap(&mut self.uncommitted, &mut self.committing);
    }

    /// Reports what the update changed in a slice, once the slice is up to date.
    pub(in crate::store) fn collect(&mut self, number: u32, slice: &mut Slice, swept: bool) {
        let Self { flags, moved, visibility, slots, members, came, previous_transforms, previous_masks, .. } = self;
        if swept {
            self.uncommitted.add(number);
            slots.clear();
            slice.transforms.compare_swept(slots);
            if slice.membership != Membership::Attached {
                slots.clear();
            }
            let owners = slice.transforms.trace.as_ref().map_or(&[][..], |trace| &trace.owners);
            let owners = (owners, &slice.transforms.slots);
            let quiet = came.is_empty() && previous_transforms.is_empty();
            slice.finders(
                slots,
                owners,
                members,
                |row| row.transform,
                |_, node| {
                    if quiet || !flags.has(node, flag::NEW | flag::PREVIOUS_TRANSFORM) {
                        moved.push(node);
                    }
                },
            );
        }
        let Some(trace) = &mut slice.visibilities.trace else { return };
        slots.clear();
        slots.append(&mut trace.changed);
        if slots.is_empty() || slice.membership != Membership::Attached {
            return;
        }
        let owners = slice.visibilities.trace.as_ref().map_or(&[][..], |trace| &trace.owners);
        let owners = (owners, &slice.visibilities.slots);
        let quiet = came.is_empty() && previous_masks.is_empty();
        slice.finders(
            slots,
            owners,
            members,
            |row| row.visibility,
            |_, node| {
                if quiet || !flags.has(node, flag::NEW | flag::PREVIOUS_MASK) {
                    visibility.push(node);
                }
            },
        );
    }

    /// Reports what edits noted, once every slice is up to date, and begins the next frame.
    pub(in crate::store) fn finish(&mut self, store: &mut Store) {
        for number in self.committing.drain() {
            if let Some(slice) = store.slices.get_mut(number as usize) {
                slice.transforms.commit_previous();
            }
        }
        for number in self.uncommitted.iter() {
            store.slice_mut(number).transforms.mark_uncommitted();
        }
        let Self {
            flags,
            moved,
            visibility,
            entered,
            left,
            came,
            went,
            previous_transforms,
            previous_masks,
            recalled,
            ..
        } = self;
        for (node, before) in &*previous_transforms {
            if !flags.has(*node, flag::NEW | flag::GONE)
                && let Some(at) = store.resolve_attached(*node)
                && store.matrix_at(at).to_bits() != before.to_bits()
            {
                moved.push(*node);
            }
        }
        for &(node, before) in &*previous_masks {
            if !flags.has(node, flag::NEW | flag::GONE)
                && let Some(at) = store.resolve_attached(node)
                && store.mask_at(at) != before
            {
                visibility.push(node);
            }
        }
        for &node in &*came {
            if flags.has(node, flag::NEW)
                && !flags.has(node, flag::HIDDEN | flag::ENTERED)
                && store.resolve(node).is_some()
            {
                *flags.entry(node) |= flag::ENTERED;
                entered.push(node);
            }
        }
        for node in went.drain(..) {
            if flags.has(node, flag::GONE) {
                left.push(node);
            }
            flags.clear(node, flag::GONE | flag::WENT);
        }
        came.drain(..).for_each(|node| flags.clear(node, flag::NEW | flag::HIDDEN));
        previous_masks.drain(..).for_each(|(node, _)| flags.clear(node, flag::PREVIOUS_MASK));
        previous_transforms.iter().for_each(|&(node, _)| flags.clear(node, flag::PREVIOUS_TRANSFORM));
        core::mem::swap(previous_transforms, recalled);
        recalled.sort_unstable_by_key(|&(node, _)| node);
        self.came_limit = 0;
    }

    /// Nodes whose world matrix the last update changed.
    pub(crate) fn moved(&self) -> &[NodeHandle] {
        &self.moved
    }

    /// Nodes whose inherited mask the last update changed.
    pub(crate) fn visibility(&self) -> &[NodeHandle] {
        &self.visibility
    }

    /// Nodes that entered the scene.
    pub(crate) fn entered(&self) -> &[NodeHandle] {
        &self.entered
    }

    /// Nodes that left the scene.
    pub(crate) fn left(&self) -> &[NodeHandle] {
        &self.left
    }

    /// The matrix that a node had after the update before the last. This is `now` if the node did not exist then, else
    /// the remembered matrix, else `of_slot`.
    pub(crate) fn previous<'m>(&'m self, node: NodeHandle, now: &'m Mat34, of_slot: &'m Mat34) -> &'m Mat34 {
        if self.has_entered(node) { now } else { self.recall(node).unwrap_or(of_slot) }
    }

    /// Whether every node had the matrix of its slot.
    pub(crate) fn is_quiet(&self) -> bool {
        self.came.is_empty() && self.entered.is_empty() && self.recalled.is_empty()
    }

    /// Whether any node had another matrix than its slot.
    pub(crate) fn recalls(&self) -> bool {
        !self.recalled.is_empty()
    }

    /// The matrix that a node had after the update before the last, if it differs from that of its slot.
    fn recall(&self, node: NodeHandle) -> Option<&Mat34> {
        let place = self.recalled.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(&self.recalled[place].1)
    }

    /// Whether a node did not exist after the update before the last.
    fn has_entered(&self, node: NodeHandle) -> bool {
        self.flags.has(node, flag::NEW | flag::ENTERED)
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        let Self {
            came, went, moved, visibility, entered, left, previous_transforms, recalled, previous_masks, ..
        } = self;
        let handles: usize = [came, went, moved, visibility, entered, left].map(Vec::capacity).iter().sum();
        size_of::<Self>()
            + self.flags.tables.iter().map(Vec::capacity).sum::<usize>()
            + self.flags.tables.capacity() * size_of::<Vec<u8>>()
            + handles * size_of::<NodeHandle>()
            + (previous_transforms.capacity() + recalled.capacity()) * size_of::<(NodeHandle, Mat34)>()
            + previous_masks.capacity() * size_of::<(NodeHandle, u32)>()
            + self.members.bytes()
            + self.uncommitted.bytes()
            + self.committing.bytes()
            + self.slots.capacity() * size_of::<u32>()
    }
}
