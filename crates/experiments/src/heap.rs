//! How much memory something has, as the allocator counts it.
//!
//! A front that reports memory makes [`Counting`] its global allocator. It counts while a [`Meter`] runs, and otherwise
//! asks one flag and passes calls on.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

static RUNNING: AtomicBool = AtomicBool::new(false);
static IN_USE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator, which counts blocks as glibc cuts them on 64-bit machines: 8 bytes of its own for each, a
/// multiple of 16 for both, and 32 at least. Allocators by size classes take about as much.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

fn block(size: usize) -> isize {
    (size + 8).next_multiple_of(16).max(32).cast_signed()
}

fn count(bytes: isize) {
    if RUNNING.load(Relaxed) {
        let in_use = IN_USE.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(in_use, Relaxed);
    }
}

// SAFETY: every call is passed on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(block(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(block(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-block(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(block(size) - block(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Makes something, and returns it with the bytes that it has in use; 0 where the allocator does not count.
pub fn held<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let mut meter = Meter::default();
    let made = meter.during(make);
    (made, meter.in_use())
}

/// Counts what one side has allocated, over any number of calls. One meter runs at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    in_use: isize,
    peak: isize,
}

impl Meter {
    /// Counts what is allocated and freed meanwhile.
    pub fn during<R>(&mut self, work: impl FnOnce() -> R) -> R {
        IN_USE.store(self.in_use, Relaxed);
        PEAK.store(self.peak, Relaxed);
        RUNNING.store(true, Relaxed);
        let result = work();
        RUNNING.store(false, Relaxed);
        *self = Self { in_use: IN_USE.load(Relaxed), peak: PEAK.load(Relaxed) };
        result
    }

    /// The bytes in use at the end of the last call; 0 where the allocator does not count.
    pub fn in_use(&self) -> usize {
        usize::try_from(self.in_use).unwrap_or(0)
    }

    /// The most bytes that were in use at a time.
    pub fn peak(&self) -> usize {
        usize::try_from(self.peak).unwrap_or(0)
    }
}
