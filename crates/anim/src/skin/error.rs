//! What skinning can refuse.

use crate::Error;
use core::fmt;

/// Why a skin, a mesh or a call to skin it is refused. Nothing was changed or written by the attempt.
///
/// Arrives as [`Error::Skin`].
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
    /// A skin has not as many inverse bind matrices as joints.
    InverseBinds {
        /// How many joints there are.
        joints: usize,
        /// How many matrices there are.
        found: usize,
    },
    /// An inverse bind matrix has a number that is not finite.
    InverseBind {
        /// The joint's place in the skin.
        joint: usize,
    },
    /// More joints than influences can number.
    TooManyJoints {
        /// How many there are.
        joints: usize,
    },
    /// There are too few model matrices for the joints of a skin.
    Models {
        /// How many it takes at least.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A palette, or the place for one, has not the right length.
    Palette {
        /// How many matrices it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A list that says something about each vertex or index has not the right length.
    Length {
        /// What the list is.
        what: &'static str,
        /// How many items it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A mesh with more vertices than indices of 32 bits can number.
    TooManyVertices {
        /// How many there are.
        vertices: usize,
    },
    /// A vertex has a number that is not finite.
    NotFinite {
        /// What the number belongs to.
        what: &'static str,
        /// The vertex.
        vertex: usize,
    },
    /// A weight is negative, infinite or not a number.
    Weight {
        /// The vertex.
        vertex: usize,
        /// Its weight at fault.
        weight: f32,
    },
    /// A vertex follows a joint that the skin does not have.
    Joint {
        /// The vertex.
        vertex: usize,
        /// The joint that it follows.
        joint: u16,
        /// How many joints the skin has.
        joints: usize,
    },
    /// An index names a vertex that the mesh does not have.
    Index {
        /// The place in the list of indices.
        place: usize,
        /// What it says there.
        index: u32,
        /// How many vertices the mesh has.
        vertices: usize,
    },
    /// A weight of a morph target is infinite or not a number.
    MorphWeight {
        /// The target.
        target: usize,
        /// Its weight.
        weight: f32,
    },
    /// Something is asked for that the mesh was built without.
    Absent {
        /// What the mesh lacks.
        what: &'static str,
    },
    /// Bytes are none of this.
    WrongKind(&'static str),
    /// Bytes are of a version that this one of the crate does not know.
    Version(u32),
    /// There are more or fewer bytes than were written.
    FileLength {
        /// How many were written.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// Some bytes are not those that were written.
    Checksum,
    /// What bytes describe makes no sense, though their checksum is right.
    Malformed(&'static str),
    /// A list of visible characters names one that the batch does not have.
    Character {
        /// The character.
        character: u32,
        /// How many the batch has.
        characters: usize,
    },
}

impl fmt::Display for SkinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InverseBinds { joints, found } => write!(
                f,
                "the skin has {joints} joints and {found} inverse bind matrices; pass one for each joint, the identity \
                 where a file has none"
            ),
            Self::InverseBind { joint } => {
                write!(f, "the inverse bind matrix of joint {joint} of the skin is not finite; bind the mesh again")
            }
            Self::TooManyJoints { joints } => {
                write!(f, "{joints} joints are more than 65,536; split the mesh into several with a skin each")
            }
            Self::Models { expected, found } => write!(
                f,
                "the skin follows {expected} joints and there are {found} model matrices; pass those of the skeleton \
                 that it was made for"
            ),
            Self::Palette { expected, found } => {
                write!(f, "the palette has {found} matrices instead of {expected}; pass one for each joint of the skin")
            }
            Self::Length { what, expected, found } => {
                write!(f, "{found} {what} were passed where {expected} belong; pass as many as the mesh has")
            }
            Self::TooManyVertices { vertices } => {
                write!(f, "{vertices} vertices are more than an index of 32 bits numbers; split the mesh")
            }
            Self::NotFinite { what, vertex } => {
                write!(f, "{what} of vertex {vertex} are not finite; mend the mesh before it is built")
            }
            Self::Weight { vertex, weight } => write!(
                f,
                "a weight of vertex {vertex} is {weight}; weights must be finite and at least zero, their sum is put right"
            ),
            Self::Joint { vertex, joint, joints } => write!(
                f,
                "vertex {vertex} follows joint {joint} and the skin has {joints}; give it one of these, or weight zero"
            ),
            Self::Index { place, index, vertices } => {
                write!(f, "index {place} names vertex {index} and the mesh has {vertices}; pass all of the vertices")
            }
            Self::MorphWeight { target, weight } => {
                write!(f, "the weight of morph target {target} is {weight}; pass one that is finite")
            }
            Self::WrongKind(what) => write!(f, "the bytes are no {what}; pass what its to_bytes returned"),
            Self::Version(found) => {
                write!(
                    f,
                    "the bytes have version {found}, which this crate does not read; load them with the crate that wrote them"
                )
            }
            Self::FileLength { expected, found } => {
                write!(f, "there are {found} bytes instead of {expected}; the file is cut or joined, use another copy")
            }
            Self::Checksum => f.write_str("the checksum is wrong; the file is damaged, use another copy"),
            Self::Malformed(violation) => write!(f, "the bytes make no sense: {violation}; save them again"),
            Self::Absent { what } => write!(f, "the mesh has no {what}; build it with them, or do not ask for them"),
            Self::Character { character, characters } => write!(
                f,
                "character {character} is visible and the batch has {characters}; cull the characters of this batch"
            ),
        }
    }
}

impl core::error::Error for SkinError {}

impl From<SkinError> for Error {
    fn from(error: SkinError) -> Self {
        Self::Skin(error)
    }
}
