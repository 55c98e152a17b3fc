//! Passes on several threads (feature `rayon`): updates, searches and listings, slice by slice.
//!
//! Each slice is worked on by one thread, in the same way as without threads, and what comes of it has its place before or
//! is put together in order afterwards: results are the same to the bit, whatever the number of threads. What is too little
//! to be worth the trouble is answered as such, and done by the caller on its own thread.

mod listing;
mod search;
mod update;

/// A caller outside of the pool gives all of its work away, and waits for threads that may sleep: that pays where there is
/// so many times as much to do.
const OUTSIDE: usize = 4;

/// Whether so much is worth sharing, if `least` is for a thread of the pool, and there are threads to share it with.
fn is_worth_sharing(amount: usize, least: usize) -> bool {
    let least = if rayon::current_thread_index().is_some() { least } else { OUTSIDE * least };
    amount >= least && rayon::current_num_threads() > 1
}
