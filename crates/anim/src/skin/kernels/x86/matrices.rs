//! The matrices of a palette by columns, found by the joints of vertices.
#![allow(unsafe_code, reason = "a matrix is found without asking whether there is one")]

use super::{Influences, LANES};
use core::ops::Range;

/// A matrix by columns, each with a fourth element: 0, 0, 0 and 1.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Columns(pub(super) [f32; 16]);

impl Columns {
    /// The first two columns, or the last two.
    #[inline(always)]
    pub(super) fn half(&self, second: bool) -> &[f32; 8] {
        &self.0.as_chunks().0[usize::from(second)]
    }
}

/// What the vertices of some blocks follow: of each joint of theirs there are columns.
#[derive(Clone, Copy)]
pub(super) struct Matrices<'a> {
    columns: &'a [Columns],
    /// A row for each influence a block.
    joints: &'a [[u16; LANES]],
}

impl<'a> Matrices<'a> {
    /// Joints of some blocks with the columns of a palette.
    ///
    /// # Panics
    /// If there are no columns for some joint of the influences.
    pub(super) fn new(columns: &'a [Columns], influences: &'a Influences, blocks: Range<usize>) -> Self {
        assert!(columns.len() >= influences.end());
        Self { columns, joints: influences.joints_of(blocks) }
    }

    /// Block by block, where `K` is the number of influences.
    #[inline(always)]
    pub(super) fn blocks<const K: usize>(self) -> impl Iterator<Item = BlockMatrices<'a, K>> {
        let (joints, []) = self.joints.as_chunks::<K>() else { unreachable!("a row for each influence") };
        joints.iter().map(move |joints| BlockMatrices { columns: self.columns, joints })
    }
}

/// The same of one block.
#[derive(Clone, Copy)]
pub(super) struct BlockMatrices<'a, const K: usize> {
    columns: &'a [Columns],
    joints: &'a [[u16; LANES]; K],
}

impl<'a, const K: usize> BlockMatrices<'a, K> {
    /// The matrix that an influence of a vertex follows. Asking whether there is one would take two
    /// instructions more for each.
    #[inline(always)]
    pub(super) fn of(self, influence: usize, lane: usize) -> &'a Columns {
        let joint = usize::from(self.joints[influence][lane]);
        debug_assert!(joint < self.columns.len());
        // SAFETY: all joints of the influences are below `end`, and there are as many columns, as asserted when this
        // was made.
        unsafe { self.columns.get_unchecked(joint) }
    }
}
