//! Checks what is remembered of changes: the histories of slots, the notes of the feed, the logs of both.

use crate::store::change::feed::flag;
use crate::store::change::frames::Frames;
use crate::store::change::trace::is_new;
use crate::store::change::{ChangeKinds, Feed};
use crate::store::columns::NIL;
use crate::store::validate::ensure;
use crate::store::{Slice, Store};
use crate::{Mat34, NodeHandle};
use std::collections::HashSet;

impl Store {
    /// Checks the history of a slice's slots, as far as it can be known from the present: see `docs/frame.md`.
    pub(in crate::store) fn validate_history(&self, number: u32) -> Result<(), String> {
        let slice = self.slice(number);
        let (transforms, visibilities) = (&slice.transforms, &slice.visibilities);
        let Some(feed) = self.feed.as_deref() else {
            ensure!(
                transforms.trace.is_none() && visibilities.trace.is_none(),
                "slice {number} has a history, which the scene is not to keep"
            );
            return Ok(());
        };
        let (Some(trace), Some(masks)) = (transforms.trace.as_deref(), visibilities.trace.as_deref()) else {
            return Err(format!("slice {number} has no history"));
        };
        let now = feed.slot_frame(self.frames);
        ensure!(trace.newest.max(masks.newest) <= now, "slice {number}: its history is of a frame to come");
        let of_transforms = |frames: &Frames| {
            let is_late = |&slot: &u32| (slot as usize) < frames.len() && frames.get(slot) > trace.newest;
            transforms.slots.iter().find(is_late)
        };
        let of_masks = visibilities
            .slots
            .iter()
            .find(|&slot| masks.changed.get(slot as usize).is_some_and(|&frame| frame > masks.newest));
        if let Some(slot) = of_transforms(&trace.moved).or_else(|| of_transforms(&trace.set)).or(of_masks) {
            return Err(format!("slice {number}: the slot {slot} changed after the newest frame of its column"));
        }
        ensure!(
            trace.owners.first() == Some(&NIL) && masks.owners.first() == Some(&NIL),
            "slice {number}: a row is known for the owner of a base"
        );
        ensure!(
            trace.waits || trace.uncommitted.is_empty(),
            "slice {number}: a slot is uncommitted, and none is known to be"
        );
        for slot in transforms.slots.iter().skip(1) {
            if is_new(&transforms.history(trace, slot).world) {
                let owner = slice.rows.get(trace.owners[slot as usize] as usize);
                let node = owner.and_then(|row| row.occupant.as_node());
                // A transform that was added below a new node's takes over that one's history: then the list has its
                // own.
                let known = flag::NEW | flag::PREVIOUS_TRANSFORM;
                ensure!(
                    node.is_some_and(|node| feed.flags.has(node, known)),
                    "slice {number}: the slot {slot} has no history, and its node is not new"
                );
            }
        }
        if slice.marked { Ok(()) } else { slice.validate_settled_history(number, &transforms.worlds) }
    }

    /// Checks the notes of this frame and the logs of those before.
    pub(in crate::store) fn validate_notes(&self) -> Result<(), String> {
        self.validate_layouts()?;
        let Some(feed) = self.feed.as_deref() else { return Ok(()) };
        let uncommitted: HashSet<u32> = feed.uncommitted.iter().collect();
        for number in self.slice_numbers() {
            let waits = self.slice(number).transforms.trace.as_ref().is_some_and(|trace| trace.waits);
            ensure!(!waits || uncommitted.contains(&number), "slice {number} has uncommitted slots and is not listed");
        }
        feed.validate(self)
    }

    /// Checks the log of slices, and the numbers that tell copies of a slice from the slice.
    fn validate_layouts(&self) -> Result<(), String> {
        let layouts = &self.layouts;
        ensure!(layouts.told <= layouts.issued, "a layout was told that was not issued");
        ensure!(layouts.log.is_sorted_by_key(|&(frame, _)| frame), "the log of slices is not in the order of frames");
        ensure!(
            layouts.log.last().is_none_or(|&(frame, _)| frame <= self.frames),
            "the log of slices tells of a frame to come"
        );
        let logged: HashSet<(u64, u32)> = layouts.log.iter().copied().collect();
        let relaid: HashSet<u32> = layouts.relaid.iter().collect();
        let mut numbers = HashSet::new();
        for number in self.slice_numbers() {
            let slice = self.slice(number);
            ensure!(
                slice.told_in == 0 || logged.contains(&(slice.told_in, number)),
                "slice {number} changed, and the log of slices does not say so"
            );
            ensure!(slice.layout <= layouts.issued, "slice {number} has a layout that was not issued");
            ensure!(
                slice.layout <= layouts.told || relaid.contains(&number),
                "slice {number} has a new layout that waits on no list"
            );
            ensure!(slice.version <= self.versions, "slice {number} has a version to come");
            let places = slice.transforms.places;
            ensure!(places > 0 && places <= slice.version, "slice {number} has places that no version had");
            ensure!(numbers.insert(slice.layout), "slice {number} has the layout of another slice");
            ensure!(
                slice.swept_in <= self.updates && slice.swept_frame <= self.frames,
                "slice {number} was swept in an update to come"
            );
        }
        Ok(())
    }
}

impl Slice {
    /// Checks that in a slice that waits for no update, what was after the last update is what is now.
    fn validate_settled_history(&self, number: u32, worlds: &[Mat34]) -> Result<(), String> {
        let (Some(trace), Some(masks)) = (&self.transforms.trace, &self.visibilities.trace) else { return Ok(()) };
        for slot in self.transforms.slots.iter() {
            ensure!(
                self.transforms.history(trace, slot).world.to_bits() == worlds[slot as usize].to_bits(),
                "slice {number} is not marked, and the matrix of slot {slot} is not what its history says"
            );
        }
        ensure!(
            masks.base == self.visibilities.effective[0],
            "slice {number} is not marked, and its inherited mask is not what its history says"
        );
        Ok(())
    }
}

impl Feed {
    fn validate(&self, store: &Store) -> Result<(), String> {
        let Self { came, went, dropped, edited, entered, previous_transforms, previous_masks, log, .. } = self;
        let flagged = |node: &NodeHandle, flags: u8| self.flags.has(*node, flags);
        let lives = |node: &NodeHandle| store.resolve(*node).is_some();
        ensure!(
            came.iter().filter(|node| lives(node)).all(|node| flagged(node, flag::NEW)),
            "a node is listed as new and is not flagged so"
        );
        ensure!(went.iter().all(|node| flagged(node, flag::WENT)), "a node is listed as gone and is not flagged so");
        ensure!(!dropped.iter().any(lives), "a node is listed as removed and is live");
        ensure!(
            entered.iter().filter(|node| lives(node)).all(|node| flagged(node, flag::ENTERED | flag::NEW)),
            "a node is listed as entered and is not flagged so"
        );
        for (list, flags, what) in [
            (previous_transforms.iter().map(|&(node, _)| node).collect::<Vec<_>>(), flag::PREVIOUS_TRANSFORM, "matrix"),
            (previous_masks.iter().map(|&(node, _)| node).collect(), flag::PREVIOUS_MASK, "mask"),
        ] {
            ensure!(
                list.iter().all(|node| flagged(node, flags)),
                "a node is listed with its previous {what} and is not flagged so"
            );
            let distinct: HashSet<NodeHandle> = list.iter().copied().collect();
            ensure!(distinct.len() == list.len(), "a node is listed twice with its previous {what}");
        }
        let entry = |node: &NodeHandle| (node.table(), node.index());
        let [new, gone, changed] = [came, went, edited].map(|list| list.iter().map(entry).collect::<HashSet<_>>());
        let previous: HashSet<_> = previous_transforms.iter().map(|(node, _)| entry(node)).collect();
        let masked: HashSet<_> = previous_masks.iter().map(|(node, _)| entry(node)).collect();
        for (table, entries) in (0..).zip(&self.flags.tables) {
            for (index, noted) in (0..).zip(entries) {
                let at = (table, index);
                let unlisted = |flags: u8, list: &HashSet<(u32, u32)>| noted.flags & flags != 0 && !list.contains(&at);
                let entry = store.tables.tables.get(table as usize).and_then(|table| table.entries.get(index as usize));
                let live = entry.is_some_and(|entry| entry.lives(index));
                ensure!(
                    !(live && unlisted(flag::NEW, &new)
                        || unlisted(flag::GONE | flag::WENT, &gone)
                        || unlisted(flag::PREVIOUS_TRANSFORM, &previous)
                        || unlisted(flag::PREVIOUS_MASK, &masked)),
                    "entry {index} of metadata table {table} is flagged for a list that it is not on"
                );
                ensure!(
                    noted.kinds == ChangeKinds::NONE || changed.contains(&at) || !live,
                    "entry {index} of metadata table {table} was edited and is not listed"
                );
            }
        }
        ensure!(
            log.entries.len() == log.frames.iter().map(|&(_, count)| count).sum::<usize>(),
            "the log of nodes has other entries than its frames count"
        );
        ensure!(
            log.frames.iter().is_sorted_by(|(a, _), (b, _)| a < b)
                && log.frames.front().is_none_or(|&(frame, _)| log.start < frame)
                && log.frames.back().is_none_or(|&(frame, _)| frame <= store.frames),
            "the log of nodes is not in the order of frames"
        );
        let last = log.frames.back().map_or(0, |&(_, count)| count);
        ensure!(log.entries.len() <= log.limit + last, "the log of nodes is longer than it may be");
        ensure!(
            self.recalled.iter().is_sorted_by(|(a, _), (b, _)| a < b),
            "the matrices that are recalled are not in the order of handles"
        );
        Ok(())
    }
}
