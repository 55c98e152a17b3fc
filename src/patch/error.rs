//! Why patches are refused.

use crate::Error;
use crate::edit::BatchError;
use crate::patch::Field;
use core::fmt;

/// Why a patch cannot be made or applied. Nothing was changed by the attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PatchError {
    /// A field does not have the value `before`, because the patch is for another state or is already applied.
    State {
        /// The node's id.
        id: u64,
        /// The field.
        field: Field,
    },
    /// A node that the patch changes is missing, because it was removed or detached.
    Gone {
        /// The node's id.
        id: u64,
    },
    /// The id of a new node is in use, because the patch was applied before or two writers assigned the same id.
    IdInUse {
        /// The id.
        id: u64,
    },
    /// The new parent or previous sibling of a node is missing.
    Missing {
        /// The node's id.
        id: u64,
        /// The id of the missing node.
        missing: u64,
    },
    /// A node would move below itself, because one merged patch moves node A below B and the other moves B below A.
    Cycle {
        /// The node's id.
        id: u64,
    },
    /// A node would be removed, but not its child.
    NotEmpty {
        /// The node's id.
        id: u64,
        /// The child's id.
        child: u64,
    },
    /// These entries are not the difference of any two trees.
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
        /// The error that the scene returned.
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
                "{field:?} of node {id} differs from the patch's old value; apply the patch to the state it was made from"
            ),
            Self::Gone { id } => write!(f, "node {id} does not exist; apply the patch to the state it was made from"),
            Self::IdInUse { id } => write!(
                f,
                "node {id} cannot be inserted, because its id is in use; apply the patch once, and give each writer \
                 ids of its own with Instance::begin_ids_at"
            ),
            Self::Missing { id, missing } => {
                write!(f, "node {id} moves to node {missing}, which does not exist; remove all entries of {id}")
            }
            Self::Cycle { id } => write!(f, "node {id} moves below itself; remove its move"),
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
