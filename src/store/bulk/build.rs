//! Builds many nodes at once: plans the slices, opens them with the room that they need, and fills them in pre-order.

use crate::Mat34;
use crate::store::bulk::node_list::Packed;
use crate::store::columns::ShapeRecord;
use crate::store::columns::{At, NIL, Occupant, Row, Slot};
use crate::store::restructuring::{Cut, Planner};
use crate::store::{Additions, Head, Need, NodeList, Slice, Spot, Store};
use crate::{Local, NodeHandle};
use bumpalo::collections::Vec as BumpVec;
use core::ops::Range;

/// The room of a new slice, as a multiple of what goes into it.
const ROOM: f32 = 1.125;

/// Nodes in pre-order, each identified by its place in that order.
pub(crate) trait Forest {
    /// How many nodes there are.
    fn count(&self) -> u32;

    /// The place of a node's parent, or [`NIL`].
    fn parent(&self, place: u32) -> u32;

    /// The entry of the node at a place in the list of nodes.
    fn head(&self, place: u32) -> Head;

    /// The list of nodes, in any order.
    fn nodes(&self) -> &NodeList;
}

/// How many nodes ahead a description is prefetched.
const AHEAD: u32 = 16;

/// A planned slice: the nodes from `first` to `end`, without those of the pieces cut out of it.
struct Piece {
    first: u32,
    end: u32,
    need: Need,
    slice: u32,
}

impl Store {
    /// Builds a run of siblings and all nodes below them in new slices, and reports the handle of each place. Returns
    /// the topmost slice, which is not attached to any portal yet. The caller has made sure that there are enough
    /// handles.
    ///
    /// Parents before the run are ignored. Runs in **O(nodes)**.
    pub(in crate::store) fn build_slices(
        &mut self,
        forest: &impl Forest,
        run: Range<u32>,
        mut tell: impl FnMut(u32, NodeHandle),
    ) -> u32 {
        let count = run.end - run.start;
        let tables_before = self.tables.len();
        let parent_of = |place: u32| match forest.parent(run.start + place) {
            NIL => NIL,
            parent if parent < run.start => NIL,
            parent => parent - run.start,
        };
        let mut pieces = self.plan_pieces((0..count as usize).map(|place| parent_of(narrow(place))));
        measure(&mut pieces, |place| forest.head(run.start + place).need());

        pieces[0].slice = self.open_piece(&pieces[0].need);
        let mut rows = vec![NIL; count as usize];
        let mut walk = Walk::new();
        for place in 0..count {
            if place + AHEAD < count {
                forest.nodes().look_ahead(forest.head(run.start + place + AHEAD));
            }
            let parent = parent_of(place);
            while let Some((above, piece)) = walk.step(&pieces, place) {
                let spot = self.spot_at_end(&pieces[above], parent, &rows);
                pieces[piece].slice = self.open_piece(&pieces[piece].need);
                self.insert_portal(&spot, pieces[piece].slice);
            }
            let spot = self.spot_at_end(&pieces[walk.present()], parent, &rows);
            let (row, handle) = self.append(&spot, forest.nodes(), forest.head(run.start + place));
            rows[place as usize] = row;
            tell(run.start + place, handle);
        }
        for piece in &pieces {
            // Space the portals by the size of what is below them, so that they lie near their siblings and in order.
            let slice = &mut self.slices[piece.slice as usize];
            slice.misplaced = 0;
            if let Some(boxes) = &mut slice.boxes {
                boxes.mark_all_stale(slice.shapes.slots.end());
            }
            self.tell_moved(piece.slice);
            self.tell_edited(piece.slice);
        }
        debug_assert!(self.tables.len() - tables_before <= self.most_tables(count as usize, 1));
        pieces[0].slice
    }

    /// How many tables [`Self::build_slices`] opens at most, for this many nodes in this many runs.
    ///
    /// Each slice opens one, and another whenever it has filled one. Each piece that is cut out has at least a quarter
    /// of the greatest size, and one of its rows may be a portal to another piece. Pieces around runs of these are
    /// fewer still.
    pub(in crate::store) fn most_tables(&self, nodes: usize, runs: usize) -> usize {
        let filled = nodes / self.tables.max_entries as usize;
        let cut = nodes / (Planner::new(self.config.max_nodes).least() as usize - 1);
        runs + filled + 2 * cut
    }

    /// Opens an empty slice and entries for handles, with room for what is to come.
    fn open_piece(&mut self, need: &Need) -> u32 {
        let number = self.open_slice(Slice::with_room(&need.times(ROOM, self.config.max_nodes.max(need.rows))));
        self.tables.open_with_room(number, need.rows as usize);
        number
    }

    /// Appends a node to a slice that has room and no holes. Returns its row and its handle.
    ///
    /// Copies from the list to the columns directly. A description built on the stack in pieces and read back whole
    /// would stall on store forwarding for each node.
    #[inline]
    fn append(&mut self, spot: &Spot, nodes: &NodeList, head: Head) -> (u32, NodeHandle) {
        let slice = &mut self.slices[spot.slice as usize];
        let at = slice.row_slots.allocate_near(0).expect("the slice was opened with room");
        let [mut transform, mut visibility, mut material] = slice.inherited(spot.parent);
        let mut words = nodes.words(head);
        match words.local() {
            Some(Packed::Transform(local)) => {
                let slot = slice.transforms.append(transform.index(), local);
                transform = Slot::own(slot);
            }
            Some(Packed::Matrix(matrix)) => {
                transform = slice.new_transform(transform, &Local::Matrix(matrix), &Mat34::IDENTITY);
            }
            None => {}
        }
        let handle = self.tables.append(spot.slice, At { slice: spot.slice, row: at }, transform);
        let handle = handle.expect("the caller has made sure of handles");
        if let Some(mask) = words.visibility() {
            visibility = slice.new_visibility(visibility, mask);
        }
        if let Some(value) = words.material() {
            material = slice.new_material(at, value);
        }
        let mut shape = NIL;
        if let Some((mesh, bounds)) = words.shape() {
            let [transform, visibility, material] = [transform, visibility, material].map(Slot::index);
            let record = ShapeRecord { node: handle.to_bits(), mesh, transform, visibility, material };
            shape = slice.shapes.append(record, bounds);
        }
        let name = words.name().map_or(NIL, |name| slice.new_name(name.into()));
        let row = Row { transform, visibility, material, shape, name, ..Row::new(Occupant::node(handle)) };
        slice.link_new(at, row, spot);
        if let Some(Additions { word, remainder }) = words.additions() {
            if let Some(slot) = transform.as_own() {
                slice.transforms.set_remainder(slot, remainder);
            }
            self.words.set(handle, word);
        }
        if self.feed.is_some() {
            slice.trace_owner(at);
            self.note_new(spot.slice, handle);
        }
        (at, handle)
    }

    /// The whole run and the pieces to cut out of it, ordered by their first places.
    fn plan_pieces(&mut self, parents: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator) -> Vec<Piece> {
        let count = u32::try_from(parents.len()).expect("nodes number less than 2^30");
        let piece = |first, end| Piece { first, end, need: Need::default(), slice: NIL };
        let mut pieces = vec![piece(0, count)];
        if count <= self.config.max_nodes {
            return pieces;
        }
        let planner = Planner::new(self.config.max_nodes);
        let arena = self.scratch.take();
        let cuts = gather(planner.plan(parents, &arena), planner.least() as usize);
        pieces.extend(cuts.iter().map(|cut| piece(cut.first, cut.end)));
        drop(cuts);
        self.scratch.give_back(arena);
        pieces.sort_unstable_by_key(|piece| (piece.first, core::cmp::Reverse(piece.end)));
        pieces
    }

    /// The spot behind all children of a node in a piece, or behind all top rows of the piece.
    fn spot_at_end(&self, piece: &Piece, parent: u32, rows: &[u32]) -> Spot {
        let slice = self.slice(piece.slice);
        let parent = if parent == NIL || parent < piece.first { NIL } else { rows[parent as usize] };
        let previous = if parent == NIL { slice.last_top } else { slice.row(parent).last_child };
        Spot { slice: piece.slice, parent, previous, next: NIL }
    }
}

/// Adds cuts around runs of cuts until no node has more than `most` portals directly below it. Otherwise a node with
/// millions of children would have too many portals in one slice.
fn gather(mut cuts: BumpVec<'_, Cut>, most: usize) -> BumpVec<'_, Cut> {
    cuts.sort_by_key(|cut| cut.parent);
    let mut around = BumpVec::new_in(cuts.bump());
    for siblings in cuts.chunk_by(|a, b| a.parent == b.parent) {
        // From the last to the first, and without gaps.
        let mut runs = siblings.to_vec();
        while runs.len() > most {
            let whole = |run: &[Cut]| Cut { first: run[run.len() - 1].first, ..run[0] };
            runs = even_shares(&runs, most).map(whole).collect();
            around.extend_from_slice(&runs);
        }
    }
    cuts.append(&mut around);
    cuts
}

/// Splits a list into parts of at most `most` items and of about equal length. No part has only one item, unless the
/// list has.
pub(in crate::store) fn even_shares<T>(list: &[T], most: usize) -> impl Iterator<Item = &[T]> {
    let parts = list.len().div_ceil(most);
    (0..parts).map(move |part| &list[part * list.len() / parts..(part + 1) * list.len() / parts])
}

/// Sums up what goes into each piece.
fn measure(pieces: &mut [Piece], need: impl Fn(u32) -> Need) {
    let mut walk = Walk::new();
    for place in 0..pieces[0].end {
        while let Some((above, _)) = walk.step(pieces, place) {
            pieces[above].need.extend(&Need::PORTAL);
        }
        pieces[walk.present()].need.extend(&need(place));
    }
}

/// Converts to a place; there are fewer than 2³⁰.
#[expect(clippy::cast_possible_truncation, reason = "nodes number less than 2^30")]
fn narrow(place: usize) -> u32 {
    place as u32
}

/// Tracks which piece each place is in, place after place.
struct Walk {
    /// The pieces that the place is in, the innermost last.
    within: Vec<usize>,
    next: usize,
}

impl Walk {
    fn new() -> Self {
        Self { within: vec![0], next: 1 }
    }

    /// Goes to a place. Returns the next piece that begins there and the piece around it.
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

    /// The innermost piece at the present place.
    fn present(&self) -> usize {
        self.within[self.within.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use crate::{Node, Scene, SceneConfig, scene::SceneBuilder};

    #[test]
    fn as_many_nodes_as_a_scene_has_numbers_for_are_built_in_one_call() {
        let scene = Scene::new();
        let (most, runs) = (crate::store::MAX_NODES - 1, 1 << 20);
        assert!(scene.store.tables.can_open(scene.store.most_tables(most, runs)));
        assert_eq!(scene.check_room(most, runs), Ok(()));
        assert!(scene.check_room(most + 1, 1).is_err());
        assert!(scene.check_room(most, 1 << 24).is_err(), "each child of the root may need a table of its own");
    }

    #[test]
    fn no_build_opens_more_tables_than_are_counted_on() {
        for max_nodes in [16, 64] {
            let config =
                SceneConfig { max_nodes, min_nodes: 4, initial_slice_max_num_nodes: 1, ..SceneConfig::DEFAULT };
            // Families of twenty, most of which end in runs of two portals: so many pieces do no other trees have.
            let families = |number: usize| match number.checked_sub(2).map(|number| number % 21) {
                None => 0,
                Some(0) => 1,
                Some(child) => number - child,
            };
            let shapes: [fn(usize) -> usize; 5] =
                [|_| 0, |number| number - 1, |number| usize::from(number > 1), |number| (number - 1) / 3, families];
            for parent in shapes {
                let mut builder = SceneBuilder::new();
                for number in 0..3000_usize {
                    builder.push(number.checked_sub(1).map(|_| parent(number)), Node::group());
                }
                let (mut scene, nodes) = builder.build(config).unwrap();
                let runs = scene.children(scene.root()).count();
                assert!(scene.store.tables.len() <= scene.store.most_tables(nodes.len(), runs));
                let before = scene.store.tables.len();
                scene.duplicate(nodes[0], nodes[0]).unwrap();
                assert!(scene.store.tables.len() - before <= scene.store.most_tables(nodes.len(), 1));
                scene.validate().unwrap();
            }
        }
    }
}
