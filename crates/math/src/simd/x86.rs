//! Prefetches for x86-64.
#![allow(unsafe_code, reason = "a prefetch goes through a pointer")]

use core::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};

/// See [`prefetch`](super::prefetch).
#[inline(always)]
pub(super) fn prefetch<T>(array: &[T], index: usize) {
    line_at::<_MM_HINT_T0>(array.as_ptr().wrapping_add(index).cast());
}

/// See [`prefetch_far`](super::prefetch_far).
#[inline(always)]
pub(super) fn prefetch_far<T>(array: &[T], index: usize) {
    line_at::<_MM_HINT_T1>(array.as_ptr().wrapping_add(index).cast());
}

/// See [`prefetch_many`](super::prefetch_many).
#[inline(always)]
pub(super) fn prefetch_many<T>(array: &[T], index: usize, count: usize) {
    const LINE: usize = 64;
    let first = array.as_ptr().wrapping_add(index).cast::<i8>();
    let last = (size_of::<T>() * count).saturating_sub(1);
    // If the count is known, the compiler unrolls a loop over one range, but not over a chain of two ranges.
    for line in 0..=last.div_ceil(LINE) {
        line_at::<_MM_HINT_T0>(first.wrapping_add(last.min(line * LINE)));
    }
}

/// Prefetches the cache line of an address.
#[inline(always)]
fn line_at<const HINT: i32>(address: *const i8) {
    // SAFETY: a prefetch of any address, even an invalid one, has no effect that a program can observe, and SSE is part
    // of x86-64.
    unsafe { _mm_prefetch::<HINT>(address) };
}
