//! A matrix in one vector of sixteen floats: the three rows, and a fourth row without meaning.
//!
//! With AVX-512 an instruction works on all rows, with AVX2 on two rows. With narrower vectors, working row by row is
//! as fast, and a number is broadcast without a shuffle: see [`vectors`].

use crate::Mat34;
use crate::simd::level::has_avx2;
use crate::simd::vectors::{self, Rows};
use fearless_simd::{f32x4, f32x8, f32x16, prelude::*, u8x16, u8x64, u32x16};

/// A matrix in a register.
pub type Whole<S> = f32x16<S>;

/// A product in registers, in the form that suits the level.
pub enum Product<S: Simd> {
    /// All rows in one vector.
    Whole(Whole<S>),
    /// One vector per row.
    Rows(Rows<S>),
}

impl<S: Simd> Product<S> {
    /// Computes `a * b` with the bits of `Mat34::mul`.
    #[inline(always)]
    pub fn of(simd: S, a: &Mat34, b: &Mat34) -> Self {
        if pays(simd) {
            Self::Whole(times(simd, take(simd, a), b))
        } else {
            Self::Rows(vectors::multiply(simd, a, &vectors::load(simd, b)))
        }
    }

    /// Stores the product.
    #[inline(always)]
    pub fn put(self, to: &mut Mat34) {
        match self {
            Self::Whole(matrix) => put(matrix, to),
            Self::Rows(rows) => vectors::store(rows, to),
        }
    }
}

/// Returns whether an instruction of this level operates on two rows or more.
#[inline(always)]
pub fn pays<S: Simd>(simd: S) -> bool {
    has_avx2(simd)
}

/// Loads a matrix by the same accesses as [`put`] uses to store it, so that a pending store is forwarded. The fourth
/// row is set to zero, because subnormal numbers there would slow arithmetic down.
#[inline(always)]
pub fn take<S: Simd>(simd: S, matrix: &Mat34) -> Whole<S> {
    let rows = matrix.rows.as_flattened();
    let z = f32x4::from_slice(simd, &rows[8..]);
    f32x8::from_slice(simd, &rows[..8]).combine(z.combine(f32x4::splat(simd, 0.0)))
}

/// Stores a matrix.
#[inline(always)]
pub fn put<S: Simd>(matrix: Whole<S>, to: &mut Mat34) {
    let rows = to.rows.as_flattened_mut();
    let (xy, z) = matrix.split();
    xy.store_slice(&mut rows[..8]);
    z.split().0.store_slice(&mut rows[8..]);
}

/// Repeats four numbers in each row.
#[inline(always)]
pub fn each_row<S: Simd>(simd: S, row: &[f32; 4]) -> Whole<S> {
    f32x16::block_splat(f32x4::load_array_ref(simd, row))
}

/// Broadcasts number `AT` of each row to all four positions of the row.
#[inline(always)]
pub fn spread<S: Simd, const AT: u8>(simd: S, matrix: Whole<S>) -> Whole<S> {
    let [a, b, c, d] = const { [4 * AT, 4 * AT + 1, 4 * AT + 2, 4 * AT + 3] };
    let places = u8x16::load_array(simd, [a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d]);
    matrix.swizzle_dyn_within_blocks(u8x64::block_splat(places))
}

/// Keeps the fourth number of each row and zeroes the others.
#[inline(always)]
pub fn shift<S: Simd>(simd: S, matrix: Whole<S>) -> Whole<S> {
    let fourths = [0, 0, 0, u32::MAX, 0, 0, 0, u32::MAX, 0, 0, 0, u32::MAX, 0, 0, 0, u32::MAX];
    f32x16::from_bits(matrix.to_bits() & u32x16::load_array(simd, fourths))
}

/// Multiplies two matrices. The result has the bits of `Mat34::mul`.
#[inline(always)]
pub fn times<S: Simd>(simd: S, a: Whole<S>, b: &Mat34) -> Whole<S> {
    let [x, y, z] = &b.rows;
    times_rows(simd, a, [each_row(simd, x), each_row(simd, y), each_row(simd, z)])
}

/// Like [`times`], but the second matrix is given as three vectors, each of which repeats one row of that matrix.
#[inline(always)]
pub fn times_rows<S: Simd>(simd: S, a: Whole<S>, [x, y, z]: [Whole<S>; 3]) -> Whole<S> {
    let sum = spread::<S, 0>(simd, a) * x + spread::<S, 1>(simd, a) * y;
    (sum + spread::<S, 2>(simd, a) * z) + shift(simd, a)
}
