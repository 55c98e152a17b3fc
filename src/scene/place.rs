//! What a node keeps when it moves.

pub use crate::store::Place;

/// What a moved node keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The local transform: the node moves in the world with its new parent.
    Local,
    /// The world transform: the local one is computed again, in double precision.
    World,
}
