//! A slice: one run of siblings and everything below them, in storage of its own.

use crate::Mat34;
use crate::fallible::{self, Boxed};
use crate::store::allocation::{Bits, LinearAllocator, Need};
use crate::store::bounds::SliceBoxes;
use crate::store::columns::{
    At, Component, EachComponent, MaterialColumn, NIL, NameColumn, Occupant, Row, ShapeColumn, Sheared, Slot,
    TransformColumn, VisibilityColumn, each_component,
};
use crate::store::restructuring::Membership;
use core::fmt;
use core::hint::select_unpredictable;
use std::collections::TryReserveError;

/// How far from its hint a row may lie and still count as in order.
const NEAR: u32 = 64;

/// Whether the last child of a row is so far behind it, or before it, that a further child goes near the last one
/// instead of near its parent.
#[inline(always)]
pub(in crate::store) fn ends_far(parent: u32, last_child: u32) -> bool {
    (last_child != NIL) & (last_child.wrapping_sub(parent) > NEAR)
}

/// One run of consecutive siblings and everything below them, in storage of its own.
///
/// The run stands behind one portal row of another slice. The root's slice and detached slices have no portal.
///
/// The fields that every edit reads come first, in whole cache lines; rare fields come last:
///
/// ```text
/// line 0   flags │ locals │ dirty bits │ sheared                           all that setting a local transform reads
/// from 1   transforms: places │ worlds │ slots │ parents │ version         reads of world matrices, new transforms
/// then     rows, their slots, ends of the run, the rows that are portals   inserts, removals, moves
/// then     shapes, materials, and the rest
/// ```
#[derive(Clone, Default)]
#[repr(C, align(64))]
pub(in crate::store) struct Slice {
    /// Whether something in or below this slice must be updated.
    pub(in crate::store) marked: bool,
    /// Whether the slice is on the store's list of slices edited since their last maintenance.
    pub(in crate::store) edited: bool,
    /// The membership of the slice.
    pub(in crate::store) membership: Membership,
    /// Whether this slice's number is in use in the store.
    pub(in crate::store) lives: bool,
    /// Whether an update has read the slice since it was last reconstituted.
    pub(in crate::store) read: bool,
    /// Whether the slice is small and had no partner to merge with when maintenance last checked it.
    pub(in crate::store) merge_candidate: bool,
    /// Whether those who must know have been told that local transforms were set since the last update: then the slice
    /// is marked, and its transforms wait.
    pub(in crate::store) set_told: bool,
    pub(crate) transforms: TransformColumn,
    /// Changes with everything in the slice except transforms: topology, components, and what they inherit. Counted by
    /// the store: a slice's number never has the same version with other contents.
    pub(in crate::store) version: u64,
    pub(in crate::store) rows: Vec<Row>,
    pub(in crate::store) row_slots: LinearAllocator,
    /// The ends of the run.
    pub(in crate::store) first_top: u32,
    pub(in crate::store) last_top: u32,
    /// How many rows were placed far from their hint since the last reconstitution.
    pub(in crate::store) misplaced: u32,
    /// This slice's index among its parent's `children`, or among the detached slices.
    pub(in crate::store) child_index: u32,
    /// The rows that are portals, so that the rows need not be read.
    pub(in crate::store) portal_rows: Bits,
    /// The portal row of this slice, or [`At::NONE`].
    pub(in crate::store) portal: At,
    pub(in crate::store) shapes: ShapeColumn,
    /// World boxes, if the scene keeps any.
    pub(in crate::store) boxes: Option<Boxed<SliceBoxes>>,
    pub(in crate::store) materials: MaterialColumn,
    pub(in crate::store) visibilities: VisibilityColumn,
    pub(in crate::store) names: NameColumn,
    /// The slices behind this slice's portals, in depth-first order after a reconstitution.
    pub(in crate::store) children: Vec<u32>,
    /// Children that are marked.
    pub(in crate::store) marked_children: Vec<u32>,
    /// Children that wait for a partner. Slices that no longer wait, or are attached elsewhere, may be listed too. The
    /// root's slice lists only children that hold nothing but portals.
    pub(in crate::store) candidates_below: Vec<u32>,
    /// The number of the update that last computed transforms here; [`TransformColumn::swept`] says which.
    pub(in crate::store) swept_in: u64,
    /// The frame of that update.
    pub(in crate::store) swept_frame: u64,
    /// The frame in which the slice last changed; see [`Layouts`](crate::store::Layouts).
    pub(in crate::store) told_in: u64,
    /// The store's count of edits of bounds at the last one here; see `Store::bounds_set`.
    pub(in crate::store) bounds_set: u64,
    /// Changes when transform slots move; see [`Layouts`](crate::store::Layouts).
    pub(in crate::store) layout: u64,
}

const _: () = {
    use core::mem::offset_of;
    let transforms = offset_of!(Slice, transforms);
    assert!(transforms + offset_of!(TransformColumn, sheared) + size_of::<Sheared>() <= 64);
    // What a world matrix is read by through a cached handle.
    let (places, worlds) = (offset_of!(TransformColumn, places), offset_of!(TransformColumn, worlds));
    assert!((transforms + places) / 64 == (transforms + worlds + size_of::<Vec<Mat34>>() - 1) / 64);
};

/// A summary, as views of a slice print it.
impl fmt::Debug for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slice").field("nodes", &self.nodes()).field("version", &self.version).finish_non_exhaustive()
    }
}

/// Gives an empty slice its columns.
struct Open<'o> {
    slice: &'o mut Slice,
    need: &'o Need,
}

impl EachComponent for Open<'_> {
    type Error = TryReserveError;

    fn component<C: Component>(&mut self) -> Result<(), TryReserveError> {
        let slots = self.need.slots(C::STORAGE) + u32::from(C::STORAGE.has_base());
        *C::of_mut(self.slice) = C::try_with_capacity(slots)?;
        Ok(())
    }
}

impl Slice {
    /// An empty slice with room for `need`, besides the bases.
    pub(in crate::store) fn with_room(need: &Need) -> Self {
        fallible::or_abort(Self::try_with_room(need))
    }

    /// Like [`Self::with_room`], but returns an error if the allocator refuses.
    pub(in crate::store) fn try_with_room(need: &Need) -> Result<Self, TryReserveError> {
        let mut slice = Self {
            row_slots: LinearAllocator::with_capacity(need.rows),
            rows: fallible::with_capacity(need.rows as usize)?,
            first_top: NIL,
            last_top: NIL,
            portal: At::NONE,
            lives: true,
            ..Self::default()
        };
        each_component(&mut Open { slice: &mut slice, need })?;
        Ok(slice)
    }

    /// Whether the slice is in use and does not wait to be freed.
    pub(in crate::store) fn is_in_use(&self) -> bool {
        self.lives && self.membership != Membership::PendingFree
    }

    /// How many nodes are in this slice; portals do not count.
    #[inline]
    pub(in crate::store) fn nodes(&self) -> usize {
        self.row_slots.live() as usize - self.children.len()
    }

    #[inline]
    pub(in crate::store) fn row(&self, row: u32) -> &Row {
        &self.rows[row as usize]
    }

    #[inline]
    pub(in crate::store) fn row_mut(&mut self, row: u32) -> &mut Row {
        &mut self.rows[row as usize]
    }

    /// Gives the slice a version for an edit after which the effective slots of its nodes may be others.
    #[inline(always)]
    pub(in crate::store) fn begin_version(&mut self, version: u64) {
        self.version = version;
        self.transforms.places = version;
    }

    /// Takes the slice's mark, as an update does.
    #[inline]
    pub(in crate::store) fn take_mark(&mut self) -> bool {
        self.set_told = false;
        core::mem::take(&mut self.marked)
    }

    /// The effective slots that a child of `parent` inherits; the bases for a top row.
    #[inline]
    pub(in crate::store) fn inherited(&self, parent: u32) -> [Slot; 3] {
        self.rows.get(parent as usize).map_or([Slot::BASE; 3], Row::inherited)
    }

    /// Whether the base of a slice that is cut out below `parent` must be marked. If the source of the base is marked,
    /// the base must be too: code that marked the source may have computed it already.
    pub(in crate::store) fn marks_below(&self, parent: u32) -> bool {
        let [base, ..] = self.inherited(parent);
        let TransformColumn { dirty, .. } = &self.transforms;
        dirty.contains(0) || dirty.contains(base.index())
    }

    /// Allocates a row near `hint`.
    #[inline(always)]
    pub(in crate::store) fn allocate_row_number(&mut self, hint: u32) -> u32 {
        let at = self.row_slots.allocate_near(hint).expect("room was made before");
        self.note_place(at, hint);
        at
    }

    /// Notes that a row was placed at `at`, with `hint` as the best place.
    #[inline(always)]
    pub(in crate::store) fn note_place(&mut self, at: u32, hint: u32) {
        let far = at.wrapping_sub(hint).wrapping_add(NEAR) > 2 * NEAR;
        self.misplaced = self.misplaced.saturating_add(u32::from(far));
    }

    /// Frees a row that has no components and is on no chain.
    #[inline]
    pub(in crate::store) fn free_row(&mut self, row: u32) {
        let occupant = core::mem::replace(&mut self.rows[row as usize].occupant, Occupant::VACANT);
        if occupant.as_portal().is_some() {
            self.portal_rows.remove(row);
        }
        self.row_slots.free(row);
        self.rows.truncate(self.row_slots.end() as usize);
    }

    /// Frees the slots of a row's own transform, material and shape.
    ///
    /// Most rows have exactly one of these. Which one it is, is close to random and known only after the row is loaded.
    /// So nothing branches on it, and only the allocator concerned is read.
    #[inline(always)]
    pub(in crate::store) fn free_plain_components(&mut self, transform: Slot, material: Slot, shape: u32) {
        let count = transform.is_own() + material.is_own() + u32::from(shape != NIL);
        let Self { transforms, materials, shapes, boxes, .. } = self;
        if (count == 1) & transforms.sheared.is_empty() & boxes.is_none() {
            let is_material = material.is_own() != 0;
            let other = select_unpredictable(is_material, &mut materials.slots, &mut transforms.slots);
            let slots = select_unpredictable(shape != NIL, &mut shapes.slots, other);
            let other = select_unpredictable(is_material, material.index(), transform.index());
            let slot = select_unpredictable(shape != NIL, shape, other);
            if !slots.free_before_end(slot) {
                // The slot is likely the last one of its column: a node that was inserted and is removed again.
                match (is_material, shape == NIL) {
                    (false, true) => transforms.free(slot),
                    (true, _) => materials.free(slot),
                    (false, false) => shapes.free(slot),
                }
            }
            return;
        }
        self.free_any_components(transform, material, shape);
    }

    /// Frees the slots of a row's own transform, material and shape, in all cases.
    #[inline(always)]
    fn free_any_components(&mut self, transform: Slot, material: Slot, shape: u32) {
        self.transforms.free_if(transform.index(), transform.is_own());
        self.materials.free_if(material.index(), material.is_own());
        self.mark_box_stale(shape);
        self.shapes.free_if(shape, u32::from(shape != NIL));
    }

    /// Frees the slots of a row's own components.
    #[inline]
    pub(in crate::store) fn free_components(&mut self, row: u32) {
        let Row { transform, visibility, material, shape, name, .. } = *self.row(row);
        self.free_plain_components(transform, material, shape);
        // Visibilities and names are rare, so these branches are easy to predict.
        if let Some(slot) = visibility.as_own() {
            self.visibilities.free(slot);
        }
        if name != NIL {
            self.names.free(name);
        }
    }

    /// Writes the effective slots of a row into its shape's record.
    #[inline]
    pub(in crate::store) fn refresh_shape(&mut self, row: u32) {
        let Self { rows, shapes, .. } = self;
        let row = &rows[row as usize];
        let shape = row.shape;
        if shape != NIL {
            shapes.records[shape as usize].point_to(row);
            self.mark_box_stale(shape);
        }
    }

    /// Marks the world box of a shape as stale, if there is a shape.
    #[inline(always)]
    pub(in crate::store) fn mark_box_stale(&mut self, shape: u32) {
        if let Some(boxes) = &mut self.boxes {
            boxes.mark_stale_if_any(shape);
        }
    }

    /// The next row of the subtree of `top` in pre-order, `None` after the last. Descends below `row` only if `descend`
    /// is set.
    ///
    /// Uses links only, so no stack grows with the depth.
    #[inline]
    pub(in crate::store) fn next_in_subtree(&self, top: u32, row: u32, descend: bool) -> Option<u32> {
        let mut at = row;
        let first_child = self.row(at).first_child;
        if descend && first_child != NIL {
            return Some(first_child);
        }
        loop {
            if at == top {
                return None;
            }
            let links = self.row(at);
            if links.next != NIL {
                return Some(links.next);
            }
            at = links.parent;
        }
    }

    /// The rows of a subtree in pre-order.
    pub(in crate::store) fn subtree(&self, top: u32) -> impl Iterator<Item = u32> + '_ {
        core::iter::successors(Some(top), move |&row| self.next_in_subtree(top, row, true))
    }
}
