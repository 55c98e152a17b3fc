//! Which scene it is: for data outside a scene that must know which one it was made for.

use crate::unique::unique_number;

/// The identity of a scene. A clone has another identity from the start, since each is edited on its own.
#[derive(Debug)]
pub(in crate::store) struct Identity(u64);

impl Identity {
    pub(in crate::store) fn new() -> Self {
        Self(unique_number().get())
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
