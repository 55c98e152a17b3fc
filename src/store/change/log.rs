//! The log of what updates told of nodes by their handles: of frames that are not too long ago.

use crate::NodeHandle;
use crate::store::change::ChangeKinds;
use std::collections::VecDeque;

/// What a frame told of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Told {
    /// It was detached from the scene. Comes before all others of the frame, like the next two.
    Left,
    /// It was in the scene after the frame before, and was removed.
    Removed,
    /// It was detached after the frame before, and was removed.
    Dropped,
    /// It entered the scene. Nothing else of the frame is told of it.
    Entered,
    /// Edits changed it.
    Edited(ChangeKinds),
    /// It began to inherit another transform slot, which had another history. What that slot says of this frame and of
    /// those before does not hold for this node: its world matrix last changed in this frame, which may be the present
    /// one or earlier.
    Moved(u32),
    /// The same for its mask.
    Masked(u32),
}

/// One entry: 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Entry {
    pub(in crate::store) node: NodeHandle,
    pub(in crate::store) told: Told,
}

const _: () = assert!(size_of::<Entry>() == 16);

/// Entries frame by frame, the oldest first.
#[derive(Clone, Debug)]
pub(in crate::store) struct Log {
    pub(in crate::store) entries: VecDeque<Entry>,
    /// Frames with entries, each with the number of them, in ascending order.
    pub(in crate::store) frames: VecDeque<(u64, usize)>,
    /// All frames after this one are there.
    pub(in crate::store) start: u64,
    /// How many entries of frames before the last are kept at most.
    pub(in crate::store) limit: usize,
}

impl Default for Log {
    fn default() -> Self {
        Self { entries: VecDeque::new(), frames: VecDeque::new(), start: 0, limit: Self::LIMIT }
    }
}

impl Log {
    /// The limit if no other is set: 1 MiB.
    pub(in crate::store) const LIMIT: usize = 1 << 16;

    /// Sets how many entries of frames before the last are kept at most.
    pub(in crate::store) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.trim();
    }

    pub(in crate::store) fn push(&mut self, frame: u64, node: NodeHandle, told: Told) {
        self.entries.push_back(Entry { node, told });
        match self.frames.back_mut() {
            Some((last, count)) if *last == frame => *count += 1,
            _ => self.frames.push_back((frame, 1)),
        }
    }

    /// Drops the oldest frames until the others are within the limit; the last one always stays.
    pub(in crate::store) fn trim(&mut self) {
        let last = self.frames.back().map_or(0, |&(_, count)| count);
        while self.entries.len() - last > self.limit
            && let Some((frame, count)) = self.frames.pop_front()
        {
            self.entries.drain(..count);
            self.start = frame;
        }
    }

    /// Drops all frames up to this one.
    pub(in crate::store) fn forget(&mut self, frame: u64) {
        self.entries.clear();
        self.frames.clear();
        self.start = frame;
    }

    /// The entries of all frames after this one, each with its frame; `None` if some of them were dropped.
    pub(in crate::store) fn since(&self, frame: u64) -> Option<impl Iterator<Item = (u64, &Entry)>> {
        if frame < self.start {
            return None;
        }
        let first = self.frames.partition_point(|&(number, _)| number <= frame);
        let skipped: usize = self.frames.range(..first).map(|&(_, count)| count).sum();
        let frames = self.frames.range(first..).flat_map(|&(number, count)| core::iter::repeat_n(number, count));
        Some(frames.zip(self.entries.range(skipped..)))
    }

    /// Frees the room behind what is kept.
    pub(in crate::store) fn shrink_to_fit(&mut self) {
        self.entries.shrink_to_fit();
        self.frames.shrink_to_fit();
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.frames.capacity() * size_of::<(u64, usize)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frame_stays_and_those_before_as_far_as_the_limit_goes() {
        let node = |index| NodeHandle::new(0, index, 1);
        let mut log = Log::default();
        log.set_limit(3);
        for (frame, count) in [(1, 2), (3, 1), (4, 5), (6, 2)] {
            (0..count).for_each(|index| log.push(frame, node(index), Told::Entered));
            log.trim();
        }
        assert!(log.since(3).is_none() && log.since(4).is_some_and(|entries| entries.count() == 2));
        assert_eq!(log.since(6).map(Iterator::count), Some(0));
        log.push(7, node(9), Told::Left);
        log.trim();
        let frames: Option<Vec<u64>> = log.since(4).map(|entries| entries.map(|(frame, _)| frame).collect());
        assert_eq!(frames, Some(vec![6, 6, 7]));
        log.set_limit(0);
        assert!(log.since(5).is_none() && log.since(6).is_some_and(|entries| entries.count() == 1));
    }
}
