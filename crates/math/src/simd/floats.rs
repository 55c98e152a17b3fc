//! Structs of floats as arrays of floats.
#![allow(unsafe_code, reason = "a view of a struct as an array is a cast of a pointer")]

use crate::{Aabb, PackedTransform};

/// What is so many floats, and nothing else.
///
/// # Safety
/// The type is `repr(C)`, all of its fields are floats or such types, and there are `N` of them.
pub(crate) unsafe trait Floats<const N: usize> {}

// SAFETY: translation, rotation and scale, arrays of 3, 4 and 3.
unsafe impl Floats<10> for PackedTransform {}
// SAFETY: two corners, each three floats; glam's `Vec3` is `repr(C)`.
unsafe impl Floats<6> for Aabb {}

/// A value's floats, so that several of them are one load. Put together one by one, they are loaded one by one, and
/// [`propagate`](crate::internal::propagate) takes a third longer.
#[inline(always)]
pub(crate) fn floats<T: Floats<N>, const N: usize>(value: &T) -> &[f32; N] {
    const { assert!(size_of::<T>() == size_of::<[f32; N]>() && align_of::<T>() == align_of::<f32>()) };
    // SAFETY: `N` floats without padding, as the trait says, aligned as a float is.
    unsafe { &*core::ptr::from_ref(value).cast() }
}
