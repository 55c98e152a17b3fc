//! Items to write to a buffer, what was written, and where the steps of a sync go.

use crate::error::Error;
use crate::scene::Synced;
use crate::step::{Buffer, Items, Step};
use bytemuck::{Pod, cast_slice};
use core::ops::Range;

/// A run of at least this many items is written, and shorter ones are scattered: from there on, a copy costs less.
pub(crate) const SHORTEST: usize = 64;

/// Where the steps of a sync go, what it did, and what it must heed.
pub(crate) struct Output<'s> {
    pub(crate) step: &'s mut dyn FnMut(Step<'_>),
    pub(crate) done: Synced,
    /// The length of the shortest run of items that is written, not scattered: 1 without compute shaders.
    pub(crate) shortest: usize,
    pub(crate) previous: bool,
    /// The greatest number of bytes of a buffer.
    pub(crate) max: u64,
}

impl Output<'_> {
    /// Returns whether the device has such a buffer.
    const fn has(&self, buffer: Buffer) -> bool {
        self.shortest > 1 || !buffer.is_of_culling()
    }

    pub(crate) fn run(&mut self, next: Step<'_>) {
        if !self.has(next.buffer()) {
            return;
        }
        self.done.steps += 1;
        self.done.bytes += match &next {
            Step::Write { bytes, .. } => bytes.len() as u64,
            Step::Scatter { buffer, indices, .. } => (indices.len() * (size_of::<u32>() + buffer.stride())) as u64,
            Step::Resize { .. } | Step::Settle { .. } => 0,
        };
        (self.step)(next);
    }

    /// Runs a step of a buffer with a previous one.
    pub(crate) fn run_noted(&mut self, next: Step<'_>, written: &mut Written) {
        if self.previous {
            written.note(&next);
        }
        self.run(next);
    }

    pub(crate) const fn check(&self, buffer: Option<Buffer>, bytes: u64) -> Result<(), Error> {
        let max = self.max;
        if bytes > max { Err(Error::TooLarge { buffer, bytes, max }) } else { Ok(()) }
    }

    pub(crate) fn resize(&mut self, buffer: Buffer, bytes: u64, keep: bool) -> Result<(), Error> {
        if self.has(buffer) {
            self.check(Some(buffer), bytes)?;
        }
        self.run(Step::Resize { buffer, bytes, keep });
        Ok(())
    }

    /// Makes room in a buffer for so many items of so many bytes, and a quarter more if that is allowed. Returns how
    /// many have room.
    pub(crate) fn grow(&mut self, buffer: Buffer, len: usize, stride: usize) -> Result<usize, Error> {
        let most = usize::try_from(self.max).unwrap_or(usize::MAX) / stride;
        let room = len.max(most.min(len * 5 / 4));
        self.resize(buffer, (room * stride) as u64, true)?;
        Ok(room)
    }
}

/// What a sync wrote of a buffer: ranges, and single items. It is the previous frame's in the next sync.
#[derive(Default)]
pub(crate) struct Written {
    ranges: Vec<Range<u32>>,
    indices: Vec<u32>,
}

impl Written {
    /// Copies what the last sync wrote to the buffer of previous items, before anything else is written.
    pub(crate) fn settle(&mut self, from: Buffer, to: Buffer, out: &mut Output<'_>) {
        let Self { ranges, indices } = self;
        if !ranges.is_empty() || !indices.is_empty() {
            out.run(Step::Settle { from, to, ranges, indices });
        }
        ranges.clear();
        indices.clear();
    }

    /// Notes what a step of this sync writes.
    fn note(&mut self, step: &Step<'_>) {
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
    pub(crate) fn flush(&mut self, buffer: Buffer, shortest: usize, mut step: impl FnMut(Step<'_>)) {
        let (mut at, mut kept) = (0, 0);
        while at < self.len() {
            let first = self.indices[at];
            let run = (first..).zip(&self.indices[at..]).take_while(|(next, index)| next == *index).count();
            if run >= shortest {
                let offset = u64::from(first) * buffer.stride() as u64;
                step(Step::Write { buffer, offset, bytes: cast_slice(&self.items[at..at + run]) });
            } else {
                self.indices.copy_within(at..at + run, kept);
                self.items.copy_within(at..at + run, kept);
                kept += run;
            }
            at += run;
        }
        if kept > 0 {
            let items = Items::of_records(buffer, cast_slice(&self.items[..kept]));
            step(Step::Scatter { buffer, indices: &self.indices[..kept], items });
        }
        self.clear();
    }
}
