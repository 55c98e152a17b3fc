//! Model matrices for x86-64 machines: one body, with vectors of eight floats (AVX2) or sixteen (AVX-512).
//!
//! Faster than the portable kernel, because matrices of whole blocks are written without bounds checks, and because the
//! twelve vectors of a model stay in registers. Time per matrix, with that of the portable kernel in parentheses: AVX2
//! 1.92 ns (2.60), with bind matrices 3.02 (3.55); AVX-512 1.50 (1.57), with bind matrices 1.72 (1.92).
#![allow(unsafe_code, reason = "assembly without an instruction, and places that are known to be there")]

use super::{LANES, Level, Output, Part};
use crate::Mat34;
use crate::skin::Slot;
use crate::transform_lanes::JointLanes;

/// The output of sixteen lanes: lane `l` goes to `out[l * stride]`. Unless `WHOLE`, `out` may be too short for the last
/// lanes.
struct Places<'a, const WHOLE: bool> {
    out: &'a mut [Mat34],
    stride: usize,
}

impl<'a, const WHOLE: bool> Places<'a, WHOLE> {
    /// # Panics
    /// Panics if `WHOLE` and `out` is too short for sixteen lanes.
    #[inline(always)]
    fn new(out: &'a mut [Mat34], stride: usize) -> Self {
        assert!(!WHOLE || out.len() > (LANES - 1) * stride);
        Self { out, stride }
    }

    /// Writes the matrix of a lane, if `out` has a place for it.
    #[inline(always)]
    fn put(&mut self, lane: usize, matrix: Mat34) {
        assert!(lane < LANES);
        let place = lane * self.stride;
        if !WHOLE && place >= self.out.len() {
            return;
        }
        debug_assert!(place < self.out.len());
        // SAFETY: if `WHOLE`, `new` asserted that all sixteen places exist; otherwise, `place` was checked above.
        unsafe { *self.out.get_unchecked_mut(place) = matrix };
    }
}

/// The kernel's body. `V` is a vector of `WIDTH` floats, in parts of four floats; intrinsics are named without prefix
/// and suffix.
macro_rules! body {
    ($token:ident, $features:literal, $register:ident, parts $($part:literal)*) => {
        /// Matrices of several characters: a vector for each of the twelve numbers, in row order.
        type Matrices = [V; 12];

        kernel! {
            /// See [`models`](super::super::models).
            pub(in super::super) fn models(_token: $token, part: &Part<'_>, levels: &mut [Level], out: &mut [Mat34]) {
                let whole = out.len() == LANES * part.stride;
                match (part.output, whole) {
                    (Output::Models, true) => each_joint::<false, true>(part, &[], &[], levels, out),
                    (Output::Models, false) => each_joint::<false, false>(part, &[], &[], levels, out),
                    (Output::Palette { slots: s, binds: b }, true) => each_joint::<true, true>(part, s, b, levels, out),
                    (Output::Palette { slots: s, binds: b }, false) => each_joint::<true, false>(part, s, b, levels, out),
                }
            }
        }

        #[target_feature(enable = $features)]
        fn each_joint<const BIND: bool, const WHOLE: bool>(
            part: &Part<'_>,
            mut slots: &[Slot],
            binds: &[Mat34],
            levels: &mut [Level],
            out: &mut [Mat34],
        ) {
            let stride = part.stride;
            // Transposes matrices and writes the lanes from `first` on. A macro, because the compiler does not always
            // inline a function.
            macro_rules! write {
                ($model:expr, $out:expr, $first:ident) => {{
                    let [a00, a01, a02, a03, a10, a11, a12, a13, a20, a21, a22, a23] = $model;
                    let (x, y, z) = (quads(a00, a01, a02, a03), quads(a10, a11, a12, a13), quads(a20, a21, a22, a23));
                    let mut to = Places::<WHOLE>::new($out, stride);
                    $(
                        let lane = $first + 4 * $part;
                        to.put(lane, matrix::<$part>(x.0, y.0, z.0));
                        to.put(lane + 1, matrix::<$part>(x.1, y.1, z.1));
                        to.put(lane + 2, matrix::<$part>(x.2, y.2, z.2));
                        to.put(lane + 3, matrix::<$part>(x.3, y.3, z.3));
                    )*
                }};
            }
            for (joint, (lanes, &depth)) in (part.first..).zip(part.lanes.iter().zip(part.depths)) {
                let own = if BIND { Part::slots_of(joint, &mut slots) } else { &[] };
                for first in (0..LANES).step_by(WIDTH) {
                    let mut model = local(lanes, first);
                    if let Some(above) = usize::from(depth).checked_sub(1) {
                        model = product(&levels[above], first, &model);
                    }
                    keep(&mut levels[usize::from(depth)], first, &model);
                    if !BIND {
                        write!(model, &mut out[joint..], first);
                    }
                    for place in own.iter().map(|slot| usize::from(slot.place)) {
                        write!(bound(&model, &binds[place]), &mut out[place..], first);
                    }
                }
            }
        }

        /// Makes a matrix whose rows are part `PART` of each of three vectors.
        #[inline]
        #[target_feature(enable = $features)]
        fn matrix<const PART: i32>(x: V, y: V, z: V) -> Mat34 {
            Mat34 { rows: [must_cast(quarter::<PART>(x)), must_cast(quarter::<PART>(y)), must_cast(quarter::<PART>(z))] }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn vector(floats: &[f32; LANES], first: usize) -> V {
            let floats: &[f32; WIDTH] = floats[first..].first_chunk().expect("a multiple of the width");
            must_cast(*floats)
        }

        /// Computes `PackedTransform::to_matrix` with fewer roundings.
        #[inline]
        #[target_feature(enable = $features)]
        fn local(lanes: &JointLanes, first: usize) -> Matrices {
            let JointLanes { translation, rotation, scale } = lanes;
            let (x, y) = (vector(&rotation[0], first), vector(&rotation[1], first));
            let (z, w) = (vector(&rotation[2], first), vector(&rotation[3], first));
            let (x2, y2, z2) = (add(x, x), add(y, y), add(z, z));
            let (xy, xz, yz) = (mul(x, y2), mul(x, z2), mul(y, z2));
            let (not_x, not_y) = (fnmadd(x, x2, set1(1.0)), fnmadd(y, y2, set1(1.0)));
            let (sx, sy, sz) = (vector(&scale[0], first), vector(&scale[1], first), vector(&scale[2], first));
            [
                mul(fnmadd(z, z2, not_y), sx),
                mul(fnmadd(w, z2, xy), sy),
                mul(fmadd(w, y2, xz), sz),
                vector(&translation[0], first),
                mul(fmadd(w, z2, xy), sx),
                mul(fnmadd(z, z2, not_x), sy),
                mul(fnmadd(w, x2, yz), sz),
                vector(&translation[1], first),
                mul(fnmadd(w, y2, xz), sx),
                mul(fmadd(w, x2, yz), sy),
                mul(fnmadd(y, y2, not_x), sz),
                vector(&translation[2], first),
            ]
        }

        /// Computes `above * local`.
        #[inline]
        #[target_feature(enable = $features)]
        fn product(above: &Level, first: usize, local: &Matrices) -> Matrices {
            let [b00, b01, b02, b03, b10, b11, b12, b13, b20, b21, b22, b23] = *local;
            macro_rules! row {
                ($row:literal) => {{
                    let a0 = vector(&above.0[4 * $row], first);
                    let a1 = vector(&above.0[4 * $row + 1], first);
                    let a2 = vector(&above.0[4 * $row + 2], first);
                    let shift = vector(&above.0[4 * $row + 3], first);
                    (
                        fmadd(a0, b00, fmadd(a1, b10, mul(a2, b20))),
                        fmadd(a0, b01, fmadd(a1, b11, mul(a2, b21))),
                        fmadd(a0, b02, fmadd(a1, b12, mul(a2, b22))),
                        fmadd(a0, b03, fmadd(a1, b13, fmadd(a2, b23, shift))),
                    )
                }};
            }
            let ((c00, c01, c02, c03), (c10, c11, c12, c13), (c20, c21, c22, c23)) = (row!(0), row!(1), row!(2));
            [c00, c01, c02, c03, c10, c11, c12, c13, c20, c21, c22, c23]
        }

        /// Computes `model * bind`, with the same `bind` for all lanes.
        #[inline]
        #[target_feature(enable = $features)]
        fn bound(model: &Matrices, bind: &Mat34) -> Matrices {
            let [a00, a01, a02, a03, a10, a11, a12, a13, a20, a21, a22, a23] = *model;
            let [[b00, b01, b02, b03], [b10, b11, b12, b13], [b20, b21, b22, b23]] = bind.rows;
            macro_rules! row {
                ($a0:ident, $a1:ident, $a2:ident, $shift:ident) => {
                    (
                        fmadd($a0, set1(b00), fmadd($a1, set1(b10), mul($a2, set1(b20)))),
                        fmadd($a0, set1(b01), fmadd($a1, set1(b11), mul($a2, set1(b21)))),
                        fmadd($a0, set1(b02), fmadd($a1, set1(b12), mul($a2, set1(b22)))),
                        fmadd($a0, set1(b03), fmadd($a1, set1(b13), fmadd($a2, set1(b23), $shift))),
                    )
                };
            }
            let (c00, c01, c02, c03) = row!(a00, a01, a02, a03);
            let (c10, c11, c12, c13) = row!(a10, a11, a12, a13);
            let (c20, c21, c22, c23) = row!(a20, a21, a22, a23);
            [c00, c01, c02, c03, c10, c11, c12, c13, c20, c21, c22, c23]
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn keep(level: &mut Level, first: usize, model: &Matrices) {
            for (floats, &number) in level.0.iter_mut().zip(model) {
                *floats[first..].first_chunk_mut::<WIDTH>().expect("a multiple of the width") = must_cast(number);
            }
        }

        /// Transposes four vectors of lanes to rows of four: part `i` of result `k` is the row of lane `4 i + k`.
        #[inline]
        #[target_feature(enable = $features)]
        fn quads(a: V, b: V, c: V, d: V) -> (V, V, V, V) {
            let (ab_low, ab_high) = (unpacklo(a, b), unpackhi(a, b));
            let (cd_low, cd_high) = (unpacklo(c, d), unpackhi(c, d));
            (
                opaque(shuffle::<0b01_00_01_00>(ab_low, cd_low)),
                opaque(shuffle::<0b11_10_11_10>(ab_low, cd_low)),
                opaque(shuffle::<0b01_00_01_00>(ab_high, cd_high)),
                opaque(shuffle::<0b11_10_11_10>(ab_high, cd_high)),
            )
        }

        /// Hides from the compiler where a vector comes from. Otherwise, the compiler would shuffle each part
        /// separately, with two to four times as many shuffles.
        #[inline]
        #[target_feature(enable = $features)]
        fn opaque(mut vector: V) -> V {
            // SAFETY: the assembly is empty. It reads and writes only the operand, and leaves it unchanged.
            unsafe { asm!("/* {0} */", inlateout($register) vector, options(pure, nomem, nostack, preserves_flags)) };
            vector
        }
    };
}

pub(super) mod avx2 {
    use super::{JointLanes, LANES, Level, Mat34, Output, Part, Places, Slot};
    use bytemuck::must_cast;
    use core::arch::asm;
    use core::arch::x86_64::{
        __m256 as V, _mm256_add_ps as add, _mm256_extractf128_ps as quarter, _mm256_fmadd_ps as fmadd,
        _mm256_fnmadd_ps as fnmadd, _mm256_mul_ps as mul, _mm256_set1_ps as set1, _mm256_shuffle_ps as shuffle,
        _mm256_unpackhi_ps as unpackhi, _mm256_unpacklo_ps as unpacklo,
    };
    use fearless_simd::kernel;

    const WIDTH: usize = 8;

    body!(Avx2, "avx2,fma", ymm_reg, parts 0 1);
}

pub(super) mod avx512 {
    use super::{JointLanes, LANES, Level, Mat34, Output, Part, Places, Slot};
    use bytemuck::must_cast;
    use core::arch::asm;
    use core::arch::x86_64::{
        __m512 as V, _mm512_add_ps as add, _mm512_extractf32x4_ps as quarter, _mm512_fmadd_ps as fmadd,
        _mm512_fnmadd_ps as fnmadd, _mm512_mul_ps as mul, _mm512_set1_ps as set1, _mm512_shuffle_ps as shuffle,
        _mm512_unpackhi_ps as unpackhi, _mm512_unpacklo_ps as unpacklo,
    };
    use fearless_simd::kernel;

    const WIDTH: usize = 16;

    body!(Avx512, "avx512f,avx512dq", zmm_reg, parts 0 1 2 3);
}
