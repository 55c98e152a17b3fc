//! Prefetches for x86-64.
#![allow(unsafe_code, reason = "a prefetch goes through a pointer")]

use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// See [`prefetch`](super::prefetch).
#[inline(always)]
pub(super) fn prefetch<T>(array: &[T], index: usize) {
    let address = array.as_ptr().wrapping_add(index).cast::<i8>();
    // SAFETY: a prefetch of any address, mapped or not, has no effect that a program can observe; SSE is part of
    // x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
}

/// See [`prefetch_whole`](super::prefetch_whole).
#[inline(always)]
pub(super) fn prefetch_whole<T>(array: &[T], index: usize) {
    const LINE: usize = 64;
    let first = array.as_ptr().wrapping_add(index).cast::<i8>();
    let last = size_of::<T>().saturating_sub(1);
    for offset in (0..last).step_by(LINE).chain([last]) {
        // SAFETY: as in `prefetch`.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(offset)) };
    }
}
