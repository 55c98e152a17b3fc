//! The kernels for x86-64 machines with AVX2, eight boxes at a time.
#![allow(unsafe_code, reason = "loads and stores of vectors go through pointers")]

use super::WIDER;
use crate::simd::x86::{columns, load_eight as load, store_eight as store};
use crate::{Aabb, BoxGroup, GROUP, Mat34, Ray, TOLERANCE};
use core::arch::x86_64::{
    __m256, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _CMP_NLE_UQ, _mm_loadu_ps, _mm256_add_ps, _mm256_and_ps,
    _mm256_andnot_ps, _mm256_blendv_ps, _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_max_ps, _mm256_min_ps,
    _mm256_movemask_ps, _mm256_mul_ps, _mm256_or_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_ps,
    _mm256_setzero_ps, _mm256_sub_ps, _mm256_xor_ps,
};

/// A safe door to a kernel: asserts that the machine has AVX2, which the caller has found out already.
macro_rules! doors {
    ($($door:ident $(<const $flag:ident>)? => $kernel:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {$(
        #[inline]
        pub(super) fn $door$(<const $flag: bool>)?($($argument: $type),*) -> $answer {
            assert!(std::arch::is_x86_feature_detected!("avx2"), "the caller has looked for AVX2");
            // SAFETY: AVX2 is there, as just asserted.
            unsafe { $kernel$(::<$flag>)?($($argument),*) }
        }
    )*};
}

doors! {
    frustum<const INSIDE> => frustum_groups(groups: &[BoxGroup], planes: &[[f32; 4]]) -> (u64, u64);
    sphere => sphere_groups(groups: &[BoxGroup], center: &[f32; 3], square: f32) -> u64;
    overlap => overlap_groups(groups: &[BoxGroup], bounds: &Aabb) -> (u64, u64);
    ray => ray_groups(groups: &[BoxGroup], ray: &Ray) -> u64;
    transformed => transform_group(matrices: &[&Mat34; GROUP], locals: &[Aabb; GROUP], live: u8) -> BoxGroup;
}

/// The lanes' sign bits.
#[inline]
#[target_feature(enable = "avx2")]
fn bits(mask: __m256) -> u64 {
    u64::from(_mm256_movemask_ps(mask).cast_unsigned() & 0xff)
}

/// One bit for each box, from a mask for each group.
#[inline]
#[target_feature(enable = "avx2")]
fn word(groups: &[BoxGroup], mut test: impl FnMut(&BoxGroup) -> __m256) -> u64 {
    let mut word = 0;
    for (index, group) in groups.iter().enumerate() {
        word |= bits(test(group)) << (index * GROUP);
    }
    word
}

#[inline]
#[target_feature(enable = "avx2")]
fn absolute(a: __m256) -> __m256 {
    _mm256_andnot_ps(_mm256_set1_ps(-0.0), a)
}

#[inline]
#[target_feature(enable = "avx2")]
fn ones() -> __m256 {
    _mm256_castsi256_ps(_mm256_set1_epi32(-1))
}

/// Four groups at a time, as many as have their masks and tolerances in registers.
#[target_feature(enable = "avx2")]
fn frustum_groups<const INSIDE: bool>(groups: &[BoxGroup], planes: &[[f32; 4]]) -> (u64, u64) {
    let (mut hits, mut inside, mut at) = (0, 0, 0);
    let (fours, rest) = groups.as_chunks::<4>();
    for four in fours {
        let (touched, held) = frustum_few::<4, INSIDE>(four, planes);
        hits |= touched << at;
        inside |= held << at;
        at += 4 * GROUP;
    }
    for one in rest {
        let (touched, held) = frustum_few::<1, INSIDE>(core::array::from_ref(one), planes);
        hits |= touched << at;
        inside |= held << at;
        at += GROUP;
    }
    (hits, if INSIDE { hits & inside } else { 0 })
}

/// Goes plane by plane, all groups at each, so that a plane is looked at once, and ends where nothing is left.
#[inline]
#[target_feature(enable = "avx2")]
fn frustum_few<const N: usize, const INSIDE: bool>(groups: &[BoxGroup; N], planes: &[[f32; 4]]) -> (u64, u64) {
    let (mut out, mut tolerances, mut within) = ([ones(); N], [_mm256_setzero_ps(); N], [ones(); N]);
    for index in 0..N {
        let group = &groups[index];
        // The greatest absolute coordinate: of an empty box, which is out anyway, less than nothing.
        let reach = |axis: usize| {
            let turned = _mm256_xor_ps(_mm256_set1_ps(-0.0), load(&group.min[axis]));
            _mm256_max_ps(load(&group.max[axis]), turned)
        };
        let sum = _mm256_add_ps(_mm256_add_ps(reach(0), reach(1)), reach(2));
        tolerances[index] = _mm256_mul_ps(sum, _mm256_set1_ps(-TOLERANCE));
        out[index] = _mm256_cmp_ps::<_CMP_NLE_UQ>(load(&group.min[0]), load(&group.max[0]));
    }
    for &[x, y, z, d] in planes {
        let normal = [_mm256_set1_ps(x), _mm256_set1_ps(y), _mm256_set1_ps(z)];
        let shift = _mm256_set1_ps(d);
        let upper = [x >= 0.0, y >= 0.0, z >= 0.0];
        let mut gone = ones();
        for index in 0..N {
            let group = &groups[index];
            let distance = |inner: bool| {
                let term = |axis: usize| {
                    let corner = if upper[axis] == inner { &group.max[axis] } else { &group.min[axis] };
                    _mm256_mul_ps(normal[axis], load(corner))
                };
                _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(term(0), term(1)), term(2)), shift)
            };
            let beyond = _mm256_cmp_ps::<_CMP_LT_OQ>(distance(true), tolerances[index]);
            out[index] = _mm256_or_ps(out[index], beyond);
            gone = _mm256_and_ps(gone, out[index]);
            if INSIDE {
                let before = _mm256_cmp_ps::<_CMP_GE_OQ>(distance(false), _mm256_setzero_ps());
                within[index] = _mm256_and_ps(within[index], before);
            }
        }
        if bits(gone) == 0xff {
            return (0, 0);
        }
    }
    let (mut hits, mut inside) = (0, 0);
    for index in 0..N {
        hits |= (bits(out[index]) ^ 0xff) << (index * GROUP);
        inside |= bits(within[index]) << (index * GROUP);
    }
    (hits, inside)
}

#[target_feature(enable = "avx2")]
fn sphere_groups(groups: &[BoxGroup], center: &[f32; 3], square: f32) -> u64 {
    let center = center.map(|x| _mm256_set1_ps(x));
    word(groups, |group| {
        let (low, high) = (load(&group.min[0]), load(&group.max[0]));
        let present = _mm256_cmp_ps::<_CMP_LE_OQ>(low, high);
        let term = |axis: usize| {
            let below = _mm256_sub_ps(load(&group.min[axis]), center[axis]);
            let above = _mm256_sub_ps(center[axis], load(&group.max[axis]));
            let away = _mm256_max_ps(_mm256_max_ps(below, above), _mm256_setzero_ps());
            _mm256_mul_ps(away, away)
        };
        let sum = _mm256_add_ps(_mm256_add_ps(term(0), term(1)), term(2));
        _mm256_and_ps(present, _mm256_cmp_ps::<_CMP_LE_OQ>(sum, _mm256_set1_ps(square)))
    })
}

#[target_feature(enable = "avx2")]
fn overlap_groups(groups: &[BoxGroup], bounds: &Aabb) -> (u64, u64) {
    let low = bounds.min.to_array().map(|x| _mm256_set1_ps(x));
    let high = bounds.max.to_array().map(|x| _mm256_set1_ps(x));
    let hits = word(groups, |group| {
        let mut hit = _mm256_cmp_ps::<_CMP_LE_OQ>(load(&group.min[0]), load(&group.max[0]));
        for axis in 0..3 {
            hit = _mm256_and_ps(hit, _mm256_cmp_ps::<_CMP_LE_OQ>(load(&group.min[axis]), high[axis]));
            hit = _mm256_and_ps(hit, _mm256_cmp_ps::<_CMP_GE_OQ>(load(&group.max[axis]), low[axis]));
        }
        hit
    });
    let inside = word(groups, |group| {
        let mut inside = ones();
        for axis in 0..3 {
            inside = _mm256_and_ps(inside, _mm256_cmp_ps::<_CMP_GE_OQ>(load(&group.min[axis]), low[axis]));
            inside = _mm256_and_ps(inside, _mm256_cmp_ps::<_CMP_LE_OQ>(load(&group.max[axis]), high[axis]));
        }
        inside
    });
    (hits, hits & inside)
}

#[target_feature(enable = "avx2")]
fn ray_groups(groups: &[BoxGroup], ray: &Ray) -> u64 {
    word(groups, |group| {
        let (mut near, mut far) = (_mm256_setzero_ps(), _mm256_set1_ps(ray.length()));
        let mut between = ones();
        for axis in 0..3 {
            let (low, high) = (load(&group.min[axis]), load(&group.max[axis]));
            let (origin, inverse) = (_mm256_set1_ps(ray.origin()[axis]), ray.inverse()[axis]);
            if inverse == 0.0 {
                between = _mm256_and_ps(between, _mm256_cmp_ps::<_CMP_LE_OQ>(low, origin));
                between = _mm256_and_ps(between, _mm256_cmp_ps::<_CMP_GE_OQ>(high, origin));
                continue;
            }
            let (first, last) = if inverse > 0.0 { (low, high) } else { (high, low) };
            let inverse = _mm256_set1_ps(inverse);
            near = _mm256_max_ps(_mm256_mul_ps(_mm256_sub_ps(first, origin), inverse), near);
            far = _mm256_min_ps(_mm256_mul_ps(_mm256_sub_ps(last, origin), inverse), far);
        }
        far = _mm256_mul_ps(far, _mm256_set1_ps(WIDER));
        _mm256_and_ps(between, _mm256_cmp_ps::<_CMP_LE_OQ>(near, far))
    })
}

/// `Aabb::transformed`: lanes are boxes.
#[target_feature(enable = "avx2")]
fn transform_group(matrices: &[&Mat34; GROUP], locals: &[Aabb; GROUP], live: u8) -> BoxGroup {
    // A box is six floats: the first four and the last four overlap in the middle.
    const { assert!(size_of::<Aabb>() == 24 && core::mem::offset_of!(Aabb, max) == 12) };
    let four = |lane: usize, first: usize| {
        let floats = (&raw const locals[lane]).cast::<f32>();
        debug_assert!(first <= 2);
        // SAFETY: floats `first` to `first + 4` of six, since `first` is 0 or 2; `Aabb` is `repr(C)` and all floats. The load
        // has no alignment to keep.
        unsafe { _mm_loadu_ps(floats.add(first)) }
    };
    let [min_x, min_y, min_z, _] = columns(core::array::from_fn(|lane| four(lane, 0)));
    let [_, max_x, max_y, max_z] = columns(core::array::from_fn(|lane| four(lane, 2)));
    let (low, high) = ([min_x, min_y, min_z], [max_x, max_y, max_z]);

    let mut absent = _mm256_cmp_ps::<_CMP_GT_OQ>(low[0], high[0]);
    for axis in 1..3 {
        absent = _mm256_or_ps(absent, _mm256_cmp_ps::<_CMP_GT_OQ>(low[axis], high[axis]));
    }
    let dead = |lane: u8| if live >> lane & 1 == 0 { -0.0 } else { 0.0 };
    let dead = _mm256_setr_ps(dead(0), dead(1), dead(2), dead(3), dead(4), dead(5), dead(6), dead(7));
    absent = _mm256_or_ps(absent, dead);

    let infinity = _mm256_set1_ps(f32::INFINITY);
    let negative = _mm256_set1_ps(f32::NEG_INFINITY);
    let (mut mins, mut maxs, mut finite) = ([negative; 3], [infinity; 3], ones());
    for (row, (to_min, to_max)) in mins.iter_mut().zip(&mut maxs).enumerate() {
        let load_row = |lane: usize| {
            // SAFETY: a row of a `Mat34` is four floats; the load has no alignment to keep.
            unsafe { _mm_loadu_ps(matrices[lane].rows[row].as_ptr()) }
        };
        let [x, y, z, shift] = columns(core::array::from_fn(load_row));
        let near = |a: __m256, axis: usize| (_mm256_mul_ps(a, low[axis]), _mm256_mul_ps(a, high[axis]));
        let ((ax, bx), (ay, by), (az, bz)) = (near(x, 0), near(y, 1), near(z, 2));
        let sum = |x: __m256, y: __m256, z: __m256| _mm256_add_ps(shift, _mm256_add_ps(_mm256_add_ps(x, y), z));
        *to_min = sum(_mm256_min_ps(ax, bx), _mm256_min_ps(ay, by), _mm256_min_ps(az, bz));
        *to_max = sum(_mm256_max_ps(ax, bx), _mm256_max_ps(ay, by), _mm256_max_ps(az, bz));
        finite = _mm256_and_ps(finite, _mm256_cmp_ps::<_CMP_LT_OQ>(absolute(*to_min), infinity));
        finite = _mm256_and_ps(finite, _mm256_cmp_ps::<_CMP_LT_OQ>(absolute(*to_max), infinity));
    }
    let mut group = BoxGroup::EMPTY;
    for axis in 0..3 {
        let min = _mm256_blendv_ps(negative, mins[axis], finite);
        let max = _mm256_blendv_ps(infinity, maxs[axis], finite);
        store(&mut group.min[axis], _mm256_blendv_ps(min, infinity, absent));
        store(&mut group.max[axis], _mm256_blendv_ps(max, negative, absent));
    }
    group
}
