//! Reconstitution: writes the nodes of neighbouring slices, and new nodes, as slices in depth-first order.
//!
//! The same function splits and merges slices, and moves nodes. Nodes are sorted by counting, over arrays of four-byte
//! numbers: the sizes of subtrees are computed in reverse order, positions in forward order. Links are not followed, so
//! siblings keep the order of their old rows, and new siblings come last. Records of nodes that had a row are hardly
//! read, unless the nodes were reshaped. Imports are named by record, so other slices need no change.
//!
//! Source: the thesis, section 4.4.6; the order is that of a counting sort.

use crate::NodeHandle;
use crate::store::Store;
use crate::store::boxes::SliceBoxes;
use crate::store::columns::{Inherited, NO_DRAWABLE, Row, short};
use crate::store::histories::History;
use crate::store::location::{Location, SliceId};
use crate::store::nodes::Nodes;
use crate::store::record::{Has, RecordId};
use crate::store::row_set::MAX_ROWS;
use crate::store::slice::{Head, Slice};
use crate::store::slices::Reorder;
use crate::store::state::{Due, Home, SlotOrder, Work};
use hedgerow_math::internal::prefetch;

/// The row of a new node.
pub(crate) const FRESH: u16 = u16::MAX;
/// The flag of a parent that is an import. The number of the import is in the lower bits.
const IMPORT: u32 = 1 << 31;
/// The item of a row whose node is gone.
const GONE: u32 = u32::MAX;

/// A node to sort.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) record: RecordId,
    /// The index of the node's slice among the sources.
    pub(crate) source: u16,
    pub(crate) row: u16,
}

/// A parent of sorted nodes that is in none of the sources.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Import {
    handle: Option<NodeHandle>,
    inherited: Inherited,
    /// The history of the import's slot, if changes are tracked.
    history: Option<History>,
}

/// A node that needs a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh {
    pub(crate) id: RecordId,
    /// The slice that the node goes to.
    pub(crate) owner: SliceId,
    /// The parent's location, which may be [`Location::waiting`].
    pub(crate) above: Location,
}

/// The arrays of a sort, which are kept to save allocations.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sort {
    pub(crate) items: Vec<Item>,
    /// The parent of each item: an item, or [`IMPORT`] and the number of an import.
    pub(crate) parents: Vec<u32>,
    /// The number of nodes in the subtree of each item.
    sizes: Vec<u32>,
    /// The position of each item in depth-first order.
    positions: Vec<u32>,
    /// The position of each item's next child.
    next: Vec<u32>,
    /// The item at each position.
    order: Vec<u32>,
    pub(crate) imports: Vec<Import>,
    /// The import of the identity, if any item is anchored. It is the first import of each piece.
    identity: Option<u32>,
    /// For each row of the sources: an item, an import, or [`GONE`].
    items_of_rows: Vec<u32>,
    /// For each item, then for each import: the piece that imported it last, and its row there.
    imported: Vec<(u32, u16)>,
    /// The imports of a piece, in the form of `parents`.
    chosen: Vec<u32>,
}

/// Converts the number of a node in a sort, or a count of nodes, to 32 bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "there are at most 2^30 records")]
pub(crate) fn short_row(row: usize) -> u32 {
    row as u32
}

impl Sort {
    pub(crate) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<Item>()
            + (self.parents.capacity() + self.sizes.capacity() + self.positions.capacity()) * 4
            + (self.next.capacity() + self.order.capacity() + self.items_of_rows.capacity()) * 4
            + self.imports.capacity() * size_of::<Import>()
            + (self.imported.capacity() * 2 + self.chosen.capacity()) * 4
    }

    pub(crate) fn clear(&mut self) {
        let Self { items, parents, sizes, positions, next, order, imports, identity, .. } = self;
        let Self { items_of_rows, imported, chosen, .. } = self;
        *identity = None;
        items.clear();
        imports.clear();
        [parents, sizes, positions, next, order, items_of_rows, chosen].into_iter().for_each(Vec::clear);
        imported.clear();
    }

    /// Returns the import with this handle: the last one, or a new one.
    pub(crate) fn import(&mut self, handle: Option<NodeHandle>, inherited: impl FnOnce() -> Inherited) -> u32 {
        if self.imports.last().is_none_or(|last| last.handle != handle) {
            self.imports.push(Import { handle, inherited: inherited(), history: None });
        }
        IMPORT | short_row(self.imports.len() - 1)
    }

    /// Makes a piece of all items, which are in depth-first order, and of all imports.
    pub(crate) fn take_in_order(&mut self) {
        let count = self.items.len();
        self.parents.truncate(count);
        self.order.extend(0..short_row(count));
        self.positions.extend(0..short_row(count));
        self.imported.resize(count + self.imports.len(), (GONE, 0));
        (0..short_row(self.imports.len())).for_each(|import| self.choose(IMPORT | import, 0));
    }

    /// Sorts the items depth first. Siblings stay in the order of items.
    fn sort(&mut self) {
        let count = self.items.len();
        self.sizes.resize(count, 1);
        // Parents come before children, so in reverse each size is complete before it is added to the parent's.
        for at in (0..count).rev() {
            if let Some(parent) = self.sizes.get(self.parents[at] as usize) {
                self.sizes[self.parents[at] as usize] = parent + self.sizes[at];
            }
        }
        self.positions.resize(count, 0);
        self.next.resize(count, 0);
        self.order.resize(count, 0);
        let mut top = 0;
        for at in 0..count {
            let next = self.next.get_mut(self.parents[at] as usize).unwrap_or(&mut top);
            let position = *next;
            *next += self.sizes[at];
            self.positions[at] = position;
            self.next[at] = position + 1;
            self.order[position as usize] = short_row(at);
        }
    }

    /// Prefetches the items and parents some positions on, in depth-first order.
    #[inline(always)]
    fn prefetch(&self, position: usize) {
        if let Some(&ahead) = self.order.get(position + 32) {
            prefetch(&self.items, ahead as usize);
            prefetch(&self.parents, ahead as usize);
        }
        if let Some(&ahead) = self.order.get(position + 16) {
            prefetch(&self.positions, self.parents[ahead as usize] as usize);
        }
    }

    /// Returns the source and the old row of the node at each position, if it had a row.
    fn origins(&self, run: core::ops::Range<usize>) -> impl Iterator<Item = Option<(usize, usize)>> {
        let items = self.order[run].iter().map(|&item| self.items[item as usize]);
        items.map(|Item { source, row, .. }| (row != FRESH).then_some((usize::from(source), usize::from(row))))
    }

    /// Returns the history of each import of the last piece, if its node was an import before.
    fn histories(&self) -> impl Iterator<Item = Option<History>> {
        self.chosen.iter().map(|&parent| self.imports.get(parent.wrapping_sub(IMPORT) as usize)?.history)
    }

    /// Makes each piece import the identity.
    fn import_identity(&mut self) {
        let known = self.imports.iter().position(|import| import.handle.is_none());
        let number = known.unwrap_or_else(|| {
            self.imports.push(Import { handle: None, inherited: Inherited::NOTHING, history: Some(History::NONE) });
            self.imports.len() - 1
        });
        self.identity = Some(IMPORT | short_row(number));
    }

    /// Adds an import to a piece, unless the piece already has it.
    fn choose(&mut self, parent: u32, piece: u32) {
        let key = self.import_key(parent);
        if self.imported[key].0 != piece {
            self.imported[key] = (piece, short(self.chosen.len()));
            self.chosen.push(parent);
        }
    }

    /// Returns the index of a parent in `imported`.
    fn import_key(&self, parent: u32) -> usize {
        if parent >= IMPORT { self.items.len() + (parent - IMPORT) as usize } else { parent as usize }
    }
}

impl Store {
    /// Writes the nodes of `sources`, which are neighbours in the order, and of `fresh`, parents first, as one or more
    /// slices. The first new slice keeps the first source's number. If `reshaped`, components come from records.
    ///
    /// Runs in O(n), some 25 ns a node.
    pub(crate) fn reconstitute(
        &mut self,
        sources: &[SliceId],
        fresh: &[Fresh],
        reshaped: bool,
        sort: &mut Sort,
        reorder: &mut Reorder,
    ) {
        sort.clear();
        self.update.clock.reconstitutions += 1;
        let take = |store: &mut Self, source| {
            let (slice, head) = store.slices.both_mut(source);
            (core::mem::take(slice), core::mem::take(head))
        };
        let old: smallvec::SmallVec<[(Slice, Head); 2]> = sources.iter().map(|&source| take(self, source)).collect();
        let anchored = self.collect(sources, &old, sort);
        if self.collect_fresh(sources, &old, fresh, sort) || anchored {
            sort.import_identity();
        }
        sort.sort();
        let count = sort.items.len();
        sort.imported.resize(count + sort.imports.len(), (GONE, 0));
        let kept = old.iter().any(|(_, head)| head.work.has(Work::KEPT));
        let (mut begin, mut piece) = (0, 0);
        // Without nodes, one empty slice keeps the number of the first source in the order.
        while begin < count || piece == 0 {
            let end = self.cut(begin, piece, sort);
            let mut new = self.write(&old, begin..end, reshaped, sort);
            if kept {
                new.1.work.add(Work::KEPT);
            }
            if piece == 0 {
                self.put_slice(sources[0], new);
            } else {
                let number = self.slices.open(Slice::default());
                self.put_slice(number, new);
                reorder.pieces.push((sources[0], number));
            }
            if self.update.feed.is_some() {
                let number = reorder.pieces.last().filter(|_| piece > 0).map_or(sources[0], |&(_, number)| number);
                self.keep_histories(number, &old, sort.origins(begin..end), sort.histories());
            }
            begin = end;
            piece += 1;
        }
        for &source in &sources[1..] {
            self.end_slice(source, reorder);
        }
    }

    /// Frees a slice, none of whose rows is in use.
    pub(crate) fn end_slice(&mut self, number: SliceId, reorder: &mut Reorder) {
        self.slices.versions += 1;
        self.slices[number] = Slice { layout: self.slices.versions, ..Slice::default() };
        *self.slices.head_mut(number) = Head::default();
        reorder.ended.push(number);
    }

    /// Lists the nodes of the sources, and the imports. Returns whether any node is anchored.
    fn collect(&self, sources: &[SliceId], old: &[(Slice, Head)], sort: &mut Sort) -> bool {
        let mut starts = smallvec::SmallVec::<[usize; 2]>::new();
        let mut flags = 0;
        for (source, (slice, head)) in (0..).zip(old) {
            let start = sort.items_of_rows.len();
            starts.push(start);
            let used = slice.used_imports(&head.alive);
            for (at, row) in slice.rows.iter().enumerate() {
                let item = if let Some(&handle) = slice.imports.get(at).filter(|_| used.contains(at)) {
                    // An import whose node is in an earlier source is no longer an import.
                    let location = handle
                        .and_then(|handle| self.nodes.pages.resolve(handle))
                        .map(|id| self.nodes.pages.location(id));
                    let within = location.and_then(|location| {
                        let of = sources.iter().position(|&number| number == location.slice())?;
                        sort.items_of_rows.get(starts.get(of)? + location.row()).copied()
                    });
                    within.unwrap_or_else(|| {
                        // Within a slice no import occurs twice; two slices may have the same.
                        let known = sort.imports.iter().position(|import| source > 0 && import.handle == handle);
                        let number = known.unwrap_or_else(|| {
                            let history = slice.histories.as_ref().and_then(|histories| histories.history(at));
                            sort.imports.push(Import { handle, inherited: slice.inherited(at), history });
                            sort.imports.len() - 1
                        });
                        IMPORT | short_row(number)
                    })
                } else if head.alive.contains(at) {
                    let above = sort.items_of_rows[start + usize::from(row.above)];
                    // The parent's row comes first, so its item is known.
                    sort.parents.push(above);
                    sort.items.push(Item { record: row.record, source, row: short(at) });
                    flags |= row.flags;
                    short_row(sort.items.len() - 1)
                } else {
                    GONE
                };
                sort.items_of_rows.push(item);
            }
        }
        flags & Row::ANCHORED != 0
    }

    /// Lists nodes without a row, after the nodes with a row. Returns whether any node is anchored.
    fn collect_fresh(&mut self, sources: &[SliceId], old: &[(Slice, Head)], fresh: &[Fresh], sort: &mut Sort) -> bool {
        for (at, &Fresh { id, .. }) in fresh.iter().enumerate() {
            if let Some(ahead) = fresh.get(at + 16) {
                self.nodes.pages.prefetch_location(self.nodes.pages.parent(ahead.id));
            }
            let location = self.nodes.pages.location(self.nodes.pages.parent(id));
            let parent = location.as_waiting().unwrap_or_else(|| {
                let rows = sources.iter().zip(old).take_while(|(number, _)| **number != location.slice());
                let start: usize = rows.map(|(_, (slice, _))| slice.rows.len()).sum();
                sort.items_of_rows[start + location.row()]
            });
            // Until the node has a row, its location holds the number of its item.
            self.nodes.pages.set_location(id, Location::waiting(short_row(sort.items.len())));
            sort.parents.push(parent);
            sort.items.push(Item { record: id, source: 0, row: FRESH });
        }
        self.nodes.inbox.any_anchored
            && fresh.iter().any(|fresh| self.nodes.pages.record(fresh.id).has.has(Has::ANCHORED))
    }

    /// Returns the greatest number of nodes of the next piece, of this many that are left. Pieces differ in size, by the
    /// golden ratio, so that they do not fill up in the same frame.
    pub(crate) fn next_size(&mut self, left: usize) -> usize {
        let max_nodes = self.slices.max_nodes();
        if left <= max_nodes * 15 / 16 {
            return left;
        }
        let cuts = &mut self.update.clock.cuts;
        *cuts = cuts.wrapping_add(1);
        // Sizes advance by 0.618 of their range from cut to cut. At least a quarter of `max_nodes` is left.
        let range = (max_nodes * 3 / 8).max(1);
        let size = max_nodes * 9 / 16 + (*cuts as usize).wrapping_mul(range * 633 / 1024 + 1) % range;
        size.min(left - max_nodes / 4)
    }

    /// Returns the end of the piece that begins at a position, and chooses its imports. A large independent subtree
    /// begins a piece of its own.
    fn cut(&mut self, begin: usize, piece: u32, sort: &mut Sort) -> usize {
        let (max_nodes, max_rows) = (self.slices.max_nodes(), self.slices.max_rows());
        let count = sort.items.len();
        // Leave room in a slice that grows.
        // New nodes are the last items.
        let grows = sort.items.last().is_some_and(|item| item.row == FRESH);
        let room = if grows { max_nodes * 15 / 16 } else { max_nodes };
        let all = count + sort.imports.len() <= max_rows && count <= room;
        let left = count - begin;
        // A slice that fits stays whole, whatever its size: cutting it would only make imports.
        let most = if all { left } else { self.next_size(left) };
        sort.chosen.clear();
        if let Some(identity) = sort.identity {
            sort.choose(identity, piece);
        }
        let mut end = begin;
        while end < count && end - begin < most.max(1) && sort.chosen.len() + (end - begin) + 2 <= max_rows {
            sort.prefetch(end);
            if let Some(&ahead) = sort.order.get(end + 32) {
                prefetch(&sort.sizes, ahead as usize);
            }
            let item = sort.order[end] as usize;
            let parent = sort.parents[item];
            let independent =
                sort.sizes[item] as usize >= max_nodes / 4 && self.is_independent(sort.items[item].record);
            if !all && independent && end - begin >= max_nodes / 4 {
                break;
            }
            if parent >= IMPORT || (sort.positions[parent as usize] as usize) < begin {
                sort.choose(parent, piece);
            }
            end += 1;
        }
        end
    }

    /// Returns whether a node is a child of the root, or the root of a detached subtree.
    fn is_independent(&self, id: RecordId) -> bool {
        let parent = self.nodes.pages.parent(id);
        parent == RecordId::ROOT || parent == RecordId::LIMBO
    }

    /// Returns the handle of a parent, which is a node of an earlier piece or an import, and the values that it hands
    /// down.
    fn inherited_of(&self, parent: u32, sort: &Sort) -> (Option<NodeHandle>, Inherited) {
        if parent >= IMPORT {
            let Import { handle, inherited, .. } = sort.imports[(parent - IMPORT) as usize];
            return (handle, inherited);
        }
        let id = sort.items[parent as usize].record;
        let location = self.nodes.pages.location(id);
        let inherited = self.slices.get(location.slice()).map(|slice| slice.inherited(location.row()));
        (Some(self.nodes.pages.handle(id)), inherited.unwrap_or(Inherited::NOTHING))
    }

    /// Writes the nodes of a run of positions as a slice. [`Self::put_slice`] sets their locations.
    pub(crate) fn write(
        &self,
        old: &[(Slice, Head)],
        run: core::ops::Range<usize>,
        reshaped: bool,
        sort: &Sort,
    ) -> (Slice, Head) {
        let Self { nodes: Nodes { pages, components, .. }, .. } = self;
        let inherited: Vec<_> = sort.chosen.iter().map(|&parent| self.inherited_of(parent, sort)).collect();
        let imports = inherited.len();
        let home = match (run.clone().next(), old) {
            (Some(first), _) if self.nodes.is_outside(sort.items[sort.order[first] as usize].record) => Home::Limbo,
            (Some(_), _) | (None, []) => Home::Tree,
            (None, [(slice, _), ..]) => slice.home,
        };
        // A walk in order has read the records just now.
        let is_far = !old.is_empty();
        // In both passes below: a whole slice evicts what the first one read.
        let prefetch_ahead = |at| {
            sort.prefetch(at);
            if let Some(&ahead) = sort.order.get(at + 16) {
                let Item { record, row, .. } = sort.items[ahead as usize];
                if row == FRESH || reshaped {
                    pages.prefetch_record(record);
                }
            }
        };
        let transforms = run.clone().filter(|&at| {
            if is_far {
                prefetch_ahead(at);
            }
            let Item { record, source, row } = sort.items[sort.order[at] as usize];
            match old.get(usize::from(source)) {
                Some((slice, _)) if row != FRESH && !reshaped => slice.rows[usize::from(row)].is(Row::OWN_TRANSFORM),
                _ => pages.record(record).has.has(Has::TRANSFORM),
            }
        });
        // A sixteenth to spare, so that the next inserts find rows without a copy of the columns.
        let room = [run.len() + run.len() / 16, transforms.count() + run.len() / 16, 0];
        let handles = inherited.iter().map(|&(handle, _)| handle).collect();
        let mut new = Slice::open(handles, |at| inherited[at].1, room, home);
        let mut head = Head::default();
        for position in run.clone() {
            if is_far {
                prefetch_ahead(position);
            }
            if let Some(&ahead) = sort.order.get(position + 16) {
                components.drawable.prefetch(sort.items[ahead as usize].record);
            }
            let item = sort.order[position] as usize;
            let Item { record: id, source, row } = sort.items[item];
            let parent = sort.parents[item];
            let within = if parent < IMPORT { sort.positions[parent as usize] as usize } else { 0 };
            let above = if parent < IMPORT && within >= run.start {
                imports + within - run.start
            } else {
                usize::from(sort.imported[sort.import_key(parent)].1)
            };
            let Some((slice, _)) = old.get(usize::from(source)).filter(|_| row != FRESH) else {
                self.write_node(&mut new, id, above, None);
                continue;
            };
            let from = slice.rows[usize::from(row)];
            if reshaped {
                self.write_node(&mut new, id, above, Some((slice, from)));
                continue;
            }
            let up = new.rows[above];
            // Copied from the old slice, which is in the cache, and not from the record.
            let slot_above = if from.is(Row::ANCHORED) { Row::WORLD_SLOT } else { up.slot };
            let drawable = from.drawable & NO_DRAWABLE | short(new.drawables.records.len());
            let mut to = Row { slot: slot_above, above: short(above), drawable, ..from };
            if from.is(Row::OWN_TRANSFORM) {
                let slot = usize::from(from.slot);
                let at = new.slots.records.len();
                to.slot = short(at);
                new.push_slot(id, slot_above, slice.slots.locals[slot], slice.slots.worlds[slot]);
                new.copies = new.copies.max(slice.copies);
                if slice.dirty.contains(slot) {
                    // The old sweep has not computed it, so the copy of its transform may be older than the record.
                    new.due = Due::All;
                    new.dirty.insert(at);
                }
                if !slice.matrices.is_empty() && slice.matrices.binary_search(&from.slot).is_ok() {
                    new.set_matrix(at, true);
                }
            }
            to.inherit(&up, pages);
            let row = new.rows.len();
            new.push_row(to);
            new.finish_row(pages, components, row, to);
        }
        new.sources.count_children(imports, (imports..).zip(new.rows[imports..].iter().map(|row| row.above)));
        // The slot of an anchored node may be among the slots below another, and is not below it.
        new.order = if sort.identity.is_none() { SlotOrder::Nested } else { SlotOrder::Mixed };
        head.alive.insert_run(imports..new.rows.len());
        head.live = short_row(run.len());
        debug_assert!(new.rows.len() <= MAX_ROWS);
        (new, head)
    }

    /// Writes a node from its record. `before` is its old row.
    fn write_node(&self, new: &mut Slice, id: RecordId, above: usize, before: Option<(&Slice, Row)>) {
        let put = new.put((&self.nodes.pages, &self.nodes.components), id, above, MAX_ROWS, true);
        if let (Some((row, slot)), Some((slice, old))) = (put, before)
            && old.is(Row::OWN_TRANSFORM)
            && new.rows[row].is(Row::OWN_TRANSFORM)
        {
            new.slots.worlds[usize::from(slot)] = slice.slots.worlds[usize::from(old.slot)];
        }
    }

    /// Stores a slice under a number, and sets the locations of its nodes.
    pub(crate) fn put_slice(&mut self, number: SliceId, (mut slice, head): (Slice, Head)) {
        for (at, row) in slice.rows.iter().enumerate().skip(slice.imports.len()) {
            if let Some(ahead) = slice.rows.get(at + 16) {
                self.nodes.pages.prefetch_location(ahead.record);
            }
            self.nodes.pages.set_location(row.record, Location::of(number, short(at), row.slot));
        }
        if self.config.bounds && slice.home == Home::Tree {
            // Only slices of the tree are searched; those outside of it keep no boxes.
            slice.boxes = Some(Box::new(SliceBoxes::stale(slice.used_drawables)));
        }
        slice.stamp_new(self.update.clock.stamp());
        self.slices[number] = slice;
        self.slices.list_unboxed(number);
        *self.slices.head_mut(number) = head;
        self.renew_version(number);
        let layout = self.slices.versions;
        let slice = &mut self.slices[number];
        (slice.layout, slice.handed_in) = (layout, self.update.clock.updates);
    }
}
