//! Failing allocations, forged handles, hostile bytes, panics in user code, and memory over long runs. A program apart
//! from the other tests, because its allocator counts and refuses memory. It counts by thread, so tests run side by
//! side.

mod exhaustion;
#[cfg(feature = "serde")]
mod handles;
mod hostile;
mod panics;
mod steady;

use hedgerow_testkit::memory::Heap;

#[global_allocator]
static HEAP: Heap = Heap;
