//! Whether work is worth sharing among threads (feature `rayon`).

/// A caller outside the pool hands over all of its work, and waits for threads that may sleep. That needs this many
/// times as much work to pay off.
const OUTSIDE: usize = 4;

/// Whether this much work is worth sharing, if `least` is enough for a thread of the pool, and there are threads to
/// share it with.
pub(crate) fn is_worth_sharing(amount: usize, least: usize) -> bool {
    let least = if rayon::current_thread_index().is_some() { least } else { OUTSIDE * least };
    amount >= least && rayon::current_num_threads() > 1
}
