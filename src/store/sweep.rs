//! The second phase of an update: `world[slot] = world[parent[slot]] * local[slot]`, where something changed.

use crate::Mat34;
use crate::store::columns::{Inherited, Row, Slots, short};
use crate::store::components::Components;
use crate::store::location::{Location, SliceId};
use crate::store::nodes::Nodes;
use crate::store::page::{PAGE, Page, Pages};
use crate::store::record::{Has, RecordId};
use crate::store::slice::{Head, Slice};
use crate::store::slices::Others;
use crate::store::state::{Copies, Due, Home, SlotOrder, Work};
use crate::store::{Store, Update};
use core::ops::Range;
use hedgerow_math::internal::{
    PackedTransform, Upcoming, prefetch, propagate, propagate_block, propagate_listed, reach,
};

/// The distance, in entries of a list, at which a record is prefetched. In measurements, 32 to 128 were equally fast.
const AHEAD: usize = 64;
/// The number of slots that are gathered and multiplied at a time.
const BLOCK: usize = 128;
/// If the local transforms of at least one node in this many were set, every slot looks whether its record is dirty.
/// Finding the slots of dirty records would cost more.
const DENSE_SETS: usize = 4;
/// If at least one slot in this many was set, all slots from the first on are computed, because finding the slots below
/// would cost more. New slots are not counted: all slots below them are new, too.
const DENSE: usize = 12;
/// The same limit for a count that includes new slots.
const DENSE_WITH_NEW: usize = 5;
/// If at least one slot in this many was set or is below such a slot, all from the first on are computed, because a
/// slot of a list takes longer than one of a run.
const DENSE_LIST: usize = 3;
/// After this many slots that were set, the length of the whole list is estimated from the slots below them.
const ENOUGH: usize = 16;

impl Store {
    /// Marks the slots of records with dirty bytes, and notes them for readers of changes.
    pub(crate) fn mark_slots(&mut self) {
        if !self.nodes.pages.is_any_dirty() {
            return;
        }
        let count = |page: &Page| -> usize {
            let sums = page.dirty.chunks(128).map(|some| usize::from(some.iter().sum::<u8>()));
            sums.sum()
        };
        let Self { nodes: Nodes { pages, .. }, slices, update: Update { scratch, feed, .. }, .. } = self;
        // The frame of this update, which is counted at its end.
        let frame = feed.as_ref().map(|feed| feed.next_frame());
        let dense = |set: usize| set * DENSE_SETS >= pages.len();
        // Counting bytes costs a pass over the pages, so the marks of pages decide first whether it can pay.
        if dense(pages.marked().count() * PAGE) {
            let set: usize = pages.marked().map(|(_, page)| count(page)).sum();
            // Histories need to know exactly which transforms were set.
            let all = feed.is_none() && set * 8 >= pages.len() * 7;
            // A reshaped slice has nodes whose transform has no slot yet.
            let (slices, heads) = slices.split();
            if dense(set) && (all || !heads.iter().any(|head| head.work.has(Work::RESHAPED))) {
                for (slice, head) in slices.iter_mut().zip(heads).filter(|(slice, _)| slice.home != Home::Free) {
                    // Histories need the exact slots.
                    if all || feed.is_none() && slice.is_mostly_dirty(pages) {
                        // A slot that is computed needlessly gets the same bits, so too many marks do no harm.
                        slice.mark_all();
                    } else {
                        slice.mark_by_slot(pages, head, frame);
                    }
                }
                pages.take_marked().for_each(|(_, page)| page.dirty.fill(0));
                return;
            }
        }
        let list = &mut scratch.records;
        list.clear();
        for (number, page) in pages.take_marked() {
            for (first, bytes) in (number * PAGE..).step_by(64).zip(page.dirty.chunks_mut(64)) {
                let (eights, _) = bytes.as_chunks::<8>();
                if eights.iter().fold(0, |any, &eight| any | u64::from_le_bytes(eight)) == 0 {
                    continue;
                }
                let mut word = bits_of(bytes);
                bytes.fill(0);
                while word != 0 {
                    // No record has a number beyond 2³⁰.
                    list.push(RecordId(u32::try_from(first).unwrap_or(u32::MAX) + word.trailing_zeros()));
                    word &= word - 1;
                }
            }
        }
        let (slices, heads) = slices.split();
        for (at, &id) in list.iter().enumerate() {
            if let Some(&ahead) = list.get(at + 32) {
                pages.prefetch_location(ahead);
            }
            if feed.is_some()
                && let Some(&ahead) = list.get(at + 16)
                && let Some(histories) =
                    slices.get(pages.location(ahead).slice().index()).and_then(|slice| slice.histories.as_ref())
            {
                histories.prefetch(pages.location(ahead).slot());
            }
            let location = pages.location(id);
            let number = location.slice().index();
            let Some(slice) = slices.get_mut(number) else { continue };
            // If the node lost its transform since, the slot is an ancestor's, and computing it again does no harm.
            slice.mark(location.slot());
            // A node that got its transform since the update has no slot yet. Its mask has the change.
            if let (Some(frame), Some(histories)) = (frame, &mut slice.histories)
                && (!heads[number].work.has(Work::RESHAPED) || slice.rows[location.row()].is(Row::OWN_TRANSFORM))
            {
                histories.record_set(location.slot(), frame);
            }
        }
    }

    /// Finds the locations of a slice's imports, unless they are known.
    #[inline]
    pub(crate) fn locate_imports(&mut self, number: SliceId) {
        let (slice, others) = self.slices.apart(number);
        let layout = |source| others.get(source).map(|source| source.layout);
        if !slice.sources.are_known(slice.imports.len(), layout) {
            let versions = self.slices.versions;
            let slice = &mut self.slices[number];
            slice.sources.find(&slice.imports, &self.nodes.pages, versions);
        }
    }

    /// Updates the inherited data of a slice: imports, materials and layers. Returns whether matrices must be computed.
    ///
    /// If earlier slices were already `swept`, only imports that can have changed are copied.
    #[inline]
    pub(crate) fn prepare(&mut self, number: SliceId, swept: bool) -> bool {
        let work = self.slices.head_mut(number).work.take(Work::INHERITS | Work::KEPT);
        let (inherits, kept) = (work.has(Work::INHERITS), work.has(Work::KEPT));
        self.locate_imports(number);
        let Self { nodes: Nodes { pages, components, inbox, .. }, slices, update: Update { clock, .. }, .. } = self;
        let (slice, tracks) = (&slices[number], inbox.tracks_changes);
        let update = clock.updates;
        // A slice that was kept while its subtree moved hangs below other nodes now, whose values may be older.
        let is_new = |source: &Slice| kept || source.swept_in == update;
        let above = slice.sources.slices.iter().any(|&above| is_new(&slices[above]));
        if !(inherits || above) {
            return slice.due > Due::Nothing;
        }
        let (slice, others) = slices.apart(number);
        // On several threads sources are not swept yet, so their dirty slots do not say which matrices will change.
        let all = |source: &Slice| kept || source.handed_in == update || !swept && source.swept_in == update;
        let changed = above && slice.import(pages, others, |source, slot| all(source) || source.dirty.contains(slot));
        if inherits || changed {
            // Slices below import materials and visibility, so they must look though no matrix changed.
            slice.handed_in = update;
            slice.inherit(pages, components, clock.stamp(), |id, kinds| {
                let has = pages.record(id).has;
                // Nodes that are placed again are compared with their past later.
                if tracks && has.has(Has::REPORTED) && !has.has(Has::RECORDED) {
                    clock.inherited.push((pages.handle(id), kinds));
                }
            });
            slice.swept_in = update;
            slices.renew(number);
        }
        slices[number].due > Due::Nothing
    }

    /// Computes all changed slices, in order or, if `shared`, on several threads.
    pub(crate) fn sweep_all(&mut self, shared: bool) {
        if shared {
            #[cfg(feature = "rayon")]
            return self.sweep_shared();
        }
        let mut set = core::mem::take(&mut self.update.scratch.slots);
        for at in 0..self.slices.order.len() {
            self.sweep_slice(self.slices.order[at], self.slices.order.get(at + 1).copied(), &mut set);
        }
        self.update.scratch.slots = set;
    }

    /// Computes a slice if it changed. `next` is the slice after it.
    pub(crate) fn sweep_slice(&mut self, number: SliceId, next: Option<SliceId>, set: &mut Vec<u16>) {
        if !self.prepare(number, true) {
            return;
        }
        let Self { nodes: Nodes { pages, components, .. }, slices, update: Update { clock, .. }, .. } = self;
        let (slice, others) = slices.apart(number);
        // The kernel prefetches the next slice while it computes this one.
        let upcoming = next.and_then(|next| others.get(next)).map_or(Upcoming::default(), Slice::upcoming);
        slice.sweep(pages, components, set, upcoming);
        slice.swept_in = clock.updates;
        clock.swept.push(number);
    }
}

/// Packs 64 bytes that are 0 or 1 into bits.
#[inline(always)]
pub(super) fn bits_of(bytes: &[u8]) -> u64 {
    let (eights, _) = bytes.as_chunks::<8>();
    eights.iter().enumerate().fold(0, |word, (at, &eight)| {
        word | (u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (at * 8)
    })
}

impl Slice {
    /// Returns the data that the next kernel reads first.
    fn upcoming(&self) -> Upcoming<'_> {
        Upcoming { locals: &self.slots.locals, parents: &self.slots.parents, worlds: &self.slots.worlds }
    }

    /// Returns whether at least 32 of 64 records, spread over the slice, are dirty. The sweep then computes all slots.
    fn is_mostly_dirty(&self, pages: &Pages) -> bool {
        const SAMPLES: usize = 64;
        let records = self.slots.records.get(self.imports.len()..).unwrap_or_default();
        let step = records.len() / SAMPLES;
        let sampled = || records.iter().step_by(step).take(SAMPLES);
        step > 0 && sampled().filter(|&&id| pages.is_dirty(id)).count() * 2 >= SAMPLES
    }

    /// Marks the slots of dirty records. If the scene tracks changes, `frame` is the frame in which they were set.
    fn mark_by_slot(&mut self, pages: &Pages, head: &Head, frame: Option<u32>) {
        let Self { slots, imports, used_slots, dirty, histories, due, .. } = self;
        // The record of a node that died may be another node's by now.
        let alive = used_slots.difference(&head.freed_slots);
        let words = dirty.words_mut().iter_mut().zip(alive.words());
        for ((first, some), (word, alive)) in (0..).step_by(64).zip(slots.records.chunks(64)).zip(words) {
            let mut sets = 0;
            for (bit, &id) in some.iter().enumerate() {
                sets |= u64::from(first + bit >= imports.len() && pages.is_dirty(id)) << bit;
            }
            sets &= alive;
            *word |= sets;
            if sets != 0 {
                due.add(Due::Changed);
            }
            if let (Some(frame), Some(histories)) = (frame, histories.as_mut()) {
                histories.record_sets(first, sets, frame);
            }
        }
    }

    /// Copies the imports for whose slice and slot `copies` returns true; the sources must be known. Marks the imports
    /// whose matrix changed. Returns whether a material or layers changed.
    pub(crate) fn import(&mut self, pages: &Pages, others: Others<'_>, copies: impl Fn(&Self, usize) -> bool) -> bool {
        let mut changed = false;
        for at in 0..self.imports.len() {
            let location = self.sources.locations[at];
            let source = others.get(location.slice()).filter(|source| copies(source, location.slot()));
            let Some(source) = source else { continue };
            if self.imports[at].and_then(|handle| pages.location_of(handle)) != Some(location) {
                // The node was moved or removed, and no node below it is left. The row may be another node's.
                self.sources.locations[at] = Location::waiting(0);
                continue;
            }
            let Inherited { world, material, visibility } = source.inherited(location.row());
            if !self.slots.worlds[at].same_bits(&world) {
                self.slots.worlds[at] = world;
                self.mark(at);
            }
            changed |= self.set_inherited(at, material, visibility);
        }
        changed
    }

    /// Computes the world matrices of dirty slots and of all slots below; `dirty` then has at least the computed slots.
    pub(crate) fn sweep(&mut self, pages: &Pages, components: &Components, set: &mut Vec<u16>, upcoming: Upcoming<'_>) {
        let (imports, len) = (self.imports.len(), self.slots.records.len());
        let due = core::mem::take(&mut self.due);
        let placed = core::mem::take(&mut self.placed) as usize;
        set.clear();
        self.dirty.list(set);
        // Imports come first. They are marked if their matrix changed, and are not computed here.
        let above = set.iter().take_while(|&&slot| usize::from(slot) < imports).count();
        if set.is_empty() {
            return;
        }
        // From two fifths on, gathering all records in a stream costs less than refreshing single copies.
        if (set.len() - above) * 5 >= (len - imports) * 2 {
            return self.gather(pages, components, imports..len);
        }
        let anew = due == Due::All || self.copies == Copies::Stale || !self.matrices.is_empty();
        // Sets to the same value are frequent, and end here.
        self.refresh(pages, set, above, anew);
        let Some(&first) = set.first() else { return };
        let first = usize::from(first).max(imports);
        let count = set.len() - above;
        let few = count.saturating_sub(placed) * DENSE < len && count * DENSE_WITH_NEW < len && above < imports;
        // A run of followers begins at a slot of this slice; slots below an import may be anywhere.
        let follow = self.order == SlotOrder::Nested && above == 0;
        // What is below a new slot is new, so the list is complete.
        if few && above == 0 && count == placed {
            return self.compute_listed(components, set);
        }
        if core::mem::take(&mut self.copies) == Copies::Stale {
            self.copy_all(pages);
        }
        if (few || follow) && self.reach(set, follow, first..len) {
            return self.compute_listed(components, set);
        }
        // Slots between them are computed too, to the same bits, in a run that is faster than a list.
        self.dirty.insert_run(first..len);
        self.compute(components, first..len, upcoming);
    }

    /// Computes all slots of a run in which many were set. Local transforms come from records, and copies become stale.
    fn gather(&mut self, pages: &Pages, components: &Components, run: Range<usize>) {
        self.copies = Copies::Stale;
        self.dirty.insert_run(run.clone());
        let mut block = [PackedTransform::IDENTITY; BLOCK];
        let Self { slots, matrices, .. } = self;
        let Slots { records, parents, worlds, .. } = slots;
        // From here on, each slot prefetches the record that is `AHEAD` slots on.
        records[run.clone()].iter().take(AHEAD).for_each(|&id| pages.prefetch_record_far(id));
        let mut matrices = matrices.iter().map(|&slot| usize::from(slot)).peekable();
        for from in run.clone().step_by(BLOCK) {
            let to = run.end.min(from + BLOCK);
            for (slot, local) in (from..to).zip(&mut block) {
                if let Some(&ahead) = records.get(slot + AHEAD) {
                    pages.prefetch_record_far(ahead);
                }
                *local = pages.record(records[slot]).local;
            }
            let mut begin = from;
            while let Some(slot) = matrices.next_if(|&slot| slot < to) {
                propagate_block(&block[begin - from..slot - from], parents, worlds, begin..slot);
                multiply(components, records[slot], parents[slot] as usize, worlds, slot);
                begin = slot + 1;
            }
            propagate_block(&block[begin - from..to - from], parents, worlds, begin..to);
        }
    }

    fn copy_all(&mut self, pages: &Pages) {
        let Slots { records, locals, .. } = &mut self.slots;
        for (slot, local) in locals.iter_mut().enumerate().skip(self.imports.len()) {
            if let Some(&ahead) = records.get(slot + AHEAD) {
                pages.prefetch_record_far(ahead);
            }
            *local = pages.record(records[slot]).local;
        }
    }

    /// Copies the local transforms of slots in `set[above..]` from their records. Slots whose copies already have the
    /// same bits are removed from `set` and from the dirty slots, unless all must be computed `anew`.
    #[inline(always)]
    fn refresh(&mut self, pages: &Pages, set: &mut Vec<u16>, above: usize, anew: bool) {
        let Slots { records, locals, .. } = &mut self.slots;
        let mut kept = above;
        for at in above..set.len() {
            if let Some(&ahead) = set.get(at + AHEAD) {
                pages.prefetch_record_far(records[usize::from(ahead)]);
                prefetch(locals, usize::from(ahead));
            }
            let slot = usize::from(set[at]);
            let record = pages.record(records[slot]);
            if anew || !record.is_copied(&locals[slot]) {
                locals[slot] = record.local;
                set[kept] = set[at];
                kept += 1;
            } else {
                self.dirty.remove(slot);
            }
        }
        set.truncate(kept);
    }

    fn compute(&mut self, components: &Components, run: Range<usize>, upcoming: Upcoming<'_>) {
        let mut from = run.start;
        for &slot in self.matrices_in(&run).iter() {
            let slot = usize::from(slot);
            self.propagate(from..slot, Upcoming::default());
            self.multiply(components, slot);
            from = slot + 1;
        }
        self.propagate(from..run.end, upcoming);
    }

    #[inline(always)]
    fn propagate(&mut self, run: Range<usize>, upcoming: Upcoming<'_>) {
        propagate(&self.slots.locals, &self.slots.parents, &mut self.slots.worlds, run, upcoming);
    }

    /// Marks all slots of a run that are below dirty ones. `set` lists the dirty imports and the dirty slots of the
    /// run; afterwards, only the slots. Only if no import is dirty may `follow` say that the slice is nested.
    ///
    /// Returns false if the list is or would become too long to be worth computing; then `set` is useless.
    fn reach(&mut self, set: &mut Vec<u16>, follow: bool, run: Range<usize>) -> bool {
        let Self { slots: Slots { parents, .. }, dirty, .. } = self;
        if follow {
            let listed = set.len();
            // Slots below a slot follow it, up to the first whose parent comes before that slot.
            let mut end = 0;
            for at in 0..listed {
                let slot = usize::from(set[at]);
                if slot < end {
                    continue;
                }
                let reached = set.len() - listed;
                if at >= ENOUGH && reached * listed * DENSE_LIST >= at * run.end {
                    return false;
                }
                set.push(set[at]);
                end = slot + 1;
                while parents.get(end).is_some_and(|&parent| parent as usize >= slot) {
                    dirty.insert(end);
                    set.push(short(end));
                    end += 1;
                }
            }
            set.drain(..listed);
        } else {
            reach(parents, dirty.words_mut(), run.clone());
            set.clear();
            dirty.list(set);
            let imports = set.iter().take_while(|&&slot| usize::from(slot) < run.start).count();
            set.drain(..imports);
        }
        set.len() * DENSE_LIST < run.end
    }

    /// Computes the slots of an ascending list.
    fn compute_listed(&mut self, components: &Components, mut list: &[u16]) {
        let (Some(&first), Some(&last)) = (list.first(), list.last()) else { return };
        for &slot in &self.matrices_in(&(usize::from(first)..usize::from(last) + 1)) {
            let (before, from) = list.split_at(list.partition_point(|&other| other < slot));
            self.propagate_listed(before);
            list = from;
            if let Some((_, after)) = from.split_first().filter(|&(&first, _)| first == slot) {
                self.multiply(components, usize::from(slot));
                list = after;
            }
        }
        self.propagate_listed(list);
    }

    #[inline(always)]
    fn propagate_listed(&mut self, list: &[u16]) {
        let Slots { locals, parents, worlds, .. } = &mut self.slots;
        propagate_listed(locals, parents, worlds, list);
    }

    /// Returns the slots of a run whose local transform is a matrix.
    fn matrices_in(&self, run: &Range<usize>) -> smallvec::SmallVec<[u16; 16]> {
        let before = |end: usize| self.matrices.partition_point(|&slot| usize::from(slot) < end);
        self.matrices[before(run.start)..before(run.end)].into()
    }

    /// Computes a slot whose local transform is a matrix.
    fn multiply(&mut self, components: &Components, slot: usize) {
        let Slots { records, parents, worlds, .. } = &mut self.slots;
        multiply(components, records[slot], parents[slot] as usize, worlds, slot);
    }
}

/// Computes a slot whose local transform is a matrix.
fn multiply(components: &Components, id: RecordId, parent: usize, worlds: &mut [Mat34], slot: usize) {
    let local = components.matrix.get(id).copied().unwrap_or(Mat34::IDENTITY);
    worlds[slot] = worlds[parent] * local;
}
