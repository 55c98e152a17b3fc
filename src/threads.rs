//! Whether work is worth sharing among threads (feature `rayon`).

/// A caller outside of the pool gives all of its work away, and waits for threads that may sleep: that pays where there is
/// so many times as much to do.
const OUTSIDE: usize = 4;

/// Whether so much is worth sharing, if `least` is for a thread of the pool, and there are threads to share it with.
pub(crate) fn is_worth_sharing(amount: usize, least: usize) -> bool {
    let least = if rayon::current_thread_index().is_some() { least } else { OUTSIDE * least };
    amount >= least && rayon::current_num_threads() > 1
}
