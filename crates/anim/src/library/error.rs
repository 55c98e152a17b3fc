//! Errors of reading a library.

use crate::raw::ClipError;
use crate::skeleton::SkeletonError;
use crate::skin::SkinError;
use core::fmt;
use std::collections::TryReserveError;
use std::io;

/// The reason why bytes are not a library.
///
/// ```
/// use hedgerow_anim::library::{Library, LibraryError};
/// use hedgerow_anim::Error;
///
/// let refused = Library::from_bytes(b"hedgehog").unwrap_err();
/// assert_eq!(refused, Error::Library(LibraryError::NotALibrary));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LibraryError {
    /// The bytes do not start with the header of a library.
    NotALibrary,
    /// The bytes have a version that this crate does not read.
    Version(u32),
    /// There are more or fewer bytes than the header states.
    Length {
        /// The number of bytes that the header states.
        expected: u64,
        /// The number of bytes present.
        found: u64,
    },
    /// The checksum does not match, so the bytes are damaged.
    Checksum,
    /// The content is invalid, although the checksum is right.
    Invalid(&'static str),
    /// A skeleton in the library is invalid.
    Skeleton {
        /// The value's number, counted from 0.
        number: usize,
        /// The value's error.
        error: SkeletonError,
    },
    /// A clip in the library is invalid.
    Clip {
        /// The value's number, counted from 0.
        number: usize,
        /// The value's error.
        error: ClipError,
    },
    /// A skin in the library is invalid.
    Skin {
        /// The value's number, counted from 0.
        number: usize,
        /// The value's error.
        error: SkinError,
    },
    /// A skinned mesh in the library is invalid.
    Mesh {
        /// The value's number, counted from 0.
        number: usize,
        /// The value's error.
        error: SkinError,
    },
    /// Reading failed.
    Read(io::ErrorKind),
    /// There is not enough memory.
    AllocationFailed,
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotALibrary => f.write_str("the bytes are no library; pass what Library::to_bytes returned"),
            Self::Version(found) => write!(
                f,
                "the library has version {found}, and this crate reads version {}; load it with the crate that wrote it",
                super::bytes::VERSION
            ),
            Self::Length { expected, found } => {
                write!(
                    f,
                    "the library has {found} bytes instead of {expected}; the file is cut or joined, use another copy"
                )
            }
            Self::Checksum => {
                f.write_str("the checksum of the library is wrong; the file is damaged, use another copy")
            }
            Self::Invalid(violation) => write!(f, "the library makes no sense: {violation}; save it again"),
            Self::Skeleton { number, error } => write!(f, "skeleton {number} of the library: {error}"),
            Self::Clip { number, error } => write!(f, "clip {number} of the library: {error}"),
            Self::Skin { number, error } => write!(f, "skin {number} of the library: {error}"),
            Self::Mesh { number, error } => write!(f, "skinned mesh {number} of the library: {error}"),
            Self::AllocationFailed => f.write_str("there is no memory for the library; free some, and load it again"),
            Self::Read(kind) => write!(f, "the library cannot be read: {kind}; look at the file or the connection"),
        }
    }
}

impl core::error::Error for LibraryError {}

impl From<TryReserveError> for LibraryError {
    fn from(_: TryReserveError) -> Self {
        Self::AllocationFailed
    }
}

impl From<LibraryError> for crate::Error {
    fn from(error: LibraryError) -> Self {
        Self::Library(error)
    }
}
