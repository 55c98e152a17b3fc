//! The errors of invalid values.

use core::fmt;

/// The reason why a transform, box, frustum, ray or sphere is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A number is not finite, or is outside the range that the call accepts.
    NotFinite(&'static str),
    /// A rotation or a direction of length zero.
    NotRotation,
    /// A matrix whose fourth row is not `[0, 0, 0, 1]`.
    NotAffine,
    /// A view-projection matrix without an inverse.
    Singular,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(what) => write!(f, "{what} must be finite; check the numbers before the call"),
            Self::NotRotation => {
                f.write_str("the rotation is undefined; pass a nonzero quaternion, or a target elsewhere")
            }
            Self::NotAffine => {
                f.write_str("the fourth row of the matrix is not 0, 0, 0, 1; pass a transform, not a projection")
            }
            Self::Singular => f.write_str(
                "the view-projection matrix has no inverse; pass the product of a projection and the inverse of a camera's place",
            ),
        }
    }
}

impl core::error::Error for Error {}
