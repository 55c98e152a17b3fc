//! Moves of large subtrees. A slice that has only nodes of one moved subtree is kept; only its place in the order
//! changes. Nodes in other slices are unplaced, like all nodes of a small subtree. So moving a large subtree costs
//! little more than computing its matrices.

use crate::store::location::{Location, SliceId};
use crate::store::nodes::Nodes;
use crate::store::record::RecordId;
use crate::store::slice::{Head, Slice};
use crate::store::state::{Home, Work};
use crate::store::{Store, Update};

/// A large subtree that was moved.
pub(crate) struct KeptSubtree {
    /// The root, which does not keep its row.
    top: RecordId,
    /// The slices that are kept, in order.
    slices: Vec<SliceId>,
}

/// The subtree number of nodes outside large subtrees.
const NONE: u32 = u32::MAX;

impl Store {
    /// Unplaces a node: takes away its row, so that the node waits.
    pub(crate) fn unplace(&mut self, id: RecordId) {
        let Self { nodes: Nodes { pages, inbox, .. }, slices, update: Update { feed, .. }, .. } = self;
        let location = pages.location(id);
        if let Some(feed) = feed {
            feed.record_unplaced(pages, id, &slices[location.slice()], location.row());
        }
        slices.free_row(location, pages.record(id).has, false);
        pages.set_location(id, inbox.push(id));
    }

    /// Unplaces the nodes of large subtrees, except those in slices that have no other nodes.
    ///
    /// Runs in O(slices and their imports + rows in slices that have nodes of these subtrees).
    pub(crate) fn unplace_large(&mut self, tops: Vec<RecordId>) -> Vec<KeptSubtree> {
        let mut kept: Vec<_> = tops.into_iter().map(|top| KeptSubtree { top, slices: Vec::new() }).collect();
        if kept.is_empty() {
            return kept;
        }
        // The slice and row of each top, and the number of its subtree.
        let locations = (0..).zip(&kept).map(|(subtree, kept)| (self.nodes.pages.location(kept.top), subtree));
        let mut places: Vec<Place> =
            locations.map(|(location, subtree)| (location.slice(), location.row(), subtree)).collect();
        places.sort_unstable();
        let in_slice = |number: SliceId| {
            let begin = places.partition_point(|&(slice, ..)| slice < number);
            let count = places[begin..].partition_point(|&(slice, ..)| slice == number);
            &places[begin..begin + count]
        };
        let mut subtrees = vec![Subtrees::One(NONE); self.slices.end()];
        for at in 0..self.slices.order.len() {
            let number = self.slices.order[at];
            self.locate_imports(number);
            let slice = &self.slices[number];
            let here = in_slice(number);
            let above = |&above: &SliceId| !matches!(subtrees[above.index()], Subtrees::One(NONE));
            if !here.is_empty() || slice.sources.slices.iter().any(above) {
                subtrees[number.index()] = slice.subtrees(here, &subtrees);
            }
        }
        let mut unplaced = Vec::new();
        for at in 0..self.slices.order.len() {
            let number = self.slices.order[at];
            let subtrees = &subtrees[number.index()];
            if matches!(subtrees, Subtrees::One(NONE)) {
                continue;
            }
            let (slice, head) = self.slices.both(number);
            let stays =
                |&subtree: &u32| (slice.home == Home::Limbo) == self.nodes.is_outside(kept[subtree as usize].top);
            if let Some(subtree) = subtrees.only(head).filter(|_| in_slice(number).is_empty()).filter(stays) {
                let (slice, head) = self.slices.both_mut(number);
                head.work.add(Work::KEPT);
                slice.sources.forget();
                kept[subtree as usize].slices.push(number);
                continue;
            }
            unplaced.clear();
            unplaced
                .extend(head.alive.iter().filter(|&row| subtrees.of(row) != NONE).map(|row| slice.rows[row].record));
            for (at, &id) in unplaced.iter().enumerate() {
                if let Some(&ahead) = unplaced.get(at + 16) {
                    self.nodes.pages.prefetch_location(ahead);
                    self.nodes.pages.prefetch_record(ahead);
                }
                self.unplace(id);
            }
        }
        kept
    }

    /// Puts the slices of each large subtree after the slice where its root will be placed, and gives them new
    /// versions. `owners` has this slice for each waiting node.
    pub(crate) fn order_kept(&mut self, kept: &[KeptSubtree], owners: &[SliceId]) {
        let all = || kept.iter().flat_map(|kept| &kept.slices).copied();
        if all().next().is_none() {
            return;
        }
        let owner = |top| self.nodes.pages.location(top).as_waiting().map(|index| owners[index as usize]);
        let mut groups: Vec<_> = kept.iter().map(|KeptSubtree { top, slices }| (owner(*top), slices)).collect();
        groups.sort_by_key(|&(owner, _)| owner);
        let mut moves = vec![false; self.slices.end()];
        all().for_each(|number| moves[number.index()] = true);
        let order = &mut self.slices.order;
        // A stack: the next slice is on top. Kept subtrees may nest, so a kept slice may bring others.
        let mut next: Vec<_> = order.iter().rev().copied().filter(|&number| !moves[number.index()]).collect();
        let count = order.len();
        order.clear();
        while let Some(number) = next.pop() {
            order.push(number);
            let begin = groups.partition_point(|&(owner, _)| owner < Some(number));
            for (_, slices) in groups[begin..].iter().take_while(|&&(owner, _)| owner == Some(number)) {
                next.extend(slices.iter().rev());
            }
        }
        debug_assert_eq!(order.len(), count);
        self.slices.attached = self.slices.order.partition_point(|&number| self.slices[number].home == Home::Tree);
        // Slices whose versions are unchanged keep their order.
        all().for_each(|number| self.slices.renew(number));
    }
}

/// The slice and row of the root of a large subtree, and the number of the subtree.
type Place = (SliceId, usize, u32);

/// The large subtrees that rows of a slice are in.
#[derive(Clone)]
enum Subtrees {
    /// All rows of nodes are in the same, or all in [`NONE`].
    One(u32),
    /// The subtree of each row, or [`NONE`].
    Rows(Vec<u32>),
}

impl Subtrees {
    /// Returns the subtree of a row, or [`NONE`].
    #[inline]
    fn of(&self, row: usize) -> u32 {
        match self {
            Self::One(subtree) => *subtree,
            Self::Rows(subtrees) => subtrees[row],
        }
    }

    /// Returns the subtree that all nodes of the slice are in, if there is one.
    fn only(&self, head: &Head) -> Option<u32> {
        let subtree = self.of(head.alive.iter().next()?);
        let all = matches!(self, Self::One(_)) || head.alive.iter().all(|row| self.of(row) == subtree);
        (all && subtree != NONE).then_some(subtree)
    }
}

impl Slice {
    /// Returns the subtrees of rows. `tops` are the subtrees' roots in this slice, by row; `others` has the results for
    /// earlier slices.
    fn subtrees(&self, tops: &[Place], others: &[Subtrees]) -> Subtrees {
        let imported =
            |location: &Location| others.get(location.slice().index()).map(|subtrees| subtrees.of(location.row()));
        if tops.is_empty() {
            let mut imported = self.sources.locations.iter().filter_map(imported);
            if let Some(first) = imported.next().filter(|&first| imported.all(|other| other == first)) {
                return Subtrees::One(first);
            }
        }
        let mut tops = tops.iter().peekable();
        let mut subtrees = vec![NONE; self.rows.len()];
        for (at, row) in self.rows.iter().enumerate() {
            subtrees[at] = match (tops.next_if(|&&(_, row, _)| row == at), self.sources.locations.get(at)) {
                (Some(&(.., subtree)), _) => subtree,
                (None, Some(location)) => imported(location).unwrap_or(NONE),
                (None, None) => subtrees[usize::from(row.above)],
            };
        }
        Subtrees::Rows(subtrees)
    }
}
