//! The joints and weights of vertices.

use super::{LANES, Lanes};
use core::ops::Range;
use std::collections::TryReserveError;

/// The influences of vertices with the same number of influences, in blocks.
///
/// A block has `count` rows of 16 joints, 32 bytes per row, and `count - 1` rows of 16 weights, 64 bytes per row. The
/// last weight is 1 minus the other weights. A vertex takes 2, 8, 14, 20 or (for eight) 44 bytes. Padding has joint 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Influences {
    count: usize,
    vertices: usize,
    joints: Vec<[u16; LANES]>,
    weights: Vec<Lanes>,
    /// The greatest joint plus one. Kernels rely on this bound for memory safety, so only this file can change joints.
    end: usize,
}

impl Influences {
    /// Creates an empty list for vertices with `count` influences each.
    pub(crate) fn new(count: usize) -> Self {
        assert!(matches!(count, 1..=4 | 8));
        Self { count, end: 1, ..Self::default() }
    }

    /// Reserves memory for this many vertices; the list must be empty.
    pub(crate) fn try_reserve(&mut self, vertices: usize) -> Result<(), TryReserveError> {
        let blocks = vertices.div_ceil(LANES);
        self.joints.try_reserve_exact(blocks * self.count)?;
        self.weights.try_reserve_exact(blocks * (self.count - 1))
    }

    /// Adds a vertex. The last weight is not stored.
    ///
    /// # Panics
    /// Panics unless there are `count` joints and weights.
    pub(crate) fn push(&mut self, joints: &[u16], weights: &[f32]) {
        assert!(joints.len() == self.count && weights.len() == self.count);
        let lane = self.vertices % LANES;
        if lane == 0 {
            self.joints.resize(self.joints.len() + self.count, [0; LANES]);
            self.weights.resize(self.weights.len() + self.count - 1, Lanes::default());
        }
        let (joint_rows, weight_rows) = (self.joints.len() - self.count, self.weights.len() + 1 - self.count);
        for (row, &joint) in self.joints[joint_rows..].iter_mut().zip(joints) {
            row[lane] = joint;
            self.end = self.end.max(usize::from(joint) + 1);
        }
        for (row, &weight) in self.weights[weight_rows..].iter_mut().zip(weights) {
            row.0[lane] = weight;
        }
        self.vertices += 1;
    }

    /// Returns the joints that a vertex follows.
    pub(crate) fn joints_of_vertex(&self, vertex: usize) -> impl Iterator<Item = u16> {
        let (block, lane) = (vertex / LANES, vertex % LANES);
        self.joints_of(block..block + 1).iter().map(move |row| row[lane])
    }

    /// Returns the weights of a vertex, except the last.
    pub(crate) fn weights_of_vertex(&self, vertex: usize) -> impl Iterator<Item = f32> {
        let (block, lane) = (vertex / LANES, vertex % LANES);
        self.weights_of(block..block + 1).iter().map(move |row| row.0[lane])
    }

    /// Returns the number of influences of each vertex.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn vertices(&self) -> usize {
        self.vertices
    }

    pub(crate) fn blocks(&self) -> usize {
        self.vertices.div_ceil(LANES)
    }

    /// Returns the least number of matrices in a palette.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "portable kernels look at each joint instead"))]
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Returns the joints of a range of blocks, in `count` rows for each block; all joints are less than `end`.
    pub(super) fn joints_of(&self, blocks: Range<usize>) -> &[[u16; LANES]] {
        &self.joints[blocks.start * self.count..blocks.end * self.count]
    }

    /// Returns the weights of a range of blocks, in `count - 1` rows for each block.
    pub(super) fn weights_of(&self, blocks: Range<usize>) -> &[Lanes] {
        &self.weights[blocks.start * (self.count - 1)..blocks.end * (self.count - 1)]
    }

    /// Returns the size on the heap, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.joints[..]) + size_of_val(&self.weights[..])
    }
}
