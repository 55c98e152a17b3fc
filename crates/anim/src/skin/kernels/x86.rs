//! The kernels for x86-64 machines with AVX-512, or with AVX2 and FMA.
//!
//! Each call copies the palette by columns, 64 bytes a joint. A matrix is then one cache line, and a point is
//! `M₃ + M₀·x + M₁·y + M₂·z` without a sum across lanes. Both kernels sum the matrices of each vertex, then transpose
//! the sums of several vertices, so that a vector holds the same column of each sum.
//!
//! Nanoseconds per vertex with positions, normals and one to four influences: 1.1, 1.7, 2.3 and 2.7 (AVX-512); 2.1,
//! 2.6, 3.4 and 3.9 (AVX2); 5.9, 6.3, 9.0 and 10.3 (portable).
#![allow(
    unsafe_code,
    reason = "matrices are taken unchecked, vectors are stored through pointers, functions need instructions"
)]

mod avx2;
mod avx512;

use super::{LANES, Lanes, Run, Sinks, Streams, VertexStream};
use crate::Mat34;
use core::mem::MaybeUninit;
use fearless_simd::{Avx2, Avx512, Level};

/// The greatest number of matrices copied to the stack (16 KiB); larger palettes go to the heap.
const ON_STACK: usize = 256;

/// A matrix by columns, each with a fourth element: 0, 0, 0 and 1.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Columns([[f32; 4]; 4]);

impl Columns {
    #[inline(always)]
    fn of(&Mat34 { rows: [x, y, z] }: &Mat34) -> Self {
        let column = |at: usize, last: f32| [x[at], y[at], z[at], last];
        Self([column(0, 0.0), column(1, 0.0), column(2, 0.0), column(3, 1.0)])
    }
}

/// The instructions to use. The level inside proves that the machine has the instructions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Vectors {
    Avx512(Avx512),
    Avx2(Avx2),
}

impl Vectors {
    /// Returns the best instructions of a level, if the level has AVX2.
    pub(super) fn of(level: Level) -> Option<Self> {
        level.as_avx512().map(Self::Avx512).or_else(|| level.as_avx2().map(Self::Avx2))
    }

    /// Implements [`skin`](super::skin).
    pub(super) fn skin(self, palette: &[Mat34], runs: &[Run<'_>], streams: Streams<'_>, mut sinks: Sinks<'_>) {
        let filled = runs.iter().filter(|run| run.vertices > 0);
        let end = filled.map(|run| run.influences.end()).max().unwrap_or(0);
        let palette = &palette[..end];
        let mut here = [const { MaybeUninit::uninit() }; ON_STACK];
        let mut elsewhere = Vec::new();
        let places = if end <= ON_STACK {
            &mut here[..end]
        } else {
            elsewhere.resize(end, MaybeUninit::uninit());
            &mut elsewhere[..]
        };
        let columns = self.columns(palette, places);
        let mut vertex = 0;
        for run in runs.iter().filter(|run| run.vertices > 0) {
            let behind = vertex + run.vertices;
            self.skin_run(columns, run, streams, sinks.part(vertex..behind));
            vertex = behind;
        }
    }
}

impl Vectors {
    /// Copies the palette, each matrix by columns.
    fn columns<'c>(self, palette: &[Mat34], places: &'c mut [MaybeUninit<Columns>]) -> &'c [Columns] {
        assert!(palette.len() == places.len());
        match self {
            // SAFETY: a level exists only if the machine has its instructions.
            Self::Avx512(_) => unsafe { avx512::columns(palette, places) },
            Self::Avx2(_) => {
                for (matrix, place) in palette.iter().zip(&mut *places) {
                    place.write(Columns::of(matrix));
                }
            }
        }
        // SAFETY: each place was just written, and `MaybeUninit<T>` has the layout of `T`.
        unsafe { core::slice::from_raw_parts(places.as_ptr().cast(), places.len()) }
    }

    /// Skins a run into its own places.
    fn skin_run(self, columns: &[Columns], run: &Run<'_>, streams: Streams<'_>, sinks: Sinks<'_>) {
        let (first, last) = (run.stream, run.stream + run.blocks.len());
        let work = Work {
            columns,
            joints: run.influences.joints_of(run.blocks.clone()),
            weights: run.influences.weights_of(run.blocks.clone()),
            streams: Streams {
                positions: &streams.positions[first..last],
                normals: if sinks.normals.is_some() { &streams.normals[first..last] } else { &[] },
                tangents: if sinks.tangents.is_some() { &streams.tangents[first..last] } else { &[] },
                signs: if sinks.tangents.is_some() { &streams.signs[first..last] } else { &[] },
            },
            sinks,
        };
        assert!(columns.len() >= run.influences.end());
        // SAFETY: a level exists only if the machine has its instructions. Joints are below `end`, so all have columns.
        unsafe {
            match (self, run.influences.count()) {
                (Self::Avx512(_), 1) => avx512::skin::<1>(work),
                (Self::Avx512(_), 2) => avx512::skin::<2>(work),
                (Self::Avx512(_), 3) => avx512::skin::<3>(work),
                (Self::Avx512(_), 4) => avx512::skin::<4>(work),
                (Self::Avx512(_), _) => avx512::skin::<8>(work),
                (Self::Avx2(_), 1) => avx2::skin::<1>(work),
                (Self::Avx2(_), 2) => avx2::skin::<2>(work),
                (Self::Avx2(_), 3) => avx2::skin::<3>(work),
                (Self::Avx2(_), 4) => avx2::skin::<4>(work),
                (Self::Avx2(_), _) => avx2::skin::<8>(work),
            }
        }
    }
}

/// The work of a kernel: blocks with the same number of influences.
struct Work<'a> {
    columns: &'a [Columns],
    /// A row for each influence of each block; every joint has an entry in `columns`.
    joints: &'a [[u16; LANES]],
    /// A row for each influence of each block, except the last.
    weights: &'a [Lanes],
    streams: Streams<'a>,
    /// A place for each vertex; the last block may have fewer than 16 vertices.
    sinks: Sinks<'a>,
}

/// The results of a block before they are written.
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
