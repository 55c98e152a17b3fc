//! The errors of scene edits and of batches.
//!
//! Other parts have their own errors, such as [`SnapshotError`](crate::snapshot::SnapshotError). All are plain values.

use crate::NodeHandle;
use core::fmt;

/// Why a query or an edit of a scene failed, or why a configuration is invalid. A call that fails changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The handle's node was removed, or the handle belongs to another scene.
    StaleHandle(NodeHandle),
    /// The root can neither be removed nor moved, and has no siblings.
    RootIsFixed,
    /// The root of a detached subtree has no siblings.
    BesideDetached(NodeHandle),
    /// A place in a list of moves has an index or is next to a node that moves, so other moves could change the place.
    PlaceInList(crate::Place),
    /// The index of a [`Place::Child`](crate::Place::Child) is greater than the number of the parent's children.
    IndexOutOfRange {
        /// The parent.
        parent: NodeHandle,
        /// The index.
        index: usize,
        /// The greatest valid index: the number of the parent's children, not counting the node that moves.
        children: usize,
    },
    /// The new parent is the moved node itself or is below it.
    WouldCycle {
        /// The node to be moved.
        node: NodeHandle,
        /// The place's parent, inside the subtree of `node`.
        parent: NodeHandle,
    },
    /// A number is not finite.
    NotFinite(&'static str),
    /// A rotation without a direction: a zero quaternion, or a look-at whose target is the node's own position.
    NotRotation,
    /// A matrix whose fourth row is not `[0, 0, 0, 1]`.
    NotAffine,
    /// The world transform cannot be kept or set, because the parent's world transform has no inverse. A local
    /// transform of the parent or an ancestor is singular, or the product of these transforms exceeds double precision.
    ///
    /// A local transform is singular if its three axes span at most 10⁻¹² of the volume that perpendicular axes of the
    /// same lengths would span. A transform of translation, rotation and scale is singular only if a scale is zero. A
    /// matrix is singular if one axis is within about 10⁻¹² rad of the plane of the other two. It is also singular if
    /// all three axes are within about 10⁻⁶ rad of one line.
    Singular(NodeHandle),
    /// The world transform cannot be kept or set, because the local transform that this parent requires is too small.
    /// The smallest normal number of single precision is 1.2 × 10⁻³⁸. Rounding would cost an axis more than its last
    /// digit, or the translation more than the resolution at the world position.
    Underflow(NodeHandle),
    /// The world transform cannot be kept or set, because the local transform that this parent requires, or the world
    /// matrix, would exceed single precision (3.4 × 10³⁸). The handle is the parent's, if any, else the node's.
    Overflow(NodeHandle),
    /// The node has no transform of its own; set one first.
    NoTransform(NodeHandle),
    /// The node's local transform is a matrix that translation, rotation and scale cannot express; set its
    /// [`nearest_transform`](crate::Mat34::nearest_transform), for example.
    Sheared(NodeHandle),
    /// The node has no drawable; set one first.
    NoDrawable(NodeHandle),
    /// The ticket's insert is not in the applied queue, or comes later in the queue.
    UnknownTicket(crate::handle::Queued),
    /// In a [`Tree`](crate::Tree), the parent of a node does not come before the node.
    UnknownParent,
    /// A node's description has a translation in double precision, but no local transform.
    NoLocal,
    /// The scene has no world boxes, so it cannot answer spatial queries: see
    /// [`SceneConfig::bounds`](crate::SceneConfig::bounds).
    NoBounds,
    /// The scene does not track changes: see [`SceneConfig::changes`](crate::SceneConfig::changes).
    NoChanges,
    /// The scene has edits since its last update.
    NotUpdated,
    /// A configuration value is invalid.
    InvalidConfig {
        /// The field of [`SceneConfig`](crate::SceneConfig).
        field: &'static str,
        /// What the field accepts.
        expected: &'static str,
    },
    /// Invalid distances of [levels](crate::query::LevelsOfDetail) or of a [view range](crate::ViewRange), and why.
    InvalidDistances(&'static str),
    /// All 2³⁰ node records are in use or retired, or too few are left for the request; or a call has over 32 views.
    CapacityOverflow,
    /// The checkpoints belong to another scene, or newer ones of this scene took over. A clone and a loaded scene are
    /// other scenes: see [`Checkpoints`](crate::checkpoints::Checkpoints).
    OtherScene,
    /// There is no checkpoint of this frame: it was dropped, or was never saved.
    NoCheckpoint(u64),
    /// A checkpoint is to be saved for a frame before that of the newest one.
    FrameBefore {
        /// The frame to be saved.
        frame: u64,
        /// The frame of the newest checkpoint.
        newest: u64,
    },
    /// An allocation failed. [`Scene::try_reserve`](crate::Scene::try_reserve),
    /// [`Scene::from_bytes`](crate::Scene::from_bytes), imports, [checkpoints](crate::checkpoints) and
    /// [picks](crate::Scene::pick) return this error. All other calls, including the update at the end of a load, abort
    /// the process if there is no memory.
    AllocationFailed,
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
                write!(f, "{root:?} is the root of a detached subtree and has no siblings; move it into the tree first")
            }
            Self::PlaceInList(place) => {
                write!(
                    f,
                    "a list of moves cannot use {place:?}; pass a place beside a node that stays, below a node, or use reparent"
                )
            }
            Self::IndexOutOfRange { parent, index, children } => {
                write!(f, "index {index} is out of range for a child of {parent:?}; pass one from 0 to {children}")
            }
            Self::WouldCycle { node, parent } if node == parent => {
                write!(f, "{node:?} cannot be below itself; pass another parent")
            }
            Self::WouldCycle { node, parent } => {
                write!(f, "{parent:?} is in the subtree of {node:?}; move it out of there first")
            }
            Self::NotFinite(what) => write!(f, "{what} must be finite; check the numbers before the call"),
            Self::NotRotation => {
                f.write_str("the rotation is undefined; pass a nonzero quaternion, or a target elsewhere")
            }
            Self::NotAffine => {
                f.write_str("the fourth row of the matrix is not 0, 0, 0, 1; pass a transform, not a projection")
            }
            Self::Singular(parent) => write!(
                f,
                "the world transform of {parent:?} has no inverse; give it and its ancestors nonzero scales, or keep the local transform"
            ),
            Self::Underflow(parent) => write!(
                f,
                "the local transform for the parent {parent:?} is too small for single precision; make the scales of both nodes more similar, or keep the local transform"
            ),
            Self::Overflow(parent) => write!(
                f,
                "a transform below {parent:?} is too large for single precision; give it and its ancestors smaller scales and translations, or keep the local transform"
            ),
            Self::NoTransform(node) => write!(f, "{node:?} has no transform; set one with set_local"),
            Self::Sheared(node) => {
                write!(
                    f,
                    "the local transform of {node:?} is a matrix that shears or is flat; set its nearest_transform with set_local"
                )
            }
            Self::NoDrawable(node) => write!(f, "{node:?} has no drawable; set one with set_drawable"),
            Self::UnknownTicket(ticket) => {
                write!(
                    f,
                    "{ticket:?} names no insert applied before this edit; append the queue that recorded it first"
                )
            }
            Self::UnknownParent => f.write_str("the parent does not come before the node; push the parent first"),
            Self::NoLocal => {
                f.write_str("a translation in double precision needs a local transform; give the node one")
            }
            Self::NoBounds => f.write_str(
                "the scene keeps no world boxes; make it with SceneConfig { bounds: true, .. }, or give lists an eye",
            ),
            Self::NotUpdated => f.write_str("the scene has edits since its last update; call update() first"),
            Self::NoChanges => {
                f.write_str("the scene does not track changes; make it with SceneConfig { changes: true, .. }")
            }
            Self::InvalidConfig { field, expected } => write!(f, "SceneConfig::{field} must be {expected}"),
            Self::InvalidDistances(expected) => f.write_str(expected),
            Self::CapacityOverflow => {
                f.write_str("too many nodes for one scene, or views for one call; use several scenes or calls")
            }
            Self::OtherScene => f.write_str(
                "the checkpoints belong to another scene, or newer ones took over; make new ones with Checkpoints::new",
            ),
            Self::NoCheckpoint(frame) => {
                write!(f, "frame {frame} has no checkpoint; restore one of Checkpoints::frames, or keep more")
            }
            Self::FrameBefore { frame, newest } => {
                write!(f, "frame {frame} is before {newest}, the newest checkpoint; restore an earlier one first")
            }
            Self::AllocationFailed => f.write_str("out of memory; reserve less"),
        }
    }
}

impl core::error::Error for Error {}

impl From<hedgerow_math::Error> for Error {
    fn from(error: hedgerow_math::Error) -> Self {
        match error {
            hedgerow_math::Error::NotRotation => Self::NotRotation,
            hedgerow_math::Error::NotFinite(what) => Self::NotFinite(what),
            hedgerow_math::Error::NotAffine => Self::NotAffine,
            hedgerow_math::Error::Singular => Self::NotFinite("the inverse of a view-projection matrix"),
            _ => Self::NotFinite("a value"),
        }
    }
}

/// Why a batch (a list of edits, or a [`Tree`](crate::Tree)) failed. `?` converts it to an [`Error`]. Nothing has
/// changed, except that [`Scene::set_locals`](crate::Scene::set_locals) has set the items before the failed one.
///
/// ```
/// use hedgerow::edit::BatchError;
/// use hedgerow::{Error, Scene};
///
/// let mut scene = Scene::new();
/// let refused = scene.remove_many(&[scene.root()]);
/// assert_eq!(refused, Err(BatchError { item: Some(0), error: Error::RootIsFixed }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchError {
    /// The index of the invalid item; `None` if the error is not about one item, for example if there is no memory.
    pub item: Option<usize>,
    /// The error.
    pub error: Error,
}

impl BatchError {
    #[cold]
    pub(crate) const fn at(item: usize, error: Error) -> Self {
        Self { item: Some(item), error }
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.item {
            Some(item) => write!(f, "item {item} of the list: {}", self.error),
            None => self.error.fmt(f),
        }
    }
}

impl core::error::Error for BatchError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl From<BatchError> for Error {
    /// Drops the index of the item.
    fn from(refused: BatchError) -> Self {
        refused.error
    }
}

impl From<Error> for BatchError {
    fn from(error: Error) -> Self {
        Self { item: None, error }
    }
}
