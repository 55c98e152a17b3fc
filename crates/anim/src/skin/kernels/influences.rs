//! Which joints vertices follow, and how much.

use super::{LANES, Lanes};
use core::ops::Range;
use std::collections::TryReserveError;

/// The influences of vertices that all have the same number of these, block by block.
///
/// A block of `count` influences is `count` rows of 16 joints, 32 bytes each, and `count - 1` rows of 16 weights, 64
/// bytes each: what is left to 1 is the last weight. That is 2, 8, 14, 20 or, for eight, 44 bytes a vertex. The last
/// block is filled up with joint 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Influences {
    count: usize,
    vertices: usize,
    joints: Vec<[u16; LANES]>,
    weights: Vec<Lanes>,
    /// One more than the greatest joint. The kernels rely on it for memory safety, so nothing outside of this file can
    /// change the joints.
    end: usize,
}

impl Influences {
    /// No influences, of vertices that will have so many each.
    pub(crate) fn new(count: usize) -> Self {
        assert!(matches!(count, 1..=4 | 8));
        Self { count, end: 1, ..Self::default() }
    }

    /// Makes room for this many vertices, none of which is there yet.
    pub(crate) fn try_reserve(&mut self, vertices: usize) -> Result<(), TryReserveError> {
        let blocks = vertices.div_ceil(LANES);
        self.joints.try_reserve_exact(blocks * self.count)?;
        self.weights.try_reserve_exact(blocks * (self.count - 1))
    }

    /// Adds a vertex. Of `weights` all but the last are kept.
    ///
    /// # Panics
    /// Unless there are as many of each as this is for.
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

    /// The joints that a vertex follows.
    pub(crate) fn joints_of_vertex(&self, vertex: usize) -> impl Iterator<Item = u16> {
        let (block, lane) = (vertex / LANES, vertex % LANES);
        self.joints_of(block..block + 1).iter().map(move |row| row[lane])
    }

    /// The weights of a vertex but the last.
    pub(crate) fn weights_of_vertex(&self, vertex: usize) -> impl Iterator<Item = f32> {
        let (block, lane) = (vertex / LANES, vertex % LANES);
        self.weights_of(block..block + 1).iter().map(move |row| row.0[lane])
    }

    /// How many influences a vertex has.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How many vertices there are.
    pub(crate) fn vertices(&self) -> usize {
        self.vertices
    }

    /// How many blocks these are.
    pub(crate) fn blocks(&self) -> usize {
        self.vertices.div_ceil(LANES)
    }

    /// How many matrices a palette has at least.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "portable kernels look at each joint instead"))]
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// The joints of some blocks, `count` rows each; all are less than `end`.
    pub(super) fn joints_of(&self, blocks: Range<usize>) -> &[[u16; LANES]] {
        &self.joints[blocks.start * self.count..blocks.end * self.count]
    }

    /// The weights of some blocks, `count - 1` rows each.
    pub(super) fn weights_of(&self, blocks: Range<usize>) -> &[Lanes] {
        &self.weights[blocks.start * (self.count - 1)..blocks.end * (self.count - 1)]
    }

    /// How many bytes the influences take.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.joints[..]) + size_of_val(&self.weights[..])
    }
}
