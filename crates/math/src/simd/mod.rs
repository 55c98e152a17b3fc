//! Kernels that run at the machine's best level, chosen at run time.
//!
//! Every level evaluates the same expressions in the same order, without fused multiply-add: the same inputs give the
//! same bits on each.

pub mod boxes;
mod floats;
pub mod level;
mod propagate;
pub mod vectors;
#[cfg(target_arch = "x86_64")]
pub mod x86;

pub use propagate::{propagate, propagate_dirty};

/// Asks for the cache line where an element begins. A hint that changes nothing else.
#[inline(always)]
pub fn prefetch<T>(array: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(array, index);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, index);
}

/// Asks for all cache lines that an element lies in: of one of 48 bytes, such as a row, often two.
#[inline(always)]
pub fn prefetch_whole<T>(array: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch_whole(array, index);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, index);
}
