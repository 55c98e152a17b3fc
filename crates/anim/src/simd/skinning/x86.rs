//! The kernels for x86-64 machines with AVX-512, or with AVX2 and FMA.
//!
//! Both take the palette by columns: a copy of 64 bytes a joint, made once a call, so that a matrix is one cache line and a
//! point becomes `M₃ + M₀·x + M₁·y + M₂·z` without a sum across lanes. Both first sum matrices, one vertex after the other,
//! then transpose the sums of several vertices by four lanes, so that each vector holds one column of all of these.
#![allow(unsafe_code, reason = "loads and stores of vectors go through pointers")]

mod avx2;
mod avx512;

use super::{Block, LANES, Lanes, Run, Sinks, Streams, VertexStream, scalar};
use crate::Mat34;
use core::mem::MaybeUninit;

/// So many matrices are copied to the stack, 16 KiB; larger palettes go to the heap.
const ON_STACK: usize = 256;

/// A matrix by columns, each with a fourth element: 0, 0, 0 and 1.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Columns([[f32; 4]; 4]);

impl Columns {
    /// The columns of a matrix.
    #[inline(always)]
    fn of(&Mat34 { rows: [x, y, z] }: &Mat34) -> Self {
        let column = |at: usize, last: f32| [x[at], y[at], z[at], last];
        Self([column(0, 0.0), column(1, 0.0), column(2, 0.0), column(3, 1.0)])
    }
}

/// Which instructions are used. Only [`Level::all`] makes any, so that whoever has one may use them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level(Instructions);

#[derive(Clone, Copy, Debug)]
enum Instructions {
    Avx512,
    Avx2,
}

impl Level {
    /// What this machine has, the best first.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        use std::arch::is_x86_feature_detected as detected;
        let avx512 = detected!("avx512f").then_some(Self(Instructions::Avx512));
        let avx2 = (detected!("avx2") && detected!("fma")).then_some(Self(Instructions::Avx2));
        [avx512, avx2].into_iter().flatten()
    }

    /// The best that this machine has.
    pub(super) fn best() -> Option<Self> {
        Self::all().next()
    }

    /// See [`skin`](super::skin).
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

impl Level {
    /// Copies the palette, each matrix by columns.
    fn columns<'c>(self, palette: &[Mat34], places: &'c mut [MaybeUninit<Columns>]) -> &'c [Columns] {
        assert!(palette.len() == places.len());
        match self.0 {
            // SAFETY: there is a level only where its instructions are.
            Instructions::Avx512 => unsafe { avx512::columns(palette, places) },
            Instructions::Avx2 => {
                for (matrix, place) in palette.iter().zip(&mut *places) {
                    place.write(Columns::of(matrix));
                }
            }
        }
        // SAFETY: all places were written just now, one for each matrix, and a `MaybeUninit` is laid out as what it holds.
        unsafe { core::slice::from_raw_parts(places.as_ptr().cast(), places.len()) }
    }

    /// Skins a run to places that are for it alone.
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
        // SAFETY: there is a level only where its instructions are. There are columns for all joints below `end`, which are
        // all joints of the influences.
        unsafe {
            match (self.0, run.influences.count()) {
                (Instructions::Avx512, 1) => avx512::skin::<1>(work),
                (Instructions::Avx512, 2) => avx512::skin::<2>(work),
                (Instructions::Avx512, 3) => avx512::skin::<3>(work),
                (Instructions::Avx512, _) => avx512::skin::<4>(work),
                (Instructions::Avx2, 1) => avx2::skin::<1>(work),
                (Instructions::Avx2, 2) => avx2::skin::<2>(work),
                (Instructions::Avx2, 3) => avx2::skin::<3>(work),
                (Instructions::Avx2, _) => avx2::skin::<4>(work),
            }
        }
    }
}

impl Level {
    /// See [`add_scaled`](super::add_scaled).
    pub(super) fn add_scaled(self, to: &mut [Block], deltas: &[Block], weight: f32) {
        /// The loop for any machine, compiled for wider vectors.
        #[target_feature(enable = "avx512f")]
        fn wide(to: &mut [Block], deltas: &[Block], weight: f32) {
            scalar::add_scaled(to, deltas, weight);
        }
        /// As above.
        #[target_feature(enable = "avx2")]
        fn half(to: &mut [Block], deltas: &[Block], weight: f32) {
            scalar::add_scaled(to, deltas, weight);
        }
        // SAFETY: there is a level only where its instructions are.
        unsafe {
            match self.0 {
                Instructions::Avx512 => wide(to, deltas, weight),
                Instructions::Avx2 => half(to, deltas, weight),
            }
        }
    }
}

/// What a kernel does: blocks with the same number of influences.
struct Work<'a> {
    columns: &'a [Columns],
    /// A row for each influence a block; all joints have columns.
    joints: &'a [[u16; LANES]],
    /// A row less a block.
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
