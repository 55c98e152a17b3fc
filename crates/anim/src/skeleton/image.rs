//! The one allocation of a skeleton: cache lines of bytes, and the place of each array.

use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use bytemuck::{Pod, Zeroable};
use core::ops::Range;

/// A cache line of bytes, the unit of the allocation.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Line([u8; 64]);

impl Line {
    pub(super) const BYTES: usize = 64;
    pub(super) const ZERO: Self = Self([0; Self::BYTES]);
}

/// Returns all bytes of the lines.
pub(super) fn bytes(lines: &[Line]) -> &[u8] {
    bytemuck::cast_slice(lines)
}

/// Returns all bytes of the lines.
pub(super) fn bytes_mut(lines: &mut [Line]) -> &mut [u8] {
    bytemuck::cast_slice_mut(lines)
}

/// Returns a range of bytes as elements.
///
/// # Panics
/// Panics if the range extends beyond the lines, is misaligned for `T`, or is not a whole number of elements.
#[inline]
pub(super) fn view<T: Pod>(lines: &[Line], range: Range<usize>) -> &[T] {
    bytemuck::cast_slice(&bytes(lines)[range])
}

/// Returns a range of bytes as elements.
///
/// # Panics
/// Panics like [`view`].
#[inline]
pub(super) fn view_mut<T: Pod>(lines: &mut [Line], range: Range<usize>) -> &mut [T] {
    bytemuck::cast_slice_mut(&mut bytes_mut(lines)[range])
}

/// The places of a skeleton's arrays, in bytes from the start.
///
/// ```text
/// header         see `file_header`                                          32 B │
/// counts         joints u32, bytes of text u32, zeros                32 B │ one line
/// rest           a pose's blocks of eight joints                    320 B each
/// name ends      where each name ends in the text, u32                4 B a joint
/// parents        u16, the root's is 65,535                            2 B a joint
/// ends           one past each joint's last descendant, u16           2 B a joint
/// text           all names, in UTF-8                              then zeros to the end of the line
/// ```
///
/// Numbers are little-endian in a file, and in the machine's byte order in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    joints: u16,
    text: u32,
}

impl Layout {
    /// The place of the counts: after the header.
    pub(super) const COUNTS: Range<usize> = 32..40;

    pub(super) const fn new(joints: u16, text: u32) -> Self {
        Self { joints, text }
    }

    pub(super) const fn joints(self) -> usize {
        self.joints as usize
    }

    pub(super) const fn rest(self) -> Range<usize> {
        let blocks = self.joints().div_ceil(LANES);
        after(Line::BYTES, blocks * size_of::<PoseBlock>())
    }

    pub(super) const fn name_ends(self) -> Range<usize> {
        after(self.rest().end, self.joints() * size_of::<u32>())
    }

    pub(super) const fn parents(self) -> Range<usize> {
        after(self.name_ends().end, self.joints() * size_of::<u16>())
    }

    pub(super) const fn ends(self) -> Range<usize> {
        after(self.parents().end, self.joints() * size_of::<u16>())
    }

    pub(super) const fn text(self) -> Range<usize> {
        after(self.ends().end, self.text as usize)
    }

    /// Returns the size of the allocation, in cache lines.
    pub(super) const fn lines(self) -> usize {
        self.text().end.div_ceil(Line::BYTES)
    }
}

const fn after(start: usize, bytes: usize) -> Range<usize> {
    start..start + bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mat34;

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
    #[should_panic(expected = "TargetAlignmentGreaterAndInputNotAligned")]
    fn a_view_that_is_not_aligned_is_refused() {
        let _ = view::<u32>(&[Line::ZERO], 2..10);
    }

    #[test]
    #[should_panic(expected = "OutputSliceWouldHaveSlop")]
    fn a_view_of_a_part_of_an_element_is_refused() {
        let _ = view::<u32>(&[Line::ZERO], 4..10);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_view_beyond_the_lines_is_refused() {
        let _ = view::<u32>(&[Line::ZERO], 60..68);
    }
}
