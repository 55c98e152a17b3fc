//! Whether work is worth sharing among threads (feature `rayon`).

/// A caller outside the pool needs this many times as much work, since handing work over and waking threads take time.
const OUTSIDE: usize = 4;

/// Returns whether `amount` of work is worth sharing, if `least` is enough for a caller inside the pool. With `--cfg
/// hedgerow_shared`, any amount is, so that tests of small scenes use threads.
pub(crate) fn is_worth_sharing(amount: usize, least: usize) -> bool {
    let least = if rayon::current_thread_index().is_some() { least } else { OUTSIDE * least };
    (cfg!(hedgerow_shared) || amount >= least) && rayon::current_num_threads() > 1
}
