//! The columns of a slice, read-only.

use crate::store::Slice;
use crate::store::allocation::{HoleSet, Runs};
use crate::store::columns::{NIL, Row, ShapeRecord, Swept, TransformColumn};
use crate::store::view::occupied;
use crate::{Aabb, Local, Mat34, NodeHandle, Shape, Visibility};
use core::ops::Range;
use glam::DAffine3;
use hedgerow_math::internal::PackedTransform;

/// A row, if it exists.
#[inline]
fn some(row: u32) -> Option<u32> {
    (row != NIL).then_some(row)
}

/// Where a node finds the values that hold for it, in the columns of its slice: its own, or those that it inherits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slots {
    /// The slot in [`TransformView`].
    pub transform: usize,
    /// The slot in [`VisibilityView`].
    pub visibility: usize,
    /// The slot in [`MaterialView`].
    pub material: usize,
}

/// The topology of a slice: a row for each node, and for each portal to a slice below.
#[derive(Clone, Copy, Debug)]
pub struct RowView<'s> {
    slice: &'s Slice,
}

impl<'s> RowView<'s> {
    #[inline]
    pub(super) fn new(slice: &'s Slice) -> Self {
        Self { slice }
    }

    /// One past the last row in use.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a slice holds at least one row")]
    pub fn len(&self) -> usize {
        self.slice.rows.len()
    }

    /// How many rows there is memory for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slice.row_slots.capacity() as usize
    }

    /// The node of a row; `None` for a hole and for a portal.
    #[must_use]
    pub fn node(&self, row: usize) -> Option<NodeHandle> {
        self.slice.rows.get(row)?.occupant.as_node()
    }

    /// Whether a row stands for a run of siblings in another slice.
    #[must_use]
    pub fn is_portal(&self, row: usize) -> bool {
        self.slice.rows.get(row).is_some_and(|row| row.occupant.as_portal().is_some())
    }

    /// The row of a row's parent; `None` for a hole and at the top of the slice.
    #[must_use]
    pub fn parent(&self, row: usize) -> Option<usize> {
        let slot = occupied(&self.slice.row_slots, row)?;
        let parent = self.slice.row(slot).parent;
        (parent != NIL).then_some(parent as usize)
    }

    /// The slots of a node's transform, visibility and material, its own or inherited; `None` for a hole.
    #[must_use]
    pub fn slots(&self, row: usize) -> Option<Slots> {
        let slot = occupied(&self.slice.row_slots, row)?;
        let Row { transform, visibility, material, .. } = *self.slice.row(slot);
        let [transform, visibility, material] = [transform, visibility, material].map(|slot| slot.index() as usize);
        Some(Slots { transform, visibility, material })
    }

    /// The slot of a node's own transform; `None` for a hole, for a portal, and for a node that inherits its transform.
    #[must_use]
    pub fn own_transform(&self, row: usize) -> Option<usize> {
        self.slice
            .rows
            .get(row)
            .filter(|row| row.occupant.as_node().is_some())?
            .transform
            .as_own()
            .map(|slot| slot as usize)
    }

    /// The nodes of the slice, in the order of their rows.
    pub fn nodes(&self) -> impl Iterator<Item = NodeHandle> + 's {
        self.slice.rows.iter().filter_map(|row| row.occupant.as_node())
    }

    /// The first row at the top of the slice.
    #[inline]
    pub(crate) fn first_top(&self) -> Option<u32> {
        some(self.slice.first_top)
    }

    /// The row of a row's next sibling.
    #[inline]
    pub(crate) fn next(&self, row: u32) -> Option<u32> {
        some(self.slice.row(row).next)
    }

    /// The row of a row's parent.
    #[inline]
    pub(crate) fn above(&self, row: u32) -> Option<u32> {
        some(self.slice.row(row).parent)
    }

    /// The slice that a row stands for.
    #[inline]
    pub(crate) fn portal(&self, row: u32) -> Option<u32> {
        self.slice.row(row).occupant.as_portal()
    }

    /// The slot of a row's transform, its own or inherited.
    #[inline]
    pub(crate) fn transform(&self, row: u32) -> u32 {
        self.slice.row(row).transform.index()
    }

    /// The next row of the subtree of `top` in pre-order, `None` after the last. Descends below `row` only if `descend`
    /// is set.
    #[inline]
    pub(crate) fn next_in_subtree(&self, top: u32, row: u32, descend: bool) -> Option<u32> {
        self.slice.next_in_subtree(top, row, descend)
    }
}

/// The transform column of a slice. Slot 0 is the base: what the slice inherits. A parent's slot is before its
/// children's.
#[derive(Clone, Copy, Debug)]
pub struct TransformView<'s> {
    column: &'s TransformColumn,
}

impl<'s> TransformView<'s> {
    #[inline]
    pub(super) fn new(column: &'s TransformColumn) -> Self {
        Self { column }
    }

    /// One past the last slot in use; at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a transform column has a base slot")]
    pub fn len(&self) -> usize {
        self.column.worlds.len()
    }

    /// How many slots there is memory for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.column.slots.capacity() as usize
    }

    /// Whether the slot belongs to a node; the base counts too.
    #[must_use]
    pub fn is_occupied(&self, slot: usize) -> bool {
        occupied(&self.column.slots, slot).is_some()
    }

    /// For each slot, that of the nearest ancestor in the slice that has a transform, else 0; 0 for holes.
    #[must_use]
    pub fn parents(&self) -> &'s [u32] {
        &self.column.parents
    }

    /// World matrices as of the last update; undefined for holes.
    #[must_use]
    #[inline]
    pub fn worlds(&self) -> &'s [Mat34] {
        &self.column.worlds
    }

    /// The local transform in a slot; `None` for the base and for holes.
    #[must_use]
    pub fn local(&self, slot: usize) -> Option<Local> {
        occupied(&self.column.slots, slot).filter(|&slot| slot != 0).map(|slot| self.column.local(slot))
    }

    /// Which slots the last sweep computed.
    #[inline]
    pub(crate) fn swept(&self) -> &'s Swept {
        &self.column.swept
    }

    /// The world matrix of a slot after the update before the last. For a new slot, and if nothing is remembered, the
    /// present one.
    #[inline]
    pub(crate) fn previous(&self, slot: u32) -> &'s Mat34 {
        self.column.previous(slot)
    }

    /// `wide[i] = wide[parent[i]] * local[i]` for every slot, in double precision, from what the slice inherits. Holes
    /// are computed too.
    pub(crate) fn compose_wide(&self, base: &DAffine3, wide: &mut Vec<DAffine3>) {
        wide.clear();
        wide.push(*base);
        for (slot, parent) in (0..).zip(&self.column.parents).skip(1) {
            wide.push(wide[*parent as usize] * self.column.wide_local(slot));
        }
    }

    /// The same for some slots only, none of which is the base, parents first.
    pub(crate) fn compose_wide_run(&self, run: Range<usize>, wide: &mut [DAffine3]) {
        for (slot, parent) in run.clone().zip(&self.column.parents[run]) {
            if let Ok(number) = u32::try_from(slot) {
                wide[slot] = wide[*parent as usize] * self.column.wide_local(number);
            }
        }
    }

    /// Whether a slot waits for the update.
    #[inline]
    pub(crate) fn waits(&self) -> bool {
        self.column.waits
    }
}

/// What passes read about the last sweep.
impl Swept {
    /// Whether the sweep computed every slot.
    #[inline]
    pub(crate) fn is_all(&self) -> bool {
        self.all
    }

    /// The slots before `end` that the sweep computed, as runs; `None` if it computed every one.
    pub(crate) fn runs(&self, end: usize) -> Option<Runs<'_>> {
        (!self.all).then(|| self.slots.runs(end))
    }
}

/// The visibility column of a slice. Slot 0 is the base.
#[derive(Clone, Copy, Debug)]
pub struct VisibilityView<'s> {
    slice: &'s Slice,
}

impl<'s> VisibilityView<'s> {
    #[inline]
    pub(super) fn new(slice: &'s Slice) -> Self {
        Self { slice }
    }

    /// One past the last slot in use; at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a visibility column has a base slot")]
    pub fn len(&self) -> usize {
        self.slice.visibilities.effective.len()
    }

    /// How many slots there is memory for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slice.visibilities.slots.capacity() as usize
    }

    /// Whether the slot belongs to a node; the base counts too.
    #[must_use]
    pub fn is_occupied(&self, slot: usize) -> bool {
        occupied(&self.slice.visibilities.slots, slot).is_some()
    }

    /// The inherited mask in a slot as of the last update; `None` for holes.
    #[must_use]
    pub fn effective(&self, slot: usize) -> Option<Visibility> {
        occupied(&self.slice.visibilities.slots, slot)
            .map(|slot| Visibility::layers(self.slice.visibilities.effective[slot as usize]))
    }

    /// The inherited masks by slot; undefined for holes.
    #[inline]
    pub(crate) fn masks(&self) -> &'s [u32] {
        &self.slice.visibilities.effective
    }
}

/// The material column of a slice. Slot 0 is the base.
#[derive(Clone, Copy, Debug)]
pub struct MaterialView<'s> {
    slice: &'s Slice,
}

impl<'s> MaterialView<'s> {
    #[inline]
    pub(super) fn new(slice: &'s Slice) -> Self {
        Self { slice }
    }

    /// One past the last slot in use; at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a material column has a base slot")]
    pub fn len(&self) -> usize {
        self.slice.materials.values.len()
    }

    /// How many slots there is memory for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slice.materials.slots.capacity() as usize
    }

    /// Whether the slot belongs to a node; the base counts too.
    #[must_use]
    pub fn is_occupied(&self, slot: usize) -> bool {
        occupied(&self.slice.materials.slots, slot).is_some()
    }

    /// The material in a slot; `None` for holes, and in the base if nothing above sets one.
    #[must_use]
    pub fn material(&self, slot: usize) -> Option<u32> {
        occupied(&self.slice.materials.slots, slot).and_then(|slot| self.slice.materials.values[slot as usize])
    }

    /// The materials by slot; undefined for holes.
    #[inline]
    pub(crate) fn values(&self) -> &'s [Option<u32>] {
        &self.slice.materials.values
    }
}

/// A shape as stored in its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedShape {
    /// The node.
    pub node: NodeHandle,
    /// Mesh and local bounds.
    pub shape: Shape,
    /// Where the node's transform, visibility and material are.
    pub slots: Slots,
}

/// The shape column of a slice.
#[derive(Clone, Copy, Debug)]
pub struct ShapeView<'s> {
    slice: &'s Slice,
}

impl<'s> ShapeView<'s> {
    #[inline]
    pub(super) fn new(slice: &'s Slice) -> Self {
        Self { slice }
    }

    /// One past the last slot in use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slice.shapes.records.len()
    }

    /// How many slots there is memory for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slice.shapes.slots.capacity() as usize
    }

    /// Whether the slot belongs to a node.
    #[must_use]
    pub fn is_occupied(&self, slot: usize) -> bool {
        occupied(&self.slice.shapes.slots, slot).is_some()
    }

    /// Whether no node in the slice has a shape.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slice.shapes.slots.live() == 0
    }

    /// The shape in a slot; `None` for a hole.
    #[must_use]
    pub fn get(&self, slot: usize) -> Option<ListedShape> {
        let slot = occupied(&self.slice.shapes.slots, slot)?;
        let record = self.slice.shapes.records[slot as usize];
        Some(ListedShape {
            node: NodeHandle::from_bits(record.node)?,
            shape: self.slice.shapes.shape(slot),
            slots: Slots {
                transform: record.transform as usize,
                visibility: record.visibility as usize,
                material: record.material as usize,
            },
        })
    }

    /// All shapes, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = ListedShape> + use<'s> {
        let view = *self;
        (0..self.len()).filter_map(move |slot| view.get(slot))
    }

    /// How many nodes have a shape.
    #[cfg(feature = "rayon")]
    #[inline]
    pub(crate) fn live(&self) -> usize {
        self.slice.shapes.slots.live() as usize
    }

    /// What is drawn, by slot; undefined for holes.
    #[inline]
    pub(crate) fn records(&self) -> &'s [ShapeRecord] {
        &self.slice.shapes.records
    }

    /// The greatest number of records in one of the [chunks](Self::chunks).
    pub(crate) const CHUNK: usize = HoleSet::WORD_SLOTS;

    /// The records in chunks, each with one bit for every hole.
    #[inline]
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (&'s [ShapeRecord], u64)> + use<'s> {
        let shapes = &self.slice.shapes;
        shapes.records.chunks(Self::CHUNK).zip(shapes.slots.holes().words())
    }

    /// The slots in use in a block, one bit each.
    #[inline]
    pub(crate) fn live_word(&self, block: usize) -> u64 {
        self.slice.shapes.slots.live_word(block)
    }

    /// The local bounds of a shape; undefined for holes.
    #[inline]
    pub(crate) fn bounds(&self, slot: usize) -> &'s Aabb {
        &self.slice.shapes.bounds[slot]
    }

    /// The world box of a shape, by the matrices of the last update.
    #[inline]
    pub(crate) fn world_box(&self, slot: usize) -> Aabb {
        let shapes = &self.slice.shapes;
        let world = &self.slice.transforms.worlds[shapes.records[slot].transform as usize];
        shapes.bounds[slot].transformed(world)
    }
}

const _: () = assert!(size_of::<PackedTransform>() == 40);
