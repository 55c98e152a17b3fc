//! Numbers that are unique in a process, so that other data can name the scene or queue to which it belongs.

use core::num::NonZeroU64;
use core::sync::atomic::{AtomicU64, Ordering};

/// Returns a number that is unique in this process.
pub(crate) fn unique_number() -> NonZeroU64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NonZeroU64::new(NEXT.fetch_add(1, Ordering::Relaxed)).expect("nobody counts to 2^64")
}
