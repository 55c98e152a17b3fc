//! One test binary, which links once.

mod blends;
mod clips;
mod errors;
mod events;
mod ik;
mod poses;
mod raw_clips;
mod reduction;
mod root_motion;
mod skeletons;
mod skinning;
mod threads;

#[global_allocator]
static HEAP: hedgerow_testkit::memory::Heap = hedgerow_testkit::memory::Heap;
