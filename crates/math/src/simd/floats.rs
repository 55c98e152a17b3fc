//! Views of structs of floats as arrays of floats.
#![allow(unsafe_code, reason = "a view of a struct as an array is a cast of a pointer")]

use crate::{Aabb, PackedTransform};

/// A type that consists of `N` floats.
///
/// # Safety
/// The type is `repr(C)`, and its fields are exactly `N` floats, possibly nested in arrays or `repr(C)` structs.
pub(crate) unsafe trait Floats<const N: usize> {}

// SAFETY: `repr(C)` with arrays of 4, 3 and 3 floats.
unsafe impl Floats<10> for PackedTransform {}
// SAFETY: `repr(C)` with two corners of three floats; glam's `Vec3` is `repr(C)`.
unsafe impl Floats<6> for Aabb {}

/// Returns a value's floats as an array, so that one load reads several floats. If floats are loaded one by one,
/// [`propagate`](crate::internal::propagate) takes a third longer.
#[inline(always)]
pub(crate) fn floats<T: Floats<N>, const N: usize>(value: &T) -> &[f32; N] {
    const { assert!(size_of::<T>() == size_of::<[f32; N]>() && align_of::<T>() == align_of::<f32>()) };
    // SAFETY: as the trait requires, the type is `N` floats without padding, aligned like `f32`.
    unsafe { &*core::ptr::from_ref(value).cast() }
}
