//! Items to write to a buffer, and what was written.

use crate::scene::Synced;
use crate::step::{Buffer, Items, Step};
use bytemuck::{Pod, cast_slice};
use core::ops::Range;

/// A run of at least this many items is written, and shorter ones are scattered: from there on, a copy costs less.
pub(crate) const SHORTEST: usize = 64;

/// What a sync wrote of a buffer: ranges, and single items. It is the previous frame's in the next sync.
#[derive(Default)]
pub(crate) struct Written {
    ranges: Vec<Range<u32>>,
    indices: Vec<u32>,
}

impl Written {
    /// Copies what the last sync wrote to the buffer of previous items, before anything else is written.
    pub(crate) fn settle(
        &mut self,
        from: Buffer,
        to: Buffer,
        done: &mut Synced,
        step: &mut impl FnMut(Step<'_>, &mut Synced),
    ) {
        let Self { ranges, indices } = self;
        if !ranges.is_empty() || !indices.is_empty() {
            step(Step::Settle { from, to, ranges, indices }, done);
        }
        ranges.clear();
        indices.clear();
    }

    /// Notes what a step of this sync writes.
    pub(crate) fn note(&mut self, step: &Step<'_>) {
        match step {
            Step::Write { buffer, offset, bytes } => {
                let at = |byte: u64| u32::try_from(byte / buffer.stride() as u64).unwrap_or(u32::MAX);
                self.ranges.push(at(*offset)..at(*offset + bytes.len() as u64));
            }
            Step::Scatter { indices, .. } => self.indices.extend_from_slice(indices),
            Step::Resize { .. } | Step::Settle { .. } => {}
        }
    }
}

/// Items with their indices, none twice.
pub(crate) struct List<T> {
    indices: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { indices: Vec::new(), items: Vec::new() }
    }
}

impl<T: Pod> List<T> {
    pub(crate) fn clear(&mut self) {
        self.indices.clear();
        self.items.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.indices.len()
    }

    pub(crate) fn indices(&self) -> &[u32] {
        &self.indices
    }

    pub(crate) fn push(&mut self, index: u32, item: T) {
        self.indices.push(index);
        self.items.push(item);
    }

    /// Keeps the items with an index below a length.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.keep(|at, indices| (indices[at] as usize) < len);
    }

    /// Keeps the first of items with one index.
    pub(crate) fn dedup(&mut self) {
        let mut seen = std::collections::HashSet::with_capacity(self.len());
        self.keep(|at, indices| seen.insert(indices[at]));
    }

    fn keep(&mut self, mut keep: impl FnMut(usize, &[u32]) -> bool) {
        let mut kept = 0;
        for at in 0..self.len() {
            if keep(at, &self.indices) {
                (self.indices[kept], self.items[kept]) = (self.indices[at], self.items[at]);
                kept += 1;
            }
        }
        self.indices.truncate(kept);
        self.items.truncate(kept);
    }

    /// Writes the runs of at least so many items, and scatters the rest.
    pub(crate) fn flush(
        &mut self,
        buffer: Buffer,
        shortest: usize,
        done: &mut Synced,
        step: &mut impl FnMut(Step<'_>, &mut Synced),
    ) {
        let (mut at, mut kept) = (0, 0);
        while at < self.len() {
            let first = self.indices[at];
            let run = (first..).zip(&self.indices[at..]).take_while(|(next, index)| next == *index).count();
            if run >= shortest {
                let offset = u64::from(first) * buffer.stride() as u64;
                step(Step::Write { buffer, offset, bytes: cast_slice(&self.items[at..at + run]) }, done);
            } else {
                self.indices.copy_within(at..at + run, kept);
                self.items.copy_within(at..at + run, kept);
                kept += run;
            }
            at += run;
        }
        if kept > 0 {
            let items = Items::of_records(buffer, cast_slice(&self.items[..kept]));
            step(Step::Scatter { buffer, indices: &self.indices[..kept], items }, done);
        }
        self.clear();
    }
}
