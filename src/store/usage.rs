//! Memory, in records and bytes; and what maintenance did.

use crate::store::Store;
use crate::store::page::RECORD_BYTES;
use crate::store::slice::{Head, Slice};

/// The use of one kind of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// How many records are in use.
    pub live: usize,
    /// The bytes of these.
    pub live_bytes: usize,
    /// The bytes that are allocated.
    pub allocated_bytes: usize,
}

impl Usage {
    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            live: self.live + other.live,
            live_bytes: self.live_bytes + other.live_bytes,
            allocated_bytes: self.allocated_bytes + other.allocated_bytes,
        }
    }

    /// What is left without a part.
    pub(crate) fn minus(self, part: Self) -> Self {
        Self {
            live: self.live - part.live,
            live_bytes: self.live_bytes - part.live_bytes,
            allocated_bytes: self.allocated_bytes - part.allocated_bytes,
        }
    }
}

/// What a call to [`Scene::maintain`](crate::Scene::maintain) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintenance {
    /// How many slices were reconstituted.
    pub reconstituted: usize,
    /// How many small slices were joined with others.
    pub merged: usize,
    /// How many nodes are in the slices that were reconstituted or joined.
    pub nodes: usize,
    /// How many slices are left for another call, because the budget was spent or edits wait for the update.
    pub remaining: usize,
}

impl Store {
    /// The memory use of records, in pages.
    pub(crate) fn record_usage(&self) -> Usage {
        let live = self.pages.len();
        Usage { live, live_bytes: live * RECORD_BYTES, allocated_bytes: self.pages.bytes() }
    }

    /// The memory use of rows, transform slots and shapes of all slices.
    pub(crate) fn slice_usages(&self) -> [Usage; 3] {
        let slices = self.slices.slices.iter().zip(&self.slices.heads);
        let sum = |sums: [Usage; 3], (slice, head): (&Slice, &Head)| {
            let usages = slice.usages(head.live as usize);
            [0, 1, 2].map(|kind| sums[kind].plus(usages[kind]))
        };
        let [rows, slots, shapes] = slices.fold([Usage::default(); 3], sum);
        // The limbo is no node, and has a row and a slot.
        let limbo = |bytes: &Usage| Usage { live: 1, live_bytes: bytes.live_bytes / bytes.live, allocated_bytes: 0 };
        [rows.minus(limbo(&rows)), slots.minus(limbo(&slots)), shapes]
    }

    /// The memory use of components but names, and of names.
    pub(crate) fn component_usages(&self) -> [Usage; 2] {
        [self.components.usage(), self.components.name_usage()]
    }

    /// The memory use of world boxes.
    pub(crate) fn box_usage(&self) -> Usage {
        let boxes = |slice: &Slice| {
            slice.boxes.as_ref().map_or(Usage::default(), |boxes| {
                let live = slice.used_shapes.len();
                Usage { live, live_bytes: live * size_of::<crate::Aabb>(), allocated_bytes: boxes.bytes() }
            })
        };
        let of_order = Usage { allocated_bytes: self.boxes.bytes(), ..Usage::default() };
        self.slices.slices.iter().map(boxes).fold(of_order, Usage::plus)
    }

    /// The bytes of histories and of the log of changes.
    pub(crate) fn change_bytes(&self) -> usize {
        let traces = self.slices.slices.iter().filter_map(|slice| slice.trace.as_ref());
        self.feed.as_ref().map_or(0, |feed| feed.bytes()) + traces.map(|trace| trace.bytes()).sum::<usize>()
    }

    /// The bytes of what stands beside the columns of slices, of lists, and of scratch memory.
    pub(crate) fn overhead_bytes(&self) -> usize {
        let crate::store::slices::Slices {
            slices,
            heads,
            order,
            attached: _,
            free,
            edited,
            unboxed,
            untidy,
            is_untidy,
        } = &self.slices;
        let lists = [order, free, edited, unboxed, untidy, &self.clock.swept, &self.clock.ahead];
        slices.capacity() * size_of::<Slice>()
            + heads.capacity() * size_of::<Head>()
            + lists.into_iter().map(|list| list.capacity() * size_of::<u32>()).sum::<usize>()
            + is_untidy.capacity()
            + self.waiting.bytes()
            + self.scratch.bytes()
    }

    /// How many rows, slots and shapes of slices nothing has.
    pub(crate) fn count_holes(&self) -> usize {
        self.slices.slices.iter().flat_map(Slice::unused).sum()
    }

    /// How many world matrices of nodes are not finite.
    pub(crate) fn count_overflowed(&self) -> usize {
        let overflowed = |slice: &Slice| {
            let own = slice.used_slots.iter().filter(|&slot| slot >= slice.imports.len());
            own.filter(|&slot| !slice.slots.worlds[slot].is_finite()).count()
        };
        self.slices.slices.iter().map(overflowed).sum()
    }

    /// Reconstitutions since the scene was made.
    pub(crate) fn reconstitutions(&self) -> u64 {
        self.clock.reconstitutions
    }

    /// How many records are spent.
    pub(crate) fn spent(&self) -> usize {
        self.pages.spent()
    }
}
