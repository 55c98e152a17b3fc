//! Rebuilding a slice in exact depth-first order, rows and every column, by one permutation.
//!
//! Source: the thesis, section 4.4.6; linear because children and parents are found without searching.

use crate::Aabb;
use crate::SceneConfig;
use crate::math::{Mat34, PackedTransform};
use crate::slice::column::{self, ShapeRecord};
use crate::slice::linear::LinearAllocator;
use crate::slice::need::scaled;
use crate::slice::row::{At, NIL, Occupant, Row, Slot};
use crate::slice::{
    MaterialColumn, NameColumn, Need, ShapeColumn, Slice, SliceBoxes, Store, TransformColumn, VisibilityColumn,
};
use std::alloc::{Layout, handle_alloc_error};
use std::collections::TryReserveError;

/// So many rows ahead the entries of handles are asked for: they lie in no order.
const ANNOUNCED_AHEAD: usize = 16;

/// What capacity a storage has after its slice was rebuilt.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Capacity {
    /// As before.
    Keep,
    /// For the present and this much more, as before if that is enough.
    Hold(Need),
    /// As [`Capacity::Hold`], and at least the expansion factor times the present.
    Grow(Need, f32),
    /// For the present and an eighth more, and no more than before.
    Eased,
    /// For the present and a sixteenth more.
    Tight,
    /// For the present alone.
    Exact,
}

impl Capacity {
    /// The new capacities of a slice.
    fn capacities(self, old: &Slice, most_rows: u32) -> Need {
        let base = 1;
        Need {
            rows: self.of(&old.row_slots, |need| need.rows).clamp(1, most_rows),
            transforms: self.of(&old.transforms.slots, |need| need.transforms) - base,
            visibilities: self.of(&old.visibilities.slots, |need| need.visibilities) - base,
            materials: self.of(&old.materials.slots, |need| need.materials) - base,
            shapes: self.of(&old.shapes.slots, |need| need.shapes),
            names: self.of(&old.names.slots, |need| need.names),
        }
    }

    /// The new capacity of one storage.
    fn of(self, slots: &LinearAllocator, additional: impl Fn(&Need) -> u32) -> u32 {
        let live = slots.live();
        match self {
            Self::Keep => slots.capacity(),
            Self::Hold(need) => slots.capacity().max(live + additional(&need)),
            Self::Grow(need, factor) => {
                let required = live + additional(&need);
                slots.capacity().max(required).max(scaled(live, factor))
            }
            Self::Eased => slots.capacity().min(live + live / 8 + 1),
            Self::Tight => live + live / 16,
            Self::Exact => live,
        }
    }
}

/// Whether packing alone would leave an eighth of a storage free.
fn packing_suffices(slots: &LinearAllocator, additional: u32) -> bool {
    let eighth = slots.capacity().div_ceil(8);
    slots.has_tail(additional) || slots.live() + additional + eighth <= slots.capacity()
}

impl Store {
    /// Makes room in a slice that is full: reconstitutes it, at the same capacity if that frees an eighth or more of each
    /// storage that lacks room, otherwise grown by the expansion factor. One that may not have more rows is split, and
    /// then it is not told which of the pieces has room: the place is to be found again, and asked for again.
    ///
    /// A slice that has to grow and was not read by any update since it was last in order grows in place instead: an order
    /// that nobody reads need not be restored.
    #[cold]
    pub(crate) fn make_room(&mut self, slice: u32, need: &Need) {
        if !self.may_hold(slice, need.rows) {
            return self.split(slice);
        }
        let full = self.slice(slice);
        // Near the maximum there may be room for more rows only where holes are closed.
        let rows_fit = need.rows == 0 || full.row_slots.end() + need.rows <= self.config.max_nodes;
        let in_place = self.config.grow_in_place && !full.read && rows_fit;
        match self.capacity_for(slice, need) {
            Capacity::Grow(..) if in_place => {
                let factor = self.config.expansion_factor;
                let most = self.config.max_nodes;
                let grown = self.slice_mut(slice).try_grow_in_place(need, factor, most);
                grown.unwrap_or_else(|_| handle_alloc_error(Layout::new::<Row>()));
            }
            capacity => self.reconstitute(slice, capacity),
        }
    }

    /// Whether a slice may take so many more rows, at whatever capacity.
    ///
    /// Where holes are not reused, an eighth of the maximum is kept out of use, or a slice near it would have to be
    /// packed for every single insert.
    pub(crate) fn may_hold(&self, slice: u32, rows: u32) -> bool {
        let SceneConfig { max_nodes, reuse_holes, .. } = self.config;
        let most = if rows == 0 || reuse_holes { max_nodes } else { max_nodes - max_nodes / 8 };
        self.slice(slice).row_slots.live() + rows <= most
    }

    /// The capacity at which a slice has room for more after it was rebuilt.
    pub(crate) fn capacity_for(&self, slice: u32, need: &Need) -> Capacity {
        let full = self.slice(slice);
        let suffices = packing_suffices(&full.row_slots, need.rows)
            && packing_suffices(&full.transforms.slots, need.transforms)
            && packing_suffices(&full.visibilities.slots, need.visibilities)
            && packing_suffices(&full.materials.slots, need.materials)
            && packing_suffices(&full.shapes.slots, need.shapes)
            && packing_suffices(&full.names.slots, need.names);
        if suffices { Capacity::Hold(*need) } else { Capacity::Grow(*need, self.config.expansion_factor) }
    }

    /// Rebuilds a slice in depth-first order. Handles stay valid; rows and slots are others afterwards.
    ///
    /// Everything is found by links alone, so effective slots need not be right before, only own ones.
    pub(crate) fn reconstitute(&mut self, number: u32, capacity: Capacity) {
        self.reconstitutions += 1;
        let mut order = core::mem::take(&mut self.order);
        let mut old = core::mem::take(&mut self.slices[number as usize]);
        old.depth_first_order(&mut order, &mut self.pending);
        let mut new = Rebuild::piece(&old, NIL, &capacity.capacities(&old, self.config.max_nodes));
        for &(row, parent) in &order {
            new.take(row, parent, &mut old);
        }
        self.slices[number as usize] = new.replace(old);
        order.clear();
        self.order = order;
        self.announce(number);
    }

    /// Tells the handles and the slices below where the rows of a slice are that was just rebuilt.
    pub(super) fn announce(&mut self, number: u32) {
        self.touch(number);
        let Self { slices, tables, .. } = self;
        let rows = core::mem::take(&mut slices[number as usize].rows);
        let mut children = core::mem::take(&mut slices[number as usize].children);
        let mut boxes = slices[number as usize].boxes.take();
        let boxes_before = boxes.as_mut().map(|boxes| core::mem::take(&mut boxes.children)).unwrap_or_default();
        for (place, row) in (0..).zip(&rows) {
            if let Some(ahead) = rows.get(place as usize + ANNOUNCED_AHEAD).and_then(|row| row.occupant.as_node()) {
                tables.prefetch(ahead);
            }
            let at = At { slice: number, row: place };
            if let Some(handle) = row.occupant.as_node() {
                tables.relocate(handle, at);
            } else if let Some(child) = row.occupant.as_portal() {
                let moved = &mut slices[child as usize];
                if let Some(boxes) = &mut boxes {
                    let stays = moved.portal.slice == number;
                    let before = boxes_before.get(moved.child_index as usize).filter(|_| stays);
                    boxes.children.push(before.unwrap_or(Aabb::INFINITE));
                }
                moved.portal = at;
                moved.child_index = u32::try_from(children.len()).expect("a slice has fewer portals than rows");
                children.push(child);
            }
        }
        slices[number as usize].rows = rows;
        slices[number as usize].children = children;
        slices[number as usize].boxes = boxes;
        self.note_rebuilt(number);
    }
}

impl Slice {
    /// Gives every storage that is to grow more capacity, and leaves all records where they are: room for what `need` says
    /// behind the end, and at least `factor` times the present, but for no more rows than `most`. On an error every storage
    /// is as it was, or larger.
    pub(crate) fn try_grow_in_place(&mut self, need: &Need, factor: f32, most: u32) -> Result<(), TryReserveError> {
        let target = |slots: &LinearAllocator, additional: u32| {
            slots.capacity().max(slots.end() + additional).max(scaled(slots.live(), factor))
        };
        fn reserve<T>(array: &mut Vec<T>, capacity: u32) -> Result<(), TryReserveError> {
            array.try_reserve_exact((capacity as usize).saturating_sub(array.len()))
        }
        let capacity = target(&self.row_slots, need.rows).min(most);
        reserve(&mut self.rows, capacity)?;
        self.row_slots.set_capacity(capacity);

        let Self { transforms, visibilities, materials, shapes, names, .. } = self;
        let capacity = target(&transforms.slots, need.transforms);
        reserve(&mut transforms.locals, capacity)?;
        reserve(&mut transforms.parents, capacity)?;
        reserve(&mut transforms.worlds, capacity)?;
        transforms.dirty.try_reserve(capacity)?;
        if let Some(trace) = &mut transforms.trace {
            reserve(&mut trace.owners, capacity)?;
            reserve(&mut trace.previous, capacity)?;
        }
        transforms.slots.set_capacity(capacity);

        let capacity = target(&visibilities.slots, need.visibilities);
        reserve(&mut visibilities.locals, capacity)?;
        reserve(&mut visibilities.parents, capacity)?;
        reserve(&mut visibilities.effective, capacity)?;
        if let Some(trace) = &mut visibilities.trace {
            reserve(&mut trace.owners, capacity)?;
        }
        visibilities.slots.set_capacity(capacity);

        let capacity = target(&materials.slots, need.materials);
        reserve(&mut materials.values, capacity)?;
        materials.slots.set_capacity(capacity);

        let capacity = target(&shapes.slots, need.shapes);
        reserve(&mut shapes.records, capacity)?;
        reserve(&mut shapes.bounds, capacity)?;
        shapes.slots.set_capacity(capacity);

        let capacity = target(&names.slots, need.names);
        reserve(&mut names.names, capacity)?;
        names.slots.set_capacity(capacity);
        Ok(())
    }

    /// All rows in depth-first order, each with the place of its parent in that order or [`NIL`].
    pub(crate) fn depth_first_order(&self, order: &mut Vec<(u32, u32)>, pending: &mut Vec<(u32, u32)>) {
        order.clear();
        order.reserve(self.row_slots.live() as usize);
        pending.clear();
        if self.first_top != NIL {
            pending.push((self.first_top, NIL));
        }
        while let Some((row, parent)) = pending.pop() {
            let Row { next, first_child, .. } = *self.row(row);
            if next != NIL {
                pending.push((next, parent));
            }
            if first_child != NIL {
                let place = u32::try_from(order.len()).expect("rows number less than 2^31");
                pending.push((first_child, place));
            }
            order.push((row, parent));
        }
    }
}

/// A slice being rebuilt, whole or in part, from the rows of an old one.
pub(super) struct Rebuild {
    slice: Slice,
}

impl Rebuild {
    /// An empty slice with room for what `need` says, for what lay below a row of the old slice, or at its top; it inherits
    /// what that did, and waits for the update as the old one does.
    pub(super) fn piece(old: &Slice, below: u32, need: &Need) -> Self {
        let mut slice = Slice::with_room(need);
        let [transform, visibility, material] = old.inherited(below).map(|slot| slot.index() as usize);
        slice.transforms.worlds[0] = old.transforms.worlds[transform];
        slice.visibilities.effective[0] = old.visibilities.effective[visibility];
        slice.materials.values[0] = old.materials.values[material];
        if old.transforms.dirty.contains(0) {
            slice.transforms.mark_all();
        }
        slice.visibilities.dirty = old.visibilities.dirty;
        slice.materials.dirty = old.materials.dirty;
        slice.boxes = old.boxes.as_ref().map(|_| Box::default());
        if old.transforms.trace.is_some() {
            slice.begin_trace();
            slice.take_base_history(old, below);
        }
        Self { slice }
    }

    /// Moves a row and its components over, behind what was moved before; answers the new row.
    #[inline]
    pub(super) fn take(&mut self, row: u32, parent: u32, old: &mut Slice) -> u32 {
        let mut row = *old.row(row);
        self.inherit(&mut row, parent);
        self.move_transform(&mut row, &mut old.transforms);
        self.move_visibility(&mut row, &old.visibilities);
        self.move_material(&mut row, &old.materials);
        self.move_shape(&mut row, &old.shapes, old.boxes.as_deref());
        self.move_name(&mut row, &mut old.names);
        self.append(row, parent)
    }

    /// Adds a portal to another slice behind what was moved before.
    pub(super) fn add_portal(&mut self, slice: u32, parent: u32) {
        let row = self.slice.inheriting_row(Occupant::portal(slice), parent);
        self.append(Row { parent, ..row }, parent);
    }

    /// The slice, in a record of its own.
    pub(super) fn finish(mut self) -> Slice {
        if let Some(boxes) = &mut self.slice.boxes {
            boxes.close_all();
        }
        self.slice
    }

    /// The slice in the place of the old one.
    pub(super) fn replace(self, mut old: Slice) -> Slice {
        // The children are listed anew, in order, by the caller. The lists keep what memory they need.
        let present = old.children.len();
        old.children.clear();
        old.children.shrink_to(2 * present);
        old.marked_children.shrink_to(2 * present);
        let mut slice = self.finish();
        if let (Some(boxes), Some(old)) = (&mut slice.boxes, old.boxes) {
            boxes.children = old.children;
        }
        Slice {
            children: old.children,
            marked_children: old.marked_children,
            portal: old.portal,
            child_index: old.child_index,
            marked: old.marked,
            worn: old.worn,
            isolated: old.isolated,
            standing: old.standing,
            layout: old.layout,
            ..slice
        }
    }

    /// Sets the slots that a row has from its parent, keeping its own (still the old ones).
    fn inherit(&self, row: &mut Row, parent: u32) {
        let [transform, visibility, material] = self.slice.inherited(parent);
        let keep = |own: Slot, inherited: Slot| if own.as_own().is_some() { own } else { inherited };
        row.transform = keep(row.transform, transform);
        row.visibility = keep(row.visibility, visibility);
        row.material = keep(row.material, material);
        row.parent = parent;
    }

    fn move_transform(&mut self, row: &mut Row, old: &mut TransformColumn) {
        let Some(from) = row.transform.as_own() else { return };
        let [parent, ..] = self.slice.inherited(row.parent);
        let column = &mut self.slice.transforms;
        let to = column.slots.allocate_near(NIL, false).expect("the new slice has room for all that lives");
        let packed: PackedTransform = old.locals[from as usize];
        let world: Mat34 = old.worlds[from as usize];
        column.locals.push(packed);
        column.parents.push(parent.index());
        column.worlds.push(world);
        if let (Some(trace), Some(old)) = (&mut column.trace, &old.trace) {
            trace.carry(old, from, to);
        }
        if old.dirty.contains(from) {
            column.mark(to);
        }
        if !old.sheared.is_empty()
            && let Some(matrix) = old.sheared.remove(&from)
        {
            column.sheared.insert(to, matrix);
        }
        row.transform = Slot::own(to);
    }

    fn move_visibility(&mut self, row: &mut Row, old: &VisibilityColumn) {
        let Some(from) = row.visibility.as_own() else { return };
        let [_, parent, _] = self.slice.inherited(row.parent);
        let column = &mut self.slice.visibilities;
        let to = column.slots.allocate_near(NIL, false).expect("the new slice has room for all that lives");
        column.locals.push(old.locals[from as usize]);
        column.parents.push(parent.index());
        column.effective.push(old.effective[from as usize]);
        if let Some(trace) = &mut column.trace {
            trace.put(to);
        }
        row.visibility = Slot::own(to);
    }

    fn move_material(&mut self, row: &mut Row, old: &MaterialColumn) {
        let Some(from) = row.material.as_own() else { return };
        let column = &mut self.slice.materials;
        let to = column.slots.allocate_near(NIL, false).expect("the new slice has room for all that lives");
        column.values.push(old.values[from as usize]);
        row.material = Slot::own(to);
    }

    fn move_shape(&mut self, row: &mut Row, old: &ShapeColumn, boxes: Option<&SliceBoxes>) {
        if row.shape == NIL {
            return;
        }
        let column = &mut self.slice.shapes;
        let to = column.slots.allocate_near(NIL, false).expect("the new slice has room for all that lives");
        column.records.push(ShapeRecord {
            transform: row.transform.index(),
            visibility: row.visibility.index(),
            material: row.material.index(),
            ..old.records[row.shape as usize]
        });
        column.bounds.push(old.bounds[row.shape as usize]);
        if let (Some(to_boxes), Some(boxes)) = (&mut self.slice.boxes, boxes) {
            to_boxes.carry(boxes, row.shape, to);
        }
        row.shape = to;
    }

    fn move_name(&mut self, row: &mut Row, old: &mut NameColumn) {
        if row.name == NIL {
            return;
        }
        let column = &mut self.slice.names;
        let to = column.slots.allocate_near(NIL, false).expect("the new slice has room for all that lives");
        column.put(to, old.take(row.name));
        row.name = to;
    }

    /// Appends a row, linked behind the last child of its parent.
    fn append(&mut self, mut row: Row, parent: u32) -> u32 {
        let slice = &mut self.slice;
        let at = slice.row_slots.allocate_near(NIL, false).expect("the new slice has room for all that lives");
        let previous = if parent == NIL { slice.last_top } else { slice.row(parent).last_child };
        if row.occupant.as_portal().is_some() {
            slice.transforms.portal_slots.insert(row.transform.index());
            slice.portal_rows.insert(at);
        }
        row.previous = previous;
        row.next = NIL;
        row.first_child = NIL;
        row.last_child = NIL;
        column::put(&mut slice.rows, at, row);
        if previous != NIL {
            slice.row_mut(previous).next = at;
        }
        if parent == NIL {
            slice.last_top = at;
            if previous == NIL {
                slice.first_top = at;
            }
        } else {
            let above = slice.row_mut(parent);
            above.last_child = at;
            if previous == NIL {
                above.first_child = at;
            }
        }
        at
    }
}
