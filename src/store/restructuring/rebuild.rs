//! Rebuilding a slice in exact depth-first order, rows and every column, by one permutation; or parts of it, as pieces.
//!
//! Source: the thesis, section 4.4.6; linear because children and parents are found without searching.

use crate::math::{Mat34, PackedTransform};
use crate::store::columns::{self, ShapeRecord};
use crate::store::columns::{NIL, Occupant, Row, Slot};
use crate::store::{
    MaterialColumn, NameColumn, Need, ShapeColumn, Slice, SliceBoxes, TransformColumn, VisibilityColumn,
};

/// A slice being rebuilt, whole or in part, from the rows of an old one.
pub(in crate::store) struct Rebuild {
    slice: Slice,
}

impl Rebuild {
    /// An empty slice with room for what `need` says, for what lay below a row of the old slice, or at its top; it inherits
    /// what that did, and waits for the update as the old one does.
    pub(in crate::store) fn piece(old: &Slice, below: u32, need: &Need) -> Self {
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
    pub(in crate::store) fn take(&mut self, row: u32, parent: u32, old: &mut Slice) -> u32 {
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
    pub(in crate::store) fn add_portal(&mut self, slice: u32, parent: u32) {
        let row = self.slice.inheriting_row(Occupant::portal(slice), parent);
        self.append(Row { parent, ..row }, parent);
    }

    /// The slice, in a record of its own.
    pub(in crate::store) fn finish(mut self) -> Slice {
        if let Some(boxes) = &mut self.slice.boxes {
            boxes.close_all();
        }
        self.slice
    }

    /// The slice in the place of the old one.
    pub(in crate::store) fn replace(self, mut old: Slice) -> Slice {
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
        columns::put(&mut slice.rows, at, row);
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
