//! The first phase of an update: waiting nodes get rows and slots. Only this phase follows links to change slices.
//!
//! 1. Moved nodes and all nodes below them lose their rows, and wait like inserted nodes. Only if a large subtree was
//!    moved, slices that have no other nodes are [kept](super::keep_slices), and change places in the order.
//! 2. All waiting nodes are listed, parents first, by the slice of the nearest ancestor that has a row.
//! 3. In each of these slices, waiting nodes take unused rows after their parents' rows, or rows at the end. A slice
//!    that has no room, doubles, or is over half unused is [reconstituted](super::reconstitute). Empty slices end.
//!
//! On one thread, each slice is [swept](super::sweep) directly after step 3, while it is in the cache. On several
//! threads, all slices are swept afterwards. Then a few small slices are merged.

use crate::store::Store;
use crate::store::columns::short;
use crate::store::location::{Location, SliceId};
use crate::store::nodes::Nodes;
use crate::store::pending::Pending;
use crate::store::reconstitute::{Fresh, Sort};
use crate::store::record::{Has, RecordId};
use crate::store::slices::Reorder;
use crate::store::state::Work;
use hedgerow_math::internal::prefetch;

/// A moved subtree is large if it has more than one in this many of the nodes that a slice can have, and more than half
/// as many nodes as there are slices. Looking at all slices then costs less than following links.
const LARGE: usize = 16;

/// Returns the greatest length of a list that keeps its memory: enough for a busy frame, but not for a build.
fn most_kept(nodes: usize) -> usize {
    (nodes / 8).max(1 << 14)
}

/// Temporary memory of the update, kept to save allocations.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scratch {
    /// The waiting nodes, parents first.
    pub(crate) fresh: Vec<Fresh>,
    /// The same nodes, sorted by slice.
    by_slice: Vec<Fresh>,
    /// The end of each slice's nodes in `by_slice`.
    ends: Vec<u32>,
    /// The slice of each waiting node's nearest ancestor that has a row; [`SliceId::NIL`] if the node is not listed.
    owners: Vec<SliceId>,
    pub(crate) stack: Vec<RecordId>,
    /// The masks of edits, and the nodes among these that were moved.
    pub(crate) pending: Vec<(RecordId, Pending)>,
    pub(crate) moved: Vec<RecordId>,
    /// Slices in which rows died or nodes were reshaped.
    edited: Vec<SliceId>,
    pub(crate) sort: Sort,
    pub(crate) records: Vec<RecordId>,
    pub(crate) slots: Vec<u16>,
    /// Whether a slice imports a slot that will be computed.
    #[cfg(feature = "rayon")]
    pub(crate) reached: Vec<bool>,
}

impl Scratch {
    /// Given the scene's number of nodes, frees memory that only a larger build needed. The nodes that were placed stay
    /// known until the update ends.
    fn shrink(&mut self, nodes: usize) {
        if self.fresh.capacity() > most_kept(nodes) {
            *self = Self { fresh: core::mem::take(&mut self.fresh), ..Self::default() };
        }
    }

    /// Ends an update of a scene with this number of nodes.
    pub(crate) fn end(&mut self, nodes: usize) {
        let most = most_kept(nodes);
        self.fresh.clear();
        self.pending.clear();
        self.fresh.shrink_to(most);
        self.pending.shrink_to(most);
        self.moved.shrink_to(most);
        self.records.shrink_to(most);
    }

    pub(crate) fn bytes(&self) -> usize {
        let fresh = self.fresh.capacity() + self.by_slice.capacity();
        let ids = self.stack.capacity() + self.records.capacity() + self.ends.capacity() + self.owners.capacity();
        let ids = ids + self.moved.capacity() + self.edited.capacity() + self.pending.capacity() * 2;
        #[cfg(feature = "rayon")]
        let ids = ids + self.reached.capacity().div_ceil(size_of::<u32>());
        fresh * size_of::<Fresh>() + ids * size_of::<u32>() + self.slots.capacity() * 2 + self.sort.bytes()
    }
}

impl Store {
    /// Gives rows and slots to waiting nodes, frees those of removed nodes, and sweeps each slice; `shared`, on several
    /// threads.
    pub(crate) fn assign_and_sweep(&mut self, shared: bool) {
        if self.nodes.inbox.waiting.is_empty() && self.update.scratch.moved.is_empty() && !self.slices.edited {
            return self.sweep_all(shared);
        }
        let mut scratch = core::mem::take(&mut self.update.scratch);
        if self.is_built_in_order() {
            self.fill(&mut scratch, shared);
            self.update.scratch = scratch;
            if shared {
                self.sweep_all(shared);
            }
            return;
        }
        // Moves come before inserts, since what was inserted below a moved node waits with it.
        let large = self.unplace_moved(&mut scratch);
        let kept = self.unplace_large(large);
        self.list_waiting(&mut scratch);
        self.order_kept(&kept, &scratch.owners);
        self.group(&mut scratch);
        let mut reorder = Reorder::default();
        // In order, so that a parent in an earlier slice has its row, and its matrix, before its children need them.
        for at in 0..self.slices.order.len() {
            let number = self.slices.order[at];
            // A slice that is cut gives its pieces numbers that are not in the order yet, so they are swept here.
            let pieces = reorder.pieces.len();
            let Scratch { by_slice, ends, sort, edited, .. } = &mut scratch;
            let end = |slice: usize| ends.get(slice).map_or(0, |&end| end as usize);
            let begin = number.index().checked_sub(1).map_or(0, end);
            let count = end(number.index()) - begin;
            self.assign_in(number, &by_slice[begin..], count, (sort, edited), &mut reorder);
            if !shared {
                self.sweep_slice(number, self.slices.order.get(at + 1).copied(), &mut scratch.slots);
                for &(_, piece) in &reorder.pieces[pieces..] {
                    self.sweep_slice(piece, None, &mut scratch.slots);
                }
            }
        }
        self.slices.apply(reorder);
        if shared {
            self.sweep_all(shared);
        }
        // Slices are merged after all are swept, since what is reported must not depend on threads.
        self.join_small(&mut scratch);
        self.slices.edited = false;
        scratch.edited.clear();
        scratch.shrink(self.nodes.pages.len());
        self.update.scratch = scratch;
    }

    /// Frees dead rows of a slice, and gives the first `count` nodes of a list rows there, parents first.
    fn assign_in(
        &mut self,
        number: SliceId,
        list: &[Fresh],
        count: usize,
        (sort, edited): (&mut Sort, &mut Vec<SliceId>),
        reorder: &mut Reorder,
    ) {
        let nodes = &list[..count];
        let head = self.slices.head_mut(number);
        let freed = head.work.take(Work::FREED).has(Work::FREED);
        if freed || head.work.has(Work::RESHAPED) {
            // Most of these have fewer nodes now, so they are the candidates for a merge.
            edited.push(number);
        } else if nodes.is_empty() {
            return;
        }
        if freed {
            let (slice, head) = self.slices.both_mut(number);
            slice.free_rows(head);
            self.slices.list_unboxed(number);
        }
        let put = self.put_all(number, nodes, list);
        let (slice, head) = self.slices.both_mut(number);
        let reshaped = head.work.take(Work::RESHAPED).has(Work::RESHAPED);
        // The root and the limbo are never removed, so their slices never end.
        if head.live == 0 {
            self.end_slice(number, reorder);
        } else if put < nodes.len() || reshaped || head.live as usize * 2 < slice.rows.len() - slice.imports.len() {
            self.reconstitute(&[number], &nodes[put..], reshaped, sort, reorder);
        } else {
            self.renew_version(number);
        }
    }

    /// Unplaces moved nodes and all nodes below them. Returns the roots of large subtrees instead.
    fn unplace_moved(&mut self, scratch: &mut Scratch) -> Vec<RecordId> {
        let Scratch { moved, stack: below, .. } = scratch;
        let most = (self.slices.max_nodes() / LARGE).max(self.slices.order.len() / 2);
        // Moved nodes may be below each other. Once so many nodes were counted in vain, all other subtrees of more than
        // one node count as large.
        let mut budget = self.nodes.pages.len() / 8;
        let mut large = Vec::new();
        for top in moved.drain(..) {
            if self.nodes.pages.location(top).as_waiting().is_some() {
                continue;
            }
            let most = most.min(budget);
            below.clear();
            let (mut at, mut steps) = (Some(top), 0);
            while let Some(id) = at.filter(|_| steps <= most) {
                let lies = self.nodes.pages.location(id).as_waiting().is_none();
                if lies {
                    // Unplaced only when the whole subtree is known to be small.
                    below.push(id);
                }
                // Nodes below a waiting node were moved there themselves.
                at = self.nodes.pages.next_in_subtree(top, id, lies);
                steps += 1;
            }
            if at.is_some() {
                // This subtree was counted as far as `most` for nothing.
                budget -= most;
                large.push(top);
            } else {
                below.drain(..).for_each(|id| self.unplace(id));
            }
        }
        below.clear();
        large
    }

    /// Lists the waiting nodes, parents first, each with the slice of the nearest ancestor that has a row.
    fn list_waiting(&mut self, scratch: &mut Scratch) {
        let Self { nodes: Nodes { pages, inbox, .. }, .. } = self;
        let waiting = &mut inbox.waiting;
        let Scratch { fresh, owners, stack, .. } = scratch;
        let count = waiting.len();
        fresh.clear();
        owners.clear();
        fresh.reserve(count);
        owners.resize(count, SliceId::NIL);
        let ahead = if pages.exceed_cache() { &waiting[..] } else { &[] };
        for (k, &id) in waiting.iter().enumerate() {
            if let Some(&ahead) = ahead.get(k + 32) {
                pages.prefetch_parent(ahead);
            }
            if let Some(&ahead) = ahead.get(k + 16) {
                pages.prefetch_location(pages.parent(ahead));
            }
            if let Some(&ahead) = ahead.get(k + 8)
                && let Some(index) = pages.location(pages.parent(ahead)).as_waiting()
            {
                prefetch(owners, index as usize);
            }
            if owners[k] != SliceId::NIL {
                continue;
            }
            let (mut at, mut above) = (id, pages.location(pages.parent(id)));
            // The root and the limbo always have a row, so the climb ends.
            let owner = loop {
                match above.as_waiting().map(|index| owners[index as usize]) {
                    None => break above.slice(),
                    Some(SliceId::NIL) => {
                        stack.push(at);
                        at = pages.parent(at);
                        above = pages.location(pages.parent(at));
                    }
                    Some(owner) => break owner,
                }
            };
            while let Some(below) = stack.pop() {
                let location = pages.location(at);
                if let Some(index) = location.as_waiting() {
                    owners[index as usize] = owner;
                }
                fresh.push(Fresh { id: at, owner, above });
                (at, above) = (below, location);
            }
            owners[k] = owner;
            fresh.push(Fresh { id, owner, above });
        }
        waiting.clear();
        // After a large build, the list would keep more memory than later edits need.
        waiting.shrink_to(most_kept(pages.len()));
    }

    /// Sorts waiting nodes by slice; the order within a slice stays.
    fn group(&self, scratch: &mut Scratch) {
        let Scratch { fresh, by_slice, ends, .. } = scratch;
        ends.clear();
        ends.resize(self.slices.end(), 0);
        fresh.iter().for_each(|fresh| ends[fresh.owner.index()] += 1);
        let mut sum = 0;
        for end in ends.iter_mut() {
            // Each end is a beginning now, and the pass below moves it to the end.
            sum += core::mem::replace(end, sum);
        }
        by_slice.clone_from(fresh);
        for fresh in fresh.iter() {
            let end = &mut ends[fresh.owner.index()];
            by_slice[*end as usize] = *fresh;
            *end += 1;
        }
    }

    /// Gives nodes rows in a slice, parents first, as long as there is room. Returns how many nodes got a row. `list`
    /// goes on after `nodes` with those of the next slices: a slice gets too few nodes to start its own prefetches.
    fn put_all(&mut self, number: SliceId, nodes: &[Fresh], list: &[Fresh]) -> usize {
        let (max_rows, max_nodes) = (self.slices.max_rows(), self.slices.max_nodes());
        let stamp = self.update.clock.stamp();
        let Self { nodes: Nodes { pages, components, .. }, slices, .. } = self;
        let (slice, head) = slices.both_mut(number);
        // If the slice will be reconstituted, rows for single nodes are wasted work.
        let fits = slice.used_rows.len() + nodes.len() <= max_rows && head.live as usize + nodes.len() <= max_nodes;
        // A slice whose nodes double is reconstituted, since rows at its end would be far from their parents' rows.
        if head.work.has(Work::RESHAPED) || !fits || nodes.len() > head.live as usize {
            return 0;
        }
        let full = slice.is_full();
        let (here, list) = if pages.exceed_cache() { (nodes, list) } else { (&[][..], &[][..]) };
        for (count, &Fresh { id, above, .. }) in nodes.iter().enumerate() {
            if let Some(&Fresh { id: ahead, .. }) = list.get(count + 24) {
                pages.prefetch_record(ahead);
                pages.prefetch_location(ahead);
            }
            if let Some(&Fresh { id: ahead, above, .. }) = here.get(count + 8) {
                if pages.record(ahead).has.has(Has::DRAWABLE) {
                    components.drawable.prefetch(ahead);
                    pages.prefetch_lookup(ahead);
                }
                prefetch(&slice.rows, above.row());
                prefetch(&slice.slots.records, above.slot());
                prefetch(&slice.slots.parents, above.slot());
            }
            // A parent that waited has a row by now.
            let above = if above.as_waiting().is_some() { pages.location(pages.parent(id)) } else { above };
            let Some((row, slot)) = slice.put((pages, components), id, above.row(), max_rows, full) else {
                return count;
            };
            slice.stamp(row, stamp);
            head.alive.insert(row);
            head.live += 1;
            pages.set_location(id, Location::of(number, short(row), slot));
        }
        slice.stamp_new(stamp);
        if !nodes.is_empty() {
            self.slices.list_unboxed(number);
        }
        nodes.len()
    }

    /// Merges a few small edited slices, each with a neighbour. Maintenance merges the others.
    fn join_small(&mut self, scratch: &mut Scratch) {
        // Few, so that a frame's worst case stays bounded.
        const MOST: usize = 4;
        let edited = &scratch.edited;
        // The first candidate rotates, so that slices without a neighbour to merge do not block others.
        let turn = usize::try_from(self.update.clock.updates % edited.len().max(1) as u64).unwrap_or(0);
        let (behind, before) = edited.split_at(turn);
        let small = before.iter().chain(behind).copied().filter(|&number| self.slices.is_small(number));
        let candidates: smallvec::SmallVec<[SliceId; MOST]> = small.take(MOST).collect();
        for number in candidates {
            if self.slices.is_small(number)
                && let Some(pair) = self.slices.pair_for(number)
            {
                let mut reorder = Reorder::default();
                self.reconstitute(&pair, &[], false, &mut scratch.sort, &mut reorder);
                self.slices.apply(reorder);
                self.sweep_slice(pair[0], None, &mut scratch.slots);
            }
        }
    }
}
