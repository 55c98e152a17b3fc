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
        let Self { store, indices, ends, bases } = *self;
        let starts = core::iter::once(0).chain(ends.iter().map(|&(_, end)| end));
        starts.zip(ends).flat_map(move |(start, &(slice, end))| {
            let (worlds, base) = (store.view(slice).transforms().worlds(), bases[slice.index()]);
            let indices = &indices[start..end];
            indices.iter().enumerate().map(move |(at, index)| {
                if let Some(ahead) = indices.get(at + AHEAD) {
                    prefetch_whole(worlds, (ahead - base) as usize);
                }
                &worlds[(index - base) as usize]
            })
        })
    }
}

/// Loads the first of these matrices into the cache: those that moved are far apart, and most have left it since the
/// update.
pub(super) fn load_first(worlds: &[Mat34], indices: &[u32], base: u32) {
    for index in indices.iter().take(AHEAD) {
        prefetch_whole(worlds, (index - base) as usize);
    }
}
