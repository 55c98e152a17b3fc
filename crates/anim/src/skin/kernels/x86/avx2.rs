//! The AVX2 kernel: a vector holds two vertices.

use super::{Columns, LANES, Lanes, Results, VertexStream, Work, put_some};
use crate::skin::kernels::{Block, Sinks, Streams};
use bytemuck::must_cast;
use core::arch::x86_64::{
    __m256, _mm_storeu_ps, _mm256_blend_ps, _mm256_castps128_ps256, _mm256_castps256_ps128, _mm256_extractf128_ps,
    _mm256_fmadd_ps, _mm256_insertf128_ps, _mm256_load_ps, _mm256_load_si256, _mm256_mul_ps, _mm256_permute2f128_ps,
    _mm256_permutevar8x32_ps, _mm256_set1_ps, _mm256_sub_ps,
};

/// The number of vertices in a vector.
const PAIR: usize = 2;
/// The number of a block's lanes that one vector holds.
const HALF: usize = 8;

/// Skins all blocks of the work.
///
/// # Safety
/// All joints of the work have columns.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn skin<const K: usize>(work: Work<'_>) {
    let Work { columns, joints, weights, streams, mut sinks } = work;
    let vertices = sinks.positions.len();
    let mut aside = Aside::default();
    let (joints, []) = joints.as_chunks::<K>() else { unreachable!("a row for each influence") };
    for (number, (joints, first)) in joints.iter().zip((0..vertices).step_by(LANES)).enumerate() {
        let mut last = Lanes([1.0; LANES]);
        let given = if K > 1 { &weights[number * (K - 1)..][..K - 1] } else { &[] };
        for row in given {
            for (left, weight) in last.0.iter_mut().zip(row.0) {
                *left -= weight;
            }
        }
        let weights: [&Lanes; K] = core::array::from_fn(|influence| given.get(influence).unwrap_or(&last));
        let (to, direct) = Places::new(&mut sinks, first, &mut aside);
        // SAFETY: the caller ensures that joints have columns; `to` has places for sixteen results.
        unsafe { skin_block::<K>(columns, joints, weights, number, streams, to) };
        if !direct {
            aside.put_some(first, &mut sinks);
        }
    }
}

/// Skins sixteen vertices, two at a time.
///
/// # Safety
/// The caller guarantees that each joint index is in `columns` and each destination index is in bounds.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn skin_block<const K: usize>(
    columns: &[Columns],
    joints: &[[u16; LANES]; K],
    weights: [&Lanes; K],
    number: usize,
    streams: Streams<'_>,
    to: Places,
) {
    let positions = &streams.positions[number];
    let normals = to.normals.map(|to| (to, &streams.normals[number]));
    let tangents = to.tangents.map(|to| (to, &streams.tangents[number], &streams.signs[number]));
    for lane in (0..LANES).step_by(PAIR) {
        // SAFETY: ensured by the caller.
        unsafe {
            let matrices = two_matrices::<K>(columns, joints, weights, lane);
            to.positions.put(lane, point(&matrices, positions, lane));
            if let Some((to, normals)) = normals {
                to.put(lane, direction(&matrices, normals, lane));
            }
            if let Some((to, tangents, signs)) = tangents {
                to.put(lane, _mm256_blend_ps::<0x88>(direction(&matrices, tangents, lane), spread(signs, lane)));
            }
        }
    }
}

/// A buffer for the results of a block, used if the output has too few places.
#[derive(Default)]
struct Aside {
    positions: Results,
    normals: Results,
    tangents: Results,
}

impl Aside {
    /// Writes the results that fit in the output.
    #[cold]
    fn put_some(&self, first: usize, sinks: &mut Sinks<'_>) {
        put_some(&self.positions, first, &mut sinks.positions);
        if let Some(sink) = &mut sinks.normals {
            put_some(&self.normals, first, sink);
        }
        if let Some(sink) = &mut sinks.tangents {
            put_some(&self.tangents, first, &mut VertexStream::Padded(sink));
        }
    }
}

/// The destination of a block's sixteen results of four floats. The next result may overwrite the fourth float.
#[derive(Clone, Copy)]
struct Place {
    floats: *mut f32,
    /// The distance from one result to the next, in floats.
    stride: usize,
}

/// The destinations of the results of all streams.
#[derive(Clone, Copy)]
struct Places {
    positions: Place,
    normals: Option<Place>,
    tangents: Option<Place>,
}

impl Places {
    /// If each output has room for sixteen results of four floats from `first` on, returns these places and true.
    /// Otherwise returns the places in `aside` and false.
    #[inline(always)]
    fn new(sinks: &mut Sinks<'_>, first: usize, aside: &mut Aside) -> (Self, bool) {
        let full = |sink: &mut VertexStream<'_>| match sink {
            VertexStream::Packed(places) => {
                let floats = places[first..].as_mut_ptr().cast();
                (Place { floats, stride: 3 }, places.len() > first + LANES)
            }
            VertexStream::Padded(places) => {
                let floats = places[first..].as_mut_ptr().cast();
                (Place { floats, stride: 4 }, places.len() >= first + LANES)
            }
        };
        let (positions, mut direct) = full(&mut sinks.positions);
        let mut others = |sink: &mut VertexStream<'_>| {
            let (place, fits) = full(sink);
            direct &= fits;
            place
        };
        let normals = sinks.normals.as_mut().map(&mut others);
        let tangents = sinks.tangents.as_deref_mut().map(|sink| others(&mut VertexStream::Padded(sink)));
        if direct {
            return (Self { positions, normals, tangents }, true);
        }
        let place = |results: &mut Results| Place { floats: results.as_mut_ptr().cast(), stride: 4 };
        let positions = place(&mut aside.positions);
        let normals = normals.map(|_| place(&mut aside.normals));
        let tangents = tangents.map(|_| place(&mut aside.tangents));
        (Self { positions, normals, tangents }, false)
    }
}

impl Place {
    /// Writes two results.
    ///
    /// # Safety
    /// Each of the sixteen places has room for four floats, and `lane` is less than fifteen.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn put(self, lane: usize, two: __m256) {
        // SAFETY: ensured by the caller. If places have three floats, the fourth belongs to the next place, and a 17th
        // place exists. The stores are unaligned.
        unsafe {
            let floats = self.floats.add(lane * self.stride);
            _mm_storeu_ps(floats, _mm256_castps256_ps128(two));
            _mm_storeu_ps(floats.add(self.stride), _mm256_extractf128_ps::<1>(two));
        }
    }
}

/// The columns of two vertices' matrices; each vector holds the same column of both matrices.
type Two = [__m256; 4];

/// Returns the weighted sums of the matrices that two vertices follow, from `lane` on.
///
/// # Safety
/// The caller guarantees that each joint index is in `columns`.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn two_matrices<const K: usize>(
    columns: &[Columns],
    joints: &[[u16; LANES]; K],
    weights: [&Lanes; K],
    lane: usize,
) -> Two {
    let columns_of = |influence: usize, lane: usize| {
        // SAFETY: ensured by the caller.
        unsafe { columns.get_unchecked(usize::from(joints[influence][lane])).0 }
    };
    if K == 1 {
        let (first, second) = (columns_of(0, lane), columns_of(0, lane + 1));
        let column = |at: usize| {
            let first = _mm256_castps128_ps256(must_cast(first[at]));
            _mm256_insertf128_ps::<1>(first, must_cast(second[at]))
        };
        return [column(0), column(1), column(2), column(3)];
    }
    let sum = |lane: usize, half: usize| {
        let matrix = |influence: usize| must_cast::<_, [__m256; 2]>(columns_of(influence, lane))[half];
        if K == 2 {
            let apart = _mm256_sub_ps(matrix(0), matrix(1));
            return _mm256_fmadd_ps(_mm256_set1_ps(weights[0].0[lane]), apart, matrix(1));
        }
        let mut sum = _mm256_mul_ps(_mm256_set1_ps(weights[0].0[lane]), matrix(0));
        for (influence, weights) in weights.iter().enumerate().skip(1) {
            sum = _mm256_fmadd_ps(_mm256_set1_ps(weights.0[lane]), matrix(influence), sum);
        }
        sum
    };
    let (a, b) = (sum(lane, 0), sum(lane + 1, 0));
    let (c, d) = (sum(lane, 1), sum(lane + 1, 1));
    [
        _mm256_permute2f128_ps::<0x20>(a, b),
        _mm256_permute2f128_ps::<0x31>(a, b),
        _mm256_permute2f128_ps::<0x20>(c, d),
        _mm256_permute2f128_ps::<0x31>(c, d),
    ]
}

/// Computes `((M₃ + M₀·x) + M₁·y) + M₂·z` for two vertices, with 1 in the fourth element.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn point([m0, m1, m2, m3]: &Two, [x, y, z]: &Block, lane: usize) -> __m256 {
    let sum = _mm256_fmadd_ps(*m0, spread(x, lane), *m3);
    let sum = _mm256_fmadd_ps(*m1, spread(y, lane), sum);
    let sum = _mm256_fmadd_ps(*m2, spread(z, lane), sum);
    // Replaces the fourth element, the sum of the weights, which rounding may have changed.
    _mm256_blend_ps::<0x88>(sum, _mm256_set1_ps(1.0))
}

/// Computes `(M₀·x + M₁·y) + M₂·z` for two vertices, with 0 in the fourth element.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn direction([m0, m1, m2, _]: &Two, [x, y, z]: &Block, lane: usize) -> __m256 {
    let sum = _mm256_mul_ps(*m0, spread(x, lane));
    let sum = _mm256_fmadd_ps(*m1, spread(y, lane), sum);
    _mm256_fmadd_ps(*m2, spread(z, lane), sum)
}

/// A permutation of eight lanes.
#[repr(C, align(32))]
struct Permutation([i32; HALF]);

/// The permutations that spread each of two lanes over half a vector.
static SPREAD: [Permutation; HALF / PAIR] = [
    Permutation([0, 0, 0, 0, 1, 1, 1, 1]),
    Permutation([2, 2, 2, 2, 3, 3, 3, 3]),
    Permutation([4, 4, 4, 4, 5, 5, 5, 5]),
    Permutation([6, 6, 6, 6, 7, 7, 7, 7]),
];

/// Returns two lanes from `lane` on, each spread over half a vector.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn spread(lanes: &Lanes, lane: usize) -> __m256 {
    // Permutations are loaded from memory, because the compiler emits two instructions for a constant. With safe casts
    // instead of these loads, skinning takes 3 % more instructions.
    // SAFETY: `Permutation` holds eight numbers and is aligned to 32 bytes.
    let turned = unsafe { _mm256_load_si256((&raw const SPREAD[lane % HALF / PAIR]).cast()) };
    // SAFETY: reads the first or last eight of sixteen floats, aligned to 32 bytes, whatever the lane.
    let half = unsafe { _mm256_load_ps(lanes.0.as_ptr().add(lane % LANES / HALF * HALF)) };
    _mm256_permutevar8x32_ps(half, turned)
}
