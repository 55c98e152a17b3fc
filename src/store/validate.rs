//! Checks every invariant of the storage.
//!
//! 1. A live record's links agree with its neighbours'. States, the free list and marks satisfy the invariants of
//!    [`page`](super::page). Each node has the components that its record states, and no others.
//! 2. A node's location names a live row with the node's record, and the row's own slot and drawable have the same
//!    record. Otherwise, the node is in the waiting list, at the index in its location.
//! 3. A parent's row, slot and drawable come before its children's. The slice of an import comes before its importer's
//!    in the order. No slot and no drawable has two owners. Rows and slots of dead nodes are in use until the update,
//!    and no longer. A slot whose local transform is a matrix is in use.
//! 4. Slices with marked boxes and swept slices are on the lists for the update. Free slices and slices for maintenance
//!    are on their lists once. No two slices have the same version.
//! 5. After an update, no node waits, no new slots are counted, every slot has `world[parent] * local`, copies equal
//!    their originals, and effective values equal the inherited ones.

use crate::store::Store;
use crate::store::columns::{NO_DRAWABLE, Row, short};
use crate::store::location::{Location, SliceId};
use crate::store::nodes::Nodes;
use crate::store::pending::Pending;
use crate::store::record::{Has, Link, RecordId};
use crate::store::row_set::{MAX_ROWS, RowSet};
use crate::store::slice::Slice;
use crate::store::slices::Slices;
use crate::store::state::{Copies, Due, Home, SlotOrder, Work};
use std::collections::HashSet;

/// Returns an error with a message if the condition does not hold.
macro_rules! ensure {
    ($holds:expr, $($message:tt)*) => {
        if !$holds {
            return Err(format!($($message)*));
        }
    };
}

/// Returns whether a list has each slice whose flag is set exactly once, and no other slice.
fn lists(list: &[SliceId], flags: impl Iterator<Item = bool>) -> bool {
    let mut list = list.to_vec();
    list.sort_unstable();
    (0..).map(SliceId::at).zip(flags).filter_map(|(number, flag)| flag.then_some(number)).eq(list)
}

impl Store {
    /// Checks every invariant. Returns the number of nodes, or the first violation.
    pub(crate) fn validate(&self) -> Result<usize, String> {
        self.nodes.pages.validate()?;
        self.nodes.validate_links()?;
        self.validate_locations()?;
        let below_moved = self.below_moved();
        let mut position = vec![usize::MAX; self.slices.end()];
        for (at, &number) in self.slices.order.iter().enumerate() {
            ensure!(position[number.index()] == usize::MAX, "slice {number} is twice in the order");
            position[number.index()] = at;
            let slice = &self.slices[number];
            ensure!(slice.home != Home::Free, "slice {number} is in the order and not in use");
            let home = if at < self.slices.attached { Home::Tree } else { Home::Limbo };
            ensure!(slice.home == home, "slice {number} is in the wrong part of the order");
            self.validate_rows(number, &position, &below_moved)?;
        }
        for (number, slice) in self.slices.list().iter().enumerate() {
            let listed = position[number] != usize::MAX;
            ensure!((slice.home != Home::Free) == listed, "slice {number} is in use and not in the order");
        }
        self.validate_lists()?;
        self.validate_boxes()?;
        self.validate_feed()?;
        if self.is_settled() {
            for &number in &self.slices.order {
                self.validate_values(number)?;
            }
        }
        Ok(self.nodes.pages.len())
    }

    /// Checks the lists of work for the update and for maintenance.
    fn validate_lists(&self) -> Result<(), String> {
        let Slices { free, edited, unboxed, untidy, is_untidy, .. } = &self.slices;
        let (slices, heads) = (self.slices.list(), self.slices.heads());
        let same = slices.len() == heads.len() && slices.len() == is_untidy.len();
        ensure!(same, "there are {} slices and {} heads", slices.len(), heads.len());
        let free = lists(free, slices.iter().map(|slice| slice.home == Home::Free));
        ensure!(free, "a slice is free and in use, or neither, or twice on the list of free ones");
        ensure!(self.update.scratch.moved.is_empty(), "nodes that moved are left from an update");
        ensure!(lists(untidy, is_untidy.iter().copied()), "slices for maintenance are miscounted");
        let set = |list: &[SliceId]| -> HashSet<SliceId> { list.iter().copied().collect() };
        let [unboxed, swept] = [set(unboxed), set(&self.update.clock.swept)];
        let mut versions = HashSet::new();
        for ((number, slice), head) in (0..).map(SliceId::at).zip(slices).zip(heads) {
            let freed = head.work.has(Work::FREED);
            ensure!(!freed || *edited && slice.home != Home::Free, "rows of slice {number} died unnoticed");
            ensure!(freed || !head.work.has(Work::RESHAPED), "slice {number} is reshaped outside of an update");
            ensure!(!head.work.has(Work::INHERITS), "slice {number} inherits outside of an update");
            ensure!(head.version <= self.slices.versions, "slice {number} has a version of the future");
            ensure!(slice.home == Home::Free || versions.insert(head.version), "slice {number} has another's version");
            let marked = slice.boxes.as_ref().is_some_and(|boxes| boxes.listed);
            ensure!(!marked || unboxed.contains(&number), "boxes of slice {number} are marked, and it is not listed");
            ensure!(slice.placed == 0 || self.update.clock.is_new, "slice {number} counts slots that are swept");
            if self.is_settled() {
                let swept = slice.dirty == RowSet::EMPTY || swept.contains(&number);
                ensure!(
                    swept && slice.due == Due::Nothing && !head.work.has(Work::KEPT),
                    "slice {number} is dirty after an update"
                );
            }
        }
        Ok(())
    }

    /// Checks locations, and the lists of waiting nodes.
    fn validate_locations(&self) -> Result<(), String> {
        for id in self.nodes.pages.live().chain([RecordId::LIMBO]) {
            let location = self.nodes.pages.location(id);
            if let Some(index) = location.as_waiting() {
                let there = self.nodes.inbox.waiting.get(index as usize);
                ensure!(there == Some(&id), "record {} waits, and is not on the list at {index}", id.0);
            } else {
                let row = self.slices.row(location);
                ensure!(row.is_some_and(|(_, row)| row.record == id), "record {} has no row at {location:?}", id.0);
                let lives = self.slices.head(location.slice()).alive.contains(location.row());
                ensure!(lives, "the row of record {} is dead", id.0);
            }
        }
        let waiting =
            self.nodes.pages.live().filter(|&id| self.nodes.pages.location(id).as_waiting().is_some()).count();
        let listed = self.nodes.inbox.waiting.len();
        ensure!(waiting == listed, "{listed} are on the list, {waiting} wait");
        Ok(())
    }

    /// Returns, for each record, whether the node or an ancestor was moved since the update. The links must be valid.
    fn below_moved(&self) -> Vec<bool> {
        let mut below = vec![false; self.nodes.pages.states().len()];
        for id in [RecordId::ROOT, RecordId::LIMBO].into_iter().flat_map(|top| self.nodes.pages.subtree(top)) {
            let above = self.nodes.pages.parent(id).some().is_some_and(|parent| below[parent.0 as usize]);
            below[id.0 as usize] = above || self.nodes.pages.pending(id).has(Pending::MOVED);
        }
        below
    }

    /// Checks rows and slots of a slice. `position` has the positions of earlier slices, `below_moved` is by record.
    fn validate_rows(&self, number: SliceId, position: &[usize], below_moved: &[bool]) -> Result<(), String> {
        let (slice, head) = self.slices.both(number);
        let imports = slice.imports.len();
        let (mut live, mut slots, mut drawables) = (0, imports, 0);
        slice.validate_columns().map_err(|what| format!("slice {number}: {what}"))?;
        ensure!(slice.rows.len() <= self.slices.max_rows(), "slice {number} has {} rows", slice.rows.len());
        ensure!(head.alive.len() == head.live as usize, "slice {number} miscounts its rows");
        let below = head.alive.iter().filter_map(|at| slice.rows.get(at));
        let needed: HashSet<u16> = below.map(|row| row.above).collect();
        // The update derives the slots of nodes that got or lost a transform, were anchored or released since.
        let reshaped = |row: &Row| self.nodes.pages.pending(row.record).has(Pending::RESHAPED);
        let settled =
            !head.work.has(Work::RESHAPED) && !head.alive.iter().any(|at| slice.rows.get(at).is_some_and(reshaped));
        for (at, row) in slice.rows.iter().enumerate() {
            if let Some(handle) = slice.imports.get(at) {
                ensure!(
                    usize::from(row.slot) == at && row.drawable == NO_DRAWABLE,
                    "import {at} of slice {number} is no import"
                );
                if let Some(id) = handle.and_then(|handle| self.nodes.pages.resolve(handle)) {
                    let from = self.nodes.pages.location(id);
                    let needed = needed.contains(&row.slot);
                    let waits = from.as_waiting().is_some() || below_moved[id.0 as usize];
                    let before = waits || position[from.slice().index()] < position[number.index()];
                    ensure!(!needed || before, "slice {number} imports from a later one");
                }
                continue;
            }
            ensure!(!head.alive.contains(at) || slice.used_rows.contains(at), "row {at} of slice {number} is unused");
            if !slice.used_rows.contains(at) {
                continue;
            }
            ensure!(usize::from(row.above) < at, "row {at} of slice {number} comes before its parent's");
            let own = row.is(Row::OWN_TRANSFORM);
            let slot = usize::from(row.slot);
            let anchored = row.is(Row::ANCHORED);
            let up = usize::from(if anchored { Row::WORLD_SLOT } else { slice.rows[usize::from(row.above)].slot });
            slots += usize::from(own);
            if !head.alive.contains(at) {
                ensure!(head.work.has(Work::FREED), "row {at} of slice {number} is in use, and its node is gone");
                continue;
            }
            live += 1;
            let least = slice.rows[usize::from(row.above)].drawables_from();
            ensure!(
                row.drawable & !NO_DRAWABLE >= least,
                "the drawable of row {at} of slice {number} is before its parent's"
            );
            if row.drawable < NO_DRAWABLE {
                drawables += 1;
                let record = slice.drawables.records.get(usize::from(row.drawable));
                let right =
                    record.is_some_and(|record| record.row() == at && record.node == self.nodes.handle(row.record));
                let used = slice.used_drawables.contains(usize::from(row.drawable));
                ensure!(right && used, "the drawable of row {at} of slice {number} is another node's");
            }
            let location = Location::of(number, short(at), row.slot);
            ensure!(
                self.nodes.pages.location(row.record) == location,
                "record {} is not where its row is",
                row.record.0
            );
            let pending = self.nodes.pages.pending(row.record);
            let derived = anchored == self.nodes.is_anchored(row.record) || pending.has(Pending::RESHAPED);
            ensure!(derived, "row {at} of slice {number} is anchored, or its node");
            let identity = slice.imports[0].is_none() && slice.slots.worlds[up].same_bits(&crate::Mat34::IDENTITY);
            ensure!(!(anchored && settled) || identity, "slice {number} has anchored nodes, and no identity");
            if own {
                ensure!(slice.used_slots.contains(slot), "slot {slot} of slice {number} is unused");
                ensure!(slice.slots.records[slot] == row.record, "slot {slot} of slice {number} is another node's");
                let parent = slice.slots.parents[slot] as usize;
                ensure!(parent < slot && (parent == up || !settled), "slot {slot} of slice {number}: parent");
                let has = self.nodes.pages.record(row.record).has;
                let listed = slice.matrices.binary_search(&row.slot).is_ok();
                let waits = pending.has(Pending::RECOMPUTED) || !settled;
                ensure!(waits || has.has(Has::MATRIX) == listed, "slot {slot} of slice {number}: matrix");
            } else {
                ensure!(
                    slot == up || !settled,
                    "row {at} of slice {number} has a slot that is neither its own nor its parent's"
                );
            }
            let parent = self.nodes.pages.parent(row.record);
            let above = slice.rows[usize::from(row.above)].record;
            let moved = pending.has(Pending::MOVED);
            let limbo = row.record == RecordId::ROOT || row.record == RecordId::LIMBO;
            ensure!(moved || limbo || parent == above, "row {at} of slice {number} hangs below another node");
            let same = (slice.home == Home::Limbo) == self.nodes.is_outside(row.record);
            ensure!(
                same || below_moved[row.record.0 as usize],
                "row {at} of slice {number} is outside of the tree, or its node"
            );
        }
        ensure!(live == head.live as usize, "slice {number} has {live} rows, {} are counted", head.live);
        ensure!(
            slice.used_slots.len() == slots,
            "slice {number} has {slots} slots, {} are used",
            slice.used_slots.len()
        );
        ensure!(
            slice.used_drawables.len() == drawables,
            "slice {number} has {drawables} drawables, not as many are used"
        );
        let dead = head.freed_slots.difference(&slice.used_slots) == RowSet::EMPTY;
        ensure!(dead, "a slot of slice {number} is dead and unused");
        ensure!(
            head.work.has(Work::FREED) || head.freed_slots == RowSet::EMPTY,
            "a slot of slice {number} is dead, and no row died"
        );
        ensure!(slice.visibility.len() <= slice.rows.len(), "where nodes of slice {number} are visible");
        Ok(())
    }

    /// Checks the computed values of a slice.
    fn validate_values(&self, number: SliceId) -> Result<(), String> {
        let (slice, head) = self.slices.both(number);
        let imports = slice.imports.len();
        let used_imports = slice.used_imports(&head.alive);
        let nodes = slice.rows.iter().enumerate().skip(imports).filter(|&(at, _)| slice.used_rows.contains(at));
        let counts = slice.sources.counts(imports, nodes.map(|(at, row)| (at, row.above)));
        ensure!(counts, "the rows below an import of slice {number} are counted wrongly");
        for (at, row) in slice.rows.iter().enumerate() {
            if let Some(handle) = slice.imports.get(at) {
                let Some(id) = handle.and_then(|handle| self.nodes.pages.resolve(handle)) else { continue };
                let location = self.nodes.pages.location(id);
                let Some((from, _)) = self.slices.row(location) else { continue };
                let inherited = from.inherited(location.row());
                let used = used_imports.contains(at);
                let layout = |source| self.slices.get(source).map(|source| source.layout);
                let unknown = !slice.sources.are_known(imports, layout);
                ensure!(
                    !used || unknown || slice.sources.locations[at] == location,
                    "import {at} of slice {number} is elsewhere"
                );
                let world = inherited.world.same_bits(&slice.slots.worlds[at]);
                let same = inherited.material == row.material() && inherited.visibility == slice.visibility(at);
                ensure!(!used || world && same, "import {at} of slice {number} is out of date");
                continue;
            }
            if !slice.used_rows.contains(at) {
                continue;
            }
            self.validate_row(slice, number, at)?;
        }
        Ok(())
    }

    /// Checks the computed values of a row.
    fn validate_row(&self, slice: &Slice, number: SliceId, at: usize) -> Result<(), String> {
        let row = &slice.rows[at];
        let id = row.record;
        let has = self.nodes.pages.record(id).has;
        let up = &slice.rows[usize::from(row.above)];
        let slot = usize::from(row.slot);
        ensure!(row.is(Row::OWN_TRANSFORM) == has.has(Has::TRANSFORM), "row {at} of slice {number}: transform");
        if row.is(Row::OWN_TRANSFORM) {
            let local = self.nodes.local(id).map_or(crate::Mat34::IDENTITY, crate::Local::to_matrix);
            let world = slice.slots.worlds[slice.slots.parents[slot] as usize] * local;
            ensure!(world.same_bits(&slice.slots.worlds[slot]), "slot {slot} of slice {number} is out of date");
            ensure!(
                slice.copies == Copies::Stale || slice.slots.locals[slot] == self.nodes.pages.record(id).local,
                "the copy in slot {slot} of {number}"
            );
        }
        let own = has.has(Has::MATERIAL).then(|| self.nodes.pages.record(id).material);
        ensure!(row.material() == own.or(up.material()), "row {at} of slice {number}: material");
        ensure!(row.is(Row::OWN_VISIBILITY) == has.has(Has::VISIBILITY), "row {at} of slice {number}: own layers");
        let visibility = slice.visibility_below(&self.nodes.pages, &self.nodes.components, row);
        ensure!(slice.visibility(at) == visibility, "row {at} of slice {number}: layers");
        ensure!((row.drawable < NO_DRAWABLE) == has.has(Has::DRAWABLE), "row {at} of slice {number}: drawable");
        if let (Some(record), Some(drawable)) =
            (slice.drawables.records.get(usize::from(row.drawable)), self.nodes.drawable(id))
        {
            let right = record.node == self.nodes.handle(id) && record.mesh == drawable.mesh && record.row() == at;
            let effective =
                record.material() == row.material() && record.layers == visibility.layers() && record.slot == row.slot;
            let bounds = slice.drawables.bounds[usize::from(row.drawable)] == drawable.bounds;
            let user_data = slice.user_data(at) == self.nodes.user_data(id);
            ensure!(
                right && effective && bounds && user_data,
                "the drawable of row {at} of slice {number} is out of date"
            );
        }
        Ok(())
    }
}

impl Nodes {
    /// Checks links, detached states, and side data.
    fn validate_links(&self) -> Result<(), String> {
        let mut outside = 0;
        for id in self.pages.live().chain([RecordId::LIMBO]) {
            let record = self.pages.record(id);
            let parent = self.pages.parent(id);
            ensure!(
                self.components.agree_with(id, record),
                "component mask of record {} disagrees with side data",
                id.0
            );
            ensure!(
                record.has.has(Has::TRANSFORM) || !record.has.has(Has::MATRIX | Has::REMAINDER),
                "record {} has no transform, and more of it elsewhere",
                id.0
            );
            let mut previous = RecordId::NIL;
            for child in self.pages.children(id) {
                ensure!(self.pages.lives(child), "record {} has the child {}, which is free", id.0, child.0);
                ensure!(
                    self.pages.parent(child) == id,
                    "record {} is a child of {}, but its parent link disagrees",
                    child.0,
                    id.0
                );
                ensure!(
                    self.pages.link(child, Link::Previous) == previous,
                    "record {} comes after {}, but its link disagrees",
                    child.0,
                    previous.0
                );
                let same = self.pages.record(child).has.has(Has::DETACHED) == record.has.has(Has::DETACHED);
                ensure!(same, "record {} is outside of the tree, or its parent {} is", child.0, id.0);
                previous = child;
            }
            ensure!(
                record.link(Link::Last) == previous,
                "the last child link of record {} disagrees with its children",
                id.0
            );
            let fixed = id == RecordId::ROOT || id == RecordId::LIMBO;
            ensure!(fixed == parent.is_nil(), "record {} has no parent, or a fixed one has", id.0);
            outside += usize::from(record.has.has(Has::DETACHED) && id != RecordId::LIMBO);
        }
        ensure!(outside == self.detached, "{outside} nodes are outside of the tree, {} are counted", self.detached);
        // Each node is below the root or the limbo exactly once.
        let reached = self.pages.subtree(RecordId::ROOT).count() + self.pages.subtree(RecordId::LIMBO).count() - 1;
        ensure!(reached == self.pages.len(), "{reached} nodes are linked, {} live", self.pages.len());
        for (name, bit, count) in self.components.counts() {
            let having = self.pages.live().filter(|&id| self.pages.record(id).has.has(bit)).count();
            ensure!(count == having, "{having} nodes have a {name}, {count} are kept");
        }
        Ok(())
    }
}

impl Slice {
    /// Checks the lengths of columns, and the values in unused slots that kernels read.
    fn validate_columns(&self) -> Result<(), String> {
        let Self { rows, used_rows, slots, used_slots, drawables, used_drawables, imports, matrices, .. } = self;
        let count = slots.records.len();
        let lengths = [slots.parents.len(), slots.worlds.len(), slots.locals.len()];
        ensure!(lengths == [count; 3], "there are {count} slots, and columns of {lengths:?}");
        let (drawn, bounds, stamps) = (drawables.records.len(), drawables.bounds.len(), drawables.stamps.len());
        ensure!(bounds == drawn && stamps >= drawn, "{drawn} drawables have {bounds} bounds and {stamps} stamps");
        for (used, length) in [(used_rows, rows.len()), (used_slots, count), (used_drawables, drawables.records.len())]
        {
            ensure!(used.first(length, MAX_ROWS).is_none(), "index {length} or above is in use");
        }
        let first = imports.len();
        ensure!((0..first).all(|at| used_rows.contains(at) && used_slots.contains(at)), "an import is not used");
        let parents = slots.parents.iter().enumerate().skip(first);
        ensure!(
            parents.into_iter().all(|(slot, &parent)| (parent as usize) < slot),
            "a slot comes before its parent's"
        );
        ensure!(
            self.order == SlotOrder::Mixed || self.is_nested(),
            "slots between a slot and one below it are not below it"
        );
        ensure!(matrices.is_sorted_by(|a, b| a < b), "the matrices are out of order");
        let mut matrices = matrices.iter().map(|&slot| usize::from(slot));
        let own = matrices.all(|slot| (first..count).contains(&slot) && used_slots.contains(slot));
        ensure!(own, "a matrix is of no slot of a node");
        Ok(())
    }

    /// Returns whether the slots below each slot follow it directly.
    fn is_nested(&self) -> bool {
        let (imports, mut path) = (self.imports.len(), Vec::new());
        self.slots.parents.iter().enumerate().skip(imports).all(|(slot, &parent)| {
            while path.last().is_some_and(|&above| above > parent as usize) {
                path.pop();
            }
            let nested = (parent as usize) < imports || path.last() == Some(&(parent as usize));
            path.push(slot);
            nested
        })
    }
}
