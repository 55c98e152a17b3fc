//! Where the update placed a node: slice, row and slot.

use core::fmt;

/// A slice, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub(crate) struct SliceId(u32);

impl SliceId {
    /// No slice.
    pub(crate) const NIL: Self = Self(u32::MAX);

    /// Returns the slice with this index in arrays by slice.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer slices than records")]
    pub(crate) const fn at(index: usize) -> Self {
        Self(index as u32)
    }

    /// Returns the index in arrays by slice.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    #[inline(always)]
    pub(crate) const fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for SliceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The location of a node: its slice, its row there, and the slot of its own or inherited transform. Until an update
/// places the node, it is the index in the waiting list instead. One load reads all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Location(u64);

impl Location {
    /// The flag of a node without a row.
    const WAITS: u64 = 1 << 63;

    #[inline(always)]
    pub(crate) const fn of(slice: SliceId, row: u16, slot: u16) -> Self {
        Self((slice.0 as u64) << 32 | (row as u64) << 16 | slot as u64)
    }

    #[inline(always)]
    pub(crate) const fn waiting(index: u32) -> Self {
        Self(Self::WAITS | index as u64)
    }

    /// Returns the node's index in the waiting list, if it waits.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "an index has 32 bits")]
    pub(crate) const fn as_waiting(self) -> Option<u32> {
        if self.0 & Self::WAITS != 0 { Some(self.0 as u32) } else { None }
    }

    /// Returns the slice, or a number beyond all slices if the node waits.
    #[inline(always)]
    pub(crate) const fn slice(self) -> SliceId {
        SliceId((self.0 >> 32) as u32)
    }

    #[inline(always)]
    pub(crate) const fn row(self) -> usize {
        (self.0 >> 16 & 0xffff) as usize
    }

    /// Returns the slot of the node's own transform, or of the nearest ancestor's.
    #[inline(always)]
    pub(crate) const fn slot(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}
