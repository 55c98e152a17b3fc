//! The errors of the crate.

use core::fmt;
use hedgerow::{Error, NodeHandle, edit::BatchError};

/// Why an operation on sockets, boxes of joints, rigs or players failed. Nothing was changed.
///
/// ```
/// use hedgerow::{Scene, Transform};
/// use hedgerow_character::{CharacterError, Sockets};
///
/// let scene = Scene::new();
/// let refused = Sockets::new().insert(&scene, scene.root(), 0, 5, Transform::IDENTITY);
/// assert_eq!(refused, Err(CharacterError::NoParent(scene.root())));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CharacterError {
    /// The node has no parent with a joint to follow, or is anchored.
    NoParent(NodeHandle),
    /// A joint has no matrix, or the skin does not have the joint.
    NoJoint {
        /// The joint.
        joint: u16,
        /// The number of matrices.
        matrices: usize,
    },
    /// The matrix of the joint that a node follows, or its product with the offset, is not finite.
    NotFinite {
        /// The node.
        node: NodeHandle,
    },
    /// A list with entries for each vertex has the wrong length.
    Length {
        /// The name of the list.
        what: &'static str,
        /// The expected number of items, or a number that must divide `found`.
        expected: usize,
        /// The number of items found.
        found: usize,
    },
    /// A position, a morph delta or a weight of a vertex is not finite, or a weight is negative.
    Vertex {
        /// The name of the value: position, morph delta or weight.
        what: &'static str,
        /// The vertex.
        vertex: usize,
    },
    /// A clip is for a rig that is not in the list.
    NoRig {
        /// The number of the rig.
        rig: usize,
        /// The number of rigs.
        count: usize,
    },
    /// A player does not have this animation.
    NoAnimation {
        /// The number of the animation.
        animation: usize,
        /// The number of animations.
        count: usize,
    },
    /// A player has more than 65,534 animations.
    TooManyAnimations,
    /// The scene rejected the edit.
    Scene(Error),
    /// The pose is invalid.
    Pose(hedgerow_anim::Error),
}

impl fmt::Display for CharacterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoParent(node) => {
                write!(
                    f,
                    "{node:?} has no parent, or is anchored; put it below the node of its character, and release it"
                )
            }
            Self::NoJoint { joint, matrices } => {
                write!(
                    f,
                    "joint {joint} is out of range of {matrices} matrices; pass those of the whole skeleton, or the \
                     skin of these joints"
                )
            }
            Self::NotFinite { node } => {
                write!(f, "the joint that {node:?} follows has no finite matrix; check the pose before the call")
            }
            Self::Length { what, expected, found } => {
                write!(f, "{found} {what} were passed for {expected} vertices; pass the same number for each vertex")
            }
            Self::Vertex { what, vertex } => {
                write!(f, "the {what} of vertex {vertex} must be finite, weights at least zero; check the mesh")
            }
            Self::NoRig { rig, count } => {
                write!(
                    f,
                    "rig {rig} of the clip is out of range of {count} rigs; pass the list that the clip was made for"
                )
            }
            Self::NoAnimation { animation, count } => {
                write!(f, "animation {animation} is out of range of {count}; pass it when the player is made")
            }
            Self::TooManyAnimations => write!(f, "a player has at most 65,534 animations"),
            Self::Scene(error) => error.fmt(f),
            Self::Pose(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CharacterError {}

impl From<Error> for CharacterError {
    fn from(error: Error) -> Self {
        Self::Scene(error)
    }
}

impl From<BatchError> for CharacterError {
    fn from(refused: BatchError) -> Self {
        Self::Scene(refused.error)
    }
}

impl From<hedgerow_anim::Error> for CharacterError {
    fn from(error: hedgerow_anim::Error) -> Self {
        Self::Pose(error)
    }
}
