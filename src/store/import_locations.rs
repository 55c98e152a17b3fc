//! The locations of the nodes that a slice imports: found once, and again after one of their slices is reconstituted.

use crate::NodeHandle;
use crate::store::columns::Row;
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
    /// The number of rows directly below each import that are not freed yet. It never grows: a new node gets a row in its
    /// parent's own slice.
    children: Vec<u16>,
    /// The counted rows.
    below: RowSet,
    /// The slices of these locations, each once. Imports that have lost their last row since may leave more.
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

    /// Counts the rows below each of this many imports of a slice that was just written. `parents` has the row of the
    /// parent of each row.
    pub(crate) fn count_children(&mut self, imports: usize, parents: impl Iterator<Item = (usize, u16)>) {
        self.children.resize(imports, 0);
        for (row, parent) in parents {
            if let Some(count) = self.children.get_mut(usize::from(parent)) {
                *count += 1;
                self.below.insert(row);
            }
        }
    }

    /// Returns whether the counted rows are those with these parents.
    pub(crate) fn counts(&self, imports: usize, parents: impl Iterator<Item = (usize, u16)>) -> bool {
        let mut other = Self::default();
        other.count_children(imports, parents);
        (&self.children, &self.below) == (&other.children, &other.below)
    }

    /// Counts off the rows that are not `alive`. The copy of an import without rows is no longer kept up to date.
    pub(crate) fn lose_children(&mut self, alive: &RowSet, rows: &[Row]) {
        // Most rows that die are not directly below an import, and are not read.
        let lost = self.below.difference(alive);
        self.below = self.below.difference(&lost);
        lost.iter().for_each(|row| self.lose_child(rows[row].above));
    }

    /// Counts one row less below an import.
    pub(crate) fn lose_child(&mut self, import: u16) {
        let count = &mut self.children[usize::from(import)];
        debug_assert!(*count > 0, "each row is counted off once");
        *count = count.saturating_sub(1);
        if *count == 0
            && let Some(location) = self.locations.get_mut(usize::from(import))
        {
            *location = Location::waiting(0);
        }
    }

    /// Makes the locations unknown, because the slice was moved in the order.
    pub(crate) fn forget(&mut self) {
        self.locations.clear();
        self.slices.clear();
    }

    /// Finds the locations of the imports that have rows below. `versions` is the newest version of any slice.
    ///
    /// Whether the other imports are copied would depend on when they were found, which differs with threads.
    pub(crate) fn find(&mut self, imports: &[Option<NodeHandle>], pages: &Pages, versions: u64) {
        let Self { found_in, locations, children, slices, .. } = self;
        *found_in = versions;
        let located = |(&handle, &count): (&Option<NodeHandle>, &u16)| pages.location_of(handle.filter(|_| count > 0)?);
        locations.clear();
        locations.extend(imports.iter().zip(&*children).map(|import| located(import).unwrap_or(Location::waiting(0))));
        slices.clear();
        for location in locations.iter().filter(|location| location.as_waiting().is_none()) {
            if !slices.contains(&location.slice()) {
                slices.push(location.slice());
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let spilled = if self.slices.spilled() { self.slices.capacity() * size_of::<SliceId>() } else { 0 };
        self.locations.capacity() * size_of::<Location>() + self.children.capacity() * size_of::<u16>() + spilled
    }
}
