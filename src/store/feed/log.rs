//! The log of changes of nodes in each frame, by handle, up to a limit.

use crate::NodeHandle;
use crate::store::change_kinds::ChangeKinds;
use std::collections::VecDeque;

/// A change of a node in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The node was in the tree, and was removed. `Removed` and `Dropped` come before all other entries of a frame.
    Removed,
    /// The node was not in the tree, and was removed.
    Dropped,
    /// The node was detached.
    Left,
    /// The node entered the tree. No other change of this frame is reported for it.
    Entered,
    /// Edits changed the node, or a value that it inherits.
    Edited(ChangeKinds),
    /// The node uses another transform slot, with another history, so the slot's data up to this frame is not valid for
    /// this node. The node's world matrix last changed in the given frame, which is this one or an earlier one.
    Moved(u32),
}

/// An entry of 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) node: NodeHandle,
    pub(super) event: Event,
}

const _: () = assert!(size_of::<Entry>() == 16);

/// The entries by frame, the oldest first.
#[derive(Clone, Debug)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    /// Frames with entries, in ascending order, each with the number of its entries.
    frames: VecDeque<(u64, usize)>,
    /// The log has all entries of frames after this one.
    start: u64,
    /// The greatest number of entries of frames before the last.
    limit: usize,
}

impl Log {
    pub(super) fn new(limit: usize) -> Self {
        Self { entries: VecDeque::new(), frames: VecDeque::new(), start: 0, limit }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn push(&mut self, frame: u64, node: NodeHandle, event: Event) {
        self.entries.push_back(Entry { node, event });
        match self.frames.back_mut() {
            Some((last, count)) if *last == frame => *count += 1,
            _ => self.frames.push_back((frame, 1)),
        }
    }

    /// Drops the oldest frames until the others are within the limit. The last frame always stays.
    pub(super) fn trim(&mut self) {
        let last = self.frames.back().map_or(0, |&(_, count)| count);
        while self.entries.len() - last > self.limit
            && let Some((frame, count)) = self.frames.pop_front()
        {
            self.entries.drain(..count);
            self.start = frame;
        }
    }

    /// Drops all entries, so that the changes of frames up to this one are unknown.
    pub(super) fn forget(&mut self, frame: u64) {
        self.entries.clear();
        self.frames.clear();
        self.start = frame;
    }

    /// Returns the entries of all frames after this one, each with its frame; `None` if any were dropped.
    pub(super) fn since(&self, frame: u64) -> Option<impl Iterator<Item = (u64, &Entry)>> {
        if frame < self.start {
            return None;
        }
        let first = self.frames.partition_point(|&(number, _)| number <= frame);
        let skipped: usize = self.frames.range(..first).map(|&(_, count)| count).sum();
        let frames = self.frames.range(first..).flat_map(|&(number, count)| core::iter::repeat_n(number, count));
        Some(frames.zip(self.entries.range(skipped..)))
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.frames.capacity() * size_of::<(u64, usize)>()
    }

    /// Checks that frames are in order and within the limit. `now` is the last frame.
    pub(super) fn validate(&self, now: u64) -> Result<(), String> {
        let count: usize = self.frames.iter().map(|&(_, count)| count).sum();
        let last = self.frames.back().map_or(0, |&(_, count)| count);
        if count != self.entries.len() || count - last > self.limit {
            return Err(format!("the log of changes has {} entries, not {count}", self.entries.len()));
        }
        let late = self.frames.back().is_some_and(|&(frame, _)| frame > now);
        if late || !self.frames.iter().is_sorted_by(|(a, _), (b, _)| a < b) {
            return Err("the log of changes is out of order".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RecordId;

    #[test]
    fn the_last_frame_stays_and_those_before_as_far_as_the_limit_goes() {
        let node = |index| NodeHandle::of_record(RecordId(index), 1);
        let mut log = Log::new(3);
        for (frame, count) in [(1, 2), (3, 1), (4, 5), (6, 2)] {
            (0..count).for_each(|index| log.push(frame, node(index), Event::Entered));
            log.trim();
        }
        assert!(log.since(3).is_none() && log.since(4).is_some_and(|entries| entries.count() == 2));
        assert_eq!(log.since(6).map(Iterator::count), Some(0));
        log.push(7, node(9), Event::Left);
        log.trim();
        let frames: Option<Vec<u64>> = log.since(4).map(|entries| entries.map(|(frame, _)| frame).collect());
        assert_eq!(frames, Some(vec![6, 6, 7]));
        log.limit = 0;
        log.trim();
        assert!(log.since(5).is_none() && log.since(6).is_some_and(|entries| entries.count() == 1));
        assert_eq!(log.validate(7), Ok(()));
    }
}
