//! Small slices that wait for a partner to merge with, and the rules by which maintenance looks at them again.
//!
//! A slice can get a partner only by an edit of itself, of the slice above, or of the slice whose run comes before or
//! after its own. Each such edit lists the edited slice for maintenance, which then checks the waiting slices around
//! it. The root's slice has as many children as there are independent subtrees, and absorbs none that holds nodes. If
//! its chain of portals changes, only the neighbours are listed, at once; the rest is not checked.

use crate::fallible;
use crate::store::columns::{At, NIL};
use crate::store::{Slice, Store};
use std::collections::TryReserveError;

impl Store {
    /// The slices that wait for a partner, in the order of their numbers.
    pub(in crate::store) fn merge_candidates(&self) -> Vec<u32> {
        self.slice_numbers().filter(|&number| self.slice(number).merge_candidate).collect()
    }

    /// Notes that a slice waits for a partner.
    pub(in crate::store) fn list_merge_candidate(&mut self, number: u32) {
        fallible::or_abort(self.try_list_merge_candidate(number));
    }

    /// Like [`Self::list_merge_candidate`], but returns an error if the allocator refuses.
    pub(in crate::store) fn try_list_merge_candidate(&mut self, number: u32) -> Result<(), TryReserveError> {
        let slice = &mut self.slices[number as usize];
        if !slice.lives || slice.portal == At::NONE {
            return Ok(());
        }
        slice.merge_candidate = true;
        let above = slice.portal.slice;
        if above == At::ROOT.slice && slice.nodes() > 0 {
            return Ok(());
        }
        let mut list = core::mem::take(&mut self.slices[above as usize].candidates_below);
        // A slice is listed each time it is checked. If the one above is never maintained, repeats are weeded out here.
        if list.len() > 16 + 2 * self.slice(above).children.len() {
            self.weed_out(above, &mut list);
        }
        let listed = fallible::push(&mut list, number);
        self.slices[above as usize].candidates_below = list;
        listed
    }

    /// Keeps in a list of waiting slices only those that still wait below a slice, each once and sorted by number.
    fn weed_out(&self, above: u32, list: &mut Vec<u32>) {
        list.sort_unstable();
        list.dedup();
        list.retain(|&number| {
            let waits = |slice: &&Slice| slice.lives && slice.merge_candidate && slice.portal.slice == above;
            let slice = self.slices.get(number as usize).filter(waits);
            slice.is_some_and(|slice| above != At::ROOT.slice || slice.nodes() == 0)
        });
    }

    /// Lists for maintenance the slices below and beside an edited one that waited for a partner and have one now.
    /// Returns how many slices it checked.
    pub(in crate::store) fn list_mergeable_around(&mut self, edited: u32) -> usize {
        let mut looked_at = 0;
        let mut list = core::mem::take(&mut self.slices[edited as usize].candidates_below);
        if !list.is_empty() {
            self.weed_out(edited, &mut list);
            looked_at += list.len();
            list.retain(|&number| !self.list_if_mergeable(number));
            self.slices[edited as usize].candidates_below = list;
        }
        for beside in self.slices_beside(self.slice(edited).portal).into_iter().flatten() {
            if self.slice(beside).merge_candidate {
                looked_at += 1;
                self.list_if_mergeable(beside);
            }
        }
        looked_at
    }

    /// Lists a slice for maintenance if it has a partner. Returns whether it has.
    fn list_if_mergeable(&mut self, number: u32) -> bool {
        let mergeable = self.is_small(number) && self.partner(number).is_some();
        if mergeable {
            self.list_for_maintenance(number);
        }
        mergeable
    }

    /// Wakes the slices that wait for a partner behind the portals before and after a row of the root's slice, since
    /// their neighbours have changed.
    pub(in crate::store) fn wake_beside(&mut self, at: At) {
        if at.slice == At::ROOT.slice {
            for beside in self.slices_beside(at).into_iter().flatten() {
                self.wake(beside);
            }
        }
    }

    /// Has maintenance look again at a slice if it waits for a partner: its place or its neighbour has changed.
    pub(in crate::store) fn wake(&mut self, number: u32) {
        if core::mem::take(&mut self.slices[number as usize].merge_candidate) {
            self.list_for_maintenance(number);
        }
    }

    /// The slices whose runs come directly before and after the row.
    fn slices_beside(&self, at: At) -> [Option<u32>; 2] {
        if at == At::NONE {
            return [None; 2];
        }
        let links = self.row(at);
        let portal = |row: u32| (row != NIL).then(|| self.row(At { slice: at.slice, row }).occupant.as_portal())?;
        [links.previous, links.next].map(portal)
    }

    /// Lists slices that have a partner although nothing was edited around them, and slices that should wait but are
    /// not listed. They exist only in a scene that was read from forged bytes.
    pub(in crate::store) fn check_merge_candidates(&mut self, from_root: &[bool]) -> Result<(), TryReserveError> {
        let from_root = |number: u32| from_root[number as usize];
        let mut idle = Vec::new();
        for number in self.slice_numbers() {
            if self.is_small(number) && !self.slice(number).edited && self.merges_where(number, &from_root) {
                fallible::push(&mut idle, (number, self.partner_where(number, &from_root).is_some()))?;
            }
        }
        self.edited.try_reserve(idle.len())?;
        for (number, mergeable) in idle {
            let portal = self.slice(number).portal;
            let mut around = self.slices_beside(portal).into_iter().flatten();
            let above = portal.slice != At::ROOT.slice || self.slice(number).nodes() == 0;
            let is_seen = (above && self.slice(portal.slice).edited) || around.any(|beside| self.slice(beside).edited);
            if mergeable && !is_seen {
                self.list_for_maintenance(number);
            } else if !self.slice(number).merge_candidate {
                self.try_list_merge_candidate(number)?;
            }
        }
        Ok(())
    }
}
