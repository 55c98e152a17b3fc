//! What lies in slots: the topology record of each row, and the component columns. These are dense arrays with slots of
//! their own, only for nodes that have the component.
//!
//! Invariants:
//!
//! - *Parent slot < slot* in the transform and visibility columns, so a forward sweep has finished each parent before
//!   its children.
//! - Every slot in use is owned by exactly one row. Every array is as long as its allocator says.
//! - The parent of a hole comes before it, so that a sweep may compute holes together with live slots.

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
pub(in crate::store) use sheared::{Remainder, Sheared};

use crate::fallible::Boxed;
use crate::store::allocation::Bits;
use crate::store::allocation::LinearAllocator;
use crate::store::change::{MaskTrace, Trace};
use crate::{Aabb, Local, Mat34, Shape, Transform};
use core::fmt;
use glam::{DAffine3, Vec3};
use hedgerow_math::internal::PackedTransform;

/// Writes the record of a slot that was just allocated: into a hole, or at the end.
#[inline(always)]
pub(in crate::store) fn put<T>(array: &mut Vec<T>, slot: u32, value: T) {
    match array.get_mut(slot as usize) {
        Some(record) => *record = value,
        None => array.push(value),
    }
}

/// Local transforms and world matrices. Slot 0 is the base.
///
/// Each slot takes 40 + 4 + 48 bytes and a bit for the mark. The only order kept is *parent slot < slot*. A hole keeps
/// its old contents, including parent and mark. A sweep computes it together with live slots, which costs less than
/// skipping holes; nobody reads the result.
///
/// The fields that setting a local transform reads and writes come first, then what is read by cached handles; see
/// [`Slice`](crate::store::Slice).
#[derive(Clone, Default)]
#[repr(C)]
pub(in crate::store) struct TransformColumn {
    pub(in crate::store) locals: Vec<PackedTransform>,
    /// Slots that were marked themselves because their world matrix is out of date.
    pub(in crate::store) dirty: Bits,
    /// Local transforms that shear, by slot; a pointer, which is null in most columns.
    pub(in crate::store) sheared: Sheared,
    /// Another number, which this slice's number never had, whenever the effective slot of a node that is or was in the
    /// slice may be another: what is remembered of slots holds while this is the same. See
    /// [`CachedSlot`](crate::store::CachedSlot).
    pub(in crate::store) places: u64,
    pub(in crate::store) worlds: Vec<Mat34>,
    /// Whether any slot may be dirty.
    pub(in crate::store) waits: bool,
    pub(in crate::store) slots: LinearAllocator,
    /// The slot of the nearest ancestor in the slice that has a transform, else 0.
    pub(in crate::store) parents: Vec<u32>,
    /// The slots that the last sweep computed.
    pub(in crate::store) swept: Swept,
    /// Slots that are, or were, the effective slot of a portal: when one of these changes, the slices below must be
    /// updated.
    pub(in crate::store) portal_slots: Bits,
    /// The owner and the history of each slot, if changes are tracked.
    pub(in crate::store) trace: Option<Boxed<Trace>>,
}

/// A summary, as views of the column print it.
impl fmt::Debug for TransformColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransformColumn").field("slots", &self.worlds.len()).finish_non_exhaustive()
    }
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

    /// Fills a slot that was just allocated with a local transform that does not shear; the caller marks it.
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

    /// Fills the next slot of a column that has room and no holes, and marks it.
    #[inline]
    pub(in crate::store) fn append(&mut self, parent: u32, local: PackedTransform) -> u32 {
        let slot = self.slots.allocate_near(0).expect("the column was made with room");
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
        self.waits = true;
    }

    /// Marks every slot, by marking the base.
    pub(in crate::store) fn mark_all(&mut self) {
        self.mark(0);
    }

    #[inline]
    pub(in crate::store) fn local(&self, slot: u32) -> Local {
        if !self.sheared.is_empty()
            && let Some(matrix) = self.sheared.get(slot)
            && self.sheared.remainder(slot).is_none_or(|remainder| !remainder.plain)
        {
            return Local::Matrix(*matrix);
        }
        Local::Transform(self.locals[slot as usize].into())
    }

    /// The local transform of a slot in double precision.
    #[inline]
    pub(in crate::store) fn wide_local(&self, slot: u32) -> DAffine3 {
        let mut wide = self.local(slot).to_wide();
        if !self.sheared.is_empty()
            && let Some(remainder) = self.sheared.remainder(slot)
        {
            wide.translation += remainder.translation.as_dvec3();
        }
        wide
    }

    /// Sets a local transform, and says what single precision loses of its translation.
    pub(in crate::store) fn set_wide_local(&mut self, slot: u32, local: Local, lost: Vec3) {
        match local {
            // The matrix is replaced and not taken away first, so that nothing is allocated anew.
            Local::Transform(transform) if lost != Vec3::ZERO => {
                self.locals[slot as usize] = transform.into();
                self.mark(slot);
                self.keep_lost(slot, &transform, lost);
            }
            local => {
                self.set_local(slot, local);
                self.set_remainder(slot, lost);
            }
        }
    }

    /// Says what single precision loses of the translation of a slot, whose local transform was just set.
    pub(in crate::store) fn set_remainder(&mut self, slot: u32, translation: Vec3) {
        if translation == Vec3::ZERO {
            return;
        }
        match self.local(slot) {
            Local::Transform(transform) => self.keep_lost(slot, &transform, translation),
            Local::Matrix(_) => self.sheared.set_remainder(Remainder { slot, plain: false, translation }),
        }
    }

    /// Keeps what single precision loses of the translation of a local transform that does not shear.
    fn keep_lost(&mut self, slot: u32, local: &Transform, translation: Vec3) {
        self.sheared.insert(slot, local.to_matrix());
        self.sheared.set_remainder(Remainder { slot, plain: true, translation });
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

    /// Frees a slot if `is` is 1, and does nothing if it is 0, without a branch.
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

    /// Removes the sheared matrix of a slot that is about to be freed.
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
    /// The sweep computed every slot, whatever the bits say.
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
    /// Whether a mask or a parent changed since the last sweep.
    pub(in crate::store) dirty: bool,
    /// The owner of each slot, if changes are tracked.
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

/// Materials. They override and never combine, so a slot needs no parent. Slot 0 is the base.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct MaterialColumn {
    pub(in crate::store) slots: LinearAllocator,
    /// `None` only in the base, if nothing above the slice sets a material.
    pub(in crate::store) values: Vec<Option<u32>>,
    /// Whether a value changed since the last update.
    pub(in crate::store) dirty: bool,
}

impl MaterialColumn {
    #[inline(always)]
    pub(in crate::store) fn free(&mut self, slot: u32) {
        self.free_if(slot, 1);
    }

    /// Frees a slot if `is` is 1, and does nothing if it is 0, without a branch.
    #[inline(always)]
    pub(in crate::store) fn free_if(&mut self, slot: u32, is: u32) {
        if self.slots.free_if(slot, is) {
            self.values.truncate(self.slots.end() as usize);
        }
    }
}

/// What the draw list reads of a shape; 24 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
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

    /// Fills the next slot of a column that has room and no holes.
    #[inline]
    pub(in crate::store) fn append(&mut self, record: ShapeRecord, bounds: Aabb) -> u32 {
        let slot = self.slots.allocate_near(0).expect("the column was made with room");
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

    /// Frees a slot if `is` is 1, and does nothing if it is 0, without a branch.
    #[inline(always)]
    pub(in crate::store) fn free_if(&mut self, slot: u32, is: u32) {
        if self.slots.free_if(slot, is) {
            let end = self.slots.end() as usize;
            self.records.truncate(end);
            self.bounds.truncate(end);
        }
    }
}

/// Names. No hot path reads them.
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

    /// Removes a name; the caller frees its slot.
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
