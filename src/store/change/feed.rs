//! The change feed: notes by node what edits did, and logs frame by frame what became of it.

use crate::Mat34;
use crate::NodeHandle;
use crate::store::change::log::{Log, Told};
use crate::store::change::trace::{Past, PastMask};
use crate::store::change::{ChangeKinds, Numbers};
use crate::store::{Membership, Slice, Store, Tables};
use std::collections::TryReserveError;

mod notes;

/// What is known of a handle's entry in this frame.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::store) struct Noted {
    pub(in crate::store) flags: u8,
    /// Edits of the live node, which is listed in `edited` if there are any.
    pub(in crate::store) kinds: ChangeKinds,
}

pub(in crate::store) mod flag {
    /// The entry's live node was not in the scene after the last update.
    pub(in crate::store) const NEW: u8 = 1;
    /// The live node is not in the scene now either.
    pub(in crate::store) const HIDDEN: u8 = 2;
    /// The entry's node that was in the scene after the last update has left it.
    pub(in crate::store) const GONE: u8 = 4;
    /// The node is listed with the history that it had.
    pub(in crate::store) const PREVIOUS_TRANSFORM: u8 = 8;
    /// The node is listed with the mask that it had.
    pub(in crate::store) const PREVIOUS_MASK: u8 = 16;
    /// The live node entered with the last update.
    pub(in crate::store) const ENTERED: u8 = 32;
    /// The node that was in the scene after the last update left it, and may have returned.
    pub(in crate::store) const WENT: u8 = 64;
    /// The live node was inserted since the last update.
    pub(in crate::store) const FRESH: u8 = 128;
}

/// Flags by the entry of a handle in its metadata table: 4 bytes each. At any time at most one node has an entry.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Flags {
    pub(in crate::store) tables: Vec<Vec<Noted>>,
}

impl Flags {
    #[inline]
    pub(in crate::store) fn has(&self, node: NodeHandle, flags: u8) -> bool {
        self.of(node).flags & flags != 0
    }

    /// What is known of a handle's entry.
    #[inline]
    pub(in crate::store) fn of(&self, node: NodeHandle) -> Noted {
        let entry = self.tables.get(node.table() as usize).and_then(|table| table.get(node.index() as usize));
        entry.copied().unwrap_or_default()
    }

    #[inline]
    pub(in crate::store) fn entry(&mut self, node: NodeHandle) -> &mut u8 {
        &mut self.noted(node).flags
    }

    #[inline]
    pub(in crate::store) fn noted(&mut self, node: NodeHandle) -> &mut Noted {
        let (table, index) = (node.table() as usize, node.index() as usize);
        if table >= self.tables.len() {
            self.tables.resize(table + 1, Vec::new());
        }
        let table = &mut self.tables[table];
        if index >= table.len() {
            table.resize((index + 1).next_power_of_two(), Noted::default());
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

    /// Frees the room behind the last entry of which anything is noted.
    fn shrink_to_fit(&mut self) {
        for table in &mut self.tables {
            let noted = |entry: &Noted| entry.flags != 0 || !entry.kinds.is_empty();
            let end = table.iter().rposition(noted).map_or(0, |last| last + 1);
            table.truncate(end);
            table.shrink_to_fit();
        }
        let end = self.tables.iter().rposition(|table| !table.is_empty()).map_or(0, |last| last + 1);
        self.tables.truncate(end);
        self.tables.shrink_to_fit();
    }

    fn clear(&mut self, node: NodeHandle, flags: u8) {
        *self.entry(node) &= !flags;
    }
}

/// Notes of this frame's edits, and the log of what updates made of the notes of the frames before.
///
/// Everything is appended in the order of edits, so it is the same from run to run. Without updates no list grows
/// without bound: the flags keep a node from being listed twice, nodes that came and were removed again are weeded out,
/// and so are slices that are listed twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feed {
    pub(in crate::store) flags: Flags,
    /// Nodes that entered the scene; some may have left it again.
    pub(in crate::store) came: Vec<NodeHandle>,
    /// How long `came` may become before the nodes that have left are weeded out.
    came_limit: usize,
    /// Nodes that were in the scene after the last update and left it; some may have returned.
    pub(in crate::store) went: Vec<NodeHandle>,
    /// Nodes that were removed, and that existed at the last update but were not in the scene then.
    pub(in crate::store) dropped: Vec<NodeHandle>,
    /// Nodes that edits changed, all of which existed at the last update.
    pub(in crate::store) edited: Vec<NodeHandle>,
    /// Nodes that now inherit another slot's matrix, each with its history.
    pub(in crate::store) previous_transforms: Vec<(NodeHandle, Past)>,
    /// Nodes that now inherit another slot's mask, each with its history.
    pub(in crate::store) previous_masks: Vec<(NodeHandle, PastMask)>,
    /// Slices with uncommitted slots.
    pub(in crate::store) uncommitted: Numbers,
    /// The slices whose slots the present update commits.
    committing: Numbers,
    /// Slices to which rows came from others, with the frames in which these moved.
    pub(in crate::store) received: Numbers,
    /// Nodes that entered with the last update.
    pub(in crate::store) entered: Vec<NodeHandle>,
    /// The `previous_transforms` of the frame before the last update, by handle.
    pub(in crate::store) recalled: Vec<(NodeHandle, Mat34)>,
    pub(in crate::store) log: Log,
    /// The frame that slots count from.
    pub(in crate::store) origin: u64,
}

/// What edits note.
impl Feed {
    /// The feed of a store that begins to track changes after this frame.
    pub(in crate::store) fn since(frame: u64) -> Self {
        let mut feed = Self { origin: frame, ..Self::default() };
        feed.log.forget(frame);
        feed
    }

    /// Notes that a node was inserted.
    #[inline]
    pub(in crate::store) fn enter_new(&mut self, node: NodeHandle) {
        let Noted { flags, kinds } = self.flags.noted(node);
        *flags = *flags & !(flag::HIDDEN | flag::ENTERED) | flag::NEW | flag::FRESH;
        *kinds = ChangeKinds::NONE;
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

    /// Notes that a node of the scene was removed.
    pub(in crate::store) fn remove(&mut self, node: NodeHandle) {
        self.leave(node);
        self.remove_detached(node);
    }

    /// Notes that a detached node was removed.
    pub(in crate::store) fn remove_detached(&mut self, node: NodeHandle) {
        if !self.flags.has(node, flag::FRESH | flag::GONE) {
            self.dropped.push(node);
        }
    }

    /// Whether a node was not in the scene after the last update.
    #[inline]
    pub(in crate::store) fn is_new(&self, node: NodeHandle) -> bool {
        self.flags.has(node, flag::NEW)
    }

    /// Notes what an edit changed of a node.
    pub(in crate::store) fn note_edit(&mut self, node: NodeHandle, edit: ChangeKinds) {
        let Noted { flags, kinds } = self.flags.noted(node);
        if *flags & flag::NEW == 0 {
            if kinds.is_empty() {
                self.edited.push(node);
            }
            *kinds |= edit;
        }
    }

    /// Whether a node was part of the tree after the last update, given whether it is now.
    #[inline]
    pub(in crate::store) fn was_attached(&self, node: NodeHandle, attached: bool) -> bool {
        // A new node may have the entry of one that is gone.
        !self.flags.has(node, flag::NEW) && (attached || self.flags.has(node, flag::GONE))
    }

    /// Whether nodes came, left, or began to inherit other slots since the last update.
    pub(in crate::store) fn has_notes(&self) -> bool {
        !(self.came.is_empty()
            && self.went.is_empty()
            && self.previous_transforms.is_empty()
            && self.previous_masks.is_empty())
    }

    /// Nodes that edits changed since the last update.
    pub(in crate::store) fn pending_edits(&self) -> impl Iterator<Item = (NodeHandle, ChangeKinds)> {
        self.edited.iter().map(|&node| (node, self.flags.of(node).kinds))
    }

    /// Nodes that were in the scene after the last update and left it; some may have returned.
    pub(in crate::store) fn pending_departures(&self) -> impl Iterator<Item = NodeHandle> {
        self.went.iter().copied()
    }

    /// Whether there is anything to tell.
    pub(in crate::store) fn is_waiting(&self) -> bool {
        self.has_notes() || !self.edited.is_empty() || !self.received.is_empty() || !self.dropped.is_empty()
    }

    /// A frame as slots count it.
    pub(in crate::store) fn slot_frame(&self, frame: u64) -> u32 {
        u32::try_from(frame.saturating_sub(self.origin)).unwrap_or(u32::MAX)
    }

    /// Notes the history of a node, only the first time in a frame.
    pub(in crate::store) fn note_previous_transform(&mut self, node: NodeHandle, past: &Past) {
        let entry = self.flags.entry(node);
        if *entry & (flag::NEW | flag::PREVIOUS_TRANSFORM) == 0 {
            *entry |= flag::PREVIOUS_TRANSFORM;
            self.previous_transforms.push((node, *past));
        }
    }

    /// Notes the mask that a node had, only the first time in a frame.
    pub(in crate::store) fn note_previous_mask(&mut self, node: NodeHandle, past: PastMask) {
        let entry = self.flags.entry(node);
        if *entry & (flag::NEW | flag::PREVIOUS_MASK) == 0 {
            *entry |= flag::PREVIOUS_MASK;
            self.previous_masks.push((node, past));
        }
    }

    /// Notes that a slice has uncommitted slots.
    pub(in crate::store) fn list_uncommitted(&mut self, number: u32, slice: &Slice) {
        if slice.transforms.trace.as_ref().is_some_and(|trace| trace.waits) {
            self.uncommitted.add(number);
        }
    }
}

/// What an update does with the notes.
impl Feed {
    /// Starts a frame.
    pub(in crate::store) fn begin(&mut self) {
        for node in self.entered.drain(..) {
            self.flags.clear(node, flag::ENTERED);
        }
        self.recalled.clear();
        core::mem::swap(&mut self.uncommitted, &mut self.committing);
    }

    /// Logs what edits noted, once every slice is up to date, and begins the next frame.
    pub(in crate::store) fn finish(&mut self, store: &mut Store, tells: bool) {
        let frame = store.frames;
        for number in self.committing.drain() {
            // What this update computed waits for the next one.
            if let Some(slice) = store.slices.get_mut(number as usize)
                && !(tells && slice.swept_frame == frame)
            {
                slice.transforms.commit_previous();
            }
        }
        for number in self.received.drain() {
            if let Some(slice) = store.slices.get_mut(number as usize).filter(|slice| slice.is_in_use()) {
                store.layouts.list(frame, number, slice);
            }
        }
        self.log_comings_and_goings(frame, store);
        self.log_other_slots(frame, store);
        let mut edited = core::mem::take(&mut self.edited);
        for node in edited.drain(..) {
            let kinds = core::mem::take(&mut self.flags.noted(node).kinds);
            if !kinds.is_empty() && store.resolve_attached(node).is_some() && !self.flags.has(node, flag::NEW) {
                self.log.push(frame, node, Told::Edited(kinds));
            }
        }
        self.edited = edited;
        for node in self.went.drain(..) {
            self.flags.clear(node, flag::GONE | flag::WENT);
        }
        for node in self.came.drain(..) {
            self.flags.clear(node, flag::NEW | flag::HIDDEN | flag::FRESH);
        }
        self.came_limit = 0;
        self.log.trim();
    }

    fn log_comings_and_goings(&mut self, frame: u64, store: &Store) {
        let Self { flags, entered, came, went, dropped, log, .. } = self;
        for &node in &*went {
            if flags.has(node, flag::GONE) {
                log.push(frame, node, if store.resolve(node).is_some() { Told::Left } else { Told::Removed });
            }
        }
        for node in dropped.drain(..) {
            log.push(frame, node, Told::Dropped);
        }
        for &node in &*came {
            if flags.has(node, flag::NEW)
                && !flags.has(node, flag::HIDDEN | flag::ENTERED)
                && store.resolve(node).is_some()
            {
                *flags.entry(node) |= flag::ENTERED;
                entered.push(node);
                log.push(frame, node, Told::Entered);
            }
        }
    }

    /// Logs nodes that began to inherit other slots, and whether that moved or showed them.
    fn log_other_slots(&mut self, frame: u64, store: &Store) {
        let now = self.slot_frame(frame);
        let Self { flags, log, previous_transforms, previous_masks, recalled, .. } = self;
        for (node, past) in previous_transforms.drain(..) {
            let gone = flags.has(node, flag::NEW | flag::GONE);
            flags.clear(node, flag::PREVIOUS_TRANSFORM);
            let Some(at) = store.resolve(node) else { continue };
            if store.slot_previous_at(at).to_bits() != past.world.to_bits() {
                recalled.push((node, past.world));
            }
            if !gone && store.membership(at) == Membership::Attached {
                let moved = store.matrix_at(at).to_bits() != past.world.to_bits();
                log.push(frame, node, Told::Moved(if moved { now } else { past.moved }));
            }
        }
        for (node, past) in previous_masks.drain(..) {
            flags.clear(node, flag::PREVIOUS_MASK);
            if !flags.has(node, flag::NEW | flag::GONE)
                && let Some(at) = store.resolve_attached(node)
            {
                let changed = store.mask_at(at) != past.mask;
                log.push(frame, node, Told::Masked(if changed { now } else { past.changed }));
            }
        }
        recalled.sort_unstable_by_key(|&(node, _)| node);
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

    /// Frees memory that notes do not need.
    pub(in crate::store) fn shrink_to_fit(&mut self) {
        self.flags.shrink_to_fit();
        self.log.shrink_to_fit();
        let Self { came, went, dropped, edited, entered, previous_transforms, recalled, previous_masks, .. } = self;
        [came, went, dropped, edited, entered].into_iter().for_each(Vec::shrink_to_fit);
        previous_transforms.shrink_to_fit();
        recalled.shrink_to_fit();
        previous_masks.shrink_to_fit();
    }

    /// The bytes of all but the flags and the log.
    pub(in crate::store) fn list_bytes(&self) -> usize {
        let Self { came, went, dropped, edited, entered, previous_transforms, recalled, previous_masks, .. } = self;
        let handles: usize = [came, went, dropped, edited, entered].map(Vec::capacity).iter().sum();
        handles * size_of::<NodeHandle>()
            + previous_transforms.capacity() * size_of::<(NodeHandle, Past)>()
            + recalled.capacity() * size_of::<(NodeHandle, Mat34)>()
            + previous_masks.capacity() * size_of::<(NodeHandle, PastMask)>()
            + self.uncommitted.bytes()
            + self.committing.bytes()
            + self.received.bytes()
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.flags.tables.iter().map(Vec::capacity).sum::<usize>() * size_of::<Noted>()
            + self.flags.tables.capacity() * size_of::<Vec<Noted>>()
            + self.list_bytes()
            + self.log.bytes()
    }
}
