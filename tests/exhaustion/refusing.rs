//! An allocator that refuses, and loops over every refusal.

use hedgerow::snapshot::SnapshotError;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io;

/// The system's allocator. Counts the bytes that a thread uses. On request, refuses one allocation of the thread, or
/// all beyond a limit.
struct Refusing;

thread_local! {
    /// The number of allocations left, including the one to refuse; 0 refuses none.
    pub(crate) static REMAINING: Cell<usize> = const { Cell::new(0) };
    /// The least size in bytes of the allocations that `REMAINING` counts, and a size that it does not count.
    pub(crate) static COUNTED: Cell<(usize, usize)> = const { Cell::new((0, usize::MAX)) };
    pub(crate) static IN_USE: Cell<usize> = const { Cell::new(0) };
    /// The limit of bytes in use, and the least number of bytes in use that a refused allocation would have made.
    pub(crate) static LIMIT: Cell<(usize, usize)> = const { Cell::new((usize::MAX, usize::MAX)) };
}

// SAFETY: every call is passed on unchanged or refused; the trait's own `realloc` uses these two.
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

/// Runs `attempt` with its first allocation refused, then its second, until none is left to refuse. Returns the final
/// result and the number of allocations.
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

/// Runs `attempt` with each limit that is too low. Returns the final result and the number of limits.
///
/// Before infallible allocations, `attempt` reserves as much fallibly. A limit just below the need refuses that.
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
