//! How much memory new nodes take at most, which is asked for before the first of them is inserted.
//!
//! Inserting is an edit, and edits allocate as they go. What is asked for is given back at once, so nothing is written to
//! it; it only has to be no less than what the edits then allocate, at their greatest.

use crate::store::allocation::scaled;
use crate::store::columns::At;
use crate::store::{Beside, NodeList, Slice, Store};

/// For each slice and table that is opened: its record, that of its boxes, and the least room of its lists.
const OPENED: usize = 2 * size_of::<Slice>() + 6144;
/// For each slice that there is: its places in all lists of slices, twice, since a list that grows is copied.
const LISTED: usize = 256;
/// For each table that there is: its record and its places in the lists beside the tables, twice.
const TABLE: usize = 256;
/// For each entry of a table that there is: itself, its word, and what is noted of it, twice.
const ENTRY: usize = 64;
/// For each row of a slice that is split: the temporary lists of the split, in an arena that doubles.
const SPLIT_ROW: usize = 400;
/// For each row of an empty slice: the arrays of all components.
const OPENED_ROW: usize = 320;
/// How many pieces a slice is split into, at most and about.
const PIECES: usize = 12;
/// For each slice above: its list of marked children, where the slice below is the first.
const MARKED: usize = 32;
/// How many slices a split goes up, at most.
const SPLITS: usize = 66;

impl Store {
    /// No fewer bytes than a tree of these nodes takes in this scene, at a checked place or as a detached subtree: what
    /// they take themselves, each slice and table that they may open, and the scene around them.
    pub(crate) fn most_bytes_of(&self, nodes: &NodeList, place: Option<Beside>) -> usize {
        let around = self.most_bytes_around(nodes.len(), place);
        nodes.most_bytes().saturating_add(around)
    }

    /// The same without the scene around them.
    pub(crate) fn most_bytes_within(&self, nodes: &NodeList) -> usize {
        nodes.most_bytes().saturating_add(self.most_tables(nodes.len(), 1).saturating_mul(OPENED))
    }

    /// [`most_bytes_of`](Self::most_bytes_of) without what the nodes take themselves: what this many nodes open, and what
    /// the scene around them takes, as lists that get longer and slices that are split.
    ///
    /// Runs in **O(slices above the place)**.
    pub(crate) fn most_bytes_around(&self, nodes: usize, place: Option<Beside>) -> usize {
        let opened = self.most_tables(nodes, 1);
        let mut bytes = opened.saturating_mul(OPENED);
        let mut add = |count: usize, each: usize| bytes = bytes.saturating_add(count.saturating_mul(each));
        add(self.slices.len() + opened + SPLITS, LISTED);
        add(self.tables.tables.len() + opened, TABLE);
        // New nodes take entries of the table that their parent has, and of tables in the pool.
        let adopted = opened.min(self.tables.pool.owned.len());
        add(2 + adopted, ENTRY * self.tables.max_entries as usize);
        add(2, OPENED_ROW * self.config.initial_slice_storage_size.min(self.config.max_nodes) as usize);
        add(2, self.feed.as_ref().map_or(0, |feed| feed.list_bytes()));
        if let Some(place) = place {
            add(1, self.most_bytes_above(place, nodes));
        }
        bytes
    }

    /// No fewer bytes than the slices around a place take where they grow or are split for this many nodes.
    ///
    /// A slice that is full is split, and so is the one above it where that has no room for portals to the pieces.
    fn most_bytes_above(&self, place: Beside, nodes: usize) -> usize {
        // A slice, and what it is copied to, with the room that it then has.
        const SCALE: u32 = 16;
        let copies = (scaled(SCALE, self.config.expansion_factor) + 2 * SCALE) as usize;
        let spot = self.settle_at(place, nodes).spot();
        let beside = self.spot_for_portal(spot);
        let (mut number, mut reached, mut roomy, mut level) = (spot.slice, false, 0, 0);
        let mut bytes = 0_usize;
        loop {
            let slice = self.slice(number);
            bytes = bytes.saturating_add(MARKED + 16 * slice.marked_children.len());
            if level < SPLITS && roomy < 2 {
                let rows = slice.row_slots.live() as usize;
                let whole = (slice.allocated_bytes() / SCALE as usize).saturating_mul(copies);
                let lists = rows.saturating_mul(SPLIT_ROW).saturating_add(PIECES * OPENED);
                bytes = bytes.saturating_add(whole).saturating_add(lists);
                reached |= number == beside.slice;
                // What is cut out, or was left small, may come to lie in the slice above.
                roomy += usize::from(reached && rows + PIECES <= self.config.max_nodes as usize);
            }
            if slice.portal == At::NONE {
                return bytes;
            }
            (number, level) = (slice.portal.slice, level + 1);
        }
    }
}
