//! Shared parts of kernels: the SIMD level of the machine, transposes, prefetches. Kernels are in the modules of their
//! data.
//!
//! Every level evaluates the same expressions in the same order, without fused multiply-add: the same inputs give the
//! same bits on each.

pub(crate) mod floats;
pub mod level;
pub mod vectors;
pub mod whole;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Prefetches the cache line in which an element begins. A hint that has no other effect.
#[inline(always)]
pub fn prefetch<T>(array: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(array, index);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, index);
}

/// [`prefetch`] for an element used much later: prefetches into the second-level cache, which can wait for more lines
/// at a time than the first. Gathering records in random order takes a quarter less time with it.
#[inline(always)]
pub fn prefetch_far<T>(array: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch_far(array, index);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, index);
}

/// Prefetches all cache lines of an element: often two, if it has 48 bytes, like a matrix.
#[inline(always)]
pub fn prefetch_whole<T>(array: &[T], index: usize) {
    prefetch_many(array, index, 1);
}

/// Asks for all cache lines that so many elements lie in, from one on.
#[inline(always)]
pub(crate) fn prefetch_many<T>(array: &[T], index: usize, count: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch_many(array, index, count);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, index, count);
}
