//! Two vertices to a vector.
#![allow(unsafe_code, reason = "results are written without asking whether each has a place")]

use super::{BlockMatrices, Columns, LANES, Lanes, Palette, Results, VertexStream, Work, put_some};
use crate::Mat34;
use crate::skin::kernels::{Block, Sinks};
use bytemuck::must_cast;
use core::arch::x86_64::{
    __m256, _mm_storeu_ps, _mm256_blend_ps, _mm256_castps128_ps256, _mm256_castps256_ps128, _mm256_extractf128_ps,
    _mm256_fmadd_ps, _mm256_insertf128_ps, _mm256_mul_ps, _mm256_permute2f128_ps, _mm256_permutevar8x32_ps,
    _mm256_set1_ps, _mm256_sub_ps,
};
use core::marker::PhantomData;
use fearless_simd::{f32x4, kernel, prelude::*};
use hedgerow_math::internal::vectors::{load, transpose};

/// How many vertices fill a vector.
const PAIR: usize = 2;
/// How many lanes of a block fill a vector.
const HALF: usize = 8;

kernel! {
    /// Adds matrices by columns.
    pub(super) fn columns(avx2: Avx2, palette: &[Mat34], to: &mut Palette) {
        let last = f32x4::load_array(avx2, [0.0, 0.0, 0.0, 1.0]);
        to.reserve(palette.len());
        for matrix in palette {
            let [x, y, z] = load(avx2, matrix);
            let [a, b, c, d] = transpose([x, y, z, last]);
            to.push(Columns(must_cast([a.to_array(), b.to_array(), c.to_array(), d.to_array()])));
        }
    }
}

kernel! {
    /// Skins all blocks of the work, whose vertices have so many influences each.
    pub(super) fn skin(_avx2: Avx2, work: Work<'_>, influences: usize) {
        match influences {
            1 => skin_blocks::<1>(work),
            2 => skin_blocks::<2>(work),
            3 => skin_blocks::<3>(work),
            _ => skin_blocks::<4>(work),
        }
    }
}

/// Sixteen vertices after the other, each sixteen two at a time.
#[expect(clippy::manual_map, reason = "a closure has these instructions, and `map`, which would call it, has not")]
#[target_feature(enable = "avx2,fma")]
fn skin_blocks<const K: usize>(work: Work<'_>) {
    let Work { matrices, weights, streams, mut sinks } = work;
    for (number, matrices) in matrices.blocks::<K>().enumerate() {
        let first = number * LANES;
        let mut last = Lanes([1.0; LANES]);
        let given = if K > 1 { &weights[number * (K - 1)..][..K - 1] } else { &[] };
        for row in given {
            for (left, weight) in last.0.iter_mut().zip(row.0) {
                *left -= weight;
            }
        }
        let weights: [&Lanes; K] = core::array::from_fn(|influence| given.get(influence).unwrap_or(&last));
        let mut aside = None;
        let to = match Places::of(&mut sinks, first) {
            Some(to) => to,
            None => {
                let present = [sinks.normals.is_some(), sinks.tangents.is_some()];
                aside.insert(Aside::default()).places(present)
            }
        };
        let positions = &streams.positions[number];
        let Places { normals, tangents, .. } = to;
        let normals = if let Some(to) = normals { Some((to, &streams.normals[number])) } else { None };
        let tangents =
            if let Some(to) = tangents { Some((to, &streams.tangents[number], &streams.signs[number])) } else { None };
        for half in 0..LANES / HALF {
            for pair in 0..HALF / PAIR {
                let lane = half * HALF + pair * PAIR;
                let matrices = two_matrices(matrices, weights, lane);
                to.positions.put(lane, point(&matrices, positions, half, pair));
                if let Some((to, normals)) = normals {
                    to.put(lane, direction(&matrices, normals, half, pair));
                }
                if let Some((to, tangents, signs)) = tangents {
                    to.put(
                        lane,
                        _mm256_blend_ps::<0x88>(direction(&matrices, tangents, half, pair), spread(signs, half, pair)),
                    );
                }
            }
        }
        if let Some(aside) = &aside {
            aside.put_some(first, &mut sinks);
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
    /// Places for the streams that there are: positions, and normals and tangents where they are present.
    #[cold]
    fn places(&mut self, [normals, tangents]: [bool; 2]) -> Places<'_> {
        fn place(results: &mut Results) -> Place<'_> {
            Place::padded(results, 0).expect("sixteen results")
        }
        Places {
            positions: place(&mut self.positions),
            normals: if normals { Some(place(&mut self.normals)) } else { None },
            tangents: if tangents { Some(place(&mut self.tangents)) } else { None },
        }
    }

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
struct Place<'a> {
    floats: *mut f32,
    /// How many floats lie from one result to the next.
    stride: usize,
    of: PhantomData<&'a mut [f32]>,
}

impl<'a> Place<'a> {
    /// The places of a stream from the first one on, if sixteen results of four floats each can be written there: where
    /// places have three, there is one more then.
    #[inline(always)]
    fn of(stream: &'a mut VertexStream<'_>, first: usize) -> Option<Self> {
        match stream {
            VertexStream::Packed(places) if places.len() > first + LANES => Some(Self::at(&mut places[first..], 3)),
            VertexStream::Packed(_) => None,
            VertexStream::Padded(places) => Self::padded(places, first),
        }
    }

    #[inline(always)]
    fn padded(places: &'a mut [[f32; 4]], first: usize) -> Option<Self> {
        if places.len() >= first + LANES { Some(Self::at(&mut places[first..], 4)) } else { None }
    }

    #[inline(always)]
    fn at<const N: usize>(places: &'a mut [[f32; N]], stride: usize) -> Self {
        debug_assert!(places.len() * N >= (LANES - 1) * stride + 4);
        Self { floats: places.as_mut_ptr().cast(), stride, of: PhantomData }
    }

    /// Writes the results of this lane and the next.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn put(self, lane: usize, two: __m256) {
        assert!(lane < LANES - 1);
        // SAFETY: four floats from each of sixteen results on are there, as looked at when this was made. The stores
        // have no alignment to keep.
        unsafe {
            let floats = self.floats.add(lane * self.stride);
            _mm_storeu_ps(floats, _mm256_castps256_ps128(two));
            _mm_storeu_ps(floats.add(self.stride), _mm256_extractf128_ps::<1>(two));
        }
    }
}

/// Where the results of all streams go.
#[derive(Clone, Copy)]
struct Places<'a> {
    positions: Place<'a>,
    normals: Option<Place<'a>>,
    tangents: Option<Place<'a>>,
}

impl<'a> Places<'a> {
    /// The places from the first one on, if those of all streams are enough.
    #[inline(always)]
    fn of(sinks: &'a mut Sinks<'_>, first: usize) -> Option<Self> {
        let positions = Place::of(&mut sinks.positions, first)?;
        let normals = match &mut sinks.normals {
            Some(normals) => Some(Place::of(normals, first)?),
            None => None,
        };
        let tangents = match &mut sinks.tangents {
            Some(tangents) => Some(Place::padded(tangents, first)?),
            None => None,
        };
        Some(Self { positions, normals, tangents })
    }
}

/// The columns of two vertices' matrices: each vector has the same column of both.
type Two = [__m256; 4];

/// The weighted sums of the matrices that two vertices follow, from this lane of the block on.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn two_matrices<const K: usize>(matrices: BlockMatrices<'_, K>, weights: [&Lanes; K], lane: usize) -> Two {
    if K == 1 {
        let (first, second) =
            (matrices.of(0, lane).0.as_chunks::<4>().0, matrices.of(0, lane + 1).0.as_chunks::<4>().0);
        let column =
            |at: usize| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(must_cast(first[at])), must_cast(second[at]));
        return [column(0), column(1), column(2), column(3)];
    }
    let sum = |lane: usize, second: bool| {
        let matrix = |influence: usize| -> __m256 { must_cast(*matrices.of(influence, lane).half(second)) };
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
    let (a, b) = (sum(lane, false), sum(lane + 1, false));
    let (c, d) = (sum(lane, true), sum(lane + 1, true));
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
fn point([m0, m1, m2, m3]: &Two, [x, y, z]: &Block, half: usize, pair: usize) -> __m256 {
    let sum = _mm256_fmadd_ps(*m0, spread(x, half, pair), *m3);
    let sum = _mm256_fmadd_ps(*m1, spread(y, half, pair), sum);
    let sum = _mm256_fmadd_ps(*m2, spread(z, half, pair), sum);
    // The weights' sum, which may be off by rounding.
    _mm256_blend_ps::<0x88>(sum, _mm256_set1_ps(1.0))
}

/// `(M₀·x + M₁·y) + M₂·z` for two vertices, 0 in the fourth element.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn direction([m0, m1, m2, _]: &Two, [x, y, z]: &Block, half: usize, pair: usize) -> __m256 {
    let sum = _mm256_mul_ps(*m0, spread(x, half, pair));
    let sum = _mm256_fmadd_ps(*m1, spread(y, half, pair), sum);
    _mm256_fmadd_ps(*m2, spread(z, half, pair), sum)
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

/// A pair of lanes of a half of them, each in half a vector.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn spread(lanes: &Lanes, half: usize, pair: usize) -> __m256 {
    // From memory, because the compiler takes two instructions for each permutation that it knows.
    let turned = must_cast(SPREAD[pair].0);
    _mm256_permutevar8x32_ps(must_cast(lanes.0.as_chunks::<HALF>().0[half]), turned)
}
