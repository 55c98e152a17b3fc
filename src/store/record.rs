//! A node's record: one cache line that never moves.

use crate::Visibility;
use core::ops::{BitOr, BitOrAssign, Not};
use hedgerow_math::internal::PackedTransform;

/// The number of a record: its page, and its index in the page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub(crate) struct RecordId(pub(crate) u32);

impl RecordId {
    /// No record: the end of a chain, and the parent of the root.
    pub(crate) const NIL: Self = Self(u32::MAX);
    /// The record of the root, in every scene.
    pub(crate) const ROOT: Self = Self(0);
    /// The parent of all detached subtrees, a record that no handle names. It lets the update link, place and compute
    /// detached nodes like those in the tree.
    pub(crate) const LIMBO: Self = Self(1);

    #[inline(always)]
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }

    #[inline(always)]
    pub(crate) fn is_nil(self) -> bool {
        self == Self::NIL
    }

    /// Returns `None` for [`Self::NIL`].
    #[inline(always)]
    pub(crate) fn some(self) -> Option<Self> {
        if self.is_nil() { None } else { Some(self) }
    }
}

/// The links of a record. They are an array, so that a neighbour's link is stored without a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Link {
    /// The first child.
    First,
    /// The last child.
    Last,
    /// The next sibling.
    Next,
    /// The previous sibling.
    Previous,
}

/// The components and states of a node, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(transparent)]
pub(crate) struct Has(pub(crate) u32);

impl Has {
    pub(crate) const NOTHING: Self = Self(0);
    /// A local transform. Its matrix or remainder may be in a [`Side`](super::side::Side).
    pub(crate) const TRANSFORM: Self = Self(1);
    /// A material of its own: [`Record::material`].
    pub(crate) const MATERIAL: Self = Self(1 << 1);
    /// The node is outside of the tree, in a detached subtree.
    pub(crate) const DETACHED: Self = Self(1 << 8);
    /// [`Visibility::Hidden`](crate::Visibility).
    pub(crate) const HIDDEN: Self = Self::of_visibility(Visibility::Hidden);
    /// [`Visibility::Shown`](crate::Visibility).
    pub(crate) const SHOWN: Self = Self::of_visibility(Visibility::Shown);
    /// All bits that decide where the node is visible.
    pub(crate) const VISIBILITY: Self = Self(Self::LAYERS.0 | Self::HIDDEN.0 | Self::SHOWN.0 | Self::RANGE.0);
    /// The node has a tag: see [`tags`](super::tags).
    pub(crate) const TAG: Self = Self(1 << 9);
    /// The node was in the tree after the last update, so readers of changes know it.
    pub(crate) const REPORTED: Self = Self(1 << 11);
    /// The current update places the node again, or has recorded its old state: see [`Feed`](super::Feed).
    pub(crate) const RECORDED: Self = Self(1 << 12);
    /// The states that belong to updates, readers of changes and documents.
    pub(crate) const PASSING: Self = Self(Self::REPORTED.0 | Self::RECORDED.0 | Self::TAG.0);
    /// The node is [anchored](crate::Node::anchored). Bits 13 and 14 are the visibility.
    pub(crate) const ANCHORED: Self = Self(1 << 15);
    /// The bits for components in side data, which [`components`](super::components) defines.
    pub(crate) const RARE: Self = Self(0xffff_00fc);

    /// Returns whether setting the local transform needs more than a store: there is none, or parts are in side data.
    pub(crate) const fn sets_at_length(self) -> bool {
        self.0 & Self::TRANSFORM.0 == 0 || self.0 & (Self::MATRIX.0 | Self::REMAINDER.0) != 0
    }

    /// Returns the bit of a visibility: [`Self::HIDDEN`], [`Self::SHOWN`], or no bit.
    #[inline(always)]
    pub(crate) const fn of_visibility(visibility: Visibility) -> Self {
        Self((visibility as u32) << 13)
    }

    #[inline(always)]
    pub(crate) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    #[inline(always)]
    pub(crate) const fn without(self, bits: Self) -> Self {
        Self(self.0 & !bits.0)
    }

    /// Returns the same set with these bits set or cleared.
    #[inline(always)]
    pub(crate) const fn with(self, bits: Self, set: bool) -> Self {
        if set { Self(self.0 | bits.0) } else { self.without(bits) }
    }
}

impl BitOr for Has {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Has {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Not for Has {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// A node: 64 bytes, one cache line.
///
/// ```text
/// rotation 16 │ translation 12 │ scale 12 │ first, last, next, previous 16 │ has 4 │ material 4
/// ```
///
/// The local transform is the first 40 bytes, like [`Transform`](crate::Transform), so setting it takes three stores.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Record {
    /// The local transform; the identity if there is none, unused if it is a matrix.
    pub(crate) local: PackedTransform,
    pub(crate) links: [RecordId; 4],
    pub(crate) has: Has,
    /// The node's own material, if it has one.
    pub(crate) material: u32,
}

const _: () = assert!(size_of::<Record>() == 64);

impl Record {
    pub(crate) const BLANK: Self =
        Self { local: PackedTransform::IDENTITY, links: [RecordId::NIL; 4], has: Has::NOTHING, material: 0 };

    #[inline(always)]
    pub(crate) fn link(&self, link: Link) -> RecordId {
        self.links[link as usize]
    }

    #[inline(always)]
    pub(crate) fn set_link(&mut self, link: Link, to: RecordId) {
        self.links[link as usize] = to;
    }

    /// Returns whether a slot's copy of the local transform has the same bits. Returns false for a translation in
    /// double precision, whose remainder the copy lacks.
    #[inline(always)]
    pub(crate) fn is_copied(&self, copy: &PackedTransform) -> bool {
        !self.has.has(Has::REMAINDER) && copy.same_bits(&self.local)
    }

    #[inline(always)]
    pub(crate) fn is_leaf(&self) -> bool {
        self.link(Link::First).is_nil()
    }
}
