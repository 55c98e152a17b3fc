//! Checkpoints: earlier states of all records, each in the time and memory of what changed since the one before.
//!
//! ```text
//! update ──▶ Unsaved: which records edits reached since the newest checkpoint, and their masks
//! save ────▶ Delta: the values of these records, swapped with those in the shadow: all records as of that checkpoint
//! restore ─▶ swaps deltas back, the newest first; edits each record that they name so that it equals the shadow's; updates
//! ```
//!
//! Edits do nothing for checkpoints: an update clears the masks and dirty bytes of edits, and notes them before. The
//! links of a node's neighbours change without a mask. But if the next sibling of a record is another, then the old or
//! the new one was edited itself, and has or had the record as its previous sibling; so a save looks at the neighbours
//! that edited nodes have and had. Removed records are found on the free list.
//!
//! A restore takes back edits by edits of the same kinds: it adds the masks since the checkpoint to those of the nodes,
//! inserts nodes that are gone, and removes those that came. So the update, passes and readers of changes need to know
//! nothing about it. A mask also has what comparing two states would miss: that a node was moved, and is back below the
//! same record, which is another node's by now, or among siblings that were moved around it.

use crate::Error;
use crate::fallible::{self, Boxed};
use crate::store::components::{ComponentLog, Components};
use crate::store::nodes::Nodes;
use crate::store::page::{Owner, PAGE, Pages};
use crate::store::pending::Pending;
use crate::store::record::{Has, Record, RecordId};
use crate::store::row_set::{MAX_ROWS, RowSet};
use crate::store::sweep::bits_of;
use crate::store::{Store, short};
use crate::unique::unique_number;
use std::collections::{TryReserveError, VecDeque};

/// The records that edits reached since the newest checkpoint, those of edits since the update excepted.
#[derive(Default)]
pub(crate) struct Unsaved {
    /// The number of the [`Ring`] that saves them; 0 for none.
    ring: u64,
    blocks: Vec<Boxed<Block>>,
}

/// Edits of 4,096 records, by index.
struct Block {
    /// Whether `edited` may have a record.
    any: bool,
    edited: RowSet,
    /// The masks of edits; none for a record of which only the local transform was set, or only links.
    masks: [Pending; MAX_ROWS],
}

/// A clone of a scene has no checkpoints.
impl Clone for Unsaved {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Unsaved {
    /// Adds all edits since the update.
    pub(crate) fn note(&mut self, nodes: &Nodes) -> Result<(), TryReserveError> {
        if self.ring == 0 {
            return Ok(());
        }
        let Nodes { pages, inbox, .. } = nodes;
        while self.blocks.len() * MAX_ROWS < pages.ids().len() {
            let block = Block { any: false, edited: RowSet::EMPTY, masks: [Pending::NONE; MAX_ROWS] };
            fallible::push(&mut self.blocks, Boxed::try_new(block)?)?;
        }
        for (number, page) in pages.marked() {
            let first = number * PAGE;
            let block = &mut self.blocks[first / MAX_ROWS];
            block.any = true;
            // A page has 512 records, so it fills whole words of one block.
            let words = &mut block.edited.words_mut()[first % MAX_ROWS / 64..];
            words.iter_mut().zip(page.dirty.chunks(64)).for_each(|(word, bytes)| *word |= bits_of(bytes));
        }
        pages.masks().for_each(|(id, mask)| _ = self.add(id, mask));
        inbox.waiting.iter().for_each(|&id| _ = self.add(id, Pending::PRESENCE));
        Ok(())
    }

    /// Adds a record. Returns whether it was not there yet.
    fn add(&mut self, id: RecordId, mask: Pending) -> bool {
        let (block, index) = (&mut *self.blocks[id.number() as usize / MAX_ROWS], id.number() as usize % MAX_ROWS);
        block.any = true;
        block.masks[index] = block.masks[index] | mask;
        let is_new = !block.edited.contains(index);
        block.edited.insert(index);
        is_new
    }

    fn mask(&self, id: RecordId) -> Pending {
        self.blocks[id.number() as usize / MAX_ROWS].masks[id.number() as usize % MAX_ROWS]
    }

    /// Lists all records, in ascending order.
    fn list(&self, list: &mut Vec<RecordId>) -> Result<(), TryReserveError> {
        list.clear();
        for (first, block) in (0_u32..).step_by(MAX_ROWS).zip(&self.blocks).filter(|(_, block)| block.any) {
            list.try_reserve(block.edited.len())?;
            list.extend(block.edited.iter().map(|index| RecordId::from_number(first + u32::from(short(index)))));
        }
        Ok(())
    }

    /// Removes the records of a list that has all of them.
    fn clear(&mut self, list: &[RecordId]) {
        for id in list {
            let (block, index) = (&mut *self.blocks[id.number() as usize / MAX_ROWS], id.number() as usize % MAX_ROWS);
            block.any = false;
            block.masks[index] = Pending::NONE;
            block.edited.remove(index);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<Block>() + self.blocks.capacity() * size_of::<Boxed<Block>>()
    }
}

/// What a checkpoint has otherwise than the one before. Outside of a save, the values are those of the one before.
#[derive(Default)]
struct Delta {
    frame: u64,
    /// The records, each with the mask of its edits.
    ids: Vec<(RecordId, Pending)>,
    records: Vec<Record>,
    /// For each record with a mask.
    owners: Vec<Owner>,
    components: ComponentLog,
    counts: [u32; 4],
    detached: usize,
}

impl Delta {
    fn clear(&mut self) {
        self.ids.clear();
        self.records.clear();
        self.owners.clear();
        self.components.clear();
    }

    fn shrink(&mut self) {
        self.ids.shrink_to_fit();
        self.records.shrink_to_fit();
        self.owners.shrink_to_fit();
        self.components.shrink();
    }

    fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<(RecordId, Pending)>()
            + self.records.capacity() * size_of::<Record>()
            + self.owners.capacity() * size_of::<Owner>()
            + self.components.bytes()
    }
}

/// All nodes as of the newest checkpoint.
struct Shadow {
    pages: Pages,
    components: Components,
    detached: usize,
}

/// Adds a value to a list, which grows by a quarter, since all checkpoints keep such lists.
fn push<T>(list: &mut Vec<T>, value: T) -> Result<(), TryReserveError> {
    if list.len() == list.capacity() {
        list.try_reserve_exact(list.len() / 4 + 8)?;
    }
    list.push(value);
    Ok(())
}

/// Returns a record without states that belong to updates and readers.
fn kept(pages: &Pages, id: RecordId) -> Record {
    let record = *pages.record(id);
    Record { has: record.has.without(Has::PASSING), ..record }
}

impl Shadow {
    /// Adds the present values of a record to a delta, unless nothing differs. Makes room for them here.
    fn compare(
        &mut self,
        id: RecordId,
        mut mask: Pending,
        nodes: &Nodes,
        delta: &mut Delta,
    ) -> Result<(), TryReserveError> {
        let (now, before) = (kept(&nodes.pages, id), self.pages.record(id));
        let (either, other) = (now.has | before.has, now.has != before.has.without(Has::PASSING));
        let owner = (mask != Pending::NONE || other).then(|| nodes.pages.owner(id));
        // A set by a store alone leaves other components as they are, but other sets have no mask, either.
        let most = if owner.is_some() { Components::ALL } else { Has::MATRIX | Has::REMAINDER };
        let has = Has(either.0 & most.0);
        let mut differs =
            has != Has::NOTHING && delta.components.add(id, has, &nodes.components, &mut self.components)?;
        // A mask counts even if nothing differs: see above. Records that came or went have none but this.
        differs |= mask.has(Pending::TRACKED)
            || other
            || now.links != before.links
            || now.material != before.material
            || !now.local.same_bits(&before.local)
            || owner.is_some_and(|owner| owner != self.pages.owner(id));
        if differs {
            if let Some(owner) = owner {
                mask = mask | Pending::PRESENCE;
                push(&mut delta.owners, owner)?;
            }
            push(&mut delta.records, now)?;
            push(&mut delta.ids, (id, mask))?;
        }
        Ok(())
    }

    /// Swaps values with those of a delta.
    fn swap(&mut self, delta: &mut Delta) {
        let Delta { ids, records, owners, components, counts, detached, .. } = delta;
        let mut owners = owners.iter_mut();
        for (&(id, mask), record) in ids.iter().zip(records) {
            core::mem::swap(self.pages.record_mut(id), record);
            if mask != Pending::NONE
                && let Some(owner) = owners.next()
            {
                self.pages.swap_owner(id, owner);
            }
        }
        self.components.swap(components);
        self.pages.swap_counts(counts);
        core::mem::swap(&mut self.detached, detached);
    }
}

/// The checkpoints of a store, the oldest first.
pub(crate) struct Ring {
    /// A number that no other ring has.
    number: u64,
    shadow: Shadow,
    deltas: VecDeque<Delta>,
    most: usize,
    /// Deltas to use again.
    spares: Vec<Delta>,
    list: Vec<RecordId>,
}

impl Ring {
    /// Starts without checkpoints, of which the newest `most` will be kept. Other rings can no longer save the store.
    pub(crate) fn new(store: &mut Store, most: usize) -> Result<Self, TryReserveError> {
        let Store { nodes: Nodes { pages, components, inbox, detached, .. }, update, .. } = store;
        let bytes = components.usage().plus(components.name_usage()).allocated_bytes;
        fallible::probe::<u8>(pages.bytes() + bytes)?;
        let shadow = Shadow { pages: pages.clone(), components: components.clone(), detached: *detached };
        let number = unique_number().get();
        update.unsaved = Unsaved { ring: number, blocks: Vec::new() };
        inbox.read = Pending::KEPT;
        let (deltas, spares, list) = Default::default();
        Ok(Self { number, shadow, deltas, most: most.max(1), spares, list })
    }

    /// Saves a checkpoint; anew if the newest one is of the same frame.
    pub(crate) fn save(&mut self, store: &mut Store, frame: u64) -> Result<(), Error> {
        let Store { nodes, update, .. } = store;
        if update.unsaved.ring != self.number {
            return Err(Error::OtherScene);
        }
        let newest = self.deltas.back().map(|delta| delta.frame);
        if let Some(newest) = newest.filter(|&newest| frame < newest) {
            return Err(Error::FrameBefore { frame, newest });
        }
        let mut replaced = if newest == Some(frame) { self.deltas.pop_back() } else { None };
        if let Some(delta) = &mut replaced {
            // What it had counts as edited since the one before.
            self.shadow.swap(delta);
            delta.ids.iter().for_each(|&(id, mask)| _ = update.unsaved.add(id, mask));
        }
        if self.compare(nodes, &mut update.unsaved).is_err() {
            if let Some(mut delta) = replaced {
                self.shadow.swap(&mut delta);
                self.deltas.push_back(delta);
            }
            return Err(Error::AllocationFailed);
        }
        let mut delta = self.spares.pop().unwrap_or_default();
        (delta.frame, delta.counts, delta.detached) = (frame, nodes.pages.counts(), nodes.detached);
        // After it, the delta leads back to the checkpoint before.
        self.shadow.swap(&mut delta);
        update.unsaved.clear(&self.list);
        self.deltas.push_back(delta);
        if let Some(mut delta) = replaced {
            delta.clear();
            self.spares.push(delta);
        }
        if self.deltas.len() > self.most {
            self.drop_oldest();
        }
        Ok(())
    }

    /// Fills the last spare delta with all that differs from the newest checkpoint. Fails without losing any of it.
    fn compare(&mut self, nodes: &Nodes, unsaved: &mut Unsaved) -> Result<(), TryReserveError> {
        self.find(nodes, unsaved)?;
        let Self { shadow, deltas, spares, list, .. } = self;
        deltas.try_reserve(1)?;
        // Room for all deltas, which become spare when their checkpoints are dropped.
        spares.try_reserve(deltas.len() + 1)?;
        let mut delta = spares.pop().unwrap_or_default();
        delta.clear();
        let filled = list.iter().enumerate().try_for_each(|(at, &id)| {
            if let Some(&ahead) = list.get(at + 8) {
                shadow.pages.prefetch_record(ahead);
                nodes.pages.prefetch_record(ahead);
            }
            shadow.compare(id, unsaved.mask(id), nodes, &mut delta)
        });
        spares.push(delta);
        filled
    }

    /// Lists all records that may differ from the newest checkpoint.
    fn find(&mut self, nodes: &Nodes, unsaved: &mut Unsaved) -> Result<(), TryReserveError> {
        let Self { shadow: Shadow { pages: before, .. }, list, .. } = self;
        let pages = &nodes.pages;
        before.cover(pages)?;
        unsaved.note(nodes)?;
        let same = |id| pages.owner(id).is_same(before.owner(id));
        // If a free record has the generation that it had, then it and all behind it stayed on the list.
        pages.free_list().take_while(|&id| !same(id)).for_each(|id| _ = unsaved.add(id, Pending::PRESENCE));
        if pages.retired() != before.retired() {
            let gone = pages.ids().filter(|&id| !pages.lives(id) && !same(id));
            gone.for_each(|id| _ = unsaved.add(id, Pending::PRESENCE));
        }
        unsaved.list(list)?;
        for at in 0..list.len() {
            let id = list[at];
            if !unsaved.mask(id).has(Pending::LINKED) {
                continue;
            }
            // The neighbours that the node has now, and those that it had at the checkpoint.
            for of in [pages, before] {
                let owner = of.owner(id);
                let [.., next, previous] = of.record(id).links;
                let near = [owner.parent, next, previous].into_iter().filter(|near| owner.lives() && !near.is_nil());
                for near in near.filter(|&near| pages.record(near).links != before.record(near).links) {
                    if unsaved.add(near, Pending::NONE) {
                        fallible::push(list, near)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Goes back to a checkpoint, drops all later ones, and updates.
    pub(crate) fn restore(&mut self, store: &mut Store, frame: u64) -> Result<(), Error> {
        let Store { nodes, update, .. } = store;
        if update.unsaved.ring != self.number {
            return Err(Error::OtherScene);
        }
        let Ok(to) = self.deltas.binary_search_by_key(&frame, |delta| delta.frame) else {
            return Err(Error::NoCheckpoint(frame));
        };
        let more = self.deltas.range(to + 1..).map(|delta| delta.ids.len()).sum();
        let found = self.find(nodes, &mut update.unsaved).and_then(|()| self.list.try_reserve(more));
        found.map_err(|_| Error::AllocationFailed)?;
        let Self { shadow, deltas, spares, list, .. } = self;
        while deltas.len() > to + 1
            && let Some(mut delta) = deltas.pop_back()
        {
            shadow.swap(&mut delta);
            list.extend(delta.ids.iter().filter(|&&(id, mask)| update.unsaved.add(id, mask)).map(|&(id, _)| id));
            delta.clear();
            spares.push(delta);
        }
        for at in 0..list.len() {
            if let Some(&ahead) = list.get(at + 8) {
                shadow.pages.prefetch_record(ahead);
                store.nodes.pages.prefetch_record(ahead);
                store.nodes.pages.prefetch_location(ahead);
            }
            store.adopt(list[at], shadow, store.update.unsaved.mask(list[at]));
        }
        let (mut counts, nodes) = (shadow.pages.counts(), &mut store.nodes);
        nodes.pages.swap_counts(&mut counts);
        nodes.detached = shadow.detached;
        let unsaved = &mut store.update.unsaved;
        unsaved.clear(list);
        // The edits of a restore are no edits since the checkpoint, so the update must not note them.
        unsaved.ring = 0;
        store.update();
        store.update.unsaved.ring = self.number;
        Ok(())
    }

    pub(crate) fn frames(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        self.deltas.iter().map(|delta| delta.frame)
    }

    /// Drops the oldest checkpoint.
    pub(crate) fn drop_oldest(&mut self) {
        if let Some(mut delta) = self.deltas.pop_front() {
            delta.clear();
            self.spares.push(delta);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let Self { shadow: Shadow { pages, components, .. }, deltas, spares, list, .. } = self;
        pages.bytes()
            + components.usage().plus(components.name_usage()).allocated_bytes
            + deltas.iter().chain(spares).map(Delta::bytes).sum::<usize>()
            + (deltas.capacity() + spares.capacity()) * size_of::<Delta>()
            + list.capacity() * size_of::<RecordId>()
    }

    pub(crate) fn shrink(&mut self) {
        let Self { shadow, deltas, spares, list, .. } = self;
        shadow.pages.shrink();
        shadow.components.shrink();
        deltas.iter_mut().for_each(Delta::shrink);
        deltas.shrink_to_fit();
        *spares = Vec::new();
        *list = Vec::new();
    }
}

impl Store {
    /// Makes a record equal to that of a checkpoint, by edits of the kinds in the mask.
    fn adopt(&mut self, id: RecordId, to: &Shadow, mask: Pending) {
        let Self { nodes, slices, .. } = self;
        let (before, mut owner) = (*nodes.pages.record(id), to.pages.owner(id));
        let mut record = *to.pages.record(id);
        record.has = record.has.without(Has::PASSING);
        let stays = id == RecordId::LIMBO || owner.lives() && owner.is_same(nodes.pages.owner(id));
        if stays {
            record.has |= Has(before.has.0 & Has::PASSING.0);
        } else if nodes.pages.lives(id) {
            // Its links are those of a future that is gone; neighbours get theirs from the shadow.
            nodes.release(id, false, slices);
        }
        let (either, both) = (before.has | record.has, before.has.0 & record.has.0);
        if !stays || mask != Pending::NONE || either.has(Has::MATRIX | Has::REMAINDER) {
            nodes.components.copy(id, Has(either.0 & Components::ALL.0), &to.components);
        }
        *nodes.pages.record_mut(id) = record;
        nodes.pages.swap_owner(id, &mut owner);
        if !stays {
            if nodes.pages.lives(id) {
                let location = nodes.inbox.push(id);
                nodes.pages.set_location(id, location);
            }
            return;
        }
        if Has(both).has(Has::TRANSFORM)
            && (either.has(Has::MATRIX | Has::REMAINDER) || !record.local.same_bits(&before.local))
        {
            nodes.mark_set(id, either);
        }
        // The update and the readers see the edits that led away, as if they were made again.
        nodes.mark(id, mask.and(Pending::TRACKED));
    }
}
