//! Where the arrays of a skeleton are in its one allocation.

use crate::Mat34;
use crate::simd::plain::Line;
use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use core::ops::Range;

/// The places of a skeleton's arrays, in bytes from the start.
///
/// ```text
/// header         see `file_header`                                          32 B │
/// counts         joints u32, bytes of text u32, zeros                32 B │ one line
/// rest           a pose's blocks of eight joints                    320 B each
/// inverse binds  matrices                                            48 B a joint
/// name ends      where each name ends in the text, u32                4 B a joint
/// parents        u16, the root's is 65,535                            2 B a joint
/// ends           one past each joint's last descendant, u16           2 B a joint
/// text           all names, in UTF-8                              then zeros to the end of the line
/// ```
///
/// Little-endian in a file, the machine's byte order in memory.
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

    pub(super) const fn inverse_binds(self) -> Range<usize> {
        after(self.rest().end, self.joints() * size_of::<Mat34>())
    }

    pub(super) const fn name_ends(self) -> Range<usize> {
        after(self.inverse_binds().end, self.joints() * size_of::<u32>())
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

    /// How many cache lines it takes.
    pub(super) const fn lines(self) -> usize {
        self.text().end.div_ceil(Line::BYTES)
    }
}

const fn after(start: usize, bytes: usize) -> Range<usize> {
    start..start + bytes
}
