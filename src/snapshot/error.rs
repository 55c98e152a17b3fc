//! The errors of snapshots.

use crate::Error;
use crate::bytes::BytesError;
use core::fmt;
use hedgerow_math::internal::file_header::Unread;
use std::collections::TryReserveError;
use std::io;

/// Why bytes cannot be loaded. The attempt changed nothing.
///
/// ```
/// use hedgerow::Scene;
/// use hedgerow::snapshot::SnapshotError;
///
/// let mut bytes = Scene::new().to_bytes();
/// bytes.pop();
/// assert!(matches!(Scene::from_bytes(&bytes), Err(SnapshotError::Length { .. })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not start with a snapshot's header.
    NotASnapshot,
    /// The bytes are newer than the crate, or older than its first release.
    Version {
        /// The version of the bytes.
        found: u32,
        /// The newest version that this crate reads.
        newest: u32,
    },
    /// The bytes are of another type.
    Kind {
        /// The name of the type that reads them, such as `"Tree"`.
        found: &'static str,
    },
    /// The snapshot is shorter or longer than it states.
    Length {
        /// The stated number of bytes; at least that of the header.
        expected: u64,
        /// The number of bytes present.
        found: u64,
    },
    /// The checksum does not match, so the bytes are damaged.
    Checksum,
    /// The bytes do not describe a valid scene or tree, although their checksum is right.
    Invalid {
        /// The violated condition.
        violation: &'static str,
    },
    /// The bytes cannot be read.
    Read(io::ErrorKind),
    /// There is not enough memory for the scene or the tree.
    AllocationFailed,
    /// The scene cannot be created: see [`Error`].
    Scene(Error),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASnapshot => {
                f.write_str("the bytes are not a snapshot; pass the result of the type's own to_bytes")
            }
            &Self::Version { found, newest } => Unread { found, newest }.fmt(f),
            Self::Kind { found } => write!(f, "the bytes are those of a {found}; read them with {found}::from_bytes"),
            Self::Length { expected, found } => {
                write!(f, "the snapshot should have {expected} bytes but has {found}; read the whole file again")
            }
            Self::Checksum => {
                f.write_str("the checksum of the snapshot is wrong; the file is damaged, use another copy")
            }
            Self::Invalid { violation } => {
                write!(f, "the bytes are not valid: {violation}; write them again")
            }
            Self::Read(reason) => write!(f, "the snapshot cannot be read: {reason}; check its source"),
            Self::AllocationFailed => Error::AllocationFailed.fmt(f),
            Self::Scene(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SnapshotError {}

impl From<BytesError> for SnapshotError {
    fn from(error: BytesError) -> Self {
        match error {
            BytesError::Invalid { violation } => Self::Invalid { violation },
            BytesError::AllocationFailed => Self::AllocationFailed,
        }
    }
}

impl From<TryReserveError> for SnapshotError {
    fn from(_: TryReserveError) -> Self {
        Self::AllocationFailed
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
