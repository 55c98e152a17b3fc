//! What a draw list remembers of the scene that it was filled from, so that it lists again only what changed.
//!
//! A list is a row of segments, one for each slice in tree order. A segment whose slice has the version that it was listed
//! from stays, and at most its matrices are copied again; it moves where those before it became longer or shorter.

use crate::pass::draw::{Listing, Part};
use crate::store::{At, NIL, Store};
use core::ops::Range;

/// What was listed when.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    /// When the list was last the scene's; `None` if somebody else wrote to it since.
    moment: Option<Moment>,
    segments: Vec<Segment>,
    /// The next segments, the segment of each slice by number, what was listed again, and where all goes: kept to spare
    /// allocations.
    planned: Vec<Planned>,
    places: Vec<u32>,
    spare: Listing,
    moves: Vec<Move>,
    next: Vec<Segment>,
}

/// What became of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refreshed {
    /// Whether commands may have changed.
    pub(crate) commands: bool,
    /// Whether anything was listed or moved.
    pub(crate) listed: bool,
}

/// All that the contents of a list depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    scene: u64,
    layers: u32,
    versions: u64,
    updates: u64,
}

/// The shapes of one slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) slice: u32,
    version: u64,
    /// The last update that the matrices know of.
    updates: u64,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Segment {
    /// Of a slice that is to be listed now.
    fn of(slice: u32, store: &Store) -> Self {
        Self { slice, version: store.view(slice).version(), updates: store.updates(), start: 0, len: 0 }
    }

    /// Whether updates computed matrices since they were listed.
    pub(crate) fn is_behind(&self, store: &Store) -> bool {
        store.view(self.slice).swept_in() > self.updates
    }

    /// Copies the matrices again that updates computed since they were listed; answers whether that changed any command.
    pub(crate) fn renew(&mut self, store: &Store, part: Part<'_>) -> bool {
        let slice = store.view(self.slice);
        // What was swept is known of the last sweep alone.
        let all = slice.swept_in() > self.updates + 1;
        let changed = self.is_behind(store) && part.renew(slice, all);
        self.updates = store.updates();
        changed
    }
}

/// A segment of the next list.
#[derive(Clone, Copy, Debug)]
struct Planned {
    slice: u32,
    from: From,
}

/// Where the shapes of the next segment are.
#[derive(Clone, Copy, Debug)]
enum From {
    /// In the present segment of this place.
    Kept(usize),
    /// In the spare arrays, from here on for so many.
    Spare(usize, usize),
}

/// Shapes that go from somewhere to their place in the next list.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: usize,
    to: usize,
    len: usize,
    spare: bool,
}

impl Cache {
    /// Of an empty list, which is no scene's yet.
    pub(crate) const EMPTY: Self = Self {
        moment: None,
        segments: Vec::new(),
        planned: Vec::new(),
        places: Vec::new(),
        spare: Listing::EMPTY,
        moves: Vec::new(),
        next: Vec::new(),
    };

    /// Forgets the scene: the list is written by somebody else, or to be empty.
    pub(crate) fn forget(&mut self) {
        self.moment = None;
    }

    /// Makes `listing` what listing the scene anew would make it.
    ///
    /// Computes in **O(1)** where the scene is as it was, else in **O(slices + shapes of slices that changed or moved)**,
    /// and as many copies as shapes lie behind the first slice that has another number of them.
    pub(crate) fn refresh(&mut self, listing: &mut Listing, store: &Store, layers: u32) -> Refreshed {
        let scene = store.scene_number();
        let now = Moment { scene, layers, versions: store.versions(), updates: store.updates() };
        // Until it is done the list is nobody's.
        let refreshed = match self.moment.take() {
            Some(then) if then == now => Refreshed { commands: false, listed: false },
            Some(then) if (then.scene, then.layers) == (scene, layers) => {
                let listed = then.versions != now.versions && self.relist(listing, store, layers);
                Refreshed { commands: listing.renew(store, &mut self.segments) | listed, listed }
            }
            _ => {
                self.list_anew(listing, store, layers);
                Refreshed { commands: true, listed: true }
            }
        };
        self.moment = Some(now);
        refreshed
    }

    /// The slices of the list in tree order, each with the range of its shapes.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (u32, Range<usize>)> + '_ {
        self.segments.iter().map(|segment| (segment.slice, segment.start..segment.start + segment.len))
    }

    /// Lists every slice.
    fn list_anew(&mut self, listing: &mut Listing, store: &Store, layers: u32) {
        self.segments.clear();
        let mut next = Some(At::ROOT.slice);
        while let Some(number) = next {
            self.segments.push(Segment::of(number, store));
            next = store.slice_after(number, true);
        }
        listing.list(store, layers, &mut self.segments);
    }

    /// Lists the slices again that changed, and moves the other segments to their new places. Answers whether anything
    /// was listed or moved.
    fn relist(&mut self, listing: &mut Listing, store: &Store, layers: u32) -> bool {
        self.plan(store);
        let stale = |planned: &&Planned| matches!(planned.from, From::Spare(..));
        let shapes = |planned: &Planned| store.view(planned.slice).shapes().len();
        let again: usize = self.planned.iter().filter(stale).map(shapes).sum();
        // Listing twice as much straight to its place costs less than by way of the spare arrays.
        if 2 * again > listing.len() {
            self.list_anew(listing, store, layers);
            return true;
        }
        if self.planned.len() == self.segments.len() && !self.planned.iter().any(|planned| stale(&planned)) {
            return false;
        }
        self.next.clear();
        self.next.extend(self.planned.iter().filter(stale).map(|planned| Segment::of(planned.slice, store)));
        self.spare.list(store, layers, &mut self.next);
        for (planned, segment) in self.planned.iter_mut().filter(|planned| stale(&&**planned)).zip(&self.next) {
            planned.from = From::Spare(segment.start, segment.len);
        }
        self.rearrange(listing, store);
        true
    }

    /// Decides of every slice in tree order whether its segment stays. Segments that stay keep their order, so that they
    /// can be moved in place.
    fn plan(&mut self, store: &Store) {
        self.places.clear();
        self.places.resize(store.slice_end(), NIL);
        for (place, segment) in (0..).zip(&self.segments) {
            if let Some(entry) = self.places.get_mut(segment.slice as usize) {
                *entry = place;
            }
        }
        self.planned.clear();
        let mut next = Some(At::ROOT.slice);
        while let Some(number) = next {
            let held = self.segments.get(self.places[number as usize] as usize);
            let kept = held.is_some_and(|segment| segment.version == store.view(number).version());
            let from = if kept { From::Kept(self.places[number as usize] as usize) } else { From::Spare(0, 0) };
            self.planned.push(Planned { slice: number, from });
            next = store.slice_after(number, true);
        }
        let mut least = 0;
        for index in 0..self.planned.len() {
            let From::Kept(place) = self.planned[index].from else { continue };
            let next = self.planned.get(index + 1).map(|planned| planned.from);
            // One that came forward stands before the one whose turn it is: it gives way, not all that follow.
            let overtakes = matches!(next, Some(From::Kept(next)) if (least..place).contains(&next));
            if place < least || overtakes {
                self.planned[index].from = From::Spare(0, 0);
            } else {
                least = place + 1;
            }
        }
    }

    /// Puts the planned segments together, from where they are.
    fn rearrange(&mut self, listing: &mut Listing, store: &Store) {
        let Self { segments, moves, next, spare, .. } = self;
        moves.clear();
        next.clear();
        let mut end = 0;
        for planned in &self.planned {
            let (slice, start) = (planned.slice, end);
            let (from, len, is_spare, updates) = match planned.from {
                From::Kept(place) => (segments[place].start, segments[place].len, false, segments[place].updates),
                From::Spare(from, len) => (from, len, true, store.updates()),
            };
            moves.push(Move { from, to: start, len, spare: is_spare });
            next.push(Segment { slice, version: store.view(slice).version(), updates, start, len });
            end += len;
        }
        core::mem::swap(segments, next);
        rearrange(&mut listing.commands, &spare.commands, moves, end);
        rearrange(&mut listing.matrices, &spare.matrices, moves, end);
        rearrange(&mut listing.slots, &spare.slots, moves, end);
    }
}

/// Makes the moves, in the order of their targets, after which the array is `end` long.
///
/// What stays keeps its order, so what moves down never lands on what has yet to move up: first all that move down from
/// the first on, then all that move up from the last on.
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
