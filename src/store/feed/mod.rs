//! The change feed, if the scene tracks changes: the changes that readers see, and the matrices of the previous update.
//!
//! A frame is an update that had work to do. World matrices and local transforms, which change for many nodes at once,
//! are recorded by slot in [`Histories`]; a read finds their nodes in [`reading`]. [`log`] has all other changes, by
//! node.
//!
//! A node has the history of the slot that it uses. If the node was moved, or a transform above it was removed, it may
//! get a slot with another history. Then the log has the node's own history, and `recalled` has its previous matrix.
//!
//! An update goes through these steps:
//!
//! 1. [`Store::begin_frame`]: the present matrices become the previous ones; removals and edits are logged.
//! 2. [`Store::assign_and_sweep`]: moved nodes are noted with their history before they lose their row. Reconstitution
//!    keeps histories.
//! 3. [`Store::finish_frame`]: nodes that were placed are logged as entered or left, and moved nodes get their own
//!    histories back. Matrices are compared with the previous ones, then notes are logged.
//!
//! Invariants:
//! 1. [`Has::REPORTED`] is set for the nodes that have a row in a slice of the tree, as of the last update.
//! 2. Outside of updates, no record has [`Has::RECORDED`], there are no notes of histories, and no slot in use is new.
//! 3. Previous and present matrices of slots are equal, except in `Histories::moving`; `moving` has these slices.

mod log;
mod reading;
#[cfg(test)]
mod tests;

pub(crate) use reading::{ChangeLists, ReadScratch};

use crate::store::change_kinds::ChangeKinds;
use crate::store::columns::Row;
use crate::store::histories::{Histories, History};
use crate::store::inbox::MOST_KEPT;
use crate::store::location::{Location, SliceId};
use crate::store::nodes::Nodes;
use crate::store::page::Pages;
use crate::store::record::{Has, RecordId};
use crate::store::slice::{Head, Slice};
use crate::store::state::{Due, Home};
use crate::store::{Store, Update};
use crate::{Mat34, NodeHandle};
use log::{Event, Log};
use std::collections::HashSet;

/// The edits since the last update, and the log of earlier updates.
#[derive(Clone, Debug)]
pub(crate) struct Feed {
    log: Log,
    /// The last frame.
    frame: u64,
    /// The frame from which slots count frames.
    origin: u64,
    /// Slices with moving slots; some of the slices may have ended.
    moving: Vec<SliceId>,
    /// Previous matrices that differ from those of the nodes' slots, in ascending order of nodes.
    recalled: Vec<(NodeHandle, Mat34)>,
    /// Whether slots' present matrices count as previous ones: while [`Smooth`](crate::motion::Smooth) shows a frame.
    pub(crate) shows: bool,
    /// During an update: the old states of nodes that are placed again and may use other slots or inherit other values.
    past: Vec<Past>,
    /// During an update: nodes that were placed and were not in the tree before.
    placed: Vec<RecordId>,
}

/// The state of a node after the last update.
#[derive(Clone, Copy, Debug)]
struct Past {
    node: NodeHandle,
    history: History,
    material: Option<u32>,
    layers: u32,
}

impl Feed {
    /// Creates a feed with this limit of log entries.
    pub(crate) fn new(history: usize) -> Self {
        Self {
            log: Log::new(history),
            frame: 0,
            origin: 0,
            moving: Vec::new(),
            recalled: Vec::new(),
            shows: false,
            past: Vec::new(),
            placed: Vec::new(),
        }
    }

    /// Returns whether all previous matrices equal the present ones.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.moving.is_empty() && self.recalled.is_empty()
    }

    /// Returns whether any node's previous matrix differs from its slot's.
    pub(crate) fn recalls(&self) -> bool {
        !self.recalled.is_empty()
    }

    /// Returns the previous matrix of a node, given that of its slot.
    pub(crate) fn previous<'m>(&'m self, node: NodeHandle, of_slot: &'m Mat34) -> &'m Mat34 {
        let place = self.recalled.binary_search_by_key(&node, |&(node, _)| node);
        place.map_or(of_slot, |place| &self.recalled[place].1)
    }

    /// Returns the number that slots use for the next frame.
    pub(crate) fn next_frame(&self) -> u32 {
        self.slot_frame(self.frame + 1)
    }

    /// Returns the number that slots use for a frame.
    fn slot_frame(&self, frame: u64) -> u32 {
        u32::try_from(frame.saturating_sub(self.origin)).unwrap_or(u32::MAX)
    }

    /// Returns the allocated bytes, without the histories of slots.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.log.bytes()
            + (self.moving.capacity() + self.placed.capacity()) * size_of::<u32>()
            + self.recalled.capacity() * size_of::<(NodeHandle, Mat34)>()
            + self.past.capacity() * size_of::<Past>()
    }

    /// Records the old state of a node that is about to use another slot, if none is recorded yet.
    fn record_past(&mut self, pages: &mut Pages, id: RecordId, slice: &Slice, row: usize, history: History) {
        let node = pages.handle(id);
        let has = &mut pages.record_mut(id).has;
        if has.has(Has::REPORTED) && !has.has(Has::RECORDED) {
            *has |= Has::RECORDED;
            self.past.push(Past {
                node,
                history,
                material: slice.rows[row].material(),
                layers: slice.visibility(row).layers(),
            });
        }
    }

    /// Records the state of a node that is about to lose its row.
    pub(crate) fn record_unplaced(&mut self, pages: &mut Pages, id: RecordId, slice: &Slice, row: usize) {
        let at = &slice.rows[row];
        let Some(history) = slice.histories.as_ref().and_then(|histories| histories.history(usize::from(at.slot)))
        else {
            return;
        };
        self.record_past(pages, id, slice, row, history);
    }
}

/// The steps of an update.
impl Store {
    /// Makes the present matrices of moved nodes the previous ones.
    pub(crate) fn rest(&mut self) {
        let Some(feed) = &mut self.update.feed else { return };
        for number in feed.moving.drain(..) {
            if let Some(slice) = self.slices.get_mut(number)
                && let Some(histories) = &mut slice.histories
            {
                histories.rest(&slice.slots.worlds);
            }
        }
        feed.recalled.clear();
        feed.recalled.shrink_to(MOST_KEPT);
        feed.shows = false;
    }

    /// Begins the frame of an update.
    pub(crate) fn begin_frame(&mut self) {
        self.rest();
        let Self { nodes: Nodes { pages, inbox, .. }, slices, update: Update { feed, clock, scratch, .. }, .. } = self;
        let Some(feed) = feed else { return };
        let frame = clock.updates;
        feed.frame = frame - 1;
        let mut unknown = core::mem::take(&mut inbox.overflowed);
        if feed.next_frame() == u32::MAX {
            // Slots count frames from a new origin before the count overflows.
            feed.origin = feed.frame;
            unknown = true;
            let all_histories = slices.list_mut().iter_mut().filter_map(|slice| slice.histories.as_mut());
            all_histories.for_each(|histories| histories.forget_frames());
        }
        if unknown {
            inbox.removed.clear();
            feed.log.forget(frame);
        }
        for (node, in_tree) in inbox.removed.drain(..) {
            feed.log.push(frame, node, if in_tree { Event::Removed } else { Event::Dropped });
        }
        inbox.removed.shrink_to(MOST_KEPT);
        for &(id, bits) in scratch.pending.iter().filter(|(id, _)| pages.record(*id).has.has(Has::REPORTED)) {
            if !bits.kinds().is_empty() {
                feed.log.push(frame, pages.handle(id), Event::Edited(bits.kinds()));
            }
        }
        let root = pages.record_mut(RecordId::ROOT);
        if !root.has.has(Has::REPORTED) {
            root.has |= Has::REPORTED;
            feed.log.push(frame, pages.handle(RecordId::ROOT), Event::Entered);
        }
    }

    /// Logs which of the nodes that were placed have entered the tree or left it.
    fn log_placed(&mut self) {
        let Self { nodes: Nodes { pages, .. }, update: Update { feed, scratch, .. }, .. } = self;
        let Some(feed) = feed else { return };
        for id in scratch.fresh.iter().map(|fresh| fresh.id) {
            let has = &mut pages.record_mut(id).has;
            let (in_tree, inside) = (has.has(Has::REPORTED), !has.has(Has::DETACHED));
            if !core::mem::replace(has, has.with(Has::REPORTED, inside) | Has::RECORDED).has(Has::RECORDED) {
                feed.placed.push(id);
            }
            if in_tree != inside {
                feed.log.push(feed.frame + 1, pages.handle(id), if inside { Event::Entered } else { Event::Left });
            }
        }
    }

    /// Gives nodes that lost their row and were placed again their old histories, in their new slots.
    fn restore_histories(&mut self) {
        let Self { nodes: Nodes { pages, .. }, slices, update: Update { feed, .. }, .. } = self;
        let Some(feed) = feed else { return };
        for Past { node, history, .. } in &feed.past {
            let Some(location) = pages.resolve(*node).map(|id| pages.location(id)) else { continue };
            let Some(slice) = slices.get_mut(location.slice()) else { continue };
            let row = slice.rows[location.row()];
            if let Some(histories) = &mut slice.histories
                && row.is(Row::OWN_TRANSFORM)
                && histories.is_fresh(usize::from(row.slot))
            {
                histories.remember(usize::from(row.slot), history);
            }
        }
    }

    /// Restores histories in the slots of a slice that was just written. `origins` has the source and the old row of
    /// each node that had a row; `imports` has the history of each import that was an import before.
    pub(crate) fn keep_histories(
        &mut self,
        number: SliceId,
        old: &[(Slice, Head)],
        origins: impl Iterator<Item = Option<(usize, usize)>>,
        imports: impl Iterator<Item = Option<History>>,
    ) {
        let Self { nodes: Nodes { pages, .. }, slices, update: Update { feed, .. }, .. } = self;
        let Some(feed) = feed else { return };
        let slice = &slices[number];
        let mut histories = Histories::of(slice.slots.worlds.len());
        for ((at, &handle), known) in slice.imports.iter().enumerate().zip(imports) {
            let location = || handle.and_then(|handle| pages.resolve(handle)).map(|id| pages.location(id));
            if let Some(history) = known.or_else(|| slices.history(location()?)) {
                histories.remember(at, &history);
            }
        }
        for (row, origin) in slice.rows.iter().skip(slice.imports.len()).zip(origins) {
            let Some((source, before)) = origin else { continue };
            let from = &old[source].0;
            let was = &from.rows[before];
            let Some(history) = from.histories.as_ref().and_then(|histories| histories.history(usize::from(was.slot)))
            else {
                continue;
            };
            if row.is(Row::OWN_TRANSFORM) {
                histories.remember(usize::from(row.slot), &history);
            }
            let known = histories.history(usize::from(row.slot)).is_some_and(|known| known.is_like(&history));
            let at = pages.location(row.record).row();
            if !known
                || was.material() != row.material()
                || from.visibility(before).layers() != slice.visibility(at).layers()
            {
                feed.record_past(pages, row.record, from, before, history);
            }
        }
        if histories.list() {
            feed.moving.push(number);
        }
        slices[number].histories = Some(Box::new(histories));
        if feed.frame == self.update.clock.updates {
            // Outside of an update, nothing else logs the notes, and they may begin a frame of the log.
            self.log_past();
            if let Some(feed) = &mut self.update.feed {
                feed.log.trim();
            }
        }
    }

    /// Ends the frame of an update, after the sweep.
    pub(crate) fn finish_frame(&mut self) {
        let Update { feed, clock, .. } = &mut self.update;
        let Some(feed) = feed else { return clock.inherited.clear() };
        for (node, kinds) in clock.inherited.drain(..) {
            feed.log.push(clock.updates, node, Event::Edited(kinds));
        }
        clock.inherited.shrink_to(MOST_KEPT);
        self.log_placed();
        self.restore_histories();
        self.follow_sweep();
        self.log_past();
        let Self { nodes: Nodes { pages, inbox, .. }, update: Update { feed, clock, .. }, .. } = self;
        let Some(feed) = feed else { return };
        feed.log.trim();
        inbox.most_removed = MOST_KEPT.max(feed.log.limit()).max(pages.len());
        feed.frame = clock.updates;
    }

    /// Records which matrices the sweep changed.
    fn follow_sweep(&mut self) {
        let Self { nodes: Nodes { pages, .. }, slices, update: Update { feed, clock, .. }, .. } = self;
        let Some(feed) = feed else { return };
        for at in 0..slices.order.len() {
            let number = slices.order[at];
            let slice = &mut slices[number];
            if slice.swept_in != clock.updates && feed.frame > 0 {
                continue;
            }
            // Taken out, since imports read the histories of other slices meanwhile.
            let Some(mut histories) = slice.histories.take() else { continue };
            let slice = &slices[number];
            for (import, &handle) in slice.imports.iter().enumerate() {
                // The original of an import comes earlier in the order, so its history is known by now.
                if histories.is_fresh(import)
                    && let Some(id) = handle.and_then(|handle| pages.resolve(handle))
                    && let Some(history) = slices.history(pages.location(id))
                {
                    histories.remember(import, &history);
                }
            }
            if histories.follow(
                &slice.slots.worlds,
                slice.imports.len(),
                &slice.dirty,
                &slice.used_slots,
                feed.next_frame(),
            ) || histories.list()
            {
                feed.moving.push(number);
            }
            slices[number].histories = Some(histories);
        }
    }

    /// Logs changes of noted nodes, and recalls previous matrices that differ from those of the nodes' slots.
    fn log_past(&mut self) {
        let Self { nodes: Nodes { pages, .. }, slices, update: Update { feed, clock, .. }, .. } = self;
        let Some(feed) = feed else { return };
        let frame = feed.slot_frame(clock.updates);
        let known = feed.recalled.len();
        for Past { node, history: past, material, layers } in feed.past.drain(..) {
            let Some(id) = pages.resolve(node) else { continue };
            let record = pages.record_mut(id);
            record.has = record.has.without(Has::RECORDED);
            let location = pages.location(id);
            let (Some((slice, row)), Some(history)) = (slices.row(location), slices.history(location)) else {
                continue;
            };
            if !pages.record(id).has.has(Has::REPORTED) {
                continue;
            }
            let mut kinds = ChangeKinds::NONE;
            if row.material() != material {
                kinds |= ChangeKinds::MATERIAL;
            }
            if slice.visibility(location.row()).layers() != layers {
                kinds |= ChangeKinds::VISIBILITY;
            }
            if !kinds.is_empty() {
                feed.log.push(clock.updates, node, Event::Edited(kinds));
            }
            if row.is(Row::OWN_TRANSFORM) {
                continue;
            }
            let stays = slice.slots.worlds[usize::from(row.slot)].same_bits(&past.world);
            let moved = if stays { past.moved } else { frame };
            if moved != history.moved {
                feed.log.push(clock.updates, node, Event::Moved(moved));
            }
            if !history.world.same_bits(&past.world) {
                feed.recalled.push((node, past.world));
            }
        }
        for id in feed.placed.drain(..) {
            let record = pages.record_mut(id);
            record.has = record.has.without(Has::RECORDED);
            let location = pages.location(id);
            let (Some((slice, row)), Some(history)) = (slices.row(location), slices.history(location)) else {
                continue;
            };
            // The previous matrix of a new node is its present matrix.
            let world = &slice.slots.worlds[usize::from(row.slot)];
            if !world.same_bits(&history.world) {
                feed.recalled.push((pages.handle(id), *world));
            }
        }
        feed.past.shrink_to(MOST_KEPT);
        feed.placed.shrink_to(MOST_KEPT);
        if feed.recalled.len() > known {
            // If a node was recalled more than once, its first matrix stays.
            feed.recalled.sort_by_key(|&(node, _)| node);
            feed.recalled.dedup_by_key(|&mut (node, _)| node);
        }
    }
}

/// Updates that are reverted.
impl Store {
    /// Updates the scene after only local transforms were set. Readers of changes and previous matrices do not see
    /// this: until the transforms are `restored`, the last frame remains that of an earlier update.
    pub(crate) fn update_unseen(&mut self, restored: bool) {
        let feed = self.update.feed.take();
        self.update();
        self.update.feed = feed;
        let Update { feed, clock, .. } = &mut self.update;
        if let Some(feed) = feed.as_mut().filter(|_| restored) {
            feed.frame = clock.updates;
        }
    }

    /// Lists the nodes whose world matrices the last update computed.
    pub(crate) fn list_swept(&self, nodes: &mut Vec<NodeHandle>) {
        for &number in &self.update.clock.swept {
            let (slice, head) = self.slices.both(number);
            let rows = head.alive.iter().map(|row| &slice.rows[row]);
            let swept = rows.filter(|row| slice.dirty.contains(usize::from(row.slot)));
            nodes.extend(swept.map(|row| self.nodes.handle(row.record)));
        }
    }

    /// Swaps the recalled matrices with a list in ascending order. Other nodes then have the present matrix as the
    /// previous one if `shows` is set, else the slot's.
    pub(crate) fn swap_recalled(&mut self, recalled: &mut Vec<(NodeHandle, Mat34)>, shows: bool) {
        if let Some(feed) = &mut self.update.feed {
            core::mem::swap(&mut feed.recalled, recalled);
            feed.shows = shows;
        }
    }
}

impl crate::store::slices::Slices {
    /// Returns the history of the slot that a node uses, if the history is known.
    fn history(&self, location: Location) -> Option<History> {
        let (slice, row) = self.row(location)?;
        slice.histories.as_ref()?.history(usize::from(row.slot))
    }
}

impl Store {
    /// Returns the world matrix of a node after the second-to-last update, or the present matrix if the node did not
    /// exist then; `None` if changes are not tracked.
    pub(crate) fn previous_world(&self, id: RecordId) -> Option<&Mat34> {
        let feed = self.feed()?;
        let of_slot = self.slices.row(self.nodes.pages.location(id)).and_then(|(slice, row)| {
            let (histories, slot) = (slice.histories.as_ref()?, usize::from(row.slot));
            if feed.shows { slice.slots.worlds.get(slot) } else { histories.previous(slot) }
        });
        Some(feed.previous(self.nodes.handle(id), of_slot.unwrap_or(&Mat34::IDENTITY)))
    }

    /// Checks the invariants of the feed.
    pub(crate) fn validate_feed(&self) -> Result<(), String> {
        let in_use = || self.slices.order.iter().map(|&number| (number, &self.slices[number]));
        let Some(feed) = self.feed() else {
            return match in_use().find(|(_, slice)| slice.histories.is_some()) {
                Some((number, _)) => Err(format!("slice {number} has histories, but the scene tracks no changes")),
                None => Ok(()),
            };
        };
        feed.log.validate(self.update.clock.updates)?;
        let now = feed.slot_frame(feed.frame);
        let moving: HashSet<_> = feed.moving.iter().copied().collect();
        for (number, slice) in in_use() {
            let Some(histories) = &slice.histories else { return Err(format!("slice {number} has no histories")) };
            let seen = feed.frame > 0 && feed.frame == self.update.clock.updates;
            let settled = seen && slice.due == Due::Nothing;
            histories
                .validate(&slice.slots.worlds, &slice.used_slots, now, settled)
                .map_err(|error| format!("slice {number}: {error}"))?;
            if histories.is_listed() && !moving.contains(&number) {
                return Err(format!("slice {number} does not rest, and is not listed"));
            }
        }
        for id in self.nodes.pages.live() {
            let has = self.nodes.pages.record(id).has;
            let (location, reported) = (self.nodes.pages.location(id), has.has(Has::REPORTED));
            let in_tree =
                self.slices.row(location).is_some_and(|(slice, _)| slice.home == Home::Tree) && feed.frame > 0;
            if reported != in_tree || has.has(Has::RECORDED) {
                return Err(format!("record {} is reported to readers and not in the tree, or the reverse", id.0));
            }
        }
        if !feed.recalled.is_sorted_by(|a, b| a.0 < b.0) {
            return Err("the previous matrices of moved nodes are out of order".into());
        }
        if !(feed.past.is_empty() && feed.placed.is_empty()) {
            return Err("an update left notes for readers of changes".into());
        }
        Ok(())
    }
}
