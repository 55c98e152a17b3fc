//! Pages of records, and the free list.
//!
//! A load that must arrive before the next instruction retires costs more than a store. So the state, which an edit
//! checks, is small and in its own array; an edit then writes the record without reading it.
//!
//! Invariants:
//! 1. The state of a live record is the generation of its handle, which is odd. The state of a free record is even, so
//!    it equals no handle's generation. The state of a retired record is 0, and the record is on no list.
//! 2. The free list starts at `free`, goes on through `parents`, and visits every free record before `end` once.
//! 3. If a dirty byte or a mask of edits is set, its page or group is marked, and the record is live.

use crate::bytes::{BytesError, ensure};
use crate::fallible::{self, Boxed};
use crate::handle::MAX_GENERATION;
use crate::store::location::{Location, SliceId};
use crate::store::pending::Pending;
use crate::store::record::{Has, Record, RecordId};
use crate::{Error, NodeHandle};
use hedgerow_math::internal::{prefetch, prefetch_far};
use marks::Marks;
use std::collections::TryReserveError;

mod marks;

/// The number of records in a page.
pub(crate) const PAGE: usize = 1 << PAGE_BITS;
const PAGE_BITS: u32 = 9;
/// The greatest number of records. This limit leaves two bits of a record's number unused.
pub(crate) const MAX_RECORDS: u32 = 1 << 30;

/// The upper bit of a state: 1 if setting the local transform needs more than a store. No handle has this bit.
const SLOW: u32 = 1 << 31;
/// The state of [`RecordId::LIMBO`], which no handle names: even, and greater than the states of free records.
const LIMBO: u32 = SLOW - 2;

/// The last generation of a record, and the greatest number of records.
struct Limits {
    generation: u32,
    records: u32,
}

#[cfg(not(test))]
const fn limits() -> Limits {
    Limits { generation: MAX_GENERATION, records: MAX_RECORDS }
}

#[cfg(test)]
fn limits() -> Limits {
    Limits { generation: GENERATIONS.get(), records: RECORDS.get() }
}

// Unit tests lower these limits to reach them.
#[cfg(test)]
thread_local! {
    pub(crate) static GENERATIONS: core::cell::Cell<u32> = const { core::cell::Cell::new(MAX_GENERATION) };
    pub(crate) static RECORDS: core::cell::Cell<u32> = const { core::cell::Cell::new(MAX_RECORDS) };
}

/// 512 nodes, by index: 83 bytes each. With 1,024, the worst inserts, which open a page, take twice as long.
///
/// ```text
/// states 4 │ locations 8 │ parents 4 │ dirty 1 │ pending 2 │ records 64
/// ```
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Page {
    states: [u32; PAGE],
    locations: [Location; PAGE],
    /// The parent. For a free record, the next free one.
    parents: [RecordId; PAGE],
    /// 1 if the local transform was set since the update, else 0.
    pub(crate) dirty: [u8; PAGE],
    /// What else edits changed since the update.
    pending: [Pending; PAGE],
    records: [Record; PAGE],
}

/// The bytes that a page takes for each record.
pub(crate) const RECORD_BYTES: usize = size_of::<Page>() / PAGE;

/// A page of records that were never used. It is copied as bytes, and is never on the stack.
static UNUSED: [Page; 1] = [Page {
    states: [0; PAGE],
    locations: [Location::of(SliceId::at(0), 0, 0); PAGE],
    parents: [RecordId::NIL; PAGE],
    dirty: [0; PAGE],
    pending: [Pending::NONE; PAGE],
    records: [Record::BLANK; PAGE],
}];

/// The parent, the location and the components of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeState {
    pub(crate) parent: RecordId,
    pub(crate) links: [RecordId; 4],
    pub(crate) has: Has,
    pub(crate) location: Location,
    pub(crate) pending: Pending,
}

/// What a checkpoint keeps of a record beside the record itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    state: u32,
    pub(crate) parent: RecordId,
}

impl Owner {
    #[inline(always)]
    pub(crate) fn lives(self) -> bool {
        self.state & 1 != 0
    }

    /// Returns whether the record has the same node, or has been free, in both.
    #[inline(always)]
    pub(crate) fn is_same(self, other: Self) -> bool {
        (self.state ^ other.state) << 1 == 0
    }
}

/// All pages; there may be more than the records in use need.
#[derive(Clone)]
pub(crate) struct Pages {
    pages: Vec<Boxed<Page>>,
    /// For each page, whether any byte of `dirty` may be set.
    dirty: Marks<u8>,
    /// For each page, a bit for each group of eight masks of `pending`, of which any may be set.
    pending: Marks<u64>,
    /// The record to take next, or [`RecordId::NIL`].
    free: RecordId,
    /// One past the last record that was ever used.
    end: u32,
    /// The number of free records before `end`.
    freed: u32,
    /// The number of retired records.
    retired: u32,
}

impl Default for Pages {
    fn default() -> Self {
        let free = RecordId::NIL;
        let (dirty, pending) = Default::default();
        Self { pages: Vec::new(), dirty, pending, free, end: 0, freed: 0, retired: 0 }
    }
}

impl RecordId {
    #[inline(always)]
    pub(crate) const fn page(self) -> usize {
        (self.0 >> PAGE_BITS) as usize
    }

    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize % PAGE
    }
}

impl Pages {
    /// Creates pages with the root and with the limbo, which no handle names: see [`RecordId::LIMBO`].
    pub(crate) fn with_root() -> Self {
        let mut pages = Self::default();
        for (id, has, state) in
            // The root has no transform yet, so its first set is a slow one; the limbo's state equals no handle's.
            [(RecordId::ROOT, Has::NOTHING, 1 | SLOW), (RecordId::LIMBO, Has::TRANSFORM | Has::DETACHED, LIMBO)]
        {
            let node = pages.take_unused().unwrap_or(NodeHandle::of_record(id, 1));
            pages.write_new(node, RecordId::NIL, Location::of(SliceId::at(0), 0, 0), Record { has, ..Record::BLANK });
            pages.pages[id.page()].states[id.index()] = state;
        }
        pages
    }

    /// Returns the record of a handle, if its node lives.
    #[inline(always)]
    pub(crate) fn resolve(&self, handle: NodeHandle) -> Option<RecordId> {
        let id = handle.record();
        let page = self.pages.get(id.page())?;
        // Shifted by one, so that the flag `SLOW` does not count.
        ((page.states[id.index()] ^ handle.generation()) << 1 == 0).then_some(id)
    }

    /// Returns a node's parent, location and components, all from its page and record.
    #[inline(always)]
    pub(crate) fn state(&self, id: RecordId) -> NodeState {
        let page = &*self.pages[id.page()];
        let Record { links, has, .. } = page.records[id.index()];
        let at = id.index();
        NodeState { parent: page.parents[at], links, has, location: page.locations[at], pending: page.pending[at] }
    }

    /// Returns the location of a live node.
    #[inline(always)]
    pub(crate) fn location_of(&self, handle: NodeHandle) -> Option<Location> {
        let id = handle.record();
        let page = self.pages.get(id.page())?;
        ((page.states[id.index()] ^ handle.generation()) << 1 == 0).then(|| page.locations[id.index()])
    }

    /// Returns the handle of a live record.
    #[inline(always)]
    pub(crate) fn handle(&self, id: RecordId) -> NodeHandle {
        NodeHandle::of_record(id, self.pages[id.page()].states[id.index()] & !SLOW)
    }

    /// If the local transform of a live node is entirely in its record, replaces it and marks the record dirty. In all
    /// other cases, returns `None` and changes nothing.
    ///
    /// Waits for one load, that of the state; the record and its dirty byte are stored without a load.
    #[inline(always)]
    pub(crate) fn set_plain(
        &mut self,
        handle: NodeHandle,
        local: impl Into<hedgerow_math::PackedTransform>,
    ) -> Option<()> {
        let id = handle.record();
        // Dereferenced here, or its address would be read again for the dirty byte.
        let page: &mut Page = self.pages.get_mut(id.page())?;
        // The flag `SLOW` makes the two differ, so one comparison finds stale handles and slow sets.
        if page.states[id.index()] != handle.generation() {
            return None;
        }
        page.records[id.index()].local = local.into();
        page.dirty[id.index()] = 1;
        self.dirty.set(id.page());
        Some(())
    }

    /// Returns the local transform of a live node, if it is entirely in the record.
    #[inline(always)]
    pub(crate) fn plain_local(&self, handle: NodeHandle) -> Option<hedgerow_math::PackedTransform> {
        let id = handle.record();
        let page = self.pages.get(id.page())?;
        (page.states[id.index()] == handle.generation()).then(|| page.records[id.index()].local)
    }

    #[inline(always)]
    pub(crate) fn record(&self, id: RecordId) -> &Record {
        &self.pages[id.page()].records[id.index()]
    }

    #[inline(always)]
    pub(crate) fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.pages[id.page()].records[id.index()]
    }

    /// Returns the parent; [`RecordId::NIL`] for the root, [`RecordId::LIMBO`] for the root of a detached subtree.
    #[inline(always)]
    pub(crate) fn parent(&self, id: RecordId) -> RecordId {
        self.pages[id.page()].parents[id.index()]
    }

    #[inline(always)]
    pub(crate) fn set_parent(&mut self, id: RecordId, parent: RecordId) {
        self.pages[id.page()].parents[id.index()] = parent;
    }

    #[inline(always)]
    pub(crate) fn location(&self, id: RecordId) -> Location {
        self.pages[id.page()].locations[id.index()]
    }

    #[inline(always)]
    pub(crate) fn set_location(&mut self, id: RecordId, location: Location) {
        self.pages[id.page()].locations[id.index()] = location;
    }

    /// Sets a node's components, and whether setting its local transform needs more than a store.
    #[inline(always)]
    pub(crate) fn set_has(&mut self, id: RecordId, has: Has) {
        let page = &mut *self.pages[id.page()];
        page.records[id.index()].has = has;
        let state = &mut page.states[id.index()];
        *state = *state & !SLOW | if has.sets_at_length() { SLOW } else { 0 };
    }

    /// Returns whether a record is live.
    #[inline]
    pub(crate) fn lives(&self, id: RecordId) -> bool {
        self.pages.get(id.page()).is_some_and(|page| page.states[id.index()] & 1 != 0)
    }

    /// Takes a free or new record for a node, and returns its handle. [`Self::write_new`] makes the record live.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Result<NodeHandle, Error> {
        let id = self.free;
        if id.is_nil() {
            return self.take_unused();
        }
        // A free record's parent is the next free one, in a line that the insert needs anyway.
        let page = &*self.pages[id.page()];
        self.free = page.parents[id.index()];
        self.freed -= 1;
        Ok(NodeHandle::of_record(id, page.states[id.index()] + 1))
    }

    #[inline(never)]
    fn take_unused(&mut self) -> Result<NodeHandle, Error> {
        let id = RecordId(self.end);
        if self.end >= limits().records {
            return Err(Error::CapacityOverflow);
        }
        if id.page() >= self.pages.len() {
            fallible::or_abort(self.open_page());
        }
        self.end += 1;
        Ok(NodeHandle::of_record(id, 1))
    }

    /// Writes a record that was taken, and makes it live.
    #[inline(always)]
    pub(crate) fn write_new(&mut self, node: NodeHandle, parent: RecordId, location: Location, record: Record) {
        let id = node.record();
        let page = &mut *self.pages[id.page()];
        page.records[id.index()] = record;
        page.states[id.index()] = node.generation() | if record.has.sets_at_length() { SLOW } else { 0 };
        page.parents[id.index()] = parent;
        page.locations[id.index()] = location;
    }

    #[cold]
    fn open_page(&mut self) -> Result<(), TryReserveError> {
        self.pages.try_reserve(1)?;
        self.dirty.pages.try_reserve(1)?;
        self.pending.pages.try_reserve(1)?;
        // All lists have room by now, so a failure leaves none of them longer than the others.
        self.pages.push(Boxed::try_copied(&UNUSED)?);
        self.dirty.pages.push(0);
        self.pending.pages.push(0);
        Ok(())
    }

    /// Frees a record, whose handle is then stale. Returns what the node was; its neighbours still have links to it.
    #[inline(always)]
    pub(crate) fn release(&mut self, id: RecordId) -> NodeState {
        let node = self.state(id);
        let page = &mut *self.pages[id.page()];
        let state = &mut page.states[id.index()];
        let generation = *state & !SLOW;
        // Marks of a node must not pass to the next one of the record. The page stays marked, which costs a look.
        page.dirty[id.index()] = 0;
        page.pending[id.index()] = Pending::NONE;
        if generation >= limits().generation {
            // No later handle may equal an earlier one, so a record whose generations are used up is never used again.
            *state = 0;
            self.retired += 1;
        } else {
            *state = generation + 1;
            page.parents[id.index()] = self.free;
            self.free = id;
            self.freed += 1;
        }
        node
    }

    /// Returns the number of nodes for which there are still records.
    pub(crate) fn room(&self) -> usize {
        (limits().records.saturating_sub(self.end) + self.freed) as usize
    }

    /// Makes room for this many more nodes.
    pub(crate) fn try_reserve(&mut self, nodes: usize) -> Result<(), TryReserveError> {
        let pages = (self.end as usize + nodes.saturating_sub(self.freed as usize)).div_ceil(PAGE);
        let missing = pages.saturating_sub(self.pages.len());
        // Fails before any page is written if the memory is not available.
        fallible::probe::<Page>(missing)?;
        self.pages.try_reserve_exact(missing)?;
        self.dirty.pages.try_reserve_exact(missing)?;
        self.pending.pages.try_reserve_exact(missing)?;
        (0..missing).try_for_each(|_| self.open_page())
    }

    /// Frees pages in which no record was ever used. The order of later records stays the same.
    pub(crate) fn shrink(&mut self) {
        self.pages.truncate((self.end as usize).div_ceil(PAGE));
        self.pages.shrink_to_fit();
        self.dirty.pages.truncate(self.pages.len());
        self.dirty.pages.shrink_to_fit();
        self.pending.pages.truncate(self.pages.len());
        self.pending.pages.shrink_to_fit();
    }

    /// Returns the number of live nodes, without the limbo.
    pub(crate) fn len(&self) -> usize {
        (self.end - self.freed - self.retired - 1) as usize
    }

    /// Iterates over all records that were ever used.
    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = RecordId> + use<> {
        (0..self.end).map(RecordId)
    }

    /// Iterates over the records of live nodes, in ascending order.
    pub(crate) fn live(&self) -> impl Iterator<Item = RecordId> + '_ {
        self.ids().filter(|&id| self.lives(id))
    }

    /// Iterates over the records of live nodes and the limbo, in ascending order.
    pub(crate) fn used(&self) -> impl Iterator<Item = RecordId> + '_ {
        self.ids().filter(|&id| id == RecordId::LIMBO || self.lives(id))
    }

    /// Returns the number of retired records.
    pub(crate) fn retired(&self) -> usize {
        self.retired as usize
    }

    /// Iterates over the states of all records, without the flag [`SLOW`].
    pub(crate) fn states(&self) -> impl ExactSizeIterator<Item = u32> {
        (0..self.end).map(|number| {
            let id = RecordId(number);
            self.pages[id.page()].states[id.index()] & !SLOW
        })
    }

    /// Iterates over the free records, in the order in which they are taken.
    pub(crate) fn free_list(&self) -> impl Iterator<Item = RecordId> + '_ {
        core::iter::successors(self.free.some(), |&id| self.parent(id).some()).take(self.freed as usize)
    }

    /// Builds pages from the results of [`Self::states`] and [`Self::free_list`]. Records in use are blank.
    ///
    /// # Errors
    /// [`BytesError`].
    pub(crate) fn restored(states: &[u32], free: &[u32]) -> Result<Self, BytesError> {
        ensure!(states.len() <= limits().records as usize, "the number of records exceeds the limit");
        ensure!(states.starts_with(&[1, LIMBO]), "the first two records are not the root and the limbo");
        let mut pages = Self::default();
        pages.try_reserve(states.len())?;
        for (number, &state) in (0..).zip(states) {
            let id = RecordId(number);
            match (state, state & 1) {
                (LIMBO, _) if id == RecordId::LIMBO => {}
                (0, _) => pages.retired += 1,
                (..=MAX_GENERATION, 1) => {}
                (..MAX_GENERATION, 0) => pages.freed += 1,
                _ => return Err(BytesError::invalid("the generation of a record is out of range")),
            }
            pages.pages[id.page()].states[id.index()] = state;
            pages.end += 1;
        }
        // The last record comes first, since each is put before those that were put earlier.
        for &number in free.iter().rev() {
            let id = RecordId(number);
            ensure!(number < pages.end && !pages.lives(id), "the free list names a record that is not free");
            pages.set_parent(id, pages.free);
            pages.free = id;
        }
        ensure!(pages.lists_free(), "the free list does not visit every free record once");
        Ok(pages)
    }

    /// Returns whether the free list visits every free record once, and no other.
    fn lists_free(&self) -> bool {
        let (mut at, mut visited) = (self.free.some(), 0);
        while let Some(id) = at {
            let state = self.pages.get(id.page()).map_or(0, |page| page.states[id.index()]);
            if state == 0 || state & 1 == 1 || id.0 >= self.end || id == RecordId::LIMBO || visited == self.freed {
                return false;
            }
            visited += 1;
            at = self.parent(id).some();
        }
        visited == self.freed
    }

    /// Returns whose a record is.
    #[inline(always)]
    pub(crate) fn owner(&self, id: RecordId) -> Owner {
        let page = &*self.pages[id.page()];
        Owner { state: page.states[id.index()], parent: page.parents[id.index()] }
    }

    /// Swaps whose a record is.
    pub(crate) fn swap_owner(&mut self, id: RecordId, owner: &mut Owner) {
        let page = &mut *self.pages[id.page()];
        core::mem::swap(&mut page.states[id.index()], &mut owner.state);
        core::mem::swap(&mut page.parents[id.index()], &mut owner.parent);
    }

    /// Swaps the start of the free list, and the numbers of used, free and retired records.
    pub(crate) fn swap_counts(&mut self, counts: &mut [u32; 4]) {
        let Self { free, end, freed, retired, .. } = self;
        [&mut free.0, end, freed, retired]
            .into_iter()
            .zip(counts)
            .for_each(|(count, other)| core::mem::swap(count, other));
    }

    /// Returns the start of the free list, and the numbers of used, free and retired records.
    pub(crate) fn counts(&self) -> [u32; 4] {
        [self.free.0, self.end, self.freed, self.retired]
    }

    /// Makes as many pages as there are in another list.
    pub(crate) fn cover(&mut self, other: &Self) -> Result<(), TryReserveError> {
        (self.pages.len()..other.pages.len()).try_for_each(|_| self.open_page())
    }

    /// Returns whether there are more records than second-level caches hold, so that prefetches pay off.
    #[inline(always)]
    pub(crate) fn exceed_cache(&self) -> bool {
        self.pages.len() > 16
    }

    #[inline(always)]
    pub(crate) fn prefetch_record(&self, id: RecordId) {
        if let Some(page) = self.pages.get(id.page()) {
            prefetch(&page.records, id.index());
        }
    }

    /// Prefetches a record that is read much later.
    #[inline(always)]
    pub(crate) fn prefetch_record_far(&self, id: RecordId) {
        if let Some(page) = self.pages.get(id.page()) {
            prefetch_far(&page.records, id.index());
        }
    }

    #[inline(always)]
    pub(crate) fn prefetch_location(&self, id: RecordId) {
        if let Some(page) = self.pages.get(id.page()) {
            prefetch(&page.locations, id.index());
        }
    }

    /// Prefetches what leads from a handle to the node's location.
    #[inline(always)]
    pub(crate) fn prefetch_lookup(&self, id: RecordId) {
        if let Some(page) = self.pages.get(id.page()) {
            prefetch(&page.states, id.index());
            prefetch(&page.locations, id.index());
        }
    }

    #[inline(always)]
    pub(crate) fn prefetch_parent(&self, id: RecordId) {
        if let Some(page) = self.pages.get(id.page()) {
            prefetch(&page.parents, id.index());
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pages.len() * size_of::<Page>()
            + self.pages.capacity() * size_of::<Boxed<Page>>()
            + self.dirty.pages.capacity()
            + self.pending.pages.capacity() * size_of::<u64>()
    }

    /// Checks invariants 1 to 3; returns the first violation.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let (mut live, mut retired) = (0, 0);
        let mut free = 0;
        for id in self.ids() {
            let page = &self.pages[id.page()];
            let state = page.states[id.index()];
            match (state, state & 1) {
                (LIMBO, _) if id == RecordId::LIMBO => continue,
                (0, _) => retired += 1,
                (_, 1) => live += 1,
                _ => free += 1,
            }
            if state & 1 == 0 && state & SLOW != 0 {
                return Err(format!("the free record {} has a flag of live ones", id.0));
            }
            if state & 1 == 1 && (state & SLOW != 0) != page.records[id.index()].has.sets_at_length() {
                return Err(format!("the state of record {} does not say how its local transform is set", id.0));
            }
            let (dirty, pending) = (page.dirty[id.index()] != 0, page.pending[id.index()] != Pending::NONE);
            if dirty && !self.dirty.has(id) || pending && !self.pending.has(id) {
                return Err(format!("record {} was edited, its page or group is not marked", id.0));
            }
            if (dirty || pending) && state & 1 == 0 {
                return Err(format!("record {} was edited and is free", id.0));
            }
        }
        if (free, retired) != (self.freed, self.retired) {
            return Err(format!("{free} records are free and {retired} are retired, others are counted"));
        }
        if !self.lists_free() {
            return Err("the free list does not visit every free record once".into());
        }
        let unused = (self.end as usize..self.pages.len() * PAGE).map(|number| (number / PAGE, number % PAGE));
        if unused.into_iter().any(|(page, index)| self.pages[page].states[index] != 0) {
            return Err("a record beyond the last one has a state".into());
        }
        if live != self.len() {
            return Err(format!("{live} nodes live, {} are counted", self.len()));
        }
        Ok(())
    }
}
