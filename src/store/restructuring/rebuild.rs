//! Rebuilds a slice, whole or in part, from the rows of an old one in a given order: rows first, then array after
//! array.
//!
//! Source: the thesis, section 4.4.6. Linear, because children and parents are found without searching.

use crate::record::Record;
use crate::store::allocation::{HoleSet, LinearAllocator, scaled};
use crate::store::columns::{
    At, Column, Component, EachColumn, EachComponent, NIL, Occupant, Renumbered, Row, STORAGES, Slot, Storage,
    each_column, each_component,
};
use crate::store::{Need, Slice};
use bumpalo::Bump;
use core::convert::Infallible;
use core::hint::select_unpredictable;
use hedgerow_math::internal::prefetch;

/// How many rows ahead an old row is prefetched: old rows are in no order.
const AHEAD: usize = 8;

/// A row of the new slice: a row of the old one, or a portal to a slice that was cut out of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// The old row, or [`NIL`] for a portal.
    pub(super) row: u32,
    /// The place of its parent among the sources, or [`NIL`] for a top row.
    pub(super) parent: u32,
    /// The slice that a portal leads to.
    pub(super) portal: u32,
}

impl Source {
    /// Placeholder for a row that is not set yet.
    pub(super) const NONE: Self = Self { row: NIL, parent: NIL, portal: 0 };
}

/// How much room a slice is made with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Room {
    /// Room for this need.
    For(Need),
    /// Its contents times a factor, with at most this many rows.
    Times(f32, u32),
}

impl Room {
    /// The capacity of a storage for `live` slots, including the base.
    fn of(self, storage: Storage, live: u32) -> u32 {
        let base = u32::from(storage.has_base());
        match self {
            Self::For(need) => need.slots(storage) + base,
            Self::Times(factor, most) if storage == Storage::Rows => scaled(live, factor).min(most).max(live),
            Self::Times(factor, _) => scaled(live - base, factor) + base,
        }
    }
}

/// The old slots of one storage in their new order, and a number for each.
struct Slots<'b> {
    old: &'b mut [u32],
    /// For transforms and visibilities the new slot of the parent, for shapes the new row.
    beside: &'b mut [u32],
    len: usize,
}

impl<'b> Slots<'b> {
    /// No slots, with room for one for each row, and for the base if there is one; `base` is its old slot.
    fn new(bump: &'b Bump, rows: usize, base: Option<Slot>) -> Self {
        let old: &mut [u32] = bump.alloc_slice_fill_copy(rows + 1, 0);
        let beside: &mut [u32] = bump.alloc_slice_fill_copy(rows + 1, 0);
        old[0] = base.map_or(0, Slot::index);
        Self { old, beside, len: usize::from(base.is_some()) }
    }

    /// Adds a slot if `is` is 1, without a branch. Returns the new slot if it was added.
    #[inline(always)]
    fn add_if(&mut self, old: u32, beside: u32, is: u32) -> u32 {
        self.old[self.len] = old;
        self.beside[self.len] = beside;
        let slot = number(self.len);
        self.len += is as usize;
        slot
    }

    fn old(&self) -> &[u32] {
        &self.old[..self.len]
    }

    fn beside(&self) -> &[u32] {
        &self.beside[..self.len]
    }
}

/// Converts to a place in a list; slices have less than 2³¹ rows.
#[expect(clippy::cast_possible_truncation, reason = "rows number less than 2^31")]
fn number(place: usize) -> u32 {
    place as u32
}

/// Builds a slice from the sources, whose order puts every row after its parent. The new slice inherits what the
/// children of row `below`, or the top rows, inherited in the old slice. It is marked for the update as the old one is.
/// Names are moved, everything else is copied. Runs in **O(sources)**.
pub(super) fn rebuilt(old: &mut Slice, sources: &[Source], below: u32, room: Room, bump: &Bump) -> Slice {
    let inherited = old.inherited(below);
    let [transform, visibility, material] = inherited;
    let rows = sources.len();
    let mut slots = [
        Slots::new(bump, 0, None),
        Slots::new(bump, rows, Some(transform)),
        Slots::new(bump, rows, Some(visibility)),
        Slots::new(bump, rows, Some(material)),
        Slots::new(bump, rows, None),
        Slots::new(bump, if old.names.slots.live() > 0 { rows } else { 0 }, None),
    ];
    let mut new =
        Slice { first_top: NIL, last_top: NIL, portal: At::NONE, lives: true, read: false, ..Slice::default() };
    new.rows.reserve_exact(room.of(Storage::Rows, number(rows)) as usize);
    for (at, source) in sources.iter().enumerate() {
        if let Some(ahead) = sources.get(at + AHEAD) {
            prefetch(&old.rows, ahead.row as usize);
        }
        let row = match old.rows.get(source.row as usize) {
            Some(row) => *row,
            None => Row::new(Occupant::portal(source.portal)),
        };
        new.append_row(row, source.parent, &mut slots);
    }

    let ends = slots.each_ref().map(|slots| number(slots.len));
    let Ok(()) = each_column(&mut Gather { old, new: &mut new, slots: &slots, room });
    for storage in Storage::ALL {
        let end = if storage == Storage::Rows { number(rows) } else { ends[storage as usize] };
        *storage.of_mut(&mut new) = LinearAllocator::restored(end, room.of(storage, end), HoleSet::default());
    }
    let Ok(()) = each_component(&mut Companions { old, new: &mut new, slots: &slots, below });
    new
}

impl Slice {
    /// Appends a row with its future slots, and links it as the last child of its parent.
    #[inline(always)]
    fn append_row(&mut self, row: Row, parent: u32, slots: &mut [Slots<'_>; STORAGES]) {
        let at = number(self.rows.len());
        let [_, transforms, visibilities, materials, shapes, names] = slots;
        let [transform, visibility, material] = self.inherited(parent);
        let own = |own: Slot, inherited: Slot, slots: &mut Slots<'_>| {
            let slot = slots.add_if(own.index(), inherited.index(), own.is_own());
            select_unpredictable(own.is_own() != 0, Slot::own(slot), inherited)
        };
        let transform = own(row.transform, transform, transforms);
        let material = own(row.material, material, materials);
        // Few nodes have a visibility or a name, so these branches are easy to predict.
        let visibility =
            if row.visibility.is_own() != 0 { own(row.visibility, visibility, visibilities) } else { visibility };
        let has_shape = u32::from(row.shape != NIL);
        let shape = shapes.add_if(row.shape, at, has_shape);
        let shape = select_unpredictable(has_shape != 0, shape, NIL);
        let name = if row.name == NIL { NIL } else { names.add_if(row.name, at, 1) };
        if row.occupant.as_portal().is_some() {
            self.transforms.portal_slots.insert(transform.index());
            self.portal_rows.insert(at);
        }
        let previous = match self.rows.get_mut(parent as usize) {
            Some(above) => core::mem::replace(&mut above.last_child, at),
            None => core::mem::replace(&mut self.last_top, at),
        };
        if let Some(before) = self.rows.get_mut(previous as usize) {
            before.next = at;
        } else if let Some(above) = self.rows.get_mut(parent as usize) {
            above.first_child = at;
        } else {
            self.first_top = at;
        }
        let links = Row { parent, previous, ..Row::new(row.occupant) };
        self.rows.push(Row { transform, visibility, material, shape, name, ..links });
    }

    /// The slice in the place of an old one that it was rebuilt from.
    pub(super) fn replacing(mut self, mut old: Self) -> Self {
        // The caller lists the children again, in order. The lists keep the memory that they need.
        let present = old.children.len();
        old.children.clear();
        old.children.shrink_to(2 * present);
        old.marked_children.shrink_to(2 * present);
        if let (Some(boxes), Some(old)) = (&mut self.boxes, &mut old.boxes) {
            boxes.children = core::mem::take(&mut old.children);
        }
        Self {
            children: old.children,
            marked_children: old.marked_children,
            candidates_below: old.candidates_below,
            portal: old.portal,
            child_index: old.child_index,
            marked: old.marked,
            edited: old.edited,
            merge_candidate: old.merge_candidate,
            membership: old.membership,
            layout: old.layout,
            ..self
        }
    }
}

/// Copies the records of old slots to the arrays of a new slice. The rows are already there.
struct Gather<'g, 'b> {
    old: &'g mut Slice,
    new: &'g mut Slice,
    slots: &'g [Slots<'b>; STORAGES],
    room: Room,
}

impl Gather<'_, '_> {
    /// Makes room in an array. Returns the old slots of its records.
    fn reserve<T>(&mut self, column: &Column<T>) -> &[u32] {
        let slots = self.slots[column.storage as usize].old();
        let capacity = self.room.of(column.storage, number(slots.len()));
        (column.of_mut)(self.new).reserve_exact(capacity as usize);
        slots
    }
}

impl EachColumn for Gather<'_, '_> {
    type Error = Infallible;

    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), Infallible> {
        if column.storage != Storage::Rows {
            self.reserve(column);
            let from = (column.of)(self.old).as_slice();
            let slots = self.slots[column.storage as usize].old();
            (column.of_mut)(self.new).extend(slots.iter().map(|&slot| from[slot as usize]));
        }
        Ok(())
    }

    fn names(&mut self, column: &Column<Box<str>>) -> Result<(), Infallible> {
        self.reserve(column);
        let from = (column.of_mut)(self.old);
        let slots = self.slots[column.storage as usize].old();
        (column.of_mut)(self.new).extend(slots.iter().map(|&slot| core::mem::take(&mut from[slot as usize])));
        Ok(())
    }
}

/// Takes over what stands beside the records.
struct Companions<'g, 'b> {
    old: &'g Slice,
    new: &'g mut Slice,
    slots: &'g [Slots<'b>; STORAGES],
    below: u32,
}

impl EachComponent for Companions<'_, '_> {
    type Error = Infallible;

    fn component<C: Component>(&mut self) -> Result<(), Infallible> {
        let slots = &self.slots[C::STORAGE as usize];
        C::rebuild(self.new, self.old, &Renumbered { old: slots.old(), beside: slots.beside() }, self.below);
        Ok(())
    }
}
