//! Memory use, as counted by the allocator.
//!
//! A front that reports memory makes [`Counting`] its global allocator, which counts only while a [`Meter`] runs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

static RUNNING: AtomicBool = AtomicBool::new(false);
static IN_USE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator. It counts blocks as glibc cuts them on 64-bit machines: 8 extra bytes per block, rounded up
/// to a multiple of 16, and at least 32. Allocators with size classes use about as much.
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
        // SAFETY: the caller's obligations are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(block(layout.size()));
        // SAFETY: the caller's obligations are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-block(layout.size()));
        // SAFETY: the caller's obligations are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(block(size) - block(layout.size()));
        // SAFETY: the caller's obligations are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Returns the result of `make` and the bytes that it has allocated; 0 bytes if [`Counting`] is not the allocator.
pub fn held<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let mut meter = Meter::default();
    let made = meter.during(make);
    (made, meter.in_use())
}

/// Counts the allocations of one side over any number of calls. Only one meter may run at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    in_use: isize,
    peak: isize,
}

impl Meter {
    /// Runs `work`, and counts its allocations and frees.
    pub fn during<R>(&mut self, work: impl FnOnce() -> R) -> R {
        IN_USE.store(self.in_use, Relaxed);
        PEAK.store(self.peak, Relaxed);
        RUNNING.store(true, Relaxed);
        let result = work();
        RUNNING.store(false, Relaxed);
        *self = Self { in_use: IN_USE.load(Relaxed), peak: PEAK.load(Relaxed) };
        result
    }

    /// Returns the bytes in use at the end of the last call; 0 if [`Counting`] is not the allocator.
    pub fn in_use(&self) -> usize {
        usize::try_from(self.in_use).unwrap_or(0)
    }

    /// Returns the maximum of the bytes in use at any time.
    pub fn peak(&self) -> usize {
        usize::try_from(self.peak).unwrap_or(0)
    }
}
