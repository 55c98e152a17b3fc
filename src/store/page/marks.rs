//! What edits leave in pages: a dirty byte for a set local transform, and a mask for all else.
//!
//! Invariant: if a byte or a mask is set, its page is marked; if a page is marked, `any` is set. So an update visits the
//! pages with edits alone, in the order of records: its result does not depend on the order of edits.

use super::{PAGE_BITS, Page, Pages};
use crate::store::pending::Pending;
use crate::store::record::RecordId;

/// A mark for each page.
#[derive(Clone, Default)]
pub(super) struct Marks {
    pub(super) pages: Vec<u8>,
    /// Whether any page may be marked.
    any: bool,
}

impl Marks {
    #[inline(always)]
    pub(super) fn set(&mut self, page: usize) {
        if let Some(mark) = self.pages.get_mut(page)
            && *mark == 0
        {
            // Most sets find the mark set, so the flag for all pages is hardly ever written.
            *mark = 1;
            self.any = true;
        }
    }

    pub(super) fn is_set(&self, page: usize) -> bool {
        self.any && self.pages[page] != 0
    }
}

impl Pages {
    /// Marks the local transform of a live node as set since the update.
    #[inline(always)]
    pub(crate) fn mark_dirty(&mut self, id: RecordId) {
        self.pages[id.page()].dirty[id.index()] = 1;
        self.dirty.set(id.page());
    }

    /// Adds bits to the mask of a live node's edits.
    #[inline]
    pub(crate) fn mark(&mut self, id: RecordId, bits: Pending) {
        let mask = &mut self.pages[id.page()].pending[id.index()];
        *mask = *mask | bits;
        self.pending.set(id.page());
    }

    /// Returns the mask of a node's edits since the update.
    #[inline(always)]
    pub(crate) fn pending(&self, id: RecordId) -> Pending {
        self.pages[id.page()].pending[id.index()]
    }

    /// Returns whether a local transform was set since the update.
    #[inline(always)]
    pub(crate) fn is_dirty(&self, id: RecordId) -> bool {
        self.pages.get(id.page()).is_some_and(|page| page.dirty[id.index()] != 0)
    }

    /// Lists the masks that are set, in the order of records, and clears them.
    pub(crate) fn take_pending(&mut self, list: &mut Vec<(RecordId, Pending)>) {
        list.clear();
        if !core::mem::take(&mut self.pending.any) {
            return;
        }
        for (number, mark) in (0_u32..).zip(&mut self.pending.pages) {
            if core::mem::take(mark) == 0 {
                continue;
            }
            let (lines, _) = self.pages[number as usize].pending.as_chunks_mut::<32>();
            for (first, masks) in (number << PAGE_BITS..).step_by(32).zip(lines) {
                // One test for a cache line of masks, since most are not set.
                if masks.iter().fold(0, |any, mask| any | mask.bits()) == 0 {
                    continue;
                }
                for (index, mask) in (first..).zip(masks).filter(|(_, mask)| **mask != Pending::NONE) {
                    list.push((RecordId(index), core::mem::take(mask)));
                }
            }
        }
    }

    /// Returns whether anything was edited since the update, other than by inserts and removals.
    #[inline]
    pub(crate) fn is_edited(&self) -> bool {
        self.dirty.any || self.pending.any
    }

    /// Returns whether any local transform was set since the update.
    #[inline]
    pub(crate) fn is_any_dirty(&self) -> bool {
        self.dirty.any
    }

    /// Iterates over the pages with dirty bytes, with their numbers, and clears the marks.
    pub(crate) fn take_marked(&mut self) -> impl Iterator<Item = (usize, &mut Page)> {
        self.dirty.any = false;
        // The caller clears the bytes, which it reads anyway.
        let marked = self.dirty.pages.iter_mut().zip(&mut self.pages).enumerate();
        marked.filter_map(|(number, (mark, page))| (core::mem::take(mark) != 0).then_some((number, &mut **page)))
    }

    /// Iterates over the pages with dirty bytes, with their numbers.
    pub(crate) fn marked(&self) -> impl Iterator<Item = (usize, &Page)> {
        let marked = self.dirty.pages.iter().zip(&self.pages).enumerate();
        marked.filter(|(_, (mark, _))| **mark != 0).map(|(number, (_, page))| (number, &**page))
    }

    /// Iterates over the masks that are set, in the order of records.
    pub(crate) fn masks(&self) -> impl Iterator<Item = (RecordId, Pending)> {
        let marked = (0_u32..).zip(self.pending.pages.iter().zip(&self.pages)).filter(|(_, (mark, _))| **mark != 0);
        let lines = marked
            .flat_map(|(number, (_, page))| (number << PAGE_BITS..).step_by(32).zip(page.pending.as_chunks::<32>().0));
        let edited = lines.filter(|(_, masks)| masks.iter().fold(0, |any, mask| any | mask.bits()) != 0);
        let masks = edited.flat_map(|(first, masks)| (first..).map(RecordId).zip(masks.iter().copied()));
        masks.filter(|&(_, mask)| mask != Pending::NONE)
    }
}
