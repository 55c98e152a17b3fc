//! The AVX-512 kernel: a vector holds four vertices.

use super::{Columns, LANES, Lanes, Results, VertexStream, Work, put_some};
use crate::Mat34;
use crate::skin::kernels::{Block, Sinks, Streams};
use bytemuck::must_cast;
use core::arch::x86_64::{
    __m256, __m512, __m512i, _mm256_castps_pd, _mm512_castpd_ps, _mm512_castps_pd, _mm512_castps256_ps512,
    _mm512_fmadd_ps, _mm512_insertf64x4, _mm512_mask_loadu_ps, _mm512_mask_mov_ps, _mm512_mask_permutexvar_ps,
    _mm512_mul_ps, _mm512_permutex2var_ps, _mm512_permutexvar_ps, _mm512_set1_ps, _mm512_setr_epi32, _mm512_setr_ps,
    _mm512_shuffle_f32x4, _mm512_store_ps, _mm512_storeu_ps, _mm512_sub_ps,
};
use core::mem::MaybeUninit;
use hedgerow_math::internal::prefetch;

/// The prefetch distance ahead of the written results, in bytes.
const AHEAD: usize = 2048;
/// The mask of the fourth element of each of four columns.
const FOURTH: u16 = 0x8888;

/// Copies each matrix by columns to its place.
#[target_feature(enable = "avx512f")]
pub(super) fn columns(palette: &[Mat34], places: &mut [MaybeUninit<Columns>]) {
    let below = _mm512_setr_ps(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    let turned = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    for (matrix, place) in palette.iter().zip(places) {
        // SAFETY: the mask loads the twelve floats of a matrix; `Columns` has sixteen floats, aligned to 64 bytes.
        unsafe {
            let rows = _mm512_mask_loadu_ps(below, 0x0fff, matrix.rows.as_ptr().cast());
            _mm512_store_ps(place.as_mut_ptr().cast(), _mm512_permutexvar_ps(turned, rows));
        }
    }
}

/// Skins all blocks of the work.
///
/// # Safety
/// All joints of the work have columns.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn skin<const K: usize>(work: Work<'_>) {
    let Work { columns, joints, weights, streams, mut sinks } = work;
    let vertices = sinks.positions.len();
    let (joints, []) = joints.as_chunks::<K>() else { unreachable!("a row for each influence") };
    for (number, (joints, first)) in joints.iter().zip((0..vertices).step_by(LANES)).enumerate() {
        // The last weights go to memory, too, so that a load can spread each weight over a vector.
        let mut last = Lanes([1.0; LANES]);
        let given = if K > 1 { &weights[number * (K - 1)..][..K - 1] } else { &[] };
        let left = given.iter().fold(load(&last), |left, row| _mm512_sub_ps(left, load(row)));
        last.0 = must_cast(left);
        // Forces loads from memory, because the compiler would otherwise extract each weight with a shuffle or two.
        let last = core::hint::black_box(&last);
        let weights: [&Lanes; K] = core::array::from_fn(|influence| given.get(influence).unwrap_or(last));
        // SAFETY: ensured by the caller.
        unsafe { skin_block::<K>(columns, joints, &weights, number, streams, first, &mut sinks) };
    }
}

/// Skins sixteen vertices, four at a time.
///
/// # Safety
/// The caller guarantees that each joint index is in `columns`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn skin_block<const K: usize>(
    columns: &[Columns],
    joints: &[[u16; LANES]; K],
    weights: &[&Lanes; K],
    number: usize,
    streams: Streams<'_>,
    first: usize,
    sinks: &mut Sinks<'_>,
) {
    let matrices = |lane: usize| {
        // SAFETY: ensured by the caller.
        unsafe { four_matrices::<K>(columns, joints, weights, lane) }
    };
    let [m0, m1, m2, m3] = [matrices(0), matrices(4), matrices(8), matrices(12)];
    let matrices = [m0, m1, m2, m3];
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
        let w = load(&streams.signs[number]);
        for (group, vector) in four.iter_mut().enumerate() {
            *vector = _mm512_mask_permutexvar_ps(*vector, FOURTH, spread(group), w);
        }
        put(four, first, &mut VertexStream::Padded(tangents));
    }
}

/// The columns of four vertices' matrices; each vector holds the same column of all four.
type Four = [__m512; 4];

/// Returns the weighted sums of the matrices that four vertices follow, from `lane` on.
///
/// # Safety
/// The caller guarantees that each joint index is in `columns`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn four_matrices<const K: usize>(
    columns: &[Columns],
    joints: &[[u16; LANES]; K],
    weights: &[&Lanes; K],
    lane: usize,
) -> Four {
    let columns_of = |influence: usize, lane: usize| {
        // SAFETY: ensured by the caller.
        unsafe { columns.get_unchecked(usize::from(joints[influence][lane])).0 }
    };
    if K == 1 {
        // Loads the first two columns of two matrices into one vector, and the last two columns into another.
        let pair = |lane: usize, half: usize| {
            let [low, high]: [[__m256; 2]; 2] = [must_cast(columns_of(0, lane)), must_cast(columns_of(0, lane + 1))];
            let (low, high) = (low[half], high[half]);
            let low = _mm512_castps_pd(_mm512_castps256_ps512(low));
            _mm512_castpd_ps(_mm512_insertf64x4::<1>(low, _mm256_castps_pd(high)))
        };
        let (a, b, c, d) = (pair(lane, 0), pair(lane + 2, 0), pair(lane, 1), pair(lane + 2, 1));
        return [
            _mm512_shuffle_f32x4::<0b10_00_10_00>(a, b),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b),
            _mm512_shuffle_f32x4::<0b10_00_10_00>(c, d),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(c, d),
        ];
    }
    let sum = |lane: usize| {
        let matrix = |influence: usize| must_cast(columns_of(influence, lane));
        if K == 2 {
            // Does not use the last weight, which has to come through memory.
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

/// Computes `((M₃ + M₀·x) + M₁·y) + M₂·z` for sixteen vertices. The fourth element is the sum of weights, about 1.
#[inline]
#[target_feature(enable = "avx512f")]
fn points(matrices: &[Four; 4], block: &Block) -> Four {
    let [x, y, z] = [load(&block[0]), load(&block[1]), load(&block[2])];
    let one = |group: usize| {
        let [m0, m1, m2, m3] = matrices[group];
        let at = spread(group);
        let sum = _mm512_fmadd_ps(m0, _mm512_permutexvar_ps(at, x), m3);
        let sum = _mm512_fmadd_ps(m1, _mm512_permutexvar_ps(at, y), sum);
        _mm512_fmadd_ps(m2, _mm512_permutexvar_ps(at, z), sum)
    };
    [one(0), one(1), one(2), one(3)]
}

/// Computes `(M₀·x + M₁·y) + M₂·z` for sixteen vertices, with 0 in the fourth element.
#[inline]
#[target_feature(enable = "avx512f")]
fn directions(matrices: &[Four; 4], block: &Block) -> Four {
    let [x, y, z] = [load(&block[0]), load(&block[1]), load(&block[2])];
    let one = |group: usize| {
        let [m0, m1, m2, _] = matrices[group];
        let at = spread(group);
        let sum = _mm512_mul_ps(m0, _mm512_permutexvar_ps(at, x));
        let sum = _mm512_fmadd_ps(m1, _mm512_permutexvar_ps(at, y), sum);
        _mm512_fmadd_ps(m2, _mm512_permutexvar_ps(at, z), sum)
    };
    [one(0), one(1), one(2), one(3)]
}

/// Returns the permutation that spreads each of the group's four lanes over a quarter of a vector.
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

#[inline]
#[target_feature(enable = "avx512f")]
fn load(lanes: &Lanes) -> __m512 {
    must_cast(lanes.0)
}

/// Prefetches cache lines ahead of the written floats, because outputs are seldom in the cache.
#[inline(always)]
fn prefetch_ahead<const LINES: usize>(floats: &[f32]) {
    for line in 0..LINES {
        prefetch(floats, (AHEAD + 64 * line) / size_of::<f32>());
    }
}

/// Writes sixteen results from `first` on, or as many as there are places.
#[inline]
#[target_feature(enable = "avx512f")]
fn put(four: Four, first: usize, to: &mut VertexStream<'_>) {
    let [a, b, c, d] = four;
    match to {
        VertexStream::Packed(places) => {
            if let Some(places) = places.get_mut(first..first + LANES) {
                // Takes the first three of every four floats, so that sixteen packed results are three vectors.
                let ab = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20);
                let bc = _mm512_setr_epi32(5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25);
                let cd = _mm512_setr_epi32(10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25, 26, 28, 29, 30);
                let floats = places.as_flattened_mut();
                prefetch_ahead::<3>(floats);
                let floats = floats.as_mut_ptr();
                // SAFETY: sixteen places of three floats are 48 floats; the stores are unaligned.
                unsafe {
                    _mm512_storeu_ps(floats, _mm512_permutex2var_ps(a, ab, b));
                    _mm512_storeu_ps(floats.add(16), _mm512_permutex2var_ps(b, bc, c));
                    _mm512_storeu_ps(floats.add(32), _mm512_permutex2var_ps(c, cd, d));
                }
                return;
            }
        }
        VertexStream::Padded(places) => {
            if let Some(places) = places.get_mut(first..first + LANES) {
                let floats = places.as_flattened_mut();
                prefetch_ahead::<4>(floats);
                let floats = floats.as_mut_ptr();
                // SAFETY: sixteen places of four floats are 64 floats; the stores are unaligned.
                unsafe {
                    _mm512_storeu_ps(floats, a);
                    _mm512_storeu_ps(floats.add(16), b);
                    _mm512_storeu_ps(floats.add(32), c);
                    _mm512_storeu_ps(floats.add(48), d);
                }
                return;
            }
        }
    }
    let results: Results = must_cast(four);
    put_some(&results, first, to);
}
