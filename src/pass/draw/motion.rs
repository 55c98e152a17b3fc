//! The previous update's matrices of a draw list, for motion vectors.
//!
//! If an update changes a matrix, the next update makes the previous matrix equal to the current one, even without
//! edits. If a node uses another slot than before, the feed has the node's previous matrix. So a segment is filled
//! again if its slice was swept since the last fill, if any previous matrix in the segment differs from the current
//! one, or if it was listed again. All segments are filled again if the feed has previous matrices, or if `shows`
//! changed.

use crate::pass::draw::Listing;
use crate::store::{Feed, SliceId, SliceView, Store};
use crate::{Mat34, NodeHandle};
use core::ops::Range;

/// Previous matrices by index of the draw list: 48 bytes a drawable.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    matrices: Vec<Mat34>,
    /// Whether `matrices` match the listed draws.
    known: bool,
    /// By slice number: some matrix of the slice differs from the current one. `any_moving`: this holds for some slice.
    moving: Vec<bool>,
    any_moving: bool,
    /// The number of the last update that the matrices include, and [`Feed::shows`].
    seen: (u64, bool),
}

impl Motion {
    pub(crate) const EMPTY: Self =
        Self { matrices: Vec::new(), known: false, moving: Vec::new(), any_moving: false, seen: (0, false) };

    pub(crate) fn matrices(&self) -> Option<&[Mat34]> {
        self.known.then_some(&self.matrices)
    }

    pub(crate) fn forget(&mut self) {
        self.known = false;
        self.matrices.clear();
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.matrices.shrink_to_fit();
        self.moving.shrink_to_fit();
    }

    /// Updates the matrices of a list. `segments` has all slices in tree order, each with the range of its drawables.
    /// `listed`: some segment changed its place or contents.
    ///
    /// Runs in **O(1)** if nothing moved in the last two updates, else in **O(slices + drawables of slices that
    /// moved)**.
    pub(crate) fn refresh(
        &mut self,
        listing: &Listing,
        segments: impl Iterator<Item = (SliceId, Range<usize>)>,
        store: &Store,
        listed: bool,
    ) {
        let Some(feed) = store.feed() else { return self.forget() };
        let now = (store.updates(), feed.shows);
        // Recalled matrices may differ for any node, and so may a change of what the feed shows.
        let anew = !self.known || feed.recalls() || self.seen.1 != now.1;
        if !(anew || listed || self.any_moving || self.seen != now) {
            return;
        }
        self.matrices.resize(listing.len(), Mat34::IDENTITY);
        self.moving.resize(store.slices.end(), false);
        self.any_moving = false;
        for (number, range) in segments {
            let (slice, moving) = (store.view(number), &mut self.moving[number.index()]);
            let changed = || slice.swept_in() > self.seen.0 || listed && listing.is_changed(range.clone());
            // A slice that moved in the last frame is filled once more, until both matrices are equal.
            if anew || *moving || changed() {
                *moving = fill(&mut self.matrices, listing, range, slice, feed);
            }
            self.any_moving |= *moving;
        }
        self.seen = now;
        self.known = true;
    }

    /// Sets each listed node's matrix to the result of `previous`. If any result is `None`, the matrices are unknown.
    pub(crate) fn ask<'m>(&mut self, listing: &Listing, previous: impl Fn(NodeHandle) -> Option<&'m Mat34>) {
        self.matrices.clear();
        // The first node without a previous matrix ends the list; then no motion is known.
        self.matrices.extend(listing.commands.iter().map_while(|command| previous(command.node)));
        self.known = self.matrices.len() == listing.len();
    }
}

/// Fills in the matrices of the drawables of a slice. Returns whether any of them differs from the current matrix.
fn fill(matrices: &mut [Mat34], listing: &Listing, range: Range<usize>, slice: SliceView<'_>, feed: &Feed) -> bool {
    let (recalls, transforms) = (feed.recalls(), slice.transforms());
    let mut moving = false;
    for at in range {
        let slot = listing.slots[at].slot as usize;
        let world = &transforms.worlds()[slot];
        let of_slot = if feed.shows { world } else { transforms.previous(slot) };
        let previous = if recalls { feed.previous(listing.commands[at].node, of_slot) } else { of_slot };
        moving |= previous.to_bits() != world.to_bits();
        matrices[at] = *previous;
    }
    moving
}
