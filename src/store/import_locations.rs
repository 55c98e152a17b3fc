//! The locations of the nodes that a slice imports: found once, and again after one of their slices is reconstituted.

use crate::NodeHandle;
use crate::store::location::{Location, SliceId};
use crate::store::page::Pages;
use crate::store::row_set::RowSet;
use smallvec::SmallVec;

/// The locations of a slice's imports.
#[derive(Clone, Default, Debug)]
pub(crate) struct ImportLocations {
    /// The newest version of any slice when the locations were found.
    found_in: u64,
    /// The location of each import. It is [`Location::waiting`] for the identity, and for imports that no row uses.
    pub(crate) locations: Vec<Location>,
    /// The slices of these locations, each once.
    pub(crate) slices: SmallVec<[SliceId; 6]>,
}

impl ImportLocations {
    /// Returns whether the locations of this many imports are known. `layout` returns a slice's [`layout`].
    ///
    /// If a node gets another row, its slice is reconstituted, or all nodes below it lose their rows; slices that are
    /// kept forget their sources.
    ///
    /// [`layout`]: crate::store::slice::Slice::layout
    #[inline]
    pub(crate) fn are_known(&self, imports: usize, layout: impl Fn(SliceId) -> Option<u64>) -> bool {
        let unmoved = |&slice: &SliceId| layout(slice).is_some_and(|layout| layout <= self.found_in);
        self.locations.len() == imports && self.slices.iter().all(unmoved)
    }

    /// Makes the locations unknown, because an import may have lost its last row.
    pub(crate) fn forget(&mut self) {
        self.locations.clear();
    }

    /// Finds the locations of those imports of a slice that rows use. `versions` is the newest version of any slice.
    ///
    /// Whether the other imports are copied would depend on when they were found, which differs with threads.
    pub(crate) fn find(&mut self, imports: &[Option<NodeHandle>], used: &RowSet, pages: &Pages, versions: u64) {
        let Self { found_in, locations, slices } = self;
        *found_in = versions;
        let location =
            |(at, handle): (usize, &Option<NodeHandle>)| pages.location_of((*handle).filter(|_| used.contains(at))?);
        locations.clear();
        locations.extend(imports.iter().enumerate().map(|import| location(import).unwrap_or(Location::waiting(0))));
        slices.clear();
        for location in locations.iter().filter(|location| location.as_waiting().is_none()) {
            if !slices.contains(&location.slice()) {
                slices.push(location.slice());
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let spilled = if self.slices.spilled() { self.slices.capacity() * size_of::<SliceId>() } else { 0 };
        self.locations.capacity() * size_of::<Location>() + spilled
    }
}
