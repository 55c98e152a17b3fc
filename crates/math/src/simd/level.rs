//! The SIMD level: the instruction set that a kernel uses.

pub use crate::{__dispatch as dispatch, __dispatch_up_to_avx2 as dispatch_up_to_avx2};
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

/// Runs a kernel at a level. On x86 these are SSE2, AVX2 and AVX-512. Machines without AVX2 use SSE2: of kernels
/// compiled for SSE4.2, only sampling (8 %) and seeking (40 %) take fewer instructions, and each level is compiled in
/// every user's build.
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatch {
    ($level:expr, $simd:ident => $work:expr) => {{
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        match $level {
            ::fearless_simd::Level::Avx512(token) => $crate::__vectorized!(token, $simd => $work),
            level => $crate::__dispatch_up_to_avx2!(level, $simd => $work),
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        ::fearless_simd::dispatch!($level, $simd => $work)
    }};
}

/// The same for kernels that gain nothing from AVX-512.
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatch_up_to_avx2 {
    ($level:expr, $simd:ident => $work:expr) => {{
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            let level: ::fearless_simd::Level = $level;
            if let Some(token) = level.as_avx2() {
                $crate::__vectorized!(token, $simd => $work)
            } else if let Some(token) = level.as_sse2() {
                $crate::__vectorized!(token, $simd => $work)
            } else {
                match level {
                    // The level exists on targets without SSE2, and if the configuration asks for it.
                    #[cfg(any(hedgerow_fallback, not(all(target_feature = "sse2", target_feature = "fxsr"))))]
                    ::fearless_simd::Level::Fallback(token) => $crate::__vectorized!(token, $simd => $work),
                    _ => unreachable!("other levels have SSE2"),
                }
            }
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        ::fearless_simd::dispatch!($level, $simd => $work)
    }};
}

/// Compiles a kernel for the level of a token.
#[doc(hidden)]
#[macro_export]
macro_rules! __vectorized {
    ($token:expr, $simd:ident => $work:expr) => {{
        let $simd = $token;
        ::fearless_simd::Simd::vectorize(
            $simd,
            #[inline(always)]
            || $work,
        )
    }};
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

/// Returns every level of [`dispatch`] that this machine supports, lowest first, for tests. The scalar level is included with `--cfg
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
        levels.extend(best.as_avx2().map(Level::Avx2));
        levels.extend(best.as_avx512().map(Level::Avx512));
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    if levels.is_empty() || !best.is_fallback() {
        levels.push(best);
    }
    levels
}

/// Calls a function at every level of this machine with the feature `_levels`, otherwise at the best, for tests.
pub fn at_levels(mut work: impl FnMut(Level)) {
    #[cfg(feature = "_levels")]
    levels().into_iter().for_each(|level| at_level(level, || work(level)));
    #[cfg(not(feature = "_levels"))]
    work(level());
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
