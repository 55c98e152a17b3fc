//! Whether work is worth sharing among threads (feature `rayon`).

/// How many times as much work a caller outside the pool needs: it hands over all work, and wakes threads.
const OUTSIDE: usize = 4;

/// Returns whether this much work is worth sharing, if `least` is enough for a thread of the pool.
pub(crate) fn is_worth_sharing(amount: usize, least: usize) -> bool {
    let least = if rayon::current_thread_index().is_some() { least } else { OUTSIDE * least };
    amount >= least && rayon::current_num_threads() > 1
}
