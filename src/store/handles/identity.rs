//! Numbers that are given once in a process: for what is kept outside a scene and must know what it was made of.

use core::sync::atomic::{AtomicU64, Ordering};

/// A number that nothing else in the process was given, nor will be.
pub(crate) fn unique_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Which scene this is. A clone is another scene from the start, since each is edited on its own.
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
