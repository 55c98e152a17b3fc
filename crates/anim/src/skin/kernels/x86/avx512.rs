//! Four vertices to a vector.

use super::{BlockMatrices, Columns, LANES, Lanes, Palette, VertexStream, Work, put_some};
use crate::Mat34;
use crate::skin::kernels::{Block, Sinks, Streams};
use bytemuck::must_cast;
use core::arch::x86_64::{
    __m512, __m512i, _mm256_castps_pd, _mm512_castpd_ps, _mm512_castps_pd, _mm512_castps256_ps512, _mm512_fmadd_ps,
    _mm512_insertf64x4, _mm512_mask_mov_ps, _mm512_mask_permutexvar_ps, _mm512_mul_ps, _mm512_permutex2var_ps,
    _mm512_permutexvar_ps, _mm512_set1_ps, _mm512_setr_epi32, _mm512_shuffle_f32x4, _mm512_sub_ps,
};
use fearless_simd::kernel;
use hedgerow_math::internal::prefetch;

/// How many floats ahead of the results that are written lines are asked for.
const AHEAD: usize = 512;
/// The fourth element of each of four columns.
const FOURTH: u16 = 0x8888;

kernel! {
    /// Adds matrices by columns.
    pub(super) fn columns(_avx512: Avx512, matrices: &[Mat34], to: &mut Palette) {
        let turned = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        to.reserve(matrices.len());
        for Mat34 { rows: [x, y, z] } in matrices {
            let rows = must_cast([*x, *y, *z, [0.0, 0.0, 0.0, 1.0]]);
            to.push(Columns(must_cast(_mm512_permutexvar_ps(turned, rows))));
        }
    }
}

kernel! {
    /// Skins all blocks of the work, whose vertices have so many influences each.
    pub(super) fn skin(_avx512: Avx512, work: Work<'_>, influences: usize) {
        match influences {
            1 => skin_blocks::<1>(work),
            2 => skin_blocks::<2>(work),
            3 => skin_blocks::<3>(work),
            _ => skin_blocks::<4>(work),
        }
    }
}

#[target_feature(enable = "avx512f")]
fn skin_blocks<const K: usize>(work: Work<'_>) {
    let Work { matrices, weights, streams, mut sinks } = work;
    for (number, matrices) in matrices.blocks::<K>().enumerate() {
        let first = number * LANES;
        // The last weights go to memory, too, so that each is spread over a vector by the load that fetches it.
        let given = if K > 1 { &weights[number * (K - 1)..][..K - 1] } else { &[] };
        let left = given.iter().fold(_mm512_set1_ps(1.0), |left, row| _mm512_sub_ps(left, must_cast(row.0)));
        let last = Lanes(must_cast(left));
        // Read back from memory: the compiler would take each weight out of the vector with a shuffle or two.
        let last = core::hint::black_box(&last);
        let weights: [&Lanes; K] = core::array::from_fn(|influence| given.get(influence).unwrap_or(last));
        skin_block(matrices, &weights, number, streams, first, &mut sinks);
    }
}

/// Skins sixteen vertices, four at a time.
#[inline]
#[target_feature(enable = "avx512f")]
fn skin_block<const K: usize>(
    matrices: BlockMatrices<'_, K>,
    weights: &[&Lanes; K],
    number: usize,
    streams: Streams<'_>,
    first: usize,
    sinks: &mut Sinks<'_>,
) {
    let four = |lane: usize| four_matrices(matrices, weights, lane);
    let matrices = [four(0), four(4), four(8), four(12)];
    let mut positions = points(&matrices, &streams.positions[number]);
    if let VertexStream::Padded(_) = sinks.positions {
        for vector in &mut positions {
            *vector = _mm512_mask_mov_ps(*vector, FOURTH, _mm512_set1_ps(1.0));
        }
    }
    put(positions, first, &mut sinks.positions);
    if let Some(normals) = &mut sinks.normals {
        put(directions(&matrices, &streams.normals[number]), first, normals);
    }
    if let Some(tangents) = &mut sinks.tangents {
        let mut four = directions(&matrices, &streams.tangents[number]);
        let w = must_cast(streams.signs[number].0);
        for (group, vector) in four.iter_mut().enumerate() {
            *vector = _mm512_mask_permutexvar_ps(*vector, FOURTH, spread(group), w);
        }
        put(four, first, &mut VertexStream::Padded(tangents));
    }
}

/// The columns of four vertices' matrices: each vector has the same column of all.
type Four = [__m512; 4];

/// The weighted sums of the matrices that four vertices follow, from this lane of the block on.
#[inline]
#[target_feature(enable = "avx512f")]
fn four_matrices<const K: usize>(matrices: BlockMatrices<'_, K>, weights: &[&Lanes; K], lane: usize) -> Four {
    if K == 1 {
        // Two matrices are put together as they are loaded, the first two columns of each and the last two.
        let pair = |lane: usize, second: bool| {
            let (low, high) = (matrices.of(0, lane).half(second), matrices.of(0, lane + 1).half(second));
            let low = _mm512_castps_pd(_mm512_castps256_ps512(must_cast(*low)));
            _mm512_castpd_ps(_mm512_insertf64x4::<1>(low, _mm256_castps_pd(must_cast(*high))))
        };
        let (a, b, c, d) = (pair(lane, false), pair(lane + 2, false), pair(lane, true), pair(lane + 2, true));
        return [
            _mm512_shuffle_f32x4::<0b10_00_10_00>(a, b),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b),
            _mm512_shuffle_f32x4::<0b10_00_10_00>(c, d),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(c, d),
        ];
    }
    let sum = |lane: usize| {
        let matrix = |influence: usize| -> __m512 { must_cast(matrices.of(influence, lane).0) };
        if K == 2 {
            // Without waiting for the last weight on its way through memory.
            let apart = _mm512_sub_ps(matrix(0), matrix(1));
            return _mm512_fmadd_ps(_mm512_set1_ps(weights[0].0[lane]), apart, matrix(1));
        }
        let mut sum = _mm512_mul_ps(_mm512_set1_ps(weights[0].0[lane]), matrix(0));
        for (influence, weights) in weights.iter().enumerate().skip(1) {
            sum = _mm512_fmadd_ps(_mm512_set1_ps(weights.0[lane]), matrix(influence), sum);
        }
        sum
    };
    let (m0, m1, m2, m3) = (sum(lane), sum(lane + 1), sum(lane + 2), sum(lane + 3));
    let (a, b) = (_mm512_shuffle_f32x4::<0b01_00_01_00>(m0, m1), _mm512_shuffle_f32x4::<0b01_00_01_00>(m2, m3));
    let (c, d) = (_mm512_shuffle_f32x4::<0b11_10_11_10>(m0, m1), _mm512_shuffle_f32x4::<0b11_10_11_10>(m2, m3));
    [
        _mm512_shuffle_f32x4::<0b10_00_10_00>(a, b),
        _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b),
        _mm512_shuffle_f32x4::<0b10_00_10_00>(c, d),
        _mm512_shuffle_f32x4::<0b11_01_11_01>(c, d),
    ]
}

/// `((M₃ + M₀·x) + M₁·y) + M₂·z` for sixteen vertices, in the fourth element the sum of weights: 1 but for rounding.
#[inline]
#[target_feature(enable = "avx512f")]
fn points(matrices: &[Four; 4], block: &Block) -> Four {
    let [x, y, z] = [must_cast(block[0].0), must_cast(block[1].0), must_cast(block[2].0)];
    let one = |group: usize| {
        let [m0, m1, m2, m3] = matrices[group];
        let at = spread(group);
        let sum = _mm512_fmadd_ps(m0, _mm512_permutexvar_ps(at, x), m3);
        let sum = _mm512_fmadd_ps(m1, _mm512_permutexvar_ps(at, y), sum);
        _mm512_fmadd_ps(m2, _mm512_permutexvar_ps(at, z), sum)
    };
    [one(0), one(1), one(2), one(3)]
}

/// `(M₀·x + M₁·y) + M₂·z` for sixteen vertices, 0 in the fourth element.
#[inline]
#[target_feature(enable = "avx512f")]
fn directions(matrices: &[Four; 4], block: &Block) -> Four {
    let [x, y, z] = [must_cast(block[0].0), must_cast(block[1].0), must_cast(block[2].0)];
    let one = |group: usize| {
        let [m0, m1, m2, _] = matrices[group];
        let at = spread(group);
        let sum = _mm512_mul_ps(m0, _mm512_permutexvar_ps(at, x));
        let sum = _mm512_fmadd_ps(m1, _mm512_permutexvar_ps(at, y), sum);
        _mm512_fmadd_ps(m2, _mm512_permutexvar_ps(at, z), sum)
    };
    [one(0), one(1), one(2), one(3)]
}

/// The permutation that gives each of four lanes from this one on to a quarter of a vector.
#[inline]
#[target_feature(enable = "avx512f")]
fn spread(group: usize) -> __m512i {
    match group {
        0 => _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
        1 => _mm512_setr_epi32(4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7),
        2 => _mm512_setr_epi32(8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11),
        _ => _mm512_setr_epi32(12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15),
    }
}

/// Asks for so many lines some way behind the results that are written: outputs are seldom in the cache.
#[inline(always)]
fn prefetch_lines<const LINES: usize>(floats: &[f32]) {
    for line in 0..LINES {
        prefetch(floats, AHEAD + LANES * line);
    }
}

/// Writes sixteen results from this vertex on, or as many as there are places.
#[inline]
#[target_feature(enable = "avx512f")]
fn put(four: Four, first: usize, to: &mut VertexStream<'_>) {
    let [a, b, c, d] = four;
    match to {
        VertexStream::Packed(places) => {
            if let Some(places) = places[first..].first_chunk_mut::<LANES>() {
                // Of each four floats three: the sixteen results are three vectors.
                let ab = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20);
                let bc = _mm512_setr_epi32(5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25);
                let cd = _mm512_setr_epi32(10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25, 26, 28, 29, 30);
                prefetch_lines::<3>(places.as_flattened());
                *places = must_cast([
                    _mm512_permutex2var_ps(a, ab, b),
                    _mm512_permutex2var_ps(b, bc, c),
                    _mm512_permutex2var_ps(c, cd, d),
                ]);
                return;
            }
        }
        VertexStream::Padded(places) => {
            if let Some(places) = places[first..].first_chunk_mut::<LANES>() {
                prefetch_lines::<4>(places.as_flattened());
                *places = must_cast([a, b, c, d]);
                return;
            }
        }
    }
    put_some(&must_cast([a, b, c, d]), first, to);
}
