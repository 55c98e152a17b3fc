//! The kernels, compiled for AVX2.
#![allow(unsafe_code, reason = "what is compiled for AVX2 must not run without it")]

use super::{Weights, accumulate_lanes, add_lanes, average_lanes, difference_lanes, fade_lanes};
use crate::math::PoseBlock;

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
    accumulate = accumulate_lanes(sum: &mut [PoseBlock], totals: &mut [Weights], pose: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    average = average_lanes(sum: &[PoseBlock], totals: &[Weights], base: &[PoseBlock], out: &mut [PoseBlock]);
    fade = fade_lanes(pose: &mut [PoseBlock], to: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
    difference = difference_lanes(pose: &[PoseBlock], reference: &[PoseBlock], out: &mut [PoseBlock]);
    add = add_lanes(pose: &mut [PoseBlock], difference: &[PoseBlock], weight: f32, mask: Option<&[Weights]>);
}
