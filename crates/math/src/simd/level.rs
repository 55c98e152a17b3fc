//! The machine's level: which instructions a kernel is run with.

use fearless_simd::Level;

/// The best that this machine has: found out at the first call, then kept in a static.
#[inline(always)]
pub fn level() -> Level {
    Level::new()
}

/// The best but AVX-512, for kernels that gain nothing by that.
#[inline(always)]
pub fn level_up_to_avx2() -> Level {
    let level = level();
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = level.as_avx2() {
        return Level::Avx2(avx2);
    }
    level
}

/// Every level that this machine has, that without vectors first: what tests run kernels at.
#[cfg(any(test, feature = "_levels"))]
pub fn levels() -> Vec<Level> {
    let mut levels = vec![Level::fallback()];
    #[cfg(target_arch = "x86_64")]
    {
        let best = level();
        levels.extend(best.as_sse2().map(Level::Sse2));
        levels.extend(best.as_sse4_2().map(Level::Sse4_2));
        levels.extend(best.as_avx2().map(Level::Avx2));
        levels.extend(best.as_avx512().map(Level::Avx512));
    }
    #[cfg(not(target_arch = "x86_64"))]
    levels.push(level());
    levels
}
