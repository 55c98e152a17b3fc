//! Where a node goes, and what it keeps on the way.

pub use crate::store::Place;

/// What a moved node keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The local transform: the node moves along with its new parent's place in the world.
    Local,
    /// The world transform: the local one is computed anew, in double precision.
    World,
}
