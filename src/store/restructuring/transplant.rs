//! Moving rows between slices: first the rows, which decides where the slots of their components go, then array after
//! array.

use crate::record::Record;
use crate::store::columns::{
    At, Column, Component, EachColumn, EachComponent, Move, NIL, NewParent, Row, STORAGES, Storage, each_column,
    each_component, put,
};
use crate::store::{Need, Slice, Spot, Store};
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use core::convert::Infallible;

/// What rows that go to another slice bring to be updated there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Marks {
    /// All of it: they inherit something new.
    Set,
    /// What was to be updated before: they inherit what they did.
    Keep,
}

impl Store {
    /// Moves a run of subtrees on no chain, from `first` to the end of its links, into another slice that has room, in
    /// depth-first order. O(rows moved).
    pub(in crate::store) fn transplant(&mut self, from: u32, first: u32, spot: &Spot, marks: Marks) {
        debug_assert_ne!(from, spot.slice);
        self.unlinked_from = None;
        let arena = self.scratch.take();
        let [source, target] = self
            .slices
            .get_disjoint_mut([from as usize, spot.slice as usize])
            .expect("a transplant is between two slices");
        let above = source.row(first).parent;
        let parent = NewParent {
            from: source.inherited(above),
            to: target.inherited(spot.parent),
            // A mark of the base stands for all slots, wherever they hang: a slice that was rebuilt while it was
            // updated has it.
            all: marks == Marks::Set || source.transforms.dirty.contains(0),
        };
        let mut moves = Moves::of_run(source, first, &arena);
        source.move_rows(target, spot, &mut moves);
        let Ok(()) = each_column(&mut CopyRecords { source, target, moves: &moves });
        let Ok(()) = each_component(&mut MoveCompanions { source, target, moves: &moves, parent });
        if let Some(feed) = &mut self.feed {
            source.note_passed(target, moves.of(Storage::Rows), above, spot.parent, feed);
            feed.list_uncommitted(spot.slice, target);
            feed.received.add(spot.slice);
        }
        let Ok(()) = each_component(&mut FreeSlots { slice: source, moves: &moves });
        source.misplaced = source.misplaced.saturating_add(1);
        let rows = moves.of(Storage::Rows);
        for row in rows {
            let at = At { slice: spot.slice, row: row.new };
            let Row { occupant, transform, .. } = *self.row(at);
            if let Some(handle) = occupant.as_node() {
                self.tables.relocate(handle, at, transform);
            } else if let Some(child) = occupant.as_portal() {
                self.disown(child);
                match marks {
                    Marks::Set => self.adopt(at, child),
                    Marks::Keep => self.adopt_in_step(at, child),
                }
            }
        }
        for row in rows.iter().rev() {
            self.slices[from as usize].free_row(row.old);
        }
        for row in [rows.first(), rows.last()].into_iter().flatten() {
            self.wake_beside(At { slice: spot.slice, row: row.new });
        }
        drop(moves);
        self.scratch.give_back(arena);
        if marks == Marks::Keep {
            self.note_layout(spot.slice);
        }
        if marks == Marks::Set || self.slice(spot.slice).is_dirty() {
            self.tell_moved(spot.slice);
        }
        self.tell_edited(spot.slice);
        self.tell_edited(from);
    }
}

/// What goes to another slice, by storage: rows in depth-first order, and their own slots in the same order.
struct Moves<'b>([BumpVec<'b, Move>; STORAGES]);

impl<'b> Moves<'b> {
    /// The rows of a run, from `first` to the end of its links, which go nowhere yet; with room for their slots.
    fn of_run(slice: &Slice, first: u32, arena: &'b Bump) -> Self {
        let mut rows = BumpVec::new_in(arena);
        let mut need = Need::default();
        let mut top = first;
        while top != NIL {
            for row in slice.subtree(top) {
                rows.push(Move { old: row, new: NIL, row: NIL });
                need.add(slice.row(row));
            }
            top = slice.row(top).next;
        }
        let mut moves = Storage::ALL.map(|storage| {
            BumpVec::with_capacity_in(if storage == Storage::Rows { 0 } else { need.slots(storage) as usize }, arena)
        });
        moves[Storage::Rows as usize] = rows;
        Self(moves)
    }

    fn of(&self, storage: Storage) -> &[Move] {
        &self.0[storage as usize]
    }
}

impl Slice {
    /// Moves the rows of a run to a place in another slice, and decides where the slots of their components go; what is
    /// in these stays behind.
    fn move_rows(&mut self, target: &mut Self, spot: &Spot, moves: &mut Moves<'_>) {
        let [rows, slots @ ..] = &mut moves.0;
        let above = rows.first().map_or(NIL, |first| self.row(first.old).parent);
        let (mut run, mut hint) = (*spot, spot.hint());
        for place in rows {
            let row = *self.row(place.old);
            let to = target.allocate_row_number(hint);
            let is_top = row.parent == above;
            let chain = if is_top {
                Spot { previous: core::mem::replace(&mut run.previous, to), ..run }
            } else {
                // The parent was moved before, and left the row that it went to in its old one's link.
                let parent = self.row(row.parent).last_child;
                Spot { parent, previous: target.row(parent).last_child, next: NIL, ..run }
            };
            let mut moved = target.inheriting_row(row.occupant, chain.parent);
            let Ok(()) = each_component(&mut TakeSlots { target, row: &row, to, moved: &mut moved, slots });
            target.link_new(to, moved, &chain);
            if row.occupant.as_portal().is_some() {
                target.portal_rows.insert(to);
            }
            // The old row's link is no longer needed, and tells the children where their parent went.
            self.row_mut(place.old).last_child = to;
            (place.new, place.row) = (to, to);
            hint = to + 1;
        }
    }
}

/// Takes slots for the components of a row, and notes what goes there.
struct TakeSlots<'m, 'b> {
    target: &'m mut Slice,
    row: &'m Row,
    to: u32,
    moved: &'m mut Row,
    slots: &'m mut [BumpVec<'b, Move>; STORAGES - 1],
}

impl EachComponent for TakeSlots<'_, '_> {
    type Error = Infallible;

    #[inline(always)]
    fn component<C: Component>(&mut self) -> Result<(), Infallible> {
        if let Some(old) = self.row.own(C::STORAGE) {
            let new = self.target.take_slot(C::STORAGE, self.moved, self.to);
            self.moved.set_own(C::STORAGE, new);
            self.slots[C::STORAGE as usize - 1].push(Move { old, new, row: self.to });
        }
        Ok(())
    }
}

/// Copies records to their new slots; rows are there already.
struct CopyRecords<'m, 'b> {
    source: &'m mut Slice,
    target: &'m mut Slice,
    moves: &'m Moves<'b>,
}

impl EachColumn for CopyRecords<'_, '_> {
    type Error = Infallible;

    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), Infallible> {
        if column.storage != Storage::Rows {
            let (from, to) = ((column.of)(self.source), (column.of_mut)(self.target));
            self.moves.of(column.storage).iter().for_each(|slot| put(to, slot.new, from[slot.old as usize]));
        }
        Ok(())
    }

    fn names(&mut self, column: &Column<Box<str>>) -> Result<(), Infallible> {
        let (from, to) = ((column.of_mut)(self.source), (column.of_mut)(self.target));
        let slots = self.moves.of(column.storage).iter();
        slots.for_each(|slot| put(to, slot.new, core::mem::take(&mut from[slot.old as usize])));
        Ok(())
    }
}

/// Moves what stands beside the records.
struct MoveCompanions<'m, 'b> {
    source: &'m mut Slice,
    target: &'m mut Slice,
    moves: &'m Moves<'b>,
    parent: NewParent,
}

impl EachComponent for MoveCompanions<'_, '_> {
    type Error = Infallible;

    fn component<C: Component>(&mut self) -> Result<(), Infallible> {
        C::receive(self.target, self.source, self.moves.of(C::STORAGE), &self.parent);
        Ok(())
    }
}

/// Frees the slots that were moved from.
struct FreeSlots<'m, 'b> {
    slice: &'m mut Slice,
    moves: &'m Moves<'b>,
}

impl EachComponent for FreeSlots<'_, '_> {
    type Error = Infallible;

    fn component<C: Component>(&mut self) -> Result<(), Infallible> {
        self.moves.of(C::STORAGE).iter().rev().for_each(|slot| C::free(self.slice, slot.old));
        Ok(())
    }
}
