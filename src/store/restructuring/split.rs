//! Cuts a full slice into pieces, so that no edit has to rebuild more than one bounded slice.
//!
//! Source: the thesis, section 7.4.2 (dividing large slices). The pieces are planned bottom-up over subtree sizes.

use crate::SceneConfig;
use crate::store::columns::{At, NIL};
use crate::store::restructuring::rebuild::{Room, Source, rebuilt};
use crate::store::{Need, Slice, Store};
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

/// The budget for splitting the slices above a split one, since each may be full. Once it is spent, portals nest.
const BUDGET: u32 = 64;
/// The cost of a slice whose portal is in a run of portals. A chain of siblings has few of these above each other.
const WITHIN_A_CHAIN: u32 = 1;
/// The cost of a slice whose portal is below a node. A deep tree may have any number of these above each other.
const BELOW_A_NODE: u32 = 8;

/// A run of siblings that moves to a slice of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Cut {
    /// The place of the first sibling in pre-order.
    pub(in crate::store) first: u32,
    /// One past the place of the last node below them.
    pub(in crate::store) end: u32,
    /// The place of their parent, or [`NIL`] for a run of the topmost siblings.
    pub(in crate::store) parent: u32,
}

/// Plans how to cut a forest into pieces no larger than a bound.
#[derive(Debug)]
pub(in crate::store) struct Planner {
    /// The least number of rows in a piece: a quarter of the bound.
    quarter: u32,
}

/// What is known of a node while its children are visited from the last to the first.
#[derive(Clone, Copy, Debug)]
struct Below {
    /// The rows of the present run. They stay with the node unless the run becomes large enough to be cut.
    run: u32,
    /// One past the last node below the last sibling of the present run.
    end: u32,
    /// How many portals stand for the runs that were cut.
    portals: u32,
    /// All nodes below, cut out or not.
    all: u32,
    /// One past the place, in the list of cuts, of the first run that was cut; 0 if none was.
    cut: usize,
}

impl Below {
    const NOTHING: Self = Self { run: 0, end: NIL, portals: 0, all: 0, cut: 0 };

    /// How many rows below the node stay with it.
    fn rows(&self) -> u32 {
        self.run + self.portals
    }
}

impl Planner {
    /// A planner for pieces of a quarter to a half of `bound`.
    pub(in crate::store) fn new(bound: u32) -> Self {
        Self { quarter: (bound / 4).max(2) }
    }

    /// The least number of rows in a piece.
    pub(in crate::store) fn least(&self) -> u32 {
        self.quarter
    }

    /// Returns the runs to cut out of a forest in pre-order, given the place of each node's parent ([`NIL`] for the
    /// topmost). Inner runs come before the runs that contain them, and runs of the same siblings from the last to the
    /// first. The first of the topmost siblings always stays.
    ///
    /// Each piece takes siblings until it has a quarter of the bound. What remains of any subtree is hardly more than a
    /// quarter, so a piece is hardly more than a half. A piece is smaller than a quarter only if nothing else remains
    /// at the top. Runs in **O(nodes)**: in reverse pre-order every node is finished before its parent.
    ///
    /// Either all children of a node are cut out, or none: the first piece takes the rest, and has up to three
    /// quarters. So siblings stand side by side behind equally many portals. Each time a run of portals is cut, their
    /// number is at least a quarter of the bound times larger.
    pub(in crate::store) fn plan<'b>(
        &self,
        parents: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator,
        arena: &'b Bump,
    ) -> BumpVec<'b, Cut> {
        let count = parents.len();
        let below: &mut [Below] = arena.alloc_slice_fill_copy(count + 1, Below::NOTHING);
        let mut cuts = BumpVec::new_in(arena);
        let places = (0..u32::try_from(count).expect("nodes number less than 2^30")).rev();
        for (place, parent) in places.zip(parents.rev()) {
            let own = &mut below[place as usize];
            if own.cut > 0 && own.run > 0 {
                let taken = &mut cuts[own.cut - 1];
                let whole = Cut { first: place + 1, ..*taken };
                // The piece now holds runs that were cut later, so it comes after them.
                taken.first = taken.end;
                cuts.push(whole);
                own.run = 0;
            }
            let rows = 1 + own.rows();
            let all = 1 + own.all;
            let above = &mut below[if parent == NIL { count } else { parent as usize }];
            if above.run == 0 {
                above.end = place + all;
            }
            above.run += rows;
            above.all += all;
            if above.run >= self.quarter {
                cuts.push(Cut { first: place, end: above.end, parent });
                above.run = 0;
                above.portals += 1;
                above.cut = cuts.len();
            }
        }
        cuts.retain(|cut| cut.first < cut.end);
        // The topmost slice keeps what was not cut of the first run, and if that is too little also the first piece.
        if below[count].run < self.quarter / 2
            && let Some(first) = cuts.iter().rposition(|cut| cut.parent == NIL)
        {
            cuts.remove(first);
        }
        cuts
    }
}

/// If portals to runs of top siblings would stay in the slice, cuts out all of these runs or none, unless there is no
/// other cut.
fn cut_all_tops_or_none(cuts: &mut BumpVec<'_, Cut>) {
    let is_top = |cut: &Cut| cut.parent == NIL;
    let tops = cuts.iter().filter(|cut| is_top(cut)).count();
    if tops == 0 || cuts.len() == 1 {
        return;
    }
    if tops == 1 {
        cuts.retain(|cut| !is_top(cut));
    } else if let Some(first) = cuts.iter().rposition(is_top) {
        // It comes after the runs that it now holds.
        let first = cuts.remove(first);
        cuts.push(Cut { first: 0, ..first });
    }
}

impl Store {
    /// Cuts a slice into pieces of a quarter to a half of the greatest size. Handles and the order of siblings stay the
    /// same.
    ///
    /// Inner runs go behind portals in the slice itself. Runs of its top rows go behind portals beside its own; if the
    /// slice above is full, it is split too. What is up to date stays so. Runs in **O(rows)**: all pieces are filled
    /// side by side in one walk through the slice.
    pub(in crate::store) fn split(&mut self, number: u32) {
        self.split_within(number, BUDGET);
    }

    /// Splits a slice, and if needed slices above it, each of which costs part of a budget.
    fn split_within(&mut self, number: u32, budget: u32) {
        debug_assert_ne!(self.unlinked_from, Some(number), "rows on no chain would be lost");
        let arena = self.scratch.take();
        let order = self.slices[number as usize].depth_first_order(&arena);
        let parents = order.iter().map(|&(_, parent)| parent);
        let mut cuts = Planner::new(self.config.max_nodes).plan(parents, &arena);
        let beside = self.make_room_beside(number, cuts.iter().filter(|cut| cut.parent == NIL).count(), budget);
        if !beside {
            cut_all_tops_or_none(&mut cuts);
        }
        self.cut_out(number, order, &cuts, beside, &arena);
        drop(cuts);
        self.scratch.give_back(arena);
    }

    /// Splits a slice in two before one of its top rows, so that a portal can stand between. Returns `false`, and
    /// changes nothing, if there is no room beside its own portal.
    pub(in crate::store) fn split_before(&mut self, number: u32, row: u32) -> bool {
        if !self.make_room_beside(number, 2, BUDGET) {
            return false;
        }
        let arena = self.scratch.take();
        let order = self.slices[number as usize].depth_first_order(&arena);
        let place = |place: usize| u32::try_from(place).expect("rows number less than 2^31");
        let first = order.iter().position(|&(other, _)| other == row).expect("the row is in the slice");
        let cut = Cut { first: place(first), end: place(order.len()), parent: NIL };
        self.cut_out(number, order, &[cut], true, &arena);
        self.scratch.give_back(arena);
        // Unlike a split, which cuts out a quarter at least, this may leave little on either side.
        let portal = self.slice(number).portal;
        let piece = self.row(At { row: self.row(portal).next, ..portal }).occupant.as_portal();
        let piece = piece.expect("what was cut out stands behind what stays");
        self.tell_edited(piece);
        self.collapse(piece);
        self.collapse(number);
        true
    }

    /// Cuts runs out of a slice, whose rows are given in depth-first order. If `beside` is set, portals to runs of top
    /// rows go beside the slice's own, where there is room.
    fn cut_out(&mut self, number: u32, order: &[(u32, u32)], cuts: &[Cut], beside: bool, arena: &Bump) {
        self.reconstitutions += 1;
        let mut old = core::mem::take(&mut self.slices[number as usize]);
        let opened = cuts.iter().map(|_| self.open_slice(Slice { lives: true, ..Slice::default() }));
        let numbers: &[u32] = arena.alloc_slice_fill_iter(opened);
        let lists = distribute(order, cuts, numbers, beside, arena);

        // Many pieces are never filled: a tree that is built depth-first does not return to them. So half of the usual
        // room is enough.
        let SceneConfig { expansion_factor, max_nodes, .. } = self.config;
        let room = Room::Times(1.0 + (expansion_factor - 1.0) / 2.0, max_nodes);
        let membership = old.membership;
        for ((cut, &piece), sources) in cuts.iter().zip(numbers).zip(&lists[1..]) {
            let below = order.get(cut.parent as usize).map_or(NIL, |&(row, _)| row);
            let built = rebuilt(&mut old, sources, below, room, arena);
            self.slices[piece as usize] = Slice { membership, ..built };
        }
        let rest = rebuilt(&mut old, lists[0], NIL, room, arena);
        self.slices[number as usize] = rest.replacing(old);
        for &piece in core::iter::once(&number).chain(numbers) {
            self.rebind_handles(piece);
        }
        // From the last to the first, each directly after the portal of what stays.
        for (_, &piece) in cuts.iter().zip(numbers).filter(|(cut, _)| beside && cut.parent == NIL) {
            let spot = self.spot_after(self.slice(number).portal);
            self.insert_portal_in_step(&spot, piece);
        }
        for &piece in numbers {
            self.relist_marked(piece);
        }
        self.tell_edited(number);
    }

    /// Whether the slice that holds another's portal can take this many more rows beside it. Its storage grows if
    /// needed, and if it is full it is split itself, as in a B-tree.
    ///
    /// A slice with unlinked rows is not split, since they would be lost.
    fn make_room_beside(&mut self, number: u32, rows: usize, budget: u32) -> bool {
        let portal = self.slice(number).portal;
        if portal == At::NONE || rows == 0 {
            return false;
        }
        let SceneConfig { max_nodes, expansion_factor, .. } = self.config;
        let need = Need { rows: u32::try_from(rows).expect("a slice has fewer pieces than rows"), ..Need::default() };
        let above = &mut self.slices[portal.slice as usize];
        let free = |above: &Slice| above.row_slots.capacity() - above.row_slots.live();
        if free(above) >= need.rows {
            return true;
        }
        // If the allocator refuses, the portals go elsewhere.
        let _ = above.try_grow_in_place(&need, expansion_factor, max_nodes);
        if free(above) >= need.rows {
            return true;
        }
        let full = above.row_slots.live() + need.rows > max_nodes;
        let cost = if self.row(portal).parent == NIL { WITHIN_A_CHAIN } else { BELOW_A_NODE };
        if !full || budget < cost || self.unlinked_from == Some(portal.slice) {
            return false;
        }
        self.split_within(portal.slice, budget - cost);
        self.make_room_beside(number, rows, 0)
    }

    /// Reports marked slices, the slice itself or those directly below it, to the slices above.
    fn relist_marked(&mut self, number: u32) {
        // If boxes are kept, the slices above have no boxes yet for what was cut out, nor has it any for the slices
        // below.
        let boxless = self.config.bounds;
        if self.slice(number).is_dirty() || boxless {
            self.tell_moved(number);
        }
        for index in 0..self.slice(number).children.len() {
            let child = self.slice(number).children[index];
            if self.slice(child).marked {
                self.list_marked_child(number, child);
                self.tell_moved(number);
            } else if boxless {
                self.tell_moved(child);
            }
        }
    }
}

/// Distributes the rows of a slice, in the order given, to what stays (first) and to the pieces that are cut out. Puts
/// a portal where each piece was, except for runs of top rows if their portals stand `beside` the slice's own.
fn distribute<'b>(
    order: &[(u32, u32)],
    cuts: &[Cut],
    numbers: &[u32],
    beside: bool,
    arena: &'b Bump,
) -> &'b [&'b [Source]] {
    // The piece that each place goes to: 0 stays, the others are one more than the number of their cut. Inner cuts come
    // first, so going backwards writes outer pieces before the pieces inside them.
    let pieces: &mut [u32] = arena.alloc_slice_fill_copy(order.len(), 0);
    let last = u32::try_from(cuts.len()).expect("a slice has fewer pieces than rows");
    for (cut, piece) in cuts.iter().rev().zip((1..=last).rev()) {
        pieces[cut.first as usize..cut.end as usize].fill(piece);
    }
    let home_of = |pieces: &[u32], parent: u32| pieces.get(parent as usize).copied().unwrap_or(0);
    let counts: &mut [usize] = arena.alloc_slice_fill_copy(cuts.len() + 1, 0);
    pieces.iter().for_each(|&piece| counts[piece as usize] += 1);
    for cut in cuts.iter().filter(|cut| !(beside && cut.parent == NIL)) {
        counts[home_of(pieces, cut.parent) as usize] += 1;
    }
    let lists = arena.alloc_slice_fill_iter(
        counts.iter().map(|&count| (arena.alloc_slice_fill_copy(count, Source::NONE) as &mut [Source], 0_u32)),
    );
    let mut add = |piece: u32, source: Source| {
        let (list, len) = &mut lists[piece as usize];
        list[*len as usize] = source;
        *len += 1;
        *len - 1
    };
    let placed: &mut [u32] = arena.alloc_slice_fill_copy(order.len(), NIL);
    for (place, &(row, parent)) in order.iter().enumerate() {
        let piece = pieces[place];
        let home = home_of(pieces, parent);
        let above = placed.get(parent as usize).copied().unwrap_or(NIL);
        let parent_here = if piece == home { above } else { NIL };
        if piece != home {
            let cut = piece as usize - 1;
            if cuts[cut].first as usize == place && !(beside && parent == NIL) {
                add(home, Source { row: NIL, parent: above, portal: numbers[cut] });
            }
        }
        placed[place] = add(piece, Source { row, parent: parent_here, portal: 0 });
    }
    arena.alloc_slice_fill_iter(lists.iter_mut().map(|(list, _)| core::mem::take(list) as &[Source]))
}
