//! Skinning of sixteen vertices at a time, all with the same number of influences.
//!
//! For a vertex that follows the joints `i`, `j`, `k` and `l`, or fewer, with weights of which the last is implied,
//!
//! ```text
//! one    M = palette[i]
//! two    M = palette[j] + w₀·(palette[i] − palette[j])
//! three  M = (w₀·palette[i] + w₁·palette[j]) + w₂·palette[k]                          w₂ = (1 − w₀) − w₁
//! four   M = ((w₀·palette[i] + w₁·palette[j]) + w₂·palette[k]) + w₃·palette[l]        w₃ = ((1 − w₀) − w₁) − w₂
//! eight  likewise
//!
//! position' = ((M₃ + M₀·x) + M₁·y) + M₂·z          M₀ … M₃ are the columns of M
//! normal'   =  (M₀·x + M₁·y) + M₂·z                tangents likewise, and w as it is
//! ```
//!
//! in this order. Each product is fused with the following sum if the machine can do it (AVX2, AVX-512, NEON): those
//! levels agree with each other to the bit, and so do the others. On each, a coordinate is off by at most `1e-6` times
//! the sum of the absolute values of its terms, `Σ |palette[joint]|·|p|` in the coordinate's row: twelve roundings of
//! 2⁻²⁴ and what they carry. Without fusing, four influences would take 50 % more instructions.
//!
//! What a vertex becomes does not depend on which vertices are its neighbours, so a mesh may be cut into chunks
//! anywhere.

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
use fearless_simd::{Level, dispatch};
use hedgerow_math::internal::level::level;

/// How many vertices a block has.
pub(crate) const LANES: usize = 16;

/// Some of the vertices that have the same number of influences.
#[derive(Clone, Debug)]
pub(crate) struct Run<'a> {
    /// The influences of all of these.
    pub(crate) influences: &'a Influences,
    /// Which blocks of them are meant.
    pub(crate) blocks: Range<usize>,
    /// Where the first of these blocks lies in the streams.
    pub(crate) stream: usize,
    /// How many vertices these blocks hold; the last block may be filled in part.
    pub(crate) vertices: usize,
}

/// Adds so many times the deltas to as many blocks: `to + weight · delta`, not fused, on every level.
///
/// # Panics
/// Unless there are as many of both.
pub(crate) fn add_scaled(to: &mut [Block], deltas: &[Block], weight: f32) {
    add_scaled_at(level(), to, deltas, weight);
}

#[inline(always)]
fn add_scaled_at(level: Level, to: &mut [Block], deltas: &[Block], weight: f32) {
    assert!(to.len() == deltas.len());
    dispatch!(level, simd => portable::add_scaled(simd, to, deltas, weight));
}

/// Skins the vertices of these runs, which follow one another in the output.
///
/// # Panics
/// If the palette has no matrix for some joint, a stream no block for some run, or a sink no place for some vertex.
pub(crate) fn skin(palette: &[Mat34], runs: &[Run<'_>], streams: Streams<'_>, sinks: Sinks<'_>) {
    skin_at(level(), palette, runs, streams, sinks);
}

#[inline(always)]
fn skin_at(level: Level, palette: &[Mat34], runs: &[Run<'_>], streams: Streams<'_>, mut sinks: Sinks<'_>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(level) = x86::Vectors::of(level) {
        return level.skin(palette, runs, streams, sinks);
    }
    dispatch!(level, simd => portable::skin(simd, palette, runs, streams, &mut sinks));
}

#[cfg(test)]
mod tests;
