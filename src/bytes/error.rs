//! Errors of reading bytes.

use std::collections::TryReserveError;

/// Why bytes cannot be read. Nothing was changed by the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BytesError {
    Invalid { violation: &'static str },
    AllocationFailed,
}

impl BytesError {
    #[cold]
    pub(crate) const fn invalid(violation: &'static str) -> Self {
        Self::Invalid { violation }
    }
}

impl From<TryReserveError> for BytesError {
    #[cold]
    fn from(_: TryReserveError) -> Self {
        Self::AllocationFailed
    }
}

/// Returns [`BytesError::invalid`] unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $violation:expr) => {
        if !$holds {
            return Err($crate::bytes::BytesError::invalid($violation));
        }
    };
}
pub(crate) use ensure;
