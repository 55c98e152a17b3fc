//! Read access to slices from outside the storage: rows, and whole columns.
//!
//! A view borrows the store and changes nothing. [`SliceViewMut`] can set local transforms. Methods that are not public
//! are for the passes, and return the arrays unchanged.

use crate::store::Store;
use crate::store::boxes::SliceBoxes;
use crate::store::columns::{DrawEntry, NO_DRAWABLE, Row, Stamp, short};
use crate::store::location::SliceId;
use crate::store::matrix_slot::MatrixSlot;
use crate::store::pending::Pending;
use crate::store::record::{Has, RecordId};
use crate::store::row_set::RowSet;
use crate::store::slice::{Head, Slice};
use crate::store::state::{Copies, Home};
use crate::store::sweep::bits_of;
use crate::store::world::WideLocal;
use crate::{Aabb, Drawable, Error, Layers, Local, Mat34, NodeHandle, Transform, ViewRange};
use core::ops::{ControlFlow, Range};
use glam::{DAffine3, Vec3};
use hedgerow_math::internal::prefetch_whole;

/// A slice: a part of the nodes, in depth-first order, in the state of the last update.
///
/// Its first rows and its first transform slots are *imports*: copies of the data of parents in earlier slices, or the
/// identity for the root and anchored nodes. There may be unused rows and slots between those in use.
#[derive(Clone, Copy)]
pub struct SliceView<'s> {
    store: &'s Store,
    slice: &'s Slice,
    head: &'s Head,
    id: SliceId,
}

impl core::fmt::Debug for SliceView<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (number, nodes) = (self.number(), self.nodes());
        f.debug_struct("SliceView").field("number", &number).field("nodes", &nodes).finish_non_exhaustive()
    }
}

impl<'s> SliceView<'s> {
    /// Returns the number of the slice, as in a [`MatrixSlot`]. It is small and stays the
    /// same as long as the slice exists. Later slices may reuse it.
    #[must_use]
    #[inline]
    pub fn number(&self) -> u32 {
        self.id.number()
    }

    /// Returns whether the nodes of the slice are outside of the tree.
    #[must_use]
    #[inline]
    pub fn is_detached(&self) -> bool {
        self.slice.home == Home::Limbo
    }

    /// Returns the number of nodes in the slice.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> usize {
        self.head.live as usize
    }

    /// Returns the number of imported rows at the beginning, which is also the number of imported transform slots.
    #[must_use]
    #[inline]
    pub fn imports(&self) -> usize {
        self.slice.imports.len()
    }

    /// Returns the box around all drawables of the slice as of the last update; empty if no drawable has a box. `None`
    /// unless the scene has [world boxes](crate::SceneConfig::bounds).
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        self.boxes().map(|boxes| boxes.own)
    }

    /// For each block of 64 slots, in order, returns the box around the block's drawables as of the last update; empty
    /// if none of them has a box. Yields nothing without [`SceneConfig::bounds`](crate::SceneConfig::bounds).
    pub fn block_bounds(&self) -> impl Iterator<Item = Aabb> + use<'s> {
        let blocks = self.boxes().map(|boxes| &boxes.blocks);
        blocks.into_iter().flat_map(|blocks| (0..blocks.len()).filter_map(|block| blocks.get(block)))
    }

    /// Returns the nearest node with a view range, from a row's node upwards.
    fn ranged(&self, row: usize) -> Option<NodeHandle> {
        self.slice.visibility(row).ranged().map(|id| self.store.nodes.handle(id))
    }

    /// Returns the rows.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> RowView<'s> {
        RowView { view: *self }
    }

    /// Returns the transforms.
    #[must_use]
    #[inline]
    pub fn transforms(&self) -> TransformView<'s> {
        TransformView { view: *self }
    }

    /// Returns the drawables.
    #[must_use]
    #[inline]
    pub fn drawables(&self) -> DrawableView<'s> {
        DrawableView { view: *self }
    }
}

/// Access for passes.
impl<'s> SliceView<'s> {
    /// Returns the user data of a drawable, by its row.
    #[inline]
    pub(crate) fn user_data(&self, row: usize) -> u32 {
        self.slice.user_data(row)
    }

    #[inline]
    pub(crate) fn id(&self) -> SliceId {
        self.id
    }

    /// Returns the number of the scene.
    pub(crate) fn scene_number(&self) -> u64 {
        self.store.scene_number()
    }

    /// Returns a number that changes with all data of the slice except transforms, and if the slice changes places with
    /// others; no two slices ever share it.
    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.head.version
    }

    /// Returns the number of the update that last computed anything in this slice.
    #[inline]
    pub(crate) fn swept_in(&self) -> u64 {
        self.slice.swept_in
    }

    /// Returns a number that changes when transform slots move.
    pub(crate) fn layout(&self) -> u64 {
        self.slice.layout
    }

    /// Returns the world boxes, if the scene keeps any.
    #[inline]
    pub(crate) fn boxes(&self) -> Option<&'s SliceBoxes> {
        self.slice.boxes.as_deref()
    }

    /// Returns the slice and the transform slot of each import's node, if the node lives.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Option<(SliceId, usize)>> + use<'s> {
        let store = self.store;
        self.slice.imports.iter().map(move |&handle| {
            let location = store.nodes.pages.location(handle.and_then(|handle| store.nodes.resolve(handle))?);
            let (_, row) = store.slices.row(location)?;
            Some((location.slice(), usize::from(row.slot)))
        })
    }
}

/// The rows of a slice: a parent's row comes before the rows of its children.
#[derive(Clone, Copy, Debug)]
pub struct RowView<'s> {
    view: SliceView<'s>,
}

impl<'s> RowView<'s> {
    /// Returns one past the last row in use.
    #[must_use]
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "a slice holds at least one row")]
    pub fn len(&self) -> usize {
        self.view.slice.rows.len()
    }

    /// Returns the row of a node, if it lives.
    #[inline]
    fn row(&self, row: usize) -> Option<&'s Row> {
        self.view.slice.rows.get(row).filter(|_| self.view.head.alive.contains(row))
    }

    /// Returns the node of a row; `None` for an import and for an unused row.
    #[must_use]
    #[inline]
    pub fn node(&self, row: usize) -> Option<NodeHandle> {
        self.row(row).map(|row| self.view.store.nodes.handle(row.record))
    }

    /// Returns the node that an import copies, if it still exists; `None` for other rows.
    #[must_use]
    pub fn import(&self, row: usize) -> Option<NodeHandle> {
        let handle = (*self.view.slice.imports.get(row)?)?;
        self.view.store.nodes.resolve(handle).map(|_| handle)
    }

    /// Returns the row of a node's parent, which may be an import; `None` if the row does not belong to a node.
    #[must_use]
    #[inline]
    pub fn parent(&self, row: usize) -> Option<usize> {
        self.row(row).map(|row| usize::from(row.above))
    }

    /// Returns the transform slot of a node: its own, or that of the nearest ancestor that has one.
    #[must_use]
    #[inline]
    pub fn transform(&self, row: usize) -> Option<usize> {
        self.row(row).map(|row| usize::from(row.slot))
    }

    /// Returns the slot of a node's own transform; `None` for a node that inherits its transform.
    #[must_use]
    #[inline]
    pub fn own_transform(&self, row: usize) -> Option<usize> {
        self.row(row).filter(|row| row.is(Row::OWN_TRANSFORM)).map(|row| usize::from(row.slot))
    }

    /// Returns the effective material of a node: its own, or that of the nearest ancestor that has one.
    #[must_use]
    #[inline]
    pub fn material(&self, row: usize) -> Option<u32> {
        self.row(row)?.material()
    }

    /// Returns the layers on which a node is visible; `None` if the row does not belong to a node.
    #[must_use]
    #[inline]
    pub fn layers(&self, row: usize) -> Option<Layers> {
        self.row(row).map(|_| Layers::new(self.view.slice.visibility(row).layers()))
    }

    /// Returns the nodes of the slice, in the order of their rows.
    pub fn nodes(&self) -> impl Iterator<Item = NodeHandle> + use<'s> {
        let SliceView { store, slice, head, .. } = self.view;
        head.alive.iter().map(move |row| store.nodes.handle(slice.rows[row].record))
    }
}

/// The transforms of a slice. The first [`imports`](SliceView::imports) slots are copies of slots in earlier slices. A
/// parent's slot is before its children's.
#[derive(Clone, Copy, Debug)]
pub struct TransformView<'s> {
    view: SliceView<'s>,
}

impl<'s> TransformView<'s> {
    /// Returns one past the last slot in use; at least 1.
    #[must_use]
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "a slice has an import")]
    pub fn len(&self) -> usize {
        self.view.slice.slots.worlds.len()
    }

    /// Returns the number of slots that are allocated.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.view.slice.slots.worlds.capacity()
    }

    /// Returns whether the slot is in use: by a node, or as an import.
    #[must_use]
    pub fn is_occupied(&self, slot: usize) -> bool {
        slot < self.view.imports() || self.record(slot).is_some()
    }

    /// Returns, for each slot, the slot of the nearest ancestor that has a transform, or of its import. Imports have 0,
    /// and [anchored](crate::Node::anchored) nodes have an import that is the identity; unused slots are unspecified.
    #[must_use]
    #[inline]
    pub fn parents(&self) -> &'s [u32] {
        &self.view.slice.slots.parents
    }

    /// Returns world matrices as of the last update; unspecified for unused slots.
    #[must_use]
    #[inline]
    pub fn worlds(&self) -> &'s [Mat34] {
        &self.view.slice.slots.worlds
    }

    /// Returns a slot's world matrix after the second-to-last update; the present one if changes are not tracked.
    #[inline]
    pub(crate) fn previous(&self, slot: usize) -> &'s Mat34 {
        let histories = self.view.slice.histories.as_ref();
        histories.and_then(|histories| histories.previous(slot)).unwrap_or(&self.view.slice.slots.worlds[slot])
    }

    /// Returns the local transform of the slot's node, as of now; `None` for imports and for unused slots.
    #[must_use]
    pub fn local(&self, slot: usize) -> Option<Local> {
        self.view.store.nodes.local(self.record(slot)?)
    }

    /// Returns the node whose own transform is in a slot.
    fn record(&self, slot: usize) -> Option<RecordId> {
        (slot >= self.view.imports()).then(|| self.view.store.owner(self.view.slice, slot))?
    }

    /// Returns the slots that the last sweep computed, and the imports that changed.
    #[inline]
    pub(crate) fn swept(&self) -> &'s RowSet {
        &self.view.slice.dirty
    }

    /// Computes `wide[slot] = wide[parent[slot]] * local[slot]` in double precision for a run of slots, including
    /// unused slots. The caller sets the imports.
    pub(crate) fn compose_wide(&self, run: Range<usize>, wide: &mut [DAffine3]) {
        for slot in run.start.max(self.view.imports())..run.end {
            wide[slot] = match self.wide_local(slot) {
                Some(local) => wide[self.parents()[slot] as usize] * local.to_wide(),
                None => Local::Matrix(self.worlds()[slot]).to_wide(),
            };
        }
    }

    /// Returns the local transform of a slot as of the last update. Matrices, and rounding errors of translations, are
    /// as of now, because the slice has no copies. `None` if the node was moved or removed since and there is no copy.
    fn wide_local(&self, slot: usize) -> Option<WideLocal> {
        let SliceView { store, slice, id: of, .. } = self.view;
        let id = slice.slots.records[slot];
        let has = store.nodes.pages.record(id).has;
        let pages = &store.nodes.pages;
        // After the update, the record may be another node's, or the node may be elsewhere.
        let here = pages.lives(id) && pages.location(id).slice() == of && !pages.pending(id).has(Pending::MOVED);
        if here && (slice.copies == Copies::Stale || has.has(Has::MATRIX | Has::REMAINDER)) {
            return store.nodes.wide_local(id);
        }
        let copied = slice.copies == Copies::Current && slice.matrices.binary_search(&short(slot)).is_err();
        let local = Local::Transform(slice.slots.locals[slot].into());
        copied.then_some(WideLocal { local, remainder: Vec3::ZERO })
    }
}

/// A drawable in a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedDrawable {
    /// The node of the drawable.
    pub node: NodeHandle,
    /// The mesh and the local bounds.
    pub drawable: Drawable,
    /// The slot of the node's transform, its own or inherited.
    pub transform: usize,
    /// The effective material.
    pub material: Option<u32>,
    /// The layers on which the node is visible.
    pub layers: Layers,
    /// The node's [user data](crate::NodeMut::set_user_data), as of the last update.
    pub user_data: u32,
    /// The nearest node, from this one upwards, that has a [view range](crate::Node::view_range), as of the last update;
    /// see [`Scene::view_ranges`](crate::Scene::view_ranges).
    pub ranged: Option<NodeHandle>,
}

/// A node with a view range. It shows what is below it only if this range and those of all nodes above hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedRange {
    /// The node.
    pub node: NodeHandle,
    /// Its own range, as of now.
    pub range: ViewRange,
    /// The matrix that has the node's position, from which distances are measured.
    pub matrix: MatrixSlot,
    /// The nearest node above with a range, as of the last update.
    pub above: Option<NodeHandle>,
}

/// The drawables of a slice.
#[derive(Clone, Copy, Debug)]
pub struct DrawableView<'s> {
    view: SliceView<'s>,
}

impl<'s> DrawableView<'s> {
    /// Returns one past the last slot in use.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.view.slice.drawables.records.len()
    }

    /// Returns whether the slot belongs to a node.
    #[must_use]
    pub fn is_occupied(&self, slot: usize) -> bool {
        slot < self.len() && self.view.slice.used_drawables.contains(slot)
    }

    /// Returns whether no node in the slice has a drawable.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.view.slice.used_drawables.first(0, self.len()).is_none()
    }

    /// Returns the drawable in a slot; `None` if the slot is unused. A drawable keeps its slot as long as the rows of
    /// the slice are the same, which a [`SliceCursor`](crate::changes::SliceCursor) tells.
    #[must_use]
    pub fn get(&self, slot: usize) -> Option<ListedDrawable> {
        let record = self.records().get(slot).filter(|_| self.is_occupied(slot))?;
        Some(ListedDrawable {
            node: record.node,
            drawable: Drawable { mesh: record.mesh, bounds: self.view.slice.drawables.bounds[slot] },
            transform: usize::from(record.slot),
            material: record.material(),
            layers: Layers::new(record.layers),
            user_data: self.view.user_data(record.row()),
            ranged: self.view.ranged(record.row()),
        })
    }

    /// Loads into the cache what [`get`](Self::get) reads.
    #[inline(always)]
    pub(crate) fn prefetch(&self, slot: usize) {
        prefetch_whole(self.records(), slot);
        prefetch_whole(&self.view.slice.drawables.bounds, slot);
    }

    /// Iterates over all drawables, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = ListedDrawable> + use<'s> {
        let view = *self;
        (0..self.len()).filter_map(move |slot| view.get(slot))
    }

    #[cfg(feature = "rayon")]
    #[inline]
    pub(crate) fn live(&self) -> usize {
        self.view.slice.used_drawables.len()
    }

    /// Returns the records by slot; undefined for unused slots.
    #[inline]
    pub(crate) fn records(&self) -> &'s [DrawEntry] {
        &self.view.slice.drawables.records
    }

    /// Returns whether all nodes of the slice are visible on all layers.
    #[inline]
    pub(crate) fn all_visible(&self) -> bool {
        self.view.slice.visibility.is_empty()
    }

    /// The greatest number of records in one of the [chunks](Self::chunks).
    pub(crate) const CHUNK: usize = 64;

    /// Returns the records in chunks, each with one bit for every slot in use.
    #[inline]
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (&'s [DrawEntry], u64)> + use<'s> {
        let slice = self.view.slice;
        slice.drawables.records.chunks(Self::CHUNK).zip(slice.used_drawables.words().iter().copied())
    }

    /// Returns the slots in use in a block, one bit each.
    #[inline]
    pub(crate) fn live_word(&self, block: usize) -> u64 {
        self.view.slice.used_drawables.words().get(block).copied().unwrap_or(0)
    }

    /// Returns the slots of a block that the last `count` updates up to `now` changed, one bit each.
    #[inline]
    pub(crate) fn stamped_word(&self, block: usize, count: u32, now: Stamp) -> u64 {
        let (chunks, _) = self.view.slice.drawables.stamps.as_chunks::<{ DrawableView::CHUNK }>();
        let Some(stamps) = chunks.get(block) else { return 0 };
        // Of a fixed length, so that the loop takes vector instructions.
        let mut bytes = [0; Self::CHUNK];
        bytes.iter_mut().zip(stamps).for_each(|(byte, stamp)| *byte = u8::from(stamp.is_within(count, now)));
        bits_of(&bytes)
    }

    /// Returns the local bounds of a drawable; undefined for unused slots.
    #[inline]
    pub(crate) fn bounds(&self, slot: usize) -> &'s Aabb {
        &self.view.slice.drawables.bounds[slot]
    }

    /// Returns the world box of a drawable, computed with the matrix of the last update.
    #[inline]
    pub(crate) fn world_box(&self, slot: usize) -> Aabb {
        let Slice { slots, drawables, .. } = self.view.slice;
        drawables.bounds[slot].transformed(&slots.worlds[usize::from(drawables.records[slot].slot)])
    }
}

impl Store {
    #[inline]
    pub(crate) fn view(&self, id: SliceId) -> SliceView<'_> {
        let (slice, head) = self.slices.both(id);
        SliceView { store: self, slice, head, id }
    }

    /// Returns the node that owns a slot of its slice. After a removal, another node may have the slot or the record.
    fn owner(&self, slice: &Slice, slot: usize) -> Option<RecordId> {
        let id = *slice.slots.records.get(slot).filter(|_| slice.used_slots.contains(slot))?;
        let (of, row) = self.slices.row(self.nodes.pages.location(id))?;
        // A slot's record may be another node's since; its location tells.
        let owns = core::ptr::eq(of, slice) && row.record == id && usize::from(row.slot) == slot;
        (owns && self.nodes.pages.lives(id)).then_some(id)
    }

    /// Returns the slice with this number, if it is in use.
    pub(crate) fn get_view(&self, id: SliceId) -> Option<SliceView<'_>> {
        self.slices.get(id).filter(|slice| slice.home != Home::Free).map(|_| self.view(id))
    }

    /// Returns the slice and the row of a node, if the node has a row.
    #[inline]
    pub(crate) fn view_of(&self, id: RecordId) -> Option<(SliceView<'_>, usize)> {
        let location = self.nodes.pages.location(id);
        let view = self.get_view(location.slice())?;
        Some((view, location.row()))
    }

    /// Returns the world box of a node's drawable as of the last update.
    pub(crate) fn world_bounds(&self, id: RecordId) -> Option<Aabb> {
        self.drawable_slot(id).map(|(view, slot)| view.drawables().world_box(slot))
    }

    /// Returns the slice and the slot of a node's drawable.
    pub(crate) fn drawable_slot(&self, id: RecordId) -> Option<(SliceView<'_>, usize)> {
        let (view, row) = self.view_of(id)?;
        let drawable = view.slice.rows.get(row)?.drawable;
        (drawable < NO_DRAWABLE).then(|| (view, usize::from(drawable)))
    }

    /// Returns the slot of a node's world matrix, its own or that of the nearest ancestor with a transform.
    pub(crate) fn matrix_slot(&self, id: RecordId) -> Option<MatrixSlot> {
        let (view, row) = self.view_of(id)?;
        let slot = view.slice.rows.get(row)?.slot;
        Some(MatrixSlot { slice: view.number(), slot: u32::from(slot) })
    }

    /// Iterates over the nodes with a view range that have a row, in the order of their records.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = ListedRange> + '_ {
        self.nodes.ranges().filter_map(|(id, range)| {
            let ((view, row), matrix) = (self.view_of(id)?, self.matrix_slot(id)?);
            let above = view.ranged(usize::from(view.slice.rows.get(row)?.above));
            Some(ListedRange { node: self.nodes.handle(id), range, matrix, above })
        })
    }
}

/// A slice in which local transforms can be set. Everything else is read-only, so a visitor cannot break invariants.
#[derive(Debug)]
pub struct SliceViewMut<'s> {
    store: &'s mut Store,
    id: SliceId,
    computes: &'s mut Option<Computes>,
}

/// The matrices that the update after a visit computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Computes {
    OutOfDate,
    Everything,
}

impl SliceViewMut<'_> {
    /// Returns the slice to read.
    #[must_use]
    pub fn view(&self) -> SliceView<'_> {
        self.store.view(self.id)
    }

    /// Sets the local transform of a slot, which must belong to a node. The next update applies it.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::NotRotation`].
    ///
    /// # Panics
    /// Panics if no node has the slot.
    pub fn set_local(&mut self, slot: usize, transform: Transform) -> Result<(), Error> {
        let id = self.view().transforms().record(slot).expect("a slot that a node has");
        self.store.nodes.set_local(id, Local::Transform(transform.checked()?));
        Ok(())
    }

    /// Makes the visit end with an update.
    pub(crate) fn compute(&mut self, what: Computes) {
        *self.computes = (*self.computes).max(Some(what));
    }
}

impl Store {
    /// Calls `each` with every slice of the tree in order. Then updates the scene, if a visitor asked for it.
    pub(crate) fn show_each(&mut self, mut each: impl FnMut(SliceViewMut<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut computes = None;
        let shown = (0..self.slices.attached).try_for_each(|at| {
            let id = self.slices.order[at];
            each(SliceViewMut { store: self, id, computes: &mut computes })
        });
        match computes {
            None => {}
            Some(Computes::OutOfDate) => self.update(),
            Some(Computes::Everything) => self.run_update(true),
        }
        shown
    }
}
