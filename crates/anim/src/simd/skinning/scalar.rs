//! The kernel for any machine, vertex by vertex.

use super::{Block, Influences, LANES, Run, Sinks, Streams, VertexStream};
use crate::Mat34;

/// See [`skin`](super::skin).
pub(super) fn skin(palette: &[Mat34], runs: &[Run<'_>], streams: Streams<'_>, mut sinks: Sinks<'_>) {
    let mut vertex = 0;
    for run in runs {
        for number in 0..run.vertices {
            let (block, lane) = (number / LANES, number % LANES);
            let matrix = blend(palette, run.influences, run.blocks.start + block, lane);
            let block = run.stream + block;
            put(&mut sinks.positions, vertex, point(&matrix, at(&streams.positions[block], lane)), 1.0);
            if let Some(normals) = &mut sinks.normals {
                put(normals, vertex, direction(&matrix, at(&streams.normals[block], lane)), 0.0);
            }
            if let Some(tangents) = &mut sinks.tangents {
                let [x, y, z] = direction(&matrix, at(&streams.tangents[block], lane));
                tangents[vertex] = [x, y, z, streams.signs[block].0[lane]];
            }
            vertex += 1;
        }
    }
}

/// The weighted sum of the matrices that a vertex follows.
fn blend(palette: &[Mat34], influences: &Influences, block: usize, lane: usize) -> Mat34 {
    let joints = influences.joints_of(block..block + 1);
    let (&first, rest) = joints.split_first().expect("each vertex has an influence");
    let first = &palette[usize::from(first[lane])];
    if rest.is_empty() {
        return *first;
    }
    let weights = influences.weights_of(block..block + 1);
    if let (&[second], [weight]) = (rest, weights) {
        let second = &palette[usize::from(second[lane])];
        let number = |row: usize, at: usize| {
            second.rows[row][at] + weight.0[lane] * (first.rows[row][at] - second.rows[row][at])
        };
        return Mat34 { rows: core::array::from_fn(|row| core::array::from_fn(|at| number(row, at))) };
    }
    let last = weights.iter().fold(1.0, |left, row| left - row.0[lane]);
    let mut sum = Mat34 { rows: first.rows.map(|row| row.map(|number| weights[0].0[lane] * number)) };
    let behind = weights[1..].iter().map(|row| row.0[lane]).chain([last]);
    for (joint, weight) in rest.iter().zip(behind) {
        let matrix = &palette[usize::from(joint[lane])];
        for (sum, number) in sum.rows.as_flattened_mut().iter_mut().zip(matrix.rows.as_flattened()) {
            *sum += weight * number;
        }
    }
    sum
}

fn at(block: &Block, lane: usize) -> [f32; 3] {
    [block[0].0[lane], block[1].0[lane], block[2].0[lane]]
}

fn point(matrix: &Mat34, [x, y, z]: [f32; 3]) -> [f32; 3] {
    matrix.rows.map(|row| ((row[3] + row[0] * x) + row[1] * y) + row[2] * z)
}

fn direction(matrix: &Mat34, [x, y, z]: [f32; 3]) -> [f32; 3] {
    matrix.rows.map(|row| (row[0] * x + row[1] * y) + row[2] * z)
}

fn put(stream: &mut VertexStream<'_>, vertex: usize, [x, y, z]: [f32; 3], w: f32) {
    match stream {
        VertexStream::Packed(places) => places[vertex] = [x, y, z],
        VertexStream::Padded(places) => places[vertex] = [x, y, z, w],
    }
}

/// See [`add_scaled`](super::add_scaled).
#[inline(always)]
pub(super) fn add_scaled(to: &mut [Block], deltas: &[Block], weight: f32) {
    for (to, delta) in to.as_flattened_mut().iter_mut().zip(deltas.as_flattened()) {
        for (to, delta) in to.0.iter_mut().zip(delta.0) {
            *to += weight * delta;
        }
    }
}
