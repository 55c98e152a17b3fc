//! Kinds of changes.

use core::fmt;
use core::ops::{BitOr, BitOrAssign};

/// A set of kinds of changes of a node.
///
/// Updates compute [`WORLD`](Self::WORLD), [`VISIBILITY`](Self::VISIBILITY) and [`MATERIAL`](Self::MATERIAL), and
/// report them if the result differs. Other kinds are edits, which are reported even if they set the same value again.
///
/// ```
/// use hedgerow::changes::ChangeKinds;
///
/// let kinds = ChangeKinds::PARENT | ChangeKinds::LOCAL;
/// assert!(kinds.contains(ChangeKinds::PARENT) && !kinds.contains(ChangeKinds::NAME));
/// let own = ChangeKinds::OWN_VISIBILITY | ChangeKinds::OWN_MATERIAL | ChangeKinds::DRAWABLE | ChangeKinds::USER_DATA;
/// assert!(ChangeKinds::EDITS.contains(own | ChangeKinds::ORDER | ChangeKinds::VIEW_RANGE));
/// assert!(!ChangeKinds::EDITS.contains(ChangeKinds::MATERIAL));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ChangeKinds(u16);

impl ChangeKinds {
    /// No kind.
    pub const NONE: Self = Self(0);
    /// The world matrix.
    pub const WORLD: Self = Self(1);
    /// The layers on which the node is visible; none if it is hidden.
    pub const VISIBILITY: Self = Self(1 << 1);
    /// The node's own local transform was set, added or removed.
    pub const LOCAL: Self = Self(1 << 2);
    /// The node's own visibility or layers were set or removed.
    pub const OWN_VISIBILITY: Self = Self(1 << 3);
    /// The node's own material was set, added or removed.
    pub const OWN_MATERIAL: Self = Self(1 << 4);
    /// The drawable was set, added or removed, or its mesh or its bounds were set.
    pub const DRAWABLE: Self = Self(1 << 5);
    /// The name was set or removed.
    pub const NAME: Self = Self(1 << 6);
    /// The node was moved to another parent, or [anchored](crate::Node::anchored) or released.
    pub const PARENT: Self = Self(1 << 7);
    /// The node was moved among its siblings.
    pub const ORDER: Self = Self(1 << 8);
    /// The effective material of the node: its own, or that of the nearest ancestor that has a material.
    pub const MATERIAL: Self = Self(1 << 9);
    /// The user data was set.
    pub const USER_DATA: Self = Self(1 << 10);
    /// The range of distances was set or removed.
    pub const VIEW_RANGE: Self = Self(1 << 11);
    /// All edits of the node itself: every kind that is not computed by updates.
    pub const EDITS: Self = Self::ALL.without(Self(Self::WORLD.0 | Self::VISIBILITY.0 | Self::MATERIAL.0));
    /// The kinds of [`Changed::edited`](crate::changes::Changed::edited).
    pub(crate) const LISTED: Self = Self::ALL.without(Self(Self::WORLD.0 | Self::VISIBILITY.0 | Self::LOCAL.0));
    /// Every kind.
    pub const ALL: Self = Self(0b1111_1111_1111);

    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the set of these bits; there may be others than those of kinds.
    pub(crate) const fn of_bits(bits: u16) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// Returns whether every kind of the other set is in this set.
    #[must_use]
    #[inline]
    pub const fn contains(self, kinds: Self) -> bool {
        self.0 & kinds.0 == kinds.0
    }

    /// Returns whether the sets have a kind in common.
    #[must_use]
    #[inline]
    pub const fn intersects(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }

    /// Returns the kinds that are in both sets.
    #[must_use]
    #[inline]
    pub const fn and(self, kinds: Self) -> Self {
        Self(self.0 & kinds.0)
    }

    /// Returns the kinds that are in this set and not in the other.
    #[must_use]
    #[inline]
    pub const fn without(self, kinds: Self) -> Self {
        Self(self.0 & !kinds.0)
    }

    /// Returns whether there is no kind.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for ChangeKinds {
    type Output = Self;

    #[inline]
    fn bitor(self, kinds: Self) -> Self {
        Self(self.0 | kinds.0)
    }
}

impl BitOrAssign for ChangeKinds {
    #[inline]
    fn bitor_assign(&mut self, kinds: Self) {
        self.0 |= kinds.0;
    }
}

impl fmt::Debug for ChangeKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [(ChangeKinds, &str); 12] = [
            (ChangeKinds::WORLD, "WORLD"),
            (ChangeKinds::VISIBILITY, "VISIBILITY"),
            (ChangeKinds::LOCAL, "LOCAL"),
            (ChangeKinds::OWN_VISIBILITY, "OWN_VISIBILITY"),
            (ChangeKinds::OWN_MATERIAL, "OWN_MATERIAL"),
            (ChangeKinds::DRAWABLE, "DRAWABLE"),
            (ChangeKinds::NAME, "NAME"),
            (ChangeKinds::PARENT, "PARENT"),
            (ChangeKinds::ORDER, "ORDER"),
            (ChangeKinds::MATERIAL, "MATERIAL"),
            (ChangeKinds::USER_DATA, "USER_DATA"),
            (ChangeKinds::VIEW_RANGE, "VIEW_RANGE"),
        ];
        let mut names = NAMES.iter().filter(|(kind, _)| self.contains(*kind)).map(|(_, name)| name);
        f.write_str(names.next().unwrap_or(&"NONE"))?;
        names.try_for_each(|name| write!(f, " | {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_shown_by_name() {
        assert_eq!(format!("{:?}", ChangeKinds::WORLD | ChangeKinds::ORDER), "WORLD | ORDER");
        assert_eq!(format!("{:?}", ChangeKinds::NONE), "NONE");
        assert_eq!(
            ChangeKinds::EDITS | ChangeKinds::WORLD | ChangeKinds::VISIBILITY | ChangeKinds::MATERIAL,
            ChangeKinds::ALL
        );
    }
}
