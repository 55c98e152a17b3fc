//! The spots of the nodes that a slice imports: found once, and again after one of their slices is reconstituted.

use crate::NodeHandle;
use crate::store::page::{Pages, SliceId, Spot};
use crate::store::rows::RowSet;
use smallvec::SmallVec;

/// The spots of a slice's imports.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sources {
    /// The newest version of any slice when the spots were found.
    found_in: u64,
    /// The spot of each import. It is [`Spot::waiting`] for the identity, and for imports that no row uses.
    pub(crate) spots: Vec<Spot>,
    /// The slices of these spots, each once.
    pub(crate) slices: SmallVec<[SliceId; 6]>,
}

impl Sources {
    /// Returns whether the spots of this many imports are known. `layout` returns a slice's [`layout`].
    ///
    /// If a node gets another row, its slice is reconstituted, or all nodes below it lose their rows; slices that are
    /// carried forget their sources.
    ///
    /// [`layout`]: crate::store::slice::Slice::layout
    #[inline]
    pub(crate) fn are_known(&self, imports: usize, layout: impl Fn(SliceId) -> Option<u64>) -> bool {
        let unmoved = |&slice: &SliceId| layout(slice).is_some_and(|layout| layout <= self.found_in);
        self.spots.len() == imports && self.slices.iter().all(unmoved)
    }

    /// Makes the spots unknown, because an import may have lost its last row.
    pub(crate) fn forget(&mut self) {
        self.spots.clear();
    }

    /// Finds the spots of those imports of a slice that rows use. `versions` is the newest version of any slice.
    ///
    /// Whether the other imports are copied would depend on when they were found, which differs with threads.
    pub(crate) fn find(&mut self, imports: &[Option<NodeHandle>], used: &RowSet, pages: &Pages, versions: u64) {
        let Self { found_in, spots, slices } = self;
        *found_in = versions;
        let spot = |(at, handle): (usize, &Option<NodeHandle>)| pages.spot_of((*handle).filter(|_| used.contains(at))?);
        spots.clear();
        spots.extend(imports.iter().enumerate().map(|import| spot(import).unwrap_or(Spot::waiting(0))));
        slices.clear();
        for spot in spots.iter().filter(|spot| spot.as_waiting().is_none()) {
            if !slices.contains(&spot.slice()) {
                slices.push(spot.slice());
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let spilled = if self.slices.spilled() { self.slices.capacity() * size_of::<SliceId>() } else { 0 };
        self.spots.capacity() * size_of::<Spot>() + spilled
    }
}
