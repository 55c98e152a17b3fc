//! What a snapshot can be refused for.

use crate::record::BytesError;
use crate::{Error, edit::BatchError};
use core::fmt;
use std::io;

/// Why bytes cannot be loaded. Nothing was changed by the attempt.
///
/// ```
/// use hedgerow::Scene;
/// use hedgerow::snapshot::SnapshotError;
///
/// let mut bytes = Scene::new().save();
/// bytes.pop();
/// assert!(matches!(Scene::load(&bytes), Err(SnapshotError::Length { .. })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin as a snapshot does.
    NotASnapshot,
    /// The snapshot is of a version that this one of the crate does not know.
    Version(u32),
    /// A whole scene where a subtree is asked for, or the other way round.
    Kind {
        /// Whether a whole scene was asked for.
        whole: bool,
    },
    /// The snapshot is shorter or longer than it says.
    Length {
        /// How many bytes it says that it has; at least the header's.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The bytes are not those that were written.
    Checksum,
    /// What the bytes describe is no scene, though their checksum is right.
    Invalid {
        /// The slice that it is about, where it is about one.
        slice: Option<u32>,
        /// What does not hold.
        violation: &'static str,
    },
    /// The bytes cannot be read.
    Read(io::ErrorKind),
    /// The allocator has no memory for what the bytes describe.
    AllocationFailed,
    /// The scene has no place for the subtree: see [`Error`].
    Scene(Error),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASnapshot => f.write_str("the bytes are no snapshot; pass what Scene::save answered"),
            Self::Version(found) => write!(
                f,
                "the snapshot has version {found}, and this crate reads version {}; load it with the crate that wrote it",
                super::VERSION
            ),
            Self::Kind { whole: true } => {
                f.write_str("the snapshot holds a subtree, not a whole scene; load it with load_subtree")
            }
            Self::Kind { whole: false } => {
                f.write_str("the snapshot holds a whole scene, not a subtree; load it with Scene::load")
            }
            Self::Length { expected, found } => {
                write!(f, "the snapshot is {expected} bytes long and {found} are there; read the whole file again")
            }
            Self::Checksum => {
                f.write_str("the checksum of the snapshot is wrong; the file is damaged, use another copy")
            }
            Self::Invalid { slice: Some(slice), violation } => {
                write!(f, "the snapshot describes no scene: in slice {slice}, {violation}; write it again")
            }
            Self::Invalid { slice: None, violation } => {
                write!(f, "the snapshot describes no scene: {violation}; write it again")
            }
            Self::Read(reason) => write!(f, "the snapshot cannot be read: {reason}; check where it comes from"),
            Self::AllocationFailed => Error::AllocationFailed.fmt(f),
            Self::Scene(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SnapshotError {}

impl From<BytesError> for SnapshotError {
    fn from(error: BytesError) -> Self {
        match error {
            BytesError::Invalid { slice, violation } => Self::Invalid { slice, violation },
            BytesError::AllocationFailed => Self::AllocationFailed,
        }
    }
}

impl From<Error> for SnapshotError {
    fn from(error: Error) -> Self {
        match error {
            Error::AllocationFailed => Self::AllocationFailed,
            error => Self::Scene(error),
        }
    }
}

impl From<BatchError> for SnapshotError {
    fn from(refused: BatchError) -> Self {
        refused.error.into()
    }
}
