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
