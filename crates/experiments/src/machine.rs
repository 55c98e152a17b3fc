//! What a figure depends on beside the code: instruction sets, and the compiler.

use hedgerow::math::internal::level::level;

/// The compiler that built this, as it calls itself.
pub const COMPILER: &str = env!("HEDGEROW_COMPILER");

/// The instruction set that `hedgerow`'s kernels use on this thread: found out at run time, or set for a measurement.
pub fn kernels() -> String {
    // `Avx512(Avx512 { .. })` and the like.
    let level = format!("{:?}", level()).to_lowercase();
    let end = level.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(level.len());
    level[..end].replace("sse4_2", "sse4.2")
}

/// The instruction set that this was compiled for: what everything but those kernels uses, and so each baseline.
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
