//! What edits changed in nodes since the last update: one mask for each record.
//!
//! Edits set bits and mark the page; that is all they tell the update and, through it, the readers of changes. The
//! update takes the masks in the order of records, so the order of edits does not matter.
//!
//! | bits | set by | the update | readers |
//! |---|---|---|---|
//! | [`of`](Pending::of) kinds of edits | all edits of the node, even to the same value | – | the kinds |
//! | [`MOVED`](Pending::MOVED) | moves below another parent | takes the row away; the node waits for another | – |
//! | [`RESHAPED`](Pending::RESHAPED) | transform or drawable got or lost, anchored, released | reconstitutes the slice | – |
//! | [`INHERITED`](Pending::INHERITED) | another material, layers, visibility, view range | derives what rows inherit in the slice | – |
//! | [`REDRAWN`](Pending::REDRAWN) | drawable set, other user data | copies mesh and bounds; lists read the slice again | – |
//! | [`RECOMPUTED`](Pending::RECOMPUTED) | local transform is or was a matrix, or was in double precision | computes the slot even from equal copies | – |
//! | [`PRESENCE`](Pending::PRESENCE) | the subtree left the tree or came back, if the scene has checkpoints | – | – |
//!
//! Local transforms that are set by a store alone, which is the most frequent edit, have a byte of their own:
//! [`Page::dirty`](crate::store::page::Page). A node that waits for a row gets all of its data from its record.

use crate::store::change_kinds::ChangeKinds;
use core::ops::BitOr;

/// A mask of edits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(transparent)]
pub(crate) struct Pending(u16);

impl Pending {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const MOVED: Self = Self(1 << 12);
    pub(crate) const RESHAPED: Self = Self(1 << 13);
    pub(crate) const INHERITED: Self = Self(1 << 14);
    pub(crate) const REDRAWN: Self = Self(1 << 15);
    // Only updates compute `WORLD` and `VISIBILITY`, so their bits are free.
    pub(crate) const RECOMPUTED: Self = Self::of(ChangeKinds::WORLD);
    /// For [checkpoints](super::checkpoint) alone, where it also stands for inserted and removed nodes.
    pub(crate) const PRESENCE: Self = Self::of(ChangeKinds::VISIBILITY);
    /// All bits that the update needs. The others are set only if the scene tracks changes or has checkpoints.
    pub(crate) const DERIVED: Self =
        Self(Self::MOVED.0 | Self::RESHAPED.0 | Self::INHERITED.0 | Self::REDRAWN.0 | Self::RECOMPUTED.0);
    /// The bits that are set if the scene tracks changes.
    pub(crate) const TRACKED: Self = Self(Self::DERIVED.0 | Self::of(ChangeKinds::EDITS).0);
    /// The bits that are set if the scene has checkpoints.
    pub(crate) const KEPT: Self = Self(Self::TRACKED.0 | Self::PRESENCE.0);
    /// The bits of edits after which neighbours may have other links.
    pub(crate) const LINKED: Self = Self(Self::MOVED.0 | Self::of(ChangeKinds::ORDER).0 | Self::PRESENCE.0);

    /// Returns the mask of kinds of changes.
    pub(crate) const fn of(kinds: ChangeKinds) -> Self {
        Self(kinds.bits())
    }

    /// Returns the kinds that readers of changes are to see.
    pub(crate) fn kinds(self) -> ChangeKinds {
        ChangeKinds::EDITS.and(ChangeKinds::of_bits(self.0))
    }

    /// Packs eight masks into a word, the first into the lowest bits.
    #[inline(always)]
    pub(crate) fn word(masks: [Self; 8]) -> u128 {
        let [a, b, c, d, e, f, g, h] = masks.map(|mask| u64::from(mask.0));
        let [low, high] = [a | b << 16 | c << 32 | d << 48, e | f << 16 | g << 32 | h << 48];
        u128::from(low) | u128::from(high) << 64
    }

    #[inline(always)]
    pub(crate) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    #[inline(always)]
    pub(crate) const fn and(self, bits: Self) -> Self {
        Self(self.0 & bits.0)
    }
}

impl BitOr for Pending {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
