//! What lies in slots: the topology record of each row, and the component columns, dense arrays with slots of their own, only
//! for nodes that have the component.
//!
//! Invariants:
//!
//! - *Parent slot < slot* in the transform and visibility columns: a forward sweep finds each parent finished.
//! - Every slot in use is owned by exactly one row; every array is as long as its allocator says.
//! - A hole's parent comes before it, so that a sweep may compute holes with the rest.

mod companions;
mod component;
mod description;
mod fill;
mod records;
mod row;
mod sheared;

pub(in crate::store) use component::{Component, Move, NewParent, Renumbered};
pub(in crate::store) use description::{
    Column, EachColumn, EachComponent, STORAGES, Storage, each_column, each_component,
};
pub(crate) use row::{At, NIL};
pub(in crate::store) use row::{Occupant, Row, Slot};
pub(in crate::store) use sheared::Sheared;

use crate::fallible::Boxed;
use crate::store::allocation::Bits;
use crate::store::allocation::LinearAllocator;
use crate::store::change::{MaskTrace, Trace};
use crate::{Aabb, Local, Mat34, Shape};
use hedgerow_math::internal::PackedTransform;

/// Writes the record of a slot that was just allocated: in place of a hole, or behind the last.
#[inline(always)]
pub(in crate::store) fn put<T>(array: &mut Vec<T>, slot: u32, value: T) {
    match array.get_mut(slot as usize) {
        Some(record) => *record = value,
        None => array.push(value),
    }
}

/// Local transforms and world matrices. Slot 0 is the base.
///
/// 40 + 4 + 48 bytes a slot and a bit for the mark; the only order kept is *parent slot < slot*. A hole keeps what was in
/// it, parent and mark included: a sweep computes it with the rest, which costs less than to look for holes, and nobody
/// reads the result.
///
/// What setting a local transform reads and writes comes first; see [`Slice`](crate::store::Slice).
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(in crate::store) struct TransformColumn {
    pub(in crate::store) locals: Vec<PackedTransform>,
    /// Slots whose world matrix is not up to date for a reason of their own.
    pub(in crate::store) dirty: Bits,
    /// No slot before this one is dirty; [`NIL`] where none is.
    pub(in crate::store) first_dirty: u32,
    /// How many times a slot was marked since the last sweep, modulo 2³²: about as many are dirty, or fewer.
    pub(in crate::store) marks: u32,
    pub(in crate::store) slots: LinearAllocator,
    pub(in crate::store) worlds: Vec<Mat34>,
    /// The slot of the nearest ancestor in the slice that has a transform, else 0.
    pub(in crate::store) parents: Vec<u32>,
    /// The slots that the last sweep computed.
    pub(in crate::store) swept: Swept,
    /// Slots that some portal finds effective, or did: where one of these changes, slices below are to be looked at.
    pub(in crate::store) portal_slots: Bits,
    /// Local transforms that shear, by slot; the others pay nothing for them.
    pub(in crate::store) sheared: Sheared,
    /// Who has each slot and what was in it, where changes are told.
    pub(in crate::store) trace: Option<Boxed<Trace>>,
}

impl TransformColumn {
    /// Fills a slot that was just allocated, and leaves the mark to the caller.
    #[inline]
    pub(in crate::store) fn put(&mut self, slot: u32, parent: u32, local: &Local, world: &Mat34) {
        debug_assert!(parent < slot);
        let packed = match local {
            Local::Transform(transform) => (*transform).into(),
            Local::Matrix(matrix) => {
                self.sheared.insert(slot, *matrix);
                PackedTransform::IDENTITY
            }
        };
        self.put_plain(slot, parent, &packed, world);
    }

    /// Fills a slot that was just allocated with a local transform that does not shear, and leaves the mark to the caller.
    #[inline(always)]
    pub(in crate::store) fn put_plain(&mut self, slot: u32, parent: u32, local: &PackedTransform, world: &Mat34) {
        debug_assert!(parent < slot);
        put(&mut self.locals, slot, *local);
        put(&mut self.parents, slot, parent);
        put(&mut self.worlds, slot, *world);
        if let Some(trace) = &mut self.trace {
            trace.put(slot);
        }
    }

    /// Fills the next slot of a column without holes that has room, marked.
    #[inline]
    pub(in crate::store) fn append(&mut self, parent: u32, local: PackedTransform) -> u32 {
        let slot = self.slots.allocate_near(0, false).expect("the column was made with room");
        self.locals.push(local);
        self.parents.push(parent);
        self.worlds.push(Mat34::IDENTITY);
        if let Some(trace) = &mut self.trace {
            trace.put(slot);
        }
        self.mark(slot);
        slot
    }

    #[inline(always)]
    pub(in crate::store) fn mark(&mut self, slot: u32) {
        self.dirty.insert(slot);
        self.first_dirty = self.first_dirty.min(slot);
        self.marks = self.marks.wrapping_add(1);
    }

    /// Marks every slot, by way of the base.
    pub(in crate::store) fn mark_all(&mut self) {
        self.mark(0);
    }

    #[inline]
    pub(in crate::store) fn local(&self, slot: u32) -> Local {
        if !self.sheared.is_empty()
            && let Some(matrix) = self.sheared.get(slot)
        {
            return Local::Matrix(*matrix);
        }
        Local::Transform(self.locals[slot as usize].into())
    }

    #[inline]
    pub(in crate::store) fn set_local(&mut self, slot: u32, local: Local) {
        match local {
            Local::Transform(transform) => {
                self.locals[slot as usize] = transform.into();
                if !self.sheared.is_empty() {
                    self.sheared.remove(slot);
                }
            }
            Local::Matrix(matrix) => {
                self.locals[slot as usize] = PackedTransform::IDENTITY;
                self.sheared.insert(slot, matrix);
            }
        }
        self.mark(slot);
    }

    #[inline(always)]
    pub(in crate::store) fn free(&mut self, slot: u32) {
        self.free_if(slot, 1);
    }

    /// Frees a slot if there `is` one (1, else 0), without a branch on that.
    #[inline(always)]
    pub(in crate::store) fn free_if(&mut self, slot: u32, is: u32) {
        if !self.sheared.is_empty() {
            self.forget_shear(slot, is);
        }
        if self.slots.free_if(slot, is) {
            let end = self.slots.end() as usize;
            self.locals.truncate(end);
            self.parents.truncate(end);
            self.worlds.truncate(end);
            if let Some(trace) = &mut self.trace {
                trace.truncate(end);
            }
        }
    }

    /// Forgets the matrix of a slot that is about to be freed.
    #[cold]
    #[inline(never)]
    fn forget_shear(&mut self, slot: u32, is: u32) {
        if is != 0 {
            self.sheared.remove(slot);
        }
    }
}

/// Which slots a sweep computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Swept {
    /// Every one, whatever the bits say.
    pub(in crate::store) all: bool,
    pub(in crate::store) slots: Bits,
}

impl Swept {
    #[inline]
    pub(crate) fn contains(&self, slot: u32) -> bool {
        self.all || self.slots.contains(slot)
    }
}

/// Visibility masks. Slot 0 is the base; *parent slot < slot*.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct VisibilityColumn {
    pub(in crate::store) slots: LinearAllocator,
    pub(in crate::store) locals: Vec<u32>,
    pub(in crate::store) parents: Vec<u32>,
    pub(in crate::store) effective: Vec<u32>,
    /// Whether some mask or parent changed since the last sweep.
    pub(in crate::store) dirty: bool,
    /// Who has each slot, where changes are told.
    pub(in crate::store) trace: Option<Boxed<MaskTrace>>,
}

impl VisibilityColumn {
    pub(in crate::store) fn put(&mut self, slot: u32, parent: u32, local: u32, effective: u32) {
        debug_assert!(parent < slot);
        put(&mut self.locals, slot, local);
        put(&mut self.parents, slot, parent);
        put(&mut self.effective, slot, effective);
        if let Some(trace) = &mut self.trace {
            trace.put(slot);
        }
    }

    pub(in crate::store) fn free(&mut self, slot: u32) {
        self.slots.free(slot);
        let end = self.slots.end() as usize;
        self.locals.truncate(end);
        self.parents.truncate(end);
        self.effective.truncate(end);
        if let Some(trace) = &mut self.trace {
            trace.truncate(end);
        }
    }
}

/// Materials: they override and never combine, so a slot needs no parent. Slot 0 is the base.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct MaterialColumn {
    pub(in crate::store) slots: LinearAllocator,
    /// `None` in the base alone, where nothing above the slice says a material.
    pub(in crate::store) values: Vec<Option<u32>>,
    /// Whether some value changed since the last update.
    pub(in crate::store) dirty: bool,
}

impl MaterialColumn {
    #[inline(always)]
    pub(in crate::store) fn free(&mut self, slot: u32) {
        self.free_if(slot, 1);
    }

    /// Frees a slot if there `is` one (1, else 0), without a branch on that.
    #[inline(always)]
    pub(in crate::store) fn free_if(&mut self, slot: u32, is: u32) {
        if self.slots.free_if(slot, is) {
            self.values.truncate(self.slots.end() as usize);
        }
    }
}

/// What the draw list reads of a shape: 24 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeRecord {
    /// The node's handle, as bits.
    pub(crate) node: u64,
    pub(crate) mesh: u32,
    /// Effective slots of the node.
    pub(crate) transform: u32,
    pub(crate) visibility: u32,
    pub(crate) material: u32,
}

const _: () = assert!(size_of::<ShapeRecord>() == 24);

impl ShapeRecord {
    /// Notes the effective slots of a row.
    #[inline(always)]
    pub(in crate::store) fn point_to(&mut self, row: &Row) {
        self.transform = row.transform.index();
        self.visibility = row.visibility.index();
        self.material = row.material.index();
    }
}

/// Shapes: order is locality alone.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct ShapeColumn {
    pub(in crate::store) slots: LinearAllocator,
    pub(in crate::store) records: Vec<ShapeRecord>,
    /// Local bounds.
    pub(in crate::store) bounds: Vec<Aabb>,
}

impl ShapeColumn {
    pub(in crate::store) fn put(&mut self, slot: u32, record: ShapeRecord, bounds: Aabb) {
        put(&mut self.records, slot, record);
        put(&mut self.bounds, slot, bounds);
    }

    /// Fills the next slot of a column without holes that has room.
    #[inline]
    pub(in crate::store) fn append(&mut self, record: ShapeRecord, bounds: Aabb) -> u32 {
        let slot = self.slots.allocate_near(0, false).expect("the column was made with room");
        self.put(slot, record, bounds);
        slot
    }

    pub(in crate::store) fn shape(&self, slot: u32) -> Shape {
        Shape { mesh: self.records[slot as usize].mesh, bounds: self.bounds[slot as usize] }
    }

    #[inline(always)]
    pub(in crate::store) fn free(&mut self, slot: u32) {
        self.free_if(slot, 1);
    }

    /// Frees a slot if there `is` one (1, else 0), without a branch on that.
    #[inline(always)]
    pub(in crate::store) fn free_if(&mut self, slot: u32, is: u32) {
        if self.slots.free_if(slot, is) {
            let end = self.slots.end() as usize;
            self.records.truncate(end);
            self.bounds.truncate(end);
        }
    }
}

/// Names: off every hot path.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct NameColumn {
    pub(in crate::store) slots: LinearAllocator,
    pub(in crate::store) names: Vec<Box<str>>,
    /// The bytes of all names.
    pub(in crate::store) text_bytes: usize,
}

impl NameColumn {
    pub(in crate::store) fn put(&mut self, slot: u32, name: Box<str>) {
        self.text_bytes += name.len();
        put(&mut self.names, slot, name);
    }

    /// Takes a name out; its slot is to be freed.
    pub(in crate::store) fn take(&mut self, slot: u32) -> Box<str> {
        let name = core::mem::take(&mut self.names[slot as usize]);
        self.text_bytes -= name.len();
        name
    }

    pub(in crate::store) fn free(&mut self, slot: u32) {
        self.take(slot);
        self.slots.free(slot);
        self.names.truncate(self.slots.end() as usize);
    }
}
