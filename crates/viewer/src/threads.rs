//! Threads for the scene's work; a browser has one.

use crate::failure::Result;

/// The threads for the scene's work.
pub struct Threads {
    #[cfg(not(target_arch = "wasm32"))]
    pool: rayon::ThreadPool,
}

#[cfg(not(target_arch = "wasm32"))]
impl Threads {
    /// Starts `count` threads; 0 starts one per core.
    pub fn new(count: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        let failure = |error| crate::failure::Failure::while_doing("threads cannot be started", error);
        Ok(Self { pool: pool.map_err(failure)? })
    }

    /// Runs `work` on these threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }
}

#[cfg(target_arch = "wasm32")]
impl Threads {
    /// Returns the page's only thread; ignores the count.
    pub fn new(_count: usize) -> Result<Self> {
        Ok(Self {})
    }

    /// Runs `work` on these threads.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// Runs two functions, in parallel if there are threads.
#[cfg(not(target_arch = "wasm32"))]
pub fn join<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(first, second)
}

/// Runs two functions, one after the other.
#[cfg(target_arch = "wasm32")]
pub fn join<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
    (first(), second())
}

/// Calls `work` for each item and its number, in parallel if there are threads.
#[cfg(not(target_arch = "wasm32"))]
pub fn each<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefMutIterator as _, ParallelIterator as _};
    // Each item takes long enough to be a separate task.
    items.par_iter_mut().with_max_len(1).enumerate().for_each(|(number, item)| work(number, item));
}

/// Calls `work` for each item and its number.
#[cfg(target_arch = "wasm32")]
pub fn each<T>(items: &mut [T], work: impl Fn(usize, &mut T)) {
    items.iter_mut().enumerate().for_each(|(number, item)| work(number, item));
}

/// Calls `work` for each item, in parallel if there are threads. Returns one of the errors.
#[cfg(not(target_arch = "wasm32"))]
pub fn try_each<T: Send, E: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> std::result::Result<(), E> + Sync + Send,
) -> std::result::Result<(), E> {
    use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
    items.into_par_iter().with_max_len(1).try_for_each(work)
}

/// Calls `work` for each item.
#[cfg(target_arch = "wasm32")]
pub fn try_each<T, E>(items: Vec<T>, work: impl Fn(T) -> std::result::Result<(), E>) -> std::result::Result<(), E> {
    items.into_iter().try_for_each(work)
}
