//! Decides when a slice is rebuilt and with how much room: to make room, and to restore depth-first order.
//!
//! Source: the thesis, section 4.4.6.

use crate::Aabb;
use crate::fallible;
use crate::record::Record;
use crate::store::allocation::LinearAllocator;
use crate::store::allocation::scaled;
use crate::store::columns::{
    At, Column, Component, EachColumn, EachComponent, NIL, Row, STORAGES, Storage, each_column, each_component,
};
use crate::store::restructuring::rebuild::{Room, Source, rebuilt};
use crate::store::{Need, Slice, Store};
use bumpalo::Bump;
use std::alloc::{Layout, handle_alloc_error};
use std::collections::TryReserveError;

/// How many rows ahead the entries of handles are prefetched: they are in no order.
const REBOUND_AHEAD: usize = 16;

/// The capacity of a storage after its slice is rebuilt.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) enum Capacity {
    /// For the contents and this much more, or the same as before if that suffices.
    Hold(Need),
    /// Like [`Capacity::Hold`], but at least the expansion factor times the contents.
    Grow(Need, f32),
    /// For the contents and an eighth more, but not more than before.
    Eased,
    /// For the contents and a sixteenth more.
    Tight,
    /// For the contents only.
    Exact,
}

impl Capacity {
    /// The new capacities of a slice.
    fn capacities(self, old: &Slice, most_rows: u32) -> Need {
        let slots = |storage: Storage| {
            let capacity = self.of(storage.of(old), |need| need.slots(storage));
            capacity - u32::from(storage.has_base())
        };
        let all = Need::by_storage(slots);
        Need { rows: all.rows.clamp(1, most_rows), ..all }
    }

    /// The new capacity of one storage.
    fn of(self, slots: &LinearAllocator, additional: impl Fn(&Need) -> u32) -> u32 {
        let live = slots.live();
        match self {
            Self::Hold(need) => slots.capacity().max(live + additional(&need)),
            Self::Grow(need, factor) => {
                let required = live + additional(&need);
                slots.capacity().max(required).max(scaled(live, factor))
            }
            Self::Eased => slots.capacity().min(live + live / 8 + 1),
            Self::Tight => live + live / 16,
            Self::Exact => live,
        }
    }
}

/// Whether packing alone would free an eighth of a storage.
fn packing_suffices(slots: &LinearAllocator, additional: u32) -> bool {
    let eighth = slots.capacity().div_ceil(8);
    slots.has_tail(additional) || slots.live() + additional + eighth <= slots.capacity()
}

impl Store {
    /// Makes room in a full slice. Reconstitutes it at the same capacity if that frees an eighth or more of each
    /// storage that lacks room, else with a capacity grown by the expansion factor. A slice that may not have more rows
    /// is split. The caller must then find the place again and test for room again, since any of the pieces may hold
    /// it.
    ///
    /// A slice that must grow, and that no update has read since it was last in order, grows in place instead: an order
    /// that nobody reads need not be restored.
    #[cold]
    pub(in crate::store) fn make_room(&mut self, slice: u32, need: &Need) {
        if !self.may_hold(slice, need.rows) {
            return self.split(slice);
        }
        let full = self.slice(slice);
        // Near the maximum, there may be room for more rows only after holes are closed.
        let rows_fit = need.rows == 0 || full.row_slots.end() + need.rows <= self.config.max_nodes;
        let in_place = !full.read && rows_fit;
        match self.capacity_for(slice, need) {
            Capacity::Grow(..) if in_place => {
                let factor = self.config.expansion_factor;
                let most = self.config.max_nodes;
                let grown = self.slice_mut(slice).try_grow_in_place(need, factor, most);
                grown.unwrap_or_else(|_| handle_alloc_error(Layout::new::<Row>()));
            }
            capacity => self.reconstitute(slice, capacity),
        }
    }

    /// Whether a slice may hold this many more rows, at any capacity.
    pub(in crate::store) fn may_hold(&self, slice: u32, rows: u32) -> bool {
        self.slice(slice).row_slots.live() + rows <= self.config.max_nodes
    }

    /// The capacity with which a rebuilt slice has room for more.
    pub(in crate::store) fn capacity_for(&self, slice: u32, need: &Need) -> Capacity {
        let full = self.slice(slice);
        let suffices = |storage: Storage| packing_suffices(storage.of(full), need.slots(storage));
        let suffices = Storage::ALL.into_iter().all(suffices);
        if suffices { Capacity::Hold(*need) } else { Capacity::Grow(*need, self.config.expansion_factor) }
    }

    /// Rebuilds a slice in depth-first order. Handles stay valid; rows and slots change.
    ///
    /// Uses only the links and the rows' own slots, so inherited effective slots need not be right before.
    pub(in crate::store) fn reconstitute(&mut self, number: u32, capacity: Capacity) {
        self.reconstitutions += 1;
        let arena = self.scratch.take();
        let mut old = core::mem::take(&mut self.slices[number as usize]);
        let order = old.depth_first_order(&arena);
        let source = |&(row, parent): &(u32, u32)| Source { row, parent, portal: 0 };
        let sources = arena.alloc_slice_fill_iter(order.iter().map(source));
        let room = Room::For(capacity.capacities(&old, self.config.max_nodes));
        let new = rebuilt(&mut old, sources, NIL, room, &arena);
        self.slices[number as usize] = new.replacing(old);
        self.rebind_handles(number);
        self.scratch.give_back(arena);
    }

    /// Updates handles and the slices below after the rows of a slice have moved in a rebuild.
    pub(in crate::store) fn rebind_handles(&mut self, number: u32) {
        self.tell_rebuilt(number);
        let Self { slices, tables, .. } = self;
        let rows = core::mem::take(&mut slices[number as usize].rows);
        let mut children = core::mem::take(&mut slices[number as usize].children);
        let mut boxes = slices[number as usize].boxes.take();
        let boxes_before = boxes.as_mut().map(|boxes| core::mem::take(&mut boxes.children)).unwrap_or_default();
        let mut elsewhere = Vec::new();
        for (place, row) in (0..).zip(&rows) {
            if let Some(ahead) = rows.get(place as usize + REBOUND_AHEAD).and_then(|row| row.occupant.as_node()) {
                tables.prefetch(ahead);
            }
            let at = At { slice: number, row: place };
            if let Some(handle) = row.occupant.as_node() {
                tables.relocate(handle, at, row.transform);
            } else if let Some(child) = row.occupant.as_portal() {
                let moved = &mut slices[child as usize];
                let stays = moved.portal.slice == number;
                if let Some(boxes) = &mut boxes {
                    let before = boxes_before.get(moved.child_index as usize).filter(|_| stays);
                    boxes.children.push(before.unwrap_or(Aabb::INFINITE));
                }
                moved.portal = at;
                moved.child_index = u32::try_from(children.len()).expect("a slice has fewer portals than rows");
                elsewhere.extend((moved.merge_candidate && !stays).then_some(child));
                children.push(child);
            }
        }
        slices[number as usize].rows = rows;
        slices[number as usize].children = children;
        slices[number as usize].boxes = boxes;
        elsewhere.into_iter().for_each(|child| self.wake(child));
        self.note_rebuilt(number);
    }
}

/// Makes room in every array for the new capacity of its storage.
struct Reserve<'s> {
    slice: &'s mut Slice,
    capacities: [u32; STORAGES],
}

impl Reserve<'_> {
    fn reserve<T>(&mut self, column: &Column<T>) -> Result<(), TryReserveError> {
        fallible::reserve_for((column.of_mut)(self.slice), self.capacities[column.storage as usize] as usize)
    }
}

impl EachColumn for Reserve<'_> {
    type Error = TryReserveError;

    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), TryReserveError> {
        self.reserve(column)
    }

    fn names(&mut self, column: &Column<Box<str>>) -> Result<(), TryReserveError> {
        self.reserve(column)
    }
}

impl EachComponent for Reserve<'_> {
    type Error = TryReserveError;

    fn component<C: Component>(&mut self) -> Result<(), TryReserveError> {
        C::of_mut(self.slice).try_reserve(self.capacities[C::STORAGE as usize])
    }
}

impl Slice {
    /// Raises the capacity of every storage that needs it, without moving records: room for `need` after the end, and
    /// at least `factor` times the contents, but at most `most` rows. On an error every storage is unchanged, except
    /// for unused memory.
    pub(in crate::store) fn try_grow_in_place(
        &mut self,
        need: &Need,
        factor: f32,
        most: u32,
    ) -> Result<(), TryReserveError> {
        let capacities = Storage::ALL.map(|storage| {
            let slots = storage.of(self);
            let capacity = slots.capacity().max(slots.end() + need.slots(storage)).max(scaled(slots.live(), factor));
            if storage == Storage::Rows { capacity.min(most.max(slots.capacity())) } else { capacity }
        });
        each_column(&mut Reserve { slice: self, capacities })?;
        each_component(&mut Reserve { slice: self, capacities })?;
        for (storage, capacity) in Storage::ALL.into_iter().zip(capacities) {
            storage.of_mut(self).set_capacity(capacity);
        }
        Ok(())
    }

    /// All rows in depth-first order, each with the place of its parent in that order, or [`NIL`].
    pub(in crate::store) fn depth_first_order<'b>(&self, arena: &'b Bump) -> &'b [(u32, u32)] {
        let mut order = bumpalo::collections::Vec::with_capacity_in(self.row_slots.live() as usize, arena);
        let mut pending = bumpalo::collections::Vec::with_capacity_in(64, arena);
        // Following links waits for one row after the other. Reading all rows in memory order first brings them into
        // the cache.
        core::hint::black_box(self.rows.iter().fold(0, |all, row| all | row.next));
        if self.first_top != NIL {
            pending.push((self.first_top, NIL));
        }
        while let Some((row, parent)) = pending.pop() {
            let Row { next, first_child, .. } = *self.row(row);
            if next != NIL {
                pending.push((next, parent));
            }
            if first_child != NIL {
                let place = u32::try_from(order.len()).expect("rows number less than 2^31");
                pending.push((first_child, place));
            }
            order.push((row, parent));
        }
        order.into_bump_slice()
    }
}
