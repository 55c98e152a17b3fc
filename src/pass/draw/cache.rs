//! What a draw list stores about its scene, so that only changes are listed again.
//!
//! A list is a sequence of segments, one for each slice in order. If the version of a slice is unchanged, its segment
//! stays, and only its matrices may be copied again. A segment moves if segments before it became longer or shorter.

use crate::pass::draw::listing::mark;
use crate::pass::draw::{Listing, Part};
use crate::pass::{Computed, Look, SliceCursor};
use crate::store::{NIL, SliceId, Store};
use crate::unique::unique_number;
use core::ops::Range;

/// The segments of a list, and the state of the scene that they match.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    /// The layers that are listed; `None` if the list matches no scene, because other code wrote to it.
    layers: Option<u32>,
    cursor: SliceCursor,
    segments: Vec<Segment>,
    /// Scratch buffers: the next segments, each slice's segment, draws that are listed again, and moves.
    planned: Vec<Planned>,
    places: Vec<u32>,
    spare: Listing,
    moves: Vec<Move>,
    next: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Refreshed {
    /// The stamp of the segments with changed commands; `None` if no command changed.
    pub(crate) commands: Option<u64>,
    pub(crate) listed: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) slice: SliceId,
    /// A number that is new whenever a command of the segment may have changed. If two segments of a slice have the
    /// same stamp, even in different lists, their commands are equal.
    pub(crate) stamp: u64,
    /// The slots whose matrices the present refresh copies.
    computed: Computed,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Segment {
    /// Returns the segment of a slice that is about to be listed.
    fn of(slice: SliceId, stamp: u64) -> Self {
        Self { slice, stamp, computed: Computed::None, start: 0, len: 0 }
    }

    /// Returns whether the segment has matrices to copy again.
    pub(crate) fn is_behind(&self) -> bool {
        self.computed != Computed::None
    }

    /// Copies the matrices that updates computed since the last refresh. Returns whether any command changed; if so,
    /// the segment gets the stamp.
    pub(crate) fn renew(&mut self, store: &Store, stamp: u64, part: Part<'_>) -> bool {
        let slice = store.view(self.slice);
        let changed = self.is_behind() && part.renew(slice, self.computed.of(slice));
        if changed {
            self.stamp = stamp;
        }
        changed
    }
}

#[derive(Clone, Copy, Debug)]
struct Planned {
    slice: SliceId,
    from: From,
}

impl Planned {
    /// Returns the index of the current segment, if it stays.
    fn kept(&self) -> Option<usize> {
        if let From::Kept(place) = self.from { Some(place) } else { None }
    }
}

/// The current location of a planned segment's drawables.
#[derive(Clone, Copy, Debug)]
enum From {
    /// The current segment with this index.
    Kept(usize),
    /// The spare arrays: the start and the number of drawables.
    Spare(usize, usize),
}

/// A move of drawables to their place in the next list. Targets of consecutive moves are adjacent.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: usize,
    to: usize,
    len: usize,
    spare: bool,
}

impl Move {
    /// Returns whether the drawables from `from` on directly follow those of this move.
    fn is_followed_by(&self, from: usize, spare: bool) -> bool {
        self.from + self.len == from && self.spare == spare
    }
}

impl Cache {
    pub(crate) const EMPTY: Self = Self {
        layers: None,
        cursor: SliceCursor::new(),
        segments: Vec::new(),
        planned: Vec::new(),
        places: Vec::new(),
        spare: Listing::EMPTY,
        moves: Vec::new(),
        next: Vec::new(),
    };

    /// Forgets the scene, because other code writes to the list or empties it.
    pub(crate) fn forget(&mut self) {
        self.layers = None;
    }

    /// Frees everything. The next refresh lists from scratch.
    pub(crate) fn free(&mut self, listing: &mut Listing) {
        if listing.is_compared {
            listing.mark_all();
        }
        *self = Self::EMPTY;
    }

    /// Updates `listing`: afterwards it is the same as if the scene were listed from scratch.
    ///
    /// Runs in **O(1)** if the scene is unchanged, else in **O(slices + drawables of slices that changed or moved)**.
    /// In addition, if the number of drawables of a slice changed, all drawables after that slice are copied.
    pub(crate) fn refresh(&mut self, listing: &mut Listing, store: &Store, layers: u32) -> Refreshed {
        // Until the refresh is finished, the list matches no scene.
        if self.layers.take() != Some(layers) {
            self.cursor.reset();
        }
        let mut cursor = core::mem::take(&mut self.cursor);
        let mut look = cursor.look(store);
        let refreshed = if look.is_still() {
            listing.mark_none();
            Refreshed { commands: None, listed: false }
        } else {
            // A stamp is unique over all lists, so groups made from another list never match.
            let stamp = unique_number().get();
            listing.mark_none();
            let listed = if look.has_other_rows() {
                self.relist(listing, store, layers, stamp, &mut look)
            } else {
                for segment in &mut self.segments {
                    // No row changed anywhere, so the segments are the slices of the order.
                    segment.computed = look.at(store.view(segment.slice)).slots;
                }
                false
            };
            let behind = self.segments.iter().any(Segment::is_behind);
            let changed = listed | (behind && listing.renew(store, &mut self.segments, stamp));
            listing.any_marked = listed | behind;
            Refreshed { commands: changed.then_some(stamp), listed }
        };
        look.finish();
        self.cursor = cursor;
        self.layers = Some(layers);
        refreshed
    }

    /// Returns the segments of the list, unless other code wrote to it.
    pub(crate) fn known_segments(&self) -> Option<&[Segment]> {
        self.layers.map(|_| &*self.segments)
    }

    pub(crate) fn spare_listing(&mut self) -> &mut Listing {
        &mut self.spare
    }

    /// Returns the previous arrays, which stay unchanged until the next refresh: see [`Listing::is_compared`].
    pub(crate) fn listing_before(&self) -> &Listing {
        &self.spare
    }

    /// Returns the slices of the list in order, each with the range of its drawables.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (SliceId, Range<usize>)> + '_ {
        self.segments.iter().map(|segment| (segment.slice, segment.start..segment.start + segment.len))
    }

    fn list_anew(&mut self, listing: &mut Listing, store: &Store, layers: u32, stamp: u64) {
        self.segments.clear();
        self.segments.extend(store.slices.in_tree().iter().map(|&number| Segment::of(number, stamp)));
        listing.list(store, layers, &mut self.segments);
    }

    /// Lists changed slices again, and moves the other segments. Returns whether anything was listed or moved.
    fn relist(
        &mut self,
        listing: &mut Listing,
        store: &Store,
        layers: u32,
        stamp: u64,
        look: &mut Look<'_, '_>,
    ) -> bool {
        // The plan also asks the look about each slice, which must happen once even if all is listed anew.
        self.plan(store, look);
        let stale = |planned: &&Planned| matches!(planned.from, From::Spare(..));
        let drawables = |planned: &Planned| store.view(planned.slice).drawables().len();
        let again: usize = self.planned.iter().filter(stale).map(drawables).sum();
        // Listing everything directly costs less than listing over half of it through the spare arrays.
        if look.is_first() || 2 * again > listing.len() {
            self.list_anew(listing, store, layers, stamp);
            return true;
        }
        // Kept places ascend, so if all are kept, none has moved.
        if self.planned.len() == self.segments.len() && !self.planned.iter().any(|planned| stale(&planned)) {
            return false;
        }
        self.next.clear();
        self.next.extend(self.planned.iter().filter(stale).map(|planned| Segment::of(planned.slice, stamp)));
        self.spare.keeps_matrices = listing.keeps_matrices;
        self.spare.list(store, layers, &mut self.next);
        for (planned, segment) in self.planned.iter_mut().filter(|planned| stale(&&**planned)).zip(&self.next) {
            planned.from = From::Spare(segment.start, segment.len);
        }
        self.rearrange(listing, stamp);
        true
    }

    /// Decides for every slice, in order, whether its segment stays. Slices whose rows are the same keep their order, so
    /// segments that stay can be moved within the arrays.
    fn plan(&mut self, store: &Store, look: &mut Look<'_, '_>) {
        self.places.clear();
        self.places.resize(store.slices.end(), NIL);
        for (place, segment) in (0..).zip(&self.segments) {
            if let Some(entry) = self.places.get_mut(segment.slice.index()) {
                *entry = place;
            }
        }
        self.planned.clear();
        for &number in store.slices.in_tree() {
            let (place, change) = (self.places[number.index()] as usize, look.at(store.view(number)));
            let from = match self.segments.get_mut(place) {
                Some(segment) if !change.rows => {
                    segment.computed = change.slots;
                    From::Kept(place)
                }
                _ => From::Spare(0, 0),
            };
            self.planned.push(Planned { slice: number, from });
        }
        debug_assert!(self.planned.iter().filter_map(Planned::kept).is_sorted());
    }

    fn rearrange(&mut self, listing: &mut Listing, stamp: u64) {
        let Self { segments, moves, next, spare, .. } = self;
        moves.clear();
        next.clear();
        let mut end = 0;
        for planned in &self.planned {
            let (slice, start) = (planned.slice, end);
            let (from, is_spare, segment) = match planned.from {
                From::Kept(place) => (segments[place].start, false, Segment { start, ..segments[place] }),
                From::Spare(from, len) => (from, true, Segment { start, len, ..Segment::of(slice, stamp) }),
            };
            let len = segment.len;
            match moves.last_mut() {
                // Neighbours move as one run: few long copies instead of one per slice.
                Some(last) if last.is_followed_by(from, is_spare) => last.len += len,
                _ => moves.push(Move { from, to: start, len, spare: is_spare }),
            }
            next.push(segment);
            end += len;
        }
        core::mem::swap(segments, next);
        rearrange(&mut listing.commands, &spare.commands, moves, end);
        if listing.keeps_matrices {
            rearrange(&mut listing.matrices, &spare.matrices, moves, end);
        }
        rearrange(&mut listing.slots, &spare.slots, moves, end);
        listing.marks.resize(end, 0);
        // A renderer indexes its copies by place, so what moved counts as changed.
        for run in moves.iter().filter(|run| run.spare || run.from != run.to) {
            listing.marks[run.to..run.to + run.len].fill(mark::ALL);
        }
    }
}

/// Makes the moves, which are sorted by target. Afterwards the array has the length `end`.
///
/// Segments that stay keep their order, so a move down never overwrites a range that must still move up. First all
/// moves down are made, from first to last, then all moves up, from last to first.
fn rearrange<T: Copy>(array: &mut Vec<T>, spare: &[T], moves: &[Move], end: usize) {
    // The array only grows if something comes from the spare array, so a filler exists.
    if let Some(&filler) = spare.first()
        && end > array.len()
    {
        array.resize(end, filler);
    }
    let kept = |run: &&Move| !run.spare;
    for run in moves.iter().filter(kept).filter(|run| run.to < run.from) {
        array.copy_within(run.from..run.from + run.len, run.to);
    }
    for run in moves.iter().rev().filter(kept).filter(|run| run.to > run.from) {
        array.copy_within(run.from..run.from + run.len, run.to);
    }
    for run in moves.iter().filter(|run| run.spare) {
        array[run.to..run.to + run.len].copy_from_slice(&spare[run.from..run.from + run.len]);
    }
    array.truncate(end);
}

#[cfg(test)]
mod tests {
    use crate::{Aabb, DrawList, Drawable, Node, Scene};

    #[test]
    fn a_list_of_a_scene_in_which_nothing_happened_is_not_gone_through() {
        let mut scene = Scene::new();
        scene.insert(scene.root(), Node::drawable(Drawable::new(1, Aabb::cube(1.0)))).unwrap();
        scene.update();
        let mut list = DrawList::new();
        scene.draw_list(&mut list);
        assert!(list.listing.any_marked);
        scene.draw_list(&mut list);
        assert!(!list.listing.any_marked, "no segment was looked at");
    }
}
