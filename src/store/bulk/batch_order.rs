//! The order in which a batch makes its edits.

use crate::store::columns::{At, NIL};
use crate::store::slice::ends_far;
use crate::store::{Row, Slice, Slices, Store};
use crate::{Node, NodeHandle};
use hedgerow_math::internal::prefetch_whole;

/// Edits whose rows are this close together are made together: 1024 rows of 48 bytes stay in the cache meanwhile.
const BLOCK: u32 = 1 << 10;

/// How many edits ahead to prefetch an entry, then a row, then what the row refers to. Each step uses what the step
/// before fetched.
const ENTRY_AHEAD: usize = 32;
const ROW_AHEAD: usize = 20;
const NEXT_AHEAD: usize = 10;

/// How many edits ahead a transform to set is prefetched.
pub(in crate::store) const LOCAL_AHEAD: usize = 16;

/// Where one edit of a batch is made, and its number in the batch. 12 bytes.
#[derive(Clone, Copy, Debug)]
struct Stop {
    slice: u32,
    block: u32,
    item: u32,
}

/// The edits of a batch, ordered by the blocks that they are made in. Edits in the same block keep their order.
///
/// A block stays in the cache while its edits are made. For edits in random places this saves most of the cache misses.
/// The lists are reused from batch to batch.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct BatchOrder {
    stops: Vec<Stop>,
    items: Vec<u32>,
    /// The number of the first block of each slice, while the stops are sorted.
    first_blocks: Vec<u32>,
    /// For each block, where its next stop goes.
    ends: Vec<u32>,
}

impl BatchOrder {
    /// An empty order that reuses the memory of this one.
    pub(in crate::store) fn restart(mut self) -> Self {
        self.stops.clear();
        self
    }

    /// Notes that the edit with this number is made at a row.
    #[inline]
    pub(in crate::store) fn add(&mut self, item: usize, at: At) {
        let item = u32::try_from(item).expect("a batch has fewer edits than a scene can have nodes");
        self.stops.push(Stop { slice: at.slice, block: at.row / BLOCK, item });
    }

    /// Sorts the stops, and returns the numbers of the edits in the order in which to make them.
    ///
    /// Uses a counting sort where blocks have many stops, else a comparison sort: O(stops + slices + blocks) or O(n log
    /// n) for n stops.
    pub(in crate::store) fn sorted(&mut self, slices: &Slices) -> &[u32] {
        self.items.clear();
        if self.stops.len() < slices.len() {
            self.stops.sort_by_key(|stop| (stop.slice, stop.block));
            self.items.extend(self.stops.iter().map(|stop| stop.item));
            return &self.items;
        }
        let mut blocks = 0;
        self.first_blocks.clear();
        self.first_blocks.extend(slices.iter().map(|slice| {
            let first = blocks;
            blocks += slice.row_slots.end() / BLOCK + 1;
            first
        }));
        let block_of = |first_blocks: &[u32], stop: &Stop| (first_blocks[stop.slice as usize] + stop.block) as usize;
        self.ends.clear();
        self.ends.resize(blocks as usize, 0);
        for stop in &self.stops {
            self.ends[block_of(&self.first_blocks, stop)] += 1;
        }
        let mut start = 0;
        for end in &mut self.ends {
            start += core::mem::replace(end, start);
        }
        self.items.resize(self.stops.len(), 0);
        for stop in &self.stops {
            let end = &mut self.ends[block_of(&self.first_blocks, stop)];
            self.items[*end as usize] = stop.item;
            *end += 1;
        }
        &self.items
    }

    /// Removes the stops, and frees the memory beyond this many.
    pub(in crate::store) fn shrink_to(&mut self, stops: usize) {
        self.stops.clear();
        self.stops.shrink_to(stops);
    }

    /// How many stops there is memory for.
    pub(in crate::store) fn capacity(&self) -> usize {
        self.stops.capacity()
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        self.stops.capacity() * size_of::<Stop>()
            + (self.items.capacity() + self.first_blocks.capacity() + self.ends.capacity()) * size_of::<u32>()
    }
}

impl Slice {
    /// Prefetches a row.
    #[inline]
    pub(in crate::store) fn prefetch_row(&self, row: u32) {
        prefetch_whole(&self.rows, row as usize);
    }

    /// Prefetches what else moving a row away reads: its neighbours and its components.
    #[inline]
    pub(in crate::store) fn prefetch_moved(&self, row: u32) {
        let Row { parent, previous, next, transform, shape, .. } = *self.row(row);
        for beside in [previous, next] {
            self.prefetch_row(if beside == NIL { parent } else { beside });
        }
        if let Some(slot) = transform.as_own() {
            prefetch_whole(&self.transforms.locals, slot as usize);
            prefetch_whole(&self.transforms.worlds, slot as usize);
        }
        if shape != NIL {
            prefetch_whole(&self.shapes.records, shape as usize);
            prefetch_whole(&self.shapes.bounds, shape as usize);
        }
    }

    /// Prefetches the places where a new last child of a row will most likely lie.
    #[inline]
    pub(in crate::store) fn prefetch_places(&self, parent: u32, node: &Node<'_>) {
        let Row { last_child, transform, .. } = *self.row(parent);
        if last_child != NIL {
            self.prefetch_row(last_child);
        }
        let beside = if ends_far(parent, last_child) { last_child } else { parent };
        let row = self.row_slots.foreseen_near(beside + 1);
        self.prefetch_row(row);
        if node.local.is_some() {
            let slot = self.transforms.slots.foreseen_after(transform.index()) as usize;
            prefetch_whole(&self.transforms.locals, slot);
            prefetch_whole(&self.transforms.parents, slot);
            prefetch_whole(&self.transforms.worlds, slot);
        }
        if node.shape.is_some() {
            let slot = self.shapes.slots.foreseen_near(self.shape_hint(row)) as usize;
            prefetch_whole(&self.shapes.records, slot);
            prefetch_whole(&self.shapes.bounds, slot);
        }
    }
}

impl Store {
    /// Prefetches what resolving a handle will read, some edits ahead of the one being checked.
    #[inline]
    pub(in crate::store) fn look_ahead_for_entries(&self, handle: impl Fn(usize) -> Option<NodeHandle>) {
        if let Some(handle) = handle(ENTRY_AHEAD) {
            self.tables.prefetch(handle);
        }
    }

    /// Prefetches entries and rows of nodes that come some steps after the present one.
    #[inline]
    #[cfg(feature = "anim")]
    pub(crate) fn look_ahead_for_rows(&self, handle: impl Fn(usize) -> Option<NodeHandle>) {
        self.look_ahead(handle, |_, _, _| {});
    }

    /// Prefetches what the next edits of any kind will read: entries, rows, their neighbours and components.
    #[inline]
    pub(crate) fn look_ahead_for_edits(&self, handle: impl Fn(usize) -> Option<NodeHandle>) {
        self.look_ahead(handle, |slice, row, _| slice.prefetch_moved(row));
    }

    /// Prefetches what setting the next local transforms will read and write: entries, and transforms.
    #[inline]
    pub(crate) fn look_ahead_for_locals(&self, handle: impl Fn(usize) -> Option<NodeHandle>) {
        self.look_ahead_for_entries(&handle);
        if let Some(slot) = handle(LOCAL_AHEAD).and_then(|handle| self.local_slot_of(handle)) {
            self.prefetch_local(slot);
        }
    }

    /// Prefetches what the next edits will read: entries, rows, and what `next` asks for, given a row and how many
    /// steps ahead its edit is.
    #[inline]
    pub(in crate::store) fn look_ahead(
        &self,
        handle: impl Fn(usize) -> Option<NodeHandle>,
        next: impl Fn(&Slice, u32, usize),
    ) {
        self.look_ahead_for_entries(&handle);
        if let Some(At { slice, row }) = handle(ROW_AHEAD).and_then(|handle| self.resolve(handle)) {
            self.slice(slice).prefetch_row(row);
        }
        if let Some(At { slice, row }) = handle(NEXT_AHEAD).and_then(|handle| self.resolve(handle)) {
            next(self.slice(slice), row, NEXT_AHEAD);
        }
    }
}
