//! Setting the world transforms of many nodes.
//!
//! Nodes are taken slice by slice, those above first, and in a slice by their slots, so that a parent comes before its
//! children. What leads from a parent's space to local transforms is computed once for each parent. Everything is
//! computed before anything is set: what is above a node counts as it will be.

use super::LocalSlot;
use super::batch::ITEM_AHEAD;
use crate::error::BatchError;
use crate::store::Store;
use crate::store::allocation::Bits;
use crate::store::columns::{At, NIL};
use crate::store::world::{ParentSpace, PlaceFault};
use crate::{Error, Local, NodeHandle};
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

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
    fn local_of(&self, slice: u32, slot: u32) -> Option<Local> {
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

impl Store {
    /// Sets the local transforms of many nodes so that each is at its place in the world afterwards. `world` returns
    /// the checked place of an item, and `check` where its node keeps its local transform.
    pub(crate) fn set_worlds<W>(
        &mut self,
        items: &[(NodeHandle, W)],
        check: impl Fn(&Self, NodeHandle, &W) -> Result<LocalSlot, Error>,
        world: impl Fn(&W) -> Local,
    ) -> Result<(), BatchError> {
        let arena = self.scratch.take();
        let placed = self.place_all(items, check, world, &arena);
        self.scratch.give_back(arena);
        placed
    }

    fn place_all<W>(
        &mut self,
        items: &[(NodeHandle, W)],
        check: impl Fn(&Self, NodeHandle, &W) -> Result<LocalSlot, Error>,
        world: impl Fn(&W) -> Local,
        arena: &Bump,
    ) -> Result<(), BatchError> {
        let mut stops = BumpVec::with_capacity_in(items.len(), arena);
        for (index, (node, place)) in items.iter().enumerate() {
            self.look_ahead_for_entries(|steps| items.get(index + steps).map(|item| item.0));
            let LocalSlot { slice, slot } = check(self, *node, place).map_err(|error| BatchError::at(index, error))?;
            let item = u32::try_from(index).expect("a batch has fewer edits than a scene can have nodes");
            stops.push(Stop { slot: Stop::slot_of(slice, slot), item });
        }
        let stops = Stops::new(stops.into_bump_slice_mut(), arena);
        let mut refused: Option<(u32, Error)> = None;
        let mut spaces = BumpVec::new_in(arena);
        // The place in `spaces` of each parent's slot.
        let mut known: BumpVec<'_, u32> = BumpVec::new_in(arena);
        for (start, end) in self.runs_by_depth(stops.stops, arena) {
            spaces.clear();
            let number = stops.stops[start].place().slice;
            known.resize(known.len().max(self.slice(number).transforms.slots.end() as usize), NIL);
            for place in start..end {
                let stop = stops.stops[place];
                if let Some(ahead) = stops.stops.get(place + ITEM_AHEAD) {
                    hedgerow_math::internal::prefetch_whole(items, ahead.item as usize);
                }
                let (node, at) = &items[stop.item as usize];
                let parent = self.slice(number).transforms.parents[stop.place().slot as usize];
                let local = if parent == 0 && self.is_root_of_its_tree(*node, number) {
                    Local::from_wide(&world(at).to_wide()).map_err(PlaceFault::Other)
                } else {
                    let space = &mut known[parent as usize];
                    if *space == NIL {
                        *space = u32::try_from(spaces.len()).expect("slots are numbered in 31 bits");
                        spaces.push((parent, self.parent_space(number, parent, &stops)));
                    }
                    let (_, space): &(u32, Result<ParentSpace, PlaceFault>) = &spaces[*space as usize];
                    match space {
                        Ok(space) => space.local_at(world(at)),
                        Err(fault) => Err(*fault),
                    }
                };
                match local {
                    Ok(local) => stops.locals[place] = Some(local),
                    Err(fault) if refused.is_none_or(|(item, _)| stop.item < item) => {
                        let parent = self.resolve(*node).and_then(|at| self.parent(at));
                        let parent = parent.map_or(*node, |parent| self.handle(parent));
                        refused = Some((stop.item, fault.below(parent)));
                    }
                    Err(_) => {}
                }
            }
            spaces.iter().for_each(|&(parent, _)| known[parent as usize] = NIL);
        }
        if let Some((item, error)) = refused {
            return Err(BatchError::at(item as usize, error));
        }
        for (stop, local) in stops.stops.iter().zip(&*stops.locals) {
            match local {
                Some(Local::Transform(transform)) => self.set_slot(stop.place(), *transform),
                Some(local) => self.put_local(stop.place(), *local),
                None => {}
            }
        }
        Ok(())
    }

    /// The space below a slot of a slice, as it will be.
    fn parent_space(&self, number: u32, slot: u32, stops: &Stops<'_>) -> Result<ParentSpace, PlaceFault> {
        let chain = self.transform_chain_from(number, slot);
        let local =
            |&(slice, slot): &(u32, u32)| stops.local_of(slice, slot).unwrap_or_else(|| self.local_of((slice, slot)));
        ParentSpace::of(chain.iter().rev().map(local))
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
