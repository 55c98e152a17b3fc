//! A slice: the data of some thousand nodes, in depth-first order, that passes read. All of it is derived from records.
//!
//! ```text
//! rows, by row:   record 4 │ effective material 4 │ slot 2 │ drawable 2 │ parent's row 2 │ flags 2       16 B a node
//! slots, by slot: record 4 │ parent's slot 4 │ world 48 │ local transform 40                       96 B a transform
//! drawables:      handle 8 │ mesh 4 │ material 4 │ layers 4 │ slot 2 │ row 2 │ local bounds 24 │ stamp 4   52 B a drawable
//! user data, by row, if a drawable has any: 4                                                       0 or 4 B a node
//! visibility, by row, if a node above or in the slice is hidden or has layers or a range: 12       0 or 12 B a node
//! sets            of rows, slots and drawables: seven of 512 bytes                                     3.5 KiB a slice
//! ```
//!
//! A node without a transform has no slot of its own and costs the sweep nothing. A parent's row and slot come before
//! those of its children. The first rows and slots are *imports*: copies of the data of parents in earlier slices.

use crate::NodeHandle;
use crate::store::boxes::SliceBoxes;
use crate::store::change_kinds::ChangeKinds;
use crate::store::columns::{
    DrawEntry, Drawables, EffectiveVisibility, Inherited, NO_DRAWABLE, Row, Slots, Stamp, short,
};
use crate::store::components::Components;
use crate::store::histories::Histories;
use crate::store::import_locations::ImportLocations;
use crate::store::page::Pages;
use crate::store::record::{Has, RecordId};
use crate::store::row_set::{MAX_ROWS, RowSet};
use crate::store::state::{Copies, Due, Home, SlotOrder, Work};
use hedgerow_math::Mat34;
use hedgerow_math::internal::PackedTransform;

/// The part of a slice that most edits touch.
#[derive(Clone, Default)]
pub(crate) struct Head {
    /// The rows of live nodes that were not moved into another slice.
    pub(crate) alive: RowSet,
    pub(crate) live: u32,
    /// The slots of nodes that died since the update.
    pub(crate) freed_slots: RowSet,
    /// A number that changes with all data except transforms, and if the slice changes places with others; no two
    /// slices have the same number.
    pub(crate) version: u64,
    pub(crate) work: Work,
}

#[derive(Clone, Default)]
pub(crate) struct Slice {
    pub(crate) home: Home,
    /// The nodes that the first rows copy. In slices of the root and the limbo, and in slices with anchored nodes, the
    /// first is `None`. It is the identity, the parent slot of anchored nodes.
    pub(crate) imports: Vec<Option<NodeHandle>>,
    pub(crate) rows: Vec<Row>,
    /// The rows in use: imports, nodes, and rows that died since the update.
    pub(crate) used_rows: RowSet,
    pub(crate) slots: Slots,
    pub(crate) used_slots: RowSet,
    pub(crate) drawables: Drawables,
    /// The drawables of live nodes.
    pub(crate) used_drawables: RowSet,
    /// The visibility of each row; empty if all rows are visible on all layers and at all distances.
    pub(crate) visibility: Vec<EffectiveVisibility>,
    /// The user data of each row with a drawable, for its draws; empty or too short if all others have 0.
    pub(crate) user_data: Vec<u32>,
    /// The slots whose local transform is a matrix, in ascending order.
    pub(crate) matrices: Vec<u16>,
    pub(crate) order: SlotOrder,
    /// The slots that were set, are new, or were computed by the last sweep, and the imports whose matrix changed.
    pub(crate) dirty: RowSet,
    pub(crate) copies: Copies,
    pub(crate) due: Due,
    /// The number of dirty slots of nodes that were just placed.
    pub(crate) placed: u32,
    /// The last update that computed a matrix or an inherited value of this slice.
    pub(crate) swept_in: u64,
    /// The last update in which the slice was written anew, or materials or visibility changed. Then nodes may hand
    /// down other values, although their slots are not dirty.
    pub(crate) handed_in: u64,
    pub(crate) sources: ImportLocations,
    /// A number that changes when rows and slots move, and when the slice ends. No earlier version is as great.
    pub(crate) layout: u64,
    /// World boxes, if the scene keeps any.
    pub(crate) boxes: Option<Box<SliceBoxes>>,
    /// Histories, if the scene tracks changes.
    pub(crate) histories: Option<Box<Histories>>,
}

/// Makes room for one more item, growing by a quarter at a time.
#[inline]
pub(crate) fn grow<T>(column: &mut Vec<T>) {
    if column.len() == column.capacity() {
        column.reserve_exact((column.len() / 4).max(8));
    }
}

impl Slice {
    /// Creates a slice with these imports and room for some nodes. `inherited` returns the values of an import.
    pub(crate) fn open(
        imports: Vec<Option<NodeHandle>>,
        inherited: impl Fn(usize) -> Inherited,
        [rows, slots, drawables]: [usize; 3],
        home: Home,
    ) -> Self {
        let count = imports.len();
        let mut slice = Self { home, imports, ..Self::default() };
        slice.rows.reserve_exact(rows + count);
        slice.slots.records.reserve_exact(slots + count);
        slice.slots.parents.reserve_exact(slots + count);
        slice.slots.worlds.reserve_exact(slots + count);
        slice.slots.locals.reserve_exact(slots + count);
        slice.drawables.records.reserve_exact(drawables);
        slice.drawables.bounds.reserve_exact(drawables);
        for at in 0..count {
            let inherited = inherited(at);
            let record = slice.imports[at].map_or(RecordId::NIL, NodeHandle::record);
            let mut row = Row { record, material: 0, slot: short(at), drawable: NO_DRAWABLE, above: 0, flags: 0 };
            row.set_material(inherited.material);
            slice.push_row(row);
            slice.push_slot(record, 0, PackedTransform::IDENTITY, inherited.world);
            slice.set_visibility(at, inherited.visibility);
        }
        slice
    }

    /// Returns the visibility of the node of a row.
    #[inline(always)]
    pub(crate) fn visibility(&self, row: usize) -> EffectiveVisibility {
        self.visibility.get(row).copied().unwrap_or(EffectiveVisibility::ALL)
    }

    #[inline]
    pub(crate) fn set_visibility(&mut self, row: usize, visibility: EffectiveVisibility) {
        if visibility == EffectiveVisibility::ALL && self.visibility.is_empty() {
            return;
        }
        if self.visibility.len() <= row {
            self.visibility.resize(self.rows.len(), EffectiveVisibility::ALL);
        }
        self.visibility[row] = visibility;
    }

    /// Returns the user data of a drawable's node by its row.
    #[inline(always)]
    pub(crate) fn user_data(&self, row: usize) -> u32 {
        self.user_data.get(row).copied().unwrap_or(0)
    }

    /// Copies the user data of a row with a drawable from its component.
    #[inline]
    fn copy_user_data(&mut self, components: &Components, row: usize, id: RecordId) {
        if self.user_data.is_empty() && components.user_data.is_empty() {
            return;
        }
        let user_data = components.user_data.get(id).copied().unwrap_or(0);
        if self.user_data.len() <= row {
            // Rows beyond the end have 0.
            if user_data == 0 {
                return;
            }
            self.user_data.resize(self.rows.len(), 0);
        }
        self.user_data[row] = user_data;
    }

    /// Puts a node below a row: at an unused row and slot after those of its parent, or at the end; if `full`, nothing is
    /// unused. Marks the slot for the next sweep. Returns the row, and the slot that it uses; `None` if there is no room.
    /// The caller stamps the drawable.
    ///
    /// Values that were just stored are not loaded again, because a load would wait for their cache lines.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        (pages, components): (&Pages, &Components),
        id: RecordId,
        above: usize,
        max_rows: usize,
        full: bool,
    ) -> Option<(usize, u16)> {
        let place = |used: &RowSet, from: usize, end: usize, most: usize| {
            let unused = if full { None } else { used.first_missing(from, end) };
            unused.or((end < most).then_some(end))
        };
        let row = place(&self.used_rows, above + 1, self.rows.len(), max_rows)?;
        let up = self.rows[above];
        let record = pages.record(id);
        // An anchored node hangs on the identity, which is the slice's first import.
        let slot_above = if record.has.has(Has::ANCHORED) {
            // If the slice does not import the identity, reconstitution adds the import.
            matches!(self.imports.first(), Some(None)).then_some(Row::WORLD_SLOT)?
        } else {
            up.slot
        };
        let slot = if record.has.has(Has::TRANSFORM) {
            let (from, end) = (usize::from(slot_above) + 1, self.slots.records.len());
            // If all nodes have transforms, rows and slots die in pairs, and the search is saved.
            let paired = !full && (from..end).contains(&row) && !self.used_slots.contains(row);
            Some(if paired { row } else { place(&self.used_slots, from, end, MAX_ROWS)? })
        } else {
            None
        };
        let drawable = if record.has.has(Has::DRAWABLE) {
            let end = self.drawables.records.len();
            // After the drawables of the rows above, so that lists stay in depth-first order where there is room.
            let from = row.min(end).max(usize::from(up.drawables_from()));
            Some(place(&self.used_drawables, from, end, MAX_ROWS)?)
        } else {
            None
        };
        let mut new = Row {
            record: id,
            material: 0,
            slot: slot.map_or(slot_above, short),
            drawable: drawable.map_or(NO_DRAWABLE | up.drawables_from(), short),
            above: short(above),
            flags: Row::own_flags(record.has) | if slot.is_some() { Row::OWN_TRANSFORM } else { 0 },
        };
        new.inherit(&up, pages);
        if row < self.rows.len() {
            self.rows[row] = new;
            self.used_rows.insert(row);
        } else {
            self.push_row(new);
        }
        if let Some(slot) = slot {
            self.put_slot(slot, id, slot_above);
            self.placed += 1;
            if record.has.has(Has::MATRIX) {
                self.set_matrix(slot, true);
            }
        }
        self.finish_row(pages, components, row, new);
        Some((row, new.slot))
    }

    /// Returns whether all rows, slots and drawables are in use, so that [`Self::put`] need not search each time.
    pub(crate) fn is_full(&self) -> bool {
        let Self { rows, used_rows, slots, used_slots, drawables, used_drawables, .. } = self;
        let columns =
            [(used_rows, rows.len()), (used_slots, slots.records.len()), (used_drawables, drawables.records.len())];
        columns.into_iter().all(|(used, end)| used.first_missing(0, end).is_none())
    }

    /// Computes the visibility of a row's node from the row above.
    #[inline(always)]
    pub(crate) fn visibility_below(&self, pages: &Pages, components: &Components, row: &Row) -> EffectiveVisibility {
        let up = self.visibility(usize::from(row.above));
        if !row.is(Row::OWN_VISIBILITY) {
            return up;
        }
        up.below(components.layers.get(row.record), pages.record(row.record).has, row.record)
    }

    /// Derives the visibility and the drawable of a written row.
    #[inline(always)]
    pub(crate) fn finish_row(&mut self, pages: &Pages, components: &Components, at: usize, row: Row) {
        let visibility = self.visibility_below(pages, components, &row);
        if row.drawable < NO_DRAWABLE {
            self.put_drawable(pages, components, at, row, visibility.layers());
            self.copy_user_data(components, at, row.record);
        }
        self.set_visibility(at, visibility);
    }

    pub(crate) fn push_row(&mut self, row: Row) {
        grow(&mut self.rows);
        self.used_rows.insert(self.rows.len());
        self.rows.push(row);
    }

    /// Marks all slots of nodes for the next sweep.
    pub(crate) fn mark_all(&mut self) {
        self.due = Due::All;
        let mut nodes = self.used_slots;
        // Imports are copies; their own slices compute them.
        (0..self.imports.len()).for_each(|import| nodes.remove(import));
        self.dirty.unite(&nodes);
    }

    /// Marks a slot for the next sweep.
    #[inline(always)]
    pub(crate) fn mark(&mut self, slot: usize) {
        self.dirty.insert(slot);
        self.due.add(Due::Changed);
    }

    /// Gives a node an unused slot, or a new slot at the end. The sweep writes its matrix and its local transform.
    #[inline(always)]
    fn put_slot(&mut self, slot: usize, id: RecordId, parent: u16) {
        // A slot at the end or in a gap need not follow its parent's subtree.
        self.order = SlotOrder::Mixed;
        let Slots { records, parents, .. } = &mut self.slots;
        if slot < records.len() {
            (records[slot], parents[slot]) = (id, u32::from(parent));
            self.begin_slot(slot);
        } else {
            self.push_slot(id, parent, PackedTransform::IDENTITY, Mat34::IDENTITY);
        }
        self.due = Due::All;
        self.dirty.insert(slot);
    }

    #[inline]
    pub(crate) fn push_slot(&mut self, id: RecordId, parent: u16, local: PackedTransform, world: Mat34) {
        let Slots { records, parents, worlds, locals } = &mut self.slots;
        let slot = records.len();
        // The columns grow together.
        if slot == records.capacity() {
            grow(records);
            grow(parents);
            grow(worlds);
            grow(locals);
        }
        records.push(id);
        parents.push(u32::from(parent));
        worlds.push(world);
        locals.push(local);
        self.begin_slot(slot);
    }

    #[inline(always)]
    fn begin_slot(&mut self, slot: usize) {
        self.used_slots.insert(slot);
        if let Some(histories) = &mut self.histories {
            histories.begin(slot);
        }
    }

    /// Writes the record of a row's drawable.
    fn put_drawable(&mut self, pages: &Pages, components: &Components, at: usize, row: Row, layers: u32) {
        let Some(&crate::Drawable { mesh, bounds }) = components.drawable.get(row.record) else { return };
        let (node, drawable) = (pages.handle(row.record), usize::from(row.drawable));
        let material = if row.is(Row::MATERIAL) { DrawEntry::MATERIAL } else { 0 };
        let record =
            DrawEntry { node, mesh, material: row.material, layers, slot: row.slot, row: short(at) | material };
        if drawable < self.drawables.records.len() {
            self.drawables.records[drawable] = record;
            self.drawables.bounds[drawable] = bounds;
        } else {
            grow(&mut self.drawables.records);
            grow(&mut self.drawables.bounds);
            self.drawables.records.push(record);
            self.drawables.bounds.push(bounds);
        }
        self.used_drawables.insert(drawable);
        self.mark_box(drawable);
    }

    /// Stamps the drawable of a row, if the row has one in a slot that is stamped already.
    #[inline(always)]
    pub(crate) fn stamp(&mut self, row: usize, stamp: Stamp) {
        if let Some(old) = self.drawables.stamps.get_mut(usize::from(self.rows[row].drawable)) {
            *old = stamp;
        }
    }

    /// Stamps all drawables in new slots, once for many of them.
    pub(crate) fn stamp_new(&mut self, stamp: Stamp) {
        let Drawables { records, stamps, .. } = &mut self.drawables;
        if stamps.len() < records.len() {
            // Whole words of slots.
            let end = records.len().next_multiple_of(64);
            stamps.reserve_exact(end - stamps.len());
            stamps.resize(end, stamp);
        }
    }

    /// Marks the box of a drawable for the next update, if the scene keeps boxes.
    #[inline]
    pub(crate) fn mark_box(&mut self, drawable: usize) {
        if let Some(boxes) = &mut self.boxes {
            boxes.stale.insert(drawable);
        }
    }

    /// Records whether the local transform in a slot is a matrix.
    pub(crate) fn set_matrix(&mut self, slot: usize, is_matrix: bool) {
        match (self.matrices.binary_search(&short(slot)), is_matrix) {
            (Err(index), true) => self.matrices.insert(index, short(slot)),
            (Ok(index), false) => _ = self.matrices.remove(index),
            (Ok(_), true) | (Err(_), false) => {}
        }
    }

    /// Returns the imports that are parents of these rows of nodes. Only their values are current.
    pub(crate) fn used_imports(&self, nodes: &RowSet) -> RowSet {
        let mut used = RowSet::EMPTY;
        let above = nodes.iter().map(|row| usize::from(self.rows[row].above));
        above.filter(|&above| above < self.imports.len()).for_each(|above| used.insert(above));
        used
    }

    /// Frees the rows and slots of dead nodes.
    pub(crate) fn free_rows(&mut self, head: &mut Head) {
        if head.work.has(Work::RESHAPED) {
            // Reconstitution derives everything. A node that got its transform since the update had an ancestor's slot.
            return;
        }
        self.sources.lose_children(&head.alive, &self.rows);
        self.used_rows.fill(self.imports.len());
        self.used_rows.unite(&head.alive);
        let dead = core::mem::replace(&mut head.freed_slots, RowSet::EMPTY);
        self.used_slots = self.used_slots.difference(&dead);
        self.dirty = self.dirty.difference(&dead);
        self.matrices.retain(|&slot| !dead.contains(usize::from(slot)));
    }

    /// Copies the mesh, the bounds and the user data of a row's drawable from its node's components, and stamps it.
    /// Returns whether there is one.
    pub(crate) fn redraw(&mut self, components: &Components, row: usize, stamp: Stamp) -> bool {
        let at = usize::from(self.rows[row].drawable);
        let (Some(record), Some(bounds)) = (self.drawables.records.get_mut(at), self.drawables.bounds.get_mut(at))
        else {
            return false;
        };
        let id = record.node.record();
        let Some(drawable) = components.drawable.get(id) else { return false };
        record.mesh = drawable.mesh;
        *bounds = drawable.bounds;
        self.stamp(row, stamp);
        self.mark_box(at);
        self.copy_user_data(components, row, id);
        true
    }

    /// Recomputes materials and visibility of all rows. Stamps the drawable of each node with a change, and calls `report`.
    pub(crate) fn inherit(
        &mut self,
        pages: &Pages,
        components: &Components,
        stamp: Stamp,
        mut report: impl FnMut(RecordId, ChangeKinds),
    ) {
        for at in self.imports.len()..self.rows.len() {
            if !self.used_rows.contains(at) {
                continue;
            }
            // Rows are in depth-first order, so the row above is up to date.
            let mut row = self.rows[at];
            let up = self.rows[usize::from(row.above)];
            row.inherit(&up, pages);
            let (visibility, before) = (self.visibility_below(pages, components, &row), self.visibility(at));
            let mut kinds = ChangeKinds::NONE;
            if row.material() != self.rows[at].material() {
                kinds |= ChangeKinds::MATERIAL;
            }
            // Most rows keep theirs.
            if visibility != before {
                if visibility.layers() != before.layers() {
                    kinds |= ChangeKinds::VISIBILITY;
                }
                self.set_visibility(at, visibility);
            }
            if !kinds.is_empty() {
                report(row.record, kinds);
            }
            self.rows[at] = row;
            if row.drawable < NO_DRAWABLE && (!kinds.is_empty() || visibility.ranged() != before.ranged()) {
                self.stamp(at, stamp);
                let record = &mut self.drawables.records[usize::from(row.drawable)];
                record.material = row.material;
                record.layers = visibility.layers();
                record.row = short(at) | if row.is(Row::MATERIAL) { DrawEntry::MATERIAL } else { 0 };
            }
        }
    }

    /// Sets the values that an import hands down. Returns whether they changed.
    pub(crate) fn set_inherited(
        &mut self,
        import: usize,
        material: Option<u32>,
        visibility: EffectiveVisibility,
    ) -> bool {
        let same = self.rows[import].material() == material && self.visibility(import) == visibility;
        self.rows[import].set_material(material);
        self.set_visibility(import, visibility);
        !same
    }

    /// Returns the values that a row's node hands down to other slices.
    pub(crate) fn inherited(&self, row: usize) -> Inherited {
        let at = &self.rows[row];
        Inherited {
            world: self.slots.worlds[usize::from(at.slot)],
            material: at.material(),
            visibility: self.visibility(row),
        }
    }

    /// Returns the numbers of unused rows, slots and drawables.
    pub(crate) fn unused(&self) -> [usize; 3] {
        let Self { rows, used_rows, slots, used_slots, drawables, used_drawables, .. } = self;
        [
            rows.len() - used_rows.len(),
            slots.records.len() - used_slots.len(),
            drawables.records.len() - used_drawables.len(),
        ]
    }

    /// Reduces the spare room of each column to 1/`parts` of its length.
    pub(crate) fn shrink(&mut self, parts: usize) {
        fn shrink<T>(column: &mut Vec<T>, parts: usize) {
            column.shrink_to(column.len() + column.len() / parts);
        }
        let Self { imports, rows, slots, drawables, visibility, user_data, matrices, .. } = self;
        let Slots { records, parents, worlds, locals } = slots;
        shrink(imports, parts);
        shrink(rows, parts);
        shrink(records, parts);
        shrink(parents, parts);
        shrink(worlds, parts);
        shrink(locals, parts);
        shrink(&mut drawables.records, parts);
        shrink(&mut drawables.bounds, parts);
        shrink(&mut drawables.stamps, parts);
        shrink(visibility, parts);
        shrink(user_data, parts);
        shrink(matrices, parts);
    }
}
