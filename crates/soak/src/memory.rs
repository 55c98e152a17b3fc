//! Counts the allocated memory.
#![allow(unsafe_code, reason = "allocations cannot be counted otherwise")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator. It counts for each thread the bytes that the thread allocated minus those that it freed.
struct Counting;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// Adds to the count and subtracts from it; the count is negative if a thread frees what another thread allocated.
fn count(more: usize, less: usize) {
    BYTES.set(BYTES.get().wrapping_add(more).wrapping_sub(less));
}

// SAFETY: every call is passed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's obligations are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: the caller's obligations are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: the caller's obligations are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the bytes that this thread has allocated and not freed.
pub(crate) fn allocated() -> usize {
    BYTES.get()
}
