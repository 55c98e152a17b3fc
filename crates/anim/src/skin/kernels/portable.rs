//! The portable kernels: a vector holds a row of one vertex's matrix, or a column after a transposition.

use super::{Block, Influences, LANES, Run, Sinks, Streams, VertexStream};
use crate::Mat34;
use fearless_simd::{f32x4, prelude::*};
use hedgerow_math::internal::vectors::transpose;

/// The columns of a matrix; the fourth element of each is unused.
type Columns<S> = [f32x4<S>; 4];

/// Implements [`skin`](super::skin).
#[inline(always)]
pub(super) fn skin<S: Simd>(simd: S, palette: &[Mat34], runs: &[Run<'_>], streams: Streams<'_>, sinks: &mut Sinks<'_>) {
    let mut vertex = 0;
    for run in runs {
        for number in 0..run.vertices {
            let (block, lane) = (number / LANES, number % LANES);
            let matrix = blend(simd, palette, run.influences, run.blocks.start + block, lane);
            let block = run.stream + block;
            put(&mut sinks.positions, vertex, point(simd, &matrix, &streams.positions[block], lane), 1.0);
            if let Some(normals) = &mut sinks.normals {
                put(normals, vertex, direction(simd, &matrix, &streams.normals[block], lane), 0.0);
            }
            if let Some(tangents) = &mut sinks.tangents {
                let [x, y, z, _] = direction(simd, &matrix, &streams.tangents[block], lane).to_array();
                tangents[vertex] = [x, y, z, streams.signs[block].0[lane]];
            }
            vertex += 1;
        }
    }
}

/// Returns the weighted sum of the matrices that a vertex follows.
#[inline(always)]
fn blend<S: Simd>(simd: S, palette: &[Mat34], influences: &Influences, block: usize, lane: usize) -> Columns<S> {
    let zero = f32x4::splat(simd, 0.0);
    let joints = influences.joints_of(block..block + 1);
    let weights = influences.weights_of(block..block + 1);
    let (first, rest) = joints.split_first().expect("each vertex has an influence");
    let mut rows = rows_of(simd, palette, first[lane]);
    match (rest, weights) {
        ([], _) => {}
        ([second], [weight]) => {
            let weight = f32x4::splat(simd, weight.0[lane]);
            for (row, other) in rows.iter_mut().zip(rows_of(simd, palette, second[lane])) {
                *row = weight.mul_add(*row - other, other);
            }
        }
        _ => {
            let mut last = 1.0;
            for row in weights {
                last -= row.0[lane];
            }
            for row in &mut rows {
                *row *= f32x4::splat(simd, weights[0].0[lane]);
            }
            for (index, joint) in rest.iter().enumerate() {
                let weight = f32x4::splat(simd, weights.get(index + 1).map_or(last, |row| row.0[lane]));
                for (row, other) in rows.iter_mut().zip(rows_of(simd, palette, joint[lane])) {
                    *row = weight.mul_add(other, *row);
                }
            }
        }
    }
    transpose([rows[0], rows[1], rows[2], zero])
}

#[inline(always)]
fn rows_of<S: Simd>(simd: S, palette: &[Mat34], joint: u16) -> [f32x4<S>; 3] {
    let [x, y, z] = &palette[usize::from(joint)].rows;
    [f32x4::load_array_ref(simd, x), f32x4::load_array_ref(simd, y), f32x4::load_array_ref(simd, z)]
}

/// Computes `((M₃ + M₀·x) + M₁·y) + M₂·z`.
#[inline(always)]
fn point<S: Simd>(simd: S, [m0, m1, m2, m3]: &Columns<S>, [x, y, z]: &Block, lane: usize) -> f32x4<S> {
    let sum = m0.mul_add(f32x4::splat(simd, x.0[lane]), *m3);
    let sum = m1.mul_add(f32x4::splat(simd, y.0[lane]), sum);
    m2.mul_add(f32x4::splat(simd, z.0[lane]), sum)
}

/// Computes `(M₀·x + M₁·y) + M₂·z`.
#[inline(always)]
fn direction<S: Simd>(simd: S, [m0, m1, m2, _]: &Columns<S>, [x, y, z]: &Block, lane: usize) -> f32x4<S> {
    let sum = *m0 * f32x4::splat(simd, x.0[lane]);
    let sum = m1.mul_add(f32x4::splat(simd, y.0[lane]), sum);
    m2.mul_add(f32x4::splat(simd, z.0[lane]), sum)
}

#[inline(always)]
fn put<S: Simd>(stream: &mut VertexStream<'_>, vertex: usize, result: f32x4<S>, w: f32) {
    let [x, y, z, _] = result.to_array();
    match stream {
        VertexStream::Packed(places) => places[vertex] = [x, y, z],
        VertexStream::Padded(places) => places[vertex] = [x, y, z, w],
    }
}

/// Implements [`add_scaled`](super::add_scaled).
#[inline(always)]
pub(super) fn add_scaled<S: Simd>(simd: S, to: &mut [Block], deltas: &[Block], weight: f32) {
    let weight = S::f32s::splat(simd, weight);
    for (to, delta) in to.as_flattened_mut().iter_mut().zip(deltas.as_flattened()) {
        for (to, delta) in to.0.chunks_exact_mut(S::f32s::LEN).zip(delta.0.chunks_exact(S::f32s::LEN)) {
            (S::f32s::from_slice(simd, to) + weight * S::f32s::from_slice(simd, delta)).store_slice(to);
        }
    }
}
