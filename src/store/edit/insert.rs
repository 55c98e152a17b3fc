//! Inserts a node: the fast path as the last child of another node, and the general path at any place.

use crate::store::columns::{At, NIL, Occupant, Row, ShapeRecord, Slot, put};
use crate::store::handles::Entry;
use crate::store::slice::ends_far;
use crate::store::{Beside, MAX_NODES, Membership, Need, Settled, Slice, Spot, Store};
use crate::{Aabb, Local, Mat34, Node, NodeHandle, Shape, Transform};
use core::hint::{black_box, select_unpredictable};
use hedgerow_math::internal::prefetch;

/// The components of a node to be inserted. Fields of components that it does not have are not read.
#[derive(Clone, Copy)]
struct Parts<'p> {
    local: &'p Transform,
    shape: &'p Shape,
    material: u32,
}

impl Parts<'_> {
    /// The components of a node without any.
    const NONE: Self =
        Self { local: &Transform::IDENTITY, shape: &Shape { mesh: 0, bounds: Aabb::EMPTY }, material: 0 };
}

impl Store {
    /// Inserts a node of a usual kind as the last child of another one, if the fast path applies. The kind is known at
    /// compile time, so that nothing about it is tested at run time.
    ///
    /// Returns `None`, and changes nothing, if the fast path does not apply or the node is not in the form that a scene
    /// stores.
    #[inline(always)]
    pub(crate) fn insert_usual(&mut self, parent: NodeHandle, node: &Node<'_>) -> Option<NodeHandle> {
        let Node { local, material, shape, visibility: None, name: None } = node else { return None };
        let mut parts = Parts::NONE;
        match local {
            Some(Local::Transform(transform)) if transform.is_plain() => parts.local = transform,
            Some(_) => return None,
            None => {}
        }
        if let Some(shape) = shape {
            if !shape.bounds.is_plain() {
                return None;
            }
            parts.shape = shape;
        }
        parts.material = material.unwrap_or(0);
        match (local.is_some(), shape.is_some(), material.is_some()) {
            (false, false, false) => self.insert_shortly::<false, false, false>(parent, parts),
            (false, false, true) => self.insert_shortly::<false, false, true>(parent, parts),
            (false, true, false) => self.insert_shortly::<false, true, false>(parent, parts),
            (false, true, true) => self.insert_shortly::<false, true, true>(parent, parts),
            (true, false, false) => self.insert_shortly::<true, false, false>(parent, parts),
            (true, false, true) => self.insert_shortly::<true, false, true>(parent, parts),
            (true, true, false) => self.insert_shortly::<true, true, false>(parent, parts),
            (true, true, true) => self.insert_shortly::<true, true, true>(parent, parts),
        }
    }

    /// Inserts a node as the last child of another one, with these components, checked and in the form that a scene
    /// stores.
    ///
    /// Returns `None`, and changes nothing, if the handle is stale, the node could go to one of several slices, the
    /// last child is in another slice, or there is no room.
    #[inline(never)]
    fn insert_shortly<const TRANSFORM: bool, const SHAPE: bool, const MATERIAL: bool>(
        &mut self,
        parent: NodeHandle,
        parts: Parts<'_>,
    ) -> Option<NodeHandle> {
        let entry = self.tables.entry(parent)?;
        if entry.slice == At::ROOT.slice || self.total_len() >= MAX_NODES {
            return None;
        }
        let slice = self.slices.get(entry.slice as usize)?;
        let Row { last_child: previous, visibility, material, .. } = *slice.rows.get(entry.row as usize)?;
        if slice.membership.is_pending_free() {
            return None;
        }
        let mut number = entry.slice;
        let mut end = End { above: entry.row, previous, transform: entry.transform, visibility, material };
        // The new row goes near its parent's, which the entry tells, or near the last sibling's if that is far away. This
        // must be a branch, which is foreseen: as a select it would wait for the parent's row, and so would all that
        // hangs on the new row's number.
        let mut hint = entry.row;
        if ends_far(entry.row, previous) {
            hint = black_box(previous);
        }
        if slice.portal_rows.contains(previous) {
            (number, end) = self.end_behind_portal(At { slice: number, row: previous })?;
            hint = end.previous;
        }
        let End { above, previous, transform, visibility, material } = end;
        let Self { slices, tables, config, versions, counted, feed, .. } = self;
        let slice = slices.get_mut(number as usize)?;

        let has_room = slice.row_slots.has_any()
            && (!MATERIAL || slice.materials.slots.has_any())
            && (!SHAPE || slice.shapes.slots.has_any());
        if !has_room {
            return None;
        }
        // What does not hang on the parent's row comes first, as in a removal.
        let inherited = Slot::inherited(transform.index());
        let mut transform = inherited;
        if TRANSFORM {
            transform = Slot::own(slice.transforms.slots.allocate_after(inherited.index())?);
        }
        let (handle, new) = match tables.take_beside(parent) {
            Some(taken) => taken,
            None => match tables.take(number) {
                Some(taken) => taken,
                None => return slice.give_back(transform),
            },
        };
        // From here on nothing can fail.
        if TRANSFORM {
            let slot = transform.index();
            prefetch(&slice.transforms.locals, slot as usize);
            prefetch(&slice.transforms.parents, slot as usize);
            prefetch(&slice.transforms.worlds, slot as usize);
            slice.transforms.put_plain(slot, inherited.index(), &(*parts.local).into(), &Mat34::IDENTITY);
            slice.transforms.mark(slot);
        }
        let at = slice.row_slots.allocate_near(hint + 1).expect("there is room");
        prefetch(&slice.rows, at as usize);
        *new = Entry::live(handle, At { slice: number, row: at }, transform);
        let mut material = Slot::inherited(material.index());
        if MATERIAL {
            let slot = slice.materials.slots.allocate_near(slice.material_hint(at)).expect("there is room");
            put(&mut slice.materials.values, slot, Some(parts.material));
            material = Slot::own(slot);
        }
        let visibility = Slot::inherited(visibility.index());
        let mut shape = NIL;
        if SHAPE {
            shape = slice.shapes.slots.allocate_near(slice.shape_hint(at)).expect("there is room");
            let [transform, visibility, material] = [transform, visibility, material].map(Slot::index);
            let record =
                ShapeRecord { node: handle.to_bits(), mesh: parts.shape.mesh, transform, visibility, material };
            slice.shapes.put(shape, record, parts.shape.bounds);
            slice.mark_box_stale(shape);
        }
        let beside = select_unpredictable(previous == NIL, above, previous);
        slice.note_place(at, beside + 1);
        let occupant = Occupant::node(handle);
        put(
            &mut slice.rows,
            at,
            Row { parent: above, previous, transform, visibility, material, shape, ..Row::new(occupant) },
        );
        let rows = slice.rows.as_mut_slice();
        let before = &mut rows[beside as usize];
        *select_unpredictable(previous == NIL, &mut before.first_child, &mut before.next) = at;
        match rows.get_mut(above as usize) {
            Some(above) => above.last_child = at,
            None => slice.last_top = at,
        }
        *counted.of_mut(slice.membership) += 1;
        let told = slice.tell_edited_here(versions, TRANSFORM | config.bounds);
        if feed.is_some() {
            slice.trace_owner(at);
            self.note_new(number, handle);
        }
        if !told {
            self.tell_first(number, TRANSFORM);
        }
        Some(handle)
    }
}

/// The end of a chain of siblings, and what a row inherits there.
#[derive(Clone, Copy)]
struct End {
    /// The parent's row, or [`NIL`] for top rows of a slice.
    above: u32,
    /// The last sibling's row, or [`NIL`] if there is none.
    previous: u32,
    transform: Slot,
    visibility: Slot,
    material: Slot,
}

impl Store {
    /// Follows a portal that ends a chain below a node other than the root: the slice behind it, and the end of the
    /// chain there.
    #[inline(never)]
    fn end_behind_portal(&self, portal: At) -> Option<(u32, End)> {
        let At { slice, row: previous } = self.enter_last(portal);
        let end = End { above: NIL, previous, transform: Slot::BASE, visibility: Slot::BASE, material: Slot::BASE };
        self.may_hold(slice, 1).then_some((slice, end))
    }
}

impl Store {
    /// Inserts a checked node at a checked place, whose anchor is at a row. Returns `None`, and changes nothing, if the
    /// scene can have no more nodes.
    #[inline]
    pub(crate) fn insert(&mut self, place: Beside, anchor: At, node: &Node<'_>) -> Option<NodeHandle> {
        if self.total_len() >= MAX_NODES {
            return None;
        }
        let need = Need::of(node);
        let mut spot = self.spot_beside(place, anchor);
        if spot.has_choice() {
            return self.insert_settling(place, spot, node, &need);
        }
        while self.make_room_for_one(&spot, &need) {
            spot = self.spot(place);
        }
        self.insert_node(&spot, node, &need)
    }

    /// Inserts a checked node as the root of a detached subtree. Returns `None`, and changes nothing, if the scene can
    /// have no more nodes.
    pub(crate) fn insert_detached(&mut self, node: &Node<'_>) -> Option<NodeHandle> {
        if self.total_len() >= MAX_NODES {
            return None;
        }
        let need = Need::of(node);
        let slice = self.open_slice(Slice::with_room(&need));
        self.slice_mut(slice).membership = Membership::Detached;
        let handle = self.insert_node(&Spot { slice, parent: NIL, previous: NIL, next: NIL }, node, &need);
        if handle.is_some() {
            self.list_detached(slice);
        } else {
            self.close_slice(slice);
        }
        handle
    }

    /// Inserts a node at a spot where the slice is still to be chosen.
    fn insert_settling(&mut self, place: Beside, spot: Spot, node: &Node<'_>, need: &Need) -> Option<NodeHandle> {
        let appends = self.beside_full(&spot).is_some();
        let mut settled = self.settle(spot, 1);
        while let Settled::Into(spot) = settled
            && self.make_room_for_one(&spot, need)
        {
            settled = self.settle_at(place, 1);
        }
        let (spot, opened) = match settled {
            Settled::Into(spot) => (spot, false),
            Settled::Behind(_) => {
                let slice = self.insert_slice(|store| store.settle_at(place, 1), appends);
                let spot = Spot { slice, parent: NIL, previous: NIL, next: NIL };
                self.make_room_for_one(&spot, need);
                (spot, true)
            }
        };
        let handle = self.insert_node(&spot, node, need);
        if handle.is_none() && opened {
            self.abandon_slice(spot.slice);
        }
        handle
    }

    /// Links a node, whose need is `need` and for which there is room, into the chain at `spot`. Returns `None`, and
    /// changes nothing, if no handle is left.
    #[inline(always)]
    pub(in crate::store) fn insert_node(&mut self, spot: &Spot, node: &Node<'_>, need: &Need) -> Option<NodeHandle> {
        let slice = &mut self.slices[spot.slice as usize];
        let at = slice.allocate_row_number(spot.hint());
        prefetch(&slice.rows, at as usize);
        let [mut transform, mut visibility, mut material] = slice.inherited(spot.parent);
        let place = At { slice: spot.slice, row: at };
        let Some(handle) = self.tables.allocate(spot.slice, place, transform) else {
            slice.row_slots.free(at);
            slice.rows.truncate(slice.row_slots.end() as usize);
            return None;
        };
        let occupant = Occupant::node(handle);
        let (mut shape, mut name) = (NIL, NIL);
        if need.transforms > 0
            && let Some(local) = &node.local
        {
            transform = slice.new_transform(transform, local, &Mat34::IDENTITY);
            self.tables.note_transform(handle, transform);
        }
        if need.visibilities > 0
            && let Some(mask) = node.visibility
        {
            visibility = slice.new_visibility(visibility, mask);
        }
        if need.materials > 0
            && let Some(value) = node.material
        {
            material = slice.new_material(at, value);
        }
        if need.shapes > 0
            && let Some(Shape { mesh, bounds }) = &node.shape
        {
            let [transform, visibility, material] = [transform, visibility, material].map(Slot::index);
            let record = ShapeRecord { node: handle.to_bits(), mesh: *mesh, transform, visibility, material };
            shape = slice.new_shape(record, bounds, slice.shape_hint(at));
        }
        if need.names > 0
            && let Some(text) = node.name
        {
            name = slice.new_name(text.into());
        }
        let row = Row { transform, visibility, material, shape, name, ..Row::new(occupant) };
        slice.link_new(at, row, spot);
        if self.feed.is_some() {
            slice.trace_owner(at);
            self.note_new(spot.slice, handle);
        }
        if need.transforms + need.visibilities > 0 {
            self.tell_moved(spot.slice);
        }
        self.tell_edited(spot.slice);
        *self.counted.of_mut(self.slices[spot.slice as usize].membership) += 1;
        Some(handle)
    }
}

impl Slice {
    /// Frees the transform slot that an insert has taken, if any, where no handle is left; returns the result of that
    /// insert.
    #[cold]
    #[inline(never)]
    fn give_back(&mut self, transform: Slot) -> Option<NodeHandle> {
        if let Some(slot) = transform.as_own() {
            self.transforms.free(slot);
        }
        None
    }
}
