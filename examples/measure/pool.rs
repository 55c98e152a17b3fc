//! The threads that an experiment runs on: one, if nothing else is asked for.

/// Runs something on the threads of a pool of that size.
///
/// # Errors
/// What the work returns, or that there are no threads.
#[cfg(feature = "rayon")]
pub(crate) fn on_threads(threads: usize, work: impl FnOnce() -> Result<(), String> + Send) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| error.to_string())?.install(work)
}

/// Runs something on this thread: without the feature `rayon` there is no other.
///
/// # Errors
/// What the work returns.
#[cfg(not(feature = "rayon"))]
pub(crate) fn on_threads(_: usize, work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    work()
}

/// Runs something whose kernels use the instruction set of this name.
///
/// # Errors
/// What the work returns, or that this machine has no such instruction set.
#[cfg(feature = "_levels")]
pub(crate) fn at_level(name: &str, work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    use hedgerow::math::internal::level::{at_level, levels};
    use hedgerow_experiments::machine::kernels;

    let mut names = Vec::new();
    for level in levels() {
        let its_name = at_level(level, kernels);
        if its_name == name {
            return at_level(level, work);
        }
        names.push(its_name);
    }
    Err(format!("this machine has no level `{name}`, but {}", names.join(", ")))
}
