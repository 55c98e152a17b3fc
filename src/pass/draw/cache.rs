//! What a draw list remembers of the scene from which it was filled, so that it lists only what changed.
//!
//! A list is a sequence of segments, one for each slice in order. A segment whose slice still has the version from
//! which it was listed stays, and at most its matrices are copied again. It moves if segments before it became longer
//! or shorter.

use crate::pass::draw::listing::mark;
use crate::pass::draw::{Listing, Part};
use crate::store::{NIL, Store};
use crate::unique::unique_number;
use core::ops::Range;

/// What was listed, and when.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    /// When the list last matched the scene; `None` if it was written to in another way since.
    moment: Option<Moment>,
    segments: Vec<Segment>,
    /// The next segments, the segment of each slice by number, what was listed again, and the moves. Kept to save
    /// allocations.
    planned: Vec<Planned>,
    places: Vec<u32>,
    spare: Listing,
    moves: Vec<Move>,
    next: Vec<Segment>,
}

/// What a refresh did to a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refreshed {
    /// The stamp of what changed in commands, if anything may have.
    pub(crate) commands: Option<u64>,
    /// Whether anything was listed or moved.
    pub(crate) listed: bool,
}

/// Everything that the contents of a list depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    scene: u64,
    layers: u32,
    versions: u64,
    updates: u64,
}

/// The drawables of one slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) slice: u32,
    /// Changes whenever a command of the segment may have. No two segments of a slice with different commands have the
    /// same stamp, in whatever lists.
    pub(crate) stamp: u64,
    version: u64,
    /// The last update that the matrices include.
    updates: u64,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Segment {
    /// The segment of a slice that is to be listed now.
    fn of(slice: u32, store: &Store, stamp: u64) -> Self {
        Self { slice, stamp, version: store.view(slice).version(), updates: store.updates(), start: 0, len: 0 }
    }

    /// Whether updates computed matrices since they were listed.
    pub(crate) fn is_behind(&self, store: &Store) -> bool {
        store.view(self.slice).swept_in() > self.updates
    }

    /// Copies again the matrices that updates computed since they were listed. Returns whether that changed any
    /// command, and stamps the segment if so.
    pub(crate) fn renew(&mut self, store: &Store, stamp: u64, part: Part<'_>) -> bool {
        let slice = store.view(self.slice);
        // Only the last update's slots are known.
        let all = store.updates() > self.updates + 1;
        let changed = self.is_behind(store) && part.renew(slice, all);
        self.updates = store.updates();
        if changed {
            self.stamp = stamp;
        }
        changed
    }
}

/// A segment of the next list.
#[derive(Clone, Copy, Debug)]
struct Planned {
    slice: u32,
    from: From,
}

impl Planned {
    /// The index of the present segment, if it stays.
    fn kept(&self) -> Option<usize> {
        if let From::Kept(place) = self.from { Some(place) } else { None }
    }
}

/// Where the drawables of the next segment are now.
#[derive(Clone, Copy, Debug)]
enum From {
    /// In the present segment with this index.
    Kept(usize),
    /// In the spare arrays: the start and the number of drawables.
    Spare(usize, usize),
}

/// A move of drawables to their place in the next list, where that of the move before ends.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: usize,
    to: usize,
    len: usize,
    spare: bool,
}

impl Move {
    /// Whether the next drawables in the list directly follow those that are moved.
    fn is_followed_by(&self, from: usize, spare: bool) -> bool {
        self.from + self.len == from && self.spare == spare
    }
}

impl Cache {
    /// The cache of an empty list without a scene.
    pub(crate) const EMPTY: Self = Self {
        moment: None,
        segments: Vec::new(),
        planned: Vec::new(),
        places: Vec::new(),
        spare: Listing::EMPTY,
        moves: Vec::new(),
        next: Vec::new(),
    };

    /// Forgets the scene, because the list is written in another way or must be empty.
    pub(crate) fn forget(&mut self) {
        self.moment = None;
    }

    /// Frees everything. The next refresh lists from scratch.
    pub(crate) fn free(&mut self, listing: &mut Listing) {
        if listing.is_compared {
            listing.mark_all();
        }
        *self = Self::EMPTY;
    }

    /// Updates `listing` to what listing the scene from scratch would give.
    ///
    /// Runs in **O(1)** if the scene is unchanged, else in **O(slices + drawables of slices that changed or moved)**.
    /// In addition, all drawables after the first slice whose number of drawables changed are copied.
    pub(crate) fn refresh(&mut self, listing: &mut Listing, store: &Store, layers: u32) -> Refreshed {
        let scene = store.scene_number();
        let now = Moment { scene, layers, versions: store.versions(), updates: store.updates() };
        // Until it is finished, the list matches no scene.
        let refreshed = match self.moment.take() {
            Some(then) if then == now => {
                listing.mark_none();
                Refreshed { commands: None, listed: false }
            }
            Some(then) if (then.scene, then.layers) == (scene, layers) => {
                let stamp = unique_number().get();
                listing.mark_none();
                let listed = then.versions != now.versions && self.relist(listing, store, layers, stamp);
                let changed = listing.renew(store, &mut self.segments, stamp) | listed;
                listing.any_marked = true;
                Refreshed { commands: changed.then_some(stamp), listed }
            }
            _ => {
                let stamp = unique_number().get();
                self.list_anew(listing, store, layers, stamp);
                Refreshed { commands: Some(stamp), listed: true }
            }
        };
        self.moment = Some(now);
        refreshed
    }

    /// The segments of the list, if it matches what it was listed from.
    pub(crate) fn known_segments(&self) -> Option<&[Segment]> {
        self.moment.map(|_| &*self.segments)
    }

    /// Arrays that may be overwritten.
    pub(crate) fn spare_listing(&mut self) -> &mut Listing {
        &mut self.spare
    }

    /// The arrays before those that replaced them, until the next refresh: see [`Listing::is_compared`].
    pub(crate) fn listing_before(&self) -> &Listing {
        &self.spare
    }

    /// The slices of the list in order, each with the range of its drawables.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (u32, Range<usize>)> + '_ {
        self.segments.iter().map(|segment| (segment.slice, segment.start..segment.start + segment.len))
    }

    /// Lists every slice.
    fn list_anew(&mut self, listing: &mut Listing, store: &Store, layers: u32, stamp: u64) {
        self.segments.clear();
        self.segments.extend(store.order().iter().map(|&number| Segment::of(number, store, stamp)));
        listing.list(store, layers, &mut self.segments);
    }

    /// Lists the changed slices again, and moves the other segments to their new places. Returns whether anything was
    /// listed or moved.
    fn relist(&mut self, listing: &mut Listing, store: &Store, layers: u32, stamp: u64) -> bool {
        self.plan(store);
        let stale = |planned: &&Planned| matches!(planned.from, From::Spare(..));
        let drawables = |planned: &Planned| store.view(planned.slice).drawables().len();
        let again: usize = self.planned.iter().filter(stale).map(drawables).sum();
        // Listing up to twice as much directly costs less than listing through the spare arrays.
        if 2 * again > listing.len() {
            self.list_anew(listing, store, layers, stamp);
            return true;
        }
        if self.planned.len() == self.segments.len() && !self.planned.iter().any(|planned| stale(&planned)) {
            return false;
        }
        self.next.clear();
        self.next.extend(self.planned.iter().filter(stale).map(|planned| Segment::of(planned.slice, store, stamp)));
        self.spare.keeps_matrices = listing.keeps_matrices;
        self.spare.list(store, layers, &mut self.next);
        for (planned, segment) in self.planned.iter_mut().filter(|planned| stale(&&**planned)).zip(&self.next) {
            planned.from = From::Spare(segment.start, segment.len);
        }
        self.rearrange(listing, store, stamp);
        true
    }

    /// Decides for every slice in order whether its segment stays. Segments that stay keep their order, as slices do, so
    /// that they can be moved in place.
    fn plan(&mut self, store: &Store) {
        self.places.clear();
        self.places.resize(store.slice_end(), NIL);
        for (place, segment) in (0..).zip(&self.segments) {
            if let Some(entry) = self.places.get_mut(segment.slice as usize) {
                *entry = place;
            }
        }
        self.planned.clear();
        for &number in store.order() {
            let held = self.segments.get(self.places[number as usize] as usize);
            let kept = held.is_some_and(|segment| segment.version == store.view(number).version());
            let from = if kept { From::Kept(self.places[number as usize] as usize) } else { From::Spare(0, 0) };
            self.planned.push(Planned { slice: number, from });
        }
        debug_assert!(self.planned.iter().filter_map(Planned::kept).is_sorted());
    }

    /// Assembles the planned segments from where they are.
    fn rearrange(&mut self, listing: &mut Listing, store: &Store, stamp: u64) {
        let Self { segments, moves, next, spare, .. } = self;
        moves.clear();
        next.clear();
        let mut end = 0;
        for planned in &self.planned {
            let (slice, start) = (planned.slice, end);
            let (from, is_spare, segment) = match planned.from {
                From::Kept(place) => (segments[place].start, false, Segment { start, ..segments[place] }),
                From::Spare(from, len) => (from, true, Segment { start, len, ..Segment::of(slice, store, stamp) }),
            };
            let len = segment.len;
            match moves.last_mut() {
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
        for run in moves.iter().filter(|run| run.spare || run.from != run.to) {
            listing.marks[run.to..run.to + run.len].fill(mark::ALL);
        }
    }
}

/// Makes the moves, in the order of their targets. Afterwards the array has the length `end`.
///
/// Segments that stay keep their order, so what moves down never overwrites what has yet to move up: first all that
/// move down are moved from first to last, then all that move up from last to first.
fn rearrange<T: Copy>(array: &mut Vec<T>, spare: &[T], moves: &[Move], end: usize) {
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
