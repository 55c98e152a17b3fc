//! An allocator that refuses, and attempts with every refusal.

use hedgerow::snapshot::SnapshotError;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io;

/// The system's allocator, which on request refuses one allocation of a thread, or all that are too much together, and
/// counts what the thread has in use.
struct Refusing;

thread_local! {
    /// How many allocations are left, including the refused one; 0 refuses none.
    pub(crate) static REMAINING: Cell<usize> = const { Cell::new(0) };
    /// Of how many bytes at least, and of how many not, the allocations are that count above.
    pub(crate) static COUNTED: Cell<(usize, usize)> = const { Cell::new((0, usize::MAX)) };
    pub(crate) static IN_USE: Cell<usize> = const { Cell::new(0) };
    /// How many bytes may be in use, and how many the least allocation that was refused for it would have made.
    pub(crate) static LIMIT: Cell<(usize, usize)> = const { Cell::new((usize::MAX, usize::MAX)) };
}

// SAFETY: every call is passed on unchanged or refused; `realloc` is the trait's own, which uses these two.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (least, but) = COUNTED.get();
        if layout.size() >= least && layout.size() != but {
            let remaining = REMAINING.get();
            REMAINING.set(remaining.saturating_sub(1));
            if remaining == 1 {
                return core::ptr::null_mut();
            }
        }
        let ((most, lacked), wanted) = (LIMIT.get(), IN_USE.get().wrapping_add(layout.size()));
        if wanted > most {
            LIMIT.set((most, lacked.min(wanted)));
            return core::ptr::null_mut();
        }
        IN_USE.set(IN_USE.get().wrapping_add(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.set(IN_USE.get().wrapping_sub(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Runs `attempt` with its first allocation refused, then with its second, until there are no more. Returns the final
/// result, and how many allocations there were.
pub(crate) fn with_every_refusal<T, E: Into<SnapshotError>>(mut attempt: impl FnMut() -> Result<T, E>) -> (T, usize) {
    for number in 1.. {
        let before = IN_USE.get();
        REMAINING.set(number);
        let result = attempt();
        let refused = REMAINING.replace(0) == 0;
        match result {
            Ok(made) if !refused => return (made, number - 1),
            // A list that asks for more than it needs may succeed with less.
            Ok(made) => drop(made),
            Err(error) => {
                let error = error.into();
                let out_of_memory = SnapshotError::Read(io::ErrorKind::OutOfMemory);
                assert!(refused, "allocation {number} was not refused: {error}");
                assert!(error == SnapshotError::AllocationFailed || error == out_of_memory, "{error}");
            }
        }
        assert_eq!(IN_USE.get(), before, "memory is lost where allocation {number} is refused");
    }
    unreachable!("the numbers do not end")
}

/// Runs `attempt` with less memory than it needs, by every amount of which it is told, and returns the result and how
/// many amounts there were.
///
/// What can only be allocated infallibly is asked for right before, so that an allocator that has so much and no more
/// refuses that.
pub(crate) fn with_every_limit<T, E: Into<SnapshotError>>(mut attempt: impl FnMut() -> Result<T, E>) -> (T, usize) {
    let mut limit = 0;
    for number in 0.. {
        let before = IN_USE.get();
        LIMIT.set((before + limit, usize::MAX));
        let result = attempt();
        let (_, lacked) = LIMIT.replace((usize::MAX, usize::MAX));
        match result {
            Ok(made) if lacked == usize::MAX => return (made, number),
            Ok(made) => drop(made),
            Err(error) => {
                let error = error.into();
                let out_of_memory = SnapshotError::Read(io::ErrorKind::OutOfMemory);
                assert!(error == SnapshotError::AllocationFailed || error == out_of_memory, "{error}");
            }
        }
        assert_eq!(IN_USE.get(), before, "memory is lost where there are {limit} bytes");
        assert!(lacked > limit + before && lacked < usize::MAX, "{lacked} are refused where there are {limit}");
        limit = lacked - before;
    }
    unreachable!("the numbers do not end")
}
