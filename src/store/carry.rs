//! Moves of large subtrees. A slice that has only nodes of one moved subtree is kept; only its place in the order
//! changes. Nodes in other slices are lifted, like all nodes of a small subtree. So moving a large subtree costs little
//! more than computing its matrices.

use crate::NodeHandle;
use crate::store::Store;
use crate::store::page::Pages;
use crate::store::record::RecordId;
use crate::store::slice::Slice;
use crate::store::slices::Slices;

/// Slices that are kept while large subtrees move.
pub(crate) struct Carried {
    /// The roots of the subtrees. None of them keeps its row.
    tops: Vec<RecordId>,
    /// The slices of each subtree, in order.
    slices: Vec<Vec<u32>>,
}

/// The subtree of a node that is in no large subtree.
const NONE: u32 = u32::MAX;

impl Store {
    /// Lifts a node: takes away its row, so that the node waits.
    pub(crate) fn lift(&mut self, id: RecordId) {
        let Self { pages, slices, waiting, clock, feed, .. } = self;
        let spot = pages.spot(id);
        if let Some(feed) = feed {
            feed.note_lifted(pages, id, &slices.slices[spot.slice()], spot.row());
        }
        slices.kill(spot, pages.record(id).has, &mut clock.versions);
        pages.set_spot(id, waiting.push(id));
    }

    /// Lifts the nodes of large subtrees, except those in slices that have no other nodes.
    ///
    /// Runs in O(slices and their imports + rows in slices that have nodes of these subtrees).
    pub(crate) fn lift_large(&mut self, tops: Vec<RecordId>) -> Carried {
        let mut carried = Carried { slices: vec![Vec::new(); tops.len()], tops };
        if carried.tops.is_empty() {
            return carried;
        }
        let Carried { tops, slices: kept } = &mut carried;
        // The slice and row of each top, and the number of its subtree.
        let spots = (0..).zip(&*tops).map(|(subtree, &top)| (self.pages.spot(top), subtree));
        let mut places: Vec<Place> = spots.map(|(spot, subtree)| (spot.slice(), spot.row(), subtree)).collect();
        places.sort_unstable();
        let in_slice = |number: u32| {
            let begin = places.partition_point(|&(slice, ..)| slice < number as usize);
            let count = places[begin..].partition_point(|&(slice, ..)| slice == number as usize);
            &places[begin..begin + count]
        };
        // The subtree of each row of a slice; empty if all are in none.
        let mut subtrees: Vec<Vec<u32>> = vec![Vec::new(); self.slices.slices.len()];
        for &number in &self.slices.order {
            let slice = &mut self.slices.slices[number as usize];
            slice.find_sources(&self.pages, self.clock.layouts);
            let here = in_slice(number);
            if !here.is_empty() || slice.sources.1.iter().any(|&above| !subtrees[above as usize].is_empty()) {
                subtrees[number as usize] = slice.subtrees(&self.pages, here, &subtrees);
            }
        }
        let mut lifted = Vec::new();
        for at in 0..self.slices.order.len() {
            let number = self.slices.order[at];
            let of_rows = core::mem::take(&mut subtrees[number as usize]);
            if of_rows.is_empty() {
                continue;
            }
            let has_top = !in_slice(number).is_empty();
            if let Some(subtree) = self.only_subtree(number, &of_rows, tops).filter(|_| !has_top) {
                self.slices.heads[number as usize].carried = true;
                kept[subtree as usize].push(number);
                continue;
            }
            lifted.clear();
            let rows = self.slices.heads[number as usize].alive.iter().filter(|&row| of_rows[row] != NONE);
            lifted.extend(rows.map(|row| self.slices.slices[number as usize].rows[row].record));
            lifted.iter().for_each(|&id| self.lift(id));
        }
        // Slices may import from others than before.
        self.clock.layouts += 1;
        carried
    }

    /// Returns the subtree that all nodes of a slice are in, if there is one, and the slice can be kept for it.
    fn only_subtree(&self, number: u32, of_rows: &[u32], tops: &[RecordId]) -> Option<u32> {
        let mut subtrees = self.slices.heads[number as usize].alive.iter().map(|row| of_rows[row]);
        let subtree = subtrees.next()?;
        let stays = self.slices.slices[number as usize].detached == self.is_outside(*tops.get(subtree as usize)?);
        (stays && subtrees.all(|other| other == subtree)).then_some(subtree)
    }

    /// Moves the slices of each large subtree behind the slice that its root will be placed in, and gives them new
    /// versions. `owners` has this slice for each waiting node.
    pub(crate) fn order_carried(&mut self, carried: &Carried, owners: &[u32]) {
        let Carried { tops, slices: kept } = carried;
        if kept.iter().all(Vec::is_empty) {
            return;
        }
        let owner = |&top: &RecordId| self.pages.spot(top).as_waiting().map(|index| owners[index as usize]);
        let mut groups: Vec<(Option<u32>, &[u32])> =
            tops.iter().map(owner).zip(kept.iter().map(Vec::as_slice)).collect();
        groups.sort_by_key(|&(owner, _)| owner);
        let Slices { slices, order, attached, .. } = &mut self.slices;
        let mut moves = vec![false; slices.len()];
        kept.iter().flatten().for_each(|&number| moves[number as usize] = true);
        // A stack: the next slice is on top.
        let mut next: Vec<u32> = order.iter().rev().copied().filter(|&number| !moves[number as usize]).collect();
        let count = order.len();
        order.clear();
        while let Some(number) = next.pop() {
            order.push(number);
            let begin = groups.partition_point(|&(owner, _)| owner < Some(number));
            for (_, kept) in groups[begin..].iter().take_while(|&&(owner, _)| owner == Some(number)) {
                next.extend(kept.iter().rev());
            }
        }
        debug_assert_eq!(order.len(), count);
        *attached = order.partition_point(|&number| !slices[number as usize].detached);
        // Slices whose versions are unchanged keep their order.
        kept.iter().flatten().for_each(|&number| self.slices.renew(number as usize, &mut self.clock.versions));
    }
}

/// The slice and row of the root of a large subtree, and the number of the subtree.
type Place = (usize, usize, u32);

impl Slice {
    /// Returns the subtree of each row, or [`NONE`]. `tops` are the subtrees' roots in this slice, by row; `others` has
    /// the results for earlier slices.
    fn subtrees(&self, pages: &Pages, tops: &[Place], others: &[Vec<u32>]) -> Vec<u32> {
        let imported = |handle: NodeHandle| {
            let spot = pages.spot(pages.resolve(handle)?);
            others.get(spot.slice())?.get(spot.row()).copied()
        };
        let mut tops = tops.iter().peekable();
        let mut subtrees = vec![NONE; self.rows.len()];
        for (at, row) in self.rows.iter().enumerate() {
            subtrees[at] = match (tops.next_if(|&&(_, row, _)| row == at), self.imports.get(at)) {
                (Some(&(.., subtree)), _) => subtree,
                (None, Some(handle)) => handle.and_then(imported).unwrap_or(NONE),
                (None, None) => subtrees[usize::from(row.above)],
            };
        }
        subtrees
    }
}
