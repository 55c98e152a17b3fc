//! Handles of meshes.

use core::fmt;
use core::num::NonZeroU32;

/// A name for one mesh of one [`MeshSet`](crate::mesh::MeshSet): 8 bytes, also as an `Option`.
///
/// Valid until its mesh is removed, whatever happens to other meshes. Then it is *stale*: edits return
/// [`MeshError::StaleHandle`](crate::mesh::MeshError::StaleHandle), queries return `None`. An index is reused 2³¹ times
/// and then retired, so a stale handle never refers to a later mesh. A handle of another set is harmless but may refer
/// to a mesh of this one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeshHandle {
    index: u32,
    generation: NonZeroU32,
}

impl MeshHandle {
    /// The handle of an entry that is in use.
    pub(super) fn new(index: u32, generation: Generation) -> Self {
        let generation = NonZeroU32::new(generation.0).expect("generations in use are odd");
        Self { index, generation }
    }

    #[inline]
    pub(super) fn index(self) -> usize {
        self.index as usize
    }

    #[inline]
    pub(super) fn number(self) -> u32 {
        self.index
    }

    #[inline]
    pub(super) fn generation(self) -> Generation {
        Generation(self.generation.get())
    }
}

impl fmt::Debug for MeshHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MeshHandle({} v{})", self.index, self.generation)
    }
}

/// How often an entry was taken and freed: odd while it is in use, even while it is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Generation(u32);

impl Generation {
    /// The generation of an entry that was never used, or never will be again.
    pub(super) const UNUSED: Self = Self(0);

    #[inline]
    pub(super) const fn is_in_use(self) -> bool {
        self.0 % 2 == 1
    }

    /// The generation of a free entry after it is taken.
    pub(super) const fn taken(self) -> Self {
        Self(self.0 + 1)
    }

    /// The generation of an entry in use after it is freed; `None` if it was the last one, and the entry must be
    /// retired.
    pub(super) fn given_back(self) -> Option<Self> {
        self.0.checked_add(1).map(Self)
    }

    /// The greatest generation of an entry in use.
    #[cfg(test)]
    pub(super) const LAST: Self = Self(u32::MAX);
}
