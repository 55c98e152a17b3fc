//! The state of a slice: named values in place of flags, each with who sets and who clears it.
//!
//! | value | means | set by | cleared by |
//! |---|---|---|---|
//! | [`Home::Free`] | the number is unused | end of a slice | `Slices::open` |
//! | [`Home::Tree`], [`Home::Limbo`] | nodes are in the tree, or detached | reconstitution | end of the slice |
//! | [`Work::FREED`] | a row died, and is in use until the update | `Slices::free_row` | assignment |
//! | [`Work::RESHAPED`] | a node needs or has another slot or drawable | masks, removals | assignment |
//! | [`Work::INHERITS`] | a row's own material, layers, visibility or view range changed | masks | `prepare`, before the sweep |
//! | [`Work::KEPT`] | the slice was kept while its subtree moved: all imports are copied | `unplace_large` | `prepare` |
//! | [`Due::Changed`] | dirty slots are computed, unless their copies are equal | marks of slots, imports | sweep |
//! | [`Due::All`] | all dirty slots are computed | new slots, masks, `mark_all` | sweep |
//! | [`Copies::Stale`] | copies of local transforms in clean slots are out of date | gather | sweep that copies all |
//! | [`SlotOrder::Nested`] | slots below a slot follow it directly | reconstitution | a slot put among others |
//!
//! | number | is | set by |
//! |---|---|---|
//! | `Head::version` | changes with all but transforms, and with the order; unique among slices | removal, update |
//! | `Slice::layout` | changes when rows and slots move, and when the slice ends | reconstitution, `end_slice` |
//! | `Slice::swept_in` | the last update that computed a matrix or an inherited value, or wrote rows | sweep, `prepare`, `renew_version` |
//! | `Slice::handed_in` | the last update after which nodes may hand down other values from clean slots | `prepare`, reconstitution |

use core::ops::BitOr;

/// Where the nodes of a slice are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Home {
    /// There are none: the number of the slice is unused.
    #[default]
    Free,
    Tree,
    /// Outside of the tree.
    Limbo,
}

/// What edits of a slice's rows leave to the update.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Work(u8);

impl Work {
    pub(crate) const FREED: Self = Self(1);
    pub(crate) const RESHAPED: Self = Self(1 << 1);
    pub(crate) const INHERITS: Self = Self(1 << 2);
    pub(crate) const KEPT: Self = Self(1 << 3);

    #[inline(always)]
    pub(crate) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    #[inline(always)]
    pub(crate) const fn add(&mut self, work: Self) {
        self.0 |= work.0;
    }

    /// Clears some work, and returns what there was of it.
    #[inline(always)]
    pub(crate) const fn take(&mut self, work: Self) -> Self {
        let taken = self.0 & work.0;
        self.0 ^= taken;
        Self(taken)
    }
}

impl BitOr for Work {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What the next sweep computes of the dirty slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) enum Due {
    #[default]
    Nothing,
    Changed,
    All,
}

impl Due {
    #[inline(always)]
    pub(crate) fn add(&mut self, due: Self) {
        *self = (*self).max(due);
    }
}

/// The copies of local transforms in clean slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) enum Copies {
    #[default]
    Current,
    Stale,
}

/// Whether the slots below a slot follow it directly, without other slots among them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum SlotOrder {
    #[default]
    Mixed,
    Nested,
}
