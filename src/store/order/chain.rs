//! Chains of siblings: walking them across portals, and linking rows into them.

use crate::fallible;
use crate::store::columns::{At, NIL};
use crate::store::{Row, Slice, Store};
use core::hint::select_unpredictable;
use std::collections::TryReserveError;

/// A place in a chain within one slice: below `parent`, between `previous` and `next`, each a row or [`NIL`].
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Spot {
    pub(in crate::store) slice: u32,
    pub(in crate::store) parent: u32,
    pub(in crate::store) previous: u32,
    pub(in crate::store) next: u32,
}

impl Spot {
    /// The row after which a new row here should lie: the previous sibling, else the parent, else the start of the
    /// slice.
    #[inline]
    pub(in crate::store) fn hint(&self) -> u32 {
        select_unpredictable(self.previous == NIL, self.parent, self.previous).wrapping_add(1)
    }
}

impl Slice {
    /// Links a row that is on no chain into the slice's chain at `spot`.
    pub(in crate::store) fn link(&mut self, row: u32, spot: &Spot) {
        let links = *self.row(row);
        self.link_new(row, links, spot);
    }

    /// Writes a row and links it into the slice's chain at `spot`.
    #[inline]
    pub(in crate::store) fn link_new(&mut self, row: u32, record: Row, spot: &Spot) {
        let Spot { parent, previous, next, .. } = *spot;
        crate::store::columns::put(&mut self.rows, row, Row { parent, previous, next, ..record });
        self.point_here(parent, previous, row, next, row);
    }

    /// Links the neighbours of a place, or the ends of the chain if there are none, to the row that is there now.
    ///
    /// Below a row, each of the two links is one write to a selected target, without a branch: whether a neighbour
    /// exists is close to random, and often known only after a cache miss.
    #[inline]
    fn point_here(&mut self, parent: u32, previous: u32, to_next: u32, next: u32, to_previous: u32) {
        if parent == NIL {
            *if previous == NIL { &mut self.first_top } else { &mut self.rows[previous as usize].next } = to_next;
            *if next == NIL { &mut self.last_top } else { &mut self.rows[next as usize].previous } = to_previous;
            return;
        }
        self.point_below(parent, previous, to_next, next, to_previous);
    }

    /// Like [`Self::point_here`], below an existing row.
    #[inline(always)]
    pub(in crate::store) fn point_below(
        &mut self,
        parent: u32,
        previous: u32,
        to_next: u32,
        next: u32,
        to_previous: u32,
    ) {
        let before = &mut self.rows[select_unpredictable(previous == NIL, parent, previous) as usize];
        *select_unpredictable(previous == NIL, &mut before.first_child, &mut before.next) = to_next;
        let behind = &mut self.rows[select_unpredictable(next == NIL, parent, next) as usize];
        *select_unpredictable(next == NIL, &mut behind.last_child, &mut behind.previous) = to_previous;
    }

    /// Unlinks a row from its chain. Its own children stay below it.
    #[inline]
    pub(in crate::store) fn unlink(&mut self, row: u32) {
        let Row { parent, previous, next, .. } = *self.row(row);
        self.point_here(parent, previous, next, next, previous);
    }

    /// Unlinks a run of siblings from its chain. Returns the place where it was. The run's own links stay.
    pub(in crate::store) fn unlink_run(&mut self, slice: u32, first: u32, last: u32) -> Spot {
        let Row { parent, previous, .. } = *self.row(first);
        let next = core::mem::replace(&mut self.row_mut(last).next, NIL);
        self.point_here(parent, previous, next, next, previous);
        Spot { slice, parent, previous, next }
    }

    /// The place of a row in its chain.
    #[inline(always)]
    pub(in crate::store) fn spot_of(&self, slice: u32, row: u32) -> Spot {
        let links = self.row(row);
        Spot { slice, parent: links.parent, previous: links.previous, next: links.next }
    }
}

impl Store {
    /// The node at a row, or the first node of the run that a portal there stands for.
    #[inline]
    pub(in crate::store) fn enter_first(&self, mut at: At) -> At {
        while let Some(slice) = self.row(at).occupant.as_portal() {
            at = At { slice, row: self.slice(slice).first_top };
        }
        at
    }

    /// The node at a row, or the last node of the run that a portal there stands for.
    #[inline]
    pub(in crate::store) fn enter_last(&self, mut at: At) -> At {
        while let Some(slice) = self.row(at).occupant.as_portal() {
            at = At { slice, row: self.slice(slice).last_top };
        }
        at
    }

    /// The parent of a node, through any number of portals above its run. `None` for the root.
    #[inline]
    pub(crate) fn parent(&self, mut at: At) -> Option<At> {
        loop {
            let parent = self.row(at).parent;
            if parent != NIL {
                return Some(At { slice: at.slice, row: parent });
            }
            at = self.slice(at.slice).portal;
            if at == At::NONE {
                return None;
            }
        }
    }

    #[inline]
    pub(crate) fn first_child(&self, at: At) -> Option<At> {
        let row = self.row(at).first_child;
        (row != NIL).then(|| self.enter_first(At { slice: at.slice, row }))
    }

    #[inline]
    pub(crate) fn last_child(&self, at: At) -> Option<At> {
        let row = self.row(at).last_child;
        (row != NIL).then(|| self.enter_last(At { slice: at.slice, row }))
    }

    /// The next sibling of a node, which may be in another slice.
    #[inline]
    pub(crate) fn next_sibling(&self, mut at: At) -> Option<At> {
        loop {
            let links = self.row(at);
            if links.next != NIL {
                return Some(self.enter_first(At { slice: at.slice, row: links.next }));
            }
            if links.parent != NIL {
                return None;
            }
            at = self.slice(at.slice).portal;
            if at == At::NONE {
                return None;
            }
        }
    }

    /// The previous sibling of a node.
    #[inline]
    pub(crate) fn previous_sibling(&self, mut at: At) -> Option<At> {
        loop {
            let links = self.row(at);
            if links.previous != NIL {
                return Some(self.enter_last(At { slice: at.slice, row: links.previous }));
            }
            if links.parent != NIL {
                return None;
            }
            at = self.slice(at.slice).portal;
            if at == At::NONE {
                return None;
            }
        }
    }

    /// The place after the last child of a node, in the slice that holds that end of the chain.
    ///
    /// Inlined, so that the spot stays in registers. On the stack, written in pieces and read back whole, it would
    /// stall on store forwarding.
    #[inline(always)]
    pub(in crate::store) fn spot_behind_children(&self, parent: At) -> Spot {
        let slice = self.slice(parent.slice);
        let previous = slice.row(parent.row).last_child;
        if !slice.portal_rows.contains(previous) {
            // The last child is in this slice, and its row need not be read.
            return Spot { slice: parent.slice, parent: parent.row, previous, next: NIL };
        }
        match self.last_child(parent) {
            Some(last) => self.spot_after(last),
            None => Spot { slice: parent.slice, parent: parent.row, previous: NIL, next: NIL },
        }
    }

    /// The place before the first child of a node, in the slice that holds that end of the chain.
    pub(in crate::store) fn spot_before_children(&self, parent: At) -> Spot {
        match self.first_child(parent) {
            Some(first) => self.spot_before(first),
            None => Spot { slice: parent.slice, parent: parent.row, previous: NIL, next: NIL },
        }
    }

    /// The place directly before a node, in its slice.
    pub(in crate::store) fn spot_before(&self, at: At) -> Spot {
        Spot { next: at.row, ..self.slice(at.slice).spot_of(at.slice, at.row) }
    }

    /// The place directly after a node, in its slice.
    #[inline(always)]
    pub(in crate::store) fn spot_after(&self, at: At) -> Spot {
        Spot { previous: at.row, ..self.slice(at.slice).spot_of(at.slice, at.row) }
    }

    /// The next node of the subtree of `top` in pre-order, `None` after the last. Descends below `at` only if `descend`
    /// is set.
    pub(crate) fn next_in_subtree(&self, top: At, at: At, descend: bool) -> Option<At> {
        if descend && let Some(child) = self.first_child(at) {
            return Some(child);
        }
        let mut at = at;
        loop {
            if at == top {
                return None;
            }
            if let Some(next) = self.next_sibling(at) {
                return Some(next);
            }
            at = self.parent(at)?;
        }
    }

    /// Whether `at` is `top` or lies below it. Climbs from `at` and walks below `top` in turns, and ends when the
    /// shorter way is done.
    pub(crate) fn is_in_subtree(&self, at: At, top: At) -> bool {
        let (mut climbing, mut walking) = (at, top);
        loop {
            if climbing == top || walking == at {
                return true;
            }
            let (Some(above), Some(below)) = (self.parent(climbing), self.next_in_subtree(top, walking, true)) else {
                return false;
            };
            (climbing, walking) = (above, below);
        }
    }

    /// The next slice in tree order, `None` after the last. Descends below `slice` only if `descend` is set.
    pub(crate) fn slice_after(&self, slice: u32, descend: bool) -> Option<u32> {
        let mut at = self.slice(slice);
        if descend && let Some(&child) = at.children.first() {
            return Some(child);
        }
        loop {
            if at.portal == At::NONE {
                return None;
            }
            let (above, index) = (self.slice(at.portal.slice), at.child_index as usize);
            if let Some(&next) = above.children.get(index + 1) {
                return Some(next);
            }
            at = above;
        }
    }

    /// Whether the top rows of a slice are children of the root, through any number of portals.
    pub(in crate::store) fn run_hangs_from_root(&self, slice: u32) -> bool {
        let portal = self.slice(slice).portal;
        portal != At::NONE && self.parent(portal) == Some(At::ROOT)
    }

    /// The result of [`Self::run_hangs_from_root`] for all slices by number. Each takes the result of the slice above,
    /// since climbing from each could pass as many portals as a forged snapshot has. Runs in O(slices).
    ///
    /// Returns an error if the allocator refuses.
    pub(in crate::store) fn runs_from_root(&self) -> Result<Vec<bool>, TryReserveError> {
        let mut from_root = fallible::filled(self.slices.len(), false)?;
        let mut pending = fallible::with_capacity(self.slices.len())?;
        pending.push(At::ROOT.slice);
        while let Some(number) = pending.pop() {
            let slice = self.slice(number);
            for &child in &slice.children {
                let below = slice.row(self.slice(child).portal.row).parent;
                from_root[child as usize] =
                    if below == NIL { from_root[number as usize] } else { number == At::ROOT.slice };
            }
            pending.extend(&slice.children);
        }
        Ok(from_root)
    }
}
