//! Numbers that are unique in a process: for data outside a scene that must know which scene it was made for.

use core::sync::atomic::{AtomicU64, Ordering};

/// A number that is returned only once in this process.
pub(crate) fn unique_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The identity of a scene. A clone has another identity from the start, since each is edited on its own.
#[derive(Debug)]
pub(in crate::store) struct Identity(u64);

impl Identity {
    pub(in crate::store) fn new() -> Self {
        Self(unique_number())
    }

    pub(in crate::store) fn number(&self) -> u64 {
        self.0
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::new()
    }
}
