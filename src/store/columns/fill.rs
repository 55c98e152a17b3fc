//! Fills slots of a slice that has room.

use crate::store::Slice;
use crate::store::columns::ShapeRecord;
use crate::store::columns::{Occupant, Row, Slot};
use crate::{Aabb, Local, Mat34, Visibility};
use hedgerow_math::internal::prefetch;

impl Slice {
    /// Adds a row that inherits everything from `parent`.
    #[inline]
    pub(in crate::store) fn inheriting_row(&self, occupant: Occupant, parent: u32) -> Row {
        let [transform, visibility, material] = self.inherited(parent);
        Row { transform, visibility, material, ..Row::new(occupant) }
    }

    /// Adds a slot with a transform below the inherited one, and marks it.
    #[inline]
    pub(in crate::store) fn new_transform(&mut self, inherited: Slot, local: &Local, world: &Mat34) -> Slot {
        let slot = self.transforms.slots.allocate_after(inherited.index()).expect("room was made before");
        prefetch(&self.transforms.locals, slot as usize);
        prefetch(&self.transforms.parents, slot as usize);
        prefetch(&self.transforms.worlds, slot as usize);
        self.transforms.put(slot, inherited.index(), local, world);
        self.transforms.mark(slot);
        Slot::own(slot)
    }

    /// Adds a slot with a visibility below the inherited one, and marks it.
    pub(in crate::store) fn new_visibility(&mut self, inherited: Slot, mask: Visibility) -> Slot {
        self.visibilities.dirty = true;
        let slot = self.visibilities.slots.allocate_after(inherited.index()).expect("room was made before");
        self.visibilities.put(slot, inherited.index(), mask.mask(), mask.mask());
        Slot::own(slot)
    }

    /// Adds a slot with a material for a row.
    #[inline]
    pub(in crate::store) fn new_material(&mut self, row: u32, value: u32) -> Slot {
        let hint = self.material_hint(row);
        let slot = self.materials.slots.allocate_near(hint).expect("room was made before");
        crate::store::columns::put(&mut self.materials.values, slot, Some(value));
        Slot::own(slot)
    }

    /// Adds a slot with a shape.
    #[inline]
    pub(in crate::store) fn new_shape(&mut self, record: ShapeRecord, bounds: &Aabb, hint: u32) -> u32 {
        let slot = self.shapes.slots.allocate_near(hint).expect("room was made before");
        prefetch(&self.shapes.records, slot as usize);
        prefetch(&self.shapes.bounds, slot as usize);
        self.shapes.put(slot, record, *bounds);
        self.mark_box_stale(slot);
        slot
    }

    /// The record of a shape whose node has correct effective slots.
    pub(in crate::store) fn shape_record(&self, row: &Row, mesh: u32) -> ShapeRecord {
        ShapeRecord {
            node: row.occupant.as_node().expect("portals have no components").to_bits(),
            mesh,
            transform: row.transform.index(),
            visibility: row.visibility.index(),
            material: row.material.index(),
        }
    }

    /// Adds a slot with a name.
    pub(in crate::store) fn new_name(&mut self, name: Box<str>) -> u32 {
        let slot = self.names.slots.allocate_near(0).expect("room was made before");
        self.names.put(slot, name);
        slot
    }

    /// The slot at the same relative position in the shapes as the row in the slice: both columns are in near
    /// depth-first order.
    #[inline(always)]
    pub(in crate::store) fn shape_hint(&self, row: u32) -> u32 {
        self.hint(row, self.shapes.slots.end())
    }

    /// Like [`Self::shape_hint`], for materials.
    #[inline(always)]
    pub(in crate::store) fn material_hint(&self, row: u32) -> u32 {
        self.hint(row, self.materials.slots.end())
    }

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a hint; the conversion saturates"
    )]
    fn hint(&self, row: u32, end: u32) -> u32 {
        (row as f32 * (end as f32 / self.row_slots.end() as f32)) as u32
    }
}
