//! The SIMD level: the instruction set that a kernel uses.

use fearless_simd::{Level, Simd};

/// Returns the best level that this machine supports. The level is detected at the first call and cached in a static.
#[inline(always)]
pub fn level() -> Level {
    #[cfg(feature = "_levels")]
    if let Some(level) = forced::level() {
        return level;
    }
    Level::new()
}

/// Returns the best level other than AVX-512, for kernels that gain nothing from AVX-512.
#[inline(always)]
pub fn level_up_to_avx2() -> Level {
    let level = level();
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = level.as_avx2() {
        return Level::Avx2(avx2);
    }
    level
}

/// Returns whether a kernel runs with AVX2 or better.
#[inline(always)]
pub fn has_avx2<S: Simd>(simd: S) -> bool {
    #[cfg(target_arch = "x86_64")]
    return simd.level().as_avx2().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = simd;
        false
    }
}

/// Returns every level that this machine supports, lowest first, for tests. The scalar level is included with `--cfg
/// hedgerow_fallback`, or if the machine has no other level.
pub fn levels() -> Vec<Level> {
    #[cfg(hedgerow_fallback)]
    let mut levels = vec![Level::fallback()];
    #[cfg(not(hedgerow_fallback))]
    let mut levels = Vec::new();
    let best = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        levels.extend(best.as_sse2().map(Level::Sse2));
        levels.extend(best.as_sse4_2().map(Level::Sse4_2));
        levels.extend(best.as_avx2().map(Level::Avx2));
        levels.extend(best.as_avx512().map(Level::Avx512));
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    if levels.is_empty() || !best.is_fallback() {
        levels.push(best);
    }
    levels
}

#[cfg(feature = "_levels")]
pub use forced::at_level;

/// Forces a level other than the machine's best, for tests and for counting instructions.
#[cfg(feature = "_levels")]
mod forced {
    use fearless_simd::Level;
    use std::cell::Cell;

    thread_local! {
        static LEVEL: Cell<Option<Level>> = const { Cell::new(None) };
    }

    #[inline(always)]
    pub(super) fn level() -> Option<Level> {
        LEVEL.get()
    }

    /// Runs a closure, during which kernels on this thread use this level. Other threads keep their levels.
    pub fn at_level<R>(level: Level, work: impl FnOnce() -> R) -> R {
        /// Restores the previous level, also after a panic.
        struct Before(Option<Level>);

        impl Drop for Before {
            fn drop(&mut self) {
                LEVEL.set(self.0);
            }
        }

        let _before = Before(LEVEL.replace(Some(level)));
        work()
    }
}
