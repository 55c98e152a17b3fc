//! What edits leave in pages: a dirty byte for a set local transform, and a mask for all else.
//!
//! Invariant: if a byte is set, its page is marked; if a mask is set, its group of eight is marked; if anything is
//! marked, `any` is set. So an update visits the pages and groups with edits alone, in the order of records: its result
//! does not depend on the order of edits.

use super::{PAGE, PAGE_BITS, Page, Pages};
use crate::store::columns::short;
use crate::store::pending::Pending;
use crate::store::record::RecordId;
use crate::store::row_set::ones;

/// Marks of each page: one for dirty bytes, which are set in order as a rule and read in streams; a bit for each
/// [`GROUP`] of masks, which few and scattered nodes have.
#[derive(Clone, Default)]
pub(super) struct Marks<M> {
    pub(super) pages: Vec<M>,
    /// Whether any page may be marked.
    any: bool,
}

/// The number of masks to a mark.
const GROUP: usize = PAGE / 64;

impl Marks<u8> {
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

    pub(super) fn has(&self, id: RecordId) -> bool {
        self.any && self.pages[id.page()] != 0
    }
}

impl Marks<u64> {
    #[inline(always)]
    fn set(&mut self, id: RecordId) {
        self.pages[id.page()] |= 1 << (id.index() / GROUP);
        self.any = true;
    }

    pub(super) fn has(&self, id: RecordId) -> bool {
        self.any && self.pages[id.page()] >> (id.index() / GROUP) & 1 != 0
    }
}

/// Iterates over the groups of a page that are marked: where each begins.
#[inline(always)]
fn groups(marks: u64) -> impl Iterator<Item = usize> {
    ones(marks).map(|group| group * GROUP)
}

/// Returns the record with an index in a page.
#[inline(always)]
fn record(page: u32, index: usize) -> RecordId {
    RecordId((page << PAGE_BITS) + u32::from(short(index)))
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
        self.pending.set(id);
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
        for (number, marks) in (0_u32..).zip(&mut self.pending.pages).filter(|(_, marks)| **marks != 0) {
            let pending = &mut self.pages[number as usize].pending;
            for group in groups(core::mem::take(marks)) {
                let Some(masks) = pending[group..].first_chunk_mut::<GROUP>() else { continue };
                // As a rule one mask of a group is set: finding it in a word takes less than eight branches.
                let mut word = Pending::word(*masks);
                while word != 0 {
                    let at = word.trailing_zeros() as usize / 16;
                    list.push((record(number, group + at), core::mem::take(&mut masks[at])));
                    word &= !(0xffff << (at * 16));
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
        let marked = (0_u32..).zip(self.pending.pages.iter().zip(&self.pages)).filter(|(_, (marks, _))| **marks != 0);
        let masks = marked.flat_map(|(number, (&marks, page))| {
            groups(marks)
                .flat_map(move |group| (group..group + GROUP).map(move |at| (record(number, at), page.pending[at])))
        });
        masks.filter(|&(_, mask)| mask != Pending::NONE)
    }
}
