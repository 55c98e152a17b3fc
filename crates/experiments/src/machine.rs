//! The instruction sets and the compiler that figures depend on.

use hedgerow::math::internal::level::level;

/// The name and version of the compiler that built this crate.
pub const COMPILER: &str = env!("HEDGEROW_COMPILER");

/// Returns the instruction set of `hedgerow`'s kernels on this thread: detected at run time, or set for a measurement.
pub fn kernels() -> String {
    // The debug text is like `Avx512(Avx512 { .. })`.
    let level = format!("{:?}", level()).to_lowercase();
    let end = level.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(level.len());
    // Kernels have no level of their own for SSE4.2.
    level[..end].replace("sse4_2", "sse2")
}

/// Returns the instruction set that this crate was compiled for. All code except the kernels uses it, even baselines.
pub fn compiled() -> &'static str {
    let sets = [
        (cfg!(target_feature = "avx512f"), "avx512"),
        (cfg!(target_feature = "avx2"), "avx2"),
        (cfg!(target_feature = "sse4.2"), "sse4.2"),
        (cfg!(target_feature = "sse2"), "sse2"),
        (cfg!(target_feature = "neon"), "neon"),
        (cfg!(target_feature = "simd128"), "simd128"),
    ];
    sets.into_iter().find(|(is_on, _)| *is_on).map_or("none", |(_, name)| name)
}
