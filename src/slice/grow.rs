//! Building many nodes at once: slices are planned before, opened with the room that they need, and filled in pre-order.

use crate::slice::row::NIL;
use crate::slice::split::{Cut, Planner};
use crate::slice::{Need, Slice, Spot, Store};
use crate::{Node, NodeHandle};
use core::ops::Range;

/// How much room a slice is opened with, as a multiple of what goes into it.
const ROOM: f32 = 1.125;

/// Nodes in pre-order, told by their places in that order.
pub(crate) trait Forest {
    /// The place of each node's parent, or [`NIL`].
    fn parents(&self) -> &[u32];

    /// What a node takes.
    fn need(&self, place: u32) -> Need;

    /// A description as a scene keeps it.
    fn node(&self, place: u32) -> Node<'_>;

    /// Asks for a description some nodes ahead.
    fn look_ahead(&self, _place: u32) {}
}

/// A slice to be: the nodes from `first` to `end`, without those of the pieces that lie in it.
struct Piece {
    first: u32,
    end: u32,
    need: Need,
    slice: u32,
}

impl Store {
    /// Builds a run of siblings with all below them in new slices, and tells the handle of each place. Answers the topmost
    /// slice, which hangs nowhere yet. The caller has made sure of enough handles.
    ///
    /// Parents before the run do not count. Computes in **O(nodes)**.
    pub(crate) fn grow(&mut self, forest: &impl Forest, run: Range<u32>, mut tell: impl FnMut(u32, NodeHandle)) -> u32 {
        let parents = &forest.parents()[run.start as usize..run.end as usize];
        let local = |parent: u32| if parent == NIL || parent < run.start { NIL } else { parent - run.start };
        let mut pieces = self.plan_pieces(parents.iter().map(|&parent| local(parent)));
        measure(&mut pieces, |place| forest.need(run.start + place));

        let most = self.config.max_nodes;
        let room = |need: &Need| Slice::with_room(&need.times(ROOM, most.max(need.rows)));
        pieces[0].slice = self.open_slice(room(&pieces[0].need));
        let mut rows = vec![NIL; parents.len()];
        let mut walk = Walk::new();
        for (place, &parent) in (0..).zip(parents) {
            forest.look_ahead(run.start + place);
            let parent = local(parent);
            while let Some((above, piece)) = walk.step(&pieces, place) {
                let spot = self.spot_at_end(&pieces[above], parent, &rows);
                let slice = self.open_slice(room(&pieces[piece].need));
                self.insert_portal(&spot, slice);
                pieces[piece].slice = slice;
            }
            let spot = self.spot_at_end(&pieces[walk.present()], parent, &rows);
            let (node, need) = (forest.node(run.start + place), forest.need(run.start + place));
            let handle = self.insert_node(&spot, &node, &need).expect("the caller has made sure of handles");
            rows[place as usize] = self.slice(spot.slice).row_slots.end() - 1;
            tell(run.start + place, handle);
        }
        for piece in &pieces {
            // Siblings lie as far apart as what hangs below them is large, and yet in order.
            self.slices[piece.slice as usize].misplaced = 0;
        }
        pieces[0].slice
    }

    /// The whole and the pieces to be cut out of it, by their first places.
    fn plan_pieces(&self, parents: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone) -> Vec<Piece> {
        let count = u32::try_from(parents.len()).expect("nodes number less than 2^30");
        let piece = |first, end| Piece { first, end, need: Need::default(), slice: NIL };
        let mut pieces = vec![piece(0, count)];
        if count <= self.config.max_nodes {
            return pieces;
        }
        let mut sizes = vec![1; count as usize];
        for (place, parent) in (0..count).zip(parents.clone()).rev() {
            if parent != NIL {
                sizes[parent as usize] += sizes[place as usize];
            }
        }
        let planner = Planner::new(self.config.max_nodes);
        let cuts = gather(planner.plan(parents), planner.least() as usize);
        pieces.extend(cuts.iter().map(|cut| piece(cut.first, cut.last + sizes[cut.last as usize])));
        pieces.sort_unstable_by_key(|piece| (piece.first, core::cmp::Reverse(piece.end)));
        pieces
    }

    /// The place behind all children of a node in a piece, or behind all tops of it.
    fn spot_at_end(&self, piece: &Piece, parent: u32, rows: &[u32]) -> Spot {
        let slice = self.slice(piece.slice);
        let parent = if parent == NIL || parent < piece.first { NIL } else { rows[parent as usize] };
        let previous = if parent == NIL { slice.last_top } else { slice.row(parent).last_child };
        Spot { slice: piece.slice, parent, previous, next: NIL }
    }
}

/// Adds cuts around runs of cuts until no node has more than `most` directly below it, which would be too many portals in
/// one slice: those of a node with millions of children.
fn gather(mut cuts: Vec<Cut>, most: usize) -> Vec<Cut> {
    cuts.sort_by_key(|cut| cut.parent);
    let mut around = Vec::new();
    for siblings in cuts.chunk_by(|a, b| a.parent == b.parent) {
        // From the last to the first, and without gaps.
        let mut runs = siblings.to_vec();
        while runs.len() > most {
            let whole = |run: &[Cut]| Cut { first: run[run.len() - 1].first, ..run[0] };
            around.extend(runs.chunks(most).filter(|run| run.len() > 1).map(whole));
            runs = runs.chunks(most).map(whole).collect();
        }
    }
    cuts.append(&mut around);
    cuts
}

/// Adds up what goes into each piece.
fn measure(pieces: &mut [Piece], need: impl Fn(u32) -> Need) {
    let mut walk = Walk::new();
    for place in 0..pieces[0].end {
        while let Some((above, _)) = walk.step(pieces, place) {
            pieces[above].need.extend(&Need::PORTAL);
        }
        pieces[walk.present()].need.extend(&need(place));
    }
}

/// Which piece each place is in, place after place.
struct Walk {
    /// The pieces that the place is in, the innermost last.
    within: Vec<usize>,
    next: usize,
}

impl Walk {
    fn new() -> Self {
        Self { within: vec![0], next: 1 }
    }

    /// Goes to a place; answers the next piece that begins there, behind the one that it lies in.
    fn step(&mut self, pieces: &[Piece], place: u32) -> Option<(usize, usize)> {
        while pieces[self.present()].end <= place {
            self.within.pop();
        }
        let begins = pieces.get(self.next).is_some_and(|piece| piece.first == place);
        begins.then(|| {
            let opened = (self.present(), self.next);
            self.within.push(self.next);
            self.next += 1;
            opened
        })
    }

    /// The innermost piece.
    fn present(&self) -> usize {
        self.within[self.within.len() - 1]
    }
}
