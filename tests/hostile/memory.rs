//! How much memory a thread has in use at most.

use core::cell::Cell;
use std::alloc::{GlobalAlloc, Layout, System};

struct Counting;

thread_local! {
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static NOTED: Cell<Option<isize>> = const { Cell::new(None) };
}

fn add(bytes: isize) {
    let now = IN_USE.get() + bytes;
    IN_USE.set(now);
    PEAK.set(PEAK.get().max(now));
}

#[expect(clippy::cast_possible_wrap, reason = "an allocation has at most `isize::MAX` bytes")]
fn signed(bytes: usize) -> isize {
    bytes as isize
}

// SAFETY: every call is passed on unchanged; `realloc` is the trait's own, which uses these two.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(signed(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(signed(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(-signed(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Begins to measure; returns what is in use now.
pub(crate) fn begin() -> isize {
    NOTED.set(None);
    PEAK.set(IN_USE.get());
    IN_USE.get()
}

/// Ends the measurement: what comes is no longer reading, but the use that the caller makes of what was read.
pub(crate) fn end() {
    NOTED.set(Some(NOTED.get().unwrap_or(PEAK.get())));
}

/// The greatest number of bytes that this thread had in use until the end of the measurement, beyond what it had
/// before.
pub(crate) fn peak_since(before: isize) -> usize {
    usize::try_from(NOTED.get().unwrap_or(PEAK.get()) - before).unwrap_or(0)
}
