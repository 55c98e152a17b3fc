//! What must not break a scene: no memory, forged handles, bytes that were changed, panics of the caller, long runs. One
//! program, apart from the other tests, because its allocator counts and refuses. All counts are those of a thread.

mod exhaustion;
#[cfg(feature = "serde")]
mod handles;
mod hostile;
mod panics;
mod steady;

use hedgerow_testkit::memory::Heap;

#[global_allocator]
static HEAP: Heap = Heap;
