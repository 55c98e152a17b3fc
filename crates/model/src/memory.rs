//! An allocator that counts and refuses, and loops over every refusal.
//!
//! A test program makes [`Heap`] its global allocator. All counts are those of the thread.
#![allow(unsafe_code, reason = "memory can be neither counted nor refused otherwise")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator. Counts the allocations of a thread, and the bytes that it uses. On request, refuses one
/// allocation of the thread, or all beyond a limit.
pub struct Heap;

thread_local! {
    /// The number of allocations so far.
    pub static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// The bytes in use. The count wraps if a thread frees what another thread allocated.
    pub static IN_USE: Cell<usize> = const { Cell::new(0) };
    /// The number of allocations left, including the one to refuse; 0 refuses none.
    pub static REMAINING: Cell<usize> = const { Cell::new(0) };
    /// The least size in bytes of the allocations that `REMAINING` counts, and a size that it does not count.
    pub static COUNTED: Cell<(usize, usize)> = const { Cell::new((0, usize::MAX)) };
    /// The limit of bytes in use, and the least number of bytes in use that a refused allocation would have made.
    static LIMIT: Cell<(usize, usize)> = const { Cell::new((usize::MAX, usize::MAX)) };
    /// The greatest number of bytes in use since the start of a measurement, and at its end.
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static PEAK_AT_END: Cell<Option<usize>> = const { Cell::new(None) };
}

impl Heap {
    /// Counts an allocation. Returns false if it is to be refused.
    fn count(size: usize) -> bool {
        let (least, but) = COUNTED.get();
        if size >= least && size != but {
            let remaining = REMAINING.get();
            REMAINING.set(remaining.saturating_sub(1));
            if remaining == 1 {
                return false;
            }
        }
        let ((most, lacked), wanted) = (LIMIT.get(), IN_USE.get().wrapping_add(size));
        if wanted > most {
            LIMIT.set((most, lacked.min(wanted)));
            return false;
        }
        IN_USE.set(wanted);
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        if wanted.wrapping_sub(PEAK.get()).cast_signed() > 0 {
            PEAK.set(wanted);
        }
        true
    }
}

// SAFETY: every call is passed on unchanged or refused; the trait's own `realloc` uses these functions.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Self::count(layout.size()) {
            return core::ptr::null_mut();
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !Self::count(layout.size()) {
            return core::ptr::null_mut();
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.set(IN_USE.get().wrapping_sub(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Starts a measurement. Returns the bytes in use.
pub fn begin() -> usize {
    PEAK_AT_END.set(None);
    PEAK.set(IN_USE.get());
    IN_USE.get()
}

/// Ends the measurement: memory is then used by the caller of the read value, not by reading.
pub fn end() {
    PEAK_AT_END.set(Some(PEAK_AT_END.get().unwrap_or(PEAK.get())));
}

/// Returns the greatest number of bytes that this thread used until the end of the measurement, beyond `before`.
pub fn peak_since(before: usize) -> usize {
    let peak = PEAK_AT_END.get().unwrap_or(PEAK.get());
    usize::try_from(peak.wrapping_sub(before).cast_signed()).unwrap_or(0)
}

/// Runs `attempt` with its first allocation refused, then its second, until none is left to refuse. Returns the final
/// result and the number of allocations.
#[cfg(feature = "scene")]
pub fn with_every_refusal<T, E: Into<hedgerow::snapshot::SnapshotError>>(
    mut attempt: impl FnMut() -> Result<T, E>,
) -> (T, usize) {
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
                let out_of_memory = hedgerow::snapshot::SnapshotError::Read(std::io::ErrorKind::OutOfMemory);
                assert!(refused, "allocation {number} was not refused: {error}");
                assert!(
                    error == hedgerow::snapshot::SnapshotError::AllocationFailed || error == out_of_memory,
                    "{error}"
                );
            }
        }
        assert_eq!(IN_USE.get(), before, "memory is lost where allocation {number} is refused");
    }
    unreachable!("the numbers do not end")
}

/// Runs `attempt` with each limit that is too low. Returns the final result and the number of limits.
///
/// Before infallible allocations, `attempt` reserves as much fallibly. A limit just below the need refuses that.
#[cfg(feature = "scene")]
pub fn with_every_limit<T, E: Into<hedgerow::snapshot::SnapshotError>>(
    mut attempt: impl FnMut() -> Result<T, E>,
) -> (T, usize) {
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
                let out_of_memory = hedgerow::snapshot::SnapshotError::Read(std::io::ErrorKind::OutOfMemory);
                assert!(
                    error == hedgerow::snapshot::SnapshotError::AllocationFailed || error == out_of_memory,
                    "{error}"
                );
            }
        }
        assert_eq!(IN_USE.get(), before, "memory is lost where there are {limit} bytes");
        assert!(lacked > limit + before && lacked < usize::MAX, "{lacked} are refused where there are {limit}");
        limit = lacked - before;
    }
    unreachable!("the numbers do not end")
}
