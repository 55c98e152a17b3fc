//! Whether work is worth sharing among the threads of the current pool (feature `rayon`).

/// With fewer slots, joints, vertices or drawables than this, one thread finishes before another has started.
pub const WORTH_SHARING: usize = 16_384;

/// A caller outside the pool needs this many times as much work, since handing work over and waking threads take time.
const OUTSIDE: usize = 4;

/// Returns whether `amount` of work is worth sharing, if `least` is enough for a caller inside the pool. With `--cfg
/// hedgerow_shared`, any amount is, so that tests of small scenes use threads.
#[must_use]
pub fn is_worth_sharing(amount: usize, least: usize) -> bool {
    let least = if rayon::current_thread_index().is_some() { least } else { OUTSIDE * least };
    (cfg!(hedgerow_shared) || amount >= least) && rayon::current_num_threads() > 1
}
