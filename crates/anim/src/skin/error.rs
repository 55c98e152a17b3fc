//! The errors of skinning.

use crate::Error;
use crate::skin::SkinId;
use core::fmt;
use hedgerow_math::internal::file_header::Unread;
use std::collections::TryReserveError;

/// The reason why a skin or mesh is invalid, or why a call failed. A failed call changes and writes nothing.
///
/// Returned as [`Error::Skin`].
///
/// ```
/// use hedgerow_anim::{Error, Skin, skin::SkinError};
///
/// let Err(Error::Skin(error)) = Skin::new(vec![0, 1], vec![]) else { unreachable!() };
/// assert_eq!(error, SkinError::InverseBinds { joints: 2, found: 0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SkinError {
    /// A skin has more or fewer inverse bind matrices than joints.
    InverseBinds {
        /// The number of joints.
        joints: usize,
        /// The number of matrices.
        found: usize,
    },
    /// An inverse bind matrix is not finite, or the model matrix of a joint in the rest pose has no inverse.
    InverseBind {
        /// The joint's number in the skin.
        joint: u16,
    },
    /// There are more than 65,536 joints.
    TooManyJoints {
        /// The number of joints.
        joints: usize,
    },
    /// There are too few model matrices for the joints of a skin.
    Models {
        /// The least number of matrices needed.
        expected: usize,
        /// The number of matrices.
        found: usize,
    },
    /// A palette, or the slice for a palette, has the wrong length.
    Palette {
        /// The expected number of matrices.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// The palette or skin does not match the skin that the mesh was built for.
    OtherSkin {
        /// The skin that the mesh was built for.
        expected: SkinId,
        /// The skin that was passed.
        found: SkinId,
    },
    /// The skin has more or fewer joints than the skin that the mesh was built for.
    SkinJoints {
        /// The number of joints that the mesh was built for.
        expected: usize,
        /// The skin's number of joints.
        found: usize,
    },
    /// A list with entries for each vertex or index has the wrong length.
    Length {
        /// The name of the list.
        what: &'static str,
        /// The expected number of items.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// A mesh has more vertices than 32-bit indices can number.
    TooManyVertices {
        /// The number of vertices.
        vertices: usize,
    },
    /// A vertex has a number that is not finite.
    NotFinite {
        /// The name of the list that has the number.
        what: &'static str,
        /// The vertex.
        vertex: usize,
    },
    /// A weight is negative, infinite or NaN.
    Weight {
        /// The vertex.
        vertex: usize,
        /// The invalid weight.
        weight: f32,
    },
    /// A vertex follows a joint that the skin does not have.
    Joint {
        /// The vertex.
        vertex: usize,
        /// The joint that the vertex follows.
        joint: u16,
        /// The skin's number of joints.
        joints: usize,
    },
    /// An index refers to a vertex that the mesh does not have.
    Index {
        /// The place in the list of indices.
        place: usize,
        /// The index.
        index: u32,
        /// The mesh's number of vertices.
        vertices: usize,
    },
    /// A weight of a morph target is NaN, or its absolute value is greater than
    /// [`MAX_WEIGHT`](crate::blend::MAX_WEIGHT).
    MorphWeight {
        /// The target.
        target: usize,
        /// The weight.
        weight: f32,
    },
    /// Normals or tangents are requested, but the mesh was built without them.
    Absent {
        /// The name of the missing list.
        what: &'static str,
    },
    /// The number of frames a second of a clip to [bake](crate::Skin::bake) is not finite and positive, or gives more than
    /// 2²⁴ matrices.
    BakedFrames {
        /// The number of frames a second.
        frames_per_second: f32,
    },
    /// The bytes are not of the named kind: a skin or a skinned mesh.
    WrongKind(&'static str),
    /// The bytes are newer than the crate, or older than its first release.
    Version {
        /// The version of the bytes.
        found: u32,
        /// The newest version that this crate reads.
        newest: u32,
    },
    /// There are more or fewer bytes than the header states.
    FileLength {
        /// The length in the header, in bytes.
        expected: u64,
        /// The number of bytes.
        found: u64,
    },
    /// The checksum does not match, so the bytes are damaged.
    Checksum,
    /// The content is invalid, although the checksum is right.
    Malformed(&'static str),
    /// An allocation for the skin or the mesh failed.
    AllocationFailed,
    /// There is no character with this number in the batch.
    Character {
        /// The number of the character.
        character: u32,
        /// The batch's number of characters.
        characters: usize,
    },
}

impl fmt::Display for SkinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InverseBinds { joints, found } => write!(
                f,
                "the skin has {joints} joints but {found} inverse bind matrices; pass one for each joint, the identity \
                 where a file has none"
            ),
            Self::InverseBind { joint } => {
                write!(
                    f,
                    "joint {joint} of the skin has no finite inverse bind matrix; bind it at a scale other than zero"
                )
            }
            Self::TooManyJoints { joints } => {
                write!(f, "{joints} joints are more than 65,536; split the mesh into several with a skin each")
            }
            Self::Models { expected, found } => write!(
                f,
                "the skin needs {expected} model matrices, but {found} were passed; pass those of the skin's skeleton"
            ),
            Self::Palette { expected, found } => {
                write!(f, "the palette has {found} matrices instead of {expected}; pass one for each joint of the skin")
            }
            Self::OtherSkin { expected, found } => write!(
                f,
                "the mesh is for {expected:?} and not for {found:?}; make the palette with the skin for which the mesh \
                 was built"
            ),
            Self::SkinJoints { expected, found } => {
                write!(f, "the mesh follows a skin of {expected} joints and not of {found}; build it for this skin")
            }
            Self::Length { what, expected, found } => {
                write!(f, "{found} {what} were passed, but {expected} are expected; pass as many as the mesh has")
            }
            Self::TooManyVertices { vertices } => {
                write!(f, "{vertices} vertices are more than 32-bit indices can number; split the mesh")
            }
            Self::NotFinite { what, vertex } => {
                write!(f, "{what} of vertex {vertex} are not finite; repair the mesh before it is built")
            }
            Self::Weight { vertex, weight } => write!(
                f,
                "a weight of vertex {vertex} is {weight}; weights must be finite and at least zero, with any sum"
            ),
            Self::Joint { vertex, joint, joints } => write!(
                f,
                "vertex {vertex} follows joint {joint} but the skin has {joints}; give it one of these, or weight zero"
            ),
            Self::Index { place, index, vertices } => {
                write!(f, "index {place} is vertex {index} but the mesh has {vertices}; pass all of the vertices")
            }
            Self::MorphWeight { target, weight } => {
                write!(f, "the weight of morph target {target} is {weight}; pass one from -1,000,000 to 1,000,000")
            }
            Self::BakedFrames { frames_per_second } => write!(
                f,
                "the clip cannot be baked at {frames_per_second} frames a second; pass a positive number, 15 to 30 for \
                 most clips"
            ),
            Self::WrongKind(what) => write!(f, "the bytes are not a {what}; pass the result of its to_bytes"),
            &Self::Version { found, newest } => Unread { found, newest }.fmt(f),
            Self::FileLength { expected, found } => {
                write!(
                    f,
                    "the data has {found} bytes instead of {expected}; the file is truncated or joined, use another copy"
                )
            }
            Self::Checksum => f.write_str("the checksum is wrong; the file is damaged, use another copy"),
            Self::Malformed(violation) => {
                write!(f, "the bytes are not a valid skin or mesh: {violation}; save them again")
            }
            Self::AllocationFailed => {
                f.write_str("out of memory for the skin or the mesh; free some, and build it again")
            }
            Self::Absent { what } => write!(f, "the mesh has no {what}; build it with them, or do not ask for them"),
            Self::Character { character, characters } => write!(
                f,
                "character {character} is visible but the batch has {characters}; cull the characters of this batch"
            ),
        }
    }
}

impl core::error::Error for SkinError {}

impl From<TryReserveError> for SkinError {
    fn from(_: TryReserveError) -> Self {
        Self::AllocationFailed
    }
}

impl From<SkinError> for Error {
    fn from(error: SkinError) -> Self {
        Self::Skin(error)
    }
}
