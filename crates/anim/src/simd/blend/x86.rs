//! The kernels for AVX2: sums vector by vector, the others as the loops are compiled.
#![allow(unsafe_code, reason = "what is compiled for AVX2 must not run without it")]

use super::{Weights, add_lanes, difference_lanes, fade_lanes};
use crate::transform_lanes::PoseBlock;
use core::arch::x86_64::{
    __m256, _CMP_GE_OQ, _CMP_LT_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_blendv_ps, _mm256_cmp_ps, _mm256_div_ps,
    _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_sqrt_ps, _mm256_xor_ps,
};
use hedgerow_math::internal::x86::{load_eight as load, store_eight as store};

macro_rules! compiled {
    ($($name:ident = $body:ident($($argument:ident: $type:ty),*);)*) => {$(
        pub(super) fn $name($($argument: $type),*) {
            #[target_feature(enable = "avx2")]
            fn compiled($($argument: $type),*) {
                $body($($argument),*);
            }
            assert!(std::arch::is_x86_feature_detected!("avx2"), "the caller has looked for AVX2");
            // SAFETY: AVX2 is there, as just asserted.
            unsafe { compiled($($argument),*) }
        }
    )*};
}

compiled! {
    begin = begin_vectors(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    accumulate = accumulate_vectors(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    average = average_vectors(sum: &[PoseBlock], totals: &[Weights], base: &[PoseBlock], out: &mut [PoseBlock]);
    fade = fade_lanes(pose: &mut [PoseBlock], to: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    difference = difference_lanes(pose: &[PoseBlock], reference: &[PoseBlock], out: &mut [PoseBlock]);
    add = add_lanes(pose: &mut [PoseBlock], difference: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
}

/// The weights of the joints of one block.
#[inline]
#[target_feature(enable = "avx2")]
fn weights(weight: __m256, mask: Option<&[Weights]>, block: usize) -> __m256 {
    mask.map_or(weight, |mask| _mm256_mul_ps(load(&mask[block]), weight))
}

/// `a · b`, added up from the first to the last.
#[inline]
#[target_feature(enable = "avx2")]
fn dot(a: [__m256; 4], b: [__m256; 4]) -> __m256 {
    let two = _mm256_add_ps(_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1]));
    _mm256_add_ps(_mm256_add_ps(two, _mm256_mul_ps(a[2], b[2])), _mm256_mul_ps(a[3], b[3]))
}

/// See [`begin_lanes`](super::begin_lanes).
#[inline]
#[target_feature(enable = "avx2")]
fn begin_vectors(
    sum: &mut [PoseBlock],
    totals: &mut [Weights],
    pose: &[PoseBlock],
    weight: f32,
    mask: Option<&[Weights]>,
) {
    let weight = _mm256_set1_ps(weight);
    for (block, ((sum, totals), pose)) in sum.iter_mut().zip(totals).zip(pose).enumerate() {
        let w = weights(weight, mask, block);
        store(totals, w);
        for axis in 0..3 {
            store(&mut sum.translation[axis], _mm256_mul_ps(w, load(&pose.translation[axis])));
            store(&mut sum.scale[axis], _mm256_mul_ps(w, load(&pose.scale[axis])));
        }
        for part in 0..4 {
            store(&mut sum.rotation[part], _mm256_mul_ps(w, load(&pose.rotation[part])));
        }
    }
}

/// See [`accumulate_lanes`](super::accumulate_lanes).
#[inline]
#[target_feature(enable = "avx2")]
fn accumulate_vectors(
    sum: &mut [PoseBlock],
    totals: &mut [Weights],
    pose: &[PoseBlock],
    weight: f32,
    mask: Option<&[Weights]>,
) {
    let weight = _mm256_set1_ps(weight);
    for (block, ((sum, totals), pose)) in sum.iter_mut().zip(totals).zip(pose).enumerate() {
        let w = weights(weight, mask, block);
        store(totals, _mm256_add_ps(load(totals), w));
        for axis in 0..3 {
            let (moved, scaled) = (load(&pose.translation[axis]), load(&pose.scale[axis]));
            let (old_moved, old_scaled) = (load(&sum.translation[axis]), load(&sum.scale[axis]));
            store(&mut sum.translation[axis], _mm256_add_ps(old_moved, _mm256_mul_ps(w, moved)));
            store(&mut sum.scale[axis], _mm256_add_ps(old_scaled, _mm256_mul_ps(w, scaled)));
        }
        let (old, turn) =
            (sum.rotation.each_ref().map(|part| load(part)), pose.rotation.each_ref().map(|part| load(part)));
        let away = _mm256_cmp_ps::<_CMP_LT_OQ>(dot(old, turn), _mm256_setzero_ps());
        let turned = _mm256_xor_ps(w, _mm256_and_ps(away, _mm256_set1_ps(-0.0)));
        for ((sum, old), turn) in sum.rotation.iter_mut().zip(old).zip(turn) {
            store(sum, _mm256_add_ps(old, _mm256_mul_ps(turned, turn)));
        }
    }
}

/// See [`average_lanes`](super::average_lanes).
#[inline]
#[target_feature(enable = "avx2")]
fn average_vectors(sum: &[PoseBlock], totals: &[Weights], base: &[PoseBlock], out: &mut [PoseBlock]) {
    let one = _mm256_set1_ps(1.0);
    for (((sum, totals), base), out) in sum.iter().zip(totals).zip(base).zip(out) {
        let total = load(totals);
        let some = _mm256_cmp_ps::<_CMP_GE_OQ>(total, _mm256_set1_ps(f32::MIN_POSITIVE));
        let share = _mm256_div_ps(one, total);
        for axis in 0..3 {
            let moved = _mm256_mul_ps(load(&sum.translation[axis]), share);
            store(&mut out.translation[axis], _mm256_blendv_ps(load(&base.translation[axis]), moved, some));
            let scaled = _mm256_mul_ps(load(&sum.scale[axis]), share);
            store(&mut out.scale[axis], _mm256_blendv_ps(load(&base.scale[axis]), scaled, some));
        }
        // Divided first, because the squares of what small weights leave would be zero.
        let turn = sum.rotation.each_ref().map(|part| _mm256_mul_ps(load(part), share));
        let unit = _mm256_div_ps(one, _mm256_sqrt_ps(dot(turn, turn)));
        for ((out, base), turn) in out.rotation.iter_mut().zip(&base.rotation).zip(turn) {
            store(out, _mm256_blendv_ps(load(base), _mm256_mul_ps(turn, unit), some));
        }
    }
}
