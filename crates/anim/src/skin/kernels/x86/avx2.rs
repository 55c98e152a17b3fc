//! Two vertices to a vector.

use super::{Columns, LANES, Lanes, Results, VertexStream, Work, put_some};
use crate::skin::kernels::{Block, Sinks, Streams};
use bytemuck::must_cast;
use core::arch::x86_64::{
    __m256, _mm_storeu_ps, _mm256_blend_ps, _mm256_castps128_ps256, _mm256_castps256_ps128, _mm256_extractf128_ps,
    _mm256_fmadd_ps, _mm256_insertf128_ps, _mm256_load_ps, _mm256_load_si256, _mm256_mul_ps, _mm256_permute2f128_ps,
    _mm256_permutevar8x32_ps, _mm256_set1_ps, _mm256_sub_ps,
};

/// How many vertices fill a vector.
const PAIR: usize = 2;
/// How many lanes of a block fill a vector.
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
        // SAFETY: the caller's, and places were just found for sixteen results.
        unsafe { skin_block::<K>(columns, joints, weights, number, streams, to) };
        if !direct {
            aside.put_some(first, &mut sinks);
        }
    }
}

/// Skins sixteen vertices, two at a time.
///
/// # Safety
/// All of the joints have columns. The places are there.
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
        // SAFETY: the caller's.
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

/// Results of a block for which there is no room where they belong.
#[derive(Default)]
struct Aside {
    positions: Results,
    normals: Results,
    tangents: Results,
}

impl Aside {
    /// Writes those for which there are places.
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

/// Where the sixteen results of a block go, four floats each of which the last may be overwritten by the next.
#[derive(Clone, Copy)]
struct Place {
    floats: *mut f32,
    /// How many floats lie from one result to the next.
    stride: usize,
}

/// Where the results of all streams go.
#[derive(Clone, Copy)]
struct Places {
    positions: Place,
    normals: Option<Place>,
    tangents: Option<Place>,
}

impl Places {
    /// The places from the first one on, and true, if sixteen results of four floats each can be written to each; else
    /// those aside.
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
    /// Sixteen places of four floats are there, each from its own first one on; the lane is less than fifteen.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn put(self, lane: usize, two: __m256) {
        // SAFETY: the caller's. Four floats from a place on are the place and, where places have three, one of the
        // next: after the sixteen there is one more then. The stores have no alignment to keep.
        unsafe {
            let floats = self.floats.add(lane * self.stride);
            _mm_storeu_ps(floats, _mm256_castps256_ps128(two));
            _mm_storeu_ps(floats.add(self.stride), _mm256_extractf128_ps::<1>(two));
        }
    }
}

/// The columns of two vertices' matrices: each vector has the same column of both.
type Two = [__m256; 4];

/// The weighted sums of the matrices that two vertices follow, from this lane of the block on.
///
/// # Safety
/// All of the joints have columns.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn two_matrices<const K: usize>(
    columns: &[Columns],
    joints: &[[u16; LANES]; K],
    weights: [&Lanes; K],
    lane: usize,
) -> Two {
    let columns_of = |influence: usize, lane: usize| {
        // SAFETY: the caller's.
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

/// `((M₃ + M₀·x) + M₁·y) + M₂·z` for two vertices, 1 in the fourth element.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn point([m0, m1, m2, m3]: &Two, [x, y, z]: &Block, lane: usize) -> __m256 {
    let sum = _mm256_fmadd_ps(*m0, spread(x, lane), *m3);
    let sum = _mm256_fmadd_ps(*m1, spread(y, lane), sum);
    let sum = _mm256_fmadd_ps(*m2, spread(z, lane), sum);
    // The weights' sum, which may be off by rounding.
    _mm256_blend_ps::<0x88>(sum, _mm256_set1_ps(1.0))
}

/// `(M₀·x + M₁·y) + M₂·z` for two vertices, 0 in the fourth element.
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

/// The permutations that give each of two lanes half a vector.
static SPREAD: [Permutation; HALF / PAIR] = [
    Permutation([0, 0, 0, 0, 1, 1, 1, 1]),
    Permutation([2, 2, 2, 2, 3, 3, 3, 3]),
    Permutation([4, 4, 4, 4, 5, 5, 5, 5]),
    Permutation([6, 6, 6, 6, 7, 7, 7, 7]),
];

/// Two lanes from this one on, each in half a vector.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn spread(lanes: &Lanes, lane: usize) -> __m256 {
    // From memory, because the compiler takes two instructions for each permutation that it knows. With safe casts in
    // place of these loads, skinning takes 3 % more instructions.
    // SAFETY: eight numbers, aligned as their type says.
    let turned = unsafe { _mm256_load_si256((&raw const SPREAD[lane % HALF / PAIR]).cast()) };
    // SAFETY: eight of sixteen floats from 0 or 8 on, aligned as their type says.
    let half = unsafe { _mm256_load_ps(lanes.0.as_ptr().add(lane / HALF * HALF)) };
    _mm256_permutevar8x32_ps(half, turned)
}
