//! The errors of this crate.

use crate::{raw::ClipError, skeleton::SkeletonError, skin::SkinError};
use core::fmt;

/// The reason why a call failed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A number or a rotation passed to a call is invalid.
    Math(hedgerow_math::Error),
    /// A track or a clip is invalid, or bytes are not a clip.
    Clip(ClipError),
    /// Joints or bytes are not a valid skeleton, or a skeleton does not match a pose.
    Skeleton(SkeletonError),
    /// A skin or a skinned mesh is invalid, or a call that uses one failed.
    Skin(SkinError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Math(error) => error.fmt(f),
            Self::Clip(error) => error.fmt(f),
            Self::Skeleton(error) => error.fmt(f),
            Self::Skin(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Error {}

impl From<hedgerow_math::Error> for Error {
    fn from(error: hedgerow_math::Error) -> Self {
        Self::Math(error)
    }
}
