//! The errors of skeletons, poses and masks.

use crate::Error;
use core::fmt;
use hedgerow_math::internal::file_header::Unread;
use std::collections::TryReserveError;

/// The reason why joints or bytes are not a valid skeleton, or why a pose does not match.
///
/// Returned as [`Error::Skeleton`]. Errors of a builder use the builder's numbers for joints.
///
/// ```
/// use hedgerow_anim::{Error, SkeletonBuilder, skeleton::SkeletonError};
///
/// assert_eq!(SkeletonBuilder::new().build().unwrap_err(), Error::Skeleton(SkeletonError::NoJoints));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkeletonError {
    /// The builder has no joints.
    NoJoints,
    /// There are more joints than `u16` can number.
    TooManyJoints(usize),
    /// The parent of a joint does not exist.
    UnknownParent {
        /// The joint.
        joint: u16,
        /// The number given as its parent.
        parent: u16,
    },
    /// Two joints have no parent.
    SecondRoot {
        /// The first joint without a parent.
        root: u16,
        /// The second joint without a parent.
        joint: u16,
    },
    /// A joint is its own ancestor.
    Cycle {
        /// A joint on the cycle.
        joint: u16,
    },
    /// A number of a joint's rest transform is not finite.
    NotFinite {
        /// The joint.
        joint: u16,
    },
    /// The rotation of a joint's rest transform is a zero quaternion.
    NotRotation {
        /// The joint.
        joint: u16,
    },
    /// All names together are 4 GiB or longer.
    LongNames,
    /// The bytes do not start with the header of a skeleton.
    NotASkeleton,
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
    /// A pose, a list of matrices or a mask has the wrong number of joints.
    JointCount {
        /// The expected number of joints.
        expected: usize,
        /// The number of joints found.
        found: usize,
    },
    /// A weight is negative, not finite, or too great: above 1 for crossfades and masks, otherwise above
    /// [`MAX_WEIGHT`](crate::blend::MAX_WEIGHT).
    BadWeight,
    /// A joint is not a descendant of the joint that should be above it.
    NotBelow {
        /// The joint.
        joint: u16,
        /// The joint that is not above it.
        ancestor: u16,
    },
    /// There is no joint with this number.
    UnknownJoint {
        /// The number that was passed.
        joint: u16,
        /// The number of joints.
        joints: usize,
    },
}

impl fmt::Display for SkeletonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoJoints => f.write_str("a skeleton has at least one joint; give the builder a root"),
            Self::TooManyJoints(count) => {
                write!(f, "{count} joints are more than the 65,535 that a skeleton can number; split it")
            }
            Self::UnknownParent { joint, parent } => {
                write!(f, "parent {parent} of joint {joint} is not in the builder; add it, too")
            }
            Self::SecondRoot { root, joint } => {
                write!(f, "joint {joint} has no parent, like joint {root}; give both a common one")
            }
            Self::Cycle { joint } => write!(f, "joint {joint} is its own ancestor; give it another parent"),
            Self::NotFinite { joint } => {
                write!(f, "the rest transform of joint {joint} is not finite; check the numbers")
            }
            Self::NotRotation { joint } => {
                write!(f, "the rest rotation of joint {joint} is zero; pass a nonzero quaternion")
            }
            Self::LongNames => f.write_str("the names have 4 GiB or more; shorten them"),
            Self::NotASkeleton => f.write_str("the bytes are not a skeleton; pass the result of Skeleton::to_bytes"),
            &Self::Version { found, newest } => Unread { found, newest }.fmt(f),
            Self::Length { expected, found } => {
                write!(f, "the skeleton should have {expected} bytes but has {found}; read the whole file again")
            }
            Self::Checksum => {
                f.write_str("the checksum of the skeleton is wrong; the file is damaged, use another copy")
            }
            Self::Invalid(violation) => write!(f, "the bytes are not a valid skeleton: {violation}; write them again"),
            Self::AllocationFailed => f.write_str("out of memory for the skeleton; free some, and load it again"),
            Self::JointCount { expected, found } => {
                write!(f, "{found} joints were passed instead of {expected}; use data made for this skeleton")
            }
            Self::BadWeight => {
                f.write_str("a weight must be from 0 to 1 for a fade or a mask, and from 0 to 1,000,000 else; clamp it")
            }
            Self::NotBelow { joint, ancestor } => {
                write!(
                    f,
                    "joint {joint} is not below joint {ancestor}; pass joints of one limb, from the root outwards"
                )
            }
            Self::UnknownJoint { joint, joints } => {
                write!(f, "joint {joint} is out of range; pass one from 0 to below {joints}")
            }
        }
    }
}

impl core::error::Error for SkeletonError {}

impl From<TryReserveError> for SkeletonError {
    fn from(_: TryReserveError) -> Self {
        Self::AllocationFailed
    }
}

impl From<SkeletonError> for Error {
    fn from(error: SkeletonError) -> Self {
        Self::Skeleton(error)
    }
}
