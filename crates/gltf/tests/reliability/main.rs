//! Imports without memory and of hostile files. One program, apart from the other tests, because its allocator counts and
//! refuses. All counts are those of a thread.

mod exhaustion;
mod hostile;

use hedgerow_testkit::memory::Heap;

#[global_allocator]
static HEAP: Heap = Heap;
