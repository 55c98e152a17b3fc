//! Setting the world transforms of many nodes.
//!
//! Everything is computed before anything is set. What leads from a parent's space to local transforms is computed once
//! for each parent, from the space of the parent above it.
//!
//! Nodes are taken in the order of the list: that reads the list from its beginning to its end, and sorts nothing. Only
//! if a node is listed twice, or below another that is, they are taken slice by slice, those above first, and in a
//! slice by their slots, so that a parent comes before its children, and what is above a node counts as it will be.

use super::LocalSlot;
use super::batch::ITEM_AHEAD;
use super::spaces::{Spaces, WorldLists};
use crate::error::BatchError;
use crate::store::Store;
use crate::store::allocation::Bits;
use crate::store::bulk::LOCAL_AHEAD;
use crate::store::columns::{At, NIL};
use crate::store::space::PlaceFault;
use crate::{Error, Local, NodeHandle, node::LocalForm};
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use hedgerow_math::internal::{PackedTransform, prefetch, prefetch_whole};

/// One node to be placed: its slice and slot as one number, and the item that places it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stop {
    slot: u64,
    item: u32,
}

impl Stop {
    fn slot_of(slice: u32, slot: u32) -> u64 {
        u64::from(slice) << 32 | u64::from(slot)
    }

    #[expect(clippy::cast_possible_truncation, reason = "both halves are 32 bits")]
    fn place(self) -> LocalSlot {
        LocalSlot { slice: (self.slot >> 32) as u32, slot: self.slot as u32 }
    }
}

/// All nodes to be placed, and the local transforms of those that were come to.
struct Stops<'b> {
    /// In ascending order of slots, each slot once.
    stops: &'b [Stop],
    locals: &'b mut [Option<Local>],
    /// Which slots may be among the stops, by some of their bits.
    filter: Bits,
    /// The bits of a slot that the filter goes by.
    mask: u64,
}

impl<'b> Stops<'b> {
    /// Sorts the stops; of several with one slot, the last item counts.
    fn new(stops: &'b mut [Stop], arena: &'b Bump) -> Self {
        stops.sort_unstable();
        let mut kept = 0;
        for place in 0..stops.len() {
            if stops.get(place + 1).is_none_or(|next| next.slot != stops[place].slot) {
                stops[kept] = stops[place];
                kept += 1;
            }
        }
        let stops = &stops[..kept];
        let mask = (8 * kept.max(8) as u64).next_power_of_two() - 1;
        let mut filter = Bits::default();
        stops.iter().for_each(|stop| filter.insert(filtered(stop.slot, mask)));
        Self { stops, locals: arena.alloc_slice_fill_copy(kept, None), filter, mask }
    }

    /// The local transform that a slot will have, if it is among the stops.
    fn local_of(&self, (slice, slot): (u32, u32)) -> Option<Local> {
        let slot = Stop::slot_of(slice, slot);
        if !self.filter.contains(filtered(slot, self.mask)) {
            return None;
        }
        let place = self.stops.binary_search_by_key(&slot, |stop| stop.slot).ok()?;
        self.locals[place]
    }
}

/// The bits of a slot that the filter goes by.
#[expect(clippy::cast_possible_truncation, reason = "a mask of less than 32 bits")]
fn filtered(slot: u64, mask: u64) -> u32 {
    ((slot ^ (slot >> 32).wrapping_mul(0x9E37_79B1)) & mask) as u32
}

/// Why nodes cannot be taken in the order of the list.
enum Obstacle {
    /// One of them is below another.
    Listed,
    Refused(BatchError),
}

impl Store {
    /// Sets the local transforms of many nodes so that each is at its place in the world afterwards. `world` returns
    /// the checked place of an item, and `check` where its node keeps its local transform.
    pub(crate) fn set_worlds<W>(
        &mut self,
        items: &[(NodeHandle, W)],
        check: impl Fn(&Self, NodeHandle, &W) -> Result<LocalSlot, Error>,
        world: impl Fn(&W) -> Local,
    ) -> Result<(), BatchError> {
        let mut lists = core::mem::take(&mut self.world_lists);
        let placed = self.place_all(items, check, world, &mut lists);
        self.world_lists = lists;
        placed
    }

    fn place_all<W>(
        &mut self,
        items: &[(NodeHandle, W)],
        check: impl Fn(&Self, NodeHandle, &W) -> Result<LocalSlot, Error>,
        world: impl Fn(&W) -> Local,
        lists: &mut WorldLists,
    ) -> Result<(), BatchError> {
        if self.list_places(items, check, lists)? {
            match self.place_in_order(items, &world, lists) {
                Ok(()) => {
                    self.set_placed(lists);
                    return Ok(());
                }
                Err(Obstacle::Refused(error)) => return Err(error),
                Err(Obstacle::Listed) => lists.spaces.restart(),
            }
        }
        let arena = self.scratch.take();
        let placed = self.place_sorted(items, &world, lists, &arena);
        self.scratch.give_back(arena);
        placed
    }

    /// Like [`set_worlds`](Self::set_worlds), if that is the same as setting one after the other in the order of the
    /// list: if none is refused, none is listed twice, and none is below another. Else sets nothing. Calls `each` with
    /// the form of each local transform, in order, and returns whether anything was set.
    pub(crate) fn set_worlds_apart<W>(
        &mut self,
        items: &[(NodeHandle, W)],
        check: impl Fn(&Self, NodeHandle, &W) -> Result<LocalSlot, Error>,
        world: impl Fn(&W) -> Local,
        mut each: impl FnMut(LocalForm),
    ) -> bool {
        let mut lists = core::mem::take(&mut self.world_lists);
        let apart = self.list_places(items, check, &mut lists) == Ok(true);
        let set = apart && self.place_in_order(items, world, &mut lists).is_ok();
        if set {
            self.set_placed(&lists);
            let mut matrices = lists.matrices.iter().map(|&(item, _)| item).peekable();
            for item in 0..items.len() {
                let is_matrix = matrices.next_if_eq(&item).is_some();
                each(if is_matrix { LocalForm::Matrix } else { LocalForm::Transform });
            }
        }
        self.world_lists = lists;
        set
    }

    /// Checks all items, and lists where their nodes keep their local transforms. Returns whether no node is listed
    /// twice.
    fn list_places<W>(
        &self,
        items: &[(NodeHandle, W)],
        check: impl Fn(&Self, NodeHandle, &W) -> Result<LocalSlot, Error>,
        lists: &mut WorldLists,
    ) -> Result<bool, BatchError> {
        lists.restart(self.slices.len());
        let mut twice = false;
        for (index, (node, place)) in items.iter().enumerate() {
            self.look_ahead_for_entries(|steps| items.get(index + steps).map(|item| item.0));
            let at = check(self, *node, place).map_err(|error| BatchError::at(index, error))?;
            twice |= lists.listed.insert(at.slice, at.slot, &self.slices);
            lists.places.push(at);
        }
        Ok(!twice)
    }

    /// Computes the local transforms of nodes none of which is below another, or listed twice.
    fn place_in_order<W>(
        &self,
        items: &[(NodeHandle, W)],
        world: impl Fn(&W) -> Local,
        lists: &mut WorldLists,
    ) -> Result<(), Obstacle> {
        let WorldLists { places, locals, matrices, listed, spaces } = lists;
        for (index, ((node, at), place)) in items.iter().zip(&*places).enumerate() {
            if let Some(ahead) = places.get(index + ITEM_AHEAD) {
                prefetch(&self.slice(ahead.slice).transforms.parents, ahead.slot as usize);
            }
            if let Some(ahead) = places.get(index + LOCAL_AHEAD) {
                let transforms = &self.slice(ahead.slice).transforms;
                prefetch_whole(&transforms.locals, transforms.parents[ahead.slot as usize] as usize);
            }
            let local_of = |at: (u32, u32)| (!listed.contains(at.0, at.1)).then(|| self.local_of(at));
            match self.place(*node, *place, || world(at), spaces, local_of).ok_or(Obstacle::Listed)? {
                Ok(Local::Transform(local)) => locals.push(local.into()),
                Ok(local) => {
                    matrices.push((index, local));
                    locals.push(PackedTransform::IDENTITY);
                }
                Err(fault) => {
                    let error = fault.below(self.parent_or_self(*node));
                    return Err(Obstacle::Refused(BatchError::at(index, error)));
                }
            }
        }
        Ok(())
    }

    /// Sets the local transforms that were computed in the order of the list.
    fn set_placed(&mut self, lists: &WorldLists) {
        let WorldLists { places, locals, matrices, .. } = lists;
        for (index, (&at, &local)) in places.iter().zip(locals).enumerate() {
            if let Some(&ahead) = places.get(index + LOCAL_AHEAD) {
                self.prefetch_local(ahead);
            }
            self.set_slot(at, &local.into());
        }
        for &(item, local) in matrices {
            self.put_local(places[item], local);
        }
    }

    /// Computes the local transforms of nodes of which some are below others, and sets them.
    fn place_sorted<W>(
        &mut self,
        items: &[(NodeHandle, W)],
        world: impl Fn(&W) -> Local,
        lists: &mut WorldLists,
        arena: &Bump,
    ) -> Result<(), BatchError> {
        let mut stops = BumpVec::with_capacity_in(items.len(), arena);
        for (item, at) in lists.places.iter().enumerate() {
            let item = u32::try_from(item).expect("a batch has fewer edits than a scene can have nodes");
            stops.push(Stop { slot: Stop::slot_of(at.slice, at.slot), item });
        }
        let stops = Stops::new(stops.into_bump_slice_mut(), arena);
        let mut refused: Option<(u32, Error)> = None;
        for (start, end) in self.runs_by_depth(stops.stops, arena) {
            for place in start..end {
                let stop = stops.stops[place];
                if let Some(ahead) = stops.stops.get(place + ITEM_AHEAD) {
                    prefetch_whole(items, ahead.item as usize);
                }
                let (node, at) = &items[stop.item as usize];
                let local_of = |at| Some(stops.local_of(at).unwrap_or_else(|| self.local_of(at)));
                let local = self.place(*node, stop.place(), || world(at), &mut lists.spaces, local_of);
                match local.expect("every slot has a local transform") {
                    Ok(local) => stops.locals[place] = Some(local),
                    Err(fault) if refused.is_none_or(|(item, _)| stop.item < item) => {
                        refused = Some((stop.item, fault.below(self.parent_or_self(*node))));
                    }
                    Err(_) => {}
                }
            }
        }
        if let Some((item, error)) = refused {
            return Err(BatchError::at(item as usize, error));
        }
        for (stop, local) in stops.stops.iter().zip(&*stops.locals) {
            match local {
                Some(Local::Transform(transform)) => self.set_slot(stop.place(), transform),
                Some(local) => self.put_local(stop.place(), *local),
                None => {}
            }
        }
        Ok(())
    }

    /// The local transform that places a node in the world; `None` if `local_of` has none of a transform above.
    #[inline(always)]
    fn place(
        &self,
        node: NodeHandle,
        at: LocalSlot,
        world: impl Fn() -> Local,
        spaces: &mut Spaces,
        local_of: impl Fn((u32, u32)) -> Option<Local>,
    ) -> Option<Result<Local, PlaceFault>> {
        let parent = self.slice(at.slice).transforms.parents[at.slot as usize];
        if parent == 0 && self.is_root_of_its_tree(node, at.slice) {
            return Some(Local::from_wide(&world().to_wide()).map_err(PlaceFault::Other));
        }
        let space = spaces.below(self, (at.slice, parent), local_of)?;
        Some(spaces.local_at(space, world()))
    }

    /// The handle of a node's parent; that of a node without one is its own.
    #[cold]
    fn parent_or_self(&self, node: NodeHandle) -> NodeHandle {
        let parent = self.resolve(node).and_then(|at| self.parent(at));
        parent.map_or(node, |parent| self.handle(parent))
    }

    /// Whether a node without a transform above it in its slice has no parent.
    fn is_root_of_its_tree(&self, node: NodeHandle, number: u32) -> bool {
        self.slice(number).portal == At::NONE && self.resolve(node).is_some_and(|at| self.row(at).parent == NIL)
    }

    /// The runs of stops of one slice each, those of slices above others first.
    fn runs_by_depth<'b>(&self, stops: &[Stop], arena: &'b Bump) -> impl Iterator<Item = (usize, usize)> + use<'b> {
        let mut runs = BumpVec::new_in(arena);
        let mut start = 0;
        for run in stops.chunk_by(|a, b| a.place().slice == b.place().slice) {
            let mut depth = 0;
            let mut portal = self.slice(run[0].place().slice).portal;
            while portal != At::NONE {
                depth += 1;
                portal = self.slice(portal.slice).portal;
            }
            runs.push((depth, start, start + run.len()));
            start += run.len();
        }
        runs.sort_unstable();
        runs.into_iter().map(|(_, start, end): (u32, usize, usize)| (start, end))
    }
}
