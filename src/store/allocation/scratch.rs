//! Memory for the temporary lists of one edit.

use bumpalo::Bump;
use std::sync::{Mutex, PoisonError};

/// The most memory that is kept from edit to edit.
const KEPT: usize = 1 << 20;

/// An arena in which an edit allocates its temporary lists, and which frees all of them at once.
///
/// The lock is never contended: it is opened by `get_mut`, and only makes the scene `Sync`.
#[derive(Default)]
pub(in crate::store) struct Scratch(Mutex<Bump>);

impl Scratch {
    /// Takes the arena, which [`Self::give_back`] returns. An edit nested in this one gets another arena.
    pub(in crate::store) fn take(&mut self) -> Bump {
        core::mem::take(self.0.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Frees all lists of an edit, and keeps their memory if it is small.
    pub(in crate::store) fn give_back(&mut self, mut arena: Bump) {
        arena.reset();
        if arena.allocated_bytes() <= KEPT {
            *self.0.get_mut().unwrap_or_else(PoisonError::into_inner) = arena;
        }
    }

    /// The bytes that are kept from edit to edit.
    pub(in crate::store) fn bytes(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).allocated_bytes()
    }
}

/// A clone starts with an empty arena.
impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_arena_is_kept_and_a_large_one_is_freed() {
        let mut scratch = Scratch::default();
        for (used, kept) in [(1000, true), (KEPT + 1, false), (1000, true)] {
            let arena = scratch.take();
            assert_eq!(scratch.bytes(), 0, "the edit has it");
            arena.alloc_slice_fill_copy(used, 1_u8);
            scratch.give_back(arena);
            assert_eq!(scratch.bytes() >= used, kept, "{used} bytes");
            assert!(scratch.bytes() <= KEPT);
        }
    }
}
