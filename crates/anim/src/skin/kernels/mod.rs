//! Skinning of sixteen vertices at a time, all with the same number of influences.
//!
//! A vertex follows the joints `i`, `j`, `k`, `l` and so on, at most eight of them. The last weight is implied.
//!
//! ```text
//! one    M = palette[i]
//! two    M = palette[j] + w₀·(palette[i] − palette[j])
//! three  M = (w₀·palette[i] + w₁·palette[j]) + w₂·palette[k]                          w₂ = (1 − w₀) − w₁
//! four   M = ((w₀·palette[i] + w₁·palette[j]) + w₂·palette[k]) + w₃·palette[l]        w₃ = ((1 − w₀) − w₁) − w₂
//! eight  likewise
//!
//! position' = ((M₃ + M₀·x) + M₁·y) + M₂·z          M₀ … M₃ are the columns of M
//! normal'   =  (M₀·x + M₁·y) + M₂·z                tangents likewise; w is copied
//! ```
//!
//! Terms are added in this order. On AVX2, AVX-512 and NEON, each product is fused with the following sum. All levels
//! that fuse give the same bits, and so do all other levels. On each level, the error of a coordinate is at most 1e-6
//! times the sum `Σ |palette[joint]|·|p|` over the coordinate's row. This bound covers twelve roundings of 2⁻²⁴ each.
//! Without fusing, four influences would take 50 % more instructions.
//!
//! A vertex does not depend on its neighbours, so a mesh may be split at any vertex.

mod influences;
mod portable;
mod streams;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use influences::Influences;
pub use streams::VertexStream;
pub(crate) use streams::{Block, Lanes, Sinks, Streams};

use crate::Mat34;
use core::ops::Range;
use hedgerow_math::internal::level::{dispatch, level};

/// The number of vertices in a block.
pub(crate) const LANES: usize = 16;

/// A run of vertices with the same number of influences.
#[derive(Clone, Debug)]
pub(crate) struct Run<'a> {
    /// The influences of all vertices with this number of influences.
    pub(crate) influences: &'a Influences,
    /// The blocks of the run in `influences`.
    pub(crate) blocks: Range<usize>,
    /// The index of the first block in the streams.
    pub(crate) stream: usize,
    /// The number of vertices in the blocks; the last block may be partly filled.
    pub(crate) vertices: usize,
}

/// Adds deltas times a weight: `to + weight · delta`, not fused on any level.
///
/// # Panics
/// Panics if the lengths differ.
pub(crate) fn add_scaled(to: &mut [Block], deltas: &[Block], weight: f32) {
    assert!(to.len() == deltas.len());
    dispatch!(level(), simd => portable::add_scaled(simd, to, deltas, weight));
}

/// Skins the vertices of runs, which follow one another in the output.
///
/// # Panics
/// Panics if the palette, a stream or a sink is too short for a run.
pub(crate) fn skin(palette: &[Mat34], runs: &[Run<'_>], streams: Streams<'_>, mut sinks: Sinks<'_>) {
    let level = level();
    #[cfg(target_arch = "x86_64")]
    if let Some(level) = x86::Vectors::of(level) {
        return level.skin(palette, runs, streams, sinks);
    }
    dispatch!(level, simd => portable::skin(simd, palette, runs, streams, &mut sinks));
}

#[cfg(test)]
mod tests;
