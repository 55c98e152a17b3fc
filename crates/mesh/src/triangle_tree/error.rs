//! The errors of a tree over triangles.

use core::fmt;
use hedgerow_math::internal::file_header::Unread;
use std::collections::TryReserveError;

/// The reason why triangles or bytes make no [`TriangleTree`](crate::TriangleTree).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TriangleTreeError {
    /// A triangle names a vertex that the mesh does not have.
    UnknownVertex {
        /// The triangle.
        triangle: u32,
    },
    /// A corner of a triangle is not finite.
    NotFinite {
        /// The triangle.
        triangle: u32,
    },
    /// There are more than 2³⁰ triangles.
    TooManyTriangles(usize),
    /// The mesh has another number of triangles than the tree.
    OtherMesh {
        /// The number of triangles of the tree.
        expected: usize,
        /// The number of triangles of the mesh.
        found: usize,
    },
    /// The bytes do not start with the header of a tree.
    NotATree,
    /// The bytes are newer than the crate, or older than its first release.
    Version {
        /// The version of the bytes.
        found: u32,
        /// The newest version that this crate reads.
        newest: u32,
    },
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
    /// There is not enough memory.
    AllocationFailed,
}

impl fmt::Display for TriangleTreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownVertex { triangle } => {
                write!(f, "triangle {triangle} has an index out of range; pass the positions of its mesh")
            }
            Self::NotFinite { triangle } => write!(f, "triangle {triangle} is not finite; check the positions"),
            Self::TooManyTriangles(count) => write!(f, "{count} triangles are more than 2^30; split the mesh"),
            Self::OtherMesh { expected, found } => {
                write!(f, "the mesh has {found} triangles, the tree {expected}; build a tree for this mesh")
            }
            Self::NotATree => f.write_str("the bytes are no triangle tree; pass the result of TriangleTree::to_bytes"),
            &Self::Version { found, newest } => Unread { found, newest }.fmt(f),
            Self::Length { expected, found } => {
                write!(f, "the triangle tree should have {expected} bytes but has {found}; read the whole file again")
            }
            Self::Checksum => {
                f.write_str("the checksum of the triangle tree is wrong; the file is damaged, use another copy")
            }
            Self::Invalid(violation) => {
                write!(f, "the bytes are not a valid triangle tree: {violation}; build the tree again")
            }
            Self::AllocationFailed => f.write_str("out of memory for the triangle tree; free some, and load it again"),
        }
    }
}

impl core::error::Error for TriangleTreeError {}

impl From<TryReserveError> for TriangleTreeError {
    fn from(_: TryReserveError) -> Self {
        Self::AllocationFailed
    }
}
