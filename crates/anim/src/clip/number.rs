//! Identifies the clip that a pose shows.

use core::num::NonZeroU64;
use core::sync::atomic::{AtomicU64, Ordering};

/// A number that is unique to a clip in the process. Clones of the clip have the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClipNumber(NonZeroU64);

impl ClipNumber {
    /// Returns a number that no other clip has.
    pub(super) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NonZeroU64::new(NEXT.fetch_add(1, Ordering::Relaxed)).expect("nobody counts to 2^64"))
    }
}
