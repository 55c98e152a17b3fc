//! Items to write to a buffer, what was written, and where the steps of a sync go.

use crate::error::Error;
use crate::pass::Pass;
use crate::scene::{Synced, short};
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
    /// The number of bytes of each buffer that was [fitted](Self::fit).
    pub(crate) fitted: [u64; Buffer::ALL.len()],
}

impl Output<'_> {
    /// Returns whether the device has such a buffer.
    const fn has(&self, buffer: Buffer) -> bool {
        self.shortest > 1 || !buffer.is_of_passes()
    }

    pub(crate) fn run(&mut self, next: Step<'_>) {
        self.done.bytes += match &next {
            Step::Write { buffer, .. } | Step::Resize { buffer, .. } if !self.has(*buffer) => return,
            Step::Write { bytes, .. } => bytes.len() as u64,
            Step::List { indices, items, .. } => (indices.len() * (size_of::<u32>() + items.stride())) as u64,
            Step::Resize { .. } | Step::Copy { .. } | Step::Dispatch { .. } => 0,
        };
        self.done.steps += 1;
        (self.step)(next);
    }

    /// Writes items from an index on, and notes that.
    pub(crate) fn write(&mut self, buffer: Buffer, first: u32, bytes: &[u8], note: Noted<'_>) {
        let stride = buffer.stride();
        if let Some(written) = note.filter(|_| self.previous) {
            written.ranges.push(first..first + short(bytes.len() / stride));
        }
        self.run(Step::Write { buffer, offset: u64::from(first) * stride as u64, bytes });
    }

    /// Lists items and scatters them, and notes that.
    pub(crate) fn scatter(
        &mut self,
        to: Buffer,
        indices: &[u32],
        items: Items<'_>,
        note: Noted<'_>,
    ) -> Result<(), Error> {
        // Where nearly all that a device has room for is scattered, a list of it has no room.
        let most = self.max.saturating_sub(8) / (size_of::<u32>() + items.stride()) as u64;
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
        for (number, part) in indices.chunks(most).enumerate() {
            self.list(to, part, items.part(number * most, part.len()))?;
            self.run(Pass::Scatter(to).over(short(part.len())));
        }
        if let Some(written) = note.filter(|_| self.previous) {
            written.indices.extend_from_slice(indices);
            written.is_listed = indices.len() <= most;
        }
        Ok(())
    }

    fn list(&mut self, of: Buffer, indices: &[u32], items: Items<'_>) -> Result<(), Error> {
        let buffer = of.list();
        self.fit(buffer, (8 + indices.len() * (size_of::<u32>() + items.stride())) as u64, true)?;
        self.run(Step::List { buffer, indices, items });
        Ok(())
    }

    pub(crate) fn resize(&mut self, buffer: Buffer, bytes: u64, keep: bool) -> Result<(), Error> {
        let max = self.max;
        if bytes > max && self.has(buffer) {
            return Err(Error::TooLarge { buffer, bytes, max });
        }
        self.run(Step::Resize { buffer, bytes, keep });
        Ok(())
    }

    /// Makes a buffer this long, unless it is already: if it `grows`, with its contents, and a quarter more if allowed.
    pub(crate) fn fit(&mut self, buffer: Buffer, bytes: u64, grows: bool) -> Result<(), Error> {
        if self.fitted[buffer as usize] < bytes {
            let whole = |bytes: u64| bytes - bytes % buffer.stride() as u64;
            let room = if grows { bytes.max(whole(self.max.min(bytes * 5 / 4))) } else { bytes };
            self.fitted[buffer as usize] = room;
            self.resize(buffer, room, grows)?;
        }
        Ok(())
    }
}

/// Where a write is noted, of a buffer with a previous one.
type Noted<'w> = Option<&'w mut Written>;

/// What a sync wrote of a buffer: ranges, and single items. It is the previous frame's in the next sync.
#[derive(Default)]
pub(crate) struct Written {
    ranges: Vec<Range<u32>>,
    indices: Vec<u32>,
    /// Whether the buffer's list has all the indices.
    is_listed: bool,
}

impl Written {
    /// Copies what the last sync wrote to the buffer of previous items, before anything else is written.
    pub(crate) fn settle(&mut self, from: Buffer, to: Buffer, out: &mut Output<'_>) -> Result<(), Error> {
        let Self { ranges, indices, is_listed } = self;
        if !ranges.is_empty() {
            out.run(Step::Copy { from, to, ranges });
        }
        if !indices.is_empty() {
            if !*is_listed {
                out.list(from, indices, Items::NONE)?;
            }
            out.run(Pass::Settle(from).over(short(indices.len())));
        }
        ranges.clear();
        indices.clear();
        Ok(())
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

    /// Writes the longer runs of items, scatters the rest, and notes that.
    pub(crate) fn flush(&mut self, buffer: Buffer, out: &mut Output<'_>, mut note: Noted<'_>) -> Result<(), Error> {
        let (mut at, mut kept) = (0, 0);
        while at < self.len() {
            let first = self.indices[at];
            let run = (first..).zip(&self.indices[at..]).take_while(|(next, index)| next == *index).count();
            if run >= out.shortest {
                out.write(buffer, first, cast_slice(&self.items[at..at + run]), note.as_deref_mut());
            } else {
                self.indices.copy_within(at..at + run, kept);
                self.items.copy_within(at..at + run, kept);
                kept += run;
            }
            at += run;
        }
        if kept > 0 {
            let items = Items::of_records(buffer, cast_slice(&self.items[..kept]));
            out.scatter(buffer, &self.indices[..kept], items, note)?;
        }
        self.clear();
        Ok(())
    }
}
