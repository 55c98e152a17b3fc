//! Moving rows between slices, and taking slices out of the chain of portals.

use crate::store::columns::{At, NIL, Occupant, Row};
use crate::store::restructuring::merge::Partner;
use crate::store::{Need, Place, Settled, Slice, Spot, Store, VisibilityColumn};
use crate::{NodeHandle, Shape};
use std::alloc::{Layout, handle_alloc_error};

/// No place takes so many splits until a subtree fits there.
const MOST_SPLITS: u32 = 16;

/// A subtree on no chain, between its old place and its new one.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) enum Floating {
    /// A row and what hangs below it, in a slice that holds other nodes too.
    Rows(At),
    /// A slice that holds nothing else, without a portal.
    Slice(u32),
}

impl Store {
    /// Takes a subtree off its chain. Slices that held nothing but portals to it go.
    pub(in crate::store) fn float(&mut self, at: At) -> Floating {
        self.tell_edited(at.slice);
        let slice = &mut self.slices[at.slice as usize];
        if !slice.is_alone(at.row) {
            slice.unlink_run(at.slice, at.row, at.row);
            self.floats_from = Some(at.slice);
            return Floating::Rows(at);
        }
        if slice.portal == At::NONE {
            self.unlist_detached(at.slice);
        } else {
            self.drop_portal_of(at.slice);
        }
        Floating::Slice(at.slice)
    }

    /// Removes the portal of a slice, and with it each slice above that holds no other row.
    pub(in crate::store) fn drop_portal_of(&mut self, slice: u32) {
        let mut child = slice;
        loop {
            let portal = self.unhang(child);
            if child != slice {
                self.close_slice(child);
            }
            if self.slice(portal.slice).first_top == NIL {
                child = portal.slice;
            } else {
                self.collapse(portal.slice);
                return;
            }
        }
    }

    /// Has no slice hold one portal and nothing else: that goes to a neighbouring run of portals, where there is one, or is
    /// given company from there; else it takes the place of the portal of its slice.
    pub(in crate::store) fn collapse(&mut self, slice: u32) {
        let mut number = slice;
        loop {
            let Slice { first_top, ref row_slots, portal, lives, .. } = self.slices[number as usize];
            if !lives || portal == At::NONE || row_slots.live() != 1 {
                return;
            }
            let top = At { slice: number, row: first_top };
            let Some(child) = self.row(top).occupant.as_portal() else { return };
            let Some(partner) = self.run_of_portals_beside(portal) else {
                self.disown(child);
                self.disown(number);
                self.close_slice(number);
                self.slices[portal.slice as usize].row_mut(portal.row).occupant = Occupant::portal(child);
                self.adopt(portal, child);
                self.wake_beside(portal);
                self.tell_edited(portal.slice);
                return;
            };
            let (Partner::Before(other) | Partner::Behind(other)) = partner else { return };
            if !self.may_hold(other, 1) {
                self.take_portal_from(number, other, partner);
                return;
            }
            self.join(number, partner);
            self.unhang(number);
            self.close_slice(number);
            number = portal.slice;
        }
    }

    /// A slice beside a portal in its run that holds portals alone, too.
    fn run_of_portals_beside(&self, portal: At) -> Option<Partner> {
        let links = self.row(portal);
        let run = |row: u32| {
            let other = (row != NIL).then(|| self.row(At { row, ..portal }).occupant.as_portal())??;
            self.holds_portals_alone(other).then_some(other)
        };
        run(links.previous).map(Partner::Before).or_else(|| run(links.next).map(Partner::Behind))
    }

    /// Moves the nearest portal of a neighbouring run to a slice that holds a single one.
    fn take_portal_from(&mut self, number: u32, other: u32, partner: Partner) {
        self.make_room_for_all(number, &Need::PORTAL);
        let Slice { first_top, last_top, .. } = self.slices[number as usize];
        let (row, spot) = match partner {
            Partner::Before(_) => {
                let spot = Spot { slice: number, parent: NIL, previous: NIL, next: first_top };
                (self.slice(other).last_top, spot)
            }
            Partner::Behind(_) | Partner::Above => {
                let spot = Spot { slice: number, parent: NIL, previous: last_top, next: NIL };
                (self.slice(other).first_top, spot)
            }
        };
        self.slices[other as usize].unlink_run(other, row, row);
        self.transplant(other, row, &spot, Marks::Keep);
    }

    /// How many rows a floating subtree has in its own slice, counted up to `min_nodes`: what is as large shares nothing.
    pub(in crate::store) fn floating_rows(&self, floating: Floating) -> usize {
        match floating {
            Floating::Rows(at) => self.slice(at.slice).subtree(at.row).take(self.config.min_nodes as usize).count(),
            Floating::Slice(slice) => self.slice(slice).nodes(),
        }
    }

    /// Makes room for a node with all below it at a checked place, while it is where it was: then every slice may be split,
    /// beside its portal too. Returns where the node is then, and how many rows it brings, as [`Self::floating_rows`] counts
    /// them, where that decides in which slice it settles.
    pub(in crate::store) fn make_room_to_land(&mut self, mut at: At, place: Place) -> (At, usize) {
        let mut splits = 0;
        loop {
            let spot = self.spot(place);
            let alone = self.slice(at.slice).is_alone(at.row);
            let floating = if alone { Floating::Slice(at.slice) } else { Floating::Rows(at) };
            let rows = if spot.has_choice() { self.floating_rows(floating) } else { 0 };
            if alone || spot.slice == at.slice || splits == MOST_SPLITS {
                return (at, rows);
            }
            splits += 1;
            let settled = self.settle(spot, rows);
            let (spot, into) = (settled.spot(), matches!(settled, Settled::Into(_)));
            let need = self.slice(at.slice).need_of(at.row);
            if into && (spot.slice == at.slice || self.may_hold(spot.slice, need.rows)) {
                return (at, rows);
            }
            let node = self.handle(at);
            if into && need.rows <= self.config.max_nodes / 4 {
                self.split(spot.slice);
            } else if !self.make_room_for_portal(&self.spot_for_portal(spot)) {
                return (at, rows);
            }
            at = self.resolve(node).expect("rows that move keep their handles");
        }
    }

    /// Puts a floating subtree to the spot that `find` answers. `find` is asked again when rows have moved.
    ///
    /// While rows float their slice must not be rebuilt, which would lose them: it is left as it is wherever they go.
    pub(in crate::store) fn land(&mut self, floating: Floating, find: impl Fn(&Self) -> Settled) {
        match floating {
            Floating::Rows(from) => {
                let settled = find(self);
                let spot = settled.spot();
                let into = matches!(settled, Settled::Into(_));
                if into && spot.slice == from.slice {
                    return self.relink_within(from, &spot);
                }
                let need = self.slice(from.slice).need_of(from.row);
                if into && self.may_hold(spot.slice, need.rows) {
                    let spot = self.spot_with_room(spot, &need, &find);
                    self.transplant(from.slice, from.row, &spot, Marks::Set);
                } else {
                    let beside = self.spot_for_portal(spot);
                    let fits = || {
                        self.slice(beside.slice).fits_one(&Need::PORTAL, beside.parent, self.config.storage.reuse_holes)
                    };
                    if beside.slice == from.slice && (self.is_among_nodes(&beside) || !fits()) {
                        return self.relink_within(from, &beside);
                    }
                    let slice = self.insert_slice(find, false);
                    self.fill_slice(slice, from);
                }
                self.collapse(from.slice);
            }
            Floating::Slice(slice) => {
                self.slices[slice as usize].isolated = false;
                let row = self.slice(slice).first_top;
                let small = self.slice(slice).nodes() < self.config.min_nodes as usize;
                let need = if small { self.slice(slice).need_of(row) } else { Need::default() };
                match find(self) {
                    Settled::Into(spot) if small && self.may_hold(spot.slice, need.rows) => {
                        let spot = self.spot_with_room(spot, &need, &find);
                        self.transplant(slice, row, &spot, Marks::Set);
                        self.close_slice(slice);
                    }
                    Settled::Into(_) | Settled::Behind(_) => self.insert_portal_where(find, slice),
                }
            }
        }
    }

    /// Links floating rows elsewhere in their slice.
    fn relink_within(&mut self, from: At, spot: &Spot) {
        self.floats_from = None;
        let slice = &mut self.slices[from.slice as usize];
        slice.link(from.row, spot);
        slice.misplaced = slice.misplaced.saturating_add(1);
        self.note_relinked(from.slice, from.row);
        self.update_effective_slots(from.slice, from.row);
    }

    /// The spot, found again if the slice had to be rebuilt to hold what it needs, which it may.
    fn spot_with_room(&mut self, spot: Spot, need: &Need, find: impl Fn(&Self) -> Settled) -> Spot {
        if self.make_room_for_all(spot.slice, need) { find(self).spot() } else { spot }
    }

    /// Hangs a slice behind a portal at the spot that `find` returns, or beside the portal of the run that this is in.
    pub(in crate::store) fn insert_portal_where(&mut self, find: impl Fn(&Self) -> Settled, child: u32) {
        let spot = loop {
            let spot = self.spot_for_portal(find(self).spot());
            if !self.make_room_for_portal(&spot) {
                break spot;
            }
        };
        self.insert_portal(&spot, child);
    }

    /// Makes sure that a portal can stand at a spot: in the middle of a run of nodes the run is split there, so that the portal
    /// comes between both parts; `true` if rows may have moved: then the spot is to be found again, and asked about again.
    pub(in crate::store) fn make_room_for_portal(&mut self, spot: &Spot) -> bool {
        let splits =
            self.is_among_nodes(spot) && self.floats_from.is_none() && self.slice(spot.slice).portal != At::NONE;
        if splits && self.split_before(spot.slice, spot.next) {
            return true;
        }
        self.make_room_for_one(spot, &Need::PORTAL)
    }

    /// Whether a spot is between two top rows of a slice that holds nodes.
    fn is_among_nodes(&self, spot: &Spot) -> bool {
        spot.parent == NIL && spot.previous != NIL && spot.next != NIL && !self.holds_portals_alone(spot.slice)
    }

    /// Opens an empty slice behind a portal at the spot that `find` returns: a large one where siblings are being added one behind
    /// the other, which `appends` says.
    pub(in crate::store) fn insert_slice(&mut self, find: impl Fn(&Self) -> Settled, appends: bool) -> u32 {
        let beside = if appends { self.need_beside(&find(self).spot()) } else { None };
        let slice = match beside {
            Some(need) => Slice::with_room(&need),
            None => self.next_slice(),
        };
        let slice = self.open_slice(slice);
        self.insert_portal_where(find, slice);
        slice
    }

    /// How much room to give to a slice that is to stand behind one that is full, which tells that siblings are being added one
    /// behind the other: half of what that has, and all where the one before it is full, too. `None` at other places.
    fn need_beside(&self, spot: &Spot) -> Option<Need> {
        let full = |row: u32| {
            let child = (row != NIL).then(|| self.row(At { slice: spot.slice, row }).occupant.as_portal())??;
            (!self.may_hold(child, 1)).then_some(child)
        };
        if self.reserved.is_some() {
            return None;
        }
        let child = full(spot.previous)?;
        let again = full(self.row(At { slice: spot.slice, row: spot.previous }).previous).is_some();
        let need = Need::held_by(self.slice(child));
        Some(if again { need } else { need.times(0.5, self.config.max_nodes) })
    }

    /// Moves a floating subtree into an empty slice.
    pub(in crate::store) fn fill_slice(&mut self, slice: u32, from: At) {
        let need = self.slice(from.slice).need_of(from.row);
        let grown = self.slice_mut(slice).try_grow_in_place(&need, 1.0, NIL);
        grown.unwrap_or_else(|_| handle_alloc_error(Layout::new::<Row>()));
        self.transplant(from.slice, from.row, &Spot { slice, parent: NIL, previous: NIL, next: NIL }, Marks::Set);
    }

    /// Moves a run of subtrees on no chain, from `first` to the end of its links, into another slice that has room, in
    /// depth-first order. O(rows moved).
    pub(in crate::store) fn transplant(&mut self, from: u32, first: u32, spot: &Spot, marks: Marks) {
        debug_assert_ne!(from, spot.slice);
        self.floats_from = None;
        let reuse = self.config.storage.reuse_holes;
        let mut order = core::mem::take(&mut self.order);
        order.clear();

        let [source, target] = self
            .slices
            .get_disjoint_mut([from as usize, spot.slice as usize])
            .expect("a transplant is between two slices");
        let carry = Carry::new(source, first, target, spot, marks);
        let (mut top, mut run) = (first, *spot);
        let mut wish = run.hint();
        while top != NIL {
            let start = order.len();
            order.extend(source.subtree(top).map(|row| (row, NIL)));
            for (row, to) in &mut order[start..] {
                let chain = if *row == top {
                    run
                } else {
                    // The parent was moved before, and left the row that it went to in its old one's link.
                    let parent = source.row(source.row(*row).parent).last_child;
                    Spot { slice: run.slice, parent, previous: target.row(parent).last_child, next: NIL }
                };
                *to = source.move_row(*row, target, wish, reuse, &chain, &carry);
                // The old row's link is no longer needed, and tells the children where their parent went.
                source.row_mut(*row).last_child = *to;
                wish = *to + 1;
            }
            run.previous = source.row(top).last_child;
            top = source.row(top).next;
        }
        if let Some(feed) = &mut self.feed {
            target.take_history(source, &order, source.row(first).parent, spot.parent, feed);
            feed.list_uncommitted(spot.slice, target);
        }
        for &(row, _) in &order {
            source.free_components(row);
        }
        source.misplaced = source.misplaced.saturating_add(1);
        for &(_, to) in &order {
            let at = At { slice: spot.slice, row: to };
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
        for &(row, _) in order.iter().rev() {
            self.slices[from as usize].free_row(row);
        }
        for &(_, row) in [order.first(), order.last()].into_iter().flatten() {
            self.wake_beside(At { slice: spot.slice, row });
        }
        self.order = order;
        if marks == Marks::Keep {
            self.note_layout(spot.slice);
        }
        if marks == Marks::Set || self.slice(spot.slice).is_dirty() {
            self.tell_moved(spot.slice);
        }
        self.tell_edited(spot.slice);
        self.tell_edited(from);
    }

    /// Removes a node without children that is not its slice's only top.
    #[inline]
    pub(in crate::store) fn remove_leaf(&mut self, handle: NodeHandle, at: At) {
        let slice = &mut self.slices[at.slice as usize];
        let top = slice.row(at.row).parent == NIL;
        slice.unlink(at.row);
        slice.free_components(at.row);
        slice.free_row(at.row);
        self.tables.free(handle);
        self.tell_edited(at.slice);
        if top {
            self.collapse(at.slice);
        }
    }

    /// Frees a floating subtree and every slice below it; returns how many nodes that were.
    pub(in crate::store) fn discard(&mut self, floating: Floating) -> usize {
        let mut below = core::mem::take(&mut self.descent);
        below.clear();
        let mut removed = self.discard_rows(floating, &mut below);
        while let Some(number) = below.pop() {
            removed += self.discard_slice(number, &mut below);
        }
        self.descent = below;
        removed
    }

    /// Frees a floating subtree's rows in the slice that it shares; returns how many nodes that were. Slices that hung below
    /// these rows, or hold the whole subtree, go to `tops`.
    pub(in crate::store) fn discard_rows(&mut self, floating: Floating, tops: &mut Vec<u32>) -> usize {
        let At { slice: number, row: top } = match floating {
            Floating::Rows(at) => {
                self.floats_from = None;
                at
            }
            Floating::Slice(slice) => {
                tops.push(slice);
                return 0;
            }
        };
        let mut removed = 0;
        let mut order = core::mem::take(&mut self.order);
        order.clear();
        order.extend(self.slice(number).subtree(top).map(|row| (row, NIL)));
        for &(row, _) in order.iter().rev() {
            let slice = &mut self.slices[number as usize];
            let occupant = slice.row(row).occupant;
            slice.free_components(row);
            slice.free_row(row);
            if let Some(handle) = occupant.as_node() {
                self.tables.free(handle);
                removed += 1;
            } else if let Some(child) = occupant.as_portal() {
                self.disown(child);
                tops.push(child);
            }
        }
        self.order = order;
        self.collapse(number);
        removed
    }

    /// Frees a slice that hangs nowhere; returns how many nodes lay there. The slices below it go to `below`.
    pub(in crate::store) fn discard_slice(&mut self, number: u32, below: &mut Vec<u32>) -> usize {
        let slice = core::mem::take(&mut self.slices[number as usize]);
        below.extend(&slice.children);
        for row in slice.row_slots.iter() {
            if let Some(handle) = slice.row(row).occupant.as_node() {
                self.tables.free(handle);
            }
        }
        self.close_slice(number);
        slice.nodes()
    }
}

impl Slice {
    /// Whether a row is the only top of the slice.
    #[inline]
    pub(in crate::store) fn is_alone(&self, row: u32) -> bool {
        self.first_top == row && self.last_top == row
    }

    /// Copies a row and its components into another slice's chain; the components here are left to be freed.
    fn move_row(&mut self, row: u32, target: &mut Self, wish: u32, reuse: bool, spot: &Spot, carry: &Carry) -> u32 {
        let Row { occupant, transform, visibility, material, shape, name, .. } = *self.row(row);
        let to = target.allocate_row_number(wish, reuse);
        let mut moved = target.inheriting_row(occupant, spot.parent);
        if let Some(slot) = transform.as_own() {
            let (local, world) = (self.transforms.local(slot), self.transforms.worlds[slot as usize]);
            let hangs_outside = self.transforms.parents[slot as usize] == carry.above;
            let marked = carry.all || self.transforms.dirty.contains(slot) || (carry.tops && hangs_outside);
            moved.transform = target.place_transform(moved.transform, &local, &world, reuse);
            if marked {
                target.transforms.mark(moved.transform.index());
            }
        }
        if let Some(slot) = visibility.as_own() {
            let VisibilityColumn { locals, effective, .. } = &self.visibilities;
            let (local, effective) = (locals[slot as usize], effective[slot as usize]);
            moved.visibility = target.place_visibility(moved.visibility, local, effective, reuse);
        }
        if let Some(slot) = material.as_own()
            && let Some(value) = self.materials.values[slot as usize]
        {
            moved.material = target.new_material(moved.material, value, reuse);
        }
        if shape != NIL {
            let wish = target.shape_hint(to);
            let Shape { mesh, bounds } = self.shapes.shape(shape);
            moved.shape = target.new_shape(target.shape_record(&moved, mesh), &bounds, wish, reuse);
        }
        if name != NIL {
            moved.name = target.new_name(self.names.take(name), reuse);
        }
        target.link_new(to, moved, spot);
        if occupant.as_portal().is_some() {
            target.portal_rows.insert(to);
        }
        to
    }
}

/// What rows that go to another slice bring to be updated there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Marks {
    /// All of it: they inherit something new.
    Set,
    /// What was to be updated before: they inherit what they did.
    Keep,
}

/// Which transforms are marked where they go.
struct Carry {
    /// The slot from which the run hangs in its old slice.
    above: u32,
    /// Every one, or
    all: bool,
    /// beside those that are marked those that hang directly from what the run inherits: it changed, and they wait for it.
    tops: bool,
}

impl Carry {
    /// Decides for a run of `source` that goes to a spot in `target`, and carries over the marks of the other columns.
    fn new(source: &Slice, first: u32, target: &mut Slice, spot: &Spot, marks: Marks) -> Self {
        let [from_transform, from_visibility, from_material] =
            source.inherited(source.row(first).parent).map(|slot| slot.index() as usize);
        let [to_transform, to_visibility, to_material] =
            target.inherited(spot.parent).map(|slot| slot.index() as usize);
        // A mark of the base stands for all slots, wherever they hang: a slice that was rebuilt meanwhile has it.
        let all = marks == Marks::Set || source.transforms.dirty.contains(0);
        let above = source.inherited(source.row(first).parent)[0].index();
        let world = source.transforms.worlds[from_transform].to_bits();
        let tops = source.transforms.dirty.contains(above) || world != target.transforms.worlds[to_transform].to_bits();
        let mask = source.visibilities.effective[from_visibility];
        let masks = source.visibilities.dirty || mask != target.visibilities.effective[to_visibility];
        target.visibilities.dirty |= all || masks;
        let material = source.materials.values[from_material];
        let materials = source.materials.dirty || material != target.materials.values[to_material];
        target.materials.dirty |= all || materials;
        Self { above, all, tops }
    }
}
