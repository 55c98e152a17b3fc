//! Moving many nodes, each behind the last child of its new parent.
//!
//! The list says who hangs below whom in the end. Whether that is a tree is checked before anything changes; then nodes
//! are moved from the top down. Each new parent then hangs where it will in the end, so no move on the way closes a
//! cycle.

use super::batch::{ITEM_AHEAD, NEAR};
use crate::error::BatchError;
use crate::handle::ByHandle;
use crate::store::columns::{At, NIL};
use crate::store::{Beside, Store};
use crate::{Error, Local, Node, NodeHandle};
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use hedgerow_math::internal::prefetch_whole;

/// A node, and its new parent.
type Item = (NodeHandle, NodeHandle);

/// What a checked batch does.
struct Moves<'b> {
    /// The items that count, by their number in the list: those of lower ranks first, else in the order of the list.
    order: &'b [u32],
    /// Of each of these, how many moved nodes stand above it in the end.
    ranks: &'b [u32],
}

/// The rank of an item that is not known yet, of one on the way to be, and of one that does not count.
const UNKNOWN: u32 = NIL;
const ON_THE_WAY: u32 = NIL - 1;
const SUPERSEDED: u32 = NIL - 2;

/// A number of an item.
fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a batch has fewer edits than a scene can have nodes")
}

impl Store {
    /// Moves many nodes, each behind the last child of its new parent: the last one of a node that is listed twice.
    ///
    /// `check` says where a node is that may be moved. With `keep_world` nodes get local transforms that keep them
    /// where they are in the world.
    pub(crate) fn move_many(
        &mut self,
        items: &[Item],
        keep_world: bool,
        check: impl Fn(&Self, NodeHandle, NodeHandle) -> Result<At, Error>,
    ) -> Result<(), BatchError> {
        let arena = self.scratch.take();
        let moved = self.move_planned(items, keep_world, check, &arena);
        self.scratch.give_back(arena);
        moved
    }

    /// The same, with lists from an arena.
    fn move_planned(
        &mut self,
        items: &[Item],
        keep_world: bool,
        check: impl Fn(&Self, NodeHandle, NodeHandle) -> Result<At, Error>,
        arena: &Bump,
    ) -> Result<(), BatchError> {
        let moves = self.plan_moves(items, check, arena)?;
        let kept = if keep_world { self.kept_locals(items, &moves, arena)? } else { &[] };
        let mut batch_order = core::mem::take(&mut self.batch_order);
        let mut start = 0;
        while let Some(&rank) = moves.ranks.get(start) {
            let end = moves.ranks.partition_point(|&other| other <= rank);
            let level = &moves.order[start..end];
            if self.total_len() <= NEAR {
                level.iter().for_each(|&item| self.move_listed(items[item as usize], kept.get(item as usize)));
            } else {
                batch_order = batch_order.restart();
                for (step, &item) in level.iter().enumerate() {
                    let ahead = |steps: usize| level.get(step + steps).map(|&item| items[item as usize].1);
                    self.look_ahead_for_entries(ahead);
                    let (_, parent) = items[item as usize];
                    batch_order.add(item as usize, self.resolve(parent).expect("the batch was checked before"));
                }
                self.move_level(items, batch_order.sorted(&self.slices), kept);
            }
            start = end;
        }
        self.batch_order = batch_order;
        Ok(())
    }

    /// Moves the nodes of one rank in this order.
    fn move_level(&mut self, items: &[Item], order: &[u32], kept: &[Option<Local>]) {
        for (step, &item) in order.iter().enumerate() {
            if let Some(&item) = order.get(step + ITEM_AHEAD) {
                prefetch_whole(items, item as usize);
            }
            let ahead = |steps: usize| order.get(step + steps).map(|&item| items[item as usize]);
            self.look_ahead(|steps| ahead(steps).map(|item| item.0), |slice, row, _| slice.prefetch_moved(row));
            self.look_ahead(
                |steps| ahead(steps).map(|item| item.1),
                |slice, row, _| slice.prefetch_places(row, &Node::group()),
            );
            self.move_listed(items[item as usize], kept.get(item as usize));
        }
    }

    /// Moves a node of a checked batch.
    #[inline]
    fn move_listed(&mut self, (node, parent): Item, kept: Option<&Option<Local>>) {
        if self.reparent_shortly(node, parent).is_none() {
            let place = |store: &Self, node| store.resolve(node).expect("the batch was checked before");
            let (at, above) = (place(self, node), place(self, parent));
            self.relocate(node, at, Beside::LastChildOf(parent), above);
        }
        if let Some(Some(local)) = kept {
            let at = self.resolve(node).expect("rows that move keep their handles");
            self.add_transform(at, *local);
        }
    }

    /// Checks items in order, and returns what is to be done, or why one cannot be.
    fn plan_moves<'b>(
        &self,
        items: &[Item],
        check: impl Fn(&Self, NodeHandle, NodeHandle) -> Result<At, Error>,
        arena: &'b Bump,
    ) -> Result<Moves<'b>, BatchError> {
        let mut listed = ByHandle::with_capacity_and_hasher(items.len(), Default::default());
        let ranks: &mut [u32] = arena.alloc_slice_fill_copy(items.len(), UNKNOWN);
        let mut any_has_children = false;
        for (index, &(node, parent)) in items.iter().enumerate() {
            self.look_ahead(|steps| items.get(index + steps).map(|item| item.0), |_, _, _| {});
            self.look_ahead_for_entries(|steps| items.get(index + steps).map(|item| item.1));
            let at = check(self, node, parent).map_err(|error| BatchError::at(index, error))?;
            any_has_children |= self.row(at).first_child != NIL;
            if let Some(before) = listed.insert(node, number(index)) {
                ranks[before as usize] = SUPERSEDED;
            }
        }
        let above = self.moved_above(items, listed, any_has_children, arena);
        rank(above, ranks, arena).map_err(|item| {
            let (node, parent) = items[item];
            BatchError::at(item, Error::WouldCycle { node, parent })
        })?;
        let counts = (0..number(items.len())).filter(|&item| ranks[item as usize] != SUPERSEDED);
        let order = BumpVec::from_iter_in(counts, arena).into_bump_slice_mut();
        order.sort_unstable_by_key(|&item| (ranks[item as usize], item));
        let ranks = arena.alloc_slice_fill_iter(order.iter().map(|&item| ranks[item as usize]));
        Ok(Moves { order, ranks })
    }

    /// Of each item, which other one moves the nearest node that is the new parent or stands above it, or [`NIL`].
    ///
    /// `known` has the item of each listed node. O(items), and if a moved node has children, O(nodes above the new
    /// parents), each of which is visited once.
    fn moved_above<'b>(&self, items: &[Item], mut known: ByHandle<u32>, climb: bool, arena: &'b Bump) -> &'b [u32] {
        let mut way = BumpVec::new_in(arena);
        let nearest = |&(_, parent): &Item| {
            let mut node = parent;
            let found = loop {
                if let Some(&item) = known.get(&node) {
                    break item;
                }
                if !climb {
                    // Above a node that is not moved there is none that is: those that are have no children.
                    return NIL;
                }
                way.push(node);
                match self.parent_of(node) {
                    Some(above) => node = above,
                    None => break NIL,
                }
            };
            known.extend(way.drain(..).map(|node| (node, found)));
            found
        };
        arena.alloc_slice_fill_iter(items.iter().map(nearest))
    }

    /// The local transforms by which nodes stay where they are in the world, by item; `None` where they keep their own.
    fn kept_locals<'b>(
        &self,
        items: &[Item],
        moves: &Moves<'_>,
        arena: &'b Bump,
    ) -> Result<&'b [Option<Local>], BatchError> {
        let kept: &mut [Option<Local>] = arena.alloc_slice_fill_copy(items.len(), None);
        let order = arena.alloc_slice_copy(moves.order);
        order.sort_unstable();
        for &mut item in order {
            let (node, parent) = items[item as usize];
            let place = |node| self.resolve(node).expect("the batch was checked before");
            let (at, above) = (place(node), place(parent));
            if self.parent(at) != Some(above) {
                let local = self.local_below(at, above).map_err(|error| BatchError::at(item as usize, error))?;
                kept[item as usize] = local;
            }
        }
        Ok(kept)
    }
}

/// Fills in how many items stand above each; or returns the first that stands above itself.
fn rank(above: &[u32], ranks: &mut [u32], arena: &Bump) -> Result<(), usize> {
    let mut way: BumpVec<'_, u32> = BumpVec::new_in(arena);
    let mut on_cycle = usize::MAX;
    for first in 0..above.len() {
        let mut item = number(first);
        while item != NIL && ranks[item as usize] == UNKNOWN {
            ranks[item as usize] = ON_THE_WAY;
            way.push(item);
            item = above[item as usize];
        }
        if item != NIL && ranks[item as usize] == ON_THE_WAY {
            let start = way.iter().position(|&other| other == item).unwrap_or(0);
            on_cycle = way[start..].iter().fold(on_cycle, |first, &item| first.min(item as usize));
        }
        let mut rank = if item == NIL || ranks[item as usize] >= SUPERSEDED { 0 } else { ranks[item as usize] + 1 };
        while let Some(item) = way.pop() {
            ranks[item as usize] = rank;
            rank += 1;
        }
    }
    if on_cycle == usize::MAX { Ok(()) } else { Err(on_cycle) }
}
