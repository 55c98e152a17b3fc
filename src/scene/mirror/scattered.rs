//! Single matrices of many slices.

use crate::Mat34;
use crate::store::{SliceId, Store};
use core::fmt;
use hedgerow_math::internal::prefetch_whole;

/// How many matrices are loaded into the cache ahead.
const AHEAD: usize = 32;

/// The matrices that a sync returned as a list, from [`MatrixMirror::scatter`](super::MatrixMirror::scatter). They are
/// read from the scene as you iterate over them, for example to write them to mapped memory.
#[derive(Clone, Copy)]
#[must_use = "the next call does not list these matrices again"]
pub struct Scattered<'m> {
    pub(super) store: &'m Store,
    pub(super) indices: &'m [u32],
    /// The number of indices up to the end of each slice that has some.
    pub(super) ends: &'m [(SliceId, usize)],
    pub(super) bases: &'m [u32],
}

impl fmt::Debug for Scattered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scattered").field("indices", &self.indices).finish_non_exhaustive()
    }
}

impl<'m> Scattered<'m> {
    /// Returns where the matrices are in the buffer, none twice.
    #[must_use]
    pub const fn indices(&self) -> &'m [u32] {
        self.indices
    }

    /// Returns the matrices, one for each index.
    pub fn matrices(&self) -> impl Iterator<Item = &'m Mat34> + use<'m> {
        let mut slices = Slices { scattered: *self, ends: self.ends.iter(), start: 0 };
        let next = slices.next().unwrap_or_default();
        Matrices { slices, now: Listed::default(), next, at: 0 }
    }
}

/// The slices of a list of matrices.
struct Slices<'m> {
    scattered: Scattered<'m>,
    ends: core::slice::Iter<'m, (SliceId, usize)>,
    start: usize,
}

/// The matrices of a slice, those that are listed, and the index of the first of the slice.
#[derive(Clone, Copy, Default)]
struct Listed<'m> {
    worlds: &'m [Mat34],
    indices: &'m [u32],
    base: u32,
}

impl<'m> Iterator for Slices<'m> {
    type Item = Listed<'m>;

    fn next(&mut self) -> Option<Listed<'m>> {
        let Scattered { store, indices, bases, .. } = self.scattered;
        let &(slice, end) = self.ends.next()?;
        let start = core::mem::replace(&mut self.start, end);
        let worlds = store.view(slice).transforms().worlds();
        let listed = Listed { worlds, indices: &indices[start..end], base: bases[slice.index()] };
        // Those that moved are far apart, and most have left the cache since the update.
        (0..AHEAD).for_each(|at| listed.prefetch(at));
        Some(listed)
    }
}

impl<'m> Listed<'m> {
    #[inline]
    fn prefetch(&self, at: usize) {
        if let Some(index) = self.indices.get(at) {
            prefetch_whole(self.worlds, (index - self.base) as usize);
        }
    }
}

/// Reads matrices slice by slice; while those of one are read, the first of the next one are loaded.
struct Matrices<'m> {
    slices: Slices<'m>,
    now: Listed<'m>,
    next: Listed<'m>,
    at: usize,
}

impl<'m> Iterator for Matrices<'m> {
    type Item = &'m Mat34;

    #[inline]
    fn next(&mut self) -> Option<&'m Mat34> {
        if self.at == self.now.indices.len() {
            self.now = core::mem::replace(&mut self.next, self.slices.next().unwrap_or_default());
            self.at = 0;
        }
        let index = *self.now.indices.get(self.at)?;
        self.now.prefetch(self.at + AHEAD);
        self.at += 1;
        Some(&self.now.worlds[(index - self.now.base) as usize])
    }
}
