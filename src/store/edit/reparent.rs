//! Moves nodes: the fast path for one without children to the last child of another one, and the general path for any
//! subtree to any place.

use crate::NodeHandle;
use crate::store::columns::{At, NIL, Occupant, Row, Slot, put};
use crate::store::{Beside, ChangeKinds, Membership, Slice, Store};
use core::hint::select_unpredictable;
use hedgerow_math::internal::prefetch;

/// What a moved row inherits from its new parent.
#[derive(Clone, Copy)]
struct Above {
    row: u32,
    transform: u32,
    visibility: u32,
    material: u32,
}

impl Store {
    /// Moves a node to the last child of another one, and keeps its local transform. The node must have no children,
    /// must not be at the top of its slice, and must have neither a visibility nor a name. Returns whether it has a
    /// local transform.
    ///
    /// Within a slice, the row is linked at its new place and its effective slots are updated. To another slice, the
    /// row and its slots are moved. Returns `None`, and changes nothing, in other cases, if a handle is stale, if there
    /// is no room, or if changes are tracked.
    #[inline(never)]
    pub(crate) fn reparent_shortly(&mut self, node: NodeHandle, parent: NodeHandle) -> Option<bool> {
        let (from, to) = (self.tables.entry(node)?, self.tables.entry(parent)?);
        if to.slice == At::ROOT.slice || node == parent || self.feed.is_some() {
            return None;
        }
        // What moves to another slice is prefetched while the rows are loaded.
        if from.slice != to.slice
            && let Some(Slice { transforms, .. }) = self.slices.get(from.slice as usize)
        {
            prefetch(&transforms.locals, from.transform.index() as usize);
            prefetch(&transforms.worlds, from.transform.index() as usize);
        }
        let target = self.slices.get(to.slice as usize)?;
        let Row { last_child, visibility, material, .. } = *target.rows.get(to.row as usize)?;
        let above = Above {
            row: to.row,
            transform: to.transform.index(),
            visibility: visibility.index(),
            material: material.index(),
        };
        let source = self.slices.get(from.slice as usize)?;
        let row = *source.rows.get(from.row as usize)?;
        let rare = (row.visibility.is_own() != 0) | (row.name != NIL) | !source.transforms.sheared.is_empty();
        let elsewhere = (source.membership != target.membership) | source.membership.is_pending_free();
        if rare | elsewhere | (row.first_child != NIL) | (row.parent == NIL) | target.portal_rows.contains(last_child) {
            return None;
        }
        let (at, transform) = if from.slice == to.slice {
            let slice = &mut self.slices[to.slice as usize];
            (from.row, slice.relink_leaf(from.row, &row, &above)?)
        } else {
            let pair = [from.slice as usize, to.slice as usize];
            let [source, target] = self.slices.get_disjoint_mut(pair)?;
            let moved = target.take_leaf(source, from.row, &row, &above)?;
            if !source.tell_edited_here(&mut self.versions, self.config.bounds) {
                self.tell_first(from.slice, false);
            }
            moved
        };
        self.tables.relocate(node, At { slice: to.slice, row: at }, transform);
        self.tell_edited_and_moved(to.slice);
        Some(transform.is_own() != 0)
    }
}

impl Store {
    /// Moves a subtree to a checked place below `parent`, also into the tree or into a detached subtree.
    pub(crate) fn relocate(&mut self, node: NodeHandle, at: At, place: Beside, parent: At) {
        if self.feed.is_some() {
            let stays = self.parent(at) == Some(parent);
            self.note_edit(at, if stays { ChangeKinds::ORDER } else { ChangeKinds::PARENT });
        }
        let (from, to) = (self.membership(at), self.membership(parent));
        if from == to {
            return self.relink(at, place);
        }
        let nodes = self.count_nodes(at);
        self.note_left(at);
        self.relink(at, place);
        if to == Membership::Attached {
            self.note_attached(self.resolve(node).expect("rows that move keep their handles"));
        }
        *self.counted.of_mut(from) -= nodes;
        *self.counted.of_mut(to) += nodes;
    }

    /// Moves a subtree to a checked place.
    fn relink(&mut self, at: At, place: Beside) {
        let (at, rows) = self.make_room_to_relink(at, place);
        let unlinked = self.unlink_subtree(at);
        self.relink_subtree(unlinked, |store| store.settle_at(place, rows));
    }
}

impl Slice {
    /// Links a row without children below another parent in the slice. Returns its effective transform slot. Returns
    /// `None` if it needs a fresh slot and there is none.
    #[inline(always)]
    fn relink_leaf(&mut self, at: u32, row: &Row, above: &Above) -> Option<Slot> {
        let transform = match row.transform.as_own() {
            None => Slot::inherited(above.transform),
            Some(slot) if slot > above.transform => {
                self.transforms.parents[slot as usize] = above.transform;
                self.transforms.mark(slot);
                row.transform
            }
            Some(slot) => Slot::own(self.transforms.reslot(slot, above.transform)?),
        };
        let material = if row.material.is_own() != 0 { row.material } else { Slot::inherited(above.material) };
        self.unlink(at);
        let previous = self.rows[above.row as usize].last_child;
        let moved = Row {
            parent: above.row,
            previous,
            next: NIL,
            transform,
            visibility: Slot::inherited(above.visibility),
            material,
            ..*row
        };
        self.rows[at as usize] = moved;
        self.point_below(above.row, previous, at, NIL, at);
        self.refresh_shape(at);
        self.misplaced = self.misplaced.saturating_add(1);
        Some(transform)
    }

    /// Moves a row without children, and its components, from another slice to a parent here. Returns the new row and
    /// its effective transform slot. Returns `None`, and changes nothing, if there is no room.
    #[inline(always)]
    fn take_leaf(&mut self, source: &mut Self, from: u32, row: &Row, above: &Above) -> Option<(u32, Slot)> {
        let previous = self.rows[above.row as usize].last_child;
        let hint = select_unpredictable(previous == NIL, above.row, previous) + 1;
        let room = (row.transform.is_own() == 0 || self.transforms.slots.has_after(above.transform))
            && (row.material.is_own() == 0 || self.materials.slots.has_any())
            && (row.shape == NIL || self.shapes.slots.has_any());
        if !room {
            return None;
        }
        let at = self.row_slots.allocate_near(hint)?;
        self.note_place(at, hint);
        let mut transform = Slot::inherited(above.transform);
        if let Some(slot) = row.transform.as_own() {
            let fresh = self.transforms.slots.allocate_after(above.transform)?;
            let (local, world) = (source.transforms.locals[slot as usize], source.transforms.worlds[slot as usize]);
            self.transforms.put_plain(fresh, above.transform, &local, &world);
            self.transforms.mark(fresh);
            transform = Slot::own(fresh);
        }
        let mut material = Slot::inherited(above.material);
        if let Some(slot) = row.material.as_own() {
            let fresh = self.materials.slots.allocate_near(self.material_hint(at))?;
            put(&mut self.materials.values, fresh, source.materials.values[slot as usize]);
            material = Slot::own(fresh);
        }
        let visibility = Slot::inherited(above.visibility);
        let mut moved = Row { parent: above.row, previous, next: NIL, transform, visibility, material, ..*row };
        if row.shape != NIL {
            let shape = source.shapes.shape(row.shape);
            let fresh = self.shapes.slots.allocate_near(self.shape_hint(at))?;
            let record = self.shape_record(&moved, shape.mesh);
            self.shapes.put(fresh, record, shape.bounds);
            self.mark_box_stale(fresh);
            moved.shape = fresh;
        }
        put(&mut self.rows, at, moved);
        self.point_below(above.row, previous, at, NIL, at);

        source.point_below(row.parent, row.previous, row.next, row.next, row.previous);
        source.free_plain_components(row.transform, row.material, row.shape);
        source.rows[from as usize].occupant = Occupant::VACANT;
        if source.row_slots.free(from) {
            source.rows.truncate(source.row_slots.end() as usize);
        }
        source.misplaced = source.misplaced.saturating_add(1);
        Some((at, transform))
    }
}
