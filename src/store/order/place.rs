//! A place among siblings, given by handles, and the spot that it refers to.

use crate::store::columns::At;
use crate::store::{Settled, Spot, Store};
use crate::{Error, NodeHandle};

/// Where a node goes among its parent's children: a [`Place`](crate::Place) in the tree, given by a node beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Before all children of this node.
    FirstChildOf(NodeHandle),
    /// After all children of this node.
    LastChildOf(NodeHandle),
    /// Directly before this sibling.
    Before(NodeHandle),
    /// Directly after this sibling.
    After(NodeHandle),
}

impl Beside {
    /// The node that the place refers to.
    pub(crate) const fn anchor(self) -> NodeHandle {
        match self {
            Self::FirstChildOf(node) | Self::LastChildOf(node) | Self::Before(node) | Self::After(node) => node,
        }
    }
}

impl Store {
    /// Where the anchor of a place is, or why no node can go there.
    #[inline(always)]
    pub(crate) fn find_anchor(&self, place: Beside) -> Result<At, Error> {
        let anchor = place.anchor();
        match self.resolve(anchor) {
            None => Err(Error::StaleHandle(anchor)),
            Some(at) if matches!(place, Beside::Before(_) | Beside::After(_)) => {
                self.parent_of_sibling(at)?;
                Ok(at)
            }
            Some(at) => Ok(at),
        }
    }

    /// The parent of a node that is to get a sibling, or why it cannot.
    fn parent_of_sibling(&self, at: At) -> Result<At, Error> {
        let alone = || if at == At::ROOT { Error::RootIsFixed } else { Error::BesideDetached(self.handle(at)) };
        self.parent(at).ok_or_else(alone)
    }

    /// The spot of a place whose anchor is at a row.
    #[inline(always)]
    pub(in crate::store) fn spot_beside(&self, place: Beside, anchor: At) -> Spot {
        match place {
            Beside::LastChildOf(_) => self.spot_behind_children(anchor),
            Beside::FirstChildOf(_) => self.spot_before_children(anchor),
            Beside::Before(_) => self.spot_before(anchor),
            Beside::After(_) => self.spot_after(anchor),
        }
    }

    /// The spot of a place that was checked.
    pub(in crate::store) fn spot(&self, place: Beside) -> Spot {
        let anchor = self.resolve(place.anchor()).expect("the place was checked before");
        self.spot_beside(place, anchor)
    }

    /// Where `incoming` nodes go that are inserted at a checked place.
    pub(in crate::store) fn settle_at(&self, place: Beside, incoming: usize) -> Settled {
        self.settle(self.spot(place), incoming)
    }

    /// The parent of a node inserted at a place, or why no node can go there.
    #[inline]
    pub(crate) fn parent_of_place(&self, place: Beside) -> Result<At, Error> {
        let anchor = place.anchor();
        let at = self.resolve(anchor).ok_or(Error::StaleHandle(anchor))?;
        match place {
            Beside::FirstChildOf(_) | Beside::LastChildOf(_) => Ok(at),
            Beside::Before(_) | Beside::After(_) => self.parent_of_sibling(at),
        }
    }
}
