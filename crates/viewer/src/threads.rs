//! The threads that the scene's work is done on; in a browser there is one.

use crate::failure::Result;

/// Where the scene's work is done.
pub struct Threads {
    #[cfg(not(target_arch = "wasm32"))]
    pool: rayon::ThreadPool,
}

#[cfg(not(target_arch = "wasm32"))]
impl Threads {
    /// So many threads; 0 for one a core.
    pub fn new(count: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        let failure = |error| crate::failure::Failure::while_doing("threads cannot be started", error);
        Ok(Self { pool: pool.map_err(failure)? })
    }

    /// Does some work there.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }
}

#[cfg(target_arch = "wasm32")]
impl Threads {
    /// Returns the page's own thread, whatever the count.
    pub fn new(_count: usize) -> Result<Self> {
        Ok(Self {})
    }

    /// Does some work there.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// Does two things side by side where there are threads for it.
#[cfg(not(target_arch = "wasm32"))]
pub fn join<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(first, second)
}

/// Does two things, one after the other.
#[cfg(target_arch = "wasm32")]
pub fn join<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
    (first(), second())
}

/// Does some work for each item and its number, for several at a time where there are threads for it.
#[cfg(not(target_arch = "wasm32"))]
pub fn each<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefMutIterator as _, ParallelIterator as _};
    // Each is long enough for a task of its own.
    items.par_iter_mut().with_max_len(1).enumerate().for_each(|(number, item)| work(number, item));
}

/// Does some work for each item and its number.
#[cfg(target_arch = "wasm32")]
pub fn each<T>(items: &mut [T], work: impl Fn(usize, &mut T)) {
    items.iter_mut().enumerate().for_each(|(number, item)| work(number, item));
}

/// Does some work with each item, with several at a time where there are threads for it. A free thread takes the next
/// one, so the longest should come first.
#[cfg(not(target_arch = "wasm32"))]
pub fn in_order<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync + Send) {
    use rayon::iter::{ParallelBridge as _, ParallelIterator as _};
    items.into_iter().par_bridge().for_each(work);
}

/// Does some work with each item.
#[cfg(target_arch = "wasm32")]
pub fn in_order<T>(items: Vec<T>, work: impl Fn(T)) {
    items.into_iter().for_each(work);
}

/// Does some work with each item, with several at a time where there are threads for it. Returns an error that was met.
#[cfg(not(target_arch = "wasm32"))]
pub fn try_each<T: Send, E: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> std::result::Result<(), E> + Sync + Send,
) -> std::result::Result<(), E> {
    use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
    items.into_par_iter().with_max_len(1).try_for_each(work)
}

/// Does some work with each item.
#[cfg(target_arch = "wasm32")]
pub fn try_each<T, E>(items: Vec<T>, work: impl Fn(T) -> std::result::Result<(), E>) -> std::result::Result<(), E> {
    items.into_iter().try_for_each(work)
}
