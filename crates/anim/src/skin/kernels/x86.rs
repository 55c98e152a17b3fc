//! The kernels for x86-64 machines with AVX-512, or with AVX2 and FMA.
//!
//! Both take the palette by columns: a copy of 64 bytes a joint, made once a call, so that a matrix is one cache line
//! and a point becomes `M₃ + M₀·x + M₁·y + M₂·z` without a sum across lanes. Both first sum matrices, one vertex after
//! the other, then transpose the sums of several vertices by four lanes, so that each vector holds one column of all of
//! these.
//!
//! A special case of the portable kernel, which takes 2.5 to 5 times as long: with one to four influences, positions
//! and normals, 2.1, 2.6, 3.4 and 3.9 ns a vertex with AVX2 in place of 5.9, 6.3, 9.0 and 10.3; 1.1, 1.7, 2.3 and 2.7
//! with AVX-512.

mod avx2;
mod avx512;
mod matrices;

use super::{Influences, LANES, Lanes, Run, Sinks, Streams, VertexStream};
use crate::Mat34;
use fearless_simd::{Avx2, Avx512, Level};
use matrices::{BlockMatrices, Columns, Matrices};
use smallvec::SmallVec;

/// The columns of a palette: of so many matrices on the stack, 16 KiB; of larger ones on the heap.
type Palette = SmallVec<[Columns; 256]>;

/// Which instructions are used: the level that they come from is the proof that they are there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Vectors {
    Avx512(Avx512),
    Avx2(Avx2),
}

impl Vectors {
    /// What a level has, if it has any.
    pub(super) fn of(level: Level) -> Option<Self> {
        level.as_avx512().map(Self::Avx512).or_else(|| level.as_avx2().map(Self::Avx2))
    }

    /// See [`skin`](super::skin).
    pub(super) fn skin(self, palette: &[Mat34], runs: &[Run<'_>], streams: Streams<'_>, mut sinks: Sinks<'_>) {
        let filled = runs.iter().filter(|run| run.vertices > 0);
        let end = filled.map(|run| run.influences.end()).max().unwrap_or(0);
        let palette = &palette[..end];
        let mut columns = Palette::new();
        match self {
            Self::Avx512(avx512) => avx512::columns(avx512, palette, &mut columns),
            Self::Avx2(avx2) => avx2::columns(avx2, palette, &mut columns),
        }
        let mut vertex = 0;
        for run in runs.iter().filter(|run| run.vertices > 0) {
            let behind = vertex + run.vertices;
            self.skin_run(&columns, run, streams, sinks.part(vertex..behind));
            vertex = behind;
        }
    }

    /// Skins a run to places that are for it alone.
    fn skin_run(self, columns: &[Columns], run: &Run<'_>, streams: Streams<'_>, sinks: Sinks<'_>) {
        let (first, last) = (run.stream, run.stream + run.blocks.len());
        let work = Work {
            matrices: Matrices::new(columns, run.influences, run.blocks.clone()),
            weights: run.influences.weights_of(run.blocks.clone()),
            streams: Streams {
                positions: &streams.positions[first..last],
                normals: if sinks.normals.is_some() { &streams.normals[first..last] } else { &[] },
                tangents: if sinks.tangents.is_some() { &streams.tangents[first..last] } else { &[] },
                signs: if sinks.tangents.is_some() { &streams.signs[first..last] } else { &[] },
            },
            sinks,
        };
        match self {
            Self::Avx512(avx512) => avx512::skin(avx512, work, run.influences.count()),
            Self::Avx2(avx2) => avx2::skin(avx2, work, run.influences.count()),
        }
    }
}

/// What a kernel does: blocks with the same number of influences.
struct Work<'a> {
    matrices: Matrices<'a>,
    /// A row for each influence but the last a block.
    weights: &'a [Lanes],
    streams: Streams<'a>,
    /// As many places as vertices, of which the last block may have fewer than 16.
    sinks: Sinks<'a>,
}

/// Sixteen results before they are written.
type Results = [[f32; 4]; LANES];

/// Writes the results of a block that is not full.
#[cold]
fn put_some(results: &Results, first: usize, to: &mut VertexStream<'_>) {
    match to {
        VertexStream::Packed(places) => {
            for (place, &[x, y, z, _]) in places[first..].iter_mut().zip(results) {
                *place = [x, y, z];
            }
        }
        VertexStream::Padded(places) => {
            for (place, result) in places[first..].iter_mut().zip(results) {
                *place = *result;
            }
        }
    }
}
