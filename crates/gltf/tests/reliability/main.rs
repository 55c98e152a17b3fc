//! Imports without memory, and imports of hostile files. A program apart from the other tests, because its allocator
//! counts and refuses memory. It counts by thread, so tests run side by side.

mod exhaustion;
mod hostile;

use hedgerow_testkit::memory::Heap;

#[global_allocator]
static HEAP: Heap = Heap;
