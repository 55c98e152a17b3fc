//! What edits note for the change feed, and the feed itself.

use crate::NodeHandle;
use crate::math::Mat34;
use crate::slice::bits::Bits;
use crate::slice::row::At;
use crate::slice::{Slice, Standing, Store};

/// What is known of a handle's entry in this frame; a byte each.
mod flag {
    /// Its live node was not in the scene after the last update.
    pub(super) const NEW: u8 = 1;
    /// That node is not in the scene now either.
    pub(super) const HIDDEN: u8 = 2;
    /// The node that was in the scene after the last update is not any more.
    pub(super) const GONE: u8 = 4;
    /// That node is listed with the matrix that it had.
    pub(super) const DISPLACED: u8 = 8;
    /// That node is listed with the mask that it had.
    pub(super) const VEILED: u8 = 16;
    /// Its live node entered with the last update.
    pub(super) const ENTERED: u8 = 32;
}

/// Flags by handle, or rather by the entry of its metadata table: at any time at most one node has an entry.
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

    fn clear(&mut self, node: NodeHandle, flags: u8) {
        *self.entry(node) &= !flags;
    }
}

/// Logs of a frame's edits, and what the last update made of those of the frame before.
///
/// Everything is appended in the order of edits and of the update's descent, so it is the same from run to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feed {
    flags: Flags,
    /// Nodes that came into the scene; some may be gone again.
    came: Vec<NodeHandle>,
    /// How long `came` may become before those that are gone again are weeded out.
    came_limit: usize,
    /// Nodes that were in the scene after the last update, and left it; some may be back.
    went: Vec<NodeHandle>,
    /// Nodes that came to inherit another slot's matrix, with the one that they had after the last update.
    displaced: Vec<(NodeHandle, Mat34)>,
    /// The same of masks.
    veiled: Vec<(NodeHandle, u32)>,
    /// Slices with slots that are not settled.
    pub(crate) unsettled: Vec<u32>,
    /// The same of the last update, while another one goes on.
    settling: Vec<u32>,
    pub(crate) moved: Vec<NodeHandle>,
    pub(crate) visibility: Vec<NodeHandle>,
    pub(crate) entered: Vec<NodeHandle>,
    pub(crate) left: Vec<NodeHandle>,
    /// What was displaced before the last update, by handle.
    recalled: Vec<(NodeHandle, Mat34)>,
    /// Slots that changed in the slice that is looked at, also as a set, and those of nodes that are new: kept to spare
    /// allocations.
    slots: Vec<u32>,
    members: Bits,
    resting: Vec<u32>,
}

/// What edits note.
impl Feed {
    /// Notes that a node was inserted.
    #[inline]
    pub(crate) fn enter_new(&mut self, node: NodeHandle) {
        let entry = self.flags.entry(node);
        *entry = *entry & !(flag::HIDDEN | flag::ENTERED) | flag::NEW;
        self.came.push(node);
    }

    /// Notes that a node that lived outside of the scene is part of it.
    pub(crate) fn enter_again(&mut self, node: NodeHandle) {
        let entry = self.flags.entry(node);
        if *entry & flag::NEW != 0 {
            *entry &= !flag::HIDDEN;
        } else if *entry & flag::GONE != 0 {
            *entry &= !flag::GONE;
            return;
        } else {
            *entry |= flag::NEW;
        }
        self.came.push(node);
    }

    /// Notes that a node of the scene is removed or detached.
    #[inline]
    pub(crate) fn leave(&mut self, node: NodeHandle) {
        let entry = self.flags.entry(node);
        if *entry & flag::NEW != 0 {
            *entry |= flag::HIDDEN;
        } else {
            *entry |= flag::GONE;
            self.went.push(node);
        }
    }

    /// Whether a node was not in the scene after the last update.
    #[inline]
    pub(crate) fn is_new(&self, node: NodeHandle) -> bool {
        self.flags.has(node, flag::NEW)
    }

    /// Notes the matrix that a node had, the first time in a frame.
    pub(crate) fn displace(&mut self, node: NodeHandle, world: &Mat34) {
        let entry = self.flags.entry(node);
        if *entry & (flag::NEW | flag::DISPLACED) == 0 {
            *entry |= flag::DISPLACED;
            self.displaced.push((node, *world));
        }
    }

    /// Notes the mask that a node had, the first time in a frame.
    pub(crate) fn veil(&mut self, node: NodeHandle, mask: u32) {
        let entry = self.flags.entry(node);
        if *entry & (flag::NEW | flag::VEILED) == 0 {
            *entry |= flag::VEILED;
            self.veiled.push((node, mask));
        }
    }

    /// Notes that a slice has slots that are not settled.
    pub(crate) fn list_unsettled(&mut self, number: u32, slice: &Slice) {
        if slice.transforms.trace.as_ref().is_some_and(|trace| trace.waits) {
            self.unsettled.push(number);
        }
    }
}

/// What an update makes of it.
impl Feed {
    /// Begins with an empty feed.
    pub(crate) fn begin(&mut self) {
        for node in self.entered.drain(..) {
            self.flags.clear(node, flag::ENTERED);
        }
        self.moved.clear();
        self.visibility.clear();
        self.left.clear();
        self.recalled.clear();
        core::mem::swap(&mut self.unsettled, &mut self.settling);
    }

    /// Tells of what the update changed in a slice, once it is up to date.
    pub(crate) fn collect(&mut self, number: u32, slice: &mut Slice, swept: bool) {
        let Self { flags, moved, visibility, slots, members, came, displaced, veiled, .. } = self;
        if swept {
            self.unsettled.push(number);
            slots.clear();
            slice.transforms.compare_swept(slots);
            if slice.standing != Standing::Attached {
                slots.clear();
            }
            let owners = slice.transforms.trace.as_ref().map_or(&[][..], |trace| &trace.owners);
            let owners = (owners, &slice.transforms.slots);
            if came.is_empty() && displaced.is_empty() {
                slice.finders(slots, owners, members, |row| row.transform, |_, node| moved.push(node));
            } else {
                let mut new = core::mem::take(&mut self.resting);
                slice.finders(
                    slots,
                    owners,
                    members,
                    |row| row.transform,
                    |row, node| {
                        if !flags.has(node, flag::NEW | flag::DISPLACED) {
                            moved.push(node);
                        } else if flags.has(node, flag::NEW) {
                            new.extend(row.transform.as_own());
                        }
                    },
                );
                new.drain(..).for_each(|slot| slice.transforms.rest(slot));
                self.resting = new;
            }
        }
        let Some(trace) = &mut slice.visibilities.trace else { return };
        slots.clear();
        slots.append(&mut trace.changed);
        if slots.is_empty() || slice.standing != Standing::Attached {
            return;
        }
        let owners = slice.visibilities.trace.as_ref().map_or(&[][..], |trace| &trace.owners);
        let owners = (owners, &slice.visibilities.slots);
        let quiet = came.is_empty() && veiled.is_empty();
        slice.finders(
            slots,
            owners,
            members,
            |row| row.visibility,
            |_, node| {
                if quiet || !flags.has(node, flag::NEW | flag::VEILED) {
                    visibility.push(node);
                }
            },
        );
    }

    /// Tells of what edits noted, once every slice is up to date, and begins another frame.
    pub(crate) fn finish(&mut self, store: &mut Store) {
        for number in self.settling.drain(..) {
            if let Some(slice) = store.slices.get_mut(number as usize) {
                slice.transforms.settle();
            }
        }
        for &number in &self.unsettled {
            store.slice_mut(number).transforms.unsettle();
        }
        let Self { flags, moved, visibility, entered, left, came, went, displaced, veiled, recalled, .. } = self;
        for (node, before) in &*displaced {
            if !flags.has(*node, flag::NEW | flag::GONE)
                && let Some(at) = store.resolve_attached(*node)
                && store.matrix_at(at).to_bits() != before.to_bits()
            {
                moved.push(*node);
            }
        }
        for &(node, before) in &*veiled {
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
        for &node in &*went {
            if flags.has(node, flag::GONE) {
                flags.clear(node, flag::GONE);
                left.push(node);
            }
        }
        came.drain(..).for_each(|node| flags.clear(node, flag::NEW | flag::HIDDEN));
        went.clear();
        veiled.drain(..).for_each(|(node, _)| flags.clear(node, flag::VEILED));
        displaced.iter().for_each(|&(node, _)| flags.clear(node, flag::DISPLACED));
        core::mem::swap(displaced, recalled);
        recalled.sort_unstable_by_key(|&(node, _)| node);
    }

    /// The matrix that a node had after the update before the last: the one that it has `now` if it was not there, else
    /// that `of_slot`, if it had the slot then.
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

    /// The matrix that a node had after the update before the last, where that is not its slot's: `None` elsewhere.
    fn recall(&self, node: NodeHandle) -> Option<&Mat34> {
        let place = self.recalled.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(&self.recalled[place].1)
    }

    /// Whether a node was not there after the update before the last.
    fn has_entered(&self, node: NodeHandle) -> bool {
        self.flags.has(node, flag::NEW | flag::ENTERED)
    }

    pub(crate) fn bytes(&self) -> usize {
        let Self { came, went, moved, visibility, entered, left, displaced, recalled, veiled, .. } = self;
        let handles: usize = [came, went, moved, visibility, entered, left].map(Vec::capacity).iter().sum();
        size_of::<Self>()
            + self.flags.tables.iter().map(Vec::capacity).sum::<usize>()
            + self.flags.tables.capacity() * size_of::<Vec<u8>>()
            + handles * size_of::<NodeHandle>()
            + (displaced.capacity() + recalled.capacity()) * size_of::<(NodeHandle, Mat34)>()
            + veiled.capacity() * size_of::<(NodeHandle, u32)>()
            + self.members.bytes()
            + [&self.unsettled, &self.settling, &self.slots, &self.resting].map(Vec::capacity).iter().sum::<usize>()
                * size_of::<u32>()
    }
}

impl Store {
    /// Notes that a node was inserted.
    #[inline]
    pub(crate) fn note_new(&mut self, slice: u32, node: NodeHandle) {
        let Self { slices, tables, feed, .. } = self;
        if let Some(feed) = feed {
            feed.enter_new(node);
            if slices[slice as usize].standing != Standing::Attached {
                feed.leave(node);
            }
            // Where no update comes, those that came and went are weeded out.
            if feed.came.len() > feed.came_limit {
                feed.came.retain(|&node| tables.resolve(node).is_some());
                feed.came_limit = 1024.max(2 * feed.came.len());
            }
        }
    }

    /// Notes that a node that was detached is part of the tree, with all below it. O(nodes).
    pub(crate) fn note_attached(&mut self, top: At) {
        self.note_subtree(top, Feed::enter_again);
    }

    /// Notes that a node is about to be removed or detached, with all below it, if it is part of the tree. O(nodes).
    pub(crate) fn note_left(&mut self, top: At) {
        if self.slice(top.slice).standing == Standing::Attached {
            self.note_subtree(top, Feed::leave);
        }
    }

    /// The place of a node of the tree.
    fn resolve_attached(&self, node: NodeHandle) -> Option<At> {
        self.resolve(node).filter(|at| self.slice(at.slice).standing == Standing::Attached)
    }

    fn matrix_at(&self, at: At) -> &Mat34 {
        &self.slice(at.slice).transforms.worlds[self.row(at).transform.index() as usize]
    }

    fn mask_at(&self, at: At) -> u32 {
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

    /// Notes what a row and those below it have that inherit from another parent than before, and are about to be rewired.
    pub(super) fn note_relinked(&mut self, number: u32, top: u32) {
        let Some(feed) = &mut self.feed else { return };
        let slice = &self.slices[number as usize];
        let row = slice.row(top);
        if row.transform.as_own().is_none() {
            slice.note_displaced(top, feed);
        }
        if row.visibility.as_own().is_none() {
            slice.note_veiled(top, feed);
        }
    }

    /// Notes what a row and those below it have that are about to lose the row's transform.
    pub(crate) fn note_lost_transform(&mut self, at: At) {
        if let Some(feed) = &mut self.feed {
            self.slices[at.slice as usize].note_displaced(at.row, feed);
        }
    }

    /// Notes what a row and those below it have that are about to lose the row's visibility.
    pub(crate) fn note_lost_visibility(&mut self, at: At) {
        if let Some(feed) = &mut self.feed {
            self.slices[at.slice as usize].note_veiled(at.row, feed);
        }
    }

    /// Takes every node for new, and every array, in a store that was just read.
    pub(crate) fn note_all_new(&mut self) {
        let numbers: Vec<u32> = self.slice_numbers().collect();
        for number in numbers {
            self.note_layout(number);
            if self.feed.is_none() {
                continue;
            }
            let slice = &mut self.slices[number as usize];
            slice.begin_trace();
            let nodes: Vec<NodeHandle> = slice.rows.iter().filter_map(|row| row.occupant.as_node()).collect();
            nodes.into_iter().for_each(|node| self.note_new(number, node));
        }
    }

    /// Notes that a slice was rebuilt: whose slots are where.
    pub(super) fn note_rebuilt(&mut self, number: u32) {
        self.note_layout(number);
        if let Some(feed) = &mut self.feed {
            let slice = &mut self.slices[number as usize];
            (0..slice.row_slots.end()).for_each(|row| slice.trace_owner(row));
            feed.list_unsettled(number, slice);
        }
    }

    /// Settles every slice, before a visitor may compute anew what the last update did.
    pub(crate) fn settle_all(&mut self) {
        let Self { slices, feed, .. } = self;
        let Some(feed) = feed else { return };
        for number in feed.unsettled.drain(..) {
            if let Some(slice) = slices.get_mut(number as usize) {
                slice.transforms.settle();
            }
        }
    }
}
