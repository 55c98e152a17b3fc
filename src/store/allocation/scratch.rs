//! Memory for lists that live as long as one edit.

use bumpalo::Bump;
use core::fmt;
use std::sync::{Mutex, PoisonError};

/// No more memory than this is kept from edit to edit.
const KEPT: usize = 1 << 20;

/// One arena from which an edit takes its passing lists, and gives all of them back at once.
///
/// Behind a lock that nobody ever waits for: it is opened by `get_mut`, and there so that a scene may be shared between threads.
#[derive(Default)]
pub(in crate::store) struct Scratch(Mutex<Bump>);

impl Scratch {
    /// The arena, to be given back by [`Self::give_back`]; another edit within that one gets another.
    pub(in crate::store) fn take(&mut self) -> Bump {
        core::mem::take(self.0.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Frees all lists of an edit, and keeps their memory if it is little.
    pub(in crate::store) fn give_back(&mut self, mut arena: Bump) {
        arena.reset();
        if arena.allocated_bytes() <= KEPT {
            *self.0.get_mut().unwrap_or_else(PoisonError::into_inner) = arena;
        }
    }

    /// The bytes that are kept.
    pub(in crate::store) fn bytes(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).allocated_bytes()
    }
}

/// A clone begins without any.
impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scratch")
    }
}
