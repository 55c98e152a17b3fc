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
    /// The page's own thread, whatever the count.
    pub fn new(_count: usize) -> Result<Self> {
        Ok(Self {})
    }

    /// Does some work there.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}
