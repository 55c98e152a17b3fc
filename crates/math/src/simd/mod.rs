//! What kernels share: the level that the machine has, transposes, prefetches. Kernels lie beside their data.
//!
//! Every level evaluates the same expressions in the same order, without fused multiply-add: the same inputs give the
//! same bits on each.

pub(crate) mod floats;
pub mod level;
pub mod vectors;
pub mod whole;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Asks for the cache line where an element begins. A hint that changes nothing else.
#[inline(always)]
pub fn prefetch<T>(array: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(array, index);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, index);
}

/// The same for an element that is used much later: into the second level, which waits for more lines at a time than the
/// first. To gather records in random order takes a quarter less time.
#[inline(always)]
pub fn prefetch_far<T>(array: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch_far(array, index);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, index);
}

/// Asks for all cache lines that an element lies in: of one of 48 bytes, such as a matrix, often two.
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
