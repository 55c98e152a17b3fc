//! The crate's one error type.

use crate::{NodeHandle, TreeFault};
use core::fmt;

/// What an edit, a configuration or an import can refuse. A refused call has changed nothing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The handle's node was removed, or the handle is not of this scene.
    StaleHandle(NodeHandle),
    /// The root can neither be removed nor moved, and has no siblings.
    RootIsFixed,
    /// The root of a detached subtree has no siblings.
    BesideDetached(NodeHandle),
    /// The node is not the root of a detached subtree.
    NotDetached(NodeHandle),
    /// The new parent is the moved node itself or lies below it.
    WouldCycle {
        /// The node that was to be moved.
        node: NodeHandle,
        /// The place's parent, inside the subtree of `node`.
        parent: NodeHandle,
    },
    /// A number that must be finite is not.
    NotFinite(&'static str),
    /// A rotation without a direction: a zero quaternion, or a look-at whose target is the node's own place.
    NotRotation,
    /// The world transform cannot be kept or set, because the parent's cannot be inverted: some local transform from the parent
    /// up to the root is flattened, or their product leaves double precision.
    ///
    /// The rule for each of them: the volume that the three axes of its linear part span must be more than 10⁻¹² of what axes
    /// of the same lengths span at right angles. Translation, rotation and scale pass unless a scale is zero, however small
    /// or uneven it is. A matrix passes if it turns one axis to within more than 10⁻¹² of the plane of the others, or two to
    /// within more than about 10⁻⁶ of the third.
    Singular(NodeHandle),
    /// The world transform cannot be kept or set, because the local one that it takes below this parent is too small: rounded
    /// to single precision, whose normal numbers end at 1.2 × 10⁻³⁸, an axis would lose more than the last of its digits, or
    /// the translation more than can be told at the place in the world.
    Underflow(NodeHandle),
    /// The node has no transform of its own; attach one first.
    NoTransform(NodeHandle),
    /// The node has no shape; attach one first.
    NoShape(NodeHandle),
    /// The insert of this ticket is not in the applied queue, or comes later in it.
    UnknownTicket(crate::Queued),
    /// An item of a batch is refused, and with it the batch.
    InBatch {
        /// The item's place in the list: the first one that is refused.
        index: usize,
        /// Why it is refused.
        error: Box<Self>,
    },
    /// A list of nodes makes no tree.
    InvalidTree {
        /// The number of the first node at fault, or of one on the cycle.
        index: usize,
        /// What is wrong there.
        fault: TreeFault,
    },
    /// The scene keeps no world boxes, so it cannot be asked what lies where.
    NoBounds,
    /// A configuration value makes no sense.
    InvalidConfig {
        /// The field of [`SceneConfig`](crate::SceneConfig).
        field: &'static str,
        /// What the field takes.
        expected: &'static str,
    },
    /// All 2²⁴ metadata tables are in use, or more rows were asked for than a slice can number.
    CapacityOverflow,
    /// The allocator refused.
    AllocationFailed,
    /// Bytes are no snapshot of a scene, or of a subtree.
    Snapshot(crate::SnapshotError),
    /// A track or a clip cannot be made, or bytes are no clip.
    Clip(crate::ClipError),
    /// Joints make no skeleton, bytes are none, or a pose or an instance does not fit one.
    Skeleton(crate::SkeletonError),
    /// A skin, a skinned mesh or a call to skin it makes no sense.
    Skin(crate::SkinError),
    /// An edit of a mesh set is refused.
    Mesh(crate::MeshError),
    /// A socket, or the boxes of joints, cannot be made or cannot follow.
    Character(crate::CharacterError),
    /// A glTF file cannot be imported.
    #[cfg(feature = "gltf")]
    Import(crate::import::ImportError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StaleHandle(handle) => {
                write!(f, "{handle:?} names no node of this scene; drop the handle, its node was removed")
            }
            Self::RootIsFixed => {
                f.write_str("the root cannot be removed or moved and has no siblings; edit its children instead")
            }
            Self::BesideDetached(root) => {
                write!(f, "{root:?} is the root of a detached subtree and has no siblings; attach it first")
            }
            Self::NotDetached(node) => {
                write!(f, "{node:?} is not the root of a detached subtree; detach it first, or move it with reparent")
            }
            Self::WouldCycle { node, parent } => {
                write!(f, "{parent:?} lies in the subtree of {node:?}; move it out of there first")
            }
            Self::NotFinite(what) => write!(f, "{what} must be finite; check the numbers before the call"),
            Self::NotRotation => {
                f.write_str("no rotation has this direction; pass a quaternion that is not zero, or a target elsewhere")
            }
            Self::Singular(parent) => write!(
                f,
                "the world transform of {parent:?} has no inverse; give it and what is above a scale that is not zero, or keep the local transform"
            ),
            Self::Underflow(parent) => write!(
                f,
                "the local transform that this takes below {parent:?} is too small for single precision; scale the two nodes more alike, or keep the local transform"
            ),
            Self::NoTransform(node) => write!(f, "{node:?} has no transform; attach one with add_transform"),
            Self::NoShape(node) => write!(f, "{node:?} has no shape; attach one with add_shape"),
            Self::UnknownTicket(ticket) => {
                write!(
                    f,
                    "{ticket:?} names no insert applied before this edit; append the queue that recorded it first"
                )
            }
            Self::InBatch { index, error } => write!(f, "item {index} of the batch: {error}"),
            Self::InvalidTree { index, fault } => match fault {
                TreeFault::NoRoot => f.write_str("the list is empty; push a node without a parent"),
                TreeFault::SecondRoot => write!(f, "node {index} has no parent, like one before it; give it one"),
                TreeFault::UnknownParent => write!(f, "the parent of node {index} is not in the list; push it, too"),
                TreeFault::Cycle => write!(f, "node {index} is its own ancestor; give it another parent"),
            },
            Self::NoBounds => {
                f.write_str("the scene keeps no world boxes; make it with SceneConfig { bounds: true, .. }")
            }
            Self::InvalidConfig { field, expected } => write!(f, "SceneConfig::{field} must be {expected}"),
            Self::CapacityOverflow => {
                f.write_str("the scene cannot number that many nodes; split it into several scenes")
            }
            Self::AllocationFailed => f.write_str("the allocator has no memory for this; reserve less"),
            Self::Snapshot(error) => error.fmt(f),
            Self::Clip(error) => error.fmt(f),
            Self::Skeleton(error) => error.fmt(f),
            Self::Skin(error) => error.fmt(f),
            Self::Mesh(error) => error.fmt(f),
            Self::Character(error) => error.fmt(f),
            #[cfg(feature = "gltf")]
            Self::Import(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::InBatch { error, .. } => Some(error),
            _ => None,
        }
    }
}
