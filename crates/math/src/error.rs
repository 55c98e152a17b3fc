//! The errors of invalid values.

use core::fmt;

/// Numbers that are not a valid transform, box, frustum, ray or sphere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A number is not finite, or is out of its range.
    NotFinite(&'static str),
    /// A rotation or a direction of length zero.
    NotRotation,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(what) => write!(f, "{what} must be finite; check the numbers before the call"),
            Self::NotRotation => {
                f.write_str("no rotation has this direction; pass a quaternion that is not zero, or a target elsewhere")
            }
        }
    }
}

impl core::error::Error for Error {}
