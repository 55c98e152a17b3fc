//! Arrays of several types in one allocation: aligned lines of bytes, and checked views of them.
#![allow(unsafe_code, reason = "a view of bytes as another type is a cast of a pointer")]

use crate::math::{Aabb, Mat34, PackedTransform, PoseBlock};
use core::ops::Range;

/// A cache line of bytes: the unit that such an allocation is made of.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line([u8; 64]);

impl Line {
    pub(crate) const BYTES: usize = 64;
    pub(crate) const ZERO: Self = Self([0; Self::BYTES]);
}

/// What any bytes of its size are a value of.
///
/// # Safety
/// The type has no padding, no invalid bit patterns and no interior mutability.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: integers have neither padding nor invalid bits.
unsafe impl Plain for u16 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: twelve floats, 48 bytes, of which the alignment of 16 is a divisor: no padding, and any bits are floats.
unsafe impl Plain for Mat34 {}
// SAFETY: ten times eight floats, 320 bytes, of which the alignment of 64 is a divisor: the same.
unsafe impl Plain for PoseBlock {}

const _: () = assert!(size_of::<Mat34>() == 48 && size_of::<PoseBlock>() == 320 && align_of::<PoseBlock>() == 64);

/// All bytes of the lines.
pub(crate) fn bytes(lines: &[Line]) -> &[u8] {
    // SAFETY: a line is 64 bytes without padding, and bytes have no alignment to keep.
    unsafe { core::slice::from_raw_parts(lines.as_ptr().cast(), size_of_val(lines)) }
}

/// All bytes of the lines.
pub(crate) fn bytes_mut(lines: &mut [Line]) -> &mut [u8] {
    // SAFETY: as in `bytes`; any bytes are lines, and the exclusive borrow goes over to the answer.
    unsafe { core::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) }
}

/// A range of bytes as elements.
///
/// # Panics
/// If the range goes beyond the lines, begins at no multiple of the type's alignment, or is no whole number of elements.
#[inline]
pub(crate) fn view<T: Plain>(lines: &[Line], range: Range<usize>) -> &[T] {
    const { assert!(align_of::<T>() <= align_of::<Line>() && size_of::<T>() != 0) };
    let bytes = &bytes(lines)[range.clone()];
    assert!(range.start.is_multiple_of(align_of::<T>()) && range.len().is_multiple_of(size_of::<T>()));
    // SAFETY: the bytes are there, as the slice shows; they are aligned, since lines are more strictly aligned than T and
    // the range begins at a multiple of T's alignment; they are a whole number of T; and any bytes are a T, as T is plain.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) }
}

/// A range of bytes as elements.
///
/// # Panics
/// As [`view`].
#[inline]
pub(crate) fn view_mut<T: Plain>(lines: &mut [Line], range: Range<usize>) -> &mut [T] {
    const { assert!(align_of::<T>() <= align_of::<Line>() && size_of::<T>() != 0) };
    let bytes = &mut bytes_mut(lines)[range.clone()];
    assert!(range.start.is_multiple_of(align_of::<T>()) && range.len().is_multiple_of(size_of::<T>()));
    // SAFETY: as in `view`; the bits of a T are bytes, as T has no padding, and the exclusive borrow goes over to the answer.
    unsafe { core::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>()) }
}

/// What is so many floats, and nothing else.
///
/// # Safety
/// The type is `repr(C)`, all of its fields are floats or such types, and there are `N` of them.
pub(crate) unsafe trait Floats<const N: usize> {}

// SAFETY: translation, rotation and scale, arrays of 3, 4 and 3.
unsafe impl Floats<10> for PackedTransform {}
// SAFETY: two corners, each three floats; glam's `Vec3` is `repr(C)`.
unsafe impl Floats<6> for Aabb {}

/// A value's floats, so that several of them are one load: put together one by one, they are loaded one by one, and
/// [`propagate`](super::propagate()) takes a third longer.
#[inline(always)]
pub(crate) fn floats<T: Floats<N>, const N: usize>(value: &T) -> &[f32; N] {
    const { assert!(size_of::<T>() == size_of::<[f32; N]>() && align_of::<T>() == align_of::<f32>()) };
    // SAFETY: `N` floats without padding, as the trait says, aligned as a float is.
    unsafe { &*core::ptr::from_ref(value).cast() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_several_types_share_the_lines() {
        let mut lines = [Line::ZERO; 2];
        view_mut::<u16>(&mut lines, 0..6).copy_from_slice(&[1, 2, 3]);
        view_mut::<Mat34>(&mut lines, 16..64)[0] = Mat34::IDENTITY;
        view_mut::<u32>(&mut lines, 64..128).fill(u32::MAX);
        assert_eq!(view::<u16>(&lines, 2..6), [2, 3]);
        assert_eq!(view::<Mat34>(&lines, 16..64), [Mat34::IDENTITY]);
        assert_eq!(bytes(&lines)[60..68], [0, 0, 0, 0, 255, 255, 255, 255]);
    }

    #[test]
    #[should_panic(expected = "is_multiple_of")]
    fn a_view_that_is_not_aligned_is_refused() {
        let _ = view::<u32>(&[Line::ZERO], 2..10);
    }

    #[test]
    #[should_panic(expected = "is_multiple_of")]
    fn a_view_of_a_part_of_an_element_is_refused() {
        let _ = view::<u32>(&[Line::ZERO], 4..10);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_view_beyond_the_lines_is_refused() {
        let _ = view::<u32>(&[Line::ZERO], 60..68);
    }
}
