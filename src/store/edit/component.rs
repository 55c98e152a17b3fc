//! Adds, changes and removes components of nodes.
//!
//! The places must be those of live nodes, and the values must be checked. These methods update the node and those
//! below it, and report the change.

use crate::store::columns::{At, NIL};
use crate::store::{ChangeKinds, Need, Spot, Store};
use crate::{Aabb, Local, Shape, Visibility};

impl Store {
    /// Gives a node a local transform, replacing an existing one.
    pub(crate) fn add_transform(&mut self, at: At, local: Local) {
        if self.replace_local(at, local) {
            return;
        }
        let at = self.with_room(at, &Need { transforms: 1, ..Need::default() });
        let Self { slices, tables, feed, .. } = self;
        let slice = &mut slices[at.slice as usize];
        let row = *slice.row(at.row);
        let world = slice.transforms.worlds[row.transform.index() as usize];
        let slot = slice.new_transform(row.transform, &local, &world);
        slice.row_mut(at.row).transform = slot;
        tables.note_transform(row.occupant.as_node().expect("portals have no components"), slot);
        if let Some(feed) = feed {
            slice.trace_added_transform(at.row, row.transform, feed);
        }
        self.update_effective_slots_below(at.slice, at.row);
    }

    /// Removes a node's local transform and returns it.
    pub(crate) fn remove_transform(&mut self, at: At) -> Option<Local> {
        let detached = self.local_at(at)?;
        self.note_edit(at, ChangeKinds::LOCAL);
        self.note_lost_transform(at);
        self.slice_mut(at.slice).disown_transform(at.row);
        self.update_effective_slots(at.slice, at.row);
        Some(detached)
    }

    /// Gives a node a material, replacing an existing one.
    #[inline]
    pub(crate) fn add_material(&mut self, at: At, material: u32) {
        self.note_edit(at, ChangeKinds::OWN_MATERIAL);
        let slice = self.slice_mut(at.slice);
        if let Some(slot) = slice.row(at.row).material.as_own() {
            slice.materials.values[slot as usize] = Some(material);
            slice.materials.dirty = true;
            self.tell_changed(at.slice);
            self.tell_moved(at.slice);
            return;
        }
        let at = self.with_room(at, &Need { materials: 1, ..Need::default() });
        let slice = self.slice_mut(at.slice);
        let slot = slice.new_material(at.row, material);
        slice.row_mut(at.row).material = slot;
        slice.materials.dirty = true;
        self.update_effective_slots_below(at.slice, at.row);
    }

    /// Removes a node's own material and returns it.
    pub(crate) fn remove_material(&mut self, at: At) -> Option<u32> {
        let detached = self.own_material_at(at)?;
        self.note_edit(at, ChangeKinds::OWN_MATERIAL);
        self.slice_mut(at.slice).disown_material(at.row);
        self.update_effective_slots(at.slice, at.row);
        Some(detached)
    }

    /// Gives a node a shape, replacing an existing one.
    pub(crate) fn add_shape(&mut self, at: At, shape: &Shape) {
        self.note_edit(at, ChangeKinds::SHAPE);
        let slice = self.slice_mut(at.slice);
        let slot = slice.row(at.row).shape;
        if slot != NIL {
            slice.shapes.records[slot as usize].mesh = shape.mesh;
            slice.shapes.bounds[slot as usize] = shape.bounds;
            slice.mark_box_stale(slot);
            self.tell_bounds(at.slice);
            self.tell_changed(at.slice);
            return;
        }
        let at = self.with_room(at, &Need { shapes: 1, ..Need::default() });
        let slice = self.slice_mut(at.slice);
        let record = slice.shape_record(slice.row(at.row), shape.mesh);
        let hint = slice.shape_hint(at.row);
        slice.row_mut(at.row).shape = slice.new_shape(record, &shape.bounds, hint);
        self.tell_edited(at.slice);
    }

    /// Sets the mesh of a node's shape. `None` for a node without one.
    pub(crate) fn set_mesh(&mut self, at: At, mesh: u32) -> Option<()> {
        let slice = self.slice_mut(at.slice);
        let slot = slice.row(at.row).shape;
        slice.shapes.records.get_mut(slot as usize)?.mesh = mesh;
        self.note_edit(at, ChangeKinds::SHAPE);
        self.tell_changed(at.slice);
        Some(())
    }

    /// Sets the bounds of a node's shape. `None` for a node without one.
    pub(crate) fn set_bounds(&mut self, at: At, bounds: Aabb) -> Option<()> {
        let slice = self.slice_mut(at.slice);
        let slot = slice.row(at.row).shape;
        *slice.shapes.bounds.get_mut(slot as usize)? = bounds;
        slice.mark_box_stale(slot);
        self.bounds_set += 1;
        self.slice_mut(at.slice).bounds_set = self.bounds_set;
        self.note_edit(at, ChangeKinds::SHAPE);
        self.tell_bounds(at.slice);
        Some(())
    }

    /// Removes a node's shape and returns it.
    pub(crate) fn remove_shape(&mut self, at: At) -> Option<Shape> {
        let detached = self.shape_at(at)?;
        self.note_edit(at, ChangeKinds::SHAPE);
        let slice = self.slice_mut(at.slice);
        let slot = core::mem::replace(&mut slice.row_mut(at.row).shape, NIL);
        slice.mark_box_stale(slot);
        slice.shapes.free(slot);
        self.tell_edited(at.slice);
        Some(detached)
    }

    /// Gives a node a visibility, replacing an existing one.
    pub(crate) fn add_visibility(&mut self, at: At, visibility: Visibility) {
        self.note_edit(at, ChangeKinds::OWN_VISIBILITY);
        let slice = self.slice_mut(at.slice);
        if let Some(slot) = slice.row(at.row).visibility.as_own() {
            slice.visibilities.locals[slot as usize] = visibility.mask();
            slice.visibilities.dirty = true;
            self.tell_moved(at.slice);
            return;
        }
        let at = self.with_room(at, &Need { visibilities: 1, ..Need::default() });
        let slice = self.slice_mut(at.slice);
        let inherited = slice.row(at.row).visibility;
        let slot = slice.new_visibility(inherited, visibility);
        slice.row_mut(at.row).visibility = slot;
        slice.trace_added_visibility(at.row, inherited);
        self.update_effective_slots_below(at.slice, at.row);
    }

    /// Removes a node's own visibility and returns it.
    pub(crate) fn remove_visibility(&mut self, at: At) -> Option<Visibility> {
        let detached = self.own_visibility_at(at)?;
        self.note_edit(at, ChangeKinds::OWN_VISIBILITY);
        self.note_lost_visibility(at);
        self.slice_mut(at.slice).disown_visibility(at.row);
        self.update_effective_slots(at.slice, at.row);
        Some(detached)
    }

    /// Sets or removes the name of a node.
    pub(crate) fn set_name(&mut self, mut at: At, name: Option<&str>) {
        self.note_edit(at, ChangeKinds::NAME);
        let slice = self.slice_mut(at.slice);
        let slot = core::mem::replace(&mut slice.row_mut(at.row).name, NIL);
        if slot != NIL {
            slice.names.free(slot);
        }
        if let Some(name) = name {
            at = self.with_room(at, &Need { names: 1, ..Need::default() });
            let slice = self.slice_mut(at.slice);
            slice.row_mut(at.row).name = slice.new_name(name.into());
        }
        self.tell_edited(at.slice);
    }

    /// Makes room for a component in a node's slice, and returns the node's place, which may have changed.
    fn with_room(&mut self, at: At, need: &Need) -> At {
        let node = self.handle(at);
        let below = Spot { slice: at.slice, parent: at.row, previous: NIL, next: NIL };
        if self.make_room_for_one(&below, need) {
            self.resolve(node).expect("rows that move keep their handles")
        } else {
            at
        }
    }
}
