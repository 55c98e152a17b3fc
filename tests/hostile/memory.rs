//! The greatest memory that a thread uses.

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

// SAFETY: every call is passed on unchanged; the trait's own `realloc` uses these functions.
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

/// Starts a measurement. Returns the bytes in use.
pub(crate) fn begin() -> isize {
    NOTED.set(None);
    PEAK.set(IN_USE.get());
    IN_USE.get()
}

/// Ends the measurement: memory is then used by the caller of the read value, not by reading.
pub(crate) fn end() {
    NOTED.set(Some(NOTED.get().unwrap_or(PEAK.get())));
}

/// Returns the greatest number of bytes that this thread used until the end of the measurement, beyond `before`.
pub(crate) fn peak_since(before: isize) -> usize {
    usize::try_from(NOTED.get().unwrap_or(PEAK.get()) - before).unwrap_or(0)
}
