//! What bytes of a library can be refused for.

use crate::raw::ClipError;
use crate::skeleton::SkeletonError;
use crate::skin::SkinError;
use core::fmt;
use std::collections::TryReserveError;
use std::io;

/// Why bytes are not a library.
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
    /// The bytes do not start like a library.
    NotALibrary,
    /// The bytes have a version that this version of the crate does not know.
    Version(u32),
    /// There are more or fewer bytes than the header states.
    Length {
        /// How many were written.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The checksum does not match: the bytes are damaged.
    Checksum,
    /// The bytes do not describe a valid library, although their checksum is right.
    Invalid(&'static str),
    /// A skeleton in the library is invalid.
    Skeleton {
        /// Its number, counted from 0.
        number: usize,
        /// What is wrong with it.
        error: SkeletonError,
    },
    /// A clip in the library is invalid.
    Clip {
        /// Its number, counted from 0.
        number: usize,
        /// What is wrong with it.
        error: ClipError,
    },
    /// A skin in the library is invalid.
    Skin {
        /// Its number, counted from 0.
        number: usize,
        /// What is wrong with it.
        error: SkinError,
    },
    /// A skinned mesh in the library is invalid.
    Mesh {
        /// Its number, counted from 0.
        number: usize,
        /// What is wrong with it.
        error: SkinError,
    },
    /// Reading failed.
    Read(io::ErrorKind),
    /// There is no memory for the library, or for a value in it.
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
