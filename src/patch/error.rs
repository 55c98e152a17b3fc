//! Why patches are refused.

use crate::Error;
use crate::edit::BatchError;
use crate::patch::Field;
use core::fmt;

/// Why a patch cannot be made or applied. Nothing was changed by the attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PatchError {
    /// A field has another value than the patch starts from: the patch was made for another state, or applied before.
    State {
        /// The node's id.
        id: u64,
        /// The field.
        field: Field,
    },
    /// A node that the patch changes is not there: it was removed or detached.
    Gone {
        /// The node's id.
        id: u64,
    },
    /// A node would be inserted whose id another one has: the patch was applied before, or two writers gave one id.
    IdInUse {
        /// The id.
        id: u64,
    },
    /// A node would go below or behind one that is not there.
    Missing {
        /// The node's id.
        id: u64,
        /// The id of the missing node.
        missing: u64,
    },
    /// A node would go below itself: two patches were merged that move nodes below each other.
    Cycle {
        /// The node's id.
        id: u64,
    },
    /// A node would be removed whose child stays.
    NotEmpty {
        /// The node's id.
        id: u64,
        /// The child's id.
        child: u64,
    },
    /// No two trees differ by these entries.
    Invalid {
        /// The node's id.
        id: u64,
        /// The violated condition.
        violation: &'static str,
    },
    /// The scene refuses an edit.
    Scene {
        /// The id of the node to edit.
        id: u64,
        /// Why.
        error: Error,
    },
    /// A scene would refuse the tree.
    Tree(BatchError),
    /// A recorder cannot read the scene.
    Read(Error),
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State { id, field } => write!(
                f,
                "{field:?} of node {id} is not what the patch starts from; apply the patch to the state it was made from"
            ),
            Self::Gone { id } => write!(f, "node {id} is not there; apply the patch to the state it was made from"),
            Self::IdInUse { id } => write!(
                f,
                "node {id} would be inserted, but a node with this id is there; apply the patch once, and give each writer \
                 ids of its own with Instance::begin_ids_at"
            ),
            Self::Missing { id, missing } => {
                write!(f, "node {id} goes to node {missing}, which is not there; take all entries of {id} out")
            }
            Self::Cycle { id } => write!(f, "node {id} goes below itself; take its move out"),
            Self::NotEmpty { id, child } => {
                write!(f, "node {id} is removed, and its child {child} is not; remove or move the child, too")
            }
            Self::Invalid { id, violation } => write!(f, "node {id}: {violation}; make the patch again"),
            Self::Scene { id, error } => write!(f, "node {id}: {error}"),
            Self::Tree(error) => write!(f, "the tree is refused: {error}"),
            Self::Read(error) => write!(f, "the scene cannot be read: {error}"),
        }
    }
}

impl core::error::Error for PatchError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Scene { error, .. } | Self::Read(error) => Some(error),
            Self::Tree(error) => Some(error),
            _ => None,
        }
    }
}
